"""Single boards of a deal tree, found street by street without building the tree.

A board is found among the children of the board above it, which are the only boards that are enumerated.  Its number on
its street, and the number of hand classes before it there, are counted (:func:`errai.tree.deal_root.sizes_below`).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from errai.running.recent import Recent
from errai.tree.deal_root import DealRoot, DealSize, deal_size, sizes_below
from errai.tree.deal_tree import DealBoards, DealBuilder, DealStreet, DealTree, on_the_table, sums_before

MOST_KEPT = 256
"""Number of boards whose children are cached for later searches."""


@dataclass(frozen=True, eq=False)
class PathBoard:
    """A board of a deal tree; made by :class:`DealPaths`."""

    paths: DealPaths
    street: int
    place: int
    """Number of the board among the children of the board above."""
    above: PathBoard | None
    level: DealBoards
    """A level with only this board."""

    @property
    def cards(self) -> tuple[int, ...]:
        """All cards dealt so far; the cards of each street ascend."""
        return tuple(self.level.cards[0].tolist())

    @cached_property
    def alone(self) -> DealStreet:
        """The board with its hands, as a street of one board."""
        last = self.street == len(self.paths.root.new_cards)
        return self.paths.builder.streets([self.level], self.street, self.paths.showdown and last)[0]

    def find(self, cards: tuple[int, ...]) -> tuple[PathBoard, NDArray[np.int64]]:
        """Return the child board that new cards lead to, and the map of the cards; see :meth:`DealTree.find`."""
        root, children = self.paths.root, self.paths.children(self)
        group = list(self.level.stabiliser[0])
        images = np.sort(root.symmetries[group][:, list(cards)], axis=1)
        codes = self.paths.codes(images)
        best = int(codes.argmin())
        found = self.paths.codes(children.level.cards[:, len(self.cards) :])
        place = int(np.searchsorted(found, codes[best]))
        if place == len(found) or found[place] != codes[best] or set(cards) & set(self.cards):
            raise on_the_table(root, cards)
        return self.paths.child(self, place), root.symmetries[group[best]]


@dataclass(frozen=True, eq=False)
class _Children:
    """The children of one board, and the sizes of the subtrees below each of them."""

    level: DealBoards
    boards: NDArray[np.int64]
    """int64[C + 1, S]: boards on the children's street and later ones, summed over all children before one."""
    classes: NDArray[np.int64]
    """int64[C + 1, S, 2]: the same sums of hand classes."""


class DealPaths:
    """Finds boards of the deal tree of a root; ``showdown`` as for :func:`errai.tree.deal_tree.build_deal_tree`."""

    def __init__(self, root: DealRoot, *, showdown: bool = True) -> None:
        self.root = root
        self.showdown = showdown
        self.builder = DealBuilder(root)
        self._children: Recent[tuple[int, ...], _Children] = Recent(MOST_KEPT)
        self._known: dict[Any, DealSize] = {}

    @cached_property
    def size(self) -> DealSize:
        """Numbers of boards and classes of the whole tree."""
        return deal_size(self.root)

    @cached_property
    def first(self) -> PathBoard:
        """The board at the root."""
        return PathBoard(self, 0, 0, None, self.builder.root())

    def child(self, board: PathBoard, place: int) -> PathBoard:
        """Return a child board by its number among the children."""
        level = self.children(board).level.part(range(place, place + 1), None)
        return PathBoard(self, board.street + 1, place, board, level)

    def at(self, street: int, number: int) -> PathBoard:
        """Return a board by its street and its number on that street."""
        board = self.first
        while board.street < street:
            before = self.children(board).boards[:, street - board.street - 1]
            place = int(np.searchsorted(before, number, side="right")) - 1
            number -= int(before[place])
            board = self.child(board, place)
        return board

    def number(self, board: PathBoard) -> int:
        """Return the number of a board on its street."""
        number, street = 0, board.street
        while board.above is not None:
            number += int(self.children(board.above).boards[board.place, street - board.street])
            board = board.above
        return number

    def classes_before(self, board: PathBoard, street: int) -> NDArray[np.int64]:
        """Return int64[2]: each player's classes on a street below all boards before this one."""
        found = np.zeros(2, dtype=np.int64)
        while board.above is not None:
            found += self.children(board.above).classes[board.place, street - board.street]
            board = board.above
        return found

    def classes_before_number(self, street: int, number: int, below: int) -> NDArray[np.int64]:
        """Return int64[2]: classes on street ``below`` under the boards of ``street`` with numbers below ``number``."""
        if number == self.size.boards[street]:
            return np.array(self.size.classes[below], dtype=np.int64)
        return self.classes_before(self.at(street, number), below)

    def classes_below(self, board: PathBoard, street: int) -> NDArray[np.int64]:
        """Return int64[2]: each player's classes on a street under this board."""
        if board.above is None:
            return np.array(self.size.classes[street], dtype=np.int64)
        before = self.children(board.above).classes[:, street - board.street]
        return np.asarray(before[board.place + 1] - before[board.place])

    def below(self, board: PathBoard, last_street: int) -> DealTree:
        """Build the subtree of a board up to a street, as a tree whose first street has only this board."""
        levels = self.builder.followed([board.level], self.root.new_cards[board.street : last_street])
        showdown = self.showdown and last_street == len(self.root.new_cards)
        return DealTree(self.root, self.builder.streets(levels, board.street, showdown))

    def children(self, board: PathBoard) -> _Children:
        """Return all children of a board with their counts; recent results are cached."""

        def listed() -> _Children:
            level = self.builder.deal(board.level, self.root.new_cards[board.street])
            sizes = sizes_below(self.root, board.street + 1, level.cards, level.stabiliser, known=self._known)
            return _Children(level, *(sums_before(counts, 0) for counts in sizes))

        return self._children.get_or_make(board.cards, listed)

    def codes(self, cards: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return int64[...]: the cards of a deal, ascending, as one number by which children are sorted."""
        return np.asarray(cards @ self.root.deck.num_cards ** np.arange(cards.shape[-1] - 1, -1, -1, dtype=np.int64))
