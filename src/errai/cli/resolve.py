"""``errai resolve``: a node of a solution or a blueprint solved again, and how much better that is."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from errai.cli.inputs import positive_integer, positive_seconds
from errai.cli.output import OK, SHORT, add_json_option, note, write_facts, write_json
from errai.cli.signals import stopped_by_signals
from errai.cli.solutions import exploitability_document
from errai.console import exploitability_text, seconds_text

if TYPE_CHECKING:
    from errai.resolving.resolve import Resolved

DESCRIPTION = """\
Solve a node of a solution or a blueprint again, in a finer tree, and say exactly how much better that is:

    errai solve examples/flop.toml -o flop.errai
    errai resolve flop.errai "check bet 120 call / 7s" --gadget maxmargin --menu "50%, 100%, a"

Each player is solved again by himself; what stands above the node keeps his opponent to what he had.

gadgets:
  unsafe                     nothing: the opponent's range is taken for the truth
  resolve                    each hand may refuse to play on, for what it had (CFR-D)
  maxmargin                  each hand is to get as much less than it had as can be
  reach, reach-resolve       the same, and what he gave away on the way here is given back
  estimated                  as maxmargin, for what he would have if both followed the strategy
  estimated-resolve          as resolve, for the same
  distributional             as resolve, for values about that
  reach-estimated, reach-estimated-resolve, reach-distributional
  conservative, aggressive   DeepStack's mixtures of his estimated range into `resolve`
"""


def add_parser(verbs: Any) -> None:
    """Add the verb to the parser."""
    parser = verbs.add_parser(
        "resolve",
        help="solve a node of a solution or blueprint again in a finer tree, and measure how much better it is",
        description=DESCRIPTION,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument(
        "solution", metavar="FILE", help="a solution (.errai), the folder of a run, a blueprint's file or its name"
    )
    parser.add_argument("line", nargs="?", default="", metavar="LINE", help="the line to the node (default: root)")
    parser.add_argument("--gadget", default="maxmargin", metavar="NAME", help="as listed above (default: maxmargin)")
    parser.add_argument(
        "--menu", metavar="SIZES", help='bet sizes beside the old ones, such as "50%%, 100%%, a" (default: none)'
    )
    parser.add_argument("--player", type=int, choices=(0, 1), help="solve this player alone again (default: both)")
    parser.add_argument(
        "--target", metavar="T", help="exploitability of the game with the gadget: 0.05%%pot, 1mbb (default: 0.05%%pot)"
    )
    parser.add_argument("--seconds", type=positive_seconds, metavar="S", help="stop each solve after this time")
    parser.add_argument("--threads", type=positive_integer, metavar="N", help="threads (default: all)")
    add_json_option(parser)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Solve again, and say what it is worth."""
    from errai.engine.status import Status
    from errai.resolving.resolve import resolve

    settings = {name: getattr(options, name) for name in ("player", "target", "seconds", "threads", "menu", "gadget")}
    with stopped_by_signals() as stop:
        found = resolve(options.solution, options.line, stop=stop, **settings)
    if options.json:
        write_json(resolved_document(found))
    else:
        _write(found)
    short = [s for s in found.solutions.values() if s.status != Status.TARGET_MET]
    for solution in short:
        note(f"Solving stopped short of its target: {solution.status}.")
    return SHORT if short else OK


def resolved_document(found: Resolved) -> dict[str, Any]:
    """Return what ``--json`` says; ``docs/cli.md`` lists the fields."""
    units, players = found.units, []
    for p in found.players:
        players.append(
            {
                "player": p,
                "best_response_before_chips": found.lost_before[p],
                "best_response_after_chips": found.lost_after[p],
                "margin_chips": found.margins[p],
                "status": str(found.solutions[p].status),
                "iterations": int(found.solutions[p].iterations),
                "target_exploitability_chips": float(found.solutions[p].exploitability.chips),
            }
        )
    root = found.root
    return {
        "gadget": found.method,
        "board": root.board_text,
        "pot_chips": units.initial_pot_chips,
        "before": exploitability_document(found.before),
        "after": exploitability_document(found.after),
        "players": players,
        "player": root.player,
        "actions": list(root.actions),
        "frequencies": [None if f != f else float(f) for f in root.frequencies],
        "verified": bool(found.verify()),
        "seconds": found.seconds,
    }


def _write(found: Resolved) -> None:
    root, names = found.root, found.root.player_names
    facts = [
        ("exploitability before", exploitability_text(found.before)),
        ("exploitability after", f"{exploitability_text(found.after)} ({_change(found)})"),
    ]
    for p in found.players:
        before, after = found.lost_before[p], found.lost_after[p]
        facts.append((f"best response to {names[p]}", f"{before:+.6g} chips before, {after:+.6g} after"))
        facts.append(("  least margin", f"{found.margins[p]:+.4g} chips: {_gained(found, p)}"))
    mix = ", ".join(f"{action} {100 * f:.1f} %" for action, f in zip(root.actions, root.frequencies, strict=True))
    facts += [
        (f"{root.player_name} now", mix),
        ("counted again", "agrees" if found.verify() else "DOES NOT AGREE"),
        ("solved in", seconds_text(found.seconds)),
    ]
    board = f"{root.board_text}, " if root.board else ""
    write_facts(f"{board}pot {root.pot_chips:g}, solved again by {found.method}", facts)


def _change(found: Resolved) -> str:
    before, after = found.before.chips, found.after.chips
    if not before > 0.0:
        return "there was nothing to gain"
    return f"{100 * abs(after / before - 1.0):.1f} % {'less' if after <= before else 'more'}"


def _gained(found: Resolved, player: int) -> str:
    """Whether any hand of the opponent's gets more than it is to have, up to what the solver states."""
    tolerance = 2.0 * found.solutions[player].exploitability.chips
    return "no hand of the opponent gains" if found.margins[player] >= -tolerance else "a hand of the opponent gains"
