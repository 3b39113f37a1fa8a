"""The solver's stopping rule: when a run measures its exploitability, and when it stops.

Both decisions depend only on the measurements so far, so that a resumed run measures and ends at the same iterations as
the whole run would have. csrc/kernels/stopping_rule.hpp has the rules and the reasons for them, because a backend runs
the same loop in one native call (:meth:`errai.kernels.cpu.CpuKernel.run_to_target`).
"""

from __future__ import annotations

from errai.kernels import _cpu

Curve = list[tuple[int, float, float]]
"""(Iteration, seconds, exploitability in chips) at every measurement."""


def next_measurement(curve: Curve, target_chips: float | None) -> int:
    """Return the iteration at which to measure next, most of the way to where the curve should meet the target."""
    return int(_cpu.next_measurement(curve, -1.0 if target_chips is None else target_chips))


def has_stalled(curve: Curve) -> bool:
    """Return whether the newest measurement shows that the exploitability has stopped falling."""
    return bool(_cpu.has_stalled(curve))
