"""How a game is divided for the memory and the workers that there are."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from errai.cluster.partition import Partition, make_partition
from errai.cluster.worker import CLASS_BYTES
from errai.errors import SolverOptionError, TreeTooLargeError
from errai.kernels.layout import CHANCE
from errai.solvers.precision import DTYPES
from errai.solvers.resources import allowed_memory, working_bytes
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


@dataclass(frozen=True)
class Layout:
    """How a game is divided for a memory budget."""

    partition: Partition
    cache_bytes: int
    """For each worker."""
    memory_bytes: int
    """Of all processes together, about."""


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

    Raises
    ------
    TreeTooLargeError
        The memory does not suffice for the trunk, or for the smallest blocks.
    SolverOptionError
        The game cannot be cut.
    """
    allowed = allowed_memory(memory)
    itemsize = np.dtype(DTYPES[precision]).itemsize
    per_entry = itemsize * (2 if averages else 1)
    total = plan.entries * per_entry
    most = max(SMALLEST_BLOCK, total / USUAL_BLOCKS)
    if allowed is None:
        allowed = 1 << 62
    base = PROCESS_BYTES * (1 + (workers if workers > 1 else 0))
    if plan.betting.num_streets < 2:
        raise SolverOptionError("The game has one street only; there is nothing to cut. Solve it without a store.")
    cuts = list(range(1, plan.betting.num_streets)) if street is None else [street]
    for cut in cuts:
        trunk, working = trunk_bytes(plan, cut), working_bytes(plan, "cpu", 1)
        room = min(LARGEST_BLOCK, most, ((allowed - base - trunk) / workers - working) / SHARES)
        try:
            partition = make_partition(plan, per_entry, room, street=cut)
        except TreeTooLargeError:
            if cut == cuts[-1]:
                raise
            continue
        largest = max(b.strategy_entries for b in partition.blocks) * per_entry
        fixed = base + trunk + workers * (SHARES * largest + working)
        cache = max(0, (allowed - fixed) // workers)
        kept = CLASS_BYTES * sum(b.classes for b in partition.blocks) // workers
        return Layout(partition, int(cache), int(fixed + workers * min(cache, kept)))
    raise AssertionError("the last cut either serves or raises")


def trunk_bytes(plan: TreePlan, street: int) -> int:
    """Memory of a trunk that ends before a street, about: boards, state, and what is passed to the blocks."""
    total = 0
    for s in range(street):
        classes = plan.deal_size.classes[s]
        rows = [plan.betting.num_rows(s, p) for p in (0, 1)]
        total += sum(c * (65 + 2 * 8 * r) for c, r in zip(classes, rows, strict=True))
    nodes = plan.betting.street_nodes(street - 1)
    leaves = int((plan.betting.kind[nodes.start : nodes.stop] == CHANCE).sum())
    return total + 6 * 8 * leaves * sum(plan.deal_size.classes[street - 1])
