"""Solutions and runs as files: what goes into the container, and what is checked on the way back.

The format is documented in docs/file-formats.md.  A file holds its game or spot in full, so the tree is built again
from it; every length is held against that tree before an array is used.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from errai.engine.loop import Solver
from errai.engine.precision import DTYPES, why_not_in_16_bits
from errai.engine.resources import check_memory, default_threads
from errai.engine.schedules import Schedule
from errai.engine.status import Status
from errai.engine.strategy import ENCODINGS, are_probabilities
from errai.engine.units import Exploitability, Units
from errai.errors import DamagedFileError, InputError, TreeTooLargeError
from errai.games.game import Game
from errai.games.gamedef import parse_game
from errai.games.lookahead import Lookahead, Solvable, last_street
from errai.games.sizing import BetMenu
from errai.games.spot import Spot
from errai.kernels.protocol import Arrays
from errai.solutions.solution import Below, ProfileValues, Solution
from errai.store.checkpoint import checkpoint_metadata, load_checkpoint, restore_previous, save_checkpoint
from errai.store.container import open_container, write_container
from errai.tree.betting_tree import MAX_NODES
from errai.tree.public_tree import TreePlan, plan_public_tree

KIND = "solution"

MAX_NUMBER = 1e300
"""Numbers in a header stay below this, so that a later sum or product of a few of them stays finite."""


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


def menu_of(subject: Solvable, menu: str | None) -> BetMenu | None:
    """The menu of a no-limit game from its text.  Raises :class:`SizingError`."""
    return BetMenu.uniform(subject.num_rounds, menu) if menu is not None and isinstance(subject, Game) else None


def save_solution(solution: Solution, path: str | Path) -> None:
    """Write a solution; see :meth:`errai.solutions.solution.Solution.save`."""
    if isinstance(solution.tree.subject, Lookahead):
        raise InputError("The solution of a lookahead lives in memory; there is no file format for one.")
    if solution.entering is not None:
        raise InputError("A solution with an opponent who may refuse lives in memory; there is no file format for one.")
    certificate = solution.exploitability
    metadata = {
        "subject": subject_document(solution.subject, solution.menu),
        **solution.tree.options,
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
    if solution.below is not None:
        below = solution.below
        metadata |= {"depth": solution.depth, "leaf_values": {"name": below.name, "digest": below.digest}}
    write_container(path, KIND, metadata, _named("strategy", solution.strategy))


def load_solution(path: str | Path, *, threads: int | None = None) -> Solution:
    """Read a solution file.  The strategy is checked, and stays mapped to the file.

    Raises
    ------
    FileAccessError, ForeignFileError, DamagedFileError
        There is no such file, it is of another kind, or it is not whole.
    TreeTooLargeError
        The tree of its game does not fit into this machine's memory.
    """
    container = open_container(path, KIND)
    try:
        return _solution_of(container.metadata, container.arrays, threads)
    except DamagedFileError as error:
        raise DamagedFileError(f"{path}: {error}") from error
    except (InputError, KeyError, TypeError, ValueError, OverflowError) as error:
        reason = f"{error!s} is missing" if isinstance(error, KeyError) else f"{error!s:.200}"
        raise DamagedFileError(f"{path} is a solution file, but its header makes no sense: {reason}") from error


def _solution_of(metadata: Mapping[str, Any], arrays: Mapping[str, NDArray], threads: int | None) -> Solution:
    subject, menu = read_subject(metadata["subject"])
    encoding = _text(metadata["encoding"], "encoding", ENCODINGS)
    certificate = _table(metadata["certificate"], "certificate")
    chips = _number(certificate["exploitability_chips"], "exploitability_chips")
    gains = _numbers(certificate["gain_chips"], "gain_chips", 2)
    values = _numbers(certificate["value_chips"], "value_chips", 2)
    curve = _curve(metadata["curve"])
    schedule, settings = _table(metadata["schedule"], "schedule"), _table(metadata["settings"], "settings")
    status = Status(_text(metadata["status"], "status", tuple(Status)))
    iterations, memory_bytes = (_count(metadata[key], key) for key in ("iterations", "memory_bytes"))
    seconds = _number(metadata["seconds"], "seconds")
    schedule = {**_scalars(schedule, "schedule"), "name": _text(schedule["name"], "name")}
    settings = {**_scalars(settings, "settings"), "target": _target(settings), "backend": "cpu"}
    last, below = _cut(subject, metadata)
    options = {**_tree_options(metadata), "last_street": last}
    plan = _plan_of(subject, menu, options, sum(array.size for array in arrays.values()))
    _check_arrays(plan, arrays, "strategy", np.dtype(ENCODINGS[encoding]))
    check_memory(plan, plan.deal_bytes, None)
    tree = plan.build()
    strategy: Arrays = [[arrays[f"strategy/{s}/{p}"] for p in (0, 1)] for s in range(tree.betting.num_streets)]
    if not are_probabilities(tree, strategy, encoding):
        raise DamagedFileError("The strategy is not made of probabilities.")
    return Solution(
        tree=tree,
        strategy=strategy,
        exploitability=Exploitability(chips, Units.of(subject, tree.initial_pot), (gains[0], gains[1])),
        values=ProfileValues((values[0], values[1])),
        status=status,
        iterations=iterations,
        seconds=seconds,
        schedule=schedule,
        curve=np.array(curve, dtype=np.float64).reshape(-1, 3),
        encoding=encoding,
        menu=menu,
        settings=settings,
        threads=default_threads() if threads is None else threads,
        memory_bytes=memory_bytes,
        below=below,
    )


def _plan_of(subject: Game | Spot, menu: str | None, options: Mapping[str, Any], entries: int) -> TreePlan:
    """Lay out the tree of a file with so many strategy entries; a tree that cannot be the file's is not built.

    Every node but the root follows an action, which has an entry at least, or ends one of the streets.
    """
    streets = (subject.game if isinstance(subject, Spot) else subject).num_rounds
    try:
        most = min(MAX_NODES, (entries + 1) * streets)
        return plan_public_tree(subject, menu=menu_of(subject, menu), **options, max_nodes=most)
    except TreeTooLargeError as error:
        raise DamagedFileError("The arrays in the file are far too short for its game.") from error


def _check_arrays(plan: TreePlan, arrays: Mapping[str, NDArray], name: str, dtype: np.dtype) -> None:
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


# --- members of a header -----------------------------------------------------------------------------------------


def _table(value: Any, what: str) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise DamagedFileError(f"The member '{what}' of the header is not a table.")
    return value


def _text(value: Any, what: str, allowed: Iterable[str] | None = None) -> str:
    if not isinstance(value, str) or (allowed is not None and value not in tuple(allowed)):
        choice = "a text" if allowed is None else f"one of {', '.join(allowed)}"
        raise DamagedFileError(f"The member '{what}' of the header is {value!s:.40}, not {choice}.")
    return value


def _count(value: Any, what: str) -> int:
    if type(value) is not int or not 0 <= value < 2**63:
        raise DamagedFileError(f"The member '{what}' of the header is {value!s:.40}, not a whole number from 0.")
    return value


def _number(value: Any, what: str) -> float:
    if type(value) not in (int, float) or not abs(value) < MAX_NUMBER:
        raise DamagedFileError(f"The member '{what}' of the header is {value!s:.40}, not a number.")
    return float(value)


def _numbers(value: Any, what: str, count: int) -> list[float]:
    if not isinstance(value, list) or len(value) != count:
        raise DamagedFileError(f"The member '{what}' of the header is not a list of {count} numbers.")
    return [_number(item, what) for item in value]


def _scalars(table: Mapping[str, Any], what: str) -> dict[str, Any]:
    if any(isinstance(value, list | Mapping) for value in table.values()):
        raise DamagedFileError(f"The member '{what}' of the header holds more than texts and numbers.")
    return dict(table)


def _tree_options(metadata: Mapping[str, Any]) -> dict[str, Any]:
    """How the tree of a file was made smaller, as ``PublicTree.options``; it was not in files that do not say."""
    options: dict[str, Any] = {name: metadata.get(name, False) for name in ("alike", "run_out")}
    for name, value in options.items():
        if not isinstance(value, bool):
            raise DamagedFileError(f"The member '{name}' of the header is {value!s:.40}, not true or false.")
    if metadata.get("locks") is not None:
        options["locks"] = _table(metadata["locks"], "locks")
    return options


def _cut(subject: Game | Spot, metadata: Mapping[str, Any]) -> tuple[int | None, Below | None]:
    """The last street of a file's tree, and whose values stand below it; None where it goes to the end."""
    if metadata.get("leaf_values") is None:
        return None, None
    table = _table(metadata["leaf_values"], "leaf_values")
    digest = table["digest"]
    below = Below(_text(table["name"], "name"), None if digest is None else _text(digest, "digest"))
    return last_street(subject, _count(metadata["depth"], "depth")), below


def _target(settings: Mapping[str, Any]) -> str | None:
    target = settings["target"]
    return None if target is None else _text(target, "target")


def _curve(value: Any) -> list[tuple[int, float, float]]:
    """Iterations that ascend, with seconds and chips."""
    if not isinstance(value, list):
        raise DamagedFileError("The member 'curve' of the header is not a list.")
    points = [_numbers(point, "curve", 3) for point in value]
    curve = [(int(iteration), seconds, chips) for iteration, seconds, chips in points]
    before = 0
    for (iteration, _, _), point in zip(curve, points, strict=True):
        if iteration != point[0] or iteration <= before:
            raise DamagedFileError("The iterations of the curve do not ascend.")
        before = iteration
    return curve


def _named(name: str, arrays: Arrays) -> dict[str, np.ndarray]:
    return {f"{name}/{s}/{p}": a for s, pair in enumerate(arrays) for p, a in enumerate(pair)}


# --- checkpoints -------------------------------------------------------------------------------------------------


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
    options = _tree_options({**metadata, "locks": None})
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
    own = solver.arrays()
    if {k: (a.shape, a.dtype) for k, a in own.items()} != {k: (a.shape, a.dtype) for k, a in checkpoint.arrays.items()}:
        raise DamagedFileError(f"The arrays in {checkpoint.path} are not those of its game.")
    if not all(np.isfinite(array).all() for array in checkpoint.arrays.values() if array.dtype.kind == "f"):
        raise DamagedFileError(f"The arrays in {checkpoint.path} hold numbers that are not finite.")
    iteration, seconds, curve = run_progress(checkpoint.path, metadata)
    solver.adopt(checkpoint.arrays)
    solver.iteration, solver.seconds, solver.curve = iteration, seconds, curve
    if checkpoint.fallback_reason is not None:
        restore_previous(path)
    return checkpoint.fallback_reason


def run_progress(path: Path, metadata: Mapping[str, Any]) -> tuple[int, float, list[tuple[int, float, float]]]:
    """Iteration, seconds and curve of a checkpoint.  Raises :class:`DamagedFileError` where they make no sense."""
    try:
        iteration = _count(metadata["iteration"], "iteration")
        seconds, curve = _number(metadata["seconds"], "seconds"), _curve(metadata["curve"])
    except (KeyError, DamagedFileError) as error:
        raise DamagedFileError(f"{path} does not say how far its run had come: {error}") from error
    if curve and curve[-1][0] > iteration:
        raise DamagedFileError(f"{path} measured iterations that its run had not come to.")
    return iteration, seconds, curve


def schedule_facts(path: Path, metadata: Mapping[str, Any]) -> dict[str, Any]:
    """The schedule of a checkpoint, for people.  Raises :class:`DamagedFileError` where it has none."""
    try:
        schedule = _scalars(_table(metadata["schedule"], "schedule"), "schedule")
        return {**schedule, "name": _text(schedule["name"], "name")}
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
