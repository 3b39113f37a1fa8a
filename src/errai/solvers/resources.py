"""What a run needs of the machine, and what the machine has."""

from __future__ import annotations

import os

from errai.errors import TreeTooLargeError
from errai.solvers.loop import chosen_precision
from errai.solvers.schedules import Schedule
from errai.solvers.strategy import FULL_PRECISION_ENTRIES
from errai.tree.public_tree import TreePlan

MEMORY_SHARE = 0.9
"""Share of the machine's free memory that a run may take unless told otherwise."""


def default_threads() -> int:
    """Processors that this process may run on."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else (os.cpu_count() or 1)


def available_memory() -> int | None:
    """Free bytes of this machine, or None where the system does not say."""
    try:
        with open("/proc/meminfo") as file:
            for line in file:
                if line.startswith("MemAvailable:"):
                    return int(line.split()[1]) * 1024
    except OSError:
        pass
    return None


def state_bytes(plan: TreePlan, schedule: Schedule, precision: str) -> int:
    """Bytes of regrets, strategy sums and predictions."""
    wide = chosen_precision(precision, plan.entries) == "float64"
    return plan.entries * (8 if wide else 4) * (2 + schedule.predictive)


def memory_needed(plan: TreePlan, schedule: Schedule, precision: str = "auto") -> int:
    """Peak bytes of a solve's arrays: boards and hands, state, and the finished strategy beside it."""
    state = state_bytes(plan, schedule, precision)
    if schedule.simultaneous:
        state += state // (2 + schedule.predictive)
    finished = plan.entries * (8 if plan.entries <= FULL_PRECISION_ENTRIES else 2)
    return plan.deal_bytes + state + finished


def check_memory(plan: TreePlan, needed: int, memory: int | None) -> None:
    """Raise :class:`TreeTooLargeError` if ``needed`` is more than ``memory``, or than nine tenths of what is free."""
    free = available_memory()
    allowed = memory if memory is not None else None if free is None else int(free * MEMORY_SHARE)
    if allowed is None or needed <= allowed:
        return
    given = "is allowed" if memory is not None else "is free"
    remedy = (
        "Nothing in the rules of a limit game can be left out; it takes a machine with more memory."
        if plan.betting_is_fixed
        else "Fewer bet sizes or a lower raise cap on the last street help most: "
        f"every size there multiplies {plan.deal_size.boards[-1]:,} boards."
    )
    raise TreeTooLargeError(
        f"The tree has {plan.entries:,} strategy entries and needs {needed / 2**30:.2f} GiB; "
        f"{allowed / 2**30:.2f} GiB {given}. {remedy}"
    )
