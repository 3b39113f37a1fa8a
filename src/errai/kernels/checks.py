"""Checks of the arrays that backends are given, made once; the code behind the interface relies on them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from errai.errors import InputError
from errai.kernels.layout import (
    BEST,
    DECISION,
    FIXED,
    LEARNS,
    SHOWDOWN,
    Locks,
    Roles,
    StreetArrays,
    TreeArrays,
    pair_starts,
)
from errai.kernels.protocol import COEFFICIENTS, Arrays, LeafArrays, RootReach
from errai.own_code import numbers_of

FREQUENCY_SLACK = 1e-6
"""How far the frequencies of a locked hand may be from summing to 1."""

_ENDS = ("a win", "a tie", "a loss")


def check_tree(tree: TreeArrays) -> None:
    """Raise :class:`InputError` unless locks and matrices of pairs fit the sizes of the tree's boards."""
    for street in tree.streets:
        for player, locks in enumerate(street.locks):
            if locks is not None and not _fits(locks, street, player):
                raise InputError("The locks do not belong to this tree: their arrays have other sizes or dtypes.")
        if street.matrix is not None and not _has_matrices(street):
            raise InputError("The matrices of pairs do not belong to this tree: they have other sizes or dtypes.")


def check_numbers(tree: TreeArrays) -> None:
    """Raise :class:`InputError` if payoffs, locks or reach have a wrong shape or dtype, or numbers that are wrong.

    Payoffs and reach must be finite, and the frequencies of locks numbers from 0 to 1 that sum to 1.  It is for trees
    that callers build; :func:`check_tree` comes first.
    """
    for s, street in enumerate(tree.streets):
        _check_array(
            street.ends,
            f"The payoffs `ends` of street {s}",
            (len(street.kind), 2, 3),
            place=lambda node, player, end: f"at node {node}, for {_ENDS[end]} of player {player}",
        )
        for m, pairs in enumerate(street.matrices):
            for name in ("margin", "tie"):
                for p, values in enumerate(getattr(pairs, name) or ()):
                    what = f"The payoffs `{name}` of matrix {m} of street {s} for player {p}"
                    _check_array(values, what, (int(pair_starts(street)[-1]),))
        for p, locks in enumerate(street.locks):
            if locks is not None:
                _check_frequencies(locks, f"The frequencies of the locks of player {p} on street {s}")
    first = tree.streets[0]
    for p in (0, 1):
        shape = (first.num_entries * int(first.hands[p].start[-1]),)
        _check_array(tree.root_reach[p], f"The numbers `root_reach` of player {p}", shape, low=0.0)


def _check_array(
    given: Any, what: str, shape: tuple[int, ...], low: float = -np.inf, place: Callable[..., str] | None = None
) -> None:
    if not isinstance(given, np.ndarray) or given.dtype != np.float64:
        kind = given.dtype if isinstance(given, np.ndarray) else type(given).__name__
        raise InputError(f"{what} must be an array of float64, not of {kind}.")
    numbers_of(given, what, shape, low=low, place=place)


def _check_frequencies(locks: Locks, what: str) -> None:
    numbers_of(locks.strategy, what, locks.strategy.shape, low=0.0, high=1.0 + FREQUENCY_SLACK)
    for i in range(len(locks.role_start) - 1):
        role = locks.role[locks.role_start[i] : locks.role_start[i + 1]]
        if not len(role):  # A board on which the player can hold nothing.
            continue
        block = locks.strategy[locks.strategy_start[i] : locks.strategy_start[i + 1]].reshape(-1, len(role))
        wrong = (role == FIXED) & (np.abs(block.sum(axis=0) - 1.0) > FREQUENCY_SLACK)
        if wrong.any():
            hand = int(wrong.argmax())
            raise InputError(f"{what} sum to {block[:, hand].sum():g} for hand class {hand} of lock {i}, not to 1.")


def _contiguous(array: NDArray[Any], dtype: type) -> bool:
    return isinstance(array, np.ndarray) and array.dtype == dtype and array.ndim == 1 and array.flags.c_contiguous


def _fits(locks: Locks, street: StreetArrays, player: int) -> bool:
    types = (
        (locks.at, np.int32),
        (locks.role_start, np.int64),
        (locks.role, np.uint8),
        (locks.strategy_start, np.int64),
        (locks.strategy, np.float64),
    )
    if not all(_contiguous(array, dtype) for array, dtype in types):
        return False
    count = len(locks.role_start) - 1
    nodes = np.flatnonzero((street.kind == DECISION) & (street.actor == player))
    if (
        locks.at.size != street.num_boards * len(nodes)
        or locks.at.max(initial=-1) >= count
        or locks.at.min(initial=0) < -1
    ):
        return False
    if len(locks.strategy_start) != count + 1 or locks.role.max(initial=0) > BEST:
        return False
    board, decision = np.nonzero(locks.at.reshape(street.num_boards, -1) >= 0)
    number = locks.at.reshape(street.num_boards, -1)[board, decision]
    hands = np.diff(street.hands[player].start)[board]
    ends = (
        (locks.role_start, hands, locks.role),
        (
            locks.strategy_start,
            hands * street.num_children[nodes[decision]],
            locks.strategy,
        ),
    )
    return all(
        bool((start >= 0).all())
        and bool((start[number + 1] - start[number] == sizes).all())
        and bool((start[number + 1] <= values.size).all())
        for start, sizes, values in ends
    )


def _has_matrices(street: StreetArrays) -> bool:
    matrix = street.matrix
    if matrix is None or not _contiguous(matrix, np.int32) or matrix.shape != street.kind.shape:
        return False
    if matrix.max(initial=-1) >= len(street.matrices) or (matrix[street.kind != SHOWDOWN] >= 0).any():
        return False
    size = int(np.diff(street.hands[0].start) @ np.diff(street.hands[1].start))
    pairs = [pair for m in street.matrices for pair in (m.margin, m.tie) if pair is not None]
    return all(_contiguous(array, np.float64) and array.size == size for pair in pairs for array in pair)


def checked_roles(tree: TreeArrays, role: Roles, *, learning: bool) -> NDArray[np.uint8]:
    """Return the role of a player's hands on every street, uint8[streets].

    Raises ValueError for an unknown role, a wrong number of streets, or the role LEARNS in a walk that only evaluates.
    """
    count = len(tree.streets)
    roles = [role] * count if isinstance(role, int) else list(role)
    known = (LEARNS, FIXED, BEST) if learning else (FIXED, BEST)
    if len(roles) != count or any(r not in known for r in roles):
        raise ValueError(f"roles must be of {known}, one for all streets or for each of {count}, not {role!r}")
    return np.array(roles, dtype=np.uint8)


def checked_table(coefficients: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the coefficients as float64[n, 8].  Raises ValueError for another number of columns."""
    table = np.ascontiguousarray(coefficients, dtype=np.float64)
    if table.shape[-1] != len(COEFFICIENTS):
        raise ValueError(f"coefficients have {table.shape[-1]} columns, not {len(COEFFICIENTS)}")
    return table.reshape(-1, len(COEFFICIENTS))


def checked_arrays(arrays: Arrays, shapes: Sequence[tuple[int, ...]]) -> list[NDArray[Any]]:
    """Return the arrays, indexed by street * 2 + player.

    Raises ValueError unless they have these shapes and one type.
    """
    flat = [array for pair in arrays for array in pair]
    if [a.shape for a in flat] != list(shapes) or any(a.dtype != flat[0].dtype for a in flat):
        raise ValueError("the arrays do not belong to this tree")
    if not all(a.flags.c_contiguous for a in flat):
        raise ValueError("the arrays must be contiguous")
    return flat


def state_shapes(tree: TreeArrays) -> list[tuple[int, ...]]:
    """Return the shapes of state arrays and strategies, indexed by street * 2 + player."""
    return [(street.state_size(player),) for street in tree.streets for player in (0, 1)]


def checked_leaves(tree: TreeArrays, leaf_values: LeafArrays | None, player: int) -> list[NDArray[np.float64]]:
    """Return the leaf values by street, or nothing for None.  Raises ValueError unless their sizes fit the tree."""
    if leaf_values is None:
        return []
    sizes = [s.num_leaves * int(s.hands[player].start[-1]) for s in tree.streets]
    if [a.size for a in leaf_values] != sizes:
        raise ValueError("the leaf values do not belong to this tree")
    return [np.ascontiguousarray(a, dtype=np.float64) for a in leaf_values]


def checked_reach(tree: TreeArrays, reach: RootReach | None) -> list[NDArray[np.float64]]:
    """Return both players' reach at the root, the tree's own for None.

    Raises ValueError unless the sizes are right.
    """
    root = tree.streets[0]
    given = [np.ascontiguousarray(r, dtype=np.float64) for r in (tree.root_reach if reach is None else reach)]
    if [r.shape for r in given] != [(root.num_entries * int(h.start[-1]),) for h in root.hands]:
        raise ValueError("the reach at the root does not belong to this tree")
    return given


def checked_entries(
    tree: TreeArrays, player: int, street: int, board: int, reach: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return the opponent's reach at the entries of a board, float64[num_entries, H].

    Raises ValueError for another shape.
    """
    level = tree.streets[street]
    start = level.hands[1 - player].start
    wanted = level.num_entries, int(start[board + 1] - start[board])
    entering = np.ascontiguousarray(reach, dtype=np.float64)
    if entering.shape != wanted:
        raise ValueError(f"reach has shape {entering.shape}, not {wanted}")
    return entering
