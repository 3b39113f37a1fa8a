"""Re-solve a subgame of a solution or blueprint in a finer tree, and measure the improvement.

Re-solve the subgame at a node of a solution or a blueprint in a finer tree, and measure exactly how much that improves:

    errai solve examples/flop.toml -o flop.errai
    errai resolve flop.errai "check bet 120 call / 7s" --gadget maxmargin --menu "50%, 100%, a"

Each player's strategy is re-solved separately. A gadget above the subgame keeps the opponent from gaining: it holds
each of the opponent's hands to an alternative value, by default its best-response value against the old strategy.

gadgets:
  unsafe                     no gadget: the opponent is assumed to have the range of the old strategy
  resolve                    each hand may leave the subgame for its alternative value (CFR-D)
  maxmargin                  maximise the least margin by which a hand gets less than its alternative value
  reach, reach-resolve       maxmargin and resolve, where the opponent's earlier mistakes loosen the limits
  estimated                  maxmargin; alternative values are the hands' EVs if both follow the strategy
  estimated-resolve          resolve with the same values as estimated
  distributional             resolve with a distribution of alternative values around those of estimated
  reach-estimated, reach-estimated-resolve, reach-distributional
                             the last three with the looser limits of reach
  conservative, aggressive   resolve with the opponent's estimated range mixed in, as in DeepStack
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from errai.cli.arguments import SOLVED, Arguments, Options
from errai.cli.output import OK, SHORT, answer, fields, note
from errai.cli.signals import stopped_by_signals
from errai.console import exploitability_text, seconds_text

if TYPE_CHECKING:
    from errai.resolving.resolve import Resolved


def add_arguments(add: Arguments) -> None:
    """Declare the arguments."""
    add("solution FILE", SOLVED)
    add.line("the line to the node (default: root)")
    add("--gadget NAME", "gadget, as listed above", default="maxmargin")
    add("--menu SIZES", 'bet sizes to add to the old ones, such as "50%, 100%, a" (default: none)')
    add("--player", "re-solve only this player's strategy (default: both)", int, choices=(0, 1))
    add("--target T", "target exploitability of the game with the gadget, such as 1mbb (default: 0.05%pot)")
    add("--seconds S", "stop each solve after this time")
    add.solve("threads")
    add.json()


def run(options: Options) -> int:
    """Re-solve the subgame, and write how much the exploitability changed."""
    from errai.engine.status import Status
    from errai.resolving.resolve import resolve

    settings = fields(options, "player target seconds threads menu gadget")
    with stopped_by_signals() as stop:
        found = resolve(options.solution, options.line, stop=stop, **settings)
    _write(found, options)
    short = [s for s in found.solutions.values() if s.status != Status.TARGET_MET]
    for solution in short:
        note(f"Solving stopped short of its target: {solution.status}.")
    return SHORT if short else OK


def _write(found: Resolved, options: Options) -> None:
    """Write the result; ``docs/cli.md`` lists the fields of the document."""
    root, names, verified = found.root, found.root.player_names, bool(found.verify())
    facts = [
        ("exploitability before", exploitability_text(found.before)),
        ("exploitability after", f"{exploitability_text(found.after)} ({_change(found)})"),
    ]
    players = []
    for p in found.players:
        before, after, margin = found.lost_before[p], found.lost_after[p], found.margins[p]
        left = float(found.solutions[p].exploitability.chips)
        # Up to the solver's own exploitability.
        gained = "no hand of the opponent gains" if margin >= -2.0 * left else "a hand of the opponent gains"
        facts.append((f"best response to {names[p]}", f"{before:+.6g} chips before, {after:+.6g} after"))
        facts.append(("  least margin", f"{margin:+.4g} chips: {gained}"))
        player = {
            "player": p,
            "best_response_before_chips": before,
            "best_response_after_chips": after,
            "margin_chips": margin,
            **fields(found.solutions[p], "status iterations"),
            "target_exploitability_chips": left,
        }
        players.append(player)
    mix = ", ".join(f"{action} {100 * f:.1f} %" for action, f in zip(root.actions, root.frequencies, strict=True))
    facts += [
        (f"{root.player_name} now", mix),
        ("recomputed", "agrees" if verified else "DOES NOT AGREE"),
        ("solved in", seconds_text(found.seconds)),
    ]
    document = fields(
        found,
        "before after seconds",
        gadget=found.method,
        board=root.board_text,
        pot_chips=found.units.initial_pot_chips,
        players=players,
        player=root.player,
        actions=list(root.actions),
        frequencies=[None if f != f else float(f) for f in root.frequencies],
        verified=verified,
    )
    board = f"{root.board_text}, " if root.board else ""
    answer(options, document, f"{board}pot {root.pot_chips:g}, re-solved by {found.method}", facts)


def _change(found: Resolved) -> str:
    before, after = found.before.chips, found.after.chips
    if not before > 0.0:
        return "it was 0 before"
    return f"{100 * abs(after / before - 1.0):.1f} % {'less' if after <= before else 'more'}"
