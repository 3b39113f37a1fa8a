"""What a responder wins below one board of the second street, against any strategy.

The walk goes street by street and piece by piece.  Before the last street it takes one board at a time: it queries the
strategy there, passes the opponent's reach at the leaves down to the boards below, and receives their values back as
the values of the leaves.  On the last street one call of the kernel takes many boards.  Thus only a few million
strategy entries are in memory at a time.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from errai.errors import StoppedError
from errai.kernels.backends import make_kernel
from errai.kernels.layout import BEST
from errai.responses.boards import Boards
from errai.responses.lines import Piece, tree_on
from errai.responses.suits import SuitCheck
from errai.running.stopping import StopToken, stops
from errai.strategies.blind import BlindStrategy
from errai.strategies.strategy import BatchedStrategy, Deals, checked_rows

ENTRIES_IN_MEMORY = 2_000_000
"""Strategy entries queried at a time on the last street; more would not stay in the caches until they are read."""


class GeneralWalk:
    """Computes the best response to one strategy from one seat.

    Parameters
    ----------
    strategy:
        The opponent's strategy.
    player:
        The responder.
    piece:
        The betting of the second street, all entries, with the pieces below; see :func:`errai.responses.lines.cut`.
    num_cards:
        Cards of the deck.
    suits:
        Checks, once for each piece of a unit, that the strategy is symmetric in the suits; None for no check.
    stop:
        Checked before every board; if it is set, :class:`StoppedError` is raised.
    """

    def __init__(
        self,
        strategy: BatchedStrategy,
        player: int,
        piece: Piece,
        num_cards: int,
        *,
        suits: SuitCheck | None = None,
        stop: StopToken | None = None,
    ) -> None:
        self.strategy = strategy
        self.player = player
        self.piece = piece
        self.num_cards = num_cards
        self.stop = stop
        self.states = 0
        """Public states at which the strategy was queried."""
        self._blind: dict[int, NDArray[np.floating]] = {}
        self._seen: set[int] = set()
        self._suits = suits
        self._compared: set[int] = set()

    def unit(self, streets: Sequence[Boards], entering: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return float64[entries, S]: the responder's values at the entries of a unit.

        ``entering``, float64[entries, S_opponent], is the opponent's reach; ``streets`` are the unit's boards.
        """
        self._compared.clear()
        return self._values(self.piece, streets, streets[0], entering)

    def _values(
        self, piece: Piece, streets: Sequence[Boards], boards: Boards, entering: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """Return the values at the entries of any piece, on some boards of its street."""
        me, other = self.player, 1 - self.player
        result = np.zeros((piece.lines.num_entries, boards.size(me)))
        mine, theirs = boards.hands[me].start, boards.hands[other].start
        first = 0
        while first < boards.num_boards:
            if stops(self.stop):
                raise StoppedError("The best response was stopped in the middle of a board.")
            last = first + 1 if piece.lines.num_leaves else self._room(piece, boards, first)
            brought = entering[:, theirs[first] : theirs[last]]
            if brought.any():
                result[:, mine[first] : mine[last]] = self._solve(piece, streets, boards.select(first, last), brought)
            first = last
        return result

    def _room(self, piece: Piece, boards: Boards, first: int) -> int:
        """Return the end of the boards of the last street, from ``first``, that go into one call of the kernel."""
        start = boards.hands[1 - self.player].start
        rows = max(piece.lines.num_rows[1 - self.player], 1)
        last = int(np.searchsorted(start, start[first] + ENTRIES_IN_MEMORY // rows, side="right")) - 1
        return min(max(last, first + 1), boards.num_boards)

    def _solve(
        self, piece: Piece, streets: Sequence[Boards], boards: Boards, entering: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        lines, me = piece.lines, self.player
        reach = [np.ones(lines.num_entries * boards.size(p)) for p in (0, 1)]
        reach[1 - me] = blocks_of(entering, boards.hands[1 - me].start)
        kernel = make_kernel("cpu", tree_on(lines, boards.hands, self.num_cards, (reach[0], reach[1])))
        strategy = self._strategy(piece, boards)
        leaf_values = None
        if lines.num_leaves:
            leaving = kernel.leaf_reach([strategy], tied=False)[1 - me][0].reshape(lines.num_leaves, -1)
            leaf_values = [self._leaf_values(piece, streets, boards, leaving).ravel()]
        values = kernel.root_values([strategy], me, role=BEST, leaf_values=leaf_values)
        return rows_of(values, lines.num_entries, boards.hands[me].start)

    def _leaf_values(
        self, piece: Piece, streets: Sequence[Boards], boards: Boards, leaving: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """Return float64[leaves, S]: the values of a piece's leaves on one board."""
        me, other = self.player, 1 - self.player
        below = streets[boards.street].select(int(boards.child_start[0]), int(boards.child_start[-1]))
        collector = below.collector(me, boards.size(me))
        result = np.zeros((len(leaving), boards.size(me)))
        for leaves, next_piece in piece.below:
            if leaving[leaves].any():
                entering = leaving[leaves][:, below.hands[other].parent]
                values = self._values(next_piece, streets, below, entering)
                result[leaves] = (collector @ np.ascontiguousarray(values.T)).T
        return result

    def _strategy(self, piece: Piece, boards: Boards) -> list[NDArray[Any]]:
        """Return the opponent's probabilities as the kernels take them; the responder's are never read."""
        lines, me = piece.lines, self.player
        sizes = [lines.num_rows[p] * boards.size(p) for p in (0, 1)]
        decisions = piece.decisions[1 - me]
        if not decisions:
            return [np.zeros(size) for size in sizes]
        self.states += boards.num_boards * len(decisions)
        deals, rows = boards.deals(1 - me), lines.num_rows[1 - me]
        asked: NDArray[Any] = np.zeros(0)
        for b in range(boards.num_boards):
            block = slice(int(deals.start[b]), int(deals.start[b + 1]))
            alone = Deals(
                deals.street,
                deals.boards[b : b + 1],
                np.array([0, block.stop - block.start]),
                deals.hand[block],
                deals.cards[block],
            )
            answer = self._answer(piece, alone)
            if not asked.size:
                asked = np.empty(sizes[1 - me], answer.dtype)
            asked[rows * block.start : rows * block.stop].reshape(rows, -1)[...] = answer
        result = [np.zeros(0, asked.dtype), np.zeros(0, asked.dtype)]
        result[1 - me] = asked
        # Zero pages that are neither written nor read take no physical memory.
        result[me] = np.zeros(sizes[me], asked.dtype)
        return result

    def _answer(self, piece: Piece, deals: Deals) -> NDArray[np.floating]:
        """Return the strategy on some boards; a strategy that ignores its cards is queried once for each piece."""
        if id(piece) in self._blind:
            return self._blind[id(piece)]
        decisions = piece.decisions[1 - self.player]
        # Sums are checked once for each piece, because adding up takes as long as the query.
        answer = checked_rows(self.strategy, decisions, deals, sums=id(piece) not in self._seen)
        self._seen.add(id(piece))
        if self._suits is not None and id(piece) not in self._compared:
            self._suits.look(self.strategy, decisions, deals, answer)
            self._compared.add(id(piece))
        if isinstance(self.strategy, BlindStrategy):
            self._blind[id(piece)] = answer
        return answer


def blocks_of(rows: NDArray[Any], start: NDArray[np.int64]) -> NDArray[Any]:
    """Lay out rows [E, S] as the kernels take them: for each board a block [E, H_b], flattened."""
    if len(start) == 2:
        return np.ascontiguousarray(rows).ravel()
    return np.concatenate([rows[:, start[b] : start[b + 1]].ravel() for b in range(len(start) - 1)])


def rows_of(blocks: NDArray[Any], count: int, start: NDArray[np.int64]) -> NDArray[Any]:
    """Undo :func:`blocks_of`: return rows [count, S]."""
    if len(start) == 2:
        return blocks.reshape(count, -1)
    return np.concatenate(
        [blocks[count * start[b] : count * start[b + 1]].reshape(count, -1) for b in range(len(start) - 1)], axis=1
    )
