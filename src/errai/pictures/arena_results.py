"""Pictures of the results of matches: a running result, a distribution, intervals, a crosstable."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from errai.pictures.canvas import Drawing, text_width
from errai.pictures.palette import ABOVE, BELOW, EMPTY, RULE, SOFT_INK, WHITE, blend, ink_on
from errai.pictures.plot import Axis, Plot, draw_names, draw_title, series, signed_text, tick_text, with_air

NORMAL_95 = 1.959964
"""Half the width of a 95 % interval in standard errors."""


@dataclass(frozen=True)
class RunningLine:
    """A running result."""

    name: str
    hands: ArrayLike
    mean: ArrayLike
    standard_error: ArrayLike


def running_drawing(
    lines: Sequence[RunningLine], *, unit: str, title: str, exact: float | None = None, width: float = 760.0
) -> Drawing:
    """Draw results against hands, each with a band of 1.96 standard errors; ``exact`` is drawn dashed."""
    drawing = Drawing(width, 380.0, description=title)
    data = [
        tuple(np.asarray(column, dtype=np.float64) for column in (line.hands, line.mean, line.standard_error))
        for line in lines
    ]
    shown = [(hands, mean, NORMAL_95 * error) for hands, mean, error in data if len(hands)]
    # The result varies widely over the first hands; they must not determine the scale.
    late = [m[-1] + side * 4 * max(e[-1], 1e-9) for _, m, e in shown for side in (-1, 1)]
    ends = [*late, *([0.0 if exact is None else exact] if shown else (-1.0, 1.0))]
    most = max((float(hands[-1]) for hands, _, _ in shown), default=1.0)
    plot = Plot(drawing, Axis(0.0, most), with_air(min(ends), max(ends)), left=84.0)
    plot.heading(title, unit)
    plot.mark_up(signed_text)
    plot.mark_across(tick_text, "hands", floor=False)
    for number, (hands, mean, reach) in enumerate(shown):
        band = [*zip(hands, mean + reach, strict=True), *zip(hands[::-1], (mean - reach)[::-1], strict=True)]
        drawing.path([plot.at(x, y) for x, y in band], fill=series(number)[0], opacity=0.16)
    for number, (hands, mean, _) in enumerate(shown):
        plot.line(list(zip(hands, mean, strict=True)), number, dots=False, width=2.0)
    if exact is not None:
        plot.level(exact, f"exact {exact:,.5g}")
    draw_names(drawing, [line.name for line in lines], plot.right)
    return drawing


def distribution_drawing(
    values: ArrayLike, counts: ArrayLike, *, unit: str, title: str, width: float = 760.0
) -> Drawing:
    """Draw a histogram of results, with the number of hands on a logarithmic axis.

    ``values`` float[K] are in ``unit``; ``counts`` int[K] is the number of each.
    """
    drawing = Drawing(width, 320.0, description=title)
    x, n = np.asarray(values, dtype=np.float64), np.asarray(counts, dtype=np.float64)
    reach = max(float(np.abs(x).max(initial=0.0)), 1e-12) if len(x) else 1.0
    edges = np.linspace(-reach, reach, 62)  # an odd number of bars, so that 0 has one of its own
    held = np.histogram(x, bins=edges, weights=n)[0]
    up = Axis(math.log10(0.8), math.log10(max(float(held.max(initial=1.0)), 10.0)) * 1.05, logarithmic=True)
    plot = Plot(drawing, Axis(-reach, reach), up, left=84.0)
    plot.heading(title, "number of hands, on a logarithmic axis")
    for power in range(int(up.high) + 1):
        y = plot.y(10.0**power)
        drawing.path([(plot.left, y), (plot.right, y)], stroke=RULE)
        drawing.text(plot.left - 10, y + 4, tick_text(10.0**power), size=12, anchor="end", fill=SOFT_INK)
    for begin, end, count in zip(edges[:-1], edges[1:], held, strict=True):
        if count:
            middle = (begin + end) / 2
            colour = SOFT_INK if abs(middle) < (end - begin) / 2 else (ABOVE if middle > 0 else BELOW)
            (left, y), right = plot.at(begin, count), plot.x(end)
            drawing.rect(left + 0.5, y, right - left - 1.0, plot.bottom - y, colour)
            hint = f"{begin:,.4g} to {end:,.4g} {unit}: {count:,.0f} hands"
            drawing.hint(left, plot.top, right - left, plot.bottom - plot.top, hint)
    plot.mark_across(signed_text, unit)
    return drawing


@dataclass(frozen=True)
class Row:
    """A value with its interval, and a remark."""

    label: str
    value: float
    low: float
    high: float
    remark: str = ""


def intervals_drawing(rows: Sequence[Row], *, unit: str, title: str, width: float = 760.0) -> Drawing:
    """Draw values with their intervals, one below another, and a line at 0."""
    step, top = 34.0, 64.0
    height = top + step * max(len(rows), 1) + 52.0
    drawing = Drawing(width, height, description=title)
    label_width = max((text_width(row.label, 13) for row in rows), default=60.0) + 24.0
    remark_width = max((text_width(row.remark, 12) for row in rows), default=0.0) + 16.0
    ends = [0.0, *(end for row in rows for end in (row.low, row.high, row.value) if math.isfinite(end))]
    plot = Plot(
        drawing,
        with_air(min(ends), max(ends)),
        Axis(0.0, 1.0),
        left=label_width,
        right=width - max(remark_width, 26.0),
        top=top - 10,
        bottom=height - 52.0,
    )
    draw_title(drawing, title, 16)
    plot.mark_across(signed_text, unit, rules=True, floor=False, about=7)
    drawing.path([(plot.x(0), plot.top), (plot.x(0), plot.bottom)], stroke=SOFT_INK, width=1.3)
    for place, row in enumerate(rows):
        y = top + step * (place + 0.4)
        drawing.text(16, y + 5, row.label, size=13)
        drawing.text(width - 12, y + 5, row.remark, size=12, anchor="end", fill=SOFT_INK)
        colour = ABOVE if row.low > 0 else BELOW if row.high < 0 else SOFT_INK
        if math.isfinite(row.low) and math.isfinite(row.high):
            drawing.path([(plot.x(row.low), y), (plot.x(row.high), y)], stroke=colour, width=3.0)
            for end in (row.low, row.high):
                drawing.path([(plot.x(end), y - 5), (plot.x(end), y + 5)], stroke=colour, width=1.6)
        drawing.rect(plot.x(row.value) - 4, y - 4, 8, 8, colour, radius=4)
        drawing.hint(16, y - 14, width - 32, 28, f"{row.label}: {row.value:,.4g} ({row.low:,.4g} to {row.high:,.4g})")
    return drawing


def crosstable_drawing(names: Sequence[str], means: ArrayLike, errors: ArrayLike, *, unit: str, title: str) -> Drawing:
    """Draw the winnings of each row's player against each column's.

    ``means`` and ``errors`` (standard errors) are float[P, P] in ``unit``; NaN if two did not play.  The hue shows
    the sign, and its strength the significance: it is full from three standard errors on.
    """
    values, spread = np.asarray(means, dtype=np.float64), np.asarray(errors, dtype=np.float64)
    label = max([text_width(name, 13) for name in names] + [90.0]) + 28.0
    cell, row = max(96.0, *(text_width(name, 12) + 14 for name in names)), 46.0
    drawing = Drawing(label + cell * len(names) + 16, 86 + row * len(names) + 34, description=title)
    draw_title(drawing, title, 16)
    for j, name in enumerate(names):
        drawing.text(label + cell * (j + 0.5), 72, name, size=12, anchor="middle", fill=SOFT_INK)
    for i, name in enumerate(names):
        y = 84 + row * i
        drawing.text(16, y + 27, name, size=13)
        for j in range(len(names)):
            x = label + cell * j
            if i == j or not math.isfinite(values[i, j]):
                drawing.rect(x + 1, y + 1, cell - 2, row - 2, EMPTY, radius=4)
                continue
            sure = min(abs(values[i, j]) / max(float(spread[i, j]), 1e-12) / 3.0, 1.0)
            tone = blend(WHITE, ABOVE if values[i, j] > 0 else BELOW, 0.08 + 0.32 * sure)
            drawing.rect(x + 1, y + 1, cell - 2, row - 2, tone, radius=4)
            ink = ink_on(tone)
            won = signed_text(float(values[i, j]))
            drawing.text(x + cell / 2, y + 21, won, size=13, anchor="middle", bold=True, fill=ink)
            reach = f"± {NORMAL_95 * float(spread[i, j]):,.4g}"
            drawing.text(x + cell / 2, y + 37, reach, size=11, anchor="middle", fill=blend(ink, tone, 0.25))
    drawing.text(16, drawing.height - 12, f"{unit}, row against column, ± 95 %", size=12, fill=SOFT_INK)
    return drawing
