"""The picture of a node: the strategy of each hand, as a grid of hand classes or as a table of rows.

In a cell the width of a stripe is the frequency of its action; the filled height is the weight of the hand
in the range, relative to the largest weight in the picture; above it the same stripes are faint.
"""

from __future__ import annotations

from collections.abc import Sequence

from errai.pictures.canvas import Drawing, text_width
from errai.pictures.nodes import (
    chips_text,
    convergence_facts,
    is_unconverged,
    percent_text,
    range_texts,
    share_text,
    split_cards,
    stacks_text,
    worth_text,
)
from errai.pictures.palette import (
    ABSENT,
    BLACK,
    CARD_FACE,
    EMPTY,
    INK,
    PAPER,
    RGB,
    RULE,
    SOFT_INK,
    SUITS,
    WARNING,
    WHITE,
    ActionStyle,
    ink_on,
    mixed_colour,
)
from errai.pictures.summary import HandClass, HandSummary, summarise
from errai.solutions.node import SolutionNode

MARGIN = 22.0
HEADER = 66.0
SQUARE = 624.0
PANEL = 276.0
GAP = 26.0
ROW = 26.0
MOST_ROWS = 80
EVENTS = {
    "chance": "A card is dealt here.",
    "fold": "The hand ended by a fold.",
    "showdown": "The hand ends in a showdown.",
    "leaf": "The tree ends here.",
}
FAINT = 0.22
"""Opacity of the stripes above the filled part of a cell."""


def node_drawing(node: SolutionNode, *, title: str = "", player: int | None = None) -> Drawing:
    """Draw the strategy of the player to act, or the range of ``player`` if that player does not act."""
    return summary_drawing(summarise(node, player), title=title)


def summary_drawing(
    summary: HandSummary, *, title: str = "", line: str = "", mixed: bool = False, notes: Sequence[str] = ()
) -> Drawing:
    """Draw a summary of a node's hands.

    ``line`` replaces the node's line below the title; ``mixed`` fills each cell with one mixed colour instead of
    stripes; ``notes`` are written at the end of the panel.
    """
    node = summary.node
    if summary.is_grid:
        body_width = body_height = square_side(summary)
    else:
        body_width = 640.0
        body_height = ROW * min(len(summary.classes), MOST_ROWS) + 8
    width = MARGIN + body_width + GAP + PANEL + MARGIN
    board = f" on {node.board_text}" if node.board_text else ""
    described = f"{title or 'Strategy'}{board}: {node.line or 'root'}"
    drawing = Drawing(width, HEADER + body_height + MARGIN, description=described)
    draw_header(drawing, title or "Strategy", line or node.line or "root")
    if summary.is_grid:
        _square(drawing, summary, body_width / len(summary.ranks), mixed)
    else:
        _rows(drawing, summary, body_width)
    panel_end = _panel(drawing, summary, MARGIN + body_width + GAP, mixed, notes)
    drawing.height = max(drawing.height, panel_end + MARGIN - 10)
    return drawing


def hint_text(item: HandClass, summary: HandSummary) -> str:
    """Return the text that explains one class: actions with their EV, weight, number of hands, EV and equity."""
    if not item.shares:
        return f"{item.label}: not in the range"
    plays, pot_chips = [], summary.node.pot_chips
    for style in summary.styles if len(summary.styles) > 1 else ():
        worth = item.action_ev_chips[style.index] if item.action_ev_chips else None
        ev = "" if worth is None else f" (EV {worth_text(worth, pot_chips)})"
        plays.append(f"{style.label} {percent_text(item.shares[style.index])}{ev}")
    facts = [", ".join([*plays, f"weight {item.weight:.3f}", f"{item.combos} combos"])]
    if item.ev_chips is not None:
        facts.append(f"EV {worth_text(item.ev_chips, pot_chips)} chips")
    if item.equity is not None:
        facts.append(f"equity {share_text(item.equity)}, EQR {share_text(item.equity_realised)}")
    return f"{item.label}: {'; '.join(facts)}"


def state_text(node: SolutionNode) -> str:
    """Return one sentence that names the player to act, or the event, at a node."""
    return EVENTS.get(node.kind) or (f"{node.player_name} to act" if node.player_name else "")


def square_side(summary: HandSummary) -> float:
    """Return the side of the grid of hands in pixels."""
    return min(SQUARE, 76.0 * len(summary.ranks))


def draw_header(drawing: Drawing, heading: str, line: str) -> None:
    """Draw a heading that shrinks to the width, and a line below it that is cut to it."""
    width = drawing.width - 2 * MARGIN
    size = 17.0
    while size > 11 and text_width(heading, size, bold=True) > width:
        size -= 1
    while text_width(heading, size, bold=True) > width:
        heading = heading.rstrip("…")[:-1].rstrip() + "…"
    drawing.text(MARGIN, 31, heading, size=size, bold=True)
    if text_width(line, 13) > width:
        # The end of the line, its most recent action, stays readable.
        while line and text_width("… " + line, 13) > width:
            line = line[1:]
        line = "… " + line.lstrip()
    drawing.text(MARGIN, 52, line, size=13, fill=SOFT_INK)


def _square(drawing: Drawing, summary: HandSummary, cell: float, mixed: bool) -> None:
    count = len(summary.ranks)
    size = min(13.0, cell * 0.26)
    for place, item in enumerate(summary.classes):
        styles, shares = summary.styles, item.shares
        if mixed and shares:
            colour = mixed_colour([shares[style.index] for style in styles], [style.colour for style in styles])
            styles, shares = (ActionStyle("", colour, "", 0),), (1.0,)
        x = MARGIN + (place % count) * cell
        y = HEADER + (place // count) * cell
        inner = cell - 2
        drawing.rect(x + 1, y + 1, inner, inner, EMPTY)
        if shares:
            draw_stripes(drawing, (x + 1, y + 1, inner, inner), shares, styles, summary.filled(item))
        if item.combos:
            ink, halo = _label_ink(shares, styles, summary.filled(item))
            drawing.text(x + 5, y + 4 + size, item.label, size=size, bold=True, fill=ink, halo=halo)
            drawing.hint(x, y, cell, cell, hint_text(item, summary))


def _label_ink(shares: Sequence[float], styles: Sequence[ActionStyle], filled: float) -> tuple[RGB, RGB | None]:
    """Choose the colours of a label's text and rim by the colours behind it, in the upper left of the cell."""
    if not shares:
        return ABSENT, None
    if filled <= 0.8:
        return INK, PAPER
    dark, at = 0.0, 0.0
    for style in styles:
        part = max(0.0, min(shares[style.index], 0.75 - at))
        if ink_on(style.colour) == WHITE:
            dark += part
        at += part
    return (WHITE, BLACK) if dark > 0.45 else (BLACK, WHITE)


def draw_stripes(
    drawing: Drawing,
    area: tuple[float, float, float, float],
    shares: Sequence[float],
    styles: Sequence[ActionStyle],
    filled: float = 1.0,
) -> None:
    """Draw the shares of actions side by side in an area (x, y, width, height), faint above its ``filled`` part."""
    x, y, width, height = area
    high = max(height * filled, 2.0)
    for style in styles:
        part = width * shares[style.index]
        if not part >= 0.05:
            continue
        if height - high > 0.3:
            drawing.rect(x, y, part, height - high, style.colour, opacity=FAINT)
        drawing.rect(x, y + height - high, part, high, style.colour)
        x += part


def _rows(drawing: Drawing, summary: HandSummary, width: float) -> None:
    shown = summary.classes[:MOST_ROWS]
    label_width = max(max((text_width(c.label, 13, bold=True) for c in shown), default=0.0) + 14, 44.0)
    column = 58.0
    bar = width - label_width - 4 * column
    ends = [MARGIN + width - i * column for i in (3, 2, 1, 0)]
    for end, heading in zip(ends, ("weight", "EV, chips", "equity", "EQR"), strict=True):
        drawing.text(end, HEADER - 4, heading, size=11, fill=SOFT_INK, anchor="end")
    for place, item in enumerate(shown):
        y = HEADER + 4 + place * ROW
        middle = y + ROW / 2 + 4
        ink = INK if item.shares else SOFT_INK
        drawing.text(MARGIN, middle, item.label, size=13, bold=True, fill=ink)
        drawing.rect(MARGIN + label_width, y + 2, bar, ROW - 4, EMPTY)
        if item.shares:
            at = MARGIN + label_width
            draw_stripes(drawing, (at, y + 2, bar, ROW - 4), item.shares, summary.styles)
            for style in summary.styles:
                part, text = bar * item.shares[style.index], percent_text(item.shares[style.index])
                if part > text_width(text, 11) + 8:
                    drawing.text(at + part / 2, middle, text, size=11, anchor="middle", fill=ink_on(style.colour))
                at += part
            ev = "" if item.ev_chips is None else worth_text(item.ev_chips, summary.node.pot_chips)
            shares = ("" if share is None else share_text(share) for share in (item.equity, item.equity_realised))
            for end, text in zip(ends, (f"{item.weight:.3f}", ev, *shares), strict=True):
                drawing.text(end, middle, text, size=12, fill=SOFT_INK, anchor="end")
        drawing.hint(MARGIN, y, width, ROW, hint_text(item, summary))
    if len(summary.classes) > MOST_ROWS:
        rest = f"and {len(summary.classes) - MOST_ROWS} more"
        drawing.text(MARGIN + width, HEADER + 16 + MOST_ROWS * ROW, rest, size=11, fill=SOFT_INK, anchor="end")


def _panel(drawing: Drawing, summary: HandSummary, x: float, mixed: bool, more: Sequence[str]) -> float:
    """Draw the panel beside the hands; return the y below it."""
    node, y = summary.node, HEADER + 10
    if node.board_text:
        draw_board(drawing, x, y - 8, split_cards(node.board_text))
        y += 62
    facts = [("Pot", chips_text(node.pot_chips))]
    if node.to_call_chips > 0:
        facts.append(("To call", chips_text(node.to_call_chips)))
    behind = stacks_text(node.stacks_chips)
    if behind:
        facts.append(("Behind", behind))
    facts += convergence_facts(node)
    for name, value in facts:
        marked = is_unconverged(node) and (name, value) == facts[-1]
        drawing.text(x, y, name, size=12.5, fill=WARNING if marked else SOFT_INK, bold=marked)
        drawing.text(x + PANEL, y, value, size=12.5, anchor="end", bold=marked)
        y += 22
    worth = range_texts(node)
    if worth:
        drawing.path([(x, y - 8), (x + PANEL, y - 8)], stroke=RULE)
        y += 12
        ends = (x + PANEL - 100, x + PANEL - 47, x + PANEL)
        for end, name in zip(ends, ("EV", "equity", "EQR"), strict=True):
            drawing.text(end, y, name, size=11, fill=SOFT_INK, anchor="end")
        for name, texts in zip(node.player_names, worth, strict=True):
            y += 20
            drawing.text(x, y, name[:1].upper() + name[1:], size=12.5, fill=SOFT_INK)
            for end, text in zip(ends, texts, strict=True):
                drawing.text(end, y, text, size=12.5, anchor="end")
        y += 22
    drawing.path([(x, y - 8), (x + PANEL, y - 8)], stroke=RULE)
    y += 16
    heading = state_text(node)
    drawing.text(x, y, heading[:1].upper() + heading[1:], size=13.5, bold=True)
    y += 12
    for style in summary.styles:
        y += 22
        share = summary.frequencies[style.index]
        drawing.rect(x, y - 11, 14, 14, style.colour, radius=2)
        drawing.text(x + 22, y, style.label, size=13)
        figure = percent_text(share) if summary.acts else f"{summary.combos:.1f} combos"
        drawing.text(x + PANEL, y, figure, size=13, anchor="end", bold=summary.acts)
        if summary.has_action_ev:
            ev = f"EV {worth_text(summary.action_ev_chips[style.index], node.pot_chips)}"
            drawing.text(x + PANEL - 58, y, ev, size=12, anchor="end", fill=SOFT_INK)
        y += 9
        drawing.rect(x, y, PANEL, 5, EMPTY)
        if share > 0:
            drawing.rect(x, y, max(PANEL * min(share, 1.0), 1.0), 5, style.colour)
        y += 9
    y += 26
    notes = ["Colours mix by how often." if mixed else "Width of a stripe: how often."] if summary.acts else []
    if summary.is_grid:
        notes.append(f"Height: weight of the hand, full = {summary.full_weight:.3g}.")
    if summary.acts:
        notes.append(f"{summary.combos:.1f} combos reach this point.")
    for note in (*notes, *more):
        drawing.text(x, y, note, size=11, fill=SOFT_INK)
        y += 16
    return y


def draw_board(drawing: Drawing, x: float, y: float, cards: tuple[str, ...]) -> None:
    """Draw the cards on the table, 44 pixels high."""
    for place, card in enumerate(cards):
        left = x + place * 40
        symbol, colour = SUITS[card[1]]
        drawing.rect(left, y, 35, 44, CARD_FACE, stroke=RULE, radius=4, stroke_width=1.2)
        drawing.text(left + 17.5, y + 20, card[0], size=16, bold=True, fill=colour, anchor="middle")
        drawing.text(left + 17.5, y + 38, symbol, size=16, fill=colour, anchor="middle")
