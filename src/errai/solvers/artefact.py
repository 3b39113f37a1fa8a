"""Solutions and runs as files: what goes into the container, and what is checked on the way back.

The format is documented in docs/file-formats.md.  A file holds its game or spot in full, so the tree is built again
from it; every length is held against that tree before an array is used.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from errai.errors import DamagedFileError, ErraiError, MismatchError
from errai.games.game import Game, parse_game
from errai.games.sizing import BetMenu
from errai.games.spot import Spot
from errai.kernels.protocol import Arrays
from errai.solvers.loop import Solver
from errai.solvers.solution import Solution, Values
from errai.solvers.strategy import ENCODINGS
from errai.solvers.units import Exploitability, Units
from errai.store.checkpoint import load_checkpoint, save_checkpoint
from errai.store.container import open_container, write_container
from errai.tree.public_tree import TreePlan, plan_public_tree

KIND = "solution"
STATUSES = ("target met", "iteration limit", "time limit", "interrupted", "precision limit")


def subject_document(subject: Game | Spot, menu: str | None) -> dict[str, Any]:
    """A game or spot in full, as JSON can hold it."""
    if isinstance(subject, Spot):
        return {"spot": subject.to_dict(), "digest": subject.digest()}
    document = {"game": subject.to_text(), "name": subject.name, "digest": subject.digest()}
    return document if menu is None else {**document, "menu": menu}


def read_subject(document: Any) -> tuple[Game | Spot, str | None]:
    """The game or spot of :func:`subject_document`, and the menu.  Raises :class:`ErraiError` if it is none."""
    if not isinstance(document, Mapping):
        raise DamagedFileError("The file does not say which game it is of.")
    subject: Game | Spot
    if "spot" in document:
        if not isinstance(document["spot"], Mapping):
            raise DamagedFileError("The spot of the file is not a table.")
        subject = Spot.from_dict(document["spot"])
        menu = None
    else:
        text, name, menu = document.get("game"), document.get("name"), document.get("menu")
        if not isinstance(text, str) or not isinstance(name, str) or not (menu is None or isinstance(menu, str)):
            raise DamagedFileError("The file does not say which game it is of.")
        subject = parse_game(text, name)
    if subject.digest() != document.get("digest"):
        raise DamagedFileError("The game in the file is not the one that its digest was made of.")
    return subject, menu


def menu_of(subject: Game | Spot, menu: str | None) -> BetMenu | None:
    """The menu of a no-limit game from its text.  Raises :class:`SizingError`."""
    return None if menu is None or isinstance(subject, Spot) else BetMenu.uniform(subject.num_rounds, menu)


def save_solution(solution: Solution, path: str | Path) -> None:
    """Write a solution; see :meth:`errai.solvers.solution.Solution.save`."""
    certificate = solution.exploitability
    metadata = {
        "subject": subject_document(solution.subject, solution.menu),
        "schedule": solution.schedule,
        "settings": dict(solution.settings),
        "status": solution.status,
        "iterations": solution.iterations,
        "seconds": solution.seconds,
        "encoding": solution.encoding,
        "certificate": {
            "exploitability_chips": certificate.chips,
            "gain_chips": list(certificate.by_player),
            "value_chips": list(solution.values.chips),
        },
        "curve": solution.curve.tolist(),
        "memory_bytes": solution.memory_bytes,
    }
    write_container(path, KIND, metadata, _named("strategy", solution.strategy))


def load_solution(path: str | Path, *, threads: int | None = None) -> Solution:
    """Read a solution file; the strategy stays on the disk until it is used.

    Raises
    ------
    FileAccessError, ForeignFileError, DamagedFileError
        There is no such file, it is of another kind, or it is not whole.
    """
    container = open_container(path, KIND)
    try:
        return _solution_of(container.metadata, container, threads)
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError) as error:
        if isinstance(error, DamagedFileError):
            raise
        raise DamagedFileError(f"{path} is a solution file, but its header makes no sense: {error!s:.200}") from error


def _solution_of(metadata: Mapping[str, Any], container: Any, threads: int | None) -> Solution:
    from errai.solvers.solve import default_threads

    subject, menu = read_subject(metadata["subject"])
    plan = plan_public_tree(subject, menu=menu_of(subject, menu))
    encoding = metadata["encoding"]
    if encoding not in ENCODINGS:
        raise DamagedFileError(f"The encoding {encoding!r} is unknown.")
    _check_arrays(plan, container.arrays, "strategy", np.dtype(ENCODINGS[encoding]))
    if metadata["status"] not in STATUSES:
        raise DamagedFileError(f"The status {metadata['status']!r} is unknown.")
    tree = plan.build()
    certificate = metadata["certificate"]
    gains = [float(g) for g in certificate["gain_chips"]]
    value = [float(v) for v in certificate["value_chips"]]
    chips = float(certificate["exploitability_chips"])
    if len(gains) != 2 or len(value) != 2 or not np.isfinite([*gains, *value, chips]).all():
        raise DamagedFileError("The certificate is not made of finite numbers.")
    strategy: Arrays = [
        [container.arrays[f"strategy/{s}/{p}"] for p in (0, 1)] for s in range(tree.betting.num_streets)
    ]
    for pair in strategy:
        for array in pair:
            if not np.isfinite(array).all() or (array < 0).any():
                raise DamagedFileError("The strategy holds numbers that are no probabilities.")
    curve = np.asarray(metadata["curve"], dtype=np.float64).reshape(-1, 3)
    settings, schedule = metadata["settings"], metadata["schedule"]
    if not isinstance(settings, Mapping) or not isinstance(schedule, Mapping):
        raise DamagedFileError("The settings of the run are not tables.")
    return Solution(
        tree=tree,
        strategy=strategy,
        exploitability=Exploitability(chips, (gains[0], gains[1]), Units.of(subject, tree.initial_pot)),
        values=Values((value[0], value[1])),
        status=str(metadata["status"]),
        iterations=int(metadata["iterations"]),
        seconds=float(metadata["seconds"]),
        schedule=dict(schedule),
        curve=curve,
        encoding=encoding,
        menu=menu,
        settings={**settings, "backend": "cpu"},
        threads=default_threads() if threads is None else threads,
        memory_bytes=int(metadata["memory_bytes"]),
    )


def _check_arrays(plan: TreePlan, arrays: Mapping[str, np.ndarray], name: str, dtype: np.dtype) -> None:
    """Hold names, types and lengths against the tree that is going to be built."""
    expected = {
        f"{name}/{s}/{p}": plan.betting.num_rows(s, p) * classes[p]
        for s, classes in enumerate(plan.deal_size.classes)
        for p in (0, 1)
    }
    if set(expected) != set(arrays):
        raise DamagedFileError("The arrays in the file are not those of its game.")
    for key, size in expected.items():
        if arrays[key].shape != (size,) or arrays[key].dtype != dtype:
            raise DamagedFileError(f"The array {key} does not have the size or type that the game asks for.")


def _named(name: str, arrays: Arrays) -> dict[str, np.ndarray]:
    return {f"{name}/{s}/{p}": a for s, pair in enumerate(arrays) for p, a in enumerate(pair)}


# --- checkpoints -------------------------------------------------------------------------------------------------


def save_run(solver: Solver, path: str | Path, menu: str | None) -> None:
    """Write everything that is needed to go on with a run, atomically; the one before is kept beside it."""
    metadata = {
        **_run_identity(solver, menu),
        "iteration": solver.iteration,
        "seconds": solver.seconds,
        "curve": [list(point) for point in solver.curve],
    }
    save_checkpoint(path, metadata, solver.state.arrays())


def resume_run(solver: Solver, path: str | Path, menu: str | None) -> None:
    """Put a new solver into the state of a checkpoint.

    Raises
    ------
    MismatchError
        The checkpoint is of another game, schedule, backend or precision.
    DamagedFileError, ForeignFileError, FileAccessError
        No whole checkpoint is there.
    """
    checkpoint = load_checkpoint(path)
    metadata = checkpoint.metadata
    for key, value in _run_identity(solver, menu).items():
        if metadata.get(key) != value:
            raise MismatchError(
                f"{checkpoint.path} is a checkpoint of another run: its {key} is {metadata.get(key)!s:.120}, "
                f"not {value!s:.120}. Resume with the same settings, or choose another checkpoint file."
            )
    own = solver.state.arrays()
    if {k: (a.shape, a.dtype) for k, a in own.items()} != {k: (a.shape, a.dtype) for k, a in checkpoint.arrays.items()}:
        raise DamagedFileError(f"The arrays in {checkpoint.path} are not those of its game.")
    for key, array in own.items():
        array[...] = checkpoint.arrays[key]
    try:
        solver.iteration = int(metadata["iteration"])
        solver.seconds = float(metadata["seconds"])
        solver.curve = [(int(i), float(s), float(e)) for i, s, e in metadata["curve"]]
    except (KeyError, TypeError, ValueError, ErraiError) as error:
        raise DamagedFileError(f"{checkpoint.path} does not say how far its run had come.") from error


def _run_identity(solver: Solver, menu: str | None) -> dict[str, Any]:
    """What must agree for two runs to be the same."""
    return {
        "subject": subject_document(solver.tree.subject, menu)["digest"],
        "menu": menu,
        "schedule": solver.schedule.to_dict(),
        "backend": solver.backend,
        "precision": solver.precision,
    }
