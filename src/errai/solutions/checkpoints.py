"""Runs as files: a solver's state, and what must agree for another run to go on from it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from errai.engine.loop import Solver
from errai.engine.precision import DTYPES, why_not_in_16_bits
from errai.engine.schedules import Schedule
from errai.errors import DamagedFileError
from errai.solutions.header import (
    checked_count,
    checked_curve,
    checked_number,
    checked_scalars,
    checked_table,
    checked_text,
    tree_options,
)
from errai.store.checkpoint import checkpoint_metadata, load_checkpoint, restore_previous, save_checkpoint


def save_run(
    solver: Solver,
    path: str | Path,
    menu: str | None,
    facts: Mapping[str, Any] | None = None,
    *,
    keep_previous: bool = True,
) -> None:
    """Write everything that is needed to go on with a run, atomically; the one before is kept beside it if wanted.

    A measurement that was made only because the run stopped is left out, so that a resumed run measures where the
    whole run would have.  ``facts`` are written too, for whoever reads the metadata.
    """
    metadata = {
        **(facts or {}),
        **_run_identity(solver, menu),
        **solver.tree.options,
        "iteration": solver.iteration,
        "seconds": solver.seconds,
        "curve": [list(point) for point in (solver.curve[:-1] if solver.unplanned else solver.curve)],
    }
    save_checkpoint(path, metadata, solver.arrays(), keep_previous=keep_previous)


def checkpoint_settings(path: str | Path, schedule: Schedule, precision: str) -> tuple[dict[str, Any], str]:
    """How the tree of a checkpoint's run was made smaller, and the precision in which the run goes on.

    What ``auto`` stands for may depend on the memory that was free, so a run that goes on must not ask again.  It stays
    ``auto`` where the schedule cannot be run so: then the checkpoint is of another run, as resuming will find.

    Raises
    ------
    DamagedFileError, ForeignFileError, FileAccessError
        No whole checkpoint is there.
    """
    metadata = checkpoint_metadata(path)
    options = tree_options({**metadata, "locks": None})
    if precision != "auto":
        return options, precision
    found = metadata.get("precision")
    if not isinstance(found, str) or found not in DTYPES:
        raise DamagedFileError(f"{path} does not say in which precision its run is made.")
    return options, "auto" if found == "fixed16" and why_not_in_16_bits(schedule) else found


def resume_run(solver: Solver, path: str | Path, menu: str | None) -> str | None:
    """Put a new solver into the state of a checkpoint.

    Returns why it is the checkpoint before the newest one, where that cannot be used; it has taken its place then.

    Raises
    ------
    MismatchError
        The checkpoint is of another game, schedule, backend or precision.
    DamagedFileError, ForeignFileError, FileAccessError
        No whole checkpoint is there.
    """
    checkpoint = load_checkpoint(path)
    metadata = checkpoint.metadata
    checkpoint.require(_run_identity(solver, menu))
    checkpoint.require_arrays(solver.arrays())
    iteration, seconds, curve = run_progress(checkpoint.path, metadata)
    solver.adopt(checkpoint.arrays)
    solver.iteration, solver.seconds, solver.curve = iteration, seconds, curve
    if checkpoint.fallback_reason is not None:
        restore_previous(path)
    return checkpoint.fallback_reason


def run_progress(path: Path, metadata: Mapping[str, Any]) -> tuple[int, float, list[tuple[int, float, float]]]:
    """Iteration, seconds and curve of a checkpoint.  Raises :class:`DamagedFileError` where they make no sense."""
    try:
        iteration = checked_count(metadata["iteration"], "iteration")
        seconds, curve = checked_number(metadata["seconds"], "seconds"), checked_curve(metadata["curve"])
    except (KeyError, DamagedFileError) as error:
        raise DamagedFileError(f"{path} does not say how far its run had come: {error}") from error
    if curve and curve[-1][0] > iteration:
        raise DamagedFileError(f"{path} measured iterations that its run had not come to.")
    return iteration, seconds, curve


def schedule_facts(path: Path, metadata: Mapping[str, Any]) -> dict[str, Any]:
    """The schedule of a checkpoint, for people.  Raises :class:`DamagedFileError` where it has none."""
    try:
        schedule = checked_scalars(checked_table(metadata["schedule"], "schedule"), "schedule")
        return {**schedule, "name": checked_text(schedule["name"], "name")}
    except (KeyError, DamagedFileError) as error:
        raise DamagedFileError(f"{path} does not say by which algorithm its run was made: {error}") from error


def _run_identity(solver: Solver, menu: str | None) -> dict[str, Any]:
    """What must agree for two runs to be the same."""
    return {
        "subject": solver.tree.subject.digest(),
        "menu": menu,
        "schedule": solver.schedule.to_dict(),
        "backend": solver.backend,
        "precision": solver.precision,
        "locks": solver.tree.options.get("locks"),
        "leaf_values": _cut_facts(solver),
        "root": None if solver.root is None else solver.root.identity,
    }


def _cut_facts(solver: Solver) -> dict[str, Any] | None:
    """Where the tree of a run is cut and whose values stand below; None where that goes without saying."""
    below = solver.leaf_values
    if below is None or not below.name:
        return None
    return {"depth": solver.tree.depth, "name": below.name, "digest": below.digest}
