"""How a game is divided for the memory and the workers that there are."""

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
"""Memory of a process before it has done anything: the interpreter and its libraries; measured."""

SHARES = 4
"""A worker may hold a block three times, while one is read, one walked and one written, and what packing needs."""

LARGEST_BLOCK = 256 << 20
"""Bytes of a block's state beyond which larger ones bring nothing."""

USUAL_BLOCKS = 16
"""So many at least, where they are of some size, so that no worker waits long for the others.

The number of workers has no say in it unless memory is short: other blocks round otherwise."""

SMALLEST_BLOCK = 8 << 20
"""Bytes of state below which a block is not divided further only to have more of them."""


DISK_SHARE = 1.5
"""Of the state's bytes: two iterations and half of one, each packed to six tenths; measured on Rhode Island, where the
state packs badly."""


@dataclass(frozen=True)
class Layout:
    """How a game is divided for a memory budget."""

    partition: Partition
    cache_bytes: int
    """What each worker may use to keep trees from one iteration to the next."""
    memory_bytes: int
    """Of all processes together, about."""
    disk_bytes: int
    """For two complete iterations and the one that is being written, about."""


@dataclass(frozen=True)
class Budget:
    """Where memory goes; all in bytes."""

    plan: TreePlan
    per_entry: int
    """State of an (information set, action) pair."""
    workers: int
    allowed: int

    @classmethod
    def of(cls, plan: TreePlan, precision: str, workers: int, memory: int | None, averages: bool) -> Budget:
        """The budget of a run."""
        allowed = allowed_memory(memory)
        per_entry = np.dtype(DTYPES[precision]).itemsize * (2 if averages else 1)
        return cls(plan, per_entry, workers, 1 << 62 if allowed is None else allowed)

    def fixed(self, street: int) -> int:
        """What a run takes besides its blocks: interpreters, the trunk, working memory of the kernels."""
        processes = 1 + (self.workers if self.workers > 1 else 0)
        # One block is walked while the kernel of the next is made.
        working = 2 * self.workers * working_bytes(self.plan, "cpu", 1)
        return PROCESS_BYTES * processes + trunk_bytes(self.plan, street) + working

    def block_room(self, street: int) -> float:
        """The most that the state of a block may take.

        The trees of all blocks are kept from one iteration to the next where they take no more than half of the room:
        making them again takes longer than walking them.
        """
        room = (self.allowed - self.fixed(street)) / self.workers
        trees = CLASS_BYTES * sum(sum(c) for c in self.plan.deal_size.classes[street:]) / self.workers
        return (room - trees if trees <= room / 2 else room) / SHARES

    def cache(self, partition: Partition) -> int:
        """What is left for each worker to keep trees."""
        largest = max(b.strategy_entries for b in partition.blocks) * self.per_entry
        return max(0, (self.allowed - self.fixed(partition.street)) // self.workers - SHARES * largest)

    def needed(self, partition: Partition) -> int:
        """What a run takes in all."""
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
    """Divide a game so that the trunk and the blocks that are at work at one time fit into the memory.

    Parameters
    ----------
    plan:
        The game.
    precision:
        Of the blocks.
    workers:
        Processes that walk blocks at the same time.
    memory:
        Bytes for all of them and the trunk; None: nine tenths of what is free.
    averages:
        Whether averages are kept.
    street:
        Where to cut; by default the first street at which blocks fit.

    Raises
    ------
    TreeTooLargeError
        The memory does not suffice for the trunk, or for the smallest blocks.
    SolverOptionError
        The game cannot be cut there.
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
            alone = f"{budget.fixed(cut) / 2**20:,.0f} MiB for the trunk and {workers} workers alone"
            reasons.append(f"Cut before street {cut} it takes {alone}.")
            continue
        try:
            partition = make_partition(plan, cut, budget.per_entry, budget.block_room(cut), usual)
        except TreeTooLargeError as error:
            reasons.append(str(error))
            continue
        disk = int(DISK_SHARE * budget.per_entry * sum(b.strategy_entries for b in partition.blocks))
        return Layout(partition, budget.cache(partition), budget.needed(partition), disk)
    raise TreeTooLargeError(
        f"{budget.allowed / 2**20:,.0f} MiB do not suffice. {' '.join(reasons)} Allow more memory, or fewer workers."
    )


def cache_bytes(
    plan: TreePlan, partition: Partition, precision: str, workers: int, memory: int | None, averages: bool
) -> int:
    """What each worker may use to keep trees, for a partition that is there."""
    return Budget.of(plan, precision, workers, memory, averages).cache(partition)


def trunk_bytes(plan: TreePlan, street: int) -> int:
    """Memory of a trunk that ends before a street, about: boards, state, and what is passed to the blocks."""
    total = 0
    for s in range(street):
        classes = plan.deal_size.classes[s]
        rows = [plan.betting.num_rows(s, p) for p in (0, 1)]
        total += sum(c * (MAKING_CLASS_BYTES + 2 * 8 * r) for c, r in zip(classes, rows, strict=True))
    nodes = plan.betting.street_nodes(street - 1)
    leaves = int((plan.betting.kind[nodes.start : nodes.stop] == CHANCE).sum())
    return total + 6 * 8 * leaves * sum(plan.deal_size.classes[street - 1])
