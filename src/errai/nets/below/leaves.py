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
from collections.abc import Sequence
from dataclasses import dataclass, replace
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
from errai.nets.below.leaf_boards import Answer, LastBoard, Members, NextBoard, mapping, shares
from errai.nets.networks.matchups import matchups
from errai.nets.positions import ValueNet
from errai.resolving.below import Below, Ranges
from errai.solutions.node_board import NodeSource
from errai.tree.deal_tree import deal_boards
from errai.tree.public_tree import PublicTree

if TYPE_CHECKING:
    from errai.nets.below.averages import AveragedLeafValues

EVERY = 1
"""Iterations between which a network is asked, unless told otherwise."""

PARTS = 2
"""Into which boards are divided, unless told otherwise."""

REMEMBERED_BYTES = 1 << 28
"""Averages of lookaheads that are kept; those made last stay."""


@dataclass(frozen=True, eq=False)
class _Said:
    """What was said of all leaves."""

    reach: list[NDArray[np.float64]]
    """What both players brought to them when it was asked."""
    values: Pair
    answers: list[list[Answer]]
    """Of the boards that may come next, for each board on which the trunk ends."""


class NetLeafValues(LeafValues):
    """What a network says of the leaves of a tree; nothing below them learns.

    Parameters
    ----------
    net:
        Asked at the beginning of the round after the one that the tree is cut after.
    every:
        Asked in every so many-th iteration, about both players; in between the values stay.  With alternating updates
        the second player learns from values for what the first one brought before he learnt; 0 asks for each player
        anew, and about all boards.
    parts:
        Boards that may come next are divided into so many parts, which are asked about in turn; what was said of the
        other boards stays.  On the flop of ``examples`` .3 % of the pot is reached over ``turn`` after as many
        questions as 24.5 about all boards with 2 parts, 28 with 3, 23 with 4 and 21 with 6, and after 35 about all
        boards in every second iteration.
    threads:
        How many boards are asked about at once; by default one for each processor, or, of networks in NumPy, one where
        few hands are in question.

    Raises
    ------
    InputError
        From :meth:`values` and the others: the tree is cut elsewhere, or its game is not a no-limit game.
    """

    zero_sum = False

    def __init__(self, net: ValueNet, *, every: int = EVERY, parts: int = PARTS, threads: int | None = None) -> None:
        if every < 0 or parts < 1 or (threads is not None and threads < 1):
            raise InputError(
                "A network is asked every 0 or more iterations about 1 or more parts by 1 or more threads, not "
                f"{every}, {parts}, {threads}."
            )
        self.net = net
        self.every = every
        self.parts = parts
        self.threads = threads
        self.name = net.name
        self.digest = net.digest
        self.depth = net.round - 1
        self.asked = 0.0
        """How often the network was asked about all leaves."""
        self.trunk: PublicTree | None = None
        self.boards: list[LastBoard] = []
        self._latest: _Said | None = None
        self._learnt: _Said | None = None
        self._learnt_in = 0
        self._part = 0
        self._part_of: list[NDArray[np.int64]] = []
        """For each board on which the trunk ends the part of each one that may come next."""

    def values(self, trunk: PublicTree, reach: Pair, player: int) -> LeafArrays:
        """What the network says for this reach; see :class:`errai.engine.leaf_values.LeafValues`."""
        return [a.copy() for a in self._ask(trunk, reach).values[player]]

    def learn(self, trunk: PublicTree, half: HalfIteration) -> LeafArrays:
        """The same, or what was said in an earlier iteration; see ``every``."""
        iteration = half.learnt[half.player]
        known = self._learnt if self.trunk is trunk else None
        if known is None or self.every == 0 or not 0 <= iteration - self._learnt_in < self.every:
            again = known is not None and self.parts > 1 and self.every > 0
            known = self._ask_about_a_part(trunk, half.reach) if again else self._ask(trunk, half.reach)
            self._learnt = known
            self._learnt_in = iteration
        return known.values[half.player]

    def measure(self, trunk: PublicTree, reach: Pair, *, exact: bool = True) -> LeafMeasurement:
        """What the network says for the reach of the measured strategy; nobody responds below the leaves."""
        found = self._ask(trunk, reach).values
        return LeafMeasurement(found, found, self.zero_sum)

    def _ask(self, trunk: PublicTree, reach: Pair) -> _Said:
        """What is said of both players; none are counted twice in a row."""
        self._see(trunk)
        last = [array[-1] for array in reach]
        if self._latest is not None and all(map(np.array_equal, self._latest.reach, last)):
            return self._latest
        self.asked += 1.0
        answers: list[list[Answer]] = [[] for _ in self.boards]
        self._latest = self._say(trunk, reach, answers, [[]] * len(self.boards))
        return self._latest

    def _ask_about_a_part(self, trunk: PublicTree, reach: Pair) -> _Said:
        """What is said of the boards whose turn it is, and was said of the others."""
        assert self._learnt is not None
        self._part = (self._part + 1) % self.parts
        which = [np.flatnonzero(part == self._part).tolist() for part in self._part_of]
        self.asked += sum(map(len, which)) / sum(map(len, self._part_of))
        return self._say(trunk, reach, [list(answers) for answers in self._learnt.answers], which)

    def _say(self, trunk: PublicTree, reach: Pair, answers: list[list[Answer]], which: list[list[int]]) -> _Said:
        """Ask about some of the boards that may come next after each one, or all of those without answers."""
        last = [array[-1] for array in reach]
        found = [np.zeros_like(array) for array in last]
        lines = trunk.arrays.streets[-1].num_leaves
        for board, said, some in zip(self.boards, answers, which, strict=True):
            blocks = [
                a[lines * s.start : lines * s.stop].reshape(lines, -1) for a, s in zip(last, board.classes, strict=True)
            ]
            values = board.values(blocks, said, some, self.threads)
            for into, part, one in zip(found, board.classes, values, strict=True):
                into[lines * part.start : lines * part.stop] = one.ravel()
        both = tuple([*(np.zeros_like(a) for a in reach[p][:-1]), found[p]] for p in (0, 1))
        return _Said([array.copy() for array in last], (both[0], both[1]), answers)

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
        # Boards stand in the order of their cards: mixed, each part has cards of all kinds.
        mixed = np.random.default_rng(0)
        self._part_of = [mixed.permutation(len(board.next)) % self.parts for board in self.boards]
        self.trunk, self._latest, self._learnt, self._part = trunk, None, None, 0

    def _following(
        self, cards: NDArray[np.int64], union: NDArray[np.int64], weights: NDArray[np.float64]
    ) -> list[NextBoard]:
        """The boards that may come next; what a network prepares for a board takes longer than to ask it."""
        threads = default_threads() if self.threads is None else self.threads
        with mapping(threads) as each:
            return list(
                each(
                    lambda board, weight: NextBoard.of(self.net, tuple(board), union, weight),
                    cards.tolist(),
                    weights.tolist(),
                )
            )


def leaf_values_of(net: ValueNet, *, averaged: bool = False, threads: int | None = None) -> NetLeafValues:
    """A network below a tree; ``averaged`` measures with what it said in the mean of the iterations."""
    if not averaged:
        return NetLeafValues(net, threads=threads)
    from errai.nets.below.averages import AveragedLeafValues

    return AveragedLeafValues(net, threads=threads, on_boards=False)


class NetLeaves:
    """A network below lookaheads that are cut, and on new streets; a :class:`errai.resolving.below.Below`.

    Parameters
    ----------
    nets:
        One for each round before which lookaheads are cut or values are asked for.
    otherwise:
        Who is asked about rounds that no network is for; by default nobody.
    every, parts, threads:
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
        parts: int = PARTS,
        threads: int | None = None,
        averaged: bool = False,
    ) -> None:
        given = list(nets) if isinstance(nets, Sequence) else [nets]
        self.nets = {net.round: net for net in given}
        if len(self.nets) < len(given) or not given:
            raise InputError("Give at least one network, and one for a round.")
        self.otherwise = otherwise
        self.every = every
        self.parts = parts
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
                return NetLeafValues(net, every=self.every, parts=self.parts, threads=self.threads)
            from errai.nets.below.averages import AveragedLeafValues

            for earlier in self._made:
                earlier.finish()
            while len(self._made) > 1 and sum(earlier.bytes for earlier in self._made) > REMEMBERED_BYTES:
                self._made.popleft()
            made = AveragedLeafValues(net, every=self.every, parts=self.parts, threads=self.threads)
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
