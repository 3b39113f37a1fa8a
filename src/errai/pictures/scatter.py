"""Scatter plots of two numbers: the prediction on the horizontal axis, the exact number on the vertical one."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from errai.pictures.canvas import Drawing
from errai.pictures.palette import INK, PAPER, RULE, SERIES, SOFT_INK
from errai.solutions.node_view import Floats

if TYPE_CHECKING:
    from rich.text import Text

SIDE, LEFT, TOP, GAP, BOTTOM = 380.0, 64.0, 74.0, 70.0, 56.0
FAINT = 0.25
"""Opacity of the lightest points."""
_BRAILLE = ((0, 3), (1, 4), (2, 5), (6, 7))


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
    low, high = _span(clouds)
    width = LEFT + len(clouds) * (SIDE + GAP) - GAP + 24.0
    drawing = Drawing(width, TOP + SIDE + BOTTOM, description=title or f"{upwards} against {across}")
    drawing.text(LEFT, 28, title, size=16, bold=True)
    for place, cloud in enumerate(clouds):
        left = LEFT + place * (SIDE + GAP)

        def at(value: float, start: float) -> float:
            return start + (value - low) / (high - low) * SIDE

        drawing.text(left, TOP - 12, cloud.name, size=13)
        for tick in _ticks(low, high):
            x, y = at(tick, left), TOP + SIDE - at(tick, 0.0)
            drawing.path([(x, TOP), (x, TOP + SIDE)], stroke=RULE, width=0.7)
            drawing.path([(left, y), (left + SIDE, y)], stroke=RULE, width=0.7)
            drawing.text(x, TOP + SIDE + 18, f"{tick:g}", size=11.5, anchor="middle", fill=SOFT_INK)
            drawing.text(left - 8, y + 4, f"{tick:g}", size=11.5, anchor="end", fill=SOFT_INK)
        drawing.path([(left, TOP + SIDE), (left + SIDE, TOP)], stroke=INK, width=1.0, dash=(5, 4))
        heaviest = float(cloud.weights.max(initial=0.0)) or 1.0
        shown = np.isfinite(cloud.across) & np.isfinite(cloud.upwards)
        for i in np.flatnonzero(shown):
            x, y = at(float(cloud.across[i]), left), TOP + SIDE - at(float(cloud.upwards[i]), 0.0)
            strong = FAINT + (1.0 - FAINT) * math.sqrt(float(cloud.weights[i]) / heaviest)
            drawing.rect(x - 2.2, y - 2.2, 4.4, 4.4, SERIES[place % len(SERIES)], opacity=strong, radius=2.2)
            words = f"{cloud.labels[int(i)]}: {across} {cloud.across[i]:.3g}, {upwards} {cloud.upwards[i]:.3g}"
            drawing.hint(x - 3, y - 3, 6, 6, words)
        drawing.text(left + SIDE / 2, TOP + SIDE + 40, across, size=12, anchor="middle", fill=SOFT_INK)
        drawing.text(left + 8, TOP + 16, upwards, size=12, fill=SOFT_INK, halo=PAPER)
    return drawing


def scatter_terminal(
    cloud: Cloud, *, columns: int = 48, rows: int = 16, colour: int = 0, ascii_only: bool = False
) -> Text:
    """Return a cloud as braille dots, or letters, for a rich console; the line of equal numbers is dim."""
    from rich.text import Text

    low, high = _span([cloud])
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
                bits = sum(1 << _BRAILLE[i][j] for i, j in zip(*np.nonzero(kind[block]), strict=True))
                char = chr(0x2800 + bits)
            text.append(char, style=f"rgb({red},{green},{blue})" if kind is dots else "dim")
        text.append("\n")
    return text


def _span(clouds: Sequence[Cloud]) -> tuple[float, float]:
    both = np.concatenate([np.concatenate([c.across, c.upwards]) for c in clouds])
    both = both[np.isfinite(both)]
    low, high = (float(both.min()), float(both.max())) if len(both) else (0.0, 1.0)
    air = 0.04 * (high - low) or 0.5
    return low - air, high + air


def _ticks(low: float, high: float) -> list[float]:
    raw = (high - low) / 5.0
    power = 10.0 ** math.floor(math.log10(raw))
    step = next(s * power for s in (1.0, 2.0, 2.5, 5.0, 10.0) if s * power >= raw)
    return [round(i * step, 12) for i in range(math.ceil(low / step), math.floor(high / step) + 1)]
