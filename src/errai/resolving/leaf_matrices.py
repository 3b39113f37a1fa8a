"""Values of pairs of hand classes at the leaves of one board, and the values that follow from them for any ranges."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from errai.resolving.pair_values import Floats


@dataclass(frozen=True, eq=False)
class LeafMatrices:
    """L leaves, at which player p has K_p continuations and hands in C_p classes; player 1 loses what player 0 wins."""

    counts: tuple[int, int]
    """K_0 and K_1."""
    sizes: tuple[NDArray[np.float64], NDArray[np.float64]]
    """float64[C_p]: hands of each class."""
    leaves: Sequence[Floats | None]
    """float[K_0 * C_0, K_1 * C_1] each: chips that player 0 wins, the mean over the pairs of hands of two classes; None
    where both players are all-in."""
    shown: Floats
    """float[C_0, C_1]: player 0's chance to win a showdown less that to lose it, as a mean in the same way."""
    stakes: NDArray[np.float64]
    """float64[L]: chips that the winner wins where both players are all-in."""

    def worth(self, player: int, reach: NDArray[np.float64], shares: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return a player's values, float64[K_p, L * C_p].

        They follow from the other player's reach, float64[L, C], and choices, float64[K, L * C].
        """
        other = 1 - player
        entering = shares.reshape(self.counts[other], *reach.shape) * (reach * self.sizes[other])
        found = np.empty((self.counts[player], len(self.leaves), len(self.sizes[player])))
        for leaf, matrix in enumerate(self.leaves):
            if matrix is not None:
                brought = entering[:, leaf].ravel().astype(matrix.dtype)
                worth = matrix @ brought if player == 0 else -(brought @ matrix)
                found[:, leaf] = worth.reshape(self.counts[player], -1)
        ended = np.array([matrix is None for matrix in self.leaves])
        if ended.any():
            brought = (entering[:, ended].sum(axis=0) * self.stakes[ended, None]).astype(self.shown.dtype)
            found[:, ended] = brought @ self.shown.T if player == 0 else -(brought @ self.shown)
        return found.reshape(self.counts[player], -1)


Starts = NDArray[np.int64]
"""int64[C + 1]: where each class begins in a list of hands, and the length of the list."""


def in_classes(matrix: Floats, classes: tuple[Starts, Starts]) -> Floats:
    """Return float[K_0, K_1, C_0, C_1]: the means over each class's hands of float[K_0, K_1, H_0, H_1]."""
    for axis, starts in zip((2, 3), classes, strict=True):
        if len(starts) - 1 < matrix.shape[axis]:
            sizes = np.diff(starts).astype(matrix.dtype)
            matrix = np.add.reduceat(matrix, starts[:-1], axis=axis)
            matrix /= sizes[:, None] if axis == 2 else sizes
    return matrix


def flat(matrix: Floats) -> Floats:
    """Reshape float[K_0, K_1, C_0, C_1] to float[K_0 * C_0, K_1 * C_1]."""
    first, second, rows, columns = matrix.shape
    return np.ascontiguousarray(matrix.transpose(0, 2, 1, 3)).reshape(first * rows, second * columns)
