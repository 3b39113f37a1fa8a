"""Strategy arrays: probabilities from sums, and compact encodings.

A strategy consists of non-negative weights per (street, player) in the layout of the solver's state.  Their scale does
not matter to the kernels; :func:`encode` turns them into probabilities.  The encodings are float64, float32, uint16 in
steps of 1/65535, and uint8 in steps of 1/255.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from errai.errors import SolverOptionError
from errai.kernels.layout import DECISION, FIXED, Locks, StreetArrays
from errai.kernels.protocol import Arrays, matched, one_in
from errai.tree.public_tree import PublicTree

ENCODINGS = {"float64": np.float64, "float32": np.float32, "uint16": np.uint16, "uint8": np.uint8}

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
    for s, p, street, starts, counts in _decisions(tree):
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
            if (locks := street.locks[p]) is not None:
                _put_locked(block, locks, b, starts, one)
            board_block(tree, result, s, p, b)[...] = np.rint(block, out=block) if one > 1.0 else block
    return result


def _put_locked(block: NDArray[np.float64], locks: Locks, board: int, starts: NDArray[np.int32], one: float) -> None:
    """Write the strategy of FIXED hands to a board's rows [rows, H_b]; a player's decisions begin at ``starts``."""
    numbers = locks.at[board * len(starts) : (board + 1) * len(starts)]
    for first, number in zip(starts[numbers >= 0], numbers[numbers >= 0], strict=True):
        fixed = locks.role[locks.role_start[number] : locks.role_start[number + 1]] == FIXED
        given = locks.strategy[locks.strategy_start[number] : locks.strategy_start[number + 1]].reshape(-1, len(fixed))
        block[first : first + len(given), fixed] = one * given[:, fixed]


def are_probabilities(tree: PublicTree, strategy: Arrays, encoding: str) -> bool:
    """Return whether the probabilities of every hand sum to 1 at every decision, up to the rounding of the encoding.

    The check goes board by board, as :func:`encode` does.  It is false for numbers that are not finite.
    """
    one = one_in(ENCODINGS[encoding])
    for s, p, street, starts, counts in _decisions(tree):
        off = counts[:, None] / 2.0 if one > 1.0 else 1e-6
        for b in range(street.num_boards):
            block = board_block(tree, strategy, s, p, b)
            # The comparisons are false for NaN, and sums of huge numbers must not warn.
            with np.errstate(over="ignore", invalid="ignore"):
                total = np.add.reduceat(block, starts, axis=0, dtype=np.float64)
                if not ((block >= 0).all() and (np.abs(total - one) <= off).all()):
                    return False
    return True


def _decisions(tree: PublicTree) -> Iterator[tuple[int, int, StreetArrays, NDArray[np.int32], NDArray[np.int32]]]:
    """Yield street, player, the street's arrays, and the first row and the number of actions of each decision.

    Streets on which a player never decides are left out.
    """
    for s, street in enumerate(tree.arrays.streets):
        for p in (0, 1):
            nodes = (street.kind == DECISION) & (street.actor == p)
            if nodes.any():
                yield s, p, street, street.row[nodes], street.num_children[nodes]


def board_block(tree: PublicTree, arrays: Arrays, street: int, player: int, board: int) -> NDArray[Any]:
    """Return the rows [num_rows, H_b] of a board, as a view."""
    level = tree.arrays.streets[street]
    rows = level.num_rows[player]
    return level.block(arrays[street][player], rows, player, board).reshape(rows, -1)


def node_strategy(tree: PublicTree, arrays: Arrays, street: int, board: int, node: int) -> NDArray[np.float64]:
    """Return float64[A, H_b]: probabilities of the actions at a node (numbered inside its street) on a board."""
    level = tree.arrays.streets[street]
    first = int(level.row[node])
    rows = board_block(tree, arrays, street, int(level.actor[node]), board)
    return matched(rows[first : first + int(level.num_children[node])])
