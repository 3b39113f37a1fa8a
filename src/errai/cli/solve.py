"""``errai solve``: solve a game or a spot, with a certificate of its exploitability."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from errai.cli.inputs import (
    SUBJECT_HELP,
    add_checkpoint_options,
    add_lock_option,
    add_menu_option,
    add_precision_options,
    checkpoint_options,
    load_subject,
    natural_number,
    output_path,
    positive_integer,
    positive_seconds,
)
from errai.cli.output import OK, SHORT, add_json_option, add_progress_options, note, write_json
from errai.cli.solutions import (
    say_layout,
    solution_document,
    stored_run_document,
    subject_name,
    write_run,
    write_solution,
)
from errai.engine.status import Status
from errai.errors import InputError

if TYPE_CHECKING:
    from errai.cluster.run import StoredRun
    from errai.solutions.solution import Solution

PASSED_ON = (
    "target",
    "algorithm",
    "menu",
    "max_iterations",
    "seconds",
    "backend",
    "threads",
    "memory",
    "seed",
    "precision",
    "average_from",
    "store",
    "cluster",
    "processes",
    "cut",
    "start_from",
)

ONLY_WITH_A_STORE = ("cluster", "processes", "current", "cut")
NOT_WITH_A_STORE = dict.fromkeys(
    ("output", "backend", "threads", "checkpoint", "resume", "start_from"), "the folder itself holds state and result"
) | {"lock": "only a solve in memory supports locks", "seed": "nothing is drawn at random"}
"""Options that a run in a folder does not support, and the reasons."""
NOT_OVER_A_NET = ("store", "lock", "checkpoint", "resume", "start_from")

DESCRIPTION = """\
Solve a game or a spot until the exploitability of the average strategy is at most the target.

Without --target, --max-iterations and --seconds the target is 1mbb for games and 0.5%pot for
spots. Ctrl-C ends a solve early with a valid result, which is saved like any other; a second Ctrl-C aborts.
"""


def add_parser(verbs: Any) -> None:
    """Add the verb to the parser."""
    parser = verbs.add_parser(
        "solve",
        help="solve a game or a spot",
        description=DESCRIPTION,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("subject", metavar="GAME", help=SUBJECT_HELP)
    parser.add_argument("--target", metavar="T", help="stop at this exploitability: 0.3%%pot, 1mbb or 0.5chips")
    parser.add_argument("-o", "--output", metavar="FILE", help="save the solution (.errai)")
    parser.add_argument(
        "--algorithm",
        metavar="NAME",
        help="cfr, cfr+, linear, dcfr, dcfr4, dcfr-foresight, dcfr4+, pcfr+, hs-dcfr-30, hs-dcfr-15, hs-pcfr+-30 or "
        "hs-pcfr+-15 (default: dcfr-foresight, with --store dcfr4+)",
    )
    parser.add_argument(
        "--average-from", type=positive_integer, metavar="N",
        help="leave the iterations before N out of the average (1)",
    )  # fmt: skip
    add_menu_option(parser)
    parser.add_argument("--max-iterations", type=positive_integer, metavar="N", help="stop after N iterations")
    parser.add_argument(
        "--seconds", type=positive_seconds, metavar="S", help="stop after S seconds; also 90s, 10min, 2h"
    )
    parser.add_argument("--backend", metavar="NAME", help="backend: cpu, reference or cuda (default: cpu)")
    add_lock_option(parser)
    parser.add_argument(
        "--net", metavar="NET",
        help="solve the first street with a value network at its end, and measure the exploitability: a network by "
        "name or .net file, or the baselines check-down and zero",
    )  # fmt: skip
    add_precision_options(parser)
    parser.add_argument("--seed", type=natural_number, metavar="N", help="random seed (0)")
    add_checkpoint_options(parser, "the state of the solve")
    parser.add_argument(
        "--start-from", metavar="FILE",
        help="start from the regrets in the checkpoint of a similar spot: same board, hands and lines",
    )  # fmt: skip
    store = parser.add_argument_group("games larger than memory")
    store.add_argument(
        "--store",
        metavar="FOLDER",
        help="keep the state in this folder; a run that is there is resumed",
    )
    store.add_argument(
        "--cluster",
        metavar="WHERE",
        help="compute the store's blocks with Ray: local:2, auto, or ray://host:port (errai[cluster])",
    )
    store.add_argument(
        "--processes", type=positive_integer, metavar="N", help="number of processes (default: one for each core)"
    )
    store.add_argument("--current", action="store_true", help="keep no averages: the current strategy is the result")
    store.add_argument(
        "--cut", type=positive_integer, metavar="STREET", help="the first street on disk, counted from 0"
    )
    add_progress_options(parser)
    add_json_option(parser)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Solve, save, and write a summary."""
    import errai
    from errai.cli.signals import stopped_by_signals
    from errai.engine.progress_view import ProgressView, unit_of

    subject = load_subject(options.subject)
    name, in_store = subject_name(subject, options.subject), options.store is not None
    for option in NOT_WITH_A_STORE if in_store else ONLY_WITH_A_STORE:
        if getattr(options, option):
            raise InputError(
                f"--{option.replace('_', '-')} cannot be used with --store: {NOT_WITH_A_STORE[option]}."
                if in_store
                else f"--{option} needs --store FOLDER."
            )
    for option in NOT_OVER_A_NET if options.net is not None else ():
        if getattr(options, option):
            raise InputError(f"--{option.replace('_', '-')} cannot be used with --net.")
    output = output_path(options.output)
    if output is not None and _same_file(output, options.subject):
        raise InputError(f"-o {options.output} would overwrite the file to solve; choose another name.")
    settings: dict[str, Any] = {key: value for key in PASSED_ON if (value := getattr(options, key)) is not None}
    settings |= checkpoint_options(options) | ({"strategy": "current"} if options.current else {})
    if options.lock is not None:
        settings["locks"] = errai.load_locks(options.lock)
    if options.net is not None:
        from errai.cli.solve_net import run_over_net

        return run_over_net(subject, options, settings, output)
    if in_store:
        from errai.cluster.run import StoreEvents

        settings["events"] = StoreEvents(on_layout=None if options.quiet else say_layout, on_repair=note)
    view = ProgressView(name, unit_of(options.target, subject), sys.stderr.isatty())
    with stopped_by_signals() as stop:
        if options.progress or (view.is_terminal and not options.quiet):
            with view:
                found = errai.solve(subject, stop=stop, progress=view, **settings)
        else:
            found = errai.solve(subject, stop=stop, **settings)
    if isinstance(found, errai.Solution):
        _say_solution(found, options, output)
    else:
        _say_run(found, name, options, getattr(subject, "rake", None) is None)
    return exit_code(found.status, options)


def _say_solution(solution: Solution, options: argparse.Namespace, output: Path | None) -> None:
    if output is not None:
        solution.save(output)
    if options.json:
        write_json(solution_document(solution, options.subject))
    elif not options.quiet:
        write_solution(solution, options.subject)
        if output is not None:
            sys.stdout.write(f"Saved to {output}; show it with: errai show {output}\n")
        else:
            sys.stdout.write("Not saved; give -o FILE.errai to keep it.\n")


def _say_run(run: StoredRun, name: str, options: argparse.Namespace, zero_sum: bool) -> None:
    if options.json:
        write_json(stored_run_document(run, name))
    elif not options.quiet:
        write_run(run, name, zero_sum)


def exit_code(status: Status, options: argparse.Namespace) -> int:
    """Write what can be done about a solve that stopped before its target, and return the exit code."""
    only_limits = options.target is None and (options.max_iterations or options.seconds) is not None
    if status.is_success(only_limits=only_limits):
        return OK
    if not options.quiet:
        note(status.advice)
    return SHORT


def _same_file(path: Path, other: str) -> bool:
    try:
        return path.exists() and path.samefile(other)
    except OSError:
        return False
