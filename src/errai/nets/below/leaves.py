"""A network below a tree that is cut where a street ends.

Each leaf is a line of bets on a board, and every board that may come next is a position of the network.  In each
iteration both ranges are masked with the next cards and scaled to sum to 1; the network is asked on that board about
all lines in one batch; what it says is multiplied by what the other player brings there and by the pot, and averaged
over the boards.  Two hands leave 45 of hold'em's 52 cards for the turn and 44 for the river, so that the sum over all
49 or 48 boards is divided by these: each hand meets every other one on as many.

Boards that suits make equal, with the ranges as they are, are asked about once.  Lines that are all-in need no network:
what hands win is counted over all boards (:mod:`errai.nets.networks.matchups`).

What a network says is a function of the ranges alone, so that the cut game's certificate is its own: it says how well
the trunk is solved for these values, and nothing of how good they are.  :mod:`errai.nets.quality.cost` says that.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from math import comb
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from errai.engine.leaf_values import HalfIteration, LeafMeasurement, LeafValues, Pair
from errai.engine.resources import default_threads
from errai.errors import InputError
from errai.games.hand import PublicState, rules_of
from errai.games.lookahead import Lookahead, dead_chips_of
from errai.kernels.layout import LEAF
from errai.kernels.protocol import LeafArrays
from errai.nets.below.leaf_boards import LastBoard, Members, NextBoard, shares
from errai.nets.networks.matchups import matchups
from errai.nets.positions import ValueNet
from errai.resolving.below import Below, Ranges
from errai.solutions.node_board import NodeSource
from errai.tree.deal_tree import deal_boards
from errai.tree.public_tree import PublicTree

if TYPE_CHECKING:
    from errai.nets.below.averages import AveragedLeafValues

EVERY = 2
"""Iterations between which a network is asked, unless told otherwise."""

HANDS_FOR_THREADS = 600
"""Boards on which fewer hands are in question are asked about by one thread: calls are then so short that two threads,
waiting for each other in Python, take longer than one."""

REMEMBERED_BYTES = 1 << 28
"""Averages of lookaheads that are kept; those made last stay."""


class NetLeafValues(LeafValues):
    """What a network says of the leaves of a tree; nothing below them learns.

    Parameters
    ----------
    net:
        Asked at the beginning of the round after the one that the tree is cut after.
    every:
        Asked once in so many iterations, about both players; in between the values stay.  1 is once in each iteration,
        so that with alternating updates the second player learns from values for what the first one brought before he
        learnt; 0 asks for each player anew.  On the flop of ``examples`` 0.3 % of the pot is reached after asking 43,
        45, 34 and 41 times with 0, 1, 2 and 3.
    threads:
        How many boards are asked about at once; by default one for each processor, or one board where few hands are
        in question.

    Raises
    ------
    InputError
        From :meth:`values` and the others: the tree is cut elsewhere, or its game is not a no-limit game.
    """

    zero_sum = False

    def __init__(self, net: ValueNet, *, every: int = EVERY, threads: int | None = None) -> None:
        if every < 0 or (threads is not None and threads < 1):
            raise InputError(
                f"A network is asked every 0 or more iterations by 1 or more threads, not {every}, {threads}."
            )
        self.net = net
        self.every = every
        self.threads = threads
        self.name = net.name
        self.digest = net.digest
        self.depth = net.round - 1
        self.asked = 0
        """How often the network was asked about all leaves."""
        self.trunk: PublicTree | None = None
        self.boards: list[LastBoard] = []
        self._latest: tuple[list[NDArray[np.float64]], Pair] | None = None
        self._latest_in = 0

    def values(self, trunk: PublicTree, reach: Pair, player: int) -> LeafArrays:
        """What the network says for this reach; see :class:`errai.engine.leaf_values.LeafValues`."""
        return [a.copy() for a in self._ask(trunk, reach)[player]]

    def learn(self, trunk: PublicTree, half: HalfIteration) -> LeafArrays:
        """The same, or what was said in an earlier iteration; see ``every``."""
        iteration = half.learnt[half.player]
        stays = self.trunk is trunk and self._latest is not None and self.every > 0
        if stays and self._latest is not None and 0 <= iteration - self._latest_in < self.every:
            return self._latest[1][half.player]
        found = self._ask(trunk, half.reach)
        self._latest_in = iteration
        return found[half.player]

    def measure(self, trunk: PublicTree, reach: Pair, *, exact: bool = True) -> LeafMeasurement:
        """What the network says for the reach of the measured strategy; nobody responds below the leaves."""
        latest = self._latest
        found = self._ask(trunk, reach)
        self._latest = latest  # what is learnt from stays
        return LeafMeasurement(found, found, self.zero_sum)

    def _ask(self, trunk: PublicTree, reach: Pair) -> Pair:
        """Both players' values; none are counted twice in a row."""
        self._see(trunk)
        last = [array[-1] for array in reach]
        if self._latest is not None and all(map(np.array_equal, self._latest[0], last)):
            return self._latest[1]
        self.asked += 1
        found = [np.zeros_like(array) for array in last]
        lines = trunk.arrays.streets[-1].num_leaves
        threads = self.threads
        if threads is None:
            few = max(board.hands for board in self.boards) < HANDS_FOR_THREADS
            threads = 1 if few else default_threads()
        with _mapping(threads) as each:
            for board in self.boards:
                blocks = [
                    a[lines * s.start : lines * s.stop].reshape(lines, -1)
                    for a, s in zip(last, board.classes, strict=True)
                ]
                for into, part, values in zip(found, board.classes, board.values(blocks, each), strict=True):
                    into[lines * part.start : lines * part.stop] = values.ravel()
        both = tuple([*(np.zeros_like(a) for a in reach[p][:-1]), found[p]] for p in (0, 1))
        self._latest = [array.copy() for array in last], (both[0], both[1])
        return self._latest[1]

    def _see(self, trunk: PublicTree) -> None:
        """Find the boards that follow a trunk, once."""
        if trunk is self.trunk:
            return
        game, net = rules_of(trunk.subject), self.net
        if trunk.depth != net.round - 1:
            raise InputError(
                f"The network {net.name} is asked where round {net.round} begins, counted from 0; cut the tree before."
            )
        if game.limit:
            raise InputError("Networks are for no-limit games: they are told of chips as shares of the pot.")
        betting, edge = trunk.betting, len(trunk.deal.streets) - 1
        street = np.asarray(betting.street_nodes(edge))
        nodes = street[betting.kind[street] == LEAF]
        stakes = betting.contributions[nodes, 0]
        stacks = betting.all_in_total + dead_chips_of(trunk.subject) - stakes
        new = game.num_board_cards[net.round]
        below = deal_boards(replace(trunk.root, new_cards=(*trunk.root.new_cards, new)), edge + 1)
        level = trunk.deal.streets[edge]
        left = game.deck.num_cards - level.boards.shape[1] - 2 * game.num_hole_cards
        weights = below.multiplicity / level.multiplicity[below.parent] / comb(left, new)
        self.boards = []
        for b, cards in enumerate(level.boards.tolist()):
            members = [Members.on(hands, b) for hands in level.hands]
            union = np.union1d(members[0].hands, members[1].hands)
            following = np.flatnonzero(below.parent == b)
            self.boards.append(
                LastBoard(
                    seats=(game.first_player[net.round], 1 - game.first_player[net.round]),
                    hands=len(union),
                    classes=(members[0].classes, members[1].classes),
                    members=(members[0].among(union), members[1].among(union)),
                    pots=2.0 * stakes,
                    stacks=stacks,
                    shown=matchups(game, tuple(cards), union) if (stacks <= 0.0).any() else None,
                    next=self._following(below.cards[following], union, weights[following]),
                )
            )
        self.trunk, self._latest = trunk, None

    def _following(
        self, cards: NDArray[np.int64], union: NDArray[np.int64], weights: NDArray[np.float64]
    ) -> list[NextBoard]:
        """The boards that may come next; what a network prepares for a board takes longer than to ask it."""
        threads = default_threads() if self.threads is None else self.threads
        with _mapping(threads) as each:
            return list(
                each(
                    lambda board, weight: NextBoard.of(self.net, tuple(board), union, weight),
                    cards.tolist(),
                    weights.tolist(),
                )
            )


@contextmanager
def _mapping(threads: int) -> Iterator[Callable[..., Iterator[Any]]]:
    """``map`` by so many threads."""
    if threads == 1:
        yield map
        return
    with ThreadPoolExecutor(threads) as pool:
        yield pool.map


class NetLeaves:
    """A network below lookaheads that are cut, and on new streets; a :class:`errai.resolving.below.Below`.

    Parameters
    ----------
    nets:
        One for each round before which lookaheads are cut or values are asked for.
    otherwise:
        Who is asked about rounds that no network is for; by default nobody.
    every, threads:
        As for :class:`NetLeafValues`.
    averaged:
        The opponent is held to what the network said in the mean of a lookahead's iterations, as in DeepStack, and not
        to what it says of the ranges of its average strategy (:mod:`errai.nets.below.averages`).

    Raises
    ------
    InputError
        Two networks are for the same round, or none is for one that is asked about.
    """

    def __init__(
        self,
        nets: ValueNet | Sequence[ValueNet],
        otherwise: Below | None = None,
        *,
        every: int = EVERY,
        threads: int | None = None,
        averaged: bool = False,
    ) -> None:
        given = list(nets) if isinstance(nets, Sequence) else [nets]
        self.nets = {net.round: net for net in given}
        if len(self.nets) < len(given) or not given:
            raise InputError("Give at least one network, and one for a round.")
        self.otherwise = otherwise
        self.every = every
        self.threads = threads
        self.averaged = averaged
        self.name = ", ".join(net.name for net in given)
        self._made: deque[AveragedLeafValues] = deque()

    def __getstate__(self) -> dict[str, Any]:
        # Another process solves its own lookaheads.
        return {**self.__dict__, "_made": deque()}

    def leaf_values(self, lookahead: Lookahead, player: int | None = None) -> LeafValues:
        """What stands below the leaves of a lookahead; see :class:`errai.resolving.below.Below`."""
        net = None if lookahead.depth is None else self.nets.get(lookahead.depth + 1)
        if net is not None:
            if not self.averaged:
                return NetLeafValues(net, every=self.every, threads=self.threads)
            from errai.nets.below.averages import AveragedLeafValues

            for earlier in self._made:
                earlier.finish()
            while len(self._made) > 1 and sum(earlier.bytes for earlier in self._made) > REMEMBERED_BYTES:
                self._made.popleft()
            made = AveragedLeafValues(net, every=self.every, threads=self.threads)
            self._made.append(made)
            return made
        return self._other(lookahead.depth).leaf_values(lookahead, player)

    def values(
        self, state: PublicState, ranges: Ranges, player: int, above: NodeSource | None = None
    ) -> NDArray[np.float64]:
        """What the network says of a new street for these ranges; see :class:`errai.resolving.below.Below`."""
        net, betting, game = self.nets.get(state.betting.round), state.betting, rules_of(state.subject)
        if net is None:
            return self._other(state.betting.round - 1).values(state, ranges, player, above)
        for made in self._made:
            if above is not None and made.averaged is above.tree:
                known = made.on_new_street(state, ranges[1 - player], player)
                if known is not None:
                    return known
        said = net.on(state.board)
        seats = game.first_player[net.round], 1 - game.first_player[net.round]
        held = np.stack([ranges[seat][said.hands] for seat in seats])
        stack = min(game.stacks) - betting.stake_chips
        stacks = np.array([stack / state.pot_chips], dtype=np.float32)
        values = said.values(shares(held[None]).astype(np.float32), stacks)[0, seats.index(player)]
        found = np.zeros(len(ranges[player]))
        found[said.hands] = held[1 - seats.index(player)].sum() * state.pot_chips * values
        return found

    def _other(self, depth: int | None) -> Below:
        if self.otherwise is None:
            asked = "the end" if depth is None else f"round {depth + 1}"
            raise InputError(f"There is a network for the rounds {sorted(self.nets)}, and none for {asked}.")
        return self.otherwise
