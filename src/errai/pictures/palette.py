"""Colours, letters and order of actions: fold blue, check and call green, bets amber to red, all-in darkest.

The green is light and the bets run from amber to a near-black red, so that readers with any kind of colour blindness
can distinguish the actions by lightness; ``tests/pictures/test_palette.py`` measures this with a simulation of the
three kinds of dichromacy.  Order and letters carry the same information without any colour.

The colour of a bet depends on its size in per cent of the pot and on nothing else, so a size looks alike at every node.

A :class:`Themed` colour has a counterpart on a dark page.  Colours that carry a meaning (actions, values) are the same
on both, and so is the text that stands on them.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

RGB = tuple[int, int, int]


class Themed(tuple[int, int, int]):
    """A colour that changes with the page: the tuple is the one on a light page, ``dark`` the one on a dark page.

    ``name`` names the colour in style sheets.
    """

    name: str
    dark: RGB

    def __new__(cls, light: RGB, dark: RGB, name: str) -> Themed:
        """Make a colour."""
        colour = super().__new__(cls, light)
        colour.name, colour.dark = name, dark
        return colour


FOLD: RGB = (36, 100, 190)
CALL: RGB = (138, 228, 160)
ALL_IN: RGB = (84, 14, 44)
LIGHTEST_RAISE: RGB = (255, 172, 48)
DARKEST_RAISE: RGB = (150, 16, 28)
LONE_RAISE: RGB = (222, 78, 40)
# In per cent of the pot: bets of at most the first size have the lightest colour, of at least the second the darkest.
SMALLEST_BET, LARGEST_BET = 25.0, 200.0
IN_RANGE: RGB = (146, 120, 196)

# The colours of the charts of Bowling et al. 2015: red fold, blue call, green raise; apart by lightness as above.
CHART_FOLD: RGB = (170, 16, 40)
CHART_CALL: RGB = (60, 112, 214)
CHART_RAISE: RGB = (150, 225, 115)
# Where a chart has several sizes to raise, from the smallest to the largest.
CHART_SMALLEST: RGB = (222, 246, 190)
CHART_LARGEST: RGB = (96, 170, 70)
# A value below and above the middle of its scale, and at it.
BELOW = Themed((190, 96, 10), (219, 130, 50), "below")
ABOVE = Themed((88, 48, 150), (163, 113, 247), "above")
NEUTRAL: RGB = (246, 245, 242)

INK = Themed((31, 35, 40), (230, 237, 243), "ink")
SOFT_INK = Themed((96, 103, 112), (158, 167, 177), "soft-ink")
RULE = Themed((208, 213, 219), (61, 68, 77), "rule")
WARNING = Themed((178, 34, 24), (255, 123, 114), "warning")
EMPTY = Themed((238, 240, 243), (72, 80, 91), "empty")
ABSENT = Themed((152, 156, 162), (150, 157, 166), "absent")
"""The label of a hand that is not in the range."""
PAPER = Themed((255, 255, 255), (13, 17, 23), "paper")
# What stands on a colour of its own stays as it is on a dark page: cards, and text on the colours of actions.
CARD_FACE: RGB = (255, 255, 255)
WHITE: RGB = (255, 255, 255)
BLACK: RGB = (16, 18, 20)

# Four-colour deck, as on screens at a table: clubs green, diamonds blue, hearts red, spades black.
SUITS: dict[str, tuple[str, RGB]] = {
    "c": ("♣", (24, 128, 56)),
    "d": ("♦", (28, 96, 200)),
    "h": ("♥", (200, 30, 44)),
    "s": ("♠", (24, 26, 30)),
}

# Okabe and Ito's colours without the yellow, which is too pale for a line on white.
SERIES: tuple[RGB, ...] = (
    Themed((0, 114, 178), (64, 156, 222), "series-1"),
    (213, 94, 0),
    (0, 158, 115),
    (204, 121, 167),
    (86, 180, 233),
    Themed((120, 94, 20), (200, 168, 72), "series-6"),
    Themed((70, 70, 70), (184, 184, 184), "series-7"),
)

THEMED: tuple[Themed, ...] = (
    *(INK, SOFT_INK, RULE, WARNING, EMPTY, ABSENT, PAPER, BELOW, ABOVE),
    *(colour for colour in SERIES if isinstance(colour, Themed)),
)
"""Every colour that changes on a dark page."""


@dataclass(frozen=True, slots=True)
class ActionStyle:
    """How one action is shown: its label, colour, one-character sign, and its place in ``node.actions``."""

    label: str
    colour: RGB
    letter: str
    index: int


def hex_colour(colour: RGB) -> str:
    """Write a colour as #rrggbb."""
    return "#{:02x}{:02x}{:02x}".format(*colour)


def blend(colour: RGB, towards: RGB, share: float) -> RGB:
    """Mix ``share`` (0 to 1) of ``towards`` into ``colour``."""
    red, green, blue = (round(a + (b - a) * share) for a, b in zip(colour, towards, strict=True))
    return red, green, blue


def mixed_colour(shares: Sequence[float], colours: Sequence[RGB]) -> RGB:
    """Mix colours in proportion to shares that sum to 1."""
    red, green, blue = (
        max(0, min(255, round(sum(share * colour[channel] for share, colour in zip(shares, colours, strict=True)))))
        for channel in range(3)
    )
    return red, green, blue


def luminance(colour: RGB) -> float:
    """Return the relative luminance of a colour (WCAG 2), 0 black to 1 white."""
    linear = [c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055) ** 2.4 for c in (v / 255 for v in colour)]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def ink_on(colour: RGB) -> RGB:
    """Return black or white, whichever is easier to read on a colour."""
    return WHITE if luminance(colour) < 0.30 else BLACK


def action_amount(label: str) -> float | None:
    """Return the amount in 'bet 120', 'raise 300' or 'bet 3.3bb', None for fold, check and call."""
    words = label.split()
    if len(words) < 2:
        return None
    try:
        return float(words[-1].replace(",", "").removesuffix("bb"))
    except ValueError:
        return None


def size_colour(percent: float) -> RGB:
    """Return the colour of a bet or raise by its size in per cent of the pot, on a logarithmic scale."""
    place = math.log(max(percent, SMALLEST_BET) / SMALLEST_BET) / math.log(LARGEST_BET / SMALLEST_BET)
    return blend(LIGHTEST_RAISE, DARKEST_RAISE, min(1.0, place))


def action_colours(
    actions: Sequence[str], all_in: Sequence[bool] | None = None, percents: Sequence[float | None] | None = None
) -> list[str]:
    """Return the colour of every action, in their order, as ``#rrggbb``; see :func:`action_styles`."""
    colours = {style.index: hex_colour(style.colour) for style in action_styles(actions, all_in, percents)}
    return [colours[place] for place in range(len(actions))]


def action_styles(
    actions: Sequence[str], all_in: Sequence[bool] | None = None, percents: Sequence[float | None] | None = None
) -> tuple[ActionStyle, ...]:
    """Give every action its colour and letter, in drawing order: most aggressive first.

    ``percents`` are the sizes of bets and raises in per cent of the pot.  A bet whose size is not known is coloured by
    its rank among the bets.
    """
    marks = all_in if all_in is not None else [False] * len(actions)
    sizes = percents if percents is not None else [None] * len(actions)
    raises = sorted(
        (i for i, label in enumerate(actions) if not marks[i] and action_amount(label) is not None),
        key=lambda i: action_amount(actions[i]) or 0.0,
    )
    styles = []
    for i, label in enumerate(actions):
        if marks[i]:
            colour, letter, order = ALL_IN, "A", -1e18
        elif i in raises:
            place = raises.index(i)
            if (size := sizes[i]) is not None:
                colour = size_colour(size)
            elif len(raises) > 1:
                colour = blend(LIGHTEST_RAISE, DARKEST_RAISE, place / (len(raises) - 1))
            else:
                colour = LONE_RAISE
            letter = str(place + 1)[-1] if len(raises) > 1 else ("R" if label.startswith("raise") else "B")
            order = -1.0 - place
        elif label == "fold":
            colour, letter, order = FOLD, "F", 2.0
        elif label in ("check", "call"):
            colour, letter, order = CALL, "C", 1.0
        else:
            colour, letter, order = IN_RANGE, "#", 3.0
        styles.append((order, ActionStyle(label, colour, letter, i)))
    return tuple(style for _, style in sorted(styles, key=lambda pair: pair[0]))
