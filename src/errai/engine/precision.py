"""The number formats that a solve may run in, and the choice among them that ``auto`` makes.

``float64`` and ``float32`` store regrets and strategy sums as numbers.  ``fixed16`` stores regrets in 16 bits with a
step size for each decision on each board, and in place of sums the average strategy itself in steps of 1/65535.  It
takes half the memory of float32, and three quarters to nine tenths of its time on large trees.  ``average8`` differs
from it in that the average has 8 bits, which takes three quarters of its memory.  docs/maths.md says what precision
that costs.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache

import numpy as np

from errai.engine.schedules import DEFAULT, SCHEDULES, Schedule
from errai.engine.strategy import FULL_PRECISION_ENTRIES
from errai.errors import SolverOptionError
from errai.kernels.layout import TreeArrays
from errai.kernels.protocol import State

DTYPES = {"float32": np.float32, "float64": np.float64, "fixed16": np.int16, "average8": np.int16}
"""The type of a solver's regrets by the name of the precision."""

AVERAGES = {"fixed16": np.uint16, "average8": np.uint8}
"""The type of the averages that take the place of sums, in precisions whose regrets have 16 bits."""

SMALL_TREE_ENTRIES = 5_000
"""Trees up to this size are solved in float64: it costs little, and rounding would decide between equal actions."""

COARSE_TARGET = 9.99e-4
"""The lowest target, as a fraction of the pot, for which ``auto`` solves small trees in float32.

With targets of 0.1 % and more no rounding shows, and float32 takes half to two thirds of the time."""

FIXED16_TARGET = 5e-4
"""The lowest target, as a fraction of the pot, for which ``auto`` chooses 16 bits; they reach about a quarter of it."""

AVERAGE8_TARGET = 3e-3
"""The lowest target, as a fraction of the pot, for which ``auto`` chooses averages in 8 bits to save memory.

Down to there they take as many iterations as averages in 16 bits (docs/maths.md)."""


def chosen_precision(
    precision: str,
    schedule: Schedule,
    *,
    entries: int,
    backend: str = "cpu",
    target_pot_fraction: float | None = None,
    responds_best: bool = False,
    fits: Callable[[str], bool] = lambda precision: True,
) -> str:
    """Return the precision of a run; no other code decides it.

    ``auto`` is float64 for the reference backend, and for trees of up to ``SMALL_TREE_ENTRIES`` entries unless a target
    of at least ``COARSE_TARGET`` is given.  It is fixed16 for other trees in two cases: if they have more than
    ``FULL_PRECISION_ENTRIES`` entries and a target of at least ``FIXED16_TARGET`` is given, and if they do not fit into
    the memory limit in float32.  If they do not fit in fixed16 either and a target of at least ``AVERAGE8_TARGET`` is
    given, it is average8.  All of this requires that the schedule is the default one, or another one that does not
    weight averages and can be run in 16 bits, and that the backend is not cuda.  Otherwise it is float32.

    Parameters
    ----------
    precision:
        ``auto`` or one of ``DTYPES``.
    schedule:
        The variant that was asked for.
    entries:
        Number of strategy entries of the tree.
    backend:
        Name of the backend.
    target_pot_fraction:
        Target exploitability as a fraction of the pot at the root; None without a target.
    responds_best:
        Whether a lock makes some hands respond best; 16-bit regrets cannot represent this.
    fits:
        A function that returns whether the run fits into the memory limit in a given precision.

    Raises
    ------
    SolverOptionError
        The precision does not exist, or the schedule or the backend does not support it.
    """
    if schedule.rule is not None and backend != "reference":
        raise SolverOptionError(
            f"The schedule {schedule.name!r} has a local rule, which only the backend reference runs, not {backend}."
        )
    if precision == "auto":
        coarse = target_pot_fraction is not None and target_pot_fraction >= COARSE_TARGET
        if backend == "reference" or (entries <= SMALL_TREE_ENTRIES and not coarse):
            return "float64"
        usual = SCHEDULES[DEFAULT]
        default = schedule is usual or replace(schedule, average_from=1, head_start=0) == usual
        unweighted = default or not schedule.weighted
        if backend != "cuda" and not responds_best and unweighted and why_not_in_16_bits(schedule) is None:
            target = 0.0 if target_pot_fraction is None else target_pot_fraction
            if (trusted_with("fixed16", target) and entries > FULL_PRECISION_ENTRIES) or not fits("float32"):
                return "average8" if trusted_with("average8", target) and not fits("fixed16") else "fixed16"
        return "float32"
    if precision not in DTYPES:
        raise SolverOptionError(f"There is no precision {precision!r}; choose auto, {', '.join(DTYPES)}.")
    if precision in AVERAGES and backend == "cuda":
        raise SolverOptionError(
            "The backend cuda has no 16-bit states; choose the precision float32, or the backend cpu."
        )
    if precision in AVERAGES and responds_best:
        raise SolverOptionError("Hands that respond best cannot be kept in 16 bits; choose the precision float32.")
    if precision in AVERAGES and (reason := why_not_in_16_bits(schedule)) is not None:
        raise SolverOptionError(f"This run cannot have the precision {precision}: {reason}, or the precision float32.")
    return precision


def trusted_with(precision: str, target_pot_fraction: float) -> bool:
    """Return whether ``auto`` would choose a precision for a target if the tree allowed it."""
    return target_pot_fraction >= {"fixed16": FIXED16_TARGET, "average8": AVERAGE8_TARGET}.get(precision, 0.0)


def new_state(arrays: TreeArrays, precision: str, schedule: Schedule) -> State:
    """Return the initial state of a run in one of ``DTYPES``."""
    return State.zeros(
        arrays,
        DTYPES[precision],
        predictive=schedule.predictive,
        simultaneous=schedule.simultaneous,
        averages=AVERAGES.get(precision, np.uint16),
    )


def why_not_in_16_bits(schedule: Schedule) -> str | None:
    """Return why a schedule cannot be run in 16 bits and what to choose instead, or None.

    It is the start of a sentence.
    """
    if schedule.rule is not None:
        return f"the states of the local rule {schedule.name} take full precision; choose float64"
    if schedule.predictive:
        return f"{schedule.name} predicts the next regret, which takes an array of full precision; choose {DEFAULT}"
    if schedule.simultaneous:
        return (
            "simultaneous updates need the old regrets beside the new ones, and 16-bit regrets change their step "
            "with every update; choose alternating updates"
        )
    return None


@lru_cache(maxsize=64)
def schedule_in(precision: str, schedule: Schedule) -> Schedule:
    """Return the schedule as it is run: averages in steps are never weighted by the player's own reach.

    Such an average moves towards the strategy by a share of their difference.  With weights, that share would be less
    than a step for hands with little reach, and their average would not move.
    """
    return replace(schedule, weighted=False) if precision in AVERAGES else schedule
