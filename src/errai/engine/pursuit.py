"""Where a run measures on its way down to a target, and when it gives up.

Both depend on the curve alone, so that a resumed run measures and ends where the whole run would have.  The rules, and
why they are these, stand in csrc/kernels/pursuit.hpp: a backend runs the same loop in one native call
(``Kernel.pursue``).
"""

from __future__ import annotations

from errai.kernels import _cpu

Curve = list[tuple[int, float, float]]
"""(iteration, seconds, exploitability in chips) at every measurement."""


def next_measurement(curve: Curve, target_chips: float | None) -> int:
    """The iteration at which to measure next: most of the way to where the curve says that the target is met."""
    return int(_cpu.next_measurement(curve, -1.0 if target_chips is None else target_chips))


def has_stalled(curve: Curve) -> bool:
    """Whether the newest measurement shows that the exploitability has stopped falling."""
    return bool(_cpu.has_stalled(curve))
