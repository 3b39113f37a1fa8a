"""A number of each starting hand at a node as a grid: value or EV, equity, equity realised.

Orange is below the middle of the scale, violet above it.  The middle is 0 for values, half of the pot for equity, and 1
for equity realised.  Where all values are on one side of the middle, the scale runs over
these values alone, from the palest to the fullest colour.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from operator import itemgetter

from errai.errors import InputError
from errai.pictures.canvas import Drawing, fitted_size
from errai.pictures.chart import line_text
from errai.pictures.grid import GAP, HEADER, MARGIN, draw_board, draw_header, node_drawing, square_side
from errai.pictures.nodes import convergence_facts, is_unconverged, split_cards, worth_text
from errai.pictures.palette import ABOVE, BELOW, EMPTY, INK, NEUTRAL, RGB, SOFT_INK, WARNING, blend, ink_on
from errai.pictures.summary import HandClass, HandSummary, summarise
from errai.solutions.comparison import Comparison
from errai.solutions.node import SolutionNode

PANEL = 196.0
BAR_STEPS = 80
BAR_HEIGHT = 320.0
TICKS = 5
"""Marks of a scale that is not divided by its middle, both ends among them."""
TICK_DISTANCE = 0.06
"""Marks are at least so far apart, as a part of the bar."""

NET = "Net over the whole hand."
WON = "What is won of the pot."


@dataclass(frozen=True)
class Measure:
    """A number of each class of hands, and its format and colours."""

    heading: str
    caption: str
    """Below the picture in a terminal."""
    unit: str
    """Above the scale."""
    sign: str
    """After a number in a hint."""
    note: str
    of: Callable[[HandClass], float | None]
    text: Callable[[float], str]
    """In a cell."""
    long_text: Callable[[float], str]
    """In the legend and the hints."""
    middle: float = 0.0
    ends: tuple[float, float] | None = None
    """Ends of the scale; None takes the values that there are."""
    even: bool = True
    """Colours follow the value itself; otherwise its square root, since few hands win most."""


@dataclass(frozen=True)
class Scale:
    """Colours of the values from the lowest to the highest.

    The strength of a colour is the distance from ``middle`` as a share of ``reach``, to the power of ``1 / power``, so
    equal distances on both sides are equally strong.
    """

    low: float
    middle: float
    high: float
    power: float

    @property
    def reach(self) -> float:
        """Return the distance from the middle at which a colour is full."""
        return max(self.high - self.middle, self.middle - self.low)

    def colour(self, value: float) -> RGB:
        """Return the colour of a value; beyond the ends it is that of the end."""
        share = self._strength(min(max(value, self.low), self.high))
        return blend(NEUTRAL, ABOVE if share > 0 else BELOW, abs(share))

    def value(self, place: float) -> float:
        """Return the value at a place of the bar of colours, from 0 at its low end to 1."""
        low, high = self._strength(self.low), self._strength(self.high)
        at = low + (high - low) * place
        return self.middle + math.copysign(abs(at) ** self.power * self.reach, at)

    def place(self, value: float) -> float:
        """Return the place of a value on the bar of colours."""
        low, high = self._strength(self.low), self._strength(self.high)
        return (self._strength(value) - low) / (high - low)

    def _strength(self, value: float) -> float:
        """Return the strength of a value's colour, negative below the middle."""
        away = value - self.middle
        return math.copysign((abs(away) / self.reach) ** (1 / self.power), away)


def value_measure(chips_per_big_blind: float, counted: str = NET) -> Measure:
    """Values in thousandths of a big blind; ``counted`` describes a node's ``ev``: NET or WON."""

    def mbb(item: HandClass) -> float | None:
        return None if item.ev_chips is None else 1000.0 * item.ev_chips / chips_per_big_blind

    return Measure(
        "value of each hand",
        "Value in mbb a hand",
        "mbb a hand",
        " mbb",
        counted,
        mbb,
        lambda v: _signed(v, ""),
        lambda v: _signed(v, ","),
        even=False,
    )


def node_measure(name: str, node: SolutionNode, player: int) -> Measure:
    """``ev`` in chips, ``equity``, or ``eqr`` (equity realised) of a player's hands at a node.

    Raises :class:`InputError` for another name.
    """
    who = node.player_names[player]
    of = who if node.sunk_chips == (0.0, 0.0) else f"of {who}"
    look = (_whole, _percent)
    if name == "ev":
        note = WON if node.sunk_chips == (0.0, 0.0) else NET

        def chips(value: float) -> str:
            return worth_text(value, node.pot_chips)

        heading = f"EV of each hand {of}"
        return Measure(heading, f"{heading}, in chips", "EV, chips", " chips", note, lambda c: c.ev_chips, chips, chips)
    if name == "equity":
        heading = f"equity of each hand {of}"
        caption, note = f"{_capital(heading)}, in %", "Share of the pot if checked down."
        return Measure(heading, caption, "Equity, %", "", note, lambda c: c.equity, *look, 0.5, (0.0, 1.0))
    if name == "eqr":
        heading = f"equity realised by each hand {of}"
        caption, note = f"{_capital(heading)}, in %", "EQR: EV over equity times pot."
        return Measure(heading, caption, "EQR, %", "", note, lambda c: c.equity_realised, *look, 1.0, (0.0, 2.0))
    raise InputError(f"Hands are shown by ev, equity or eqr, not by {name!r}.")


def difference_drawing(found: Comparison, title: str, player: int | None = None) -> Drawing:
    """Draw by how much more every hand of a player is worth in the second of two nodes; by default the one to act.

    Raises :class:`InputError` as :func:`values_drawing` does.
    """
    summary, before = summarise(found.second, player), summarise(found.first, player)
    known = {item.label: item.ev_chips for item in before.classes}

    def more(item: HandClass) -> float | None:
        first = known.get(item.label)
        return None if first is None or item.ev_chips is None else item.ev_chips - first

    def chips(value: float) -> str:
        return f"{value:+,.3g}"

    heading = f"EV gained by each hand {found.second.player_names[summary.player]}"
    note = "EV in the second less EV in the first."
    measure = Measure(heading, f"{heading}, in chips", "EV gained, chips", " chips", note, more, chips, chips)
    return values_drawing(summary, measure, title=title)


def shown_drawing(node: SolutionNode, title: str, by: str = "strategy", player: int | None = None) -> Drawing:
    """Draw the hands of a player at a node by their ``strategy``, or by a measure of :func:`node_measure`.

    Raises :class:`InputError` if no value is known, or hands are not of two cards.
    """
    if by == "strategy":
        return node_drawing(node, title=title, player=player)
    summary = summarise(node, player)
    return values_drawing(summary, node_measure(by, node, summary.player), title=title)


def values_drawing(summary: HandSummary, measure: Measure, *, title: str = "") -> Drawing:
    """Draw a measure of every class of hands of a node; errors as for :func:`scale_of`."""
    node, scale = summary.node, scale_of(summary, measure)
    side = square_side(summary)
    cell = side / len(summary.ranks)
    heading = f"{title}: {measure.heading}" if title else _capital(measure.heading)
    drawing = Drawing(MARGIN + side + GAP + PANEL + MARGIN, HEADER + side + MARGIN, description=heading)
    draw_header(drawing, heading, line_text(node))
    for place, item in enumerate(summary.classes):
        row, column = divmod(place, len(summary.ranks))
        _cell(drawing, MARGIN + column * cell, HEADER + row * cell, cell, item, measure, scale)
    x, top = MARGIN + side + GAP, HEADER
    if node.board_text:
        draw_board(drawing, x, top + 2, split_cards(node.board_text))
        top += 66
    below = _draw_scale(drawing, x, top, scale, measure, summary)
    drawing.text(x, below, measure.note, size=11, fill=SOFT_INK)
    for name, fact in convergence_facts(node):
        below += 16
        marked = is_unconverged(node) and name != "Reached"
        drawing.text(x, below, f"{name}: {fact}.", size=11, bold=marked, fill=WARNING if marked else SOFT_INK)
    drawing.height = max(drawing.height, top + BAR_HEIGHT + 162)
    return drawing


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def scale_of(summary: HandSummary, measure: Measure) -> Scale:
    """Return the scale; where the measure gives no ends, it runs over the values, rounded outwards to two digits.

    It has its middle at 0 if there are values on both sides of 0, and else at the value nearest to 0.  Raises
    :class:`InputError` if hands are not of two cards, or no value is known.
    """
    if not summary.is_grid:
        raise InputError(
            "This picture is a grid of hands of two cards; hands of one card are listed with all their values."
        )
    known = [value for value in map(measure.of, summary.classes) if value is not None]
    if not known:
        raise InputError("No value is known here, because no pair of hands reaches this point.")
    if measure.ends is not None:
        return Scale(measure.ends[0], measure.middle, measure.ends[1], 1.0)
    least = 0.0 if measure.even else 1.0
    most = max(*map(abs, known), least) or 1.0
    unit = 10.0 ** (math.floor(math.log10(most)) - 1)
    low, high = math.floor(min(known) / unit) * unit, math.ceil(max(known) / unit) * unit
    # Losses or gains too small to be seen do not make a second side.
    low, high = (0.0 if -0.005 * most <= min(known) < 0 else low), (0.0 if 0 < max(known) <= 0.005 * most else high)
    if low == high:
        low, high = min(low, 0.0), max(high, 0.0) if high or low else unit
    middle = low if low > 0 else high if high < 0 else 0.0
    return Scale(low, middle, high, 1.0 if measure.even else 2.0)


def _whole(share: float) -> str:
    return f"{100 * share:z.0f}"


def _percent(share: float) -> str:
    return f"{100 * share:z.1f}".removesuffix(".0") + "%"


def _cell(drawing: Drawing, x: float, y: float, cell: float, item: HandClass, measure: Measure, scale: Scale) -> None:
    value = measure.of(item)
    colour = EMPTY if value is None else scale.colour(value)
    ink = SOFT_INK if value is None else ink_on(colour)
    drawing.rect(x + 1, y + 1, cell - 2, cell - 2, colour)
    if not item.combos:
        return
    size, room = min(12.0, cell * 0.25), cell - 6
    drawing.text(x + cell / 2, y + cell * 0.43, item.label, size=size, bold=True, fill=ink, anchor="middle")
    if value is not None:
        number = measure.text(value)
        size = fitted_size(number, size, room)
        drawing.text(x + cell / 2, y + cell * 0.78, number, size=size, fill=ink, anchor="middle")
    shown = "unknown" if value is None else measure.long_text(value) + measure.sign
    drawing.hint(x, y, cell, cell, f"{item.label}: {shown}")


def _draw_scale(drawing: Drawing, x: float, y: float, scale: Scale, measure: Measure, summary: HandSummary) -> float:
    """Draw the bar of colours with its marks, and the best and worst hands below it; return the y of what follows."""
    top = y + 34
    drawing.text(x, y + 12, measure.unit, size=13.5, bold=True)
    step = BAR_HEIGHT / BAR_STEPS
    for i in range(BAR_STEPS):
        colour = scale.colour(scale.value(1 - (i + 0.5) / BAR_STEPS))
        drawing.rect(x, top + i * step, 26, step + 0.4, colour)
    drawing.rect(x, top, 26, BAR_HEIGHT, None, stroke=SOFT_INK, stroke_width=0.8)
    for place in _ticks(scale):
        y = top + BAR_HEIGHT * (1 - place)
        drawing.path([(x + 26, y), (x + 32, y)], stroke=SOFT_INK)
        drawing.text(x + 38, y + 4, measure.long_text(scale.value(place)), size=12)
    known = [(value, item.label) for item in summary.classes if (value := measure.of(item)) is not None]
    y = top + BAR_HEIGHT + 30
    for name, (value, label) in (("Best", max(known, key=itemgetter(0))), ("Worst", min(known, key=itemgetter(0)))):
        drawing.text(x, y, name, size=12.5, fill=SOFT_INK)
        drawing.text(x + PANEL, y, f"{label}  {measure.long_text(value)}", size=12.5, anchor="end", fill=INK)
        y += 20
    return y + 6


def _ticks(scale: Scale) -> list[float]:
    """Return the places of the bar that are marked: both ends, the middle if it is between, and those half way."""
    zero = scale.place(scale.middle)
    if not 0.0 < zero < 1.0:
        return [i / (TICKS - 1) for i in range(TICKS)]
    places = [zero]
    for place in (0.0, 1.0, zero / 2, (1 + zero) / 2):
        if all(abs(place - other) >= TICK_DISTANCE for other in places):
            places.append(place)
    return places


def _signed(value: float, separator: str) -> str:
    """Return a number with its sign, to the whole; 0 has none."""
    text = f"{value:+z{separator}.0f}"
    return "0" if text == "+0" else text
