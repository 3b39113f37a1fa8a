"""Look up one decision, in milliseconds, in a solution of any size.

Show the probability of each action after a line, for the hands given and over the whole range:

    errai query run/ "r r / Ks9d4h / b" --hand AhQd

Only the decisions on the line are read, so the answer takes milliseconds even for a run of terabytes.
"""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING, Any

from errai.cli.arguments import SOLVED, Arguments, Options
from errai.cli.inputs import note_unknown, open_solved
from errai.cli.output import OK, fields, write_json
from errai.console import console
from errai.errors import LineError

if TYPE_CHECKING:
    from errai.solutions.node import SolutionNode


def add_arguments(add: Arguments) -> None:
    """Declare the arguments."""
    add("solution PLACE", SOLVED)
    add.line("the line to the decision (default: root)")
    add("--hand HANDS", "a hand such as AhQd, or a range such as AKs or 'QQ+, AKs'; may be repeated", action="append")
    add("--values", "show also the EV of hands and actions, equity, and equity realised (EQR)")
    add.whole()
    add.json()


def run(options: Options) -> int:
    """Find the decision and write the strategy there."""
    begun = time.perf_counter()
    solution = open_solved(options.solution, whole=options.whole)
    opened = time.perf_counter()
    node = solution.at(options.line)
    rows = [] if options.hand is None else _asked_for(node, options.hand)
    document = _document(node, rows, options.values)
    if options.values:
        note_unknown(node)
    done = time.perf_counter()
    if options.json:
        times = {"milliseconds": 1000 * (done - opened), "opening_milliseconds": 1000 * (opened - begun)}
        write_json({**document, **times})
        return OK
    from errai.pictures.nodes import chips_text
    from errai.pictures.terminal import hands_table

    where = f"after {node.line}" if node.line else "at the root"
    pot = f"pot {chips_text(node.pot_chips)}"
    if node.player is None:
        next_one = f"; cards: {' '.join(node.children)}" if node.kind == "chance" else ""
        sys.stdout.write(f"{where}: {node.kind}, {pot}{next_one}\n")
        return OK
    call = f", to call {chips_text(node.to_call_chips)}" if node.to_call_chips else ""
    sys.stdout.write(f"{node.player_name} {where}: {pot}{call}\n")
    console().print(hands_table(node, rows, (node.player,), values=options.values, all_hands=len(rows) != 1))
    return OK


def _asked_for(node: SolutionNode, texts: list[str]) -> list[int]:
    """Return the rows of those hands named by ``texts`` that can be held at a decision; every text must name one."""
    if node.player is None:
        raise LineError(f"No player acts after '{node.line}' ({node.kind}).")
    found: list[int] = []
    for text in texts:
        hands = _hands(node, text)
        if len(hands) == 1:
            node.strategy(node.hands[hands[0]])  # raises an error that explains why the hand cannot be held
        held = [i for i in hands if node.strategies[i, 0] == node.strategies[i, 0]]
        if not held:
            raise LineError(f"No hand of {text!r} can be held here on {node.board_text or 'this board'}.")
        found.extend(i for i in held if i not in found)
    return found


def _hands(node: SolutionNode, text: str) -> list[int]:
    """Return the rows of one hand, of a range or, in games with one private card, of a rank."""
    from errai.cards.deck import FULL_DECK
    from errai.cards.hands import hand_text
    from errai.games.library import read_hands
    from errai.pictures.nodes import split_cards

    try:
        return [node.hand_index(text)]
    except LineError:
        if len(node.hands[0]) == 2:
            found = [i for i, hand in enumerate(node.hands) if hand[0] == text.strip().upper()]
            if found:
                return found
            raise
    weights = read_hands(text).weights
    wanted = {frozenset(split_cards(hand_text(FULL_DECK, i, 2))) for i in range(len(weights)) if weights[i] > 0}
    return [i for i, hand in enumerate(node.hands) if frozenset(split_cards(hand)) in wanted]


def _document(node: SolutionNode, rows: list[int], values: bool) -> dict[str, Any]:
    """Return the JSON document; ``docs/cli.md`` lists its fields."""
    from errai.solutions.export import hand_dict, range_dict

    worth = range_dict(node) if values else {}
    hands: list[dict[str, Any]] = []
    for i in rows:
        hand = {
            "hand": node.hands[i],
            "weight": float(node.ranges[node.player or 0, i]),
            "strategy": {a: float(p) for a, p in zip(node.actions, node.strategies[i], strict=True)},
        }
        if values:
            known = hand_dict(node, i)
            of_player = {key: known[key][node.player or 0] for key in ("ev_chips", "equity", "equity_realised")}
            hand |= {**of_player, "action_ev_chips": known["action_ev_chips"]}
        hands.append(hand)
    return {
        **fields(node, "line kind player player_name pot_chips to_call_chips"),
        "board": node.board_text,
        "actions": list(node.actions),
        "frequencies": [None if f != f else float(f) for f in node.frequencies],
        **worth,
        "hands": hands,
    }
