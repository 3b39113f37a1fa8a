"""Checks of the trees that backends are given, made once; the code behind the interface relies on them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from errai.errors import InputError
from errai.kernels.layout import BEST, DECISION, FIXED, SHOWDOWN, Locks, StreetArrays, TreeArrays
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
                    _check_array(values, what, (int(street.pair_starts[-1]),))
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
    types = {
        "at": np.int32,
        "role_start": np.int64,
        "role": np.uint8,
        "strategy_start": np.int64,
        "strategy": np.float64,
    }
    if not all(_contiguous(getattr(locks, name), dtype) for name, dtype in types.items()):
        return False
    count = len(locks.role_start) - 1
    nodes = np.flatnonzero((street.kind == DECISION) & (street.actor == player))
    if locks.at.size != street.num_boards * len(nodes) or len(locks.strategy_start) != count + 1:
        return False
    if not ((locks.at >= -1) & (locks.at < count)).all() or locks.role.max(initial=0) > BEST:
        return False
    at = locks.at.reshape(street.num_boards, -1)
    board, decision = np.nonzero(at >= 0)
    number, hands = at[board, decision], np.diff(street.hands[player].start)[board]
    probabilities = hands * street.num_children[nodes[decision]]
    ends = (locks.role_start, hands, locks.role), (locks.strategy_start, probabilities, locks.strategy)
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
    pairs = [pair for m in street.matrices for pair in (m.margin, m.tie) if pair is not None]
    return all(
        _contiguous(array, np.float64) and array.size == street.pair_starts[-1] for pair in pairs for array in pair
    )
