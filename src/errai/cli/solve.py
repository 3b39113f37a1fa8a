"""``errai solve``: solve a game or a spot, with a certificate of how good the solution is."""

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
from errai.cli.output import OK, SHORT, add_json_option, add_progress_options, note, write_facts, write_json
from errai.console import bytes_text, exploitability_text, gains_text, seconds_text
from errai.engine.status import Status
from errai.errors import InputError

if TYPE_CHECKING:
    from errai.cluster.reading import StoredSolution
    from errai.engine.units import Exploitability
    from errai.games.game import Game
    from errai.games.spot import Spot
    from errai.solutions.solution import Solution
    from errai.tree.locks import NodeLocks

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
)

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
        help="cfr, cfr+, linear, dcfr, dcfr4, dcfr-foresight, dcfr4+ or pcfr+ (default: dcfr-foresight, "
        "with --store dcfr4+)",
    )
    add_menu_option(parser)
    parser.add_argument("--max-iterations", type=positive_integer, metavar="N", help="stop after N iterations")
    parser.add_argument(
        "--seconds", type=positive_seconds, metavar="S", help="stop after S seconds; also 90s, 10min, 2h"
    )
    parser.add_argument("--backend", metavar="NAME", help="the kernels: cpu, reference or cuda (default: cpu)")
    add_lock_option(parser)
    add_precision_options(parser)
    parser.add_argument("--seed", type=natural_number, default=0, metavar="N", help="seed of what is random (0)")
    add_checkpoint_options(parser, "the state of the solve")
    store = parser.add_argument_group("games larger than memory")
    store.add_argument(
        "--store",
        metavar="FOLDER",
        help="keep the state in this folder, and go on with a run that is there",
    )
    store.add_argument(
        "--cluster", metavar="WHERE", help="walk the store with Ray: local:2, auto, or ray://host:port (errai[cluster])"
    )
    store.add_argument("--processes", type=positive_integer, metavar="N", help="processes that walk it (one a core)")
    store.add_argument("--current", action="store_true", help="keep no averages: the current strategy is the result")
    store.add_argument("--cut", type=positive_integer, metavar="STREET", help="first street on disk")
    add_progress_options(parser)
    add_json_option(parser)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Solve, save, and say how it went."""
    import errai
    from errai.cli.signals import stopped_by_signals
    from errai.engine.progress_view import ProgressView, unit_of

    subject = load_subject(options.subject)
    if options.store is not None:
        from errai.cli.solve_store import run_store

        return run_store(options, subject)
    for name in ("cluster", "processes", "current", "cut"):
        if getattr(options, name):
            raise InputError(f"--{name} belongs to --store FOLDER.")
    output = output_path(options.output)
    if output is not None and _same_file(output, options.subject):
        raise InputError(f"-o {options.output} would overwrite what is solved; choose another name.")
    settings: dict[str, Any] = {
        name: value for name in PASSED_ON if (value := getattr(options, name)) is not None
    } | checkpoint_options(options)
    if options.lock is not None:
        settings["locks"] = errai.load_locks(options.lock)
    name = subject_name(subject, options.subject)
    view = ProgressView(name, unit_of(options.target, subject), sys.stderr.isatty())
    with stopped_by_signals() as stop:
        if options.progress or (view.is_terminal and not options.quiet):
            with view:
                solution = errai.solve(subject, stop=stop, progress=view, **settings)
        else:
            solution = errai.solve(subject, stop=stop, **settings)
    if output is not None:
        solution.save(output)
    if options.json:
        write_json(solution_document(solution, options.subject))
    elif not options.quiet:
        write_solution(solution, options.subject)
        if output is not None:
            sys.stdout.write(f"Saved to {output}; look at it: errai show {output}\n")
        else:
            sys.stdout.write("Not saved; give -o FILE.errai to keep it.\n")
    return exit_code(solution.status, options)


def exit_code(status: Status, options: argparse.Namespace) -> int:
    """Say what can be done about a solve that stopped short, and return the exit code."""
    only_limits = options.target is None and (options.max_iterations or options.seconds) is not None
    if status.is_success(only_limits=only_limits):
        return OK
    if not options.quiet:
        note(status.advice)
    return SHORT


def solution_document(solution: Solution, name: str) -> dict[str, Any]:
    """Return what ``--json`` says about a solution; ``docs/cli.md`` lists the fields."""
    return {
        "game": subject_name(solution.subject, name),
        "status": solution.status,
        "iterations": int(solution.iterations),
        "seconds": float(solution.seconds),
        "precision": precision_of(solution),
        "exploitability": exploitability_document(solution.exploitability),
        **({} if solution.tree.locks is None else {"locks": solution.tree.locks.to_dict()}),
        "values": [float(value) for value in solution.values.chips],
        "information_sets": int(solution.information_sets),
        "memory_bytes": int(solution.memory_bytes),
    }


def precision_of(solution: Solution | StoredSolution) -> str:
    """Return the precision in which a solution was computed; a file may come from a writer that does not say."""
    return str(solution.settings.get("precision", "unknown"))


def exploitability_document(exploitability: Any) -> dict[str, Any]:
    """Return an exploitability in all its units, and whose it is where that is known."""
    mbb, gains = exploitability.mbb, getattr(exploitability, "by_player", None)
    return {
        **({} if gains is None else {"gain_chips": [float(gain) for gain in gains]}),
        "chips": float(exploitability.chips),
        "mbb": None if mbb is None else float(mbb),
        "pot_percent": float(exploitability.pot_percent),
    }


def exploitability_facts(
    zero_sum: bool, measured: Exploitability, name: str = "exploitability"
) -> list[tuple[str, str]]:
    """Return what is said of a certificate; where the pot is raked, what each player could gain comes first."""
    if zero_sum:
        return [(name, exploitability_text(measured))]
    label = "gains, chips" if name == "exploitability" else f"{name} gains, chips"
    return [(label, gains_text(measured.by_player)), ("half of their sum", exploitability_text(measured))]


def write_solution(solution: Solution, name: str) -> None:
    """Write a summary of a solution for people."""

    values = ", ".join(f"player {p}: {value:+.6g}" for p, value in enumerate(solution.values.chips))
    write_facts(
        f"{subject_name(solution.subject, name)}: {solution.status}",
        [
            *exploitability_facts(solution.zero_sum, solution.exploitability),
            ("values, chips", values),
            *([] if solution.tree.locks is None else [("locked", _locked_text(solution.tree.locks))]),
            ("iterations", f"{solution.iterations:,} in {seconds_text(solution.seconds)}"),
            ("precision", precision_of(solution)),
            ("information sets", f"{solution.information_sets:,}"),
            ("memory", bytes_text(solution.memory_bytes)),
        ],
    )


def _locked_text(locks: NodeLocks) -> str:
    count = len(locks.locks)
    return "1 decision" if count == 1 else f"{count} decisions"


def subject_name(subject: Game | Spot, name: str) -> str:
    """Return a game's name, a spot's title, or else the name it was given by."""
    return str(getattr(subject, "name", "") or subject.title or Path(name).stem)


def _same_file(path: Path, other: str) -> bool:
    try:
        return path.exists() and path.samefile(other)
    except OSError:
        return False
