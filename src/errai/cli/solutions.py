"""What the verbs print about solutions and runs, as text and as JSON."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from errai.cli.output import note, write_facts
from errai.console import bytes_text, seconds_text
from errai.engine.status import START
from errai.pictures.solution_facts import exploitability_facts, precision_of

if TYPE_CHECKING:
    from errai.cluster.layout import Layout
    from errai.cluster.run import StoredRun
    from errai.games.subject import Subject
    from errai.solutions.solution import Solution
    from errai.tree.locks import NodeLocks

STARTED = "that of the run that this one started from; it is better here than what this run has reached"

MUCH = 1 << 30
"""If a run needs at least so many bytes of disk, that is announced before it begins."""


def solution_document(solution: Solution, name: str) -> dict[str, Any]:
    """Return the JSON document about a solution; ``docs/cli.md`` lists its fields."""
    return {
        "game": subject_name(solution.subject, name),
        "status": solution.status,
        "iterations": int(solution.iterations),
        "seconds": float(solution.seconds),
        "precision": precision_of(solution),
        **({"strategy": START} if solution.settings.get("strategy") == START else {}),
        "exploitability": solution.exploitability.to_dict(),
        **({} if solution.tree.locks is None else {"locks": solution.tree.locks.to_dict()}),
        "values": [float(value) for value in solution.values.chips],
        "information_sets": int(solution.information_sets),
        "memory_bytes": int(solution.memory_bytes),
    }


def write_solution(solution: Solution, name: str) -> None:
    """Write a summary of a solution."""

    values = ", ".join(f"player {p}: {value:+.6g}" for p, value in enumerate(solution.values.chips))
    write_facts(
        f"{subject_name(solution.subject, name)}: {solution.status}",
        [
            *exploitability_facts(solution.zero_sum, solution.exploitability),
            ("values, chips", values),
            *([] if solution.tree.locks is None else [("locked", _locked_text(solution.tree.locks))]),
            ("iterations", f"{solution.iterations:,} in {seconds_text(solution.seconds)}"),
            *([("strategy", STARTED)] if solution.settings.get("strategy") == START else []),
            ("precision", precision_of(solution)),
            ("information sets", f"{solution.information_sets:,}"),
            ("memory", bytes_text(solution.memory_bytes)),
        ],
    )


def _locked_text(locks: NodeLocks) -> str:
    count = len(locks.locks)
    return "1 decision" if count == 1 else f"{count} decisions"


def subject_name(subject: Subject, name: str) -> str:
    """Return a game's name, a spot's title or, if it has none, the name of its file."""
    return str(getattr(subject, "name", "") or subject.title or Path(name).stem)


def say_layout(layout: Layout) -> None:
    """Write what a new run needs if it needs much disk."""
    if layout.disk_bytes >= MUCH:
        note(
            f"{len(layout.partition.blocks):,} blocks; about {bytes_text(layout.memory_bytes)} of memory "
            f"and {bytes_text(layout.disk_bytes)} of disk."
        )


def stored_run_document(run: StoredRun, name: str) -> dict[str, Any]:
    """Return the JSON document about a run; ``docs/cli.md`` lists its fields."""
    return {
        "game": name,
        "folder": str(run.folder),
        "status": run.status,
        "iterations": run.iterations,
        "seconds": run.seconds,
        "precision": run.precision,
        "exploitability": run.exploitability.to_dict(),
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
    """Write a summary of a run."""

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
    sys.stdout.write(
        f"Kept in {run.folder}; run the same command with a lower --target or more iterations to resume it.\n"
    )
