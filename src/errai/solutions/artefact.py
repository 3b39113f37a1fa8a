"""Solution files on the way back: what is in the container is checked before it is used.

The format is documented in docs/file-formats.md.  A file holds its game or spot in full, so the tree is built again
from it; every length is held against that tree before an array is used.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from errai.engine.curve import Curve
from errai.engine.leaf_values import LeafHistory, LeafMeasurement, Pair
from errai.engine.resources import check_memory, default_threads
from errai.engine.status import Status
from errai.engine.strategy import ENCODINGS, are_probabilities
from errai.engine.units import Exploitability, Units
from errai.errors import DamagedFileError, InputError, TreeTooLargeError
from errai.games.lookahead import last_street
from errai.kernels.layout import LEAF
from errai.kernels.protocol import Arrays
from errai.solutions.header import (
    checked_count,
    checked_curve,
    checked_number,
    checked_numbers,
    checked_scalars,
    checked_table,
    checked_text,
    tree_options,
)
from errai.solutions.solution import KIND, ROLES, Below, FirstStreetValues, ProfileValues, Solution
from errai.solutions.subjects import menu_of, read_subject
from errai.store.container import Container, open_container
from errai.store.header import Entry
from errai.tree.betting_tree import MAX_NODES
from errai.tree.public_tree import TreePlan, plan_public_tree


def load_solution(path: str | Path, *, threads: int | None = None) -> Solution:
    """Read a solution file.  The strategy is checked, and stays mapped to the file.

    Raises
    ------
    FileAccessError, ForeignFileError, DamagedFileError
        If there is no such file, it is of another kind, or it is not complete.
    TreeTooLargeError
        If the tree of its game does not fit into this machine's memory.

    Examples
    --------
    >>> import errai
    >>> errai.solve(errai.load_game("kuhn"), "1mbb").save("kuhn.errai")
    >>> errai.load_solution("kuhn.errai").verify().certified
    True
    """
    container = open_container(path, KIND)
    with damage_in(path):
        facts, plan = read_plan(container)
        check_memory(plan, plan.deal_bytes, None)
        tree = plan.build()
        arrays = container.arrays
        strategy: Arrays = [[arrays[f"strategy/{s}/{p}"] for p in (0, 1)] for s in range(tree.betting.num_streets)]
        if not are_probabilities(tree, strategy, facts["encoding"]):
            raise DamagedFileError("The strategy has numbers that are not probabilities.")
        threads = default_threads() if threads is None else threads
        return Solution(
            tree=tree,
            strategy=strategy,
            threads=threads,
            leaves=_leaves(container, len(strategy)),
            first_street=read_first_street(container, plan),
            history=_history(container, plan),
            **facts,
        )


@contextmanager
def damage_in(path: str | Path) -> Iterator[None]:
    """Turn every error in a container's data about its solution into a :class:`DamagedFileError` naming the file."""
    try:
        yield
    except DamagedFileError as error:
        if str(error).startswith(str(path)):
            raise
        raise DamagedFileError(f"{path}: {error}") from error
    except (InputError, KeyError, TypeError, ValueError, OverflowError) as error:
        reason = f"{error!s} is missing" if isinstance(error, KeyError) else f"{error!s:.200}"
        raise DamagedFileError(f"{path} is a solution file, but its header is not valid: {reason}") from error


def read_plan(container: Container) -> tuple[dict[str, Any], TreePlan]:
    """Return a container's data about its solution as fields of :class:`Solution`, and the plan of its tree.

    The lengths of the arrays are checked against the plan; their contents are not read.
    """
    metadata, arrays = container.metadata, container.arrays
    subject, menu = read_subject(metadata["subject"])
    encoding = checked_text(metadata["encoding"], "encoding", ENCODINGS)
    certificate = checked_table(metadata["certificate"], "certificate")
    chips = checked_number(certificate["exploitability_chips"], "exploitability_chips")
    gains = checked_numbers(certificate["gain_chips"], "gain_chips", 2)
    values = checked_numbers(certificate["value_chips"], "value_chips", 2)
    schedule, settings = (checked_table(metadata[key], key) for key in ("schedule", "settings"))
    target = None if settings["target"] is None else checked_text(settings["target"], "target")
    facts: dict[str, Any] = {
        "values": ProfileValues((values[0], values[1])),
        "status": Status(checked_text(metadata["status"], "status", tuple(Status))),
        "iterations": checked_count(metadata["iterations"], "iterations"),
        "seconds": checked_number(metadata["seconds"], "seconds"),
        "schedule": {**checked_scalars(schedule, "schedule"), "name": checked_text(schedule["name"], "name")},
        "curve": Curve.of(checked_curve(metadata["curve"])),
        "other_curve": None if "other_curve" not in metadata else Curve.of(checked_curve(metadata["other_curve"])),
        "encoding": encoding,
        "menu": menu,
        "settings": {**checked_scalars(settings, "settings"), "target": target, "backend": "cpu"},
        "memory_bytes": checked_count(metadata["memory_bytes"], "memory_bytes"),
    }
    last, below, evaluations, zero_sum = None, None, 0, None
    if metadata.get("leaf_values") is not None:
        leaves = checked_table(metadata["leaf_values"], "leaf_values")
        digest = leaves["digest"]
        below = Below(checked_text(leaves["name"], "name"), None if digest is None else checked_text(digest, "digest"))
        depth = checked_count(metadata["depth"], "depth")
        last = last_street(subject, depth if subject.state is None else None)
        evaluations = checked_count(leaves.get("evaluations", 0), "evaluations")
        zero_sum = leaves.get("zero_sum")
        if not (zero_sum is None or isinstance(zero_sum, bool)):
            raise DamagedFileError(f"zero_sum is {zero_sum!s:.20}, not true or false.")
    options = {**tree_options(metadata), "last_street": last}
    shapes = {name: arrays.entry(name) for name in arrays}
    entries = sum(
        math.prod(entry.shape)
        for name, entry in shapes.items()
        if not name.startswith(("leaves/", "history/", "first/"))
    )
    # A tree that cannot be the file's is not built: every node but the root follows an action, which has at least one
    # entry, or ends one of the streets.
    most = min(MAX_NODES, (entries + 1) * subject.rules.num_rounds)
    try:
        plan = plan_public_tree(subject, menu=menu_of(subject, menu), **options, max_nodes=most)
    except TreeTooLargeError as error:
        raise DamagedFileError("The arrays in the file are far too short for its game.") from error
    _check_arrays(plan, shapes, np.dtype(ENCODINGS[encoding]), zero_sum is not None, evaluations)
    units = Units.of(subject, plan.betting.initial_pot)
    certified = Exploitability(chips, units, (gains[0], gains[1]))
    return {**facts, "exploitability": certified, "below": below}, plan


def _check_arrays(
    plan: TreePlan, arrays: Mapping[str, Entry], dtype: np.dtype, has_leaves: bool, evaluations: int
) -> None:
    """Check names, types and lengths against the tree that is going to be built."""
    betting, classes = plan.betting, plan.deal_size.classes
    expected = {
        f"strategy/{s}/{p}": (betting.num_rows(s, p) * classes[s][p], dtype)
        for s in range(len(classes))
        for p in (0, 1)
    }
    leaves, double = _leaf_count(plan), np.dtype(np.float64)
    if has_leaves:
        expected |= {f"leaves/{role}/{p}": (leaves * classes[-1][p], double) for role in ROLES for p in (0, 1)}
    if any(name.startswith("first/") for name in arrays):
        nodes = len(betting.street_nodes(0))
        expected |= {f"first/{role}/{p}": (nodes * classes[0][p], double) for role in ROLES for p in (0, 1)}
    if evaluations:
        if len(classes) > 1:
            raise DamagedFileError("Only a tree of one street has a history of its leaves.")
        single = np.dtype(np.float32)
        expected |= {f"history/reach/{p}": (evaluations * leaves * classes[0][p], single) for p in (0, 1)}
        expected["history/weights"] = (2 * evaluations, double)
    if set(expected) != set(arrays):
        raise DamagedFileError("The arrays in the file are not those of its game.")
    for key, (size, kind) in expected.items():
        if arrays[key].shape != (size,) or arrays[key].dtype != kind:
            raise DamagedFileError(f"The array {key} does not have the size or type that the game asks for.")


def _leaves(container: Container, streets: int) -> LeafMeasurement | None:
    """Return the values of the leaves of a tree that is cut; None if there are none in the file."""
    zero_sum = (container.metadata.get("leaf_values") or {}).get("zero_sum")
    if zero_sum is None:
        return None
    found: list[Pair] = []
    for role in ROLES:
        arrays = [container.arrays[f"leaves/{role}/{p}"] for p in (0, 1)]
        if not all(np.isfinite(array).all() for array in arrays):
            raise DamagedFileError("The values of the leaves are not finite.")
        # Only the last street has leaves.
        first, second = ([*[np.zeros(0)] * (streets - 1), np.array(array)] for array in arrays)
        found.append((first, second))
    return LeafMeasurement(found[0], found[1], zero_sum)


def read_first_street(container: Container, plan: TreePlan) -> FirstStreetValues | None:
    """Return the values of the first street; None if they are not in the file.

    Raises :class:`DamagedFileError` if they are not finite.
    """
    if f"first/{next(iter(ROLES))}/0" not in container.arrays:
        return None
    found = []
    for role in ROLES:
        first, second = (
            np.array(container.arrays[f"first/{role}/{p}"]).reshape(len(plan.betting.street_nodes(0)), -1)
            for p in (0, 1)
        )
        if not (np.isfinite(first).all() and np.isfinite(second).all()):
            raise DamagedFileError(f"{container.path}: the values of the first street are not finite.")
        found.append((first, second))
    return FirstStreetValues(*found)


def _history(container: Container, plan: TreePlan) -> LeafHistory | None:
    """Return the reach at the leaves in all iterations; None if it is not in the file."""
    if "history/weights" not in container.arrays:
        return None
    weights = np.array(container.arrays["history/weights"]).reshape(-1, 2)
    shape = len(weights), _leaf_count(plan), -1
    first, second = (np.array(container.arrays[f"history/reach/{p}"]).reshape(shape) for p in (0, 1))
    if not all(np.isfinite(array).all() and (array >= 0.0).all() for array in (first, second, weights)):
        raise DamagedFileError("The history of the leaves has numbers below 0 or not finite.")
    return LeafHistory((first, second), weights)


def _leaf_count(plan: TreePlan) -> int:
    """Return the number of lines that reach the end of a tree that is cut."""
    betting = plan.betting
    last = np.asarray(betting.street_nodes(betting.num_streets - 1))
    return int(np.count_nonzero(betting.kind[last] == LEAF))
