"""Curves on logarithmic axes, such as exploitability against iterations, and clouds of points beside their diagonal.

A run is the ``curve`` of a solution: float64[k, 3], columns iteration, seconds, exploitability in chips.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from errai.errors import InputError
from errai.pictures.canvas import Drawing, text_width
from errai.pictures.palette import INK, PAPER, RULE, SOFT_INK
from errai.pictures.plot import LEFT, TOP, Axis, Plot, series, tick_text
from errai.solutions.node import Floats

Against = Literal["iterations", "seconds"]

MOST_NAMES_INSIDE = 4
"""The most runs for which the legend is inside the plot."""
NAME_HEIGHT = 15.0
"""The least distance between the names at the ends of the lines of losses."""
CLOUD_SIDE, CLOUD_LEFT, CLOUD_TOP, CLOUD_GAP, CLOUD_BOTTOM = 380.0, 64.0, 74.0, 70.0, 56.0
FAINT = 0.25
"""Opacity of the lightest points."""


@dataclass(frozen=True, eq=False)
class Cloud:
    """Points of one kind; points with a number that is not finite are left out."""

    name: str
    across: Floats
    upwards: Floats
    weights: Floats
    """Not negative; heavier points are drawn more strongly."""
    labels: Sequence[str]


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

    ``unit`` is the unit of exploitability on the axis, by which the curve's chips are divided: ``chips_per_unit``.
    ``target``, in that unit, is drawn as a dashed line.  Points that a logarithmic axis cannot show (iteration 0,
    exploitability 0) are left out.  Raises :class:`InputError` if there is no run, a run has the wrong shape, or
    ``against`` is unknown.
    """
    lines = points_of(runs, against, chips_per_unit)
    points = [p for p in lines.values() if len(p)]
    xs = np.concatenate([p[:, 0] for p in points]) if points else np.array([1.0, 10.0])
    ys = np.concatenate([p[:, 1] for p in points]) if points else np.array([0.1, 1.0])
    if target is not None and target > 0:
        ys = np.append(ys, target)
    names = list(lines)
    # A long legend would hide the curves, so it is drawn beside them.
    beside = len(names) > MOST_NAMES_INSIDE
    drawing = Drawing(width + (_legend_width(names) + 8 if beside else 0), height, description=title or "Convergence")
    plot = Plot(drawing, log_axis(xs), log_axis(ys), right=width - 26.0)
    plot.heading(title or "Convergence", f"exploitability, {unit}")
    plot.mark_up(tick_text)
    plot.mark_across(tick_text, against, rules=True)
    if target is not None and target > 0:
        plot.level(target, f"target {tick_text(target)}")
    for number, line in enumerate(lines.values()):
        plot.line(line.tolist(), number)
    _legend(drawing, names, plot.right + 8 if beside else plot.right - _legend_width(names) - 8)
    return drawing


def losses_drawing(
    curves: Mapping[str, Sequence[float]], baselines: Mapping[str, float] | None = None, *, title: str = ""
) -> Drawing:
    """Draw the held-out losses of a network against epochs.

    ``curves`` are the losses before the first epoch and after each one, by the name of the stratum; ``baselines`` those
    of checking hands down, drawn as short dashed lines at the left edge.  Raises :class:`InputError` if no loss is
    above 0.
    """
    shown = {name: [(x, y) for x, y in enumerate(losses) if y > 0] for name, losses in curves.items()}
    marks = {name: y for name, y in (baselines or {}).items() if name in shown and y > 0}
    heights = [y for points in shown.values() for _, y in points] + list(marks.values())
    if not heights:
        raise InputError("There is no loss to draw; give at least one curve with a number above 0.")
    last = max(max((x for x, _ in points), default=0) for points in shown.values())
    drawing = Drawing(760.0, 460.0, description=title or "Held-out losses")
    low, high = math.floor(math.log10(min(heights)) * 4) / 4, math.ceil(math.log10(max(heights)) * 4 + 1e-9) / 4
    plot = Plot(drawing, Axis(0.0, max(last, 1)), Axis(low, high, logarithmic=True), right=610.0)
    unit = "Huber loss of values in what one player has put in"
    plot.heading(title or "Held-out losses", unit + ("; dashed: hands checked down" if marks else ""))
    plot.mark_up(tick_text)
    plot.mark_across(tick_text, "epochs", about=min(10, max(last, 1)))
    names = []
    for number, (name, points) in enumerate(shown.items()):
        plot.line(points, number)
        colour, _ = series(number)
        if name in marks:
            y = plot.y(marks[name])
            drawing.path([(LEFT, y), (LEFT + 64, y)], stroke=colour, width=1.3, dash=(3, 3))
        if points:
            names.append((plot.y(points[-1][1]), f"{name}: {points[-1][1]:.3g}", colour))
    floor = -math.inf
    for y, text, colour in sorted(names):
        floor = max(y, floor + NAME_HEIGHT)
        drawing.rect(plot.right + 8, floor - 4, 8, 8, colour, radius=2)
        drawing.text(plot.right + 20, floor + 4, text, size=12, fill=INK)
    return drawing


def scatter_drawing(clouds: Sequence[Cloud], across: str, upwards: str, title: str = "") -> Drawing:
    """Draw clouds side by side on the same scale, with the line of equal numbers."""
    span = common_axis(clouds)
    width = CLOUD_LEFT + len(clouds) * (CLOUD_SIDE + CLOUD_GAP) - CLOUD_GAP + 24.0
    drawing = Drawing(width, CLOUD_TOP + CLOUD_SIDE + CLOUD_BOTTOM, description=title or f"{upwards} against {across}")
    drawing.text(CLOUD_LEFT, 28, title, size=16, bold=True)
    for number, cloud in enumerate(clouds):
        left = CLOUD_LEFT + number * (CLOUD_SIDE + CLOUD_GAP)
        plot = Plot(
            drawing, span, span, left=left, right=left + CLOUD_SIDE, top=CLOUD_TOP, bottom=CLOUD_TOP + CLOUD_SIDE
        )
        drawing.text(left, CLOUD_TOP - 12, cloud.name, size=13)
        plot.mark_up("{:g}".format, about=5)
        plot.mark_across("{:g}".format, across, rules=True, floor=False, about=5)
        drawing.path([(left, plot.bottom), (plot.right, CLOUD_TOP)], stroke=INK, width=1.0, dash=(5, 4))
        heaviest = float(cloud.weights.max(initial=0.0)) or 1.0
        for i in np.flatnonzero(np.isfinite(cloud.across) & np.isfinite(cloud.upwards)):
            x, y = plot.at(float(cloud.across[i]), float(cloud.upwards[i]))
            strong = FAINT + (1.0 - FAINT) * math.sqrt(float(cloud.weights[i]) / heaviest)
            drawing.rect(x - 2.2, y - 2.2, 4.4, 4.4, series(number)[0], opacity=strong, radius=2.2)
            words = f"{cloud.labels[int(i)]}: {across} {cloud.across[i]:.3g}, {upwards} {cloud.upwards[i]:.3g}"
            drawing.hint(x - 3, y - 3, 6, 6, words)
        drawing.text(left + 8, CLOUD_TOP + 16, upwards, size=12, fill=SOFT_INK, halo=PAPER)
    return drawing


def points_of(runs: Mapping[str, ArrayLike], against: Against, chips_per_unit: float) -> dict[str, Floats]:
    """Return the points of each run that have logarithms; errors as for :func:`curves_drawing`."""
    if against not in ("iterations", "seconds"):
        raise InputError(f"A curve is drawn against 'iterations' or 'seconds', not {against!r}.")
    if not runs:
        raise InputError("There is no run to draw; give at least one name with its curve.")
    column = 0 if against == "iterations" else 1
    lines = {}
    for name, curve in runs.items():
        data = np.asarray(curve, dtype=np.float64)
        if data.ndim != 2 or data.shape[1] != 3:
            raise InputError(
                f"The curve of {name!r} has the shape {data.shape}; it must have rows of iteration, seconds and "
                "exploitability."
            )
        points = np.column_stack([data[:, column], data[:, 2] / chips_per_unit])
        lines[name] = points[np.isfinite(points).all(axis=1) & (points > 0).all(axis=1)]
    return lines


def log_axis(values: Floats) -> Axis:
    """Return a logarithmic axis with a small margin, of at least half a decade."""
    low, high = math.log10(float(values.min())), math.log10(float(values.max()))
    air = max(0.04 * (high - low), (0.5 - (high - low)) / 2)
    return Axis(low - air, high + air, logarithmic=True)


def _legend_width(names: Sequence[str]) -> float:
    return max((text_width(name, 12.5) for name in names), default=0.0) + 48


def _legend(drawing: Drawing, names: Sequence[str], left: float) -> None:
    if len(names) < 2 and not any(names):
        return
    drawing.rect(left, TOP + 8, _legend_width(names), 20.0 * len(names) + 10, PAPER, opacity=0.9, stroke=RULE, radius=3)
    for number, name in enumerate(names):
        y = TOP + 8 + 15 + 20 * number
        colour, dash = series(number)
        drawing.path([(left + 10, y), (left + 32, y)], stroke=colour, width=2.6, dash=dash)
        drawing.text(left + 40, y + 4.5, name, size=12.5)


def common_axis(clouds: Sequence[Cloud]) -> Axis:
    """Return the axis of all numbers of clouds."""
    both = np.concatenate([np.concatenate([c.across, c.upwards]) for c in clouds])
    both = both[np.isfinite(both)]
    low, high = (float(both.min()), float(both.max())) if len(both) else (0.0, 1.0)
    air = 0.04 * (high - low) or 0.5
    return Axis(low - air, high + air)
