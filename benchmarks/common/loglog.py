"""Pictures with two logarithmic axes, drawn by the project's own canvas."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from errai.pictures.canvas import Drawing, text_width
from errai.pictures.curves import tick_text
from errai.pictures.palette import RGB, RULE, SOFT_INK

Point = tuple[float, float]

LEFT, RIGHT, TOP, BOTTOM = 84.0, 26.0, 62.0, 58.0


@dataclass(frozen=True)
class Series:
    """Points of one kind."""

    name: str
    points: Sequence[Point]
    colour: RGB
    dash: tuple[float, ...] = ()
    line: bool = True
    marks: bool = True


def loglog(
    series: Sequence[Series],
    *,
    title: str,
    across: str,
    up: str,
    width: float = 760.0,
    height: float = 480.0,
) -> Drawing:
    """Draw series of positive points, with the legend beside them; ``across`` and ``up`` name the axes."""
    points = [point for one in series for point in one.points]
    x_low, x_high = _span([x for x, _ in points])
    y_low, y_high = _span([y for _, y in points])
    legend = 56 + max(text_width(one.name, 12.5) for one in series)
    drawing = Drawing(width + legend, height, description=title)
    right, bottom = width - RIGHT, height - BOTTOM

    def at(point: Point) -> Point:
        x = LEFT + (math.log10(point[0]) - x_low) / (x_high - x_low) * (right - LEFT)
        return x, bottom - (math.log10(point[1]) - y_low) / (y_high - y_low) * (bottom - TOP)

    drawing.text(LEFT, 30, title, size=16, bold=True)
    drawing.text(LEFT, TOP - 12, up, size=12, fill=SOFT_INK)
    for value, is_named in _ticks(y_low, y_high):
        _, y = at((10.0**x_low, value))
        drawing.path([(LEFT, y), (right, y)], stroke=RULE, width=1.0 if is_named else 0.4)
        if is_named:
            drawing.text(LEFT - 10, y + 4, tick_text(value), size=12, anchor="end", fill=SOFT_INK)
    for value, is_named in _ticks(x_low, x_high):
        x, _ = at((value, 10.0**y_low))
        drawing.path([(x, TOP), (x, bottom)], stroke=RULE, width=1.0 if is_named else 0.4)
        if is_named:
            drawing.text(x, bottom + 20, tick_text(value), size=12, anchor="middle", fill=SOFT_INK)
    drawing.path([(LEFT, bottom), (right, bottom)], stroke=SOFT_INK, width=1.2)
    drawing.text((LEFT + right) / 2, height - 14, across, size=12.5, anchor="middle", fill=SOFT_INK)
    for place, one in enumerate(series):
        places = [at(point) for point in one.points]
        if one.line and len(places) > 1:
            drawing.path(places, stroke=one.colour, width=1.9, dash=one.dash)
        for x, y in places if one.marks else ():
            drawing.rect(x - 2.8, y - 2.8, 5.6, 5.6, one.colour, radius=2.6)
        y = TOP + 15 + 20 * place
        if one.line:
            drawing.path([(right + 10, y), (right + 36, y)], stroke=one.colour, width=2.2, dash=one.dash)
        if one.marks:
            drawing.rect(right + 20.2, y - 2.8, 5.6, 5.6, one.colour, radius=2.6)
        drawing.text(right + 44, y + 4.5, one.name, size=12.5)
    return drawing


def _span(values: Sequence[float]) -> Point:
    low, high = math.log10(min(values)), math.log10(max(values))
    air = max(0.04 * (high - low), (1.0 - (high - low)) / 2.0)
    return low - air, high + air


def _ticks(low: float, high: float) -> Iterator[tuple[float, bool]]:
    """Values of the grid, and whether they are named: powers of ten, on a short axis others too."""
    named = (1, 2, 5) if high - low < 2.5 else (1,)
    for power in range(math.floor(low), math.ceil(high) + 1):
        for digit in range(1, 10):
            if low <= power + math.log10(digit) <= high:
                yield digit * 10.0**power, digit in named
