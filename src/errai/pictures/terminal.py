"""Pictures of a node in a terminal, as rich renderables.

With colours, stripes are background colours; rich reduces them to what the terminal can show (true colour,
256, 16). Without colours, letters take their place: F fold, C check or call, B or R a single bet or raise,
1 2 3 sizes from small to large, A all-in.  A cell's stripes fade, or its letters thin out, with the weight
of the hand in the range.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from errai.pictures.grid import state_text, summary_styles
from errai.pictures.nodes import (
    chips_text,
    convergence_text,
    is_unconverged,
    percent_text,
    range_texts,
    share_text,
    split_cards,
    stacks_text,
    worth_text,
)
from errai.pictures.palette import RGB, SUITS, ActionStyle, blend, ink_on, mixed_colour
from errai.pictures.summary import HandClass, HandSummary, summarise
from errai.solutions.node import SolutionNode

if TYPE_CHECKING:
    from rich.console import Console, Group
    from rich.table import Table
    from rich.text import Text

# Stripes fade towards this grey, which is apart from both black and white terminals.
FADED: RGB = (88, 90, 94)
MOST_ROWS = 60


def node_terminal(
    node: SolutionNode, console: Console, *, title: str = "", player: int | None = None, lines: int | None = None
) -> Group:
    """Return a renderable picture of a node, fitted to a console's width, height and colours.

    ``lines`` is the height of a cell, 1 or 2; by default 2 where the console is high enough for the whole
    picture.
    """
    summary = summarise(node, player)
    styles = summary_styles(node, summary)
    return summary_terminal(node, summary, styles, console, title=title, lines=lines)


def summary_terminal(
    node: SolutionNode,
    summary: HandSummary,
    styles: tuple[ActionStyle, ...],
    console: Console,
    *,
    title: str = "",
    lines: int | None = None,
    mixed: bool = False,
) -> Group:
    """Return a renderable picture of a summary of a node's hands, with styles for its actions.

    ``lines`` as for :func:`node_terminal`; ``mixed`` gives each cell one mixed colour instead of stripes.
    """
    from rich.console import Group
    from rich.text import Text

    colours = console.color_system is not None and not console.no_color
    below = _below(node, summary, styles, console, colours)
    if lines is None:
        lines = 2 if console.height >= 2 * len(summary.ranks) + len(below) + 8 else 1
    parts: list[Text] = [header_text(node, title)]
    if summary.is_grid:
        parts.extend(_square(summary, styles, console.width, lines, colours, mixed))
    else:
        parts.extend(_rows(node, summary, styles, console.width, colours))
    if not summary.is_grid or console.height > len(summary.ranks) + len(below) + 4:
        parts.append(Text())
    return Group(*parts, *below)


def print_node(node: SolutionNode, console: Console, *, title: str = "", player: int | None = None) -> None:
    """Print the picture of a node on a rich console."""
    console.print(node_terminal(node, console, title=title, player=player), highlight=False, soft_wrap=True)


def header_text(node: SolutionNode, title: str) -> Text:
    """Return title, board, line, pot, the player to act, and how often the node is reached."""
    from rich.text import Text

    text = Text()
    if title:
        text.append(title + "\n", style="bold")
    for card in split_cards(node.board_text):
        red, green, blue = blend(SUITS[card[1]][1], (255, 255, 255), 0.35)
        text.append(card, style=f"bold rgb({red},{green},{blue})")
        text.append(" ")
    text.append("  " if node.board_text else "")
    text.append(node.line or "root", style="bold")
    text.append(f"\npot {chips_text(node.pot_chips)}")
    if node.to_call_chips > 0:
        text.append(f"   to call {chips_text(node.to_call_chips)}")
    behind = stacks_text(node.stacks_chips)
    text.append(f"   behind {behind}" if behind else "")
    text.append(f"   {state_text(node)}\n")
    text.append(convergence_text(node), style="bold yellow" if is_unconverged(node) else "dim")
    return text


def background(colour: RGB) -> str:
    """Return the rich style of a cell of this colour, with ink that can be read on it."""
    ink = ink_on(colour)
    return f"rgb({ink[0]},{ink[1]},{ink[2]}) on rgb({colour[0]},{colour[1]},{colour[2]})"


def apportion(shares: Sequence[float], places: int) -> list[int]:
    """Split all of a number of places in proportion to shares, by largest remainders."""
    total = sum(shares)
    if total <= 0:
        return [0] * len(shares)
    exact = [places * share / total for share in shares]
    counts = [int(value) for value in exact]
    by_remainder = sorted(range(len(shares)), key=lambda i: (counts[i] - exact[i], i))
    for i in by_remainder[: places - sum(counts)]:
        counts[i] += 1
    return counts


def _stripe(item: HandClass, styles: tuple[ActionStyle, ...], places: int) -> list[ActionStyle]:
    counts = apportion([item.shares[s.index] for s in styles], places)
    return [style for style, count in zip(styles, counts, strict=True) for _ in range(count)]


def _fade(colour: RGB, item: HandClass, full_weight: float) -> RGB:
    weight = item.weight / full_weight if full_weight > 0 else 0.0
    return blend(colour, FADED, 0.75 * (1 - min(1.0, weight)))


def _square(
    summary: HandSummary, styles: tuple[ActionStyle, ...], width: int, lines: int, colours: bool, mixed: bool
) -> list[Text]:
    from rich.text import Text

    count = len(summary.ranks)
    cell = max(3, min(9, width // count - 1))
    rows = []
    for row in range(count):
        cells = summary.classes[row * count : (row + 1) * count]
        if colours:
            for part in range(lines):
                text = Text()
                for item in cells:
                    label = item.label.center(cell) if part == 0 and item.combos else " " * cell
                    _coloured_cell(text, label, item, styles, summary.full_weight, mixed)
                    text.append(" ")
                rows.append(text)
            continue
        rows.append(Text(" ".join((item.label if item.combos else "").ljust(cell) for item in cells)))
        rows.append(Text(" ".join(_letters(item, styles, summary.full_weight, cell) for item in cells)))
    return rows


def _coloured_cell(
    text: Text, label: str, item: HandClass, styles: tuple[ActionStyle, ...], full_weight: float, mixed: bool
) -> None:
    if not item.shares:
        text.append(label, style="bright_black")
        return
    if mixed:
        colour = mixed_colour([item.shares[style.index] for style in styles], [style.colour for style in styles])
        text.append(label, style="bold " + background(_fade(colour, item, full_weight)))
        return
    for char, style in zip(label, _stripe(item, styles, len(label)), strict=True):
        text.append(char, style="bold " + background(_fade(style.colour, item, full_weight)))


def _letters(item: HandClass, styles: tuple[ActionStyle, ...], full_weight: float, cell: int) -> str:
    if not item.shares:
        return ("." if item.combos else "").ljust(cell)
    places = max(1, round(cell * item.weight / full_weight))
    return "".join(style.letter for style in _stripe(item, styles, places)).ljust(cell)


def _rows(
    node: SolutionNode, summary: HandSummary, styles: tuple[ActionStyle, ...], width: int, colours: bool
) -> list[Text]:
    from rich.text import Text

    shown = summary.classes[:MOST_ROWS]
    label_width = max([len(item.label) for item in shown], default=0) + 2
    shares_width = sum(max(6, len(style.label)) + 2 for style in styles if summary.acts) + 18
    equities = width >= label_width + shares_width + 28
    bar = max(10, min(40, width - label_width - shares_width - 16 * equities - 2))
    heading = " " * (label_width + bar)
    if summary.acts:
        heading += "".join(f"  {style.label:>6}" for style in styles)
    heading += "  weight        EV" + "  equity     EQR" * equities
    rows = [Text(heading, style="dim")]
    for item in shown:
        text = Text(item.label.ljust(label_width), style="bold")
        plain = Text()
        if item.shares:
            for style in _stripe(item, styles, bar):
                if colours:
                    text.append(" ", style=background(style.colour))
                else:
                    text.append(style.letter, style="not bold")
            if summary.acts:
                for style in styles:
                    plain.append(f"  {percent_text(item.shares[style.index]):>{max(6, len(style.label))}}")
            plain.append(f"  {item.weight:6.3f}")
            if item.ev_chips is not None:
                plain.append(f"  {worth_text(item.ev_chips, node.pot_chips):>8}")
            if equities:
                plain.append(f"  {share_text(item.equity):>6}  {share_text(item.equity_realised):>6}")
        else:
            text.append("." * bar, style="dim")
        rows.append(Text.assemble(text, plain))
    if len(summary.classes) > MOST_ROWS:
        rows.append(Text(f"and {len(summary.classes) - MOST_ROWS} more", style="dim"))
    return rows


def _below(
    node: SolutionNode, summary: HandSummary, styles: tuple[ActionStyle, ...], console: Console, colours: bool
) -> list[Text]:
    """Return a line for each action, and one for each range."""
    from rich.text import Text

    block = "#" if console.options.ascii_only else "█"
    label_width = max(len(style.label) for style in styles)
    bar = max(10, min(40, console.width - label_width - 24 - 12 * summary.has_action_ev))
    rows = []
    for style in styles:
        text = Text()
        text.append(f" {style.letter} ", style=background(style.colour) if colours else "")
        share = summary.frequencies[style.index]
        if summary.acts:
            text.append(f" {style.label.ljust(label_width)} {percent_text(share):>7} ")
            if summary.has_action_ev:
                text.append(f" EV {worth_text(summary.action_ev_chips[style.index], node.pot_chips):>7} ")
            red, green, blue = style.colour
            text.append(
                block * round(bar * share) if share > 0 else "", style=f"rgb({red},{green},{blue})" if colours else ""
            )
        else:
            text.append(f" {style.label.ljust(label_width)} {summary.combos:.1f} combos")
        rows.append(text)
    return rows + _worth_rows(node, summary, console.width)


def _worth_rows(node: SolutionNode, summary: HandSummary, room: int) -> list[Text]:
    """Return a line with EV, equity and EQR for each range."""
    from rich.text import Text

    worth = range_texts(node)
    if not worth:
        return [Text(f"{summary.combos:.1f} combos reach this point", style="dim")] if summary.acts else []
    rows = []
    width = max(map(len, node.player_names))
    for name, reach, (ev, equity, realised) in zip(node.player_names, node.ranges, worth, strict=True):
        combos = f"{reach.sum():9,.1f} combos" if room >= 72 else ""
        rows.append(Text(f"{name:<{width}}{combos}   EV {ev:>7}   equity {equity:>6}   EQR {realised:>4}"))
    return rows


def hands_table(
    node: SolutionNode, hands: Sequence[int], players: Sequence[int], *, values: bool = True, all_hands: bool = False
) -> Table:
    """Return a table of some hands of a node by index: the strategy of each, and its EV and equity for some players.

    The strategy is that of the player who acts, and is left out if the table is of the other player alone.
    ``all_hands`` adds a row for the ranges.  Without ``values`` no values are computed.
    """
    from rich.table import Table

    table = Table(box=None, pad_edge=False)
    table.add_column("hand")
    actions = node.actions if node.player in players else ()
    for action in actions:
        table.add_column(action, justify="right")
        if values:
            table.add_column("EV", justify="right")
    for player in players if values else ():
        for heading in ("weight", "EV", "equity", "EQR"):
            table.add_column(f"{heading} {player}" if len(players) > 1 else heading, justify="right")
    places = [*hands, None] if all_hands else hands
    for i in places:
        cells = []
        plays = node.frequencies if i is None else node.strategies[i]
        for a in range(len(actions)):
            cells.append(percent_text(plays[a]))
            if values:
                worth = node.range_action_ev if i is None else node.action_ev[i]
                cells.append(worth_text(worth[a], node.pot_chips))
        for p in players if values else ():
            if i is None:
                weight, ev = node.ranges[p].sum(), node.range_ev[p]
                shares = (node.range_equity[p], node.range_equity_realised[p])
            else:
                weight, ev = node.ranges[p, i], node.ev[p, i]
                shares = (node.equity[p, i], node.equity_realised[p, i])
            cells += [f"{weight:.4g}", worth_text(ev, node.pot_chips), *map(share_text, shares)]
        table.add_row("all hands" if i is None else node.hands[i], *cells)
    return table
