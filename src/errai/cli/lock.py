"""Write locks relative to a solution: a player who folds more, never raises, or plays as was observed.

Write a file of locks, for `errai solve --lock`, with which a player does something more or less often than in a
solution:

    errai lock spot.errai --line "check bet *" --more "fold +25%" -o locks.toml
    errai lock spot.errai --line "** / * / **" --player ip --never raise -o locks.toml
    errai lock spot.errai --line "check" --always check --equity 0:40% -o locks.toml
    errai lock spot.errai --observed counts.toml --pseudo-hands 50 -o locks.toml

In a line, * is any one action or card, `bet *` and `raise *` are a bet or raise of any size, and ** is any number of
actions on one street. All decisions that the line leads to reach the frequency together, by the least change of the
strategies: the log-odds of the action are shifted by the same number for all hands.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, get_args

from errai.cli.arguments import SOLVED, Arguments, Options, equity_interval
from errai.cli.inputs import open_solved, output_path, player_number
from errai.cli.output import OK, answer, say
from errai.console import counted
from errai.errors import InputError

if TYPE_CHECKING:
    from errai.solutions.relative_locks import RelativeLocks, Shift


def add_arguments(add: Arguments) -> None:
    """Declare the arguments."""
    add("solution FILE", SOLVED)
    add("--line LINE", "the line to the decisions, which may have wildcards (default: root)")
    change = add.one_of(required=True)
    change("--more CHANGE", "an action taken more often: 'fold +25%' in points of per cent, 'fold x1.25' as a factor")
    change("--less CHANGE", "an action taken less often: 'bet -10%' or 'bet x0.8'")
    change("--to CHANGE", "an action taken with this frequency: 'fold 60%'")
    change("--never ACTION", "an action that is never taken; bet and raise are all their sizes")
    change("--always ACTION", "an action that is always taken")
    change(
        "--observed FILE",
        "how often actions were seen, in TOML: for each line a table such as fold = 31, call = 9, '*' = 2",
    )
    add(
        "--pseudo-hands N",
        "how many hands the solution counts for against what was observed (default: 20)",
        needs="observed",
    )
    add("--player PLAYER", "whose decisions, by name or number; needed if the line leads to those of both")
    add("--hands HANDS", "change these hands alone, such as 'AA, KQs'; the frequency is then theirs")
    add(
        "--equity LOW:HIGH", "change hands alone whose equity there is in this interval, such as 0:40%", equity_interval
    )
    add("--rest", "lock all other hands there to what they do in the solution (default: they are solved)")
    add("--each", "each decision reaches the frequency by itself")
    add(
        "--floor P",
        "what a hand never does counts as done with this probability, up to 0.1, and less the more it costs; without "
        "it a hand never begins to do it",
    )
    add("--with FILE", "a file of locks that are written too", dest="others")
    add("-o --output FILE", "the file of locks to write (default: standard output)")
    add.whole()
    add("--quiet", "show no summary")
    add.json()


def run(options: Options) -> int:
    """Make the locks, and write them."""
    from errai.games.lock_file import load_counts, load_locks, locks_text, save_locks
    from errai.solutions.relative_locks import Change, RelativeLocks, observed_locks, relative_locks
    from errai.tree.locks import read_locks

    output = output_path(options.output)
    if options.line is not None and options.observed is not None:
        raise InputError("A file of observations names the lines itself; leave --line out.")
    solution = open_solved(options.solution, whole=options.whole)
    settings: dict[str, Any] = {
        "player": None if options.player is None else player_number(solution, options.player),
        "hands": options.hands,
        "equity": options.equity,
        "rest": options.rest,
        "each": options.each,
        **({} if options.floor is None else {"floor": options.floor}),
    }
    if options.observed is not None:
        counts = load_counts(options.observed)
        trust = {} if options.pseudo_hands is None else {"pseudo_hands": options.pseudo_hands}
        found = observed_locks(solution, counts, **trust, **settings)
    else:
        change = next(name for name in get_args(Change) if getattr(options, name) is not None)
        found = relative_locks(solution, options.line or "", change, getattr(options, change), **settings)
    if options.others is not None:
        others = read_locks(load_locks(options.others), solution.subject, solution.tree.betting)
        assert others is not None
        found = RelativeLocks(others.with_others(found.locks), found.shifts)
    tables = found.tables
    if output is not None:
        save_locks(tables, output)
        answer(options, _document(found, tables), f"{options.solution}: {_lines(tables)}", _facts(found))
        say(options, f"Saved to {output}; solve with them: errai solve SPOT --lock {output}")
    elif options.json:
        answer(options, _document(found, tables), "", ())
    else:
        sys.stdout.write(locks_text(tables))
    return OK


def _lines(tables: dict[str, Any]) -> str:
    return f"locks at {counted(len(tables), 'line')}"


def _facts(found: RelativeLocks) -> list[tuple[str, str]]:
    """Return every shift in words."""
    facts = []
    for shift in found.shifts:
        where = f"after {shift.line}" if shift.line.strip() else "at the root"
        facts.append((where, f"{counted(shift.decisions, 'decision')}, up to {counted(shift.hands, 'hand')} at each"))
        facts += [("", text) for text in _actions(shift)]
    return facts


def _actions(shift: Shift) -> list[str]:
    return [
        f"{action}: {100 * before:.2f} % before, {100 * after:.2f} % now (shift of log-odds {log:+.3f})"
        for action, before, after, log in zip(shift.actions, shift.before, shift.after, shift.log_odds, strict=True)
        if action != "*"
    ]


def _document(found: RelativeLocks, tables: dict[str, Any]) -> dict[str, Any]:
    """Return the JSON document; ``docs/cli.md`` lists its fields."""
    shifts = [
        {
            "line": shift.line,
            "decisions": shift.decisions,
            "hands": shift.hands,
            "actions": [
                {"action": action, "before": _number(before), "after": _number(after), "log_odds": _number(log)}
                for action, before, after, log in zip(
                    shift.actions, shift.before, shift.after, shift.log_odds, strict=True
                )
            ],
        }
        for shift in found.shifts
    ]
    return {"shifts": shifts, "locks": tables}


def _number(value: float) -> float | None:
    """Return a number as JSON has it; None for one that is not finite."""
    return value if abs(value) < float("inf") else None
