"""What the verbs do with games in extensive form and their files: solve, show and verify share this module."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import TYPE_CHECKING, Any

from errai.cli.arguments import Options
from errai.cli.inputs import refuse_given
from errai.cli.output import ERROR, OK, answer, columns, exit_code, fields, say, write_json
from errai.cli.solutions import values_text
from errai.console import console, seconds_text
from errai.errors import ErraiError, InputError

if TYPE_CHECKING:
    from errai.extensive.solve import ExtensiveSolution

FIELDS = "status iterations gradients seconds exploitability gains values method"

MANY_ROWS = 200
"""The most information sets that are shown; a part of their names chooses others."""


def solution_in(text: str) -> ExtensiveSolution | None:
    """Return the solution of a game in extensive form that a file holds; None if it holds anything else."""
    from errai.store.container import open_container

    kind = None
    with contextlib.suppress(ErraiError, OSError, ValueError):
        kind = open_container(text, checked=False).kind if Path(text).is_file() else None
    if kind is None:
        return None
    from errai.extensive.solve import KIND, load_extensive

    return load_extensive(text) if kind == KIND else None


def solve_written_out(what: Any, name: str, options: Options, settings: dict[str, Any], output: Path | None) -> int:
    """Solve a game in extensive form, print the result, and save it."""
    import errai
    from errai.cli.signals import watched

    with watched(options, name) as (stop, _):
        found = errai.solve(what, stop=stop, **settings)
    if output is not None:
        found.save(output)
    _answer(found, name, options, f"{name} by {found.method}: {found.status}")
    saved = f"Saved to {output}; show it with: errai show {output}"
    say(options, saved if output is not None else "Not saved; give -o FILE.errai to keep it.")
    return exit_code(found.status, options)


def _answer(found: ExtensiveSolution, name: str, options: Options, title: str, **more: Any) -> None:
    made = {"version": found.settings.get("errai"), "date": found.settings.get("date")}
    document = fields(found, FIELDS, game=name) | made | more
    if "seed" in found.settings:
        document["seed"] = found.settings["seed"]
    values, bound = found.bracket, found.settings.get("regret_bound")
    document["regret_bound"] = bound
    if values is not None:
        document["value_between"] = list(values)
    facts = [
        ("exploitability", f"{found.exploitability:.6g} chips"),
        (
            "regret bound",
            "" if found.settings.get("regret_bound") is None else f"{found.settings['regret_bound']:.6g} chips",
        ),
        ("values, chips", values_text(found.values)),
        ("gains, chips", "" if len(found.gains) == 2 else values_text(found.gains)),
        ("what it proves", "" if len(found.gains) == 2 else OF_THREE),
        ("value of the game", "" if values is None else f"{values[0]:+.6g} to {values[1]:+.6g} for player 0"),
        ("iterations", f"{found.iterations:,} in {seconds_text(found.seconds)}, {found.gradients:,} gradients"),
        ("information sets", "; ".join(f"{d.num_sets:,}" for d in found.game.decisions)),
    ]
    answer(options, document, title, facts)


OF_THREE = "no player alone gains more than that; it is no proof of what a player wins if others play differently"


def verify_written_out(solution: ExtensiveSolution, options: Options) -> int:
    """Compute the certificate again, and write whether it is that of the file."""
    refuse_given(options, "threads processes net memory cluster", "A game in extensive form is verified at once")
    holds = solution.verify()
    verdict = "certified" if holds else "NOT certified"
    _answer(solution, solution.game.title, options, f"{solution.game.title}: {verdict}", certified=holds)
    return OK if holds else ERROR


def show_written_out(solution: ExtensiveSolution, options: Options) -> int:
    """Write the probabilities of the information sets whose names contain the text that was given as a line."""
    if not solution.game.names:
        raise InputError(
            f"{solution.game.title} has merged hands, and its information sets have no names; `errai solve` with a "
            "variant of CFR gives a solution that can be shown."
        )
    refuse_given(
        options, "hand only equity categories lines curve png svg csv", "A game in extensive form is shown as a table"
    )
    rows = [row for row in solution.table() if options.line in row[1] and options.player in (None, row[0])]
    if options.player is not None and not 0 <= options.player < len(solution.gains):
        raise InputError(f"--player is a number from 0 to {len(solution.gains) - 1}, not {options.player}.")
    if not rows:
        raise InputError(f"No information set of {solution.game.title} has {options.line!r} in its name.")
    if options.json:
        sets = [{"player": player, "information_set": name, "strategy": chosen} for player, name, chosen in rows]
        write_json(fields(solution, FIELDS, game=solution.game.title) | {"information_sets": sets})
        return OK
    table = columns("player", "information set", "strategy")
    for player, name, chosen in rows[:MANY_ROWS]:
        text = ", ".join(f"{action} {100.0 * p:.1f} %" for action, p in chosen.items() if p > 0.0005)
        table.add_row(str(player), name, text)
    console().print(table)
    if len(rows) > MANY_ROWS:
        say(options, f"{len(rows) - MANY_ROWS:,} more; give a part of their names.")
    return OK
