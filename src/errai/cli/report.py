"""Solve a spot on many flops, and show what the ranges do on them.

Solve one spot that begins on the flop on a weighted set of flops, or on all 1,755, and show how often each action is
taken and what both ranges are worth: in the mean, by texture, and on every flop.

    errai report examples/raised-pot.toml --flops 25 -o report/
    errai report examples/raised-pot.toml --flops 95 -o report/ --group high --line "check"
    errai report btn-vs-bb-srp --flops 25 -o fast/ --net turn      # over the package's network on the turn

The folder has the run, a page to sort and filter (report.html), pictures, and a table (flops.csv). The same command
resumes a run that was stopped or killed; a larger set of flops takes what is there.
"""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from errai.cli.arguments import Arguments, Options
from errai.cli.inputs import load_subject
from errai.cli.output import OK, SHORT, columns, note, write_json
from errai.console import bytes_text, console, seconds_text
from errai.errors import InputError

if TYPE_CHECKING:
    from errai.cards.flops import Flop
    from errai.solving.flop_report import FlopPlan
    from errai.solving.flop_results import FlopReport

TEXTURES = ("suits", "pairing", "straights", "high")


def add_arguments(add: Arguments) -> None:
    """Declare the arguments."""
    add("spot SPOT", "a spot that begins on the flop (.toml); its cards are replaced")
    add("--flops N", "25, 49, 95, 184, or all; or a file with a flop a line, such as Ks7h2d or Ks7h2d: 24", str, "25")
    add("-o --output FOLDER", "where the run is kept, and what it shows", required=True)
    add("--line LINE", "a node to show, a line of the flop; may be repeated", action="append")
    add("--target T", "target exploitability of each flop", str, "0.5%pot")
    add(
        "--net NET",
        "solve the flop alone, over a value network at its end (a name or a .net file): much faster, and what is "
        "certified is the cut game",
    )
    add("--lock FILE", "hands whose strategy is fixed, not solved: a table for each line of play")
    add("--group", "show the means by texture", choices=TEXTURES)
    add("--only TEXT", "show only flops that have all of these, such as 'two-tone paired A'")
    add("--parquet", "write the table as Parquet instead of CSV")
    add("--processes N", "number of processes, each with one thread (default: one for each core)")
    add.progress()


def run(options: Options) -> int:
    """Solve the flops, and show and write the report."""
    import errai
    from errai.cli.signals import watched
    from errai.games.spot import Spot
    from errai.nets.predictors import predictor_after_first_street
    from errai.reports.flops import COLUMNS, flop_report_document, table_rows, write_flop_report
    from errai.solving.flop_report import report
    from errai.store.tables import check_table, open_table

    spot = load_subject(options.spot)
    if not isinstance(spot, Spot):
        raise InputError(f"{options.spot} is no spot; a report takes a spot (.toml) that begins on the flop.")
    folder = Path(options.output)
    written = folder / ("flops.parquet" if options.parquet else "flops.csv")
    check_table(written)
    for path in (written, folder / "report.html"):
        if path.is_dir():
            raise InputError(f"{path} is a folder, and the report needs its name; choose another folder.")
    locks = None if options.lock is None else errai.load_locks(options.lock)
    wanted = _flops(options.flops)
    only = (options.only or "").split()
    if not any(flop.has(only) for flop in wanted):
        raise InputError(f"None of these flops has {' and '.join(only)}.")
    net = None if options.net is None else predictor_after_first_street(options.net, spot)
    title = spot.title or Path(options.spot).stem

    def planned(plan: FlopPlan) -> None:
        if not options.quiet:
            note(_plan_text(plan))

    with watched(options, title) as (stop, view):

        def progress(done: int, total: int) -> None:
            view.show(done / total, f"{done:,} of {total:,} flops solved")

        found = report(
            spot,
            wanted,
            folder=folder,
            lines=options.line,
            target=options.target,
            locks=locks,
            leaf_values=net,
            processes=options.processes,
            stop=stop,
            planned=planned,
            progress=progress,
        )
    if not found.flops:
        note("Stopped before a flop was solved; the same command begins again.")
        return SHORT
    with open_table(written, COLUMNS) as write:
        for batch in table_rows(found):
            write(batch)
    command = f"errai report {shlex.quote(options.spot)} --flops {shlex.quote(options.flops)}"
    command += f" --net {shlex.quote(options.net)}" if options.net is not None else ""
    write_flop_report(found, folder, title=title, command=command)
    shown = found.only(only) if only else found
    if options.json:
        write_json(flop_report_document(shown))
    elif not options.quiet:
        _print(shown, title, options)
        note(f"Wrote {folder / 'report.html'}, pictures and {written}.")
    if len(found.flops) < found.wanted:
        note(f"{len(found.flops):,} of {found.wanted:,} flops are solved; the same command resumes.")
        return SHORT
    return OK


def _flops(text: str) -> tuple[Flop, ...]:
    """Return what ``--flops`` says: a number of flops, all, or those in a file."""
    from errai.cards.flops import all_flops, flops_of, read_flops

    if text.lower() == "all":
        return all_flops()
    if text.isdecimal():
        return flops_of(int(text))
    path = Path(text)
    if not path.is_file():
        raise InputError(f"--flops is a number of flops, all, or a file with a flop a line; {text!r} is none of these.")
    if path.stat().st_size > 1 << 20:
        raise InputError(f"{text} is too large for a list of flops.")
    try:
        return read_flops(path.read_text(encoding="utf-8").splitlines(), text)
    except UnicodeDecodeError:
        raise InputError(f"{text} is no text of flops.") from None


def _plan_text(plan: FlopPlan) -> str:
    if not plan.left:
        return "All flops are solved already."
    needs = plan.estimate
    time = "a time that is not known: the target is very fine"
    if plan.seconds is not None:
        time = seconds_text(plan.seconds)
    processes = f"{plan.processes} process{'' if plan.processes == 1 else 'es'}"
    return (
        f"{plan.left:,} flops of some {needs.entries:,} strategy entries in {processes}: about "
        f"{bytes_text(plan.memory_bytes)} of memory and {time}."
    )


def _print(found: FlopReport, title: str, options: Options) -> None:
    from errai.reports.flops import certificate_text, mean_head, mean_rows

    sys.stdout.write(f"{title}: {len(found.flops):,} flops, {certificate_text(found)}\n")
    for line in found.lines:
        head = mean_head(found, line)
        first, second = found.spot.seats
        above: dict[int, str] = {len(head) - 6: first, len(head) - 3: second}
        names: list[Any] = [f"{above.get(i, '')}\n{name.split(',')[0]}" for i, name in enumerate(head)]
        table = columns(names[0], right=names[1:])
        for row in mean_rows(found, line):
            table.add_row(*row)
        for row in mean_rows(found, line, options.group) if options.group else ():
            table.add_row(*row)
        sys.stdout.write(f"\n{line or 'First action'}\n")
        console().print(table)
