"""A poker table in a terminal: cards drawn as cards, chips, the dealer's button, whose turn it is, the line of bets.

Suits are distinguished by their signs, or by their letters if only ASCII can be shown, and by four colours.
"""

from __future__ import annotations

import textwrap
from collections.abc import Sequence

from rich import box
from rich.cells import cell_len, set_cell_size
from rich.console import Console, Group
from rich.panel import Panel
from rich.text import Text

from errai.pictures.nodes import chips_text, percent_text
from errai.pictures.palette import RGB, SUITS, action_styles, blend
from errai.pictures.play import DOWN, HintAction, SeatView, TableView
from errai.pictures.terminal import background, has_colours, rgb_style, width_of

CARD_WIDTH = 5
CARD_HEIGHT = 4
GREATEST_WIDTH = 88
CARD_PAPER: RGB = (238, 236, 228)
CARD_BACK: RGB = (112, 128, 168)
CARD_BACK_INK: RGB = (206, 214, 236)
FELT: RGB = (60, 120, 90)


def table_terminal(table: TableView, console: Console, *, plain: bool = False) -> Panel:
    """Draw a table, fitted to a console's width and colours.

    ``plain`` draws with ASCII only, which is the default if the console can show nothing else.
    """
    plain, colours = plain or console.options.ascii_only, has_colours(console)
    width = min(console.width, GREATEST_WIDTH)
    opposite, near = table.seats
    column = max(3, table.board_places, *(len(seat.cards) for seat in table.seats)) * (CARD_WIDTH + 1) + 4
    room = width - 6 - column
    parts = [_band(opposite.cards, 0, _seat_lines(opposite, room, colours, plain), column, colours, plain)]
    board = table.board
    if table.board_places:
        pot = [Text(), Text(), Text.assemble("pot ", (chips_text(table.pot_chips), "bold"))]
        parts.append(_band(board, table.board_places - len(board), pot, column, colours, plain))
    else:
        parts.append(Text.assemble(" " * (column + 1), "pot ", (chips_text(table.pot_chips), "bold"), "\n"))
    parts.append(_band(near.cards, 0, _seat_lines(near, room, colours, plain), column, colours, plain))
    if table.line:
        names = max(len(name) for name, _ in table.line)
        parts.append(Text())
        for name, done in table.line:
            # All lines of a street are indented like the first.
            lines = textwrap.wrap(done, max(20, width - 8 - names)) or [""]
            actions = ("\n" + " " * (names + 2)).join(lines)
            parts.append(Text.assemble((name.ljust(names) + "  ", "dim"), actions))
    return Panel(
        Group(*parts),
        title=Text(f" {_cut(table.title, width - 8, plain)} ", style="bold"),
        title_align="left",
        box=box.ASCII if plain else box.ROUNDED,
        border_style=rgb_style(FELT) if colours else "",
        width=width,
        padding=(1, 2, 0, 2),
    )


def bars_terminal(heading: str, hint: Sequence[HintAction], console: Console, *, plain: bool = False) -> Group:
    """Draw probabilities of actions as bars below a heading."""
    plain, colours = plain or console.options.ascii_only, has_colours(console)
    labels, shares, all_in, percents = zip(*hint, strict=True)
    width = max(map(len, labels))
    room = max(10, min(40, width_of(console) - width - 14))
    rows = [Text(heading, style="dim")]
    for style in action_styles(labels, all_in, percents):
        share = shares[style.index]
        filled = round(room * share)
        text = Text(f"  {style.label.ljust(width)} {percent_text(share):>7} ")
        text.append(style.letter * filled, style=background(style.colour) if colours else "")
        text.append(("." if plain else "·") * (room - filled), style="dim")
        rows.append(text)
    return Group(*rows)


def _cut(text: str, room: int, plain: bool) -> str:
    """Cut a text to a width, with dots for the missing end."""
    room = max(room, 8)
    if cell_len(text) <= room:
        return text
    dots = "..." if plain else "…"
    return set_cell_size(text, room - len(dots)) + dots


def _seat_lines(seat: SeatView, room: int, colours: bool, plain: bool) -> list[Text]:
    """Return the name with button and turn, chips behind, bet, and a note."""
    name = Text(_cut(seat.name, room - len(" (D) <"), plain), style="bold")
    if seat.dealer:
        name.append(" ")
        name.append("(D)", style=background((245, 196, 60)) if colours else "bold")
    if seat.acts:
        name.append(" <" if plain else " ◀", style="bold" if not colours else f"bold {rgb_style((245, 196, 60))}")
    chips = Text("" if seat.behind_chips is None else f"{chips_text(seat.behind_chips)} behind")
    bet = Text()
    if seat.bet_chips:
        bet = Text.assemble("o " if plain else "● ", ("bet ", ""), (chips_text(seat.bet_chips), "bold"))
    # If stacks have no limit, the bet moves up, so that there is no empty line.
    lines = [name, *(line for line in (chips, bet) if line.plain), Text(_cut(seat.note, room, plain), style="italic")]
    return lines[:CARD_HEIGHT]


def _band(cards: Sequence[str], places: int, beside: Sequence[Text], column: int, colours: bool, plain: bool) -> Text:
    """Return cards on the left, and up to four lines of text on the right."""
    band = Text()
    for row, line in enumerate(card_lines(cards, places, colours, plain)):
        band.append_text(line)
        if row < len(beside) and beside[row].plain:
            band.append(" " * (column - line.cell_len))
            band.append_text(beside[row])
        band.append("\n" if row < CARD_HEIGHT - 1 else "")
    return band


def card_lines(cards: Sequence[str], places: int, colours: bool, plain: bool) -> list[Text]:
    """Return the four lines of cards side by side, with ``places`` empty ones after them."""
    rows = [Text() for _ in range(CARD_HEIGHT)]
    for card in [*cards, *[None] * places]:
        for row, line in zip(rows, _one_card(card, colours, plain), strict=True):
            row.append(" " if row.plain else "")
            row.append_text(line)
    return rows


def _one_card(card: str | None, colours: bool, plain: bool) -> tuple[Text, Text, Text, Text]:
    """Return the four lines of a card; None is an empty place.

    In colours a card is a block of its paper with half a line more above and below; without, it has an edge.
    """
    if card is None:
        lines = ("     ", " . . ", " . . ", "     ") if plain else ("┌╌ ╌┐", "╎   ╎", "╎   ╎", "└╌ ╌┘")
        first, second, third, last = (Text(line, style="dim") for line in lines)
        return first, second, third, last
    sign, ink = ("", CARD_BACK_INK) if card == DOWN else SUITS[card[1]]
    rank = "" if card == DOWN else "10" if card[0] == "T" else card[0]
    back = "###" if plain else "░░░"
    upper, lower = (back, back) if card == DOWN else (rank.ljust(3), f"  {card[1] if plain else sign}")
    if colours and not plain:
        paper = rgb_style(CARD_BACK if card == DOWN else CARD_PAPER)
        style = f"bold {rgb_style(ink)} on {paper}"
        top, bottom = Text("▄" * CARD_WIDTH, style=paper), Text("▀" * CARD_WIDTH, style=paper)
        return top, Text(f" {upper} ", style=style), Text(f" {lower} ", style=style), bottom
    # Black ink takes the terminal's own text colour, which can be read on any background.
    style = f"bold {rgb_style(blend(ink, (255, 255, 255), 0.4))}" if colours and max(ink) > 40 else "bold"
    above, side, below = (".---.", "|", "'---'") if plain else ("╭───╮", "│", "╰───╯")
    first, second = (Text.assemble(side, (part, style), side) for part in (upper, lower))
    return Text(above), first, second, Text(below)
