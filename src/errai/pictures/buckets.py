"""The picture of an abstraction's round: starting hands coloured, and the sizes of all buckets.

With two private cards the hands form the usual grid of starting hands, otherwise one row of ranks.  In the picture of
a round, the colour of a cell is the mean E[HS] of the buckets of its hands; in the picture of one bucket, it is the
share of the bucket's hands with these private cards.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from errai.abstraction.contents import RoundContents
from errai.abstraction.deals import DealIndexer, round_name
from errai.pictures.canvas import Drawing
from errai.pictures.grid import GAP, HEADER, MARGIN, SQUARE, draw_header
from errai.pictures.palette import ABOVE, BELOW, EMPTY, INK, NEUTRAL, RGB, RULE, SERIES, SOFT_INK, blend, ink_on

PANEL = 420.0
PLOT = 230.0
PLOT_WIDTH = PANEL - 56.0
MOST_BARS = 200

Look = tuple[float, RGB, str]
"""The value of a cell, its colour and its text."""


@dataclass(frozen=True)
class Cell:
    """Hands that a picture shows together: two ranks, suited or not, or one rank."""

    label: str
    row: int
    column: int
    hands: NDArray[np.intp]


def hand_cells(deals: DealIndexer) -> tuple[list[Cell], int]:
    """Return the cells of a deck's hands and the number of columns; row and column 0 are the highest rank."""
    ranks, suits = deals.deck.num_ranks, deals.deck.num_suits
    rank, suit = np.divmod(deals.hands.astype(np.intp), suits)
    letters = deals.deck.ranks
    top = ranks - 1
    if deals.game.num_hole_cards == 1:
        return [Cell(letters[r], 0, top - r, np.flatnonzero(rank[:, 0] == r)) for r in reversed(range(ranks))], ranks
    high, low = rank.max(axis=1), rank.min(axis=1)
    suited = suit[:, 0] == suit[:, 1]
    cells = []
    for row in range(ranks):
        for column in range(ranks):
            upper, lower = top - min(row, column), top - max(row, column)
            kind = "" if row == column else "s" if row < column else "o"
            alike = (high == upper) & (low == lower) & ((suited == (kind == "s")) | (kind == ""))
            cells.append(Cell(letters[upper] + letters[lower] + kind, row, column, np.flatnonzero(alike)))
    return cells, ranks


def round_drawing(deals: DealIndexer, contents: RoundContents, *, title: str = "") -> Drawing:
    """Draw a round: hands by the mean E[HS] of their buckets, and the sizes of the buckets."""
    cells, columns = hand_cells(deals)
    with np.errstate(invalid="ignore"):
        values = [float(np.nanmean(contents.by_hand[cell.hands])) if len(cell.hands) else np.nan for cell in cells]
    looks = [(value, _strength_colour(value), f"{value:.3f}") for value in values]
    name = title or f"{deals.game.name}: {round_name(contents.round_index)}"
    drawing, x, top = _draw(cells, columns, looks, name, contents)
    drawing.text(x, top + PLOT + 74, "Hands: mean E[HS] of their buckets", size=13, bold=True)
    for step in range(101):
        drawing.rect(x + step * 2.4, top + PLOT + 86, 2.6, 14, _strength_colour(0.2 + 0.6 * step / 100))
    for mark in (0.2, 0.35, 0.5, 0.65, 0.8):
        at = x + (mark - 0.2) / 0.6 * 240
        drawing.text(at, top + PLOT + 116, f"{mark:g}", size=11, anchor="middle", fill=SOFT_INK)
    return drawing


def bucket_drawing(
    deals: DealIndexer, contents: RoundContents, bucket: int, by_hand: NDArray[np.float64], *, title: str = ""
) -> Drawing:
    """Draw a bucket: the starting hands of its hands, and its place among the other buckets."""
    cells, columns = hand_cells(deals)
    shares = [float(by_hand[cell.hands].sum()) for cell in cells]
    most = max(shares) or 1.0
    looks: list[Look] = [
        (share, blend(NEUTRAL, ABOVE, (share / most) ** 0.5), f"{100 * share:.1f} %") if share > 0 else (0.0, EMPTY, "")
        for share in shares
    ]
    name = f"{title or deals.game.name}: {round_name(contents.round_index)}, bucket {bucket}"
    drawing, x, top = _draw(cells, columns, looks, name, contents, bucket)
    facts = [
        f"This bucket: {100 * contents.share[bucket]:.3g} % of all hands",
        f"mean E[HS] {contents.mean[bucket]:.4f}" if np.isfinite(contents.mean[bucket]) else "",
        "Cells: share of its hands with these cards.",
    ]
    for row, text in enumerate(text for text in facts if text):
        drawing.text(x, top + PLOT + 74 + 20 * row, text, size=13, bold=row == 0)
    return drawing


def _strength_colour(value: float) -> RGB:
    if not np.isfinite(value):
        return EMPTY
    away = min(1.0, abs(value - 0.5) / 0.3)
    return blend(NEUTRAL, ABOVE if value > 0.5 else BELOW, away)


def _draw(
    cells: list[Cell], columns: int, looks: list[Look], title: str, contents: RoundContents, marked: int | None = None
) -> tuple[Drawing, float, float]:
    """Return a drawing of the hands and of the buckets' sizes, and the corner of the panel with these."""
    side = min(SQUARE / columns, 76.0)
    rows = 1 + max(cell.row for cell in cells)
    # The panel stands right of a grid, and below a row.
    x, top = (MARGIN, HEADER + side + GAP) if rows == 1 else (MARGIN + columns * side + GAP, HEADER)
    height = max(HEADER + rows * side, top + PLOT + 130) + MARGIN
    drawing = Drawing(max(x + PANEL, MARGIN + columns * side) + MARGIN, height, description=title)
    line = f"{len(contents.share):,} buckets"
    if contents.round_index:
        line += f"; {'E[HS]' if contents.exact else 'sizes and E[HS]'} from boards drawn at random"
    draw_header(drawing, title, line)
    for cell, (value, colour, text) in zip(cells, looks, strict=True):
        left, upper = MARGIN + cell.column * side, HEADER + cell.row * side
        drawing.rect(left + 1, upper + 1, side - 2, side - 2, colour if len(cell.hands) else EMPTY)
        if len(cell.hands):
            ink = ink_on(colour)
            drawing.text(left + 5, upper + 16, cell.label, size=12, bold=True, fill=ink)
            if np.isfinite(value):
                drawing.text(left + 5, upper + side - 9, text, size=10, fill=ink)
            drawing.hint(left, upper, side, side, f"{cell.label}: {text}")
    _sizes(drawing, contents, x, top, marked)
    return drawing, x, top


def _sizes(drawing: Drawing, contents: RoundContents, x: float, top: float, marked: int | None) -> None:
    """Draw bars of the buckets' sizes in order of their numbers; neighbours share a bar if there are many."""
    count = len(contents.share)
    bars = min(count, MOST_BARS)
    edges = np.linspace(0, count, bars + 1).astype(int)
    means = np.add.reduceat(contents.share, edges[:-1]) / np.diff(edges)
    most = float(means.max()) or 1.0
    bottom, width = top + 24 + PLOT, PLOT_WIDTH / bars
    drawing.text(x, top + 10, "Share of all hands, bucket by bucket", size=13, bold=True)
    if bars < count:
        drawing.text(x, top + 26, "A bar is the mean of neighbours.", size=11, fill=SOFT_INK)
    for part in (0.5, 1.0):
        y = bottom - part * (PLOT - 20)
        drawing.path([(x, y), (x + PLOT_WIDTH, y)], stroke=RULE)
        drawing.text(x + PLOT_WIDTH + 6, y + 4, f"{100 * part * most:.3g} %", size=11, fill=SOFT_INK)
    for bar in range(bars):
        height = float(means[bar]) / most * (PLOT - 20)
        here = marked is not None and edges[bar] <= marked < edges[bar + 1]
        colour = SERIES[1] if here else SERIES[0]
        drawing.rect(x + bar * width, bottom - height, max(width - (1 if width > 4 else 0), 0.5), height, colour)
    drawing.path([(x, bottom), (x + PLOT_WIDTH, bottom)], stroke=INK)
    drawing.text(x, bottom + 16, "0", size=11, fill=SOFT_INK)
    drawing.text(x + PLOT_WIDTH, bottom + 16, f"{count - 1:,}", size=11, anchor="end", fill=SOFT_INK)
    drawing.text(x + PLOT_WIDTH / 2, bottom + 16, "bucket", size=11, anchor="middle", fill=SOFT_INK)
