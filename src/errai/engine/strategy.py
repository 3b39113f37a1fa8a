"""Strategy arrays: probabilities from sums, compact encodings, and the value and exploitability of a strategy.

A strategy consists of non-negative weights per (street, player) in the layout of the solver's state.  Their scale does
not matter to the kernels; :func:`encode` turns them into probabilities.  The encodings are float64, float32, uint16 in
steps of 1/65535, and uint8 in steps of 1/255.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from errai.engine.leaf_values import LeafMeasurement, LeafValues, Pair, title_of
from errai.engine.root import Entering
from errai.engine.seams import chips_of
from errai.engine.units import Exploitability, Measurement, Units
from errai.errors import CertificateError, LeafValuesError, SolverOptionError
from errai.kernels.layout import BEST, FIXED, Locks
from errai.kernels.protocol import Arrays, Kernel, matched, one_in
from errai.tree.public_tree import PublicTree

ENCODINGS = {"float64": np.float64, "float32": np.float32, "uint16": np.uint16, "uint8": np.uint8}

NEGATIVE = 1e-6
"""By this fraction of the initial pot a gain may be below 0 because of rounding."""

FULL_PRECISION_ENTRIES = 1_000_000
"""Strategies of up to this many entries are kept in float64 or float32 by default; larger ones in uint16."""


def default_encoding(entries: int, precision: str) -> str:
    """Return the encoding of a finished strategy.

    It has 8 bits if averages have, the precision of the run if the tree is small, and 16 bits otherwise.
    """
    if precision == "average8":
        return "uint8"
    return precision if precision in ENCODINGS and entries <= FULL_PRECISION_ENTRIES else "uint16"


def encode(tree: PublicTree, sums: Arrays, encoding: str, *, in_place: bool = False) -> Arrays:
    """Compute probabilities from sums (or from regrets, for the current strategy) in one of ``ENCODINGS``.

    Locked strategies are taken from the locks.  The computation goes board by board, so it needs little memory besides
    the result.  With ``in_place`` the result overwrites the sums, which must have the encoding's type.
    """
    if encoding not in ENCODINGS:
        raise SolverOptionError(f"There is no encoding {encoding!r}; choose one of {', '.join(ENCODINGS)}.")
    dtype = ENCODINGS[encoding]
    result = sums if in_place else tree.arrays.zeros(dtype)
    for s, street in enumerate(tree.arrays.streets):
        for p in (0, 1):
            nodes = (street.kind == 0) & (street.actor == p)
            starts, counts = street.row[nodes], street.num_children[nodes]
            if not len(starts):
                continue
            one = one_in(dtype)
            uniform = np.repeat(one / counts, counts)[:, None]
            for b in range(street.num_boards):
                block = board_block(tree, sums, s, p, b).astype(np.float64)
                np.maximum(block, 0.0, out=block)
                total = np.add.reduceat(block, starts, axis=0)
                unknown = total <= 0.0
                total[unknown] = 1.0
                np.divide(block, np.repeat(total / one, counts, axis=0), out=block)
                if unknown.any():
                    np.copyto(block, uniform, where=np.repeat(unknown, counts, axis=0))
                if street.locks[p] is not None:
                    _put_locked(block, street.locks[p], b, starts, one)
                board_block(tree, result, s, p, b)[...] = np.rint(block, out=block) if one > 1.0 else block
    return result


def _put_locked(
    block: NDArray[np.float64], locks: Locks | None, board: int, starts: NDArray[np.int32], one: float
) -> None:
    """Write the strategy of FIXED hands to the rows [rows, H_b] of a board; a player's
    decisions begin at ``starts``.
    """
    assert locks is not None
    numbers = locks.at[board * len(starts) : (board + 1) * len(starts)]
    for first, number in zip(starts[numbers >= 0], numbers[numbers >= 0], strict=True):
        fixed = locks.role[locks.role_start[number] : locks.role_start[number + 1]] == FIXED
        given = locks.strategy[locks.strategy_start[number] : locks.strategy_start[number + 1]].reshape(-1, len(fixed))
        block[first : first + len(given), fixed] = one * given[:, fixed]


def are_probabilities(tree: PublicTree, strategy: Arrays, encoding: str) -> bool:
    """Return whether the probabilities of every hand sum to 1 at every decision, up to the rounding of the encoding.

    The check goes board by board, as :func:`encode` does.  It is false for numbers that are not finite.
    """
    for s, street in enumerate(tree.arrays.streets):
        for p in (0, 1):
            nodes = (street.kind == 0) & (street.actor == p)
            starts, counts = street.row[nodes], street.num_children[nodes]
            if not len(starts):
                continue
            one = one_in(ENCODINGS[encoding])
            off = counts[:, None] / 2.0 if one > 1.0 else 1e-6
            for b in range(street.num_boards):
                block = board_block(tree, strategy, s, p, b)
                # The comparisons are false for NaN, and sums of huge numbers must not warn.
                with np.errstate(over="ignore", invalid="ignore"):
                    total = np.add.reduceat(block, starts, axis=0, dtype=np.float64)
                    if not ((block >= 0).all() and (np.abs(total - one) <= off).all()):
                        return False
    return True


def board_block(tree: PublicTree, arrays: Arrays, street: int, player: int, board: int) -> NDArray:
    """Return the rows [num_rows, H_b] of a board, as a view."""
    level = tree.arrays.streets[street]
    start, rows = level.hands[player].start, level.num_rows[player]
    return arrays[street][player][rows * start[board] : rows * start[board + 1]].reshape(rows, -1)


def node_strategy(tree: PublicTree, arrays: Arrays, street: int, board: int, node: int) -> NDArray[np.float64]:
    """Return float64[A, H_b]: probabilities of the actions at a node (numbered inside its street) on a board."""
    level = tree.arrays.streets[street]
    first = int(level.row[node])
    rows = board_block(tree, arrays, street, int(level.actor[node]), board)
    return matched(rows[first : first + int(level.num_children[node])])


def exploitability(
    tree: PublicTree,
    kernel: Kernel,
    strategy: Arrays,
    units: Units,
    leaves: LeafMeasurement | None = None,
    entering: Entering | None = None,
) -> Exploitability:
    """Return the exact exploitability of any strategy on the tree, summed in float64.

    Best response and value are the walk of the solver, with a maximum at the responder's nodes for the former.  Each
    player's gain is measured from the player's own value, so the game need not be zero-sum (docs/maths.md).  ``leaves``
    has the values at the leaves of a depth-limited tree, and ``entering`` the reach at the root if it is not that of
    the ranges.  A player who may refuse to enter makes this choice too as a best response.
    """
    return exploitability_and_values(tree, kernel, strategy, units, leaves, entering)[0]


def exploitability_and_values(
    tree: PublicTree,
    kernel: Kernel,
    strategy: Arrays,
    units: Units,
    leaves: LeafMeasurement | None = None,
    entering: Entering | None = None,
) -> tuple[Exploitability, tuple[float, float]]:
    """Return the same and, since it rests on them, the net chips per hand of each player under the strategy.

    Raises :class:`CertificateError` if a gain is not finite, or below 0 by more than rounding.
    """
    best = best_response_values(tree, kernel, strategy, leaves, entering)
    values = expected_values(tree, kernel, strategy, leaves, entering)
    gains = (best[0] - values[0], best[1] - values[1])
    certificate = Exploitability((gains[0] + gains[1]) / 2.0, units, gains)
    if min(gains) < -NEGATIVE * units.initial_pot_chips:
        raise CertificateError(
            f"By best responses the players would gain {gains[0]:g} and {gains[1]:g} chips, and a gain below 0 is "
            "impossible, so nothing is certified: the values at the leaves or at the root do not fit together."
        )
    return certificate, values


def best_response_values(
    tree: PublicTree,
    kernel: Kernel,
    strategy: Arrays,
    leaves: LeafMeasurement | None = None,
    entering: Entering | None = None,
    *,
    exact: bool = True,
) -> tuple[float, float]:
    """Return the net chips per hand of each player's best response to the other player's strategy."""
    pair = None if leaves is None else leaves.best
    found = [_chips(tree, kernel, strategy, p, pair, entering, role=BEST, exact=exact) for p in (0, 1)]
    return found[0], found[1]


def quick_exploitability(
    tree: PublicTree,
    kernel: Kernel,
    strategy: Arrays,
    units: Units,
    leaves: LeafMeasurement | None = None,
    entering: Entering | None = None,
) -> Measurement:
    """Return the exploitability to about 1e-6 of the pot, several times as fast, to decide when to measure exactly.

    Sums are in float32 unless the strategy is in float64.  The values of the strategy itself are not computed if they
    cancel.
    """
    gains = sum(best_response_values(tree, kernel, strategy, leaves, entering, exact=False))
    if not _values_cancel(tree, leaves):
        gains -= sum(expected_values(tree, kernel, strategy, leaves, entering, exact=False))
    return Measurement(gains / 2.0, units)


def expected_values(
    tree: PublicTree,
    kernel: Kernel,
    strategy: Arrays,
    leaves: LeafMeasurement | None = None,
    entering: Entering | None = None,
    *,
    exact: bool = True,
) -> tuple[float, float]:
    """Return the net chips per hand of each player under the strategy; in zero-sum games one is minus the other.

    ``exact`` is as for :meth:`errai.kernels.protocol.Kernel.root_values`.
    """
    pair = None if leaves is None else leaves.values
    first = _chips(tree, kernel, strategy, 0, pair, entering, role=FIXED, exact=exact)
    if _values_cancel(tree, leaves):
        return first, -first
    return first, _chips(tree, kernel, strategy, 1, pair, entering, role=FIXED, exact=exact)


def check_zero_sum_leaves(
    tree: PublicTree,
    kernel: Kernel,
    strategy: Arrays,
    source: LeafValues,
    leaves: LeafMeasurement,
    entering: Entering | None = None,
) -> None:
    """Raise :class:`LeafValuesError` if leaf values that say that they are zero-sum are not, under a strategy.

    The value of player 1 is then taken as that of player 0 with the opposite sign, so the certificate would be wrong.
    """
    if not _values_cancel(tree, leaves):
        return
    values = [_chips(tree, kernel, strategy, p, leaves.values, entering, role=FIXED) for p in (0, 1)]
    if abs(sum(values)) > max(NEGATIVE, source.rounding) * tree.initial_pot:
        raise LeafValuesError(
            f"{title_of(source)} say by `zero_sum` that a player wins what the other one loses, but the players win "
            f"{values[0]:g} and {values[1]:g} chips; set `zero_sum` to False, or correct the values."
        )


def _values_cancel(tree: PublicTree, leaves: LeafMeasurement | None) -> bool:
    """Return whether one player's gain is the other player's loss, in the tree and at its leaves."""
    return tree.values_cancel and (leaves is None or leaves.zero_sum)


def _chips(
    tree: PublicTree,
    kernel: Kernel,
    strategy: Arrays,
    player: int,
    leaves: Pair | None,
    entering: Entering | None,
    *,
    role: int,
    exact: bool = True,
) -> float:
    """Return the net chips per hand of a player, with a best response or the player's own strategy."""
    leaf_values = None if leaves is None else leaves[player]
    if entering is None:
        values = kernel.root_values(strategy, player, role=role, exact=exact, leaf_values=leaf_values)
        return tree.chips(values, player)
    reach = entering.reach
    values = kernel.root_values(strategy, player, role=role, exact=exact, leaf_values=leaf_values, reach=reach)
    return chips_of(entering, values, player, best=role == BEST)
