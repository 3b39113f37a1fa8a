"""Held-out losses during the training of a network: a line for each stratum, on a logarithmic axis."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from errai.errors import InputError
from errai.pictures.canvas import Drawing
from errai.pictures.curves import DASHES, tick_text
from errai.pictures.palette import INK, RULE, SERIES, SOFT_INK

LEFT, RIGHT, TOP, BOTTOM = 78.0, 150.0, 62.0, 58.0
NAME_HEIGHT = 15.0
"""The least distance between the names at the ends of the lines."""


def losses_drawing(
    curves: Mapping[str, Sequence[float]],
    baselines: Mapping[str, float] | None = None,
    *,
    title: str = "",
    width: float = 760.0,
    height: float = 460.0,
) -> Drawing:
    """Draw losses against epochs.

    Parameters
    ----------
    curves:
        The losses before the first epoch and after each one, by the name of the stratum.
    baselines:
        The loss of checking hands down, by the same names, drawn as a short dashed line at the left edge.

    Raises
    ------
    InputError
        There is no curve with a loss above 0.
    """
    shown = {name: [(x, y) for x, y in enumerate(losses) if y > 0] for name, losses in curves.items()}
    marks = {name: y for name, y in (baselines or {}).items() if name in shown and y > 0}
    heights = [y for points in shown.values() for _, y in points] + list(marks.values())
    if not heights:
        raise InputError("There is no loss to draw; give at least one curve with a number above 0.")
    low, high = math.floor(math.log10(min(heights)) * 4) / 4, math.ceil(math.log10(max(heights)) * 4 + 1e-9) / 4
    last = max(max((x for x, _ in points), default=0) for points in shown.values())
    right, bottom = width - RIGHT, height - BOTTOM

    def at_x(x: float) -> float:
        return LEFT + x / max(last, 1) * (right - LEFT)

    def at_y(y: float) -> float:
        return bottom - (math.log10(y) - low) / (high - low) * (bottom - TOP)

    drawing = Drawing(width, height, description=title or "Held-out losses")
    drawing.text(LEFT, 30, title or "Held-out losses", size=16, bold=True)
    unit = "Huber loss of values in what one player has put in"
    drawing.text(LEFT, TOP - 12, unit + ("; dashed: hands checked down" if marks else ""), size=12, fill=SOFT_INK)
    for decade in range(math.floor(low), math.ceil(high) + 1):
        for step in range(1, 10):
            value = step * 10.0**decade
            if low <= math.log10(value) <= high:
                labelled = step in (1, 2, 5)
                drawing.path([(LEFT, at_y(value)), (right, at_y(value))], stroke=RULE, width=1.0 if step == 1 else 0.4)
                if labelled:
                    drawing.text(LEFT - 10, at_y(value) + 4, tick_text(value), size=12, anchor="end", fill=SOFT_INK)
    every = max(1, math.ceil(last / 10))
    for x in range(0, last + 1, every):
        drawing.text(at_x(x), bottom + 20, str(x), size=12, anchor="middle", fill=SOFT_INK)
    drawing.path([(LEFT, bottom), (right, bottom)], stroke=SOFT_INK, width=1.2)
    drawing.text((LEFT + right) / 2, height - 14, "epochs", size=12.5, anchor="middle", fill=SOFT_INK)
    names = []
    for place, (name, points) in enumerate(shown.items()):
        colour, dash = SERIES[place % len(SERIES)], DASHES[place // len(SERIES) % len(DASHES)]
        if len(points) > 1:
            drawing.path([(at_x(x), at_y(y)) for x, y in points], stroke=colour, width=2.2, dash=dash)
        for x, y in points if len(points) <= 30 else points[-1:]:
            drawing.rect(at_x(x) - 2.6, at_y(y) - 2.6, 5.2, 5.2, colour, radius=2.5)
        if name in marks:
            y = at_y(marks[name])
            drawing.path([(LEFT, y), (LEFT + 0.12 * (right - LEFT), y)], stroke=colour, width=1.3, dash=(3, 3))
        if points:
            names.append((at_y(points[-1][1]), f"{name}: {points[-1][1]:.3g}", colour))
    floor = -math.inf
    for y, text, colour in sorted(names):
        floor = max(y, floor + NAME_HEIGHT)
        drawing.rect(right + 8, floor - 4, 8, 8, colour, radius=2)
        drawing.text(right + 20, floor + 4, text, size=12, fill=INK)
    return drawing
