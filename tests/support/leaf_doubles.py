"""Leaf values that tests compare with: zeros, and the exact values of a given continuation."""

from __future__ import annotations

import numpy as np

from errai.engine.leaf_values import LeafValues, Pair
from errai.errors import InputError
from errai.kernels.layout import CHANCE, LEAF
from errai.kernels.protocol import Arrays, Kernel, LeafArrays
from errai.tree.public_tree import PublicTree


class ZeroLeafValues(LeafValues):
    """Leaf values of 0, as a test double."""

    name = "zero"
    repeats = True

    def values(self, trunk: PublicTree, reach: Pair, player: int) -> LeafArrays:
        return [np.zeros_like(a) for a in reach[player]]


class FixedContinuation(LeafValues):
    """Exact values of a continuation in which both players follow a strategy of the whole tree.

    Parameters
    ----------
    whole:
        The tree whose upper part is the trunk: the same subject, without leaves.
    kernel:
        A kernel for ``whole``.
    strategy:
        Arrays of ``whole``; only the streets below the trunk are read.
    """

    name = "fixed continuation"
    repeats = True

    def __init__(self, whole: PublicTree, kernel: Kernel, strategy: Arrays) -> None:
        self.whole = whole
        self.kernel = kernel
        self.strategy = strategy

    def values(self, trunk: PublicTree, reach: Pair, player: int) -> LeafArrays:
        """Return the exact values of the continuation, see :class:`LeafValues`.

        Raises InputError for another tree's trunk.
        """
        edge = len(trunk.arrays.streets) - 1
        if not self._continues(trunk):
            raise InputError("The trunk is not the upper part of the tree whose continuation this is.")
        street, below = self.whole.arrays.streets[edge], self.whole.arrays.streets[edge + 1]
        leaves = trunk.arrays.streets[edge]
        found = [np.zeros_like(a) for a in reach[player]]
        for b in range(street.num_boards):
            entering, values = (
                array[edge][leaves.num_leaves * start[b] : leaves.num_leaves * start[b + 1]].reshape(
                    leaves.num_leaves, -1
                )
                for array, start in (
                    (reach[1 - player], leaves.hands[1 - player].start),
                    (found, leaves.hands[player].start),
                )
            )
            for child in range(*street.child_start[b : b + 2]):
                index = [h.parent[h.start[child] : h.start[child + 1]] for h in below.hands]
                h = below.hands[player]
                inside = self.kernel.board_values(
                    self.strategy, player, edge + 1, child, entering[:, index[1 - player]]
                )
                weight = h.up_weight[h.start[child] : h.start[child + 1]]
                for leaf in range(leaves.num_leaves):
                    np.add.at(values[leaf], index[player], weight * inside[leaf])
        return found

    def _continues(self, trunk: PublicTree) -> bool:
        """Return whether the leaves of the trunk are the exits of a street of the whole tree, with the same hands."""
        edge = len(trunk.arrays.streets) - 1
        if edge + 1 >= len(self.whole.arrays.streets):
            return False
        street, leaves = self.whole.arrays.streets[edge], trunk.arrays.streets[edge]
        return np.array_equal(np.flatnonzero(street.kind == CHANCE), np.flatnonzero(leaves.kind == LEAF)) and all(
            np.array_equal(mine.start, theirs.start) and np.array_equal(mine.cards, theirs.cards)
            for mine, theirs in zip(leaves.hands, street.hands, strict=True)
        )
