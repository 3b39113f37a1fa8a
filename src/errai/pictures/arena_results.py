"""Pictures of the results of matches: a running result, a distribution, intervals, a crosstable."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from errai.pictures.canvas import Drawing, fitted_size, text_width
from errai.pictures.curves import tick_text
from errai.pictures.palette import ABOVE, BELOW, EMPTY, INK, PAPER, RGB, RULE, SERIES, SOFT_INK, WHITE, blend, ink_on

NORMAL_95 = 1.959964
"""Half the width of a 95 % interval in standard errors."""

LEFT, RIGHT, TOP, BOTTOM = 84.0, 26.0, 62.0, 58.0


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
    height = 380.0
    drawing = Drawing(width, height, description=title)
    data = [
        tuple(np.asarray(column, dtype=np.float64) for column in (line.hands, line.mean, line.standard_error))
        for line in lines
    ]
    shown = [(hands, mean, NORMAL_95 * error) for hands, mean, error in data if len(hands)]
    # The result varies widely over the first hands; they must not determine the scale.
    late = [(m[-1] - 4 * max(e[-1], 1e-9), m[-1] + 4 * max(e[-1], 1e-9)) for _, m, e in shown]
    low = min([*(pair[0] for pair in late), 0.0 if exact is None else exact], default=-1.0)
    high = max([*(pair[1] for pair in late), 0.0 if exact is None else exact], default=1.0)
    low, high = _airy(low, high)
    most = max((float(hands[-1]) for hands, _, _ in shown), default=1.0)
    right, bottom = width - RIGHT, height - BOTTOM

    def at_x(x: float) -> float:
        return LEFT + x / most * (right - LEFT)

    def at_y(y: float) -> float:
        return bottom - (min(max(y, low), high) - low) / (high - low) * (bottom - TOP)

    _frame(drawing, title, unit, (low, high), at_y, right)
    for value in _steps(0.0, most, 6):
        drawing.text(at_x(value), bottom + 20, tick_text(value), size=12, anchor="middle", fill=SOFT_INK)
    drawing.text((LEFT + right) / 2, height - 14, "hands", size=12.5, anchor="middle", fill=SOFT_INK)
    for place, (hands, mean, reach) in enumerate(shown):
        colour = SERIES[place % len(SERIES)]
        band = [(at_x(x), at_y(y)) for x, y in zip(hands, mean + reach, strict=True)]
        band += [(at_x(x), at_y(y)) for x, y in zip(hands[::-1], (mean - reach)[::-1], strict=True)]
        drawing.path(band, fill=colour, opacity=0.16)
    for place, (hands, mean, _) in enumerate(shown):
        points = [(at_x(x), at_y(y)) for x, y in zip(hands, mean, strict=True)]
        drawing.path(points, stroke=SERIES[place % len(SERIES)], width=2.0)
    if exact is not None:
        drawing.path([(LEFT, at_y(exact)), (right, at_y(exact))], stroke=INK, width=1.3, dash=(6, 4))
        drawing.text(LEFT + 8, at_y(exact) - 6, f"exact {exact:,.5g}", size=11.5, halo=PAPER)
    _legend(drawing, [line.name for line in lines], right)
    return drawing


def distribution_drawing(
    values: ArrayLike, counts: ArrayLike, *, unit: str, title: str, width: float = 760.0
) -> Drawing:
    """Draw a histogram of results, with the number of hands on a logarithmic axis.

    ``values`` float[K] are in ``unit``; ``counts`` int[K] is the number of each.
    """
    height = 320.0
    drawing = Drawing(width, height, description=title)
    x, n = np.asarray(values, dtype=np.float64), np.asarray(counts, dtype=np.float64)
    right, bottom = width - RIGHT, height - BOTTOM
    low, high = (float(x.min()), float(x.max())) if len(x) else (-1.0, 1.0)
    reach = max(abs(low), abs(high), 1e-12)
    bins = 61  # odd, so that 0 has a bar of its own
    edges = np.linspace(-reach, reach, bins + 1)
    held = np.histogram(x, bins=edges, weights=n)[0]
    top = math.log10(max(float(held.max(initial=1.0)), 10.0)) * 1.05

    def at_x(value: float) -> float:
        return LEFT + (value + reach) / (2 * reach) * (right - LEFT)

    def at_y(count: float) -> float:
        return bottom - math.log10(max(count, 0.8) / 0.8) / (top - math.log10(0.8)) * (bottom - TOP)

    _title(drawing, LEFT, title)
    drawing.text(LEFT, TOP - 12, "number of hands, on a logarithmic axis", size=12, fill=SOFT_INK)
    for power in range(int(top) + 1):
        y = at_y(10.0**power)
        drawing.path([(LEFT, y), (right, y)], stroke=RULE)
        drawing.text(LEFT - 10, y + 4, tick_text(10.0**power), size=12, anchor="end", fill=SOFT_INK)
    for begin, end, count in zip(edges[:-1], edges[1:], held, strict=True):
        if count:
            middle = (begin + end) / 2
            colour = SOFT_INK if abs(middle) < (end - begin) / 2 else (ABOVE if middle > 0 else BELOW)
            y = at_y(count)
            drawing.rect(at_x(begin) + 0.5, y, at_x(end) - at_x(begin) - 1.0, bottom - y, colour)
            hint = f"{begin:,.4g} to {end:,.4g} {unit}: {count:,.0f} hands"
            drawing.hint(at_x(begin), TOP, at_x(end) - at_x(begin), bottom - TOP, hint)
    drawing.path([(LEFT, bottom), (right, bottom)], stroke=SOFT_INK, width=1.2)
    for value in _steps(-reach, reach, 6):
        drawing.text(at_x(value), bottom + 20, _signed(value), size=12, anchor="middle", fill=SOFT_INK)
    drawing.text((LEFT + right) / 2, height - 14, unit, size=12.5, anchor="middle", fill=SOFT_INK)
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
    left, right = label_width, width - max(remark_width, RIGHT)
    ends = [end for row in rows for end in (row.low, row.high, row.value) if math.isfinite(end)]
    low, high = _airy(min([*ends, 0.0]), max([*ends, 0.0]))

    def at_x(x: float) -> float:
        return left + (x - low) / (high - low) * (right - left)

    bottom = height - 52.0
    _title(drawing, 16, title)
    for value in _steps(low, high, 7):
        drawing.path([(at_x(value), top - 10), (at_x(value), bottom)], stroke=RULE)
        drawing.text(at_x(value), bottom + 18, _signed(value), size=12, anchor="middle", fill=SOFT_INK)
    drawing.path([(at_x(0), top - 10), (at_x(0), bottom)], stroke=SOFT_INK, width=1.3)
    drawing.text((left + right) / 2, height - 12, unit, size=12.5, anchor="middle", fill=SOFT_INK)
    for place, row in enumerate(rows):
        y = top + step * (place + 0.4)
        drawing.text(16, y + 5, row.label, size=13)
        drawing.text(width - 12, y + 5, row.remark, size=12, anchor="end", fill=SOFT_INK)
        colour = _tone(row.low, row.high)
        if math.isfinite(row.low) and math.isfinite(row.high):
            drawing.path([(at_x(row.low), y), (at_x(row.high), y)], stroke=colour, width=3.0)
            for end in (row.low, row.high):
                drawing.path([(at_x(end), y - 5), (at_x(end), y + 5)], stroke=colour, width=1.6)
        drawing.rect(at_x(row.value) - 4, y - 4, 8, 8, colour, radius=4)
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
    _title(drawing, 16, title)
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
            won = _signed(float(values[i, j]))
            drawing.text(x + cell / 2, y + 21, won, size=13, anchor="middle", bold=True, fill=ink)
            reach = f"± {NORMAL_95 * float(spread[i, j]):,.4g}"
            drawing.text(x + cell / 2, y + 37, reach, size=11, anchor="middle", fill=blend(ink, tone, 0.25))
    drawing.text(16, drawing.height - 12, f"{unit}, row against column, ± 95 %", size=12, fill=SOFT_INK)
    return drawing


def _title(drawing: Drawing, x: float, title: str) -> None:
    """Write a title, smaller where it would be wider than the picture."""
    size = fitted_size(title, 16, drawing.width - x - 12, bold=True)
    drawing.text(x, 30, title, size=size, bold=True)


def _tone(low: float, high: float) -> RGB:
    if low > 0:
        return ABOVE
    return BELOW if high < 0 else SOFT_INK


def _signed(value: float) -> str:
    if abs(value) < 1e-9:
        return "0"
    size = abs(value)
    text = f"{size:,.0f}" if size >= 1000 else f"{size:.4g}"
    return f"{'+' if value > 0 else '−'}{text}"


def _airy(low: float, high: float) -> tuple[float, float]:
    if not high > low:
        low, high = low - 1.0, high + 1.0
    air = 0.06 * (high - low)
    return low - air, high + air


def _steps(low: float, high: float, about: int) -> list[float]:
    """Round numbers from low to high, about the given number of them."""
    raw = (high - low) / max(about, 1)
    power = 10.0 ** math.floor(math.log10(raw))
    step = next(m * power for m in (1, 2, 5, 10) if m * power >= raw * 0.999)
    return [i * step for i in range(math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9) + 1)]


def _frame(drawing: Drawing, title: str, unit: str, span: tuple[float, float], at_y: object, right: float) -> None:
    assert callable(at_y)
    _title(drawing, LEFT, title)
    drawing.text(LEFT, TOP - 12, unit, size=12, fill=SOFT_INK)
    for value in _steps(*span, 6):
        y = at_y(value)
        drawing.path([(LEFT, y), (right, y)], stroke=SOFT_INK if abs(value) < 1e-12 else RULE)
        drawing.text(LEFT - 10, y + 4, _signed(value), size=12, anchor="end", fill=SOFT_INK)


def _legend(drawing: Drawing, names: Sequence[str], right: float) -> None:
    x = max(right - sum(text_width(name, 12) + 40 for name in names), 12.0)
    for place, name in enumerate(names):
        colour = SERIES[place % len(SERIES)]
        drawing.path([(x, TOP - 16), (x + 22, TOP - 16)], stroke=colour, width=3.0)
        drawing.text(x + 28, TOP - 12, name, size=12)
        x += text_width(name, 12) + 40
