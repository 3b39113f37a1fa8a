"""Scatter plots of two numbers: the prediction on the horizontal axis, the exact number on the vertical one."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from errai.pictures.canvas import Drawing
from errai.pictures.curves import BRAILLE
from errai.pictures.palette import INK, PAPER, SERIES, SOFT_INK
from errai.pictures.plot import Axis, Plot, series
from errai.solutions.node import Floats

if TYPE_CHECKING:
    from rich.text import Text

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
    span = _span(clouds)
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


def scatter_terminal(
    cloud: Cloud, *, columns: int = 48, rows: int = 16, colour: int = 0, ascii_only: bool = False
) -> Text:
    """Return a cloud as braille dots, or letters, for a rich console; the line of equal numbers is dim."""
    from rich.text import Text

    span = _span([cloud])
    low, high = span.low, span.high
    wide, tall = (1, 1) if ascii_only else (2, 4)
    shape = rows * tall, columns * wide
    dots, line = np.zeros(shape, dtype=bool), np.zeros(shape, dtype=bool)

    def places(values: Floats, count: int) -> Floats:
        return np.clip(np.rint((values - low) / (high - low) * (count - 1)), 0, count - 1).astype(int)

    shown = np.isfinite(cloud.across) & np.isfinite(cloud.upwards)
    dots[shape[0] - 1 - places(cloud.upwards[shown], shape[0]), places(cloud.across[shown], shape[1])] = True
    along = np.linspace(low, high, 2 * shape[1])
    line[shape[0] - 1 - places(along, shape[0]), places(along, shape[1])] = True
    red, green, blue = SERIES[colour % len(SERIES)]
    text = Text(f"{cloud.name}\n")
    for row in range(rows):
        mark = {0: f"{high:.3g}", rows - 1: f"{low:.3g}"}.get(row, "")
        text.append(mark.rjust(8) + (" |" if ascii_only else " ▏"), style="dim")
        for column in range(columns):
            block = np.s_[row * tall : (row + 1) * tall, column * wide : (column + 1) * wide]
            kind = dots if dots[block].any() else line
            if not kind[block].any():
                text.append(" ")
                continue
            char = "o" if kind is dots else "."
            if not ascii_only:
                bits = sum(1 << BRAILLE[i][j] for i, j in zip(*np.nonzero(kind[block]), strict=True))
                char = chr(0x2800 + bits)
            text.append(char, style=f"rgb({red},{green},{blue})" if kind is dots else "dim")
        text.append("\n")
    return text


def _span(clouds: Sequence[Cloud]) -> Axis:
    both = np.concatenate([np.concatenate([c.across, c.upwards]) for c in clouds])
    both = both[np.isfinite(both)]
    low, high = (float(both.min()), float(both.max())) if len(both) else (0.0, 1.0)
    air = 0.04 * (high - low) or 0.5
    return Axis(low - air, high + air)
