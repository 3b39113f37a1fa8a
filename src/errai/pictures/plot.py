"""Axes on a drawing: values along them, ticks with their texts, lines with points, and a legend.

SVG is written without matplotlib: a chart takes a millisecond here, where matplotlib takes half a second to import and
a tenth of a second for each picture.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from errai.pictures.canvas import Drawing, fitted_size, text_width
from errai.pictures.palette import INK, PAPER, RGB, RULE, SERIES, SOFT_INK

LEFT, RIGHT, TOP, BOTTOM = 78.0, 26.0, 62.0, 58.0
"""Pixels between a plot and the edges of its drawing."""
DASHES: tuple[tuple[float, ...], ...] = ((), (7, 4), (2, 3.5), (9, 3, 2, 3))
MOST_DOTS = 30
"""A line of more points is drawn with a dot at its end alone."""


@dataclass(frozen=True)
class Axis:
    """The values from ``low`` to ``high``; of a logarithmic axis these are the logarithms of its ends."""

    low: float
    high: float
    logarithmic: bool = False

    def place(self, value: float) -> float:
        """Return where a value lies, from 0 at the low end to 1 at the high one."""
        return ((math.log10(value) if self.logarithmic else value) - self.low) / (self.high - self.low)

    def ticks(self, about: int = 6) -> list[tuple[float, bool]]:
        """Return values to be marked, each with whether it is labelled; on a linear axis there are ``about`` so many.

        On a logarithmic axis powers of ten are labelled, and 2 and 5 as well if it is short.
        """
        if not self.logarithmic:
            # The smallest of 1, 2, 5, 10, ... that is not below the distance.
            least = (self.high - self.low) / max(about, 1)
            power = 10.0 ** math.floor(math.log10(least))
            step = next(digit * power for digit in (1, 2, 5, 10) if digit * power >= least * 0.999)
            first, last = math.ceil(self.low / step - 1e-9), math.floor(self.high / step + 1e-9)
            return [(round(i * step, 12), True) for i in range(first, last + 1)]
        decades = self.high - self.low
        every = 1 if decades <= 8 else math.ceil(decades / 8)
        ticks = []
        for power in range(math.floor(self.low), math.ceil(self.high) + 1):
            for digit in range(1, 10):
                named = digit == 1 and power % every == 0
                named = named or (decades < 2.2 and digit in (2, 5)) or (decades < 0.8 and digit in (3, 4, 7))
                if self.low <= power + math.log10(digit) <= self.high and (digit == 1 or decades <= 5):
                    ticks.append((digit * 10.0**power, named))
        return ticks


class Plot:
    """A plot on a drawing, between given edges, in pixels of the drawing."""

    def __init__(
        self,
        drawing: Drawing,
        across: Axis,
        up: Axis,
        *,
        left: float = LEFT,
        right: float | None = None,
        top: float = TOP,
        bottom: float | None = None,
    ) -> None:
        self.drawing = drawing
        self.across, self.up = across, up
        self.left, self.top = left, top
        self.right = drawing.width - RIGHT if right is None else right
        self.bottom = drawing.height - BOTTOM if bottom is None else bottom

    def at(self, x: float, y: float) -> tuple[float, float]:
        """Return the pixels of a point; what is above or below the plot is drawn at its edge."""
        return self.x(x), self.y(y)

    def x(self, value: float) -> float:
        """Return the pixel of a value across."""
        return self.left + self.across.place(value) * (self.right - self.left)

    def y(self, value: float) -> float:
        """Return the pixel of a value upwards, inside the plot."""
        return self.bottom - min(max(self.up.place(value), 0.0), 1.0) * (self.bottom - self.top)

    def heading(self, title: str, unit: str = "") -> None:
        """Write a title, smaller where it would be too wide, and what the values upwards are."""
        draw_title(self.drawing, title, self.left)
        self.drawing.text(self.left, self.top - 12, unit, size=12, fill=SOFT_INK)

    def mark_up(self, text: Callable[[float], str], about: int = 6) -> None:
        """Draw a rule for each value upwards, and write those that are labelled."""
        for value, labelled in self.up.ticks(about):
            y = self.y(value)
            colour = SOFT_INK if not self.up.logarithmic and abs(value) < 1e-12 else RULE
            self.drawing.path([(self.left, y), (self.right, y)], stroke=colour, width=1.0 if labelled else 0.4)
            if labelled:
                self.drawing.text(self.left - 10, y + 4, text(value), size=12, anchor="end", fill=SOFT_INK)

    def mark_across(
        self, text: Callable[[float], str], name: str, *, rules: bool = False, floor: bool = True, about: int = 6
    ) -> None:
        """Write the values across and what they are; ``rules`` draws a line for each, ``floor`` the axis itself."""
        for value, labelled in self.across.ticks(about):
            x = self.x(value)
            if rules:
                width = 1.0 if labelled else 0.4
                self.drawing.path([(x, self.top), (x, self.bottom)], stroke=RULE, width=width)
            if labelled:
                self.drawing.text(x, self.bottom + 20, text(value), size=12, anchor="middle", fill=SOFT_INK)
        if floor:
            self.drawing.path([(self.left, self.bottom), (self.right, self.bottom)], stroke=SOFT_INK, width=1.2)
        middle = (self.left + self.right) / 2
        self.drawing.text(middle, self.bottom + 44, name, size=12.5, anchor="middle", fill=SOFT_INK)

    def line(
        self, points: Sequence[tuple[float, float]], number: int, *, dots: bool = True, width: float = 2.2
    ) -> None:
        """Draw a line through points in the colour and the dashes of a series, by its number."""
        colour, dash = series(number)
        places = [self.at(x, y) for x, y in points]
        if len(places) > 1:
            self.drawing.path(places, stroke=colour, width=width, dash=dash)
        for x, y in (places if len(places) <= MOST_DOTS else places[-1:]) if dots else ():
            self.drawing.rect(x - 2.6, y - 2.6, 5.2, 5.2, colour, radius=2.5)

    def level(self, value: float, text: str) -> None:
        """Draw a dashed line at a value upwards, with a text."""
        y = self.y(value)
        self.drawing.path([(self.left, y), (self.right, y)], stroke=INK, width=1.3, dash=(6, 4))
        self.drawing.text(self.left + 8, y - 6, text, size=11.5, halo=PAPER)


def series(number: int) -> tuple[RGB, tuple[float, ...]]:
    """Return the colour and the dashes of a line by its number."""
    return SERIES[number % len(SERIES)], DASHES[number // len(SERIES) % len(DASHES)]


def draw_title(drawing: Drawing, title: str, x: float) -> None:
    """Write a title above a picture, smaller where it would be wider than the picture."""
    size = fitted_size(title, 16, drawing.width - x - 12, bold=True)
    drawing.text(x, 30, title, size=size, bold=True)


def draw_names(drawing: Drawing, names: Iterable[str], right: float, top: float = TOP) -> None:
    """Write the names of lines side by side above a plot that begins at ``top``, so that they end at ``right``."""
    names = list(names)
    x = max(right - sum(text_width(name, 12) + 40 for name in names), 12.0)
    for number, name in enumerate(names):
        drawing.path([(x, top - 16), (x + 22, top - 16)], stroke=series(number)[0], width=3.0)
        drawing.text(x + 28, top - 12, name, size=12)
        x += text_width(name, 12) + 40


def with_air(low: float, high: float) -> Axis:
    """Return a linear axis over some values, with a little room at its ends."""
    if not high > low:
        low, high = low - 1.0, high + 1.0
    air = 0.06 * (high - low)
    return Axis(low - air, high + air)


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


def signed_text(value: float) -> str:
    """Write a value with its sign: +5, −1,200, 0."""
    if abs(value) < 1e-9:
        return "0"
    size = abs(value)
    text = f"{size:,.0f}" if size >= 1000 else f"{size:.4g}"
    return f"{'+' if value > 0 else '−'}{text}"
