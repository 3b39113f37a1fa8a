"""Compare two solutions: who gains, where the play changes, and the hands that change most.

Put a node of two solutions side by side: two menus of bets, a locked solution beside the one without locks, or the same
spot with other ranges or stacks.

    errai compare flop.errai locked.errai "check bet 120"
    errai compare small.errai large.errai "bet 100" --second-line "bet 120" --svg gained.svg

The second node must have the same cards on the table and the same player to act. The picture shows by how much more
each hand is worth in the second.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from errai.cli.arguments import SOLVED, Arguments, Options
from errai.cli.inputs import note_unknown, open_solved, picture_paths, save_pictures, stem_of
from errai.cli.output import OK, columns, write_json
from errai.console import console

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from errai.solutions.comparison import Comparison, HandChange, LineChange

MOST_HANDS = 6
"""At most so many hands are named in a row."""


def add_arguments(add: Arguments) -> None:
    """Declare the arguments."""
    add("first FILE", SOLVED)
    add("second FILE", SOLVED)
    add.line("the line to the node (default: root)")
    add("--second-line LINE", "the line in the second, if its bets have other sizes (default: the same line)")
    add("--top N", "rows of lines and of hands", default=10)
    add("--player", "whose hands the picture shows (default: those of the player to act)", int, choices=(0, 1))
    add.pictures()
    add.whole()
    add.json()


def run(options: Options) -> int:
    """Compare the nodes, and show the result in the chosen ways."""
    from errai.pictures.values import difference_drawing
    from errai.solutions.comparison import compare_nodes, line_changes

    paths = picture_paths(options, f"{stem_of(options.second, options.line)}-gained")
    lines = options.line, options.line if options.second_line is None else options.second_line
    opened = [open_solved(place, whole=options.whole) for place in (options.first, options.second)]
    nodes = [solution.at(line) for solution, line in zip(opened, lines, strict=True)]
    found = compare_nodes(nodes[0], nodes[1])
    for node in nodes:
        note_unknown(node)
    save_pictures(paths, lambda: difference_drawing(found, opened[1].title, options.player))
    hands, changes = found.hand_changes()[: options.top], line_changes(nodes[0], nodes[1])[: options.top]
    if options.json:
        write_json(_document(found, hands, changes))
    elif not paths:
        _print(found, hands, changes)
    return OK


def _print(found: Comparison, hands: list[HandChange], changes: list[LineChange]) -> None:
    from errai.pictures.nodes import action_text, chips_text, percent_text, share_text, worth_text

    out, nodes, head = console(), (found.first, found.second), ("first", "second", "change")
    for name, node in zip(head, nodes, strict=False):
        where = f"after {node.line}" if node.line else "at the root"
        text = f"{name}: {node.solution.title}, {where}, pot {chips_text(node.pot_chips)}"
        out.print(text, markup=False, highlight=False, soft_wrap=True)
    pot = max(node.pot_chips for node in nodes)

    def worth(values: NDArray[Any]) -> list[str]:
        change = values[1] - values[0]
        change = 0.0 if abs(change) < 1e-9 * pot else change
        return [*(worth_text(v, pot) for v in values), "-" if math.isnan(change) else f"{change:+,.3g}"]

    table = columns("", right=(*(f"EV, {name}" for name in head), "equity, first", "equity, second"))
    for p, name in enumerate(found.first.player_names):
        table.add_row(name, *worth(found.range_ev[:, p]), *map(share_text, found.range_equity[:, p]))
    sys.stdout.write("\n")
    out.print(table)
    if found.first.player is None:
        return
    table = columns(found.first.player_name, right=(*head, *(f"EV, {name}" for name in head)))
    shares = {a: share for node in nodes for a, share in zip(node.actions, node.shares, strict=True)}
    for i, action in enumerate(found.actions):
        often = found.frequencies[:, i]
        cells = [percent_text(f) for f in often]
        table.add_row(
            action_text(action, shares[action]),
            *cells,
            _points(often[1] - often[0]),
            *worth(found.range_action_ev[:, i]),
        )
    sys.stdout.write("\n")
    out.print(table)
    _print_lines(changes)
    _print_hands(found, hands)


def _print_lines(changes: list[LineChange]) -> None:
    from errai.pictures.nodes import reached_text

    shown = [change for change in changes if change.weight > 0]
    if len(changes) < 2 or not shown:
        return
    table = columns("line", "player", "reached", right=("moved", "action", "first", "second"))
    for change in shown:
        reached = reached_text(sum(change.reached) / 2)
        moved = _moved(change.moved, change.actions, change.frequencies)
        table.add_row(change.line or "(root)", change.player_name, reached, *moved)
    sys.stdout.write("\nWhere the play changes; of each line the action that changes most:\n")
    console().print(table)


def _print_hands(found: Comparison, hands: list[HandChange]) -> None:
    from errai.pictures.nodes import worth_text

    pot = max(found.first.pot_chips, found.second.pot_chips)
    shown = [change for change in hands if change.moved > 0]
    if not shown:
        return
    heads = ("weight", "moved", "action", "first", "second", "EV, first", "EV, second")
    table = columns("hands", right=heads)
    for change in shown:
        names, left = " ".join(change.hands[:MOST_HANDS]), len(change.hands) - MOST_HANDS
        moved = _moved(change.moved, found.actions, change.strategies)
        evs = (worth_text(v, pot) for v in change.ev_chips)
        table.add_row(f"{names} and {left} more" if left > 0 else names, f"{change.weights[1]:.3g}", *moved, *evs)
    sys.stdout.write("\nThe hands that change most; of each the action that changes most:\n")
    console().print(table)


def _moved(moved: float, actions: Sequence[str], shares: tuple[tuple[float, ...], tuple[float, ...]]) -> list[str]:
    """Return how much has moved, and the action whose share changes most with both of its shares."""
    from errai.pictures.nodes import percent_text

    first, second = ([0.0 if share != share else share for share in row] for row in shares)
    most = max(range(len(actions)), key=lambda a: abs(second[a] - first[a]))
    return [percent_text(moved), actions[most], *(percent_text(row[most]) for row in shares)]


def _points(difference: float) -> str:
    """Return a difference of shares in points of per cent."""
    return "-" if math.isnan(difference) else f"{100 * difference:+.1f}"


def _document(found: Comparison, hands: list[HandChange], changes: list[LineChange]) -> dict[str, Any]:
    """Return the JSON document; ``docs/cli.md`` lists its fields."""
    from errai.solutions.export import numbers_for_json

    nodes = (found.first, found.second)
    actions = zip(found.actions, found.frequencies.T, found.range_action_ev.T, strict=True)
    return {
        "lines": [node.line for node in nodes],
        "board": found.first.board_text,
        "player": found.first.player,
        "pot_chips": [node.pot_chips for node in nodes],
        "ev_chips": [numbers_for_json(values) for values in found.range_ev.T],
        "equity": [numbers_for_json(values) for values in found.range_equity.T],
        "actions": [
            {"action": action, "frequencies": numbers_for_json(often), "ev_chips": numbers_for_json(worth)}
            for action, often, worth in actions
        ],
        "changes": [
            {
                "line": change.line,
                "player_name": change.player_name,
                "reached": list(change.reached),
                "moved": change.moved,
                "actions": list(change.actions),
                "frequencies": [numbers_for_json(rows) for rows in change.frequencies],
            }
            for change in changes
        ],
        "hands": [
            {
                "hands": list(change.hands),
                "weights": list(change.weights),
                "moved": change.moved,
                "strategies": [list(row) for row in change.strategies],
                "ev_chips": numbers_for_json(change.ev_chips),
            }
            for change in hands
        ],
    }
