"""Pictures with two logarithmic axes, drawn by the project's own canvas."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from errai.pictures.canvas import Drawing, text_width
from errai.pictures.palette import RGB
from errai.pictures.plot import TOP, Axis, Plot, tick_text

Point = tuple[float, float]


@dataclass(frozen=True)
class Series:
    """Points of one kind."""

    name: str
    points: Sequence[Point]
    colour: RGB
    dash: tuple[float, ...] = ()
    line: bool = True
    marks: bool = True


def loglog(series: Sequence[Series], *, title: str, across: str, up: str, width: float = 760.0) -> Drawing:
    """Draw series of positive points, with the legend beside them; ``across`` and ``up`` name the axes."""
    axes = [_span([point[i] for one in series for point in one.points]) for i in (0, 1)]
    legend = 56 + max(text_width(one.name, 12.5) for one in series)
    drawing = Drawing(width + legend, 480.0, description=title)
    plot = Plot(drawing, *axes, left=84.0, right=width - 26.0)
    plot.heading(title, up)
    plot.mark_up(tick_text)
    plot.mark_across(tick_text, across, rules=True)
    for place, one in enumerate(series):
        places = [plot.at(*point) for point in one.points]
        if one.line and len(places) > 1:
            drawing.path(places, stroke=one.colour, width=1.9, dash=one.dash)
        y = TOP + 15 + 20 * place
        if one.line:
            drawing.path([(plot.right + 10, y), (plot.right + 36, y)], stroke=one.colour, width=2.2, dash=one.dash)
        for x, at in [*places, (plot.right + 23, y)] if one.marks else ():
            drawing.rect(x - 2.8, at - 2.8, 5.6, 5.6, one.colour, radius=2.6)
        drawing.text(plot.right + 44, y + 4.5, one.name, size=12.5)
    return drawing


def _span(values: Sequence[float]) -> Axis:
    low, high = math.log10(min(values)), math.log10(max(values))
    air = max(0.04 * (high - low), (1.0 - (high - low)) / 2.0)
    return Axis(low - air, high + air, logarithmic=True)
