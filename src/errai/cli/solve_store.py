"""``errai solve --store``: a game larger than memory, in a folder."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING, Any

from errai.cli.output import note, write_facts, write_json
from errai.console import bytes_text, seconds_text
from errai.errors import InputError

if TYPE_CHECKING:
    from errai.cluster.layout import Layout
    from errai.cluster.run import StoredRun
    from errai.games.game import Game
    from errai.games.spot import Spot

PASSED_ON = ("target", "algorithm", "menu", "max_iterations", "seconds", "cluster", "memory", "precision")

MUCH = 1 << 30
"""Bytes of disk that are said before a run begins."""

NOT_WITH_A_STORE = ("output", "backend", "threads", "checkpoint", "resume")


def run_store(options: argparse.Namespace, subject: Game | Spot) -> int:
    """Solve in a folder, and say how it went."""
    from errai.cli.signals import stopped_by_signals
    from errai.cli.solve import exit_code, subject_name
    from errai.cluster.run import solve_in_store
    from errai.engine.progress_view import ProgressView, unit_of

    for name in NOT_WITH_A_STORE:
        if getattr(options, name):
            raise InputError(f"--{name} does not go with --store: the folder holds state and result by itself.")
    if options.lock:
        raise InputError("--lock does not go with --store: a solve in memory alone knows what is locked.")
    if options.seed:
        raise InputError("--seed does not go with --store: nothing is drawn at random.")
    settings: dict[str, Any] = {name: value for name in PASSED_ON if (value := getattr(options, name)) is not None}
    settings |= {"processes": options.processes, "averages": not options.current, "street": options.cut}
    name = subject_name(subject, options.subject)
    view = ProgressView(name, unit_of(options.target, subject), sys.stderr.isatty())
    settings["on_repair"] = note
    if not options.quiet:
        settings["on_layout"] = say_layout
    with stopped_by_signals() as stop:
        if options.progress or (view.is_terminal and not options.quiet):
            with view:
                run = solve_in_store(subject, options.store, stop=stop, progress=view, on_block=view.part, **settings)
        else:
            run = solve_in_store(subject, options.store, stop=stop, **settings)
    if options.json:
        write_json(document(run, name))
    elif not options.quiet:
        write_run(run, name, getattr(subject, "rake", None) is None)
    return exit_code(run.status, options)


def say_layout(layout: Layout) -> None:
    """Say what a new run needs, where that is much."""
    if layout.disk_bytes >= MUCH:
        note(
            f"{len(layout.partition.blocks):,} blocks; about {bytes_text(layout.memory_bytes)} of memory "
            f"and {bytes_text(layout.disk_bytes)} of disk."
        )


def document(run: StoredRun, name: str) -> dict[str, Any]:
    """Return what ``--json`` says about a run; ``docs/cli.md`` lists the fields."""
    from errai.cli.solve import exploitability_document

    return {
        "game": name,
        "folder": str(run.folder),
        "status": run.status,
        "iterations": run.iterations,
        "seconds": run.seconds,
        "precision": run.precision,
        "exploitability": exploitability_document(run.exploitability),
        "values": list(run.values_chips),
        "canonical_information_sets": run.information_sets,
        "blocks": run.blocks,
        "stored_bytes": run.stored_bytes,
        "bytes_per_canonical_information_set": run.stored_bytes / run.information_sets,
        "worker_seconds": {
            "reading": run.seconds_reading,
            "walking": run.seconds_walking,
            "writing": run.seconds_writing,
        },
        "curve": [list(point) for point in run.curve],
        "repairs": list(run.repairs),
    }


def write_run(run: StoredRun, name: str, zero_sum: bool) -> None:
    """Write a summary of a run for people."""

    from errai.cli.solve import exploitability_facts

    values = ", ".join(f"player {p}: {value:+.6g}" for p, value in enumerate(run.values_chips))
    each = run.stored_bytes / run.information_sets
    write_facts(
        f"{name}: {run.status}",
        [
            *exploitability_facts(zero_sum, run.exploitability),
            ("values, chips", values),
            ("iterations", f"{run.iterations:,} in {seconds_text(run.seconds)}"),
            ("precision", run.precision),
            ("information sets", f"{run.information_sets:,} up to suits, in {run.blocks:,} blocks"),
            ("store", f"{bytes_text(run.stored_bytes)}, {each:.2f} bytes per information set"),
            (
                "workers",
                f"reading {seconds_text(run.seconds_reading)}, walking {seconds_text(run.seconds_walking)}, "
                f"writing {seconds_text(run.seconds_writing)}",
            ),
        ],
    )
    sys.stdout.write(f"Kept in {run.folder}; the same command goes on, with a lower --target or more iterations.\n")
