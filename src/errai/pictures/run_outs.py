"""Run-outs as a picture: a cell for each card that can come."""

from __future__ import annotations

import math
from collections.abc import Sequence

from errai.cards import deck
from errai.errors import InputError
from errai.pictures.canvas import Drawing, fitted_size
from errai.pictures.grid import HEADER, MARGIN, draw_header, draw_stripes
from errai.pictures.nodes import chips_text, percent_text, share_text, worth_text
from errai.pictures.palette import EMPTY, INK, SOFT_INK, SUITS, ActionStyle, ink_on
from errai.pictures.summary import named_styles
from errai.pictures.values import Scale
from errai.solutions.run_outs import RunOut, RunOuts

MEASURES = ("strategy", "ev", "equity")

CELL, ROW, LABEL, SUIT_WIDTH, LEGEND = 64.0, 56.0, 23.0, 26.0, 24.0
LEAST_WIDTH = 420.0


def run_outs_drawing(found: RunOuts, *, title: str = "", by: str = "strategy", player: int | None = None) -> Drawing:
    """Draw run-outs as a grid with a column for each rank and a row for each suit.

    ``by`` is ``strategy`` for how often each action is taken after a card, as stripes, or ``ev`` or ``equity`` of the
    range of ``player``, by default the one who acts after the card, else player 0.  Raises :class:`InputError` if
    several cards come at once, nobody acts after the card, or the values are not known.
    """
    if by not in MEASURES:
        raise InputError(f"Run-outs are shown by {', '.join(MEASURES)}, not by {by!r}.")
    cards = {deal: row for row in found.rows for deal in row.deals}
    if any(len(deal) != 2 for deal in cards):
        raise InputError(
            "The picture has a cell for each card, but several cards are dealt at once here; ask for the table."
        )
    ranks = sorted({card[0] for card in cards}, key=deck.RANKS.index, reverse=True)
    suits = sorted({card[1] for card in cards}, key=deck.SUITS.index, reverse=True)
    who = player if player is not None else found.player if found.player is not None else 0
    name = found.player_names[who]
    heading = f"what {name} does" if by == "strategy" else f"{'EV' if by == 'ev' else 'equity'} of {name}"
    heading = f"{title}{': ' if title else ''}{heading} after each card"
    width = max(LEAST_WIDTH, 2 * MARGIN + SUIT_WIDTH + CELL * len(ranks))
    drawing = Drawing(width, HEADER + ROW * len(suits) + MARGIN, description=heading)
    facts = (found.board_text, found.line or "root", f"pot {chips_text(found.pot_chips)}")
    draw_header(drawing, heading, "   ".join(fact for fact in facts if fact))
    styles = named_styles(found.actions, found.all_in, found.shares)
    scale = None if by == "strategy" else _scale(found, by, who)
    if scale is None and not styles:
        raise InputError("No player acts after the card, so there is no strategy to show; ask for ev or equity.")
    for line, suit in enumerate(suits):
        sign, colour = SUITS[suit]
        y = HEADER + line * ROW
        drawing.text(MARGIN, y + ROW / 2 + 7, sign, size=20, fill=colour if suit != "s" else INK)
        for column, rank in enumerate(ranks):
            x = MARGIN + SUIT_WIDTH + column * CELL
            row = cards.get(rank + suit)
            drawing.rect(x + 1, y + 1, CELL - 2, ROW - 2, EMPTY)
            if row is None:
                continue
            if scale is None:
                draw_stripes(drawing, (x + 1, y + LABEL, CELL - 2, ROW - 1 - LABEL), row.frequencies.tolist(), styles)
                drawing.text(x + 6, y + 17, rank + suit, size=14, bold=True)
            else:
                value = _value(row, by, who)
                text = worth_text(value, found.pot_chips) if by == "ev" else share_text(value)
                _value_cell(drawing, x + 1, y + 1, rank + suit, value, text, scale)
            drawing.hint(x, y, CELL, ROW, _hint(rank + suit, row, found))
    _legend(drawing, HEADER + ROW * len(suits) + 20, found, styles if scale is None else (), by, who)
    return drawing


def _value(row: RunOut, by: str, who: int) -> float:
    return float((row.ev_chips if by == "ev" else row.equity)[who])


def _scale(found: RunOuts, by: str, who: int) -> Scale:
    """Return colours for the values, with the middle at the mean over all cards."""
    values = [value for row in found.rows if not math.isnan(value := _value(row, by, who))]
    if not values:
        raise InputError(
            (found.why_no_ev if by == "ev" else found.why_no_equity) or "No pair of hands reaches this card."
        )
    middle, away = _value(found.mean(), by, who), 1e-9 * max(1.0, found.pot_chips)
    if math.isnan(middle):
        middle = sum(values) / len(values)
    return Scale(min(*values, middle - away), middle, max(*values, middle + away), 1.0)


def _value_cell(drawing: Drawing, x: float, y: float, card: str, value: float, text: str, scale: Scale) -> None:
    if math.isnan(value):
        drawing.text(x + 5, y + 18, card, size=14, bold=True, fill=SOFT_INK)
        return
    colour = scale.colour(value)
    drawing.rect(x, y, CELL - 2, ROW - 2, colour)
    drawing.text(x + 5, y + 18, card, size=14, bold=True, fill=ink_on(colour))
    size = fitted_size(text, 13.0, CELL - 10)
    drawing.text(x + CELL / 2 - 1, y + 42, text, size=size, fill=ink_on(colour), anchor="middle")


def _worth(row: RunOut, found: RunOuts, p: int) -> str:
    return f"EV {worth_text(float(row.ev_chips[p]), found.pot_chips)}, equity {share_text(float(row.equity[p]))}"


def _hint(card: str, row: RunOut, found: RunOuts) -> str:
    parts = [f"{card}: {percent_text(row.probability / len(row.deals))}"]
    parts += [f"{a} {percent_text(f)}" for a, f in zip(found.actions, row.frequencies.tolist(), strict=True)]
    parts += [f"{found.player_names[p]}: {_worth(row, found, p)}" for p in (0, 1)]
    others = [deal for deal in row.deals if deal != card]
    return "; ".join([*parts, *([f"as {' '.join(others)}"] if others else [])])


def _legend(drawing: Drawing, y: float, found: RunOuts, styles: Sequence[ActionStyle], by: str, who: int) -> None:
    """Draw what the colours mean, with the means over all cards, and the EV and equity of both ranges."""
    mean = found.mean()
    for style in styles:
        drawing.rect(MARGIN, y - 12, 14, 14, style.colour)
        drawing.text(MARGIN + 22, y, style.label, size=13)
        drawing.text(MARGIN + 190, y, percent_text(float(mean.frequencies[style.index])), size=13, anchor="end")
        y += LEGEND
    if not styles:
        drawing.text(MARGIN, y, "Violet is above the mean over all cards, orange below it.", size=12, fill=SOFT_INK)
        y += LEGEND
    for p in (0, 1):
        text = f"{found.player_names[p]}, mean over all cards: {_worth(mean, found, p)}"
        drawing.text(MARGIN, y, text, size=12, bold=p == who and by != "strategy", fill=SOFT_INK)
        y += LEGEND - 4
    drawing.height = y + 4
