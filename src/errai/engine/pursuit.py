"""Where a run measures on its way down to a target, and when it gives up.

Both depend on the curve alone, so that a resumed run measures and ends where the whole run would have.  A backend may
run the same loop in one native call (``Kernel.pursue``, see :class:`errai.kernels.protocol.Aim`); this is the
definition.
"""

from __future__ import annotations

import math

Curve = list[tuple[int, float, float]]
"""(iteration, seconds, exploitability in chips) at every measurement."""

FIRST_MEASUREMENT = 8

USUAL_SLOPE = -2.8
"""Of the exploitability against the iterations, in logarithms, before it has been seen."""

LONGEST_STEP = 1.3
"""How much further a measurement may be than the last one, as a share of the iterations so far."""

LONGEST_STEP_RISING = 0.3
"""The same where the exploitability has risen: it falls steeply soon after."""

STALL_ITERATIONS = 100
"""A run is not taken for stalled before so many iterations."""

STALL_FACTOR = 4
"""Over how many times as many iterations the exploitability must have got a new low.

A low is often followed by a rise that lasts for two or three times as many iterations (docs/log.md)."""


def next_measurement(curve: Curve, target_chips: float | None) -> int:
    """The iteration at which to measure next: most of the way to where the curve says that the target is met.

    Measuring costs about half an iteration, an iteration too many costs one.  In logarithms curves fall with a slope
    of 2 to 3, and the slope so far says more the further it was measured over.  The numbers are from a search over
    the curves of twenty spots (docs/log.md).
    """
    if not curve:
        return FIRST_MEASUREMENT
    last, _, value = curve[-1]
    if target_chips is None or value <= 0.0:
        return math.ceil(last * 1.5)
    if value <= target_chips:
        return last + max(1, last // 20)
    earlier = next((point for point in reversed(curve[:-1]) if point[0] <= last / 1.3), curve[0])
    slope = USUAL_SLOPE
    if earlier[0] < last:
        span = math.log(last / earlier[0])
        slope += span / (span + 1.0) * (math.log(value / earlier[2]) / span - USUAL_SLOPE)
    slope = min(-1.0, max(-4.0, slope))
    ahead = last * ((target_chips / value) ** (1.0 / slope) - 1.0)
    rises = any(point[2] < value for point in curve)
    longest = LONGEST_STEP_RISING if rises else LONGEST_STEP
    return last + max(1, math.ceil(min(max(0.9 * ahead, 0.02 * last), longest * last)))


def has_stalled(curve: Curve) -> bool:
    """Whether the newest measurement shows that the exploitability has stopped falling.

    That is so when no measurement after a quarter of the iterations is below the lowest before.  More iterations
    would not help: the steps of the precision, or regrets that count as ties, are as coarse as what is left to be
    learnt.
    """
    if not curve or curve[-1][0] < STALL_ITERATIONS:
        return False
    old = curve[-1][0] // STALL_FACTOR
    before = [chips for iteration, _, chips in curve if iteration <= old]
    since = [chips for iteration, _, chips in curve if iteration > old]
    return bool(before) and min(since) >= min(before)
