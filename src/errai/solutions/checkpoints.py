"""Checkpoints of runs: a solver's state, and the settings that must agree to resume from it."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

from errai.engine.loop import Solver
from errai.engine.resources import AVERAGES, DTYPES, why_not_in_16_bits
from errai.engine.schedules import Schedule
from errai.errors import DamagedFileError, MismatchError
from errai.solutions.header import (
    checked_count,
    checked_curve,
    checked_number,
    checked_scalars,
    checked_table,
    checked_text,
    tree_options,
)
from errai.store.checkpoint import Checkpoint, load_checkpoint, newest_container, restore_previous, save_checkpoint
from errai.tree.public_tree import TreePlan

Result = TypeVar("Result")


def save_run(
    solver: Solver,
    path: str | Path,
    menu: str | None,
    facts: Mapping[str, Any] | None = None,
    *,
    keep_previous: bool = True,
) -> None:
    """Write everything that is needed to resume a run, atomically; the previous checkpoint is kept beside it if wanted.

    A measurement that was made only because the run stopped is left out, so that a resumed run measures where an
    uninterrupted one would have.  ``facts`` are written too, for readers of the metadata.
    """
    digest = solver.schedule.digest(solver.iteration)
    metadata = {
        **(facts or {}),
        **({} if digest is None else {"coefficients": digest}),
        **_run_identity(solver, menu),
        **solver.tree.options,
        "iteration": solver.iteration,
        "seconds": solver.seconds,
        "curve": [list(point) for point in (solver.curve[:-1] if solver.unplanned else solver.curve)],
    }
    save_checkpoint(path, metadata, solver.arrays(), keep_previous=keep_previous)


def checkpoint_settings(
    path: str | Path, schedule: Schedule, precision: str, identity: Mapping[str, Any]
) -> tuple[dict[str, Any], str]:
    """Return how the tree of a checkpoint's run was made smaller, and the precision in which the run is resumed.

    ``identity`` is what is known of the run before its tree is planned, for a run that is resumed.

    The precision that ``auto`` chooses may depend on the memory that was free, so a resumed run must not choose again.
    It stays ``auto`` if the schedule cannot be run in the checkpoint's precision; then the checkpoint is of another
    run, which resuming will find out.  Raises :class:`MismatchError` if the checkpoint is for something else, and the
    errors of :func:`~errai.store.checkpoint.load_checkpoint`.
    """
    metadata = newest_container(path).metadata
    Checkpoint(metadata, {}, Path(path), None).require(identity)
    options = tree_options({**metadata, "locks": None})
    if precision != "auto":
        return options, precision
    found = metadata.get("precision")
    if not isinstance(found, str) or found not in DTYPES:
        raise DamagedFileError(f"{path} does not state in which precision its run is computed.")
    return options, "auto" if found in AVERAGES and why_not_in_16_bits(schedule) else found


def resume_run(solver: Solver, path: str | Path, menu: str | None) -> str | None:
    """Put a new solver into the state of a checkpoint.

    If the newest checkpoint cannot be used, the previous one is, which then replaces it; the reason is returned, else
    None.  Raises :class:`MismatchError` if it is for another game, schedule, backend or precision, and the errors of
    :func:`~errai.store.checkpoint.load_checkpoint`.
    """
    checkpoint = load_checkpoint(path)
    metadata = checkpoint.metadata
    checkpoint.require(_run_identity(solver, menu))
    checkpoint.require_arrays(solver.arrays())
    iteration, seconds, curve = run_progress(checkpoint.path, metadata)
    if metadata.get("coefficients") != solver.schedule.digest(iteration):
        raise MismatchError(
            f"{checkpoint.path} is a checkpoint of another run: in its {iteration:,} iterations the own code of the "
            f"schedule {solver.schedule.name!r} gave other coefficients. Resume with the code that made it, or choose "
            "another checkpoint file."
        )
    solver.adopt(checkpoint.arrays)
    solver.iteration, solver.seconds, solver.curve = iteration, seconds, curve
    if checkpoint.fallback_reason is not None:
        restore_previous(path)
    return checkpoint.fallback_reason


_ALIKE = (
    "Board, hands, lines, precision and the sort of algorithm must be the same; weights, pot, stacks, sizes, rake and "
    "locks may differ."
)


def check_start(path: str | Path, tree: TreePlan) -> None:
    """Raise :class:`MismatchError` if a checkpoint is of a tree with other decisions, before that tree is built."""
    here = [
        (f"regrets/{s}/{p}", tree.betting.num_rows(s, p) * classes[p])
        for s, classes in enumerate(tree.deal_size.classes)
        for p in (0, 1)
    ]
    arrays = newest_container(path).arrays
    there = [(name, math.prod(arrays.entry(name).shape)) for name in arrays if name.startswith("regrets/")]
    if sorted(there) != sorted(here):
        entries = sum(size for _, size in there)
        raise MismatchError(
            f"The run in {path} cannot be started from: its tree is another one, with {entries:,} strategy entries on "
            f"{len(there) // 2} streets; here there are {tree.entries:,} on {len(here) // 2}. {_ALIKE}"
        )


def start_from_run(solver: Solver, path: str | Path, measured: Callable[[], Result]) -> Result:
    """Give a new solver the regrets of a checkpoint whose run solved a similar spot; its average begins anew.

    Nothing that is claimed of the result depends on where a run starts from, so only the shapes of the arrays must fit.
    ``measured`` is called while the solver has the averages of that run too, and its result is returned.  Raises
    :class:`MismatchError` if the arrays are not those of this tree and precision, or are the states of another local
    rule, and the errors of :func:`~errai.store.checkpoint.load_checkpoint`.
    """
    checkpoint = load_checkpoint(path)
    own, found = solver.arrays(), checkpoint.arrays
    rules = [
        schedule["name"] if "rule" in schedule else None
        for schedule in (schedule_facts(checkpoint.path, checkpoint.metadata), solver.schedule.to_dict())
    ]
    if rules[0] != rules[1]:
        raise MismatchError(
            f"The run in {checkpoint.path} cannot be started from: the states of a local rule can only be continued "
            f"with the same rule. {_ALIKE}"
        )
    for name in sorted(own.keys() | found.keys()):
        here, there = (f"{a[name].size:,} x {a[name].dtype}" if name in a else "missing" for a in (own, found))
        if here != there:
            raise MismatchError(
                f"The run in {checkpoint.path} cannot be started from: its {name} is {there}, here it is {here}. "
                f"{_ALIKE}"
            )
    checkpoint.require_arrays(own)
    solver.adopt(found)
    result = measured()
    solver.adopt({name: own[name] if name.startswith("sums/") else array for name, array in found.items()})
    return result


def run_progress(path: Path, metadata: Mapping[str, Any]) -> tuple[int, float, list[tuple[int, float, float]]]:
    """Return iteration, seconds and curve of a checkpoint.  Raises :class:`DamagedFileError` if they are not valid."""
    try:
        iteration = checked_count(metadata["iteration"], "iteration")
        seconds, curve = checked_number(metadata["seconds"], "seconds"), checked_curve(metadata["curve"])
    except (KeyError, DamagedFileError) as error:
        raise DamagedFileError(f"{path} does not state how far its run had come: {error}") from error
    if curve and curve[-1][0] > iteration:
        raise DamagedFileError(f"{path} has measurements of iterations that its run had not reached.")
    return iteration, seconds, curve


def schedule_facts(path: Path, metadata: Mapping[str, Any]) -> dict[str, Any]:
    """Return the schedule of a checkpoint as plain values.  Raises :class:`DamagedFileError` if it has none."""
    try:
        schedule = checked_scalars(checked_table(metadata["schedule"], "schedule"), "schedule")
        return {**schedule, "name": checked_text(schedule["name"], "name")}
    except (KeyError, DamagedFileError) as error:
        raise DamagedFileError(f"{path} does not state the algorithm of its run: {error}") from error


def _run_identity(solver: Solver, menu: str | None) -> dict[str, Any]:
    """Return what must agree for two runs to be the same."""
    below, cut = solver.leaf_values, None
    if below is not None and below.name:
        cut = {"depth": solver.tree.depth, "name": below.name, "digest": below.digest}
    return {
        "subject": solver.tree.subject.digest(),
        "menu": menu,
        "schedule": solver.schedule.to_dict(),
        "backend": solver.backend,
        "precision": solver.precision,
        "locks": solver.tree.options.get("locks"),
        "leaf_values": cut,
        "root": None if solver.root is None else solver.root.identity,
    }
