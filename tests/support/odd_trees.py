"""Trees whose ends, hands or decisions are not those of plain zero-sum poker, made from trees that are."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from errai.kernels.layout import (
    BEST,
    DECISION,
    FIXED,
    FOLD,
    SHOWDOWN,
    TIE,
    WIN,
    Locks,
    PairPayoffs,
    StreetArrays,
    TreeArrays,
)


def with_rake(tree: TreeArrays, percent: float = 5.0, cap_chips: float = 3.0) -> TreeArrays:
    """A share of the pot, up to a cap, goes to the house wherever it is won."""

    def raked(street: StreetArrays) -> StreetArrays:
        ends = street.ends.copy()
        rake = np.minimum(cap_chips, percent / 100.0 * 2.0 * ends[:, :, WIN].max(axis=1))
        for p in (0, 1):
            wins = (street.kind == SHOWDOWN) | ((street.kind == FOLD) & (street.actor != p))
            ends[wins, p, WIN] -= rake[wins]
        shown = street.kind == SHOWDOWN
        ends[shown, :, TIE] -= rake[shown, None] / 2.0
        return replace(street, ends=ends)

    return replace(tree, streets=tuple(raked(s) for s in tree.streets))


def with_odd_ends(tree: TreeArrays, seed: int = 1) -> TreeArrays:
    """Every end pays each player something of its own for a win, a tie and a loss."""
    rng = np.random.default_rng(seed)

    def odd(street: StreetArrays) -> StreetArrays:
        ends = street.ends + np.abs(street.ends).max() * rng.uniform(-0.3, 0.3, street.ends.shape)
        return replace(street, ends=np.where(np.isin(street.kind, (FOLD, SHOWDOWN))[:, None, None], ends, 0.0))

    return replace(tree, streets=tuple(odd(s) for s in tree.streets))


def with_matrices(tree: TreeArrays, *, tie: bool = False, seed: int = 2) -> TreeArrays:
    """Most showdowns take their chances from one of two matrices, and pay by pair what no order of hands could."""
    rng = np.random.default_rng(seed)

    def paired(street: StreetArrays) -> StreetArrays:
        shown = np.flatnonzero(street.kind == SHOWDOWN)
        if not len(shown):
            return street
        matrix = np.full(len(street.kind), -1, dtype=np.int32)
        # In runs that are longer and shorter than the groups in which a kernel may take them.
        matrix[shown] = rng.choice([0, 0, 0, 1, -1], size=len(shown))
        matrix[shown[0]] = 0
        size = int(np.diff(street.hands[0].start) @ np.diff(street.hands[1].start))

        def pair(low: float) -> tuple[np.ndarray, np.ndarray]:
            return rng.uniform(low, 1.0, size), rng.uniform(low, 1.0, size)

        matrices = tuple(PairPayoffs(pair(-1.0), pair(0.0) if tie else None) for _ in range(2))
        return replace(street, matrix=matrix, matrices=matrices)

    return replace(tree, streets=tuple(paired(s) for s in tree.streets))


def with_locks(
    tree: TreeArrays, *, roles: tuple[int, ...] = (FIXED, BEST), share: float = 0.5, seed: int = 3
) -> TreeArrays:
    """Some hands of both players are locked at some decisions on some boards of every street."""
    rng = np.random.default_rng(seed)

    def locked(street: StreetArrays) -> StreetArrays:
        return replace(street, locks=(_locks(street, 0, roles, share, rng), _locks(street, 1, roles, share, rng)))

    return replace(tree, streets=tuple(locked(s) for s in tree.streets))


def _locks(
    street: StreetArrays, player: int, roles: tuple[int, ...], share: float, rng: np.random.Generator
) -> Locks | None:
    nodes = np.flatnonzero((street.kind == DECISION) & (street.actor == player))
    at = np.full(street.num_boards * len(nodes), -1, dtype=np.int32)
    role, strategy = [], []
    for b, hands in enumerate(np.diff(street.hands[player].start)):
        for i, node in enumerate(nodes):
            if rng.random() > share:
                continue
            at[b * len(nodes) + i] = len(role)
            role.append(rng.choice((0, *roles), size=hands).astype(np.uint8))
            told = rng.random((street.num_children[node], hands)) + 1e-3
            strategy.append(np.where(role[-1] == FIXED, told / told.sum(axis=0), 0.0).ravel())
    if not role:
        return None
    role_start, strategy_start = (np.cumsum([0, *map(len, arrays)], dtype=np.int64) for arrays in (role, strategy))
    return Locks(at, role_start, np.concatenate(role), strategy_start, np.concatenate(strategy))
