"""A network at the leaves of a tree that is cut where a street ends.

Each leaf is a line of bets on a board, and every board that may come next is a position of the network.  In each
iteration both ranges are masked with the next cards and scaled to sum to 1, and the network evaluates all lines on that
board in one batch.  Its output is multiplied by the other player's reach and by the pot, and averaged over the boards.
Two hands leave 45 of hold'em's 52 cards for the turn and 44 for the river, so the sum over all 49 or 48 boards is
divided by these numbers: each pair of hands meets on that many boards.

Boards that are the same up to a renaming of suits, given the ranges, are evaluated once.  All-in lines need no network:
their equities are counted over all boards (:mod:`errai.nets.networks.matchups`).

A network's output is a function of the ranges alone, so the certificate is that of the cut game: it states how well the
trunk is solved for these values, but not how accurate the values are.  :mod:`errai.nets.quality.cost` measures that.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import comb
from typing import Any

import numpy as np
from numpy.typing import NDArray

from errai.engine.leaf_values import HalfIteration, LeafHistory, LeafMeasurement, LeafValues, Pair
from errai.engine.resources import default_threads
from errai.errors import InputError, StoppedError
from errai.games.game import Game
from errai.kernels.layout import LEAF
from errai.kernels.protocol import LeafArrays
from errai.nets.below.leaf_boards import Answer, LastBoard, Members, NextBoard, mapping
from errai.nets.networks.classes import class_matchups, values_on_classes
from errai.nets.networks.matchups import Matchups, matchups
from errai.nets.positions import BoardValues, Predictor, check_has_networks, checked_net, values_on
from errai.own_code import is_users
from errai.running.recent import Recent
from errai.running.stopping import StopToken, stops
from errai.tree.deal_tree import deal_boards
from errai.tree.public_tree import PublicTree

EVERY = 1
"""Iterations between evaluations of a network, by default."""

PARTS = 2
"""Number of parts into which boards are divided, by default."""

ALL_FLOPS = "This takes several minutes, 2 GB of memory and 5 GB of temporary files."
"""What a network needs that estimates all flops."""

ALL_FLOPS_BYTES = 2 * 10**9

LEAST_WEIGHT = 1e-6
"""Evaluations that count less than this in the means of both players are left out of a solution's history."""


def depth_of(net: Predictor) -> int:
    """Return the round after which a tree is cut over a network.

    A network of round 0 is an auxiliary one: it gives values at the end of the first round, before cards are dealt, and
    has the mean over these cards in it.
    """
    return max(net.round - 1, 0)


class Recorder:
    """Records the reach for which a network is evaluated in each iteration, so that its means can be computed again.

    What the opponent is held to on a new street is the mean of the network's outputs over the iterations of the
    lookahead before it (:mod:`errai.nets.below.averages`).  Before the flop that would be 1,755 flops times the lines
    that reach them, so a saved solution of the first street has the ranges of its iterations instead, a few hundred
    numbers for each line and iteration, and the network is evaluated for all of them on the one flop that is dealt.
    """

    def __init__(self) -> None:
        self._trunk: PublicTree | None = None
        self._reach: list[list[NDArray[np.float32]]] = []
        self._weights: list[NDArray[np.float64]] = []
        self._latest: list[NDArray[np.float64]] | None = None
        self._whole = False

    def add(self, trunk: PublicTree, reach: list[NDArray[np.float64]], half: HalfIteration) -> None:
        """Add one player's half of an iteration, whose values were those for ``reach``."""
        if trunk is not self._trunk:
            one_board = trunk.betting.num_streets == 1 and len(trunk.deal.streets[0].boards) == 1
            self._trunk, self._reach, self._weights, self._latest = trunk, [], [], None
            self._whole = one_board and half.learnt == (0, 0)
        if not self._whole:
            return
        if reach is not self._latest:
            leaves = trunk.arrays.streets[0].num_leaves
            self._latest = reach
            self._reach.append([array.reshape(leaves, -1).astype(np.float32) for array in reach])
            self._weights.append(np.zeros(2))
        for weights in self._weights:
            weights[half.player] *= half.kept
        self._weights[-1][half.player] += half.weight

    def found(self) -> LeafHistory | None:
        """All evaluations that count; None if there were others, or if the trunk has several boards."""
        weights = np.array(self._weights).reshape(-1, 2)
        if not self._whole or not (weights.sum(axis=0) > 0.0).all():
            return None
        weights /= weights.sum(axis=0)
        counts = np.flatnonzero(weights.max(axis=1) > LEAST_WEIGHT)
        first, second = (np.stack([self._reach[e][p] for e in counts]) for p in (0, 1))
        return LeafHistory((first, second), weights[counts] / weights[counts].sum(axis=0))


@dataclass(eq=False)
class PreparedBoard:
    """What is computed once of a board on which a street ends, whatever the lines; it takes far longer than a query."""

    game: Game
    board: tuple[int, ...]
    hands: NDArray[np.int64]
    """int64[U]: the hands of either player."""
    next: dict[tuple[int, ...], BoardValues] = field(default_factory=dict)
    """The network on boards that may come next."""
    complete: bool = False
    """Whether nothing was missing for the tree that ended here last."""

    @cached_property
    def shown(self) -> Matchups:
        """The hands' results if there is no more betting."""
        return matchups(self.game, self.board, self.hands)


PreparedBoards = Recent[tuple[int, tuple[int, ...], bytes], PreparedBoard]
"""By the network's round, the board, and the hands."""


@dataclass(frozen=True, eq=False)
class _Said:
    """The network's values at all leaves."""

    reach: list[NDArray[np.float64]]
    """The reach of both players at the leaves when the network was evaluated."""
    values: Pair
    answers: list[list[Answer]]
    """The answers on the boards that may come next, for each board on which the trunk ends."""


class NetLeafValues(LeafValues):
    """A network's values at the leaves of a tree; no strategy is learnt after the leaves.

    Parameters
    ----------
    net:
        The network; its round is the one after the round at whose end the tree is cut, or 0 for an auxiliary network
        (:func:`depth_of`).
    every:
        The number of iterations from one evaluation to the next, for both players; in between the values stay.  With
        alternating updates the second player learns from values for the first player's reach before that player's
        update; 0 evaluates separately for each player, on all boards.
    parts:
        Boards that may come next are divided into this many parts, which are evaluated in turn; the values on the other
        boards stay.  On the flop of ``examples`` the network ``turn`` reaches .3 % of the pot after work equal to 24.5
        evaluations of all boards with 2 parts, 28 with 3, 23 with 4 and 21 with 6, and after 35 if all boards are
        evaluated in every second iteration.
    threads:
        How many boards are evaluated at once; by default one for each processor, or, for NumPy networks with few hands,
        one.
    prepared:
        Where what is prepared of boards is kept for other trees that end on the same board; by default it is not kept.

    Raises
    ------
    InputError
        Raised by :meth:`values` and the others: the tree is cut elsewhere, its game is not a no-limit game, or its pot
        is raked.
    """

    zero_sum = False
    # A network is evaluated in float32, and the order of its sums differs from one instruction set to another.
    rounding = 1e-4

    def __init__(
        self,
        net: Predictor,
        *,
        every: int = EVERY,
        parts: int = PARTS,
        threads: int | None = None,
        prepared: PreparedBoards | None = None,
    ) -> None:
        if every < 0 or parts < 1 or (threads is not None and threads < 1):
            raise InputError(
                f"every must be at least 0, and parts and threads at least 1; they are {every}, {parts} and {threads}."
            )
        self.net = net = checked_net(net)
        self.every, self.parts, self.threads = every, parts, threads
        self.name, self.digest = net.name, net.digest
        self.depth = depth_of(net)
        self.asked = 0.0
        """The number of evaluations of all leaves."""
        self.trunk: PublicTree | None = None
        self.boards: list[LastBoard] = []
        self.preparing: Callable[[int, int], None] | None = None
        """Called with the number of boards that have been prepared and of all that follow a board."""
        self.stop: StopToken | None = None
        """Ends the preparation of boards with a :class:`~errai.errors.StoppedError`; what has been prepared is kept."""
        self._prepared = prepared
        self._latest: _Said | None = None
        self._learnt: _Said | None = None
        self._learnt_in = 0
        self._recorder = Recorder()
        self._part = 0
        self._in_parts: list[list[list[int]]] = []
        """For each part, the next boards that belong to it, by board on which the trunk ends."""

    @property
    def repeats(self) -> bool:
        return not is_users(self.net)

    def values(self, trunk: PublicTree, reach: Pair, player: int) -> LeafArrays:
        """Return the network's values for this reach; see :class:`errai.engine.leaf_values.LeafValues`."""
        return [a.copy() for a in self._ask(trunk, reach).values[player]]

    def learn(self, trunk: PublicTree, half: HalfIteration) -> LeafArrays:
        """Return the same, or the values of an earlier iteration; see ``every``."""
        iteration = half.learnt[half.player]
        known = self._learnt if self.trunk is trunk else None
        if known is None or self.every == 0 or not 0 <= iteration - self._learnt_in < self.every:
            if known is None or len(self._in_parts) == 1 or self.every == 0:
                known = self._ask(trunk, half.reach)
            else:
                # New values on the boards of the current part, and the earlier values on the others.
                self._part = (self._part + 1) % len(self._in_parts)
                which = self._in_parts[self._part]
                self.asked += sum(map(len, which)) / sum(len(board.next) for board in self.boards)
                known = self._say(trunk, half.reach, [list(answers) for answers in known.answers], which)
            self._learnt = known
            self._learnt_in = iteration
        if self.keeps_history:
            self._recorder.add(trunk, known.reach, half)
        return known.values[half.player]

    @property
    def history(self) -> LeafHistory | None:
        """See :class:`errai.engine.leaf_values.LeafValues`; trees of more than one board have none."""
        return self._recorder.found() if self.keeps_history else None

    def measure(self, trunk: PublicTree, reach: Pair, *, exact: bool = True) -> LeafMeasurement:
        """Return the network's values for the reach of the measured strategy; no player responds after the leaves."""
        if not self.repeats:
            self._latest = None  # The network is asked anew, which shows whether it repeats its answer.
        found = self._ask(trunk, reach).values
        return LeafMeasurement(found, found, self.zero_sum)

    def asked_for(self) -> list[tuple[LastBoard, NDArray[np.float64]]]:
        """Return the boards on which the trunk ends, with the ranges for which the network was evaluated last.

        These are as :meth:`LastBoard.ranges` gives them, in the latest iteration.  Without one the list is empty.
        """
        known = self._learnt
        return [] if known is None else list(self._with_ranges(known.reach))

    def _with_ranges(self, last: list[NDArray[np.float64]]) -> Iterator[tuple[LastBoard, NDArray[np.float64]]]:
        assert self.trunk is not None
        lines = self.trunk.arrays.streets[-1].num_leaves
        for board in self.boards:
            both = zip(last, board.classes, strict=True)
            yield board, board.ranges([a[lines * s.start : lines * s.stop].reshape(lines, -1) for a, s in both])

    def is_prepared(self, board: tuple[int, ...]) -> bool:
        """Whether what is computed once for trees that end on a board is kept from an earlier one."""
        if self._prepared is None:
            return False
        kept = map(self._prepared.get, self._prepared.keys())
        return any(one is not None and one.complete and one.board == tuple(sorted(board)) for one in kept)

    def boards_after(self, trunk: PublicTree) -> list[LastBoard]:
        """Return the boards on which a trunk ends, with all boards that may follow each."""
        self._see(trunk)
        return self.boards

    def _ask(self, trunk: PublicTree, reach: Pair) -> _Said:
        """Return the network's values for both players; no part is evaluated twice in a row."""
        self._see(trunk)
        last = [array[-1] for array in reach]
        if self._latest is not None and all(map(np.array_equal, self._latest.reach, last)):
            return self._latest
        self.asked += 1.0
        answers: list[list[Answer]] = [[] for _ in self.boards]
        self._latest = self._say(trunk, reach, answers, [[]] * len(self.boards))
        return self._latest

    def _say(self, trunk: PublicTree, reach: Pair, answers: list[list[Answer]], which: list[list[int]]) -> _Said:
        """Evaluate the network on some of the next boards of each board, or on all where there are no answers yet."""
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
        game, net = trunk.subject.rules, self.net
        if trunk.depth != self.depth:
            what = f"beginning of round {net.round}" if net.round else "end of round 0"
            raise InputError(
                f"The network {net.name} gives values at the {what}, counted from 0, so cut the tree after round "
                f"{self.depth}, not {trunk.depth}."
            )
        betting, edge = trunk.betting, len(trunk.deal.streets) - 1
        check_has_networks(game, raked=betting.rake_chips is not None)
        street = np.asarray(betting.street_nodes(edge))
        nodes = street[betting.kind[street] == LEAF]
        stakes = betting.contributions[nodes, 0]
        lines = tuple(" ".join(betting.path(int(node))) for node in nodes)
        stacks = betting.left_to_bet(nodes, trunk.subject.dead_chips)
        first = game.first_player[depth_of(net) + 1]
        common: dict[str, Any] = {
            "seats": (first, 1 - first),
            "pots": 2.0 * stakes,
            "stacks": stacks,
            "lines": lines,
            "net": net.name,
            "game": game,
        }
        if not net.round:
            self.boards = [self._before_cards(trunk, common)]
        else:
            self.boards = self._with_cards(trunk, common)
        # Boards are sorted by their cards.  A random order puts cards of all kinds into each part.
        mixed, parts = np.random.default_rng(0), self._parts_for(int((stacks > 0.0).sum()))
        part_of = [mixed.permutation(len(board.next)) % parts for board in self.boards]
        self._in_parts = [[np.flatnonzero(of == part).tolist() for of in part_of] for part in range(parts)]
        self.trunk, self._latest, self._learnt, self._part = trunk, None, None, 0

    def _parts_for(self, lines: int) -> int:
        """Return the number of parts for a trunk with so many lines that are not all-in."""
        return self.parts

    def _before_cards(self, trunk: PublicTree, common: dict[str, Any]) -> LastBoard:
        """Return the end of the first street over an auxiliary network, for classes of hands in place of hands."""
        game = trunk.subject.rules
        classes = class_matchups(game)
        members = [Members.on(hands, 0).of_classes(classes.class_of) for hands in trunk.deal.streets[0].hands]
        places = np.arange(len(classes.fits), dtype=np.int32)
        return LastBoard(
            hands=len(places),
            classes=(members[0].classes, members[1].classes),
            members=(members[0], members[1]),
            shown=classes.by_class(),
            next=[NextBoard((), values_on_classes(self.net, game), places, 1.0)],
            sizes=classes.sizes,
            **common,
        )

    def _with_cards(self, trunk: PublicTree, common: dict[str, Any]) -> list[LastBoard]:
        """Return the boards on which a trunk ends, with the boards that may follow."""
        edge, game, round_index = len(trunk.deal.streets) - 1, trunk.subject.rules, self.net.round
        new = game.num_board_cards[round_index]
        below = deal_boards(replace(trunk.root, new_cards=(*trunk.root.new_cards, new)), edge + 1)
        level = trunk.deal.streets[edge]
        left = game.deck.num_cards - level.boards.shape[1] - 2 * game.num_hole_cards
        weights = below.multiplicity / level.multiplicity[below.parent] / comb(left, new)
        found = []
        for b, cards in enumerate(level.boards.tolist()):
            members = [Members.on(hands, b) for hands in level.hands]
            union = np.union1d(members[0].hands, members[1].hands)
            following = np.flatnonzero(below.parent == b)
            known = self._kept(tuple(sorted(cards)), union, game)
            found.append(
                LastBoard(
                    hands=len(union),
                    classes=(members[0].classes, members[1].classes),
                    members=(members[0].among(union), members[1].among(union)),
                    shown=known.shown if (common["stacks"] <= 0.0).any() else None,
                    next=self._following(known, below.cards[following], weights[following]),
                    **common,
                )
            )
        return found

    def _kept(self, board: tuple[int, ...], union: NDArray[np.int64], game: Game) -> PreparedBoard:
        """Return what is kept of a board, which may be nothing yet."""

        def nothing() -> PreparedBoard:
            return PreparedBoard(game, board, union)

        if self._prepared is None:
            return nothing()
        return self._prepared.get_or_make((self.net.round, board, union.tobytes()), nothing)

    def _following(
        self, known: PreparedBoard, cards: NDArray[np.int64], weights: NDArray[np.float64]
    ) -> list[NextBoard]:
        """Return the boards that may come next; preparing a board takes longer than evaluating the network on it."""
        game, union, following = known.game, known.hands, [tuple(after) for after in cards.tolist()]

        def on(after: tuple[int, ...]) -> BoardValues:
            if stops(self.stop):
                raise StoppedError(f"The time was over before the network {self.net.name} had been prepared.")
            return values_on(self.net, after, game.deck, game.num_hole_cards, union)

        missing = [after for after in following if after not in known.next]
        known.complete = not missing
        with mapping(default_threads() if self.threads is None else self.threads) as each:
            for after, said in zip(missing, each(on, missing), strict=True):
                known.next[after] = said
                if self.preparing is not None:
                    self.preparing(len(known.next), len(following))
        known.complete = True
        found = []
        for after, weight in zip(following, weights.tolist(), strict=True):
            said = known.next[after]
            places = np.searchsorted(union, said.hands).astype(np.int32)
            found.append(NextBoard(tuple(sorted(after)), said, places, weight))
        return found
