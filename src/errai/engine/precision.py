"""The number formats that a solve may run in, and which of them ``auto`` stands for.

``float64`` and ``float32`` keep regrets and strategy sums as numbers.  ``fixed16`` keeps regrets in 16 bits with a step
for each decision on each board, and in place of sums the average strategy itself in steps of 1/65535: half the memory
of float32, and three quarters to nine tenths of its time on large trees.  docs/maths.md says what that costs.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from errai.engine.schedules import DEFAULT, SCHEDULES, Schedule
from errai.engine.strategy import FULL_PRECISION_ENTRIES
from errai.errors import SolverOptionError

DTYPES = {"float32": np.float32, "float64": np.float64, "fixed16": np.int16}
"""Type of a solver's regrets by the name of the precision."""

SMALL_TREE_ENTRIES = 5_000
"""Trees up to this size are solved in float64: it costs little there, and rounding would decide between equals."""

COARSE_TARGET = 9.99e-4
"""The lowest target, as a fraction of the pot, for which small trees are solved in float32 all the same: down to 0.1 %
nobody sees a rounding, and it takes half to two thirds of the time."""

FIXED16_TARGET = 5e-4
"""The lowest target, as a fraction of the pot, for which ``auto`` takes 16 bits; they reach about a quarter of it."""


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
    """What a precision stands for in a run; this is the only place that decides it.

    ``auto`` is float64 for the reference backend, and for trees of up to ``SMALL_TREE_ENTRIES`` entries unless their
    target is given and at least ``COARSE_TARGET``.  Of the others it takes fixed16 for those of more than
    ``FULL_PRECISION_ENTRIES`` whose target is given and at least ``FIXED16_TARGET``, and for those that do not fit into
    the memory allowed in float32; both only where the schedule is the default one, or another that does not weight
    averages and can be run in 16 bits, and never for the cuda backend.  All the rest is float32.

    Parameters
    ----------
    precision:
        ``auto`` or one of ``DTYPES``.
    schedule:
        The variant asked for.
    entries:
        Strategy entries of the tree.
    backend:
        Name of the kernels.
    target_pot_fraction:
        Exploitability aimed at, as a fraction of the pot at the root; None without a target.
    responds_best:
        Whether a lock lets some hands respond best: what these learn does not go into 16 bits.
    fits:
        Whether the run fits into the memory allowed in a precision.

    Raises
    ------
    SolverOptionError
        There is no such precision, or the schedule or the backend cannot be run in it.
    """
    if precision == "auto":
        coarse = target_pot_fraction is not None and target_pot_fraction >= COARSE_TARGET
        if backend == "reference" or (entries <= SMALL_TREE_ENTRIES and not coarse):
            return "float64"
        default = replace(schedule, average_from=1) == SCHEDULES[DEFAULT]
        unweighted = default or not schedule.weighted
        if backend != "cuda" and not responds_best and unweighted and why_not_in_16_bits(schedule) is None:
            enough = target_pot_fraction is not None and target_pot_fraction >= FIXED16_TARGET
            if (enough and entries > FULL_PRECISION_ENTRIES) or not fits("float32"):
                return "fixed16"
        return "float32"
    if precision not in DTYPES:
        raise SolverOptionError(f"There is no precision {precision!r}; choose auto, {', '.join(DTYPES)}.")
    if precision == "fixed16" and backend == "cuda":
        raise SolverOptionError("The backend cuda keeps no 16 bits; choose the precision float32, or the backend cpu.")
    if precision == "fixed16" and responds_best:
        raise SolverOptionError("Hands that respond best cannot be kept in 16 bits; choose the precision float32.")
    if precision == "fixed16" and (reason := why_not_in_16_bits(schedule)) is not None:
        raise SolverOptionError(f"The precision fixed16 is not for this run: {reason}, or the precision float32.")
    return precision


def why_not_in_16_bits(schedule: Schedule) -> str | None:
    """Why a schedule cannot be run in 16 bits and what to choose instead, as the beginning of a sentence, or None."""
    if schedule.predictive:
        return f"{schedule.name} predicts the next regret, which takes an array of full precision; choose {DEFAULT}"
    if schedule.simultaneous:
        return (
            "simultaneous updates need the old regrets beside the new ones, and 16-bit regrets change their step "
            "with every update; choose alternating updates"
        )
    return None


def schedule_in(precision: str, schedule: Schedule) -> Schedule:
    """The schedule as it is run: averages of 16 bits are never weighted by the player's own reach.

    They move towards the strategy by a share of what separates them.  Weighted, that share would fall below a step
    wherever a hand seldom gets, and its average would stand still.
    """
    return replace(schedule, weighted=False) if precision == "fixed16" else schedule
