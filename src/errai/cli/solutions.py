"""What the verbs print about solutions and runs, as text and as JSON."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from errai.cli.arguments import Options
from errai.cli.output import answer, fields, note, say
from errai.console import bytes_text, counted, exploitability_text, seconds_text
from errai.engine.status import START
from errai.pictures.solution_facts import exploitability_facts, precision_of

if TYPE_CHECKING:
    from errai.cluster.partition import Layout
    from errai.cluster.run import StoredRun
    from errai.games.game import Subject
    from errai.solutions.solution import Solution

STARTED = "that of the run that this one started from; it is better here than what this run has reached"

MUCH = 1 << 30
"""If a run needs at least so many bytes of disk, that is announced before it begins."""


def solution_document(solution: Solution, name: str) -> dict[str, Any]:
    """Return the JSON document about a solution; ``docs/cli.md`` lists its fields."""
    return {
        "game": subject_name(solution.subject, name),
        **fields(solution, "status iterations seconds exploitability information_sets memory_bytes"),
        "precision": precision_of(solution),
        **({"strategy": START} if solution.settings.get("strategy") == START else {}),
        **({} if solution.tree.locks is None else {"locks": solution.tree.locks.to_dict()}),
        "values": [float(value) for value in solution.values.chips],
        "value_between": bracket_of(solution),
        "regret_bound_chips": solution.settings.get("regret_bound_chips"),
        "algorithm": solution.schedule["name"],
        "seed": solution.settings.get("seed"),
        "version": solution.settings.get("errai"),
        "date": solution.settings.get("date"),
        **({"curves": {k: c.tolist() for k, c in solution.curves.items()}} if solution.other_curve is not None else {}),
    }


def write_solution(solution: Solution, options: Options) -> None:
    """Write a summary of a solution."""
    from errai.engine.units import Measurement

    bound = solution.settings.get("regret_bound_chips")
    facts = [
        *exploitability_facts(solution.zero_sum, solution.exploitability),
        ("values, chips", values_text(solution.values.chips, solution.subject.seats)),
        ("regret bound", "" if bound is None else exploitability_text(Measurement(bound, solution.units))),
        *bracket_facts(solution),
        *other_facts(solution),
        *([] if solution.tree.locks is None else [("locked", counted(len(solution.tree.locks.locks), "decision"))]),
        ("iterations", f"{solution.iterations:,} in {seconds_text(solution.seconds)}"),
        *([("strategy", STARTED)] if solution.settings.get("strategy") == START else []),
        ("precision", precision_of(solution)),
        ("information sets", f"{solution.information_sets:,}"),
        ("memory", bytes_text(solution.memory_bytes)),
    ]
    title = f"{subject_name(solution.subject, options.subject)}: {solution.status}"
    answer(options, solution_document(solution, options.subject), title, facts)


def other_facts(solution: Solution) -> list[tuple[str, str]]:
    """Return the line about the strategy that is not the result, the average beside the current, if it was measured."""
    if solution.other_curve is None:
        return []
    from errai.engine.units import Measurement

    name = next(name for name, curve in solution.curves.items() if curve is solution.other_curve)
    found = Measurement(float(solution.other_curve[-1, 2]), solution.units)
    return [(f"of the {name}", exploitability_text(found))]


def values_text(values: Iterable[float], names: Sequence[str] = ()) -> str:
    """Return what the players win as text; without ``names`` the players are numbered."""
    numbers = [f"{value:+.6g}" for value in values]
    called = names or [f"player {p}" for p in range(len(numbers))]
    return ", ".join(f"{name}: {number}" for name, number in zip(called, numbers, strict=True))


def bracket_of(solution: Solution) -> list[float] | None:
    """Return the numbers between which player 0's value of the game is, in chips; None if no value is proved.

    That takes a zero-sum game without locks, and no network or other values in place of its later streets.
    """
    if not solution.zero_sum or solution.below is not None or solution.tree.locks is not None:
        return None
    return list(solution.exploitability.bracket(float(solution.values.chips[0])))


def bracket_facts(solution: Solution) -> list[tuple[str, str]]:
    """Return the line about the value of the game, if there is one."""
    found = bracket_of(solution)
    return (
        []
        if found is None
        else [("value of the game", f"{found[0]:+.6g} to {found[1]:+.6g} for {solution.subject.seats[0]}")]
    )


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


def write_run(run: StoredRun, name: str, zero_sum: bool, options: Options) -> None:
    """Write a summary of a run; ``docs/cli.md`` lists the fields of the document."""
    each = run.stored_bytes / run.information_sets
    document = fields(
        run,
        "status iterations seconds precision exploitability blocks stored_bytes",
        game=name,
        folder=str(run.folder),
        values=list(run.values_chips),
        canonical_information_sets=run.information_sets,
        bytes_per_canonical_information_set=each,
        worker_seconds={what: getattr(run, f"seconds_{what}") for what in ("reading", "walking", "writing")},
        curve=[list(point) for point in run.curve],
        repairs=list(run.repairs),
    )
    workers = {what: seconds_text(seconds) for what, seconds in document["worker_seconds"].items()}
    facts = [
        *exploitability_facts(zero_sum, run.exploitability),
        ("values, chips", values_text(run.values_chips)),
        ("iterations", f"{run.iterations:,} in {seconds_text(run.seconds)}"),
        ("precision", run.precision),
        ("information sets", f"{run.information_sets:,} up to suits, in {run.blocks:,} blocks"),
        ("store", f"{bytes_text(run.stored_bytes)}, {each:.2f} bytes per information set"),
        ("workers", ", ".join(f"{what} {seconds}" for what, seconds in workers.items())),
    ]
    answer(options, document, f"{name}: {run.status}", facts)
    say(options, f"Kept in {run.folder}; run the same command with a lower --target or more iterations to resume it.")
