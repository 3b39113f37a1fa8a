"""Write locks relative to a solution: a player who folds more, never raises, or plays as was observed.

Write a file of locks, for `errai solve --lock`, with which a player does something more or less often than in a
solution:

    errai lock spot.errai --line "check bet *" --more "fold +25%" -o locks.toml
    errai lock spot.errai --line "** / * / **" --player ip --never raise -o locks.toml
    errai lock spot.errai --line "check" --always check --equity 0:40% -o locks.toml
    errai lock spot.errai --observed counts.toml --pseudo-hands 50 -o locks.toml
    errai lock spot.errai --line "check bet *" --observed session.txt --name Ann --any-board -o locks.toml

In a line, * is any one action or card, `bet *` and `raise *` are a bet or raise of any size, and ** is any number of
actions on one street. All decisions that the line leads to reach the frequency together, by the least change of the
strategies: the log-odds of the action are shifted by the same number for all hands.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, get_args

from errai.cli.arguments import SOLVED, Arguments, Options, equity_interval
from errai.cli.histories import ReadFiles, read_files
from errai.cli.inputs import open_solved, output_path, player_number
from errai.cli.output import OK, SHORT, answer, fields, say
from errai.console import counted
from errai.errors import InputError

if TYPE_CHECKING:
    from errai.arena.tendencies import Observed
    from errai.solutions.relative_locks import RelativeLocks, Shift
    from errai.solutions.solution import Profile


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
        "how often actions were seen: in TOML, for each line a table such as fold = 31, call = 9, '*' = 2; or hand "
        "histories, in which they are counted at the decisions of --line",
        nargs="+",
    )
    add("--name NAME", "whose actions are counted in hand histories (default: all players')", needs="observed")
    add("--any-board", "count hands on other boards too; cards in the line are any cards then", needs="observed")
    add(
        "--any-stacks X",
        "count hands with other pots and stacks too, if the stack is at most X times as deep or short for its pot",
        needs="observed",
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
    from errai.games.lock_file import load_locks, locks_text, save_locks
    from errai.solutions.relative_locks import Change, RelativeLocks, relative_locks
    from errai.tree.locks import read_locks

    output = output_path(options.output)
    solution = open_solved(options.solution, whole=options.whole)
    settings: dict[str, Any] = {
        "player": None if options.player is None else player_number(solution, options.player),
        "hands": options.hands,
        "equity": options.equity,
        "rest": options.rest,
        "each": options.each,
        **({} if options.floor is None else {"floor": options.floor}),
    }
    tally: _Counted | None = None
    if options.observed is not None:
        found, tally = _observed(options, solution, settings)
    else:
        change = next(name for name in get_args(Change) if getattr(options, name) is not None)
        found = relative_locks(solution, options.line or "", change, getattr(options, change), **settings)
    if options.others is not None:
        others = read_locks(load_locks(options.others), solution.subject, solution.tree.betting)
        assert others is not None
        found = RelativeLocks(others.with_others(found.locks), found.shifts)
    tables = found.tables
    facts = [*(tally.facts() if tally else ()), *_facts(found)]
    document = {**_document(found, tables), **(tally.document() if tally else {})}
    if output is not None:
        save_locks(tables, output)
        answer(options, document, f"{options.solution}: {_lines(tables)}", facts)
        say(options, f"Saved to {output}; solve with them: errai solve SPOT --lock {output}")
    elif options.json:
        answer(options, document, "", ())
    else:
        # What was counted stands above the locks, where a reader of TOML skips it.
        remarks = facts if tally and not options.quiet else []
        sys.stdout.writelines(f"# {' '.join(filter(None, fact))}\n" for fact in remarks)
        sys.stdout.write(locks_text(tables))
    if tally:
        tally.read.note_faults()
    return OK if tally is None or tally.read.is_complete else SHORT


@dataclass(frozen=True)
class _Counted:
    """What was counted in hand histories."""

    read: ReadFiles
    found: Observed

    def facts(self) -> list[tuple[str, str]]:
        """Return in words what was counted, and what was not."""
        found = self.found
        parts = {"on another board or with other stacks": found.elsewhere, "with a bet that was mapped": found.mapped}
        more = "".join(f", {number:,} of them {what}" for what, number in parts.items() if number)
        facts = [("counted", f"{counted(found.decisions, 'decision')} in {counted(found.hands, 'hand')}{more}")]
        return facts + [("left out", f"{number:,} times: {reason}") for reason, number in found.left_out.items()]

    def document(self) -> dict[str, Any]:
        """Return the same for JSON."""
        return {
            "observed": {
                **fields(self.found, "line counts decisions hands mapped elsewhere left_out"),
                **self.read.fault_fields(),
            }
        }


def _observed(options: Options, solution: Profile, settings: dict[str, Any]) -> tuple[RelativeLocks, _Counted | None]:
    """Return locks by what was observed, and what was counted if it is in hand histories."""
    from errai.arena.review import Alike
    from errai.arena.tendencies import observed
    from errai.games.lock_file import load_counts
    from errai.solutions.relative_locks import observed_locks

    trust = {} if options.pseudo_hands is None else {"pseudo_hands": options.pseudo_hands}
    names = [name for name in options.observed if name.lower().endswith(".toml")]
    if names:
        if options.line is not None:
            raise InputError("A file of observations names the lines itself; leave --line out.")
        if len(options.observed) > 1:
            raise InputError(f"{names[0]} has counts, so it is the only file; hand histories do not end in .toml.")
        if options.name is not None or options.any_board or options.any_stacks is not None:
            raise InputError("Counts in TOML say nothing of hands; leave --name, --any-board and --any-stacks out.")
        return observed_locks(solution, load_counts(names[0]), **trust, **settings), None
    options.files, options.from_format, options.game = options.observed, None, None
    read = read_files(options)
    alike = Alike(options.any_board, 1.0 if options.any_stacks is None else options.any_stacks)
    player = settings["player"]
    found = observed(read.read, solution, options.line or "", name=options.name, player=player, alike=alike)
    return observed_locks(solution, found.tables, **trust, **settings), _Counted(read, found)


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
    """Return what became of every set of actions, in words."""
    from errai.solutions.relative_locks import beta_interval

    rows = zip(shift.actions, shift.before, shift.after, shift.log_odds, strict=True)
    total, texts = sum(shift.seen), []
    for place, (action, before, after, log) in enumerate(rows):
        seen = now = ""
        if shift.seen:
            count = shift.seen[place]
            # The interval of what was seen alone is Jeffreys's.
            alone = _interval_text(beta_interval(count + 0.5, total - count + 0.5))
            seen = f"seen {count:g} of {total:g}, {100 * count / total:.2f} % ({alone}); "
            now = f"{_interval_text(shift.intervals[place])}; "
        changed = f"{100 * before:.2f} % before, {100 * after:.2f} % now ({now}shift of log-odds {log:+.3f})"
        texts += [f"{action}: {seen}{changed}"] if action != "*" else []
    return texts


def _interval_text(interval: tuple[float, float]) -> str:
    low, high = interval
    return f"95 %: {100 * low:.1f} to {100 * high:.1f} %"


def _document(found: RelativeLocks, tables: dict[str, Any]) -> dict[str, Any]:
    """Return the JSON document; ``docs/cli.md`` lists its fields."""
    from errai.solutions.export import number_for_json

    shifts = []
    for shift in found.shifts:
        actions: list[dict[str, Any]] = []
        rows = zip(shift.actions, shift.before, shift.after, shift.log_odds, strict=True)
        for place, (action, *numbers) in enumerate(rows):
            values = zip(("before", "after", "log_odds"), map(number_for_json, numbers), strict=True)
            actions.append({"action": action, **dict(values)})
            if shift.seen:
                actions[-1] |= {"seen": shift.seen[place], "interval": shift.intervals[place]}
        shifts.append({"line": shift.line, "decisions": shift.decisions, "hands": shift.hands, "actions": actions})
    return {"shifts": shifts, "locks": tables}
