"""Convergence curves: exploitability against iterations or seconds, both axes logarithmic.

A run is the ``curve`` of a solution: float64[k, 3], columns iteration, seconds, exploitability in chips.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import ArrayLike

from errai.errors import InputError
from errai.pictures.canvas import Drawing, text_width
from errai.pictures.palette import INK, PAPER, RULE, SERIES, SOFT_INK
from errai.solutions.node_view import Floats

if TYPE_CHECKING:
    from rich.text import Text

Against = Literal["iterations", "seconds"]

LEFT, RIGHT, TOP, BOTTOM = 78.0, 26.0, 62.0, 58.0
DASHES: tuple[tuple[float, ...], ...] = ((), (7, 4), (2, 3.5), (9, 3, 2, 3))
MOST_NAMES_INSIDE = 4
"""The most runs for which the legend is inside the plot."""
BLOCKS = "▁▂▃▄▅▆▇█"


def curves_drawing(
    runs: Mapping[str, ArrayLike],
    *,
    against: Against = "iterations",
    unit: str = "chips",
    chips_per_unit: float = 1.0,
    target: float | None = None,
    title: str = "",
    width: float = 760.0,
    height: float = 460.0,
) -> Drawing:
    """Draw the convergence of one or several runs.

    ``unit`` names the unit of exploitability on the axis and ``chips_per_unit`` converts: the curve's chips
    are divided by it.  ``target``, in that unit, is drawn as a dashed line.  Points that a logarithmic axis
    cannot show (iteration 0, exploitability 0) are left out.

    Raises
    ------
    InputError
        If there is no run, a run has the wrong shape, or ``against`` is unknown.
    """
    series = _series(runs, against, chips_per_unit)
    points = [p for p in series.values() if len(p)]
    xs = np.concatenate([p[:, 0] for p in points]) if points else np.array([1.0, 10.0])
    ys = np.concatenate([p[:, 1] for p in points]) if points else np.array([0.1, 1.0])
    if target is not None and target > 0:
        ys = np.append(ys, target)
    x_low, x_high = _span(xs)
    y_low, y_high = _span(ys)
    names = list(series)
    # A long legend would hide the curves, so it is drawn beside them.
    beside = len(names) > MOST_NAMES_INSIDE
    drawing = Drawing(width + (_legend_width(names) + 8 if beside else 0), height, description=title or "Convergence")
    right, bottom = width - RIGHT, height - BOTTOM

    def at_x(x: float) -> float:
        return LEFT + (math.log10(x) - x_low) / (x_high - x_low) * (right - LEFT)

    def at_y(y: float) -> float:
        return bottom - (math.log10(y) - y_low) / (y_high - y_low) * (bottom - TOP)

    drawing.text(LEFT, 30, title or "Convergence", size=16, bold=True)
    drawing.text(LEFT, TOP - 12, f"exploitability, {unit}", size=12, fill=SOFT_INK)
    for value, labelled in _ticks(y_low, y_high):
        y = at_y(value)
        drawing.path([(LEFT, y), (right, y)], stroke=RULE, width=1.0 if labelled else 0.4)
        if labelled:
            drawing.text(LEFT - 10, y + 4, tick_text(value), size=12, anchor="end", fill=SOFT_INK)
    for value, labelled in _ticks(x_low, x_high):
        x = at_x(value)
        drawing.path([(x, TOP), (x, bottom)], stroke=RULE, width=1.0 if labelled else 0.4)
        if labelled:
            drawing.text(x, bottom + 20, tick_text(value), size=12, anchor="middle", fill=SOFT_INK)
    drawing.path([(LEFT, bottom), (right, bottom)], stroke=SOFT_INK, width=1.2)
    drawing.text((LEFT + right) / 2, height - 14, against, size=12.5, anchor="middle", fill=SOFT_INK)
    if target is not None and target > 0:
        y = at_y(target)
        drawing.path([(LEFT, y), (right, y)], stroke=INK, width=1.3, dash=(6, 4))
        drawing.text(LEFT + 8, y - 6, f"target {tick_text(target)}", size=11.5, halo=PAPER)
    for place, line in enumerate(series.values()):
        colour, dash = SERIES[place % len(SERIES)], DASHES[place // len(SERIES) % len(DASHES)]
        if len(line) > 1:
            drawing.path([(at_x(x), at_y(y)) for x, y in line], stroke=colour, width=2.2, dash=dash)
        for x, y in line if len(line) <= 30 else line[-1:]:
            drawing.rect(at_x(x) - 2.6, at_y(y) - 2.6, 5.2, 5.2, colour, radius=2.5)
    _legend(drawing, names, right + 8 if beside else right - _legend_width(names) - 8)
    return drawing


def curves_svg(runs: Mapping[str, ArrayLike], **options: object) -> str:
    """Return convergence curves as one SVG element; options as for :func:`curves_drawing`."""
    return curves_drawing(runs, **options).svg()  # type: ignore[arg-type]


def curves_png(runs: Mapping[str, ArrayLike], *, scale: float = 2.0, **options: object) -> bytes:
    """Return convergence curves as PNG data; options as for :func:`curves_drawing`."""
    return curves_drawing(runs, **options).png(scale=scale)  # type: ignore[arg-type]


def sparkline(values: ArrayLike, *, width: int = 24, ascii_only: bool = False) -> str:
    """Return a one-line plot of positive values, logarithmic, of at most ``width`` characters."""
    data = np.asarray(values, dtype=np.float64)
    data = data[np.isfinite(data) & (data > 0)]
    if len(data) == 0:
        return ""
    if len(data) > width:
        data = data[np.linspace(0, len(data) - 1, width).round().astype(int)]
    logs = np.log10(data)
    spread = float(logs.max() - logs.min())
    steps = "_.-=^" if ascii_only else BLOCKS
    levels = np.zeros(len(logs)) if spread <= 0 else (logs - logs.min()) / spread * (len(steps) - 1)
    return "".join(steps[round(float(level))] for level in levels)


def curves_terminal(
    runs: Mapping[str, ArrayLike],
    *,
    against: Against = "iterations",
    unit: str = "chips",
    chips_per_unit: float = 1.0,
    width: int = 72,
    height: int = 14,
    ascii_only: bool = False,
) -> Text:
    """Return convergence curves as a compact plot of braille dots (or letters) for a rich console."""
    from rich.text import Text

    series = _series(runs, against, chips_per_unit)
    shown = [p for p in series.values() if len(p)]
    text = Text()
    if not shown:
        return text.append("no measurements yet")
    x_low, x_high = _span(np.concatenate([p[:, 0] for p in shown]))
    y_low, y_high = _span(np.concatenate([p[:, 1] for p in shown]))
    margin = 9
    columns, across, down = width - margin - 1, (1 if ascii_only else 2), (1 if ascii_only else 4)
    cells = np.zeros((height, columns), dtype=np.int32)
    owner = np.full((height, columns), -1, dtype=np.int32)
    for place, points in enumerate(series.values()):
        logs = np.log10(points) if len(points) else points
        x = (logs[:, 0] - x_low) / (x_high - x_low) * (columns * across - 1)
        y = (y_high - logs[:, 1]) / (y_high - y_low) * (height * down - 1)
        for column, row in _dots(x, y):
            cells[row // down, column // across] |= 1 << (_BRAILLE[row % down][column % across] if down == 4 else 0)
            owner[row // down, column // across] = place
    text.append(f"exploitability, {unit}\n", style="dim")
    y_marks = {
        round((y_high - math.log10(value)) / (y_high - y_low) * (height - 1)): tick_text(value)
        for value in _named_ticks(y_low, y_high)
    }
    for row in range(height):
        text.append(y_marks.get(row, "").rjust(margin - 1) + (" |" if ascii_only else " ▏"), style="dim")
        for column in range(columns):
            if not cells[row, column]:
                text.append(" ")
                continue
            place = int(owner[row, column])
            red, green, blue = SERIES[place % len(SERIES)]
            char = chr(ord("a") + place % 26) if ascii_only else chr(0x2800 + int(cells[row, column]))
            text.append(char, style=f"rgb({red},{green},{blue})")
        text.append("\n")
    axis = ""
    for value in _named_ticks(x_low, x_high):
        label = tick_text(value)
        column = round((math.log10(value) - x_low) / (x_high - x_low) * (columns - 1)) - len(label) // 2
        if column > len(axis) or (column >= 0 and not axis):
            axis = axis.ljust(column) + label
    text.append(" " * (margin + 1) + axis + f"  {against}\n", style="dim")
    for place, name in enumerate(series):
        red, green, blue = SERIES[place % len(SERIES)]
        sign = chr(ord("a") + place % 26) if ascii_only else "━━"
        text.append(" " * (margin + 1) + sign, style=f"rgb({red},{green},{blue})")
        text.append(f" {name}\n")
    return text


_BRAILLE = ((0, 3), (1, 4), (2, 5), (6, 7))


def _dots(x: Floats, y: Floats) -> list[tuple[int, int]]:
    """Return the dots on the lines between successive points."""
    dots = []
    for i in range(len(x)):
        j = min(i + 1, len(x) - 1)
        steps = max(1, math.ceil(max(abs(x[j] - x[i]), abs(y[j] - y[i]))))
        for k in range(steps + 1):
            dots.append((round(x[i] + (x[j] - x[i]) * k / steps), round(y[i] + (y[j] - y[i]) * k / steps)))
    return dots


def _series(runs: Mapping[str, ArrayLike], against: Against, chips_per_unit: float) -> dict[str, Floats]:
    if against not in ("iterations", "seconds"):
        raise InputError(f"A curve is drawn against 'iterations' or 'seconds', not {against!r}.")
    if not runs:
        raise InputError("There is no run to draw; give at least one name with its curve.")
    column = 0 if against == "iterations" else 1
    series = {}
    for name, curve in runs.items():
        data = np.asarray(curve, dtype=np.float64)
        if data.ndim != 2 or data.shape[1] != 3:
            raise InputError(
                f"The curve of {name!r} has shape {data.shape}; expected rows of iteration, seconds, exploitability."
            )
        points = np.column_stack([data[:, column], data[:, 2] / chips_per_unit])
        series[name] = points[np.isfinite(points).all(axis=1) & (points > 0).all(axis=1)]
    return series


def _span(values: Floats) -> tuple[float, float]:
    """Return log10 limits with a small margin, at least half a decade apart."""
    low, high = math.log10(float(values.min())), math.log10(float(values.max()))
    air = 0.04 * (high - low)
    low, high = low - air, high + air
    if high - low < 0.5:
        middle = (low + high) / 2
        low, high = middle - 0.25, middle + 0.25
    return low, high


def _ticks(low: float, high: float) -> list[tuple[float, bool]]:
    """Return (value, labelled): powers of ten are labelled, and 2 and 5 as well on a short axis."""
    ticks = []
    decades = high - low
    every = 1 if decades <= 8 else math.ceil(decades / 8)
    for power in range(math.floor(low), math.ceil(high) + 1):
        for digit in range(1, 10):
            place = power + math.log10(digit)
            if low <= place <= high:
                named = digit == 1 and power % every == 0
                named = named or (decades < 2.2 and digit in (2, 5)) or (decades < 0.8 and digit in (3, 4, 7))
                if digit == 1 or decades <= 5:
                    ticks.append((digit * 10.0**power, named))
    return ticks


def _named_ticks(low: float, high: float) -> list[float]:
    return [value for value, labelled in _ticks(low, high) if labelled]


def tick_text(value: float) -> str:
    """Write the value of a tick: 1,000, 0.01, 1e-5."""
    if value == 0:
        return "0"
    power = math.floor(math.log10(abs(value)) + 1e-9)
    if power < -4 or power >= 7:
        return f"{value:.2g}".replace("e-0", "e-").replace("e+0", "e")
    if value >= 100:
        return f"{value:,.0f}"
    return f"{value:.{max(0, 2 - power)}f}".rstrip("0").rstrip(".") if power < 2 else f"{value:.0f}"


def _legend_width(names: Sequence[str]) -> float:
    return max((text_width(name, 12.5) for name in names), default=0.0) + 48


def _legend(drawing: Drawing, names: Sequence[str], left: float) -> None:
    if len(names) < 2 and not any(names):
        return
    width = _legend_width(names)
    height = 20.0 * len(names) + 10
    drawing.rect(left, TOP + 8, width, height, PAPER, opacity=0.9, stroke=RULE, radius=3)
    for place, name in enumerate(names):
        y = TOP + 8 + 15 + 20 * place
        colour, dash = SERIES[place % len(SERIES)], DASHES[place // len(SERIES) % len(DASHES)]
        drawing.path([(left + 10, y), (left + 32, y)], stroke=colour, width=2.6, dash=dash)
        drawing.text(left + 40, y + 4.5, name, size=12.5)
