"""Pictures of a node in a terminal, as rich renderables.

With colours, stripes are background colours; rich reduces them to what the terminal can show (true colour,
256, 16). Without colours, letters take their place: F fold, C check or call, B or R a single bet or raise,
1 2 3 sizes from small to large, A all-in.  A cell's stripes fade, or its letters thin out, with the weight
of the hand in the range.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from rich.console import Console, Group
from rich.table import Table
from rich.text import Text

from errai.pictures.grid import state_text
from errai.pictures.nodes import (
    action_text,
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
from errai.pictures.summary import HandClass, HandSummary
from errai.pictures.values import Measure, scale_of
from errai.solutions.exploit import TIE, Exploit
from errai.solutions.node import SolutionNode
from errai.solutions.run_outs import RunOut, RunOuts

# Stripes fade towards this grey, which is apart from both black and white terminals.
FADED: RGB = (88, 90, 94)
MOST_ROWS = 60
LEAST_SHOWN = 0.005
"""Actions that are taken more seldom are left out where a strategy is a text."""


def summary_terminal(summary: HandSummary, console: Console, *, title: str = "", mixed: bool = False) -> Group:
    """Return a renderable picture of a summary of a node's hands, fitted to a console's width, height and colours.

    ``mixed`` gives each cell one mixed colour instead of stripes.
    """
    colours = has_colours(console)
    below = _below(summary, console, colours)
    # The height of a cell.
    lines = 2 if console.height >= 2 * len(summary.ranks) + len(below) + 8 else 1
    parts: list[Text] = [header_text(summary.node, title)]
    if summary.is_grid:
        parts.extend(_square(summary, width_of(console), lines, colours, mixed))
    else:
        parts.extend(_rows(summary, width_of(console), colours))
    if not summary.is_grid or console.height > len(summary.ranks) + len(below) + 4:
        parts.append(Text())
    return Group(*parts, *below)


def values_terminal(summary: HandSummary, measure: Measure, console: Console, *, title: str = "") -> Group:
    """Return :func:`errai.pictures.values.values_drawing` for the terminal; without colours the numbers stand alone."""
    scale, colours, count = scale_of(summary, measure), has_colours(console), len(summary.ranks)
    cell = max(5, min(9, width_of(console) // count - 1))
    rows = [header_text(summary.node, title)]
    for row in range(count):
        for numbers in (False, True):
            text = Text()
            for item in summary.classes[row * count : (row + 1) * count]:
                value = measure.of(item)
                number = "" if value is None else _fitting(measure.text(value), value, cell)
                shown = number if numbers else item.label if item.combos else ""
                plain = not colours or value is None
                text.append(shown.center(cell), style="" if plain else background(scale.colour(value or 0.0)))
                text.append(" ")
            rows.append(text)
    rows.append(Text())
    rows.append(Text(f"{measure.caption}. {measure.note}", style="dim"))
    return Group(*rows)


def _fitting(number: str, value: float, room: int) -> str:
    """Return a number as text, in thousands or millions where it is wider than ``room`` letters."""
    shorter = [f"{value / unit:+.{digits}f}{sign}" for unit, sign in ((1e3, "k"), (1e6, "M")) for digits in (1, 0)]
    return next((text for text in (number, *shorter) if len(text) <= room), shorter[-1])


def width_of(console: Console) -> int:
    """Return the width of a picture: that of the console, but at most 100 letters where it is no terminal."""
    return console.width if console.is_terminal else min(console.width, 100)


def has_colours(console: Console) -> bool:
    """Return whether a console shows colours."""
    return console.color_system is not None and not console.no_color


def header_text(node: SolutionNode, title: str) -> Text:
    """Return title, board, line, pot, the player to act, and how often the node is reached."""
    text = Text()
    if title:
        text.append(title + "\n", style="bold")
    for card in split_cards(node.board_text):
        text.append(card, style=f"bold {rgb_style(blend(SUITS[card[1]][1], (255, 255, 255), 0.35))}")
        text.append(" ")
    text.append("  " if node.board_text else "")
    text.append(node.line or "root", style="bold")
    counted = "" if node.pot_big_blinds is None else f" ({node.pot_big_blinds:.4g} bb)"
    text.append(f"\npot {chips_text(node.pot_chips)}{counted}")
    if node.to_call_chips > 0:
        text.append(f"   to call {chips_text(node.to_call_chips)}")
    behind = stacks_text(node.stacks_chips)
    text.append(f"   behind {behind}" if behind else "")
    text.append(f"   {state_text(node)}\n")
    text.append(convergence_text(node), style="bold yellow" if is_unconverged(node) else "dim")
    return text


def rgb_style(colour: RGB) -> str:
    """Return the rich style of text in a colour."""
    return f"rgb({colour[0]},{colour[1]},{colour[2]})"


def background(colour: RGB) -> str:
    """Return the rich style of a cell of this colour, with ink that can be read on it."""
    return f"{rgb_style(ink_on(colour))} on {rgb_style(colour)}"


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


def _stripe(item: HandClass, summary: HandSummary, places: int) -> list[ActionStyle]:
    counts = apportion([item.shares[style.index] for style in summary.styles], places)
    return [style for style, count in zip(summary.styles, counts, strict=True) for _ in range(count)]


def _square(summary: HandSummary, width: int, lines: int, colours: bool, mixed: bool) -> list[Text]:
    count = len(summary.ranks)
    cell = max(3, min(9, width // count - 1))
    rows = []
    for row in range(count):
        cells = summary.classes[row * count : (row + 1) * count]
        for part in range(lines if colours else 0):
            text = Text()
            for item in cells:
                label = item.label.center(cell) if part == 0 and item.combos else " " * cell
                _coloured_cell(text, label, item, summary, mixed)
                text.append(" ")
            rows.append(text)
        if not colours:
            rows.append(Text(" ".join((item.label if item.combos else "").ljust(cell) for item in cells)))
            rows.append(Text(" ".join(_letters(item, summary, cell).ljust(cell) for item in cells)))
    return rows


def _coloured_cell(text: Text, label: str, item: HandClass, summary: HandSummary, mixed: bool) -> None:
    if not item.shares:
        text.append(label, style="bright_black")
        return
    faded = 0.75 * (1 - summary.filled(item))
    if mixed:
        styles = summary.styles
        colour = mixed_colour([item.shares[style.index] for style in styles], [style.colour for style in styles])
        text.append(label, style="bold " + background(blend(colour, FADED, faded)))
        return
    for char, style in zip(label, _stripe(item, summary, len(label)), strict=True):
        text.append(char, style="bold " + background(blend(style.colour, FADED, faded)))


def _letters(item: HandClass, summary: HandSummary, cell: int) -> str:
    if not item.shares:
        return "." if item.combos else ""
    return "".join(style.letter for style in _stripe(item, summary, max(1, round(cell * summary.filled(item)))))


def _rows(summary: HandSummary, width: int, colours: bool) -> list[Text]:
    node, styles = summary.node, summary.styles
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
            for style in _stripe(item, summary, bar):
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


def _below(summary: HandSummary, console: Console, colours: bool) -> list[Text]:
    """Return a line for each action, and one with EV, equity and EQR for each range."""
    node, styles = summary.node, summary.styles
    block = "#" if console.options.ascii_only else "█"
    label_width = max(len(style.label) for style in styles)
    bar = max(10, min(40, width_of(console) - label_width - 24 - 12 * summary.has_action_ev))
    rows = []
    for style in styles:
        text = Text()
        text.append(f" {style.letter} ", style=background(style.colour) if colours else "")
        share = summary.frequencies[style.index]
        if summary.acts:
            text.append(f" {style.label.ljust(label_width)} {percent_text(share):>7} ")
            if summary.has_action_ev:
                text.append(f" EV {worth_text(summary.action_ev_chips[style.index], node.pot_chips):>7} ")
            filled = block * round(bar * share) if share > 0 else ""
            text.append(filled, style=rgb_style(style.colour) if colours else "")
        else:
            text.append(f" {style.label.ljust(label_width)} {summary.combos:.1f} combos")
        rows.append(text)
    worth = range_texts(node)
    if not worth and summary.acts:
        rows.append(Text(f"{summary.combos:.1f} combos reach this point", style="dim"))
    width = max(map(len, node.player_names))
    for name, reach, (ev, equity, realised) in zip(node.player_names, node.ranges, worth, strict=bool(worth)):
        combos = f"{reach.sum():9,.1f} combos" if width_of(console) >= 72 else ""
        rows.append(Text(f"{name:<{width}}{combos}   EV {ev:>7}   equity {equity:>6}   EQR {realised:>4}"))
    return rows


def hands_table(
    node: SolutionNode, hands: Sequence[int], players: Sequence[int], *, values: bool = True, all_hands: bool = False
) -> Table:
    """Return a table of some hands of a node by index: the strategy of each, and its EV and equity for some players.

    The strategy is that of the player who acts, and is left out if the table is of the other player alone.
    ``all_hands`` adds a row for the ranges.  Without ``values`` no values are computed.
    """
    table = Table(box=None, pad_edge=False)
    table.add_column("hand")
    # The largest bet comes first, as in all pictures.
    actions = range(len(node.actions))[::-1] if node.player in players else ()
    for a in actions:
        table.add_column(action_text(node.actions[a], node.shares[a]), justify="right")
        if values:
            table.add_column("EV", justify="right")
    for player in players if values else ():
        for heading in ("weight", "EV", "equity", "EQR"):
            above = f"{node.player_names[player] if heading == 'weight' else ''}\n" if len(players) > 1 else ""
            table.add_column(above + heading, justify="right")
    places = [*hands, None] if all_hands else hands
    for i in places:
        cells = []
        plays = node.frequencies if i is None else node.strategies[i]
        for a in actions:
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


def exploit_table(found: Exploit, sets: Sequence[NDArray[np.int64]]) -> Table:
    """Return a table of sets of equal hands: what a best response gains with each, and how."""
    node, total = found.node, found.gain_chips
    acts = bool(found.action_ev.shape[1])
    table = Table(box=None, pad_edge=False)
    table.add_column("hand")
    for name in ("weight", "gain", "of all", "EV", "best EV"):
        table.add_column(name, justify="right")
    for name in ("best", "in the solution") if acts else ():
        table.add_column(name)
    for hands in sets:
        one, count, share = int(hands[0]), len(hands), float(found.weight[hands].sum())
        label = node.hands[one] if count == 1 else f"{node.hands[one]} and {count - 1} alike"
        part = share * found.gain[one] / total if total > 0 else 0.0
        gain = f"{found.gain[one]:.3g}" if found.gain[one] > TIE * node.pot_chips else "0"
        evs = [worth_text(values[one], node.pot_chips) for values in (found.ev, found.best_ev)]
        plays: list[str] = []
        if acts:
            taken = np.argsort(-node.strategies[one], kind="stable")
            own = (f"{node.actions[a]} {percent_text(node.strategies[one, a])}" for a in taken)
            shown = [text for a, text in zip(taken, own, strict=True) if node.strategies[one, a] >= LEAST_SHOWN]
            plays = [node.actions[found.best_action[one]], ", ".join(shown)]
        table.add_row(label, percent_text(share), gain, percent_text(part), *evs, *plays)
    return table


def run_outs_table(found: RunOuts, rows: Sequence[RunOut]) -> Table:
    """Return rows of run-outs as a table for the terminal, and a last row with the mean over all cards."""
    table = Table(box=None, pad_edge=False)
    table.add_column("\ncards")
    actions = (action_text(*pair) for pair in zip(found.actions, found.shares, strict=True))
    first, second = found.player_names
    for name in ("\nchance", *(f"\n{a}" for a in actions), f"{first}\nEV", "\nequity", f"{second}\nEV", "\nequity"):
        table.add_column(name, justify="right")
    for row in (*rows, found.mean()):
        shares = (percent_text(frequency) for frequency in row.frequencies.tolist())
        worth = [
            text
            for ev, equity in zip(row.ev_chips.tolist(), row.equity.tolist(), strict=True)
            for text in (worth_text(ev, found.pot_chips), share_text(equity))
        ]
        name = " ".join(row.deals) if row.deals else "all"
        table.add_row(name, percent_text(row.probability), *shares, *worth)
    return table
