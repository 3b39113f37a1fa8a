"""A range by category: the equity curves of both ranges beside what the player does with each category."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from rich.console import Console
from rich.table import Table
from rich.text import Text as TerminalText

from errai.pictures.canvas import Drawing
from errai.pictures.chart import line_text
from errai.pictures.grid import HEADER, MARGIN, draw_board, draw_header, draw_stripes
from errai.pictures.nodes import percent_text, share_text, split_cards, worth_text
from errai.pictures.palette import EMPTY, IN_RANGE, RULE, SOFT_INK, ActionStyle, action_styles, ink_on
from errai.pictures.plot import Axis, Plot, draw_names
from errai.pictures.terminal import apportion, background, has_colours, header_text
from errai.solutions.categories import CategoryRow, RangeReading
from errai.tree.lines import percents_of

CURVES, BAR, NAME, FIGURE, ROW, GAP = 400.0, 250.0, 190.0, 58.0, 24.0, 44.0
BOARD = 52.0
LEAST_HEIGHT = 536.0
BAR_CELLS = 24
"""Letters of a bar in the terminal."""


def categories_drawing(reading: RangeReading, *, title: str = "") -> Drawing:
    """Draw the equities of both ranges as curves, and for each category of the player's hands a bar of its actions."""
    node, styles = reading.node, _styles(reading)
    kinds = [[row for row in rows if row.combos > 0] for rows in (reading.made, reading.draws)]
    left = MARGIN + CURVES + GAP
    width = left + NAME + BAR + 3 * FIGURE + MARGIN
    heading = f"{title}: ranges by category" if title else "Ranges by category"
    drawing = Drawing(width, LEAST_HEIGHT, description=heading)
    draw_header(drawing, heading, line_text(node))
    draw_board(drawing, MARGIN, HEADER + 2, split_cards(node.board_text))
    _draw_curves(drawing, reading)

    x, y = left, HEADER + 14
    who = node.player_names[reading.player]
    drawing.text(x, y, f"What {who} has" + (" and does" if reading.actions else ""), size=13.5, bold=True)
    ends = [x + NAME + BAR + i * FIGURE for i in (1, 2, 3)]
    y += 22
    for rows, name in zip(kinds, ("made", "draws"), strict=True):
        if not rows:
            continue
        drawing.text(x, y, name, size=11, fill=SOFT_INK)
        for end, column in zip(ends, ("share", "EV", "equity"), strict=True):
            drawing.text(end, y, column, size=11, fill=SOFT_INK, anchor="end")
        y += 8
        for row in rows:
            _draw_row(drawing, x, y, row, reading, styles, ends)
            y += ROW
        y += 24
    for style in styles if reading.actions else ():
        drawing.rect(x, y - 11, 14, 14, style.colour, radius=2)
        drawing.text(x + 22, y, style.label, size=13)
        drawing.text(x + NAME - 14, y, percent_text(float(node.frequencies[style.index])), size=13, anchor="end")
        y += 22
    if any(row.combos > 0 for row in reading.draws):
        drawing.text(x, y + 4, "A hand may have several draws, or none.", size=11, fill=SOFT_INK)
        y += 20
    drawing.height = max(drawing.height, y + MARGIN - 8)
    return drawing


def categories_terminal(reading: RangeReading, console: Console, *, title: str = "") -> tuple[TerminalText, Table]:
    """Return a heading and a table for the terminal: each category of the range with its actions, EV and equity."""
    node, styles, colours = reading.node, _styles(reading), has_colours(console)
    table = Table(box=None, pad_edge=False)
    table.add_column("category")
    for heading in ("combos", "share"):
        table.add_column(heading, justify="right")
    wide = bool(reading.actions) and console.width >= 100
    if wide:
        table.add_column("")
    for heading in (*reading.actions, "EV", "equity"):
        table.add_column(heading, justify="right")

    def add(row: CategoryRow) -> None:
        bar = TerminalText()
        if wide and row.combos > 0:
            shares = [row.frequencies[style.index] for style in styles]
            for style, count in zip(styles, apportion(np.nan_to_num(shares).tolist(), BAR_CELLS), strict=True):
                bar.append(
                    (" " if colours else style.letter) * count, style=background(style.colour) if colours else ""
                )
        figures = (f"{row.combos:.1f}", percent_text(row.share))
        played = map(percent_text, row.frequencies)
        worth = (worth_text(row.ev_chips, node.pot_chips), share_text(row.equity))
        table.add_row(row.name, *figures, *([bar] if wide else []), *played, *worth)

    for number, rows in enumerate((reading.made, reading.draws)):
        shown = [row for row in rows if row.combos > 0]
        if number and shown:
            table.add_row("")
        for row in shown:
            add(row)
    return header_text(node, title), table


def reading_lines(reading: RangeReading, ranges: dict[str, dict[str, float]], most: int = 6) -> list[str]:
    """Write a line on each of: the strongest hands, the quartiles of both ranges, and the best blockers.

    ``ranges`` has by name of an opponent's range the share of it that each card removes, the greatest first.
    """
    names, lines = reading.node.player_names, []
    fractions = (f"{name} {percent_text(part)}" for name, part in zip(names, reading.nuts.fractions, strict=True))
    top = f"{100 * reading.nuts.top:g}%"
    lines.append(f"In the top {top} of hands with the cards that lie: {', '.join(fractions)} of the range")
    for name, row in zip(names, reading.quartiles, strict=True):
        if not np.isnan(row).any():
            lines.append(f"Equity of {name}: a quarter of the range has at most {_three(row)}")
    for name, shares in ranges.items():
        best = [f"{card} {percent_text(share)}" for card, share in list(shares.items())[:most] if share > 0]
        if best:
            lines.append(f"Cards that remove most of the opponent's hands, {name}: {', '.join(best)}")
    return lines


def _three(row: Sequence[float]) -> str:
    low, middle, high = (share_text(float(value)) for value in row)
    return f"{low}, half at most {middle}, three quarters at most {high}"


def _styles(reading: RangeReading) -> tuple[ActionStyle, ...]:
    if reading.actions:
        return action_styles(reading.actions, reading.node.all_in, percents_of(reading.node.shares))
    return (ActionStyle("in range", IN_RANGE, "#", 0),)


def _draw_curves(drawing: Drawing, reading: RangeReading) -> None:
    top = HEADER + BOARD + 40
    place = {"left": MARGIN + 44, "right": MARGIN + CURVES, "top": top, "bottom": top + 300}
    plot = Plot(drawing, Axis(0.0, 1.0), Axis(0.0, 1.0), **place)
    names = reading.node.player_names
    drawing.text(plot.left, top - 12, "equity", size=12, fill=SOFT_INK)
    draw_names(drawing, names, plot.right, top)
    plot.mark_up(_percent, about=5)
    plot.mark_across(_percent, "share of the range, the weakest hands first", about=5)
    for number, curve in enumerate(reading.curves):
        if not len(curve):
            continue
        # Each hand is a step as wide as its weight.
        points = [(0.0, curve[0, 1])]
        for start, (end, value) in zip((0.0, *curve[:-1, 0]), curve.tolist(), strict=True):
            points += [(float(start), value), (end, value)]
        plot.line(points, number, dots=False)
    if not any(map(len, reading.curves)):
        middle = (plot.left + plot.right) / 2
        drawing.text(middle, top + 150, "Equities are not known here.", size=12, fill=SOFT_INK, anchor="middle")


def _draw_row(
    drawing: Drawing,
    x: float,
    y: float,
    row: CategoryRow,
    reading: RangeReading,
    styles: Sequence[ActionStyle],
    ends: Sequence[float],
) -> None:
    """Draw one category: its name, a bar as long as its share allows at its strongest, and its figures."""
    middle, bar = y + ROW / 2 + 4, (x + NAME, y + 3, BAR - 14, ROW - 6)
    drawing.text(x, middle, row.name, size=12.5)
    drawing.rect(*bar, EMPTY)
    shares = row.frequencies or (1.0,)
    if row.share > 0:
        draw_stripes(drawing, bar, shares, styles)
        at = bar[0]
        for style in styles if reading.actions else ():
            part = bar[2] * shares[style.index]
            if part > 40:
                text = f"{100 * shares[style.index]:.0f}%"
                drawing.text(at + part / 2, middle - 0.5, text, size=10.5, anchor="middle", fill=ink_on(style.colour))
            at += part
    pot = reading.node.pot_chips
    figures = (percent_text(row.share), worth_text(row.ev_chips, pot), share_text(row.equity))
    for end, text in zip(ends, figures, strict=True):
        drawing.text(end, middle, text, size=12, anchor="end", fill=SOFT_INK)
    played = [f"{a} {percent_text(share)}" for a, share in zip(reading.actions, row.frequencies, strict=True)]
    drawing.hint(x, y, ends[-1] - x, ROW, f"{row.name}: {', '.join([f'{row.combos:.1f} combos', *played])}")
    drawing.path([(x, y + ROW), (ends[-1], y + ROW)], stroke=RULE, width=0.6)


def _percent(value: float) -> str:
    return f"{100 * value:.0f}%"
