"""How a game is divided to fit the memory and the workers: a trunk, and blocks of subgames below it.

The trunk holds the streets before the *cut*.  A block is some boards of the street at the cut, with some or all of the
betting lines that reach it, and everything below (:mod:`errai.tree.subgame`).  Every information set is in the trunk or
in exactly one block.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from errai.engine.resources import DTYPES, allowed_memory, working_bytes
from errai.errors import DamagedFileError, SolverOptionError, TreeTooLargeError
from errai.kernels.layout import CHANCE, DECISION
from errai.tree.betting_tree import BettingTree
from errai.tree.deal_root import sizes_below
from errai.tree.deal_tree import deal_boards
from errai.tree.public_tree import CLASS_BYTES as MAKING_CLASS_BYTES
from errai.tree.public_tree import TreePlan
from errai.tree.subgame import entry_count

CLASS_BYTES = 90
"""Memory of a hand class of a block whose tree is kept: the tree's arrays and what they are built from; measured."""

PROCESS_BYTES = 80 << 20
"""Memory of a process before it does any work: the interpreter and its libraries; measured."""

SHARES = 4
"""A worker may hold three blocks, one being read, one walked and one written, and needs memory for packing."""

LARGEST_BLOCK = 256 << 20
"""Bytes of a block's state; larger blocks have no advantage."""

USUAL_BLOCKS = 16
"""The least number of blocks if they are not small, so that no worker waits long for the others.

Unless memory is short, it does not depend on the number of workers, because other blocks would round differently."""

SMALLEST_BLOCK = 8 << 20
"""Blocks with fewer bytes of state are not divided further just to have more blocks."""

DISK_SHARE = 1.5
"""Disk space as a share of the state's bytes: two and a half iterations, each packed to six tenths; measured on Rhode
Island, whose state packs badly."""


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


@dataclass(frozen=True)
class Partition:
    """The cut of a game, and its blocks in order."""

    street: int
    """The first street that is not in the trunk."""
    blocks: tuple[Block, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return the partition as plain values for JSON."""
        rows = []
        for b in self.blocks:
            parts = b.boards.start, b.boards.stop, b.entries.start, b.entries.stop
            rows.append([*parts, b.information_sets, b.strategy_entries, b.classes])
        return {"street": self.street, "blocks": rows}

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


def board_sizes(plan: TreePlan, street: int) -> NDArray[np.int64]:
    """Return int64[B, streets from this one on, 2]: each player's hand classes below every board, without building."""
    boards = deal_boards(plan.root, street)
    return sizes_below(plan.root, street, boards.cards, boards.stabiliser)[1]


def make_partition(
    plan: TreePlan, street: int, bytes_per_entry: float, most_bytes: float, usual_bytes: float | None = None
) -> Partition:
    """Cut a game before a street, the first that is not in the trunk, into as few blocks as their size allows.

    ``usual_bytes`` is a smaller limit than ``most_bytes``, which blocks also keep if boards and lines are small enough.
    Raises :class:`TreeTooLargeError` if the smallest blocks, one board with one line, are larger than ``most_bytes``.
    """
    sizes, rows = board_sizes(plan, street), rows_below(plan.betting, street)
    # [boards, entries]
    entries = np.einsum("bsp,esp->be", sizes, rows.actions)
    smallest = float(entries.max() * bytes_per_entry)
    if smallest > most_bytes:
        raise TreeTooLargeError(
            f"The smallest part of the game, a board of street {street} with one line of bets, needs "
            f"{smallest / 2**20:,.3f} MiB, but only {max(most_bytes, 0) / 2**20:,.3f} MiB are left for a block."
        )
    size = most_bytes if usual_bytes is None else min(most_bytes, max(usual_bytes, smallest))
    most, per_board = size / bytes_per_entry, entries.sum(axis=1)
    num_boards, num_lines = entries.shape
    parts: list[tuple[range, range]] = []
    first = 0
    while first < num_boards:  # Boards in order, with all lines, as long as they fit; a board that does not is divided.
        if per_board[first] <= most:
            last = first + int(np.searchsorted(np.cumsum(per_board[first:]), most, side="right"))
            parts.append((range(first, last), range(num_lines)))
            first = last
            continue
        line = 0
        while line < num_lines:
            end = line + max(1, int(np.searchsorted(np.cumsum(entries[first, line:]), most, side="right")))
            parts.append((range(first, first + 1), range(line, end)))
            line = end
        first += 1
    blocks = []
    for boards, lines in parts:
        classes = sizes[boards.start : boards.stop].sum(axis=0)
        counts = (rows.decisions, rows.actions)
        below = [int((classes * count[lines.start : lines.stop].sum(axis=0)).sum()) for count in counts]
        blocks.append(Block(boards, lines, below[0], below[1], int(classes.sum())))
    return Partition(street, tuple(blocks))


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


@dataclass(frozen=True)
class Layout:
    """How a game is divided for a memory budget."""

    partition: Partition
    memory_bytes: int
    """About how much all processes need together."""
    disk_bytes: int
    """About how much two complete iterations and the one being written need."""


@dataclass(frozen=True)
class Budget:
    """How the memory is used; everything in bytes."""

    plan: TreePlan
    precision: str
    """That of the blocks."""
    workers: int
    """Processes that walk blocks at the same time."""
    memory: int | None = None
    """For all processes together; None: nine tenths of what is free."""
    averages: bool = True
    """Whether averages are kept."""

    @cached_property
    def per_entry(self) -> int:
        """Bytes of state for each pair of information set and action."""
        return np.dtype(DTYPES[self.precision]).itemsize * (2 if self.averages else 1)

    @cached_property
    def allowed(self) -> int:
        """What all processes may use together."""
        allowed = allowed_memory(self.memory)
        return 1 << 62 if allowed is None else allowed

    def fixed(self, street: int) -> int:
        """Return what a run needs besides its blocks: interpreters, the trunk, and the kernels' working memory."""
        processes = 1 + (self.workers if self.workers > 1 else 0)
        # The kernel of the next block is built while a block is walked.
        total = PROCESS_BYTES * processes + 2 * self.workers * working_bytes(self.plan, "cpu", 1)
        betting, classes = self.plan.betting, self.plan.deal_size.classes
        for s in range(street):
            total += sum(classes[s][p] * (MAKING_CLASS_BYTES + 2 * 8 * betting.num_rows(s, p)) for p in (0, 1))
        nodes = betting.street_nodes(street - 1)
        leaves = int((betting.kind[nodes.start : nodes.stop] == CHANCE).sum())
        return total + 6 * 8 * leaves * sum(classes[street - 1])  # What is passed to the blocks.

    def block_room(self, street: int) -> float:
        """Return the most that the state of a block may take.

        The trees of all blocks are kept from one iteration to the next if they take at most half of the memory, because
        rebuilding them takes longer than walking them.
        """
        room = (self.allowed - self.fixed(street)) / self.workers
        trees = CLASS_BYTES * sum(sum(c) for c in self.plan.deal_size.classes[street:]) / self.workers
        return (room - trees if trees <= room / 2 else room) / SHARES

    def cache(self, partition: Partition) -> int:
        """Return what is left for each worker to keep trees."""
        largest = max(b.strategy_entries for b in partition.blocks) * self.per_entry
        return max(0, (self.allowed - self.fixed(partition.street)) // self.workers - SHARES * largest)

    def needed(self, partition: Partition) -> int:
        """Return what a run needs in all."""
        largest = max(b.strategy_entries for b in partition.blocks) * self.per_entry
        trees = CLASS_BYTES * sum(b.classes for b in partition.blocks)
        kept = min(self.workers * self.cache(partition), trees)
        return self.fixed(partition.street) + self.workers * SHARES * largest + kept


def lay_out(budget: Budget, street: int | None = None) -> Layout:
    """Divide a game so that the trunk and the blocks in work at one time fit into the memory.

    ``street`` is where to cut; by default the first one at which blocks fit.

    Raises
    ------
    TreeTooLargeError
        If there is not enough memory for the trunk, or for the smallest blocks.
    SolverOptionError
        If the game cannot be cut there.
    """
    plan, workers = budget.plan, budget.workers
    streets = plan.betting.num_streets
    if streets < 2:
        raise SolverOptionError("The game has one street only; there is nothing to cut. Solve it without a store.")
    if street is not None and not 0 < street < streets:
        raise SolverOptionError(f"The game can be cut at street 1 to {streets - 1}, not {street}.")
    usual = min(LARGEST_BLOCK, max(SMALLEST_BLOCK, plan.entries * budget.per_entry / USUAL_BLOCKS))
    reasons = []
    for cut in range(1, streets) if street is None else (street,):
        if budget.block_room(cut) <= 0:
            crew = "1 process" if workers == 1 else f"{workers} processes"
            alone = f"{budget.fixed(cut) / 2**20:,.0f} MiB for the trunk and {crew} alone"
            reasons.append(f"A cut before street {cut} takes {alone}.")
            continue
        try:
            partition = make_partition(plan, cut, budget.per_entry, budget.block_room(cut), usual)
        except TreeTooLargeError as error:
            reasons.append(str(error))
            continue
        disk = int(DISK_SHARE * budget.per_entry * sum(b.strategy_entries for b in partition.blocks))
        return Layout(partition, budget.needed(partition), disk)
    fewer = f", or fewer processes (--processes, {workers} now)" if workers > 1 else ""
    raise TreeTooLargeError(
        f"{budget.allowed / 2**20:,.0f} MiB are not enough. {' '.join(reasons)} Allow more memory (--memory){fewer}."
    )
