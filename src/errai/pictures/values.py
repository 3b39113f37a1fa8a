"""What each starting hand is worth at a node, in thousandths of a big blind, as a square on a diverging scale.

Orange is a loss, violet a gain.  Colours follow the square root of a value, since few hands win most.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from errai.errors import InputError
from errai.pictures.canvas import Drawing
from errai.pictures.chart import line_text, three_actions
from errai.pictures.grid import GAP, HEADER, MARGIN, draw_header, square_side
from errai.pictures.palette import ABOVE, BELOW, EMPTY, INK, RGB, SOFT_INK, blend, ink_on
from errai.pictures.summary import HandClass, HandSummary
from errai.pictures.terminal import background, header_text
from errai.solutions.node_view import NodeView

if TYPE_CHECKING:
    from rich.console import Console, Group

PANEL = 190.0
BAR_STEPS = 80
BAR_HEIGHT = 320.0
NEUTRAL: RGB = (246, 245, 242)
TICKS = 5
"""Marks of the scale, 0 and both ends among them."""


NET = "Net over the whole hand."
WON = "What is won of the pot."


def values_drawing(node: NodeView, chips_per_big_blind: float, *, title: str = "", counted: str = NET) -> Drawing:
    """Draw what every class of hands is worth to the player to act.

    ``counted`` says what the node's ``ev`` is: ``NET`` in games, ``WON`` in spots.

    Raises
    ------
    LineError, InputError
        As :func:`errai.pictures.chart.three_actions`; also where no value is known.
    """
    summary = three_actions(node)
    values = _values_mbb(summary, chips_per_big_blind)
    most = _most(values)
    side = square_side(summary)
    cell = side / len(summary.ranks)
    heading = f"{title}: value of each hand" if title else "Value of each hand"
    drawing = Drawing(MARGIN + side + GAP + PANEL + MARGIN, HEADER + side + MARGIN, description=heading)
    draw_header(drawing, heading, line_text(node))
    for place, (item, value) in enumerate(zip(summary.classes, values, strict=True)):
        x = MARGIN + (place % len(summary.ranks)) * cell
        y = HEADER + (place // len(summary.ranks)) * cell
        _cell(drawing, x, y, cell, item, value, most)
    below = _scale(drawing, MARGIN + side + GAP, most, summary, values)
    drawing.text(MARGIN + side + GAP, below, counted, size=11, fill=SOFT_INK)
    drawing.height = max(drawing.height, HEADER + BAR_HEIGHT + 130)
    return drawing


def values_terminal(
    node: NodeView, chips_per_big_blind: float, console: Console, *, title: str = "", counted: str = NET
) -> Group:
    """Return the same for the terminal; without colours the numbers stand alone."""
    from rich.console import Group
    from rich.text import Text

    summary = three_actions(node)
    values = _values_mbb(summary, chips_per_big_blind)
    most = _most(values)
    colours = console.color_system is not None and not console.no_color
    count = len(summary.ranks)
    cell = max(5, min(9, console.width // count - 1))
    rows = [header_text(node, title)]
    for row in range(count):
        for numbers in (False, True):
            text = Text()
            for item, value in list(zip(summary.classes, values, strict=True))[row * count : (row + 1) * count]:
                shown = _number_text(value) if numbers else item.label if item.combos else ""
                plain = not colours or value is None
                text.append(shown.center(cell), style="" if plain else background(value_colour(value or 0.0, most)))
                text.append(" ")
            rows.append(text)
    rows.append(Text())
    rows.append(Text(f"Value in mbb a hand. {counted}", style="dim"))
    return Group(*rows)


def value_colour(value: float, most: float) -> RGB:
    """Return the colour of a value on a scale from -most to most."""
    share = math.sqrt(min(1.0, abs(value) / most)) if most > 0 else 0.0
    return blend(NEUTRAL, ABOVE if value > 0 else BELOW, share)


def _values_mbb(summary: HandSummary, chips_per_big_blind: float) -> list[float | None]:
    return [None if c.ev_chips is None else 1000.0 * c.ev_chips / chips_per_big_blind for c in summary.classes]


def _most(values: list[float | None]) -> float:
    """Return the end of the scale: the largest absolute value, rounded up to two digits."""
    known = [abs(value) for value in values if value is not None]
    if not known:
        raise InputError("No hand's value is known here, since no pair of hands ever gets here.")
    largest = max(*known, 1.0)
    unit = 10.0 ** (math.floor(math.log10(largest)) - 1)
    return math.ceil(largest / unit) * unit


def _number_text(value: float | None) -> str:
    return "" if value is None else f"{value:+z.0f}"


def _tick_text(value: float) -> str:
    return f"{value:+z,.0f}" if value else "0"


def _cell(drawing: Drawing, x: float, y: float, cell: float, item: HandClass, value: float | None, most: float) -> None:
    colour = EMPTY if value is None else value_colour(value, most)
    ink = SOFT_INK if value is None else ink_on(colour)
    drawing.rect(x + 1, y + 1, cell - 2, cell - 2, colour)
    if not item.combos:
        return
    size = min(12.0, cell * 0.25)
    drawing.text(x + cell / 2, y + cell * 0.43, item.label, size=size, bold=True, fill=ink, anchor="middle")
    drawing.text(x + cell / 2, y + cell * 0.78, _number_text(value), size=size, fill=ink, anchor="middle")
    drawing.hint(x, y, cell, cell, f"{item.label}: {'unknown' if value is None else f'{value:+z.1f} mbb'}")


def _scale(drawing: Drawing, x: float, most: float, summary: HandSummary, values: list[float | None]) -> float:
    """Draw the bar of colours with its marks, and the best and worst hands below it; return the y of what follows."""
    top = HEADER + 34
    drawing.text(x, HEADER + 12, "mbb a hand", size=13.5, bold=True)
    step = BAR_HEIGHT / BAR_STEPS
    for i in range(BAR_STEPS):
        place = 1 - 2 * (i + 0.5) / BAR_STEPS
        value = math.copysign(place * place, place) * most
        drawing.rect(x, top + i * step, 26, step + 0.4, value_colour(value, most))
    drawing.rect(x, top, 26, BAR_HEIGHT, None, stroke=SOFT_INK, stroke_width=0.8)
    for i in range(TICKS):
        place = 1 - 2 * i / (TICKS - 1)
        y = top + BAR_HEIGHT * i / (TICKS - 1)
        drawing.path([(x + 26, y), (x + 32, y)], stroke=SOFT_INK)
        drawing.text(x + 38, y + 4, _tick_text(math.copysign(place * place, place) * most), size=12)
    known = [(value, item) for value, item in zip(values, summary.classes, strict=True) if value is not None]
    best, worst = max(known, key=lambda pair: pair[0]), min(known, key=lambda pair: pair[0])
    y = top + BAR_HEIGHT + 30
    for name, text in (
        ("Best", f"{best[1].label}  {best[0]:+z,.0f}"),
        ("Worst", f"{worst[1].label}  {worst[0]:+z,.0f}"),
    ):
        drawing.text(x, y, name, size=12.5, fill=SOFT_INK)
        drawing.text(x + PANEL, y, text, size=12.5, anchor="end", fill=INK)
        y += 20
    return y + 6
