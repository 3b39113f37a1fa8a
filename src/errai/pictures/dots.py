"""Curves and clouds of points in a terminal, as braille dots, or as letters if only ASCII can be shown."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import ArrayLike
from rich.text import Text

from errai.pictures.curves import Against, Cloud, common_axis, log_axis, points_of
from errai.pictures.palette import SERIES
from errai.pictures.plot import tick_text
from errai.pictures.terminal import rgb_style
from errai.solutions.node import Floats

BRAILLE = ((0, 3), (1, 4), (2, 5), (6, 7))
"""The bits of a braille character's dots, by row and column."""
MARGIN = 9
"""Characters left of a plot."""


class _Plot:
    """A plot of characters with 2 x 4 dots each, or with one; a character has the colour of the last owner of a dot."""

    def __init__(self, columns: int, rows: int, ascii_only: bool) -> None:
        self.wide, self.tall = (1, 1) if ascii_only else (2, 4)
        self.width, self.height = columns * self.wide, rows * self.tall
        self.ascii_only = ascii_only
        self.bits = np.zeros((rows, columns), dtype=np.int32)
        self.owner = np.full((rows, columns), -1, dtype=np.int32)

    def mark(self, column: int, row: int, owner: int, *, alone: bool = False) -> None:
        """Draw a dot; if it is ``alone``, the dots of other owners in its character go."""
        at = row // self.tall, column // self.wide
        if alone and self.owner[at] != owner:
            self.bits[at] = 0
        self.bits[at] |= 1 << BRAILLE[row % self.tall][column % self.wide]
        self.owner[at] = owner

    def write(self, text: Text, marks: Mapping[int, str], letters: str, styles: Sequence[str]) -> None:
        """Append the rows, with marks at the left; letters and styles are by owner."""
        for row, (owners, bits) in enumerate(zip(self.owner.tolist(), self.bits.tolist(), strict=True)):
            text.append(marks.get(row, "").rjust(MARGIN - 1) + (" |" if self.ascii_only else " ▏"), style="dim")
            for owner, dots in zip(owners, bits, strict=True):
                char = letters[owner % len(letters)] if self.ascii_only else chr(0x2800 + dots)
                text.append(*((" ", "") if owner < 0 else (char, styles[owner % len(styles)])))
            text.append("\n")


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
    """Return convergence curves as a compact plot; parameters as for :func:`errai.pictures.curves.curves_drawing`."""
    lines = points_of(runs, against, chips_per_unit)
    shown = [p for p in lines.values() if len(p)]
    text = Text()
    if not shown:
        return text.append("no measurements yet")
    across, up = (log_axis(np.concatenate([p[:, column] for p in shown])) for column in (0, 1))
    columns = width - MARGIN - 1
    plot = _Plot(columns, height, ascii_only)
    for number, points in enumerate(lines.values()):
        x = np.array([across.place(value) for value in points[:, 0]]) * (plot.width - 1)
        y = np.array([1.0 - up.place(value) for value in points[:, 1]]) * (plot.height - 1)
        for column, row in _dots(x, y):
            plot.mark(column, row, number)
    text.append(f"exploitability, {unit}\n", style="dim")
    marks = {round((1.0 - up.place(value)) * (height - 1)): tick_text(value) for value, named in up.ticks() if named}
    letters, styles = "abcdefghijklmnopqrstuvwxyz", [rgb_style(colour) for colour in SERIES]
    plot.write(text, marks, letters, styles)
    axis = ""
    for value, named in across.ticks():
        label = tick_text(value)
        column = round(across.place(value) * (columns - 1)) - len(label) // 2
        if named and (column > len(axis) or (column >= 0 and not axis)):
            axis = axis.ljust(column) + label
    text.append(" " * (MARGIN + 1) + axis + f"  {against}\n", style="dim")
    for number, name in enumerate(lines):
        sign = letters[number % len(letters)] if ascii_only else "━━"
        text.append(" " * (MARGIN + 1) + sign, style=styles[number % len(styles)])
        text.append(f" {name}\n")
    return text


def scatter_terminal(
    cloud: Cloud, *, columns: int = 48, rows: int = 16, colour: int = 0, ascii_only: bool = False
) -> Text:
    """Return a cloud as a plot; the line of equal numbers is dim."""
    axis = common_axis([cloud])
    plot = _Plot(columns, rows, ascii_only)

    def draw(across: Floats, upwards: Floats, owner: int) -> None:
        x, y = (
            np.clip(np.rint((values - axis.low) / (axis.high - axis.low) * (count - 1)), 0, count - 1).astype(int)
            for values, count in ((across, plot.width), (upwards, plot.height))
        )
        for column, row in zip(x.tolist(), y.tolist(), strict=True):
            plot.mark(column, plot.height - 1 - row, owner, alone=True)

    along = np.linspace(axis.low, axis.high, 2 * plot.width)
    draw(along, along, 0)
    shown = np.isfinite(cloud.across) & np.isfinite(cloud.upwards)
    draw(cloud.across[shown], cloud.upwards[shown], 1)
    text = Text(f"{cloud.name}\n")
    marks = {0: f"{axis.high:.3g}", rows - 1: f"{axis.low:.3g}"}
    plot.write(text, marks, ".o", ["dim", rgb_style(SERIES[colour % len(SERIES)])])
    return text


def _dots(x: Floats, y: Floats) -> list[tuple[int, int]]:
    """Return the dots on the lines between successive points."""
    dots = []
    for i in range(len(x)):
        j = min(i + 1, len(x) - 1)
        steps = max(1, math.ceil(max(abs(x[j] - x[i]), abs(y[j] - y[i]))))
        for k in range(steps + 1):
            dots.append((round(x[i] + (x[j] - x[i]) * k / steps), round(y[i] + (y[j] - y[i]) * k / steps)))
    return dots
