"""What a responder wins against any strategy: below one board of the second street, and then on the first street.

The walk below a board goes street by street and piece by piece.  Before the last street it takes one board at a time:
it queries the strategy there, passes the opponent's reach at the leaves down to the boards below, and receives their
values back as the values of the leaves.  On the last street one call of the kernel takes many boards.  Thus only a few
million strategy entries are in memory at a time.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from errai.cards.hands import hand_index
from errai.errors import StoppedError, SuitsError
from errai.games.game import Subject
from errai.games.sizing import BetMenu
from errai.kernels.backends import make_kernel
from errai.kernels.layout import BEST, LEAF
from errai.responses.pieces import Boards, Choices, Piece, decisions_of, raise_values, tree_on
from errai.running.stopping import StopToken, stops
from errai.strategies.blind import BlindStrategy
from errai.strategies.strategy import BatchedStrategy, Deals, Decision, checked_rows, says
from errai.tree.betting_tree import BettingTree
from errai.tree.deal_root import DealRoot
from errai.tree.public_tree import PublicTree, plan_public_tree
from errai.tree.street_lines import street_lines

ENTRIES_IN_MEMORY = 2_000_000
"""Strategy entries queried at a time on the last street; more would not stay in the caches until they are read."""


@dataclass(eq=False)
class Trunk:
    """The first street of a game, and one strategy on it."""

    tree: PublicTree
    """That of the first street alone."""
    betting: BettingTree
    """That of all streets."""
    strategy: BatchedStrategy
    """The opponent's."""
    suits: SuitCheck | None = None
    """Checks that the strategy is symmetric in the suits; None for no check."""

    def __post_init__(self) -> None:
        self.lines = street_lines(self.betting, [0], cut=True)
        self.decisions = decisions_of(self.betting, self.lines)
        self.boards = Boards.of(0, self.tree.deal.streets[0], self.tree.root.hands.astype(np.uint8))
        arrays = tree_on(self.lines, self.boards.hands, self.tree.root.deck.num_cards, self.tree.arrays.root_reach)
        kernel = make_kernel("cpu", arrays)
        profile = []
        for p, decisions in enumerate(self.decisions):
            rows = np.zeros((self.lines.num_rows[p], self.boards.size(p)))
            if decisions:
                deals = self.boards.deals(p)
                rows[...] = answer = checked_rows(self.strategy, decisions, deals)
                if self.suits is not None:
                    for _ in self.suits.root.symmetries[1:]:
                        self.suits.look(self.strategy, decisions, deals, answer)
            profile.append(rows.ravel())
        leaves = kernel.leaf_reach([profile], tied=False)
        self.leaf_reach = tuple(leaves[p][0].reshape(self.lines.num_leaves, self.boards.size(p)) for p in (0, 1))
        """float64[leaves, S_p] for both players: the reach of a player who follows the strategy."""
        self._terminals = [
            kernel.board_values([profile], p, 0, 0, arrays.root_reach[1 - p].reshape(1, -1)) for p in (0, 1)
        ]

    def respond(
        self, player: int, leaf_values: NDArray[np.float64], choices: Choices | None = None
    ) -> tuple[float, Choices]:
        """Return a player's net chips per hand and choices: those that are given, by default those of a best response.

        ``leaf_values``, float64[leaves, S], are the values of what follows.
        """
        choices, values = {} if choices is None else choices, self._terminals[player].copy()
        values[self.lines.kind == LEAF] = leaf_values
        return self.tree.chips(raise_values(self.lines, values, player, choices)[0], player), choices


@dataclass(eq=False)
class GeneralWalk:
    """Computes the best response to one strategy from one seat."""

    strategy: BatchedStrategy
    """The opponent's."""
    player: int
    """The responder."""
    piece: Piece
    """The betting of the second street, all entries, with the pieces below; see :func:`errai.responses.pieces.cut`."""
    num_cards: int
    suits: SuitCheck | None = None
    """Checks, once for each piece of a unit, that the strategy is symmetric in the suits; None for no check."""
    stop: StopToken | None = None
    """Checked before every board; if it is set, :class:`StoppedError` is raised."""
    states: int = 0
    """Public states of the last unit at which the strategy was queried."""
    _blind: dict[int, NDArray[np.floating]] = field(default_factory=dict)
    _seen: set[int] = field(default_factory=set)
    _compared: set[int] = field(default_factory=set)

    def unit(self, streets: Sequence[Boards], entering: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return float64[entries, S]: the responder's values at the entries of a unit.

        ``entering``, float64[entries, S_opponent], is the opponent's reach; ``streets`` are the unit's boards.
        """
        self._compared.clear()
        self.states = 0
        return self._values(self.piece, streets, streets[0], entering)

    def _values(
        self, piece: Piece, streets: Sequence[Boards], boards: Boards, entering: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """Return the values at the entries of any piece, on some boards of its street."""
        result = np.zeros((piece.lines.num_entries, boards.size(self.player)))
        mine, theirs = boards.hands[self.player].start, boards.hands[1 - self.player].start
        room = ENTRIES_IN_MEMORY // max(piece.lines.num_rows[1 - self.player], 1)
        first = 0
        while first < boards.num_boards:
            if stops(self.stop):
                raise StoppedError("The best response was stopped in the middle of a board.")
            last = first + 1
            if not piece.lines.num_leaves:  # On the last street one call of the kernel takes many boards.
                last = max(int(np.searchsorted(theirs, theirs[first] + room, side="right")) - 1, last)
            brought = entering[:, theirs[first] : theirs[last]]
            if brought.any():
                result[:, mine[first] : mine[last]] = self._solve(piece, streets, boards.select(first, last), brought)
            first = last
        return result

    def _solve(
        self, piece: Piece, streets: Sequence[Boards], boards: Boards, entering: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        lines, me, other = piece.lines, self.player, 1 - self.player
        reach = [np.ones(lines.num_entries * boards.size(p)) for p in (0, 1)]
        reach[other] = blocks_of(entering, boards.hands[other].start)
        kernel = make_kernel("cpu", tree_on(lines, boards.hands, self.num_cards, (reach[0], reach[1])))
        strategy = self._strategy(piece, boards)
        leaf_values = None
        if lines.num_leaves:
            leaving = kernel.leaf_reach([strategy], tied=False)[other][0].reshape(lines.num_leaves, -1)
            below = streets[boards.street].select(int(boards.child_start[0]), int(boards.child_start[-1]))
            result = np.zeros((len(leaving), boards.size(me)))
            for leaves, next_piece in piece.below:
                if leaving[leaves].any():
                    brought = leaving[leaves][:, below.hands[other].parent]
                    found = self._values(next_piece, streets, below, brought)
                    result[leaves] = below.up(me, boards.size(me), found)
            leaf_values = [result.ravel()]
        values = kernel.root_values([strategy], me, role=BEST, leaf_values=leaf_values)
        start = boards.hands[me].start * lines.num_entries
        blocks = [values[a:b].reshape(lines.num_entries, -1) for a, b in pairwise(start.tolist())]
        return blocks[0] if len(blocks) == 1 else np.concatenate(blocks, axis=1)

    def _strategy(self, piece: Piece, boards: Boards) -> list[NDArray[Any]]:
        """Return the opponent's probabilities as the kernels take them; the responder's are never read."""
        other, rows = 1 - self.player, piece.lines.num_rows
        decisions, start = piece.decisions[other], boards.hands[other].start
        self.states += boards.num_boards * len(decisions)
        result = [np.zeros(rows[p] * boards.size(p)) for p in (0, 1)]
        for b in range(boards.num_boards if decisions else 0):
            answer = self._answer(piece, boards.deals(other, b))
            if b == 0:
                # Zero pages that are neither written nor read take no physical memory.
                result = [np.zeros(len(numbers), answer.dtype) for numbers in result]
            block = slice(rows[other] * int(start[b]), rows[other] * int(start[b + 1]))
            result[other][block].reshape(rows[other], -1)[...] = answer
        return result

    def _answer(self, piece: Piece, deals: Deals) -> NDArray[np.floating]:
        """Return the strategy on some boards; a strategy that ignores its cards is queried once for each piece."""
        if id(piece) in self._blind:
            return self._blind[id(piece)]
        decisions = piece.decisions[1 - self.player]
        # Sums are checked once for each piece, because adding up takes as long as the query.
        answer = checked_rows(self.strategy, decisions, deals, sums=id(piece) not in self._seen)
        self._seen.add(id(piece))
        if self.suits is not None and id(piece) not in self._compared:
            self.suits.look(self.strategy, decisions, deals, answer)
            self._compared.add(id(piece))
        if isinstance(self.strategy, BlindStrategy):
            self._blind[id(piece)] = answer
        return answer


def blocks_of(rows: NDArray[Any], start: NDArray[np.int64]) -> NDArray[Any]:
    """Lay out rows [E, S] as the kernels take them: for each board a block [E, H_b], flattened."""
    if len(start) == 2:
        return np.ascontiguousarray(rows).ravel()
    return np.concatenate([rows[:, a:b].ravel() for a, b in pairwise(start.tolist())])


FEW_ENTRIES = 10_000_000
"""Up to this number of strategy entries, suits not merged, an unknown strategy is queried for all of them."""

SAME = 1e-6
"""Probabilities that differ by at most this count as equal."""


def merges_suits(
    strategy: BatchedStrategy, subject: Subject, menu: BetMenu | None = None, told: bool | None = None
) -> tuple[bool, bool]:
    """Return whether to query a strategy up to suits, and whether to check now and then that this is right.

    A strategy is queried up to suits if it is known to be symmetric or if the caller says so; also in games that are
    too large for anything else, where :class:`SuitCheck` has to check it.
    """
    if told is not None:
        return told, False
    if says(strategy, "suits_alike"):
        return True, False
    large = plan_public_tree(subject, menu=menu, isomorphism=False).entries > FEW_ENTRIES
    return large, large


class SuitCheck:
    """Repeats a query now and then with the suits renamed, and compares the answers.

    A walk up to suits queries one of all boards and hands that a renaming of the suits turns into each other, and uses
    the answer for all of them, which is right only for a strategy that is symmetric in the suits.  Every call uses the
    next of the renamings that the rules allow.  A strategy that is asymmetric almost everywhere is detected at once;
    one that is asymmetric on a few boards may be missed.
    """

    def __init__(self, root: DealRoot) -> None:
        self.root = root
        self._next = 0

    def look(
        self, strategy: BatchedStrategy, decisions: Sequence[Decision], deals: Deals, answer: NDArray[np.floating]
    ) -> None:
        """Compare the answer for a board with that for a renamed one.  Raises :class:`SuitsError` if they differ."""
        if len(self.root.symmetries) < 2:
            return
        self._next = self._next % (len(self.root.symmetries) - 1) + 1
        renamed = self.root.symmetries[self._next]
        cards = np.sort(renamed[deals.cards.astype(np.int64)], axis=1)
        board, dealt = renamed[deals.boards[0].astype(np.int64)], len(self.root.board)
        board[:dealt].sort()
        for count in self.root.new_cards[: deals.street]:
            board[dealt : dealt + count].sort()
            dealt += count
        image = Deals(
            deals.street,
            board[None, :].astype(np.int8),
            deals.start,
            hand_index(cards).astype(np.int32),
            cards.astype(np.uint8),
        )
        again = np.asarray(strategy.rows(decisions, image))
        if not np.abs(again - answer).max(initial=0.0) <= SAME:
            text = self.root.deck.cards_text
            on = f" on {text(deals.boards[0])} and on {text(board)}" if len(board) else ""
            raise SuitsError(
                f"'{strategy.description}' is not symmetric in the suits: it plays the same hands differently"
                f"{on} after the suits were renamed. Use suits_alike=False (--suits apart), which queries every board "
                "and hand and takes up to 24 times as long with four suits."
            )
