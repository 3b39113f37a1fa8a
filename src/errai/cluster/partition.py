"""The partition of a game: a trunk, and blocks of subgames that are small enough for the memory.

The trunk holds the streets before the *cut*.  A block is some boards of the street at the cut, with some or all of the
betting lines that reach it, and everything below (:mod:`errai.tree.subgame`).  Every information set is in the trunk or
in exactly one block.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from errai.errors import DamagedFileError, TreeTooLargeError
from errai.kernels.layout import DECISION
from errai.tree.betting_tree import BettingTree
from errai.tree.deal_size import sizes_below
from errai.tree.deal_tree import deal_boards
from errai.tree.public_tree import TreePlan
from errai.tree.subgame import entry_count


@dataclass(frozen=True)
class Block:
    """Some boards of the street at the cut, with some of the lines that reach it."""

    boards: range
    entries: range
    information_sets: int
    """Information sets of both players, up to suits."""
    strategy_entries: int
    """Pairs of information set and action."""
    classes: int
    """Hand classes of both players on the boards of all its streets."""

    def to_row(self) -> list[int]:
        """Return the block as a list of numbers."""
        parts = [self.boards.start, self.boards.stop, self.entries.start, self.entries.stop]
        return [*parts, self.information_sets, self.strategy_entries, self.classes]


@dataclass(frozen=True)
class Partition:
    """The cut of a game, and its blocks in order."""

    street: int
    """The first street that is not in the trunk."""
    blocks: tuple[Block, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return the partition as plain values for JSON."""
        return {"street": self.street, "blocks": [b.to_row() for b in self.blocks]}

    @classmethod
    def from_dict(cls, document: Any, plan: TreePlan) -> Partition:
        """Read a partition.  Raises :class:`DamagedFileError` unless it covers the game's street exactly."""
        if not isinstance(document, Mapping) or not isinstance(document.get("blocks"), list):
            raise DamagedFileError("The run is damaged: its partition is not a table of blocks.")
        street, rows = document.get("street"), document["blocks"]
        if type(street) is not int or not 0 < street < plan.betting.num_streets:
            raise DamagedFileError(f"The run is damaged: the game cannot be cut at street {street!s:.20}.")
        if not all(isinstance(r, list) and len(r) == 7 and all(type(n) is int and n >= 0 for n in r) for r in rows):
            raise DamagedFileError("The run is damaged: a block of its partition is not seven whole numbers.")
        blocks = tuple(Block(range(a, b), range(c, d), *rest) for a, b, c, d, *rest in rows)
        boards, entries = plan.deal_size.boards[street], entry_count(plan.betting, street)
        covered = sum(len(b.boards) * len(b.entries) for b in blocks)
        inside = all(b.boards.stop <= boards and b.entries.stop <= entries for b in blocks)
        if not inside or covered != boards * entries or any(not b.boards or not b.entries for b in blocks):
            raise DamagedFileError("The run is damaged: the blocks of its partition do not make up the game.")
        return cls(street, blocks)


@dataclass(frozen=True)
class BoardSizes:
    """The sizes of everything below every board of a street."""

    street: int
    classes: NDArray[np.int64]
    """int64[B, streets from this one on, 2]: hand classes of each player."""


def board_sizes(plan: TreePlan, street: int) -> BoardSizes:
    """Count the hand classes below every board of a street exactly, without building them."""
    boards = deal_boards(plan.root, street)
    return BoardSizes(street, sizes_below(plan.root, street, boards.cards, boards.stabiliser).classes)


def make_partition(
    plan: TreePlan, street: int, bytes_per_entry: float, most_bytes: float, usual_bytes: float | None = None
) -> Partition:
    """Cut a game before a street into as few blocks as their size allows.

    Parameters
    ----------
    plan:
        The game.
    street:
        The first street that is not in the trunk, after the root's.
    bytes_per_entry:
        Memory of a pair of information set and action.
    most_bytes:
        The most that the state of a block may take.
    usual_bytes:
        A smaller limit that blocks also keep if boards and lines are small enough.

    Raises
    ------
    TreeTooLargeError
        If the smallest blocks, one board with one line, are larger than ``most_bytes``.
    """
    sizes, rows = board_sizes(plan, street), rows_below(plan.betting, street)
    # [boards, entries]
    entries = np.einsum("bsp,esp->be", sizes.classes, rows.actions)
    smallest = float(entries.max() * bytes_per_entry)
    if smallest > most_bytes:
        raise TreeTooLargeError(
            f"The smallest part of the game, a board of street {street} with one line of bets, needs "
            f"{smallest / 2**20:,.3f} MiB, but only {max(most_bytes, 0) / 2**20:,.3f} MiB are left for a block."
        )
    size = most_bytes if usual_bytes is None else min(most_bytes, max(usual_bytes, smallest))
    return Partition(street, tuple(_blocks(sizes, rows, entries, size / bytes_per_entry)))


@dataclass(frozen=True)
class RowsBelow:
    """Sizes below every entry of a street in the betting tree; E entries, streets from this one on, 2 players."""

    actions: NDArray[np.int64]
    """int64[E, streets, 2]: (decision node, action) pairs."""
    decisions: NDArray[np.int64]
    """int64[E, streets, 2]: decision nodes."""


def rows_below(betting: BettingTree, street: int) -> RowsBelow:
    """Count decisions and actions below every line that reaches a street."""
    start = int(betting.street_start[street])
    ancestor = betting.parent[start:].astype(np.int64) - start
    entries = entry_count(betting, street)
    ancestor[:entries] = np.arange(entries)
    while True:  # Each round doubles the distance to the ancestor.
        further = ancestor[ancestor]
        if np.array_equal(further, ancestor):
            break
        ancestor = further
    mine = np.flatnonzero(betting.kind[start:] == DECISION)
    of_street = betting.street[start:][mine].astype(np.int64) - street
    shape = entries, betting.num_streets - street, 2
    place = np.ravel_multi_index((ancestor[mine], of_street, betting.actor[start:][mine].astype(np.int64)), shape)
    size = entries * shape[1] * shape[2]
    decisions = np.bincount(place, minlength=size).reshape(shape)
    actions = np.bincount(place, weights=betting.num_children[start:][mine], minlength=size).reshape(shape)
    return RowsBelow(actions.astype(np.int64), decisions)


def _blocks(sizes: BoardSizes, rows: RowsBelow, entries: NDArray[np.int64], most: float) -> list[Block]:
    """Group boards in order, with all lines, as long as they fit; divide the lines of a board that does not."""
    num_boards, num_lines = entries.shape
    per_board = entries.sum(axis=1)
    blocks: list[Block] = []

    def add(boards: range, lines: range) -> None:
        classes = sizes.classes[boards.start : boards.stop].sum(axis=0)
        blocks.append(
            Block(
                boards,
                lines,
                int((classes * rows.decisions[lines.start : lines.stop].sum(axis=0)).sum()),
                int((classes * rows.actions[lines.start : lines.stop].sum(axis=0)).sum()),
                int(classes.sum()),
            )
        )

    first = 0
    while first < num_boards:
        last = first + max(1, int(np.searchsorted(np.cumsum(per_board[first:]), most, side="right")))
        if per_board[first] <= most:
            add(range(first, last), range(num_lines))
            first = last
            continue
        line = 0
        while line < num_lines:
            end = line + max(1, int(np.searchsorted(np.cumsum(entries[first, line:]), most, side="right")))
            add(range(first, first + 1), range(line, min(end, num_lines)))
            line = end
        first += 1
    return blocks
