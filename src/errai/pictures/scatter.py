"""Scatter plots of two numbers: the prediction on the horizontal axis, the exact number on the vertical one."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from errai.pictures.canvas import Drawing
from errai.pictures.palette import INK, PAPER, SOFT_INK
from errai.pictures.plot import Axis, Plot, series
from errai.solutions.node import Floats

SIDE, LEFT, TOP, GAP, BOTTOM = 380.0, 64.0, 74.0, 70.0, 56.0
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


def scatter_drawing(clouds: Sequence[Cloud], across: str, upwards: str, title: str = "") -> Drawing:
    """Draw clouds side by side on the same scale, with the line of equal numbers."""
    span = common_axis(clouds)
    width = LEFT + len(clouds) * (SIDE + GAP) - GAP + 24.0
    drawing = Drawing(width, TOP + SIDE + BOTTOM, description=title or f"{upwards} against {across}")
    drawing.text(LEFT, 28, title, size=16, bold=True)
    for number, cloud in enumerate(clouds):
        left = LEFT + number * (SIDE + GAP)
        plot = Plot(drawing, span, span, left=left, right=left + SIDE, top=TOP, bottom=TOP + SIDE)
        drawing.text(left, TOP - 12, cloud.name, size=13)
        plot.mark_up("{:g}".format, about=5)
        plot.mark_across("{:g}".format, across, rules=True, floor=False, about=5)
        drawing.path([(left, plot.bottom), (plot.right, TOP)], stroke=INK, width=1.0, dash=(5, 4))
        heaviest = float(cloud.weights.max(initial=0.0)) or 1.0
        for i in np.flatnonzero(np.isfinite(cloud.across) & np.isfinite(cloud.upwards)):
            x, y = plot.at(float(cloud.across[i]), float(cloud.upwards[i]))
            strong = FAINT + (1.0 - FAINT) * math.sqrt(float(cloud.weights[i]) / heaviest)
            drawing.rect(x - 2.2, y - 2.2, 4.4, 4.4, series(number)[0], opacity=strong, radius=2.2)
            words = f"{cloud.labels[int(i)]}: {across} {cloud.across[i]:.3g}, {upwards} {cloud.upwards[i]:.3g}"
            drawing.hint(x - 3, y - 3, 6, 6, words)
        drawing.text(left + 8, TOP + 16, upwards, size=12, fill=SOFT_INK, halo=PAPER)
    return drawing


def common_axis(clouds: Sequence[Cloud]) -> Axis:
    """Return the axis of all numbers of clouds."""
    both = np.concatenate([np.concatenate([c.across, c.upwards]) for c in clouds])
    both = both[np.isfinite(both)]
    low, high = (float(both.min()), float(both.max())) if len(both) else (0.0, 1.0)
    air = 0.04 * (high - low) or 0.5
    return Axis(low - air, high + air)
