"""How often each action is taken on many flops: a stripe for each flop, and means by texture."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from errai.cards.flops import Texture
from errai.pictures.canvas import Drawing, text_width
from errai.pictures.nodes import percent_text
from errai.pictures.palette import EMPTY, SOFT_INK, ActionStyle, action_styles
from errai.solving.flop_results import FlopReport

WIDTH = 900.0
MARGIN = 24.0
HEADER = 76.0
STRIPES = 190.0
ROW = 22.0
LABEL = 150.0
NUMBER = 64.0

TITLES: dict[Texture, str] = {
    "suits": "Suits",
    "pairing": "Pairs",
    "straights": "Straights that are possible",
    "high": "Highest card",
}


def flops_drawing(found: FlopReport, line: str, *, title: str = "") -> Drawing:
    """Draw how often each action is taken at a node of a report, on every flop and in the mean by texture.

    Flops stand side by side, each as wide as it counts, by how often the most aggressive action is taken.  Raises
    :class:`LineError` if the report has no such line.
    """
    nodes, weights = found.nodes(line), found.weights(line)
    styles = action_styles(nodes[0].actions, *found.sizes(line))
    groups = {by: found.groups(by) for by in TITLES}
    rows = 1 + sum(len(kinds) + 1 for kinds in groups.values())
    heading = f"{title}{': ' if title else ''}{line or 'first action'}"
    drawing = Drawing(WIDTH, HEADER + STRIPES + 30 + ROW * rows + MARGIN, description=heading)
    drawing.text(MARGIN, 30, heading, size=16, bold=True)
    _legend(drawing, styles)
    if not styles:
        return drawing
    frequencies = np.nan_to_num(np.stack([node.frequencies for node in nodes]))
    x, total = MARGIN, float(weights.sum()) or 1.0
    for i in sorted(range(len(nodes)), key=lambda i: tuple(-frequencies[i, style.index] for style in styles)):
        wide, y = (WIDTH - 2 * MARGIN) * float(weights[i]) / total, HEADER
        for style in styles:
            high = STRIPES * float(frequencies[i, style.index])
            drawing.rect(x, y, wide, high, style.colour)
            y += high
        told = ", ".join(f"{s.label} {percent_text(float(frequencies[i, s.index]))}" for s in styles)
        drawing.hint(x, HEADER, wide, STRIPES, f"{found.flops[i].flop.text}: {told}")
        x += wide
    y = HEADER + STRIPES + 26
    _bar(drawing, y, "all flops", found.mean(line)["frequencies"], 1.0, styles, bold=True)
    for by, kinds in groups.items():
        y += 1.3 * ROW
        drawing.text(MARGIN, y + 10, TITLES[by], size=12, fill=SOFT_INK)
        for kind, chosen in kinds.items():
            y += ROW
            share = float(weights[chosen].sum()) / total
            _bar(drawing, y, kind, found.mean(line, chosen)["frequencies"], share, styles)
    drawing.height = y + ROW + MARGIN
    return drawing


def _legend(drawing: Drawing, styles: Sequence[ActionStyle]) -> None:
    x = MARGIN
    for style in styles:
        drawing.rect(x, 45, 12, 12, style.colour)
        drawing.text(x + 18, 55, style.label, size=12)
        x += 18 + text_width(style.label, 12) + 18
    drawing.text(WIDTH - MARGIN, 55, "a stripe is a flop, as wide as it counts", size=11, fill=SOFT_INK, anchor="end")


def _bar(
    drawing: Drawing,
    y: float,
    name: str,
    shares: np.ndarray,
    of_all: float,
    styles: Sequence[ActionStyle],
    *,
    bold: bool = False,
) -> None:
    """Draw the mean of a group: its name, the share of the deals that it has, and a bar."""
    drawing.text(MARGIN + 12, y + 12, name, size=12.5, bold=bold)
    drawing.text(MARGIN + LABEL, y + 12, percent_text(of_all), size=11, fill=SOFT_INK, anchor="end")
    x, wide = MARGIN + LABEL + 12, WIDTH - 2 * MARGIN - LABEL - 12 - NUMBER * len(styles)
    drawing.rect(x, y, wide, 15, EMPTY)
    for style in styles:
        part = float(shares[style.index])
        if not math.isnan(part):
            drawing.rect(x, y, wide * part, 15, style.colour)
            x += wide * part
    for place, style in enumerate(styles):
        text, right = percent_text(float(shares[style.index])), WIDTH - MARGIN - NUMBER * (len(styles) - 1 - place)
        drawing.text(right, y + 12, text, size=12, anchor="end", bold=bold)
