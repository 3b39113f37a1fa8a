"""What every fast backend checks about the arrays it is handed, once and at its border; what runs below trusts them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from errai.kernels.layout import TreeArrays
from errai.kernels.protocol import COEFFICIENTS, Arrays, LeafArrays, RootReach


def checked_table(coefficients: NDArray[np.float64]) -> NDArray[np.float64]:
    """The coefficients as float64[n, 8].  Raises ValueError for another number of columns."""
    table = np.ascontiguousarray(coefficients, dtype=np.float64)
    if table.shape[-1] != len(COEFFICIENTS):
        raise ValueError(f"coefficients have {table.shape[-1]} columns, not {len(COEFFICIENTS)}")
    return table.reshape(-1, len(COEFFICIENTS))


def checked_arrays(arrays: Arrays, shapes: Sequence[tuple[int, ...]]) -> list[NDArray]:
    """The arrays by street * 2 + player.  Raises ValueError unless they are of these shapes, and of one type."""
    flat = [array for pair in arrays for array in pair]
    if [a.shape for a in flat] != list(shapes) or any(a.dtype != flat[0].dtype for a in flat):
        raise ValueError("the arrays do not belong to this tree")
    if not all(a.flags.c_contiguous for a in flat):
        raise ValueError("the arrays must be contiguous")
    return flat


def state_shapes(tree: TreeArrays) -> list[tuple[int, ...]]:
    """Shapes of state arrays and strategies, by street * 2 + player."""
    return [(street.state_size(player),) for street in tree.streets for player in (0, 1)]


def checked_leaves(tree: TreeArrays, leaf_values: LeafArrays | None, player: int) -> list[NDArray[np.float64]]:
    """The values of the leaves by street, none for None.  Raises ValueError unless they are of the tree's sizes."""
    if leaf_values is None:
        return []
    sizes = [s.num_leaves * int(s.hands[player].start[-1]) for s in tree.streets]
    if [a.size for a in leaf_values] != sizes:
        raise ValueError("the leaf values do not belong to this tree")
    return [np.ascontiguousarray(a, dtype=np.float64) for a in leaf_values]


def checked_reach(tree: TreeArrays, reach: RootReach | None) -> list[NDArray[np.float64]]:
    """What both players bring to the root, the tree's own for None.  Raises ValueError unless the sizes are right."""
    root = tree.streets[0]
    given = [np.ascontiguousarray(r, dtype=np.float64) for r in (tree.root_reach if reach is None else reach)]
    if [r.shape for r in given] != [(root.num_entries * int(h.start[-1]),) for h in root.hands]:
        raise ValueError("the reach at the root does not belong to this tree")
    return given


def checked_entries(
    tree: TreeArrays, player: int, street: int, board: int, reach: NDArray[np.float64]
) -> NDArray[np.float64]:
    """What the opponent brings to a board, as float64[num_entries, H].  Raises ValueError for another shape."""
    level = tree.streets[street]
    start = level.hands[1 - player].start
    wanted = level.num_entries, int(start[board + 1] - start[board])
    entering = np.ascontiguousarray(reach, dtype=np.float64)
    if entering.shape != wanted:
        raise ValueError(f"reach has shape {entering.shape}, not {wanted}")
    return entering
