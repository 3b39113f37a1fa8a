"""How a game is divided to fit the memory and the workers."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from errai.cluster.partition import Partition, make_partition
from errai.cluster.worker import CLASS_BYTES
from errai.engine.precision import DTYPES
from errai.engine.resources import allowed_memory, working_bytes
from errai.errors import SolverOptionError, TreeTooLargeError
from errai.kernels.layout import CHANCE
from errai.tree.public_tree import CLASS_BYTES as MAKING_CLASS_BYTES
from errai.tree.public_tree import TreePlan

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
    per_entry: int
    """Bytes of state for each pair of information set and action."""
    workers: int
    allowed: int

    @classmethod
    def of(cls, plan: TreePlan, precision: str, workers: int, memory: int | None, averages: bool) -> Budget:
        """Compute the budget of a run."""
        allowed = allowed_memory(memory)
        per_entry = np.dtype(DTYPES[precision]).itemsize * (2 if averages else 1)
        return cls(plan, per_entry, workers, 1 << 62 if allowed is None else allowed)

    def fixed(self, street: int) -> int:
        """Return what a run needs besides its blocks: interpreters, the trunk, and the kernels' working memory."""
        processes = 1 + (self.workers if self.workers > 1 else 0)
        # The kernel of the next block is built while a block is walked.
        working = 2 * self.workers * working_bytes(self.plan, "cpu", 1)
        return PROCESS_BYTES * processes + trunk_bytes(self.plan, street) + working

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


def lay_out(
    plan: TreePlan,
    *,
    precision: str,
    workers: int,
    memory: int | None,
    averages: bool = True,
    street: int | None = None,
) -> Layout:
    """Divide a game so that the trunk and the blocks in work at one time fit into the memory.

    Parameters
    ----------
    plan:
        The game.
    precision:
        Precision of the blocks.
    workers:
        Processes that walk blocks at the same time.
    memory:
        Bytes for all of them and the trunk; None: nine tenths of what is free.
    averages:
        Whether averages are kept.
    street:
        The street at which to cut; by default the first one at which blocks fit.

    Raises
    ------
    TreeTooLargeError
        If there is not enough memory for the trunk, or for the smallest blocks.
    SolverOptionError
        If the game cannot be cut there.
    """
    streets = plan.betting.num_streets
    if streets < 2:
        raise SolverOptionError("The game has one street only; there is nothing to cut. Solve it without a store.")
    if street is not None and not 0 < street < streets:
        raise SolverOptionError(f"The game can be cut at street 1 to {streets - 1}, not {street}.")
    budget = Budget.of(plan, precision, workers, memory, averages)
    usual = min(LARGEST_BLOCK, max(SMALLEST_BLOCK, plan.entries * budget.per_entry / USUAL_BLOCKS))
    reasons = []
    for cut in range(1, streets) if street is None else (street,):
        if budget.block_room(cut) <= 0:
            alone = f"{budget.fixed(cut) / 2**20:,.0f} MiB for the trunk and {_counted(workers)} alone"
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


def _counted(workers: int) -> str:
    return "1 process" if workers == 1 else f"{workers} processes"


def cache_bytes(
    plan: TreePlan, partition: Partition, precision: str, workers: int, memory: int | None, averages: bool
) -> int:
    """Return the memory that each worker may use to keep trees from one iteration to the next."""
    return Budget.of(plan, precision, workers, memory, averages).cache(partition)


def trunk_bytes(plan: TreePlan, street: int) -> int:
    """Return about how much memory a trunk takes: boards, state, and what is passed to the blocks."""
    total = 0
    for s in range(street):
        classes = plan.deal_size.classes[s]
        rows = [plan.betting.num_rows(s, p) for p in (0, 1)]
        total += sum(c * (MAKING_CLASS_BYTES + 2 * 8 * r) for c, r in zip(classes, rows, strict=True))
    nodes = plan.betting.street_nodes(street - 1)
    leaves = int((plan.betting.kind[nodes.start : nodes.stop] == CHANCE).sum())
    return total + 6 * 8 * leaves * sum(plan.deal_size.classes[street - 1])
