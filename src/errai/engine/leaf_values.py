"""The one seam of the engine: who says what a public state on the boundary of the tree is worth.

A tree that is cut at the end of a street has leaves.  Whatever stands below them - streamed subgames, a cluster, a
value network, an exact solver - is a :class:`LeafValues`: given the boundary and what both players bring there, it
returns both players' counterfactual values.  The solve loop knows no more than that, except that what is below may
learn as the trunk does, and may be responded to.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from errai.errors import InputError
from errai.kernels.layout import CHANCE, LEAF
from errai.kernels.protocol import Arrays, Kernel, LeafArrays
from errai.tree.public_tree import PublicTree

Pair = tuple[LeafArrays, LeafArrays]
"""Leaf arrays of player 0 and of player 1."""


@dataclass(frozen=True)
class LeafMeasurement:
    """What leaves are worth to each player against the other one's strategy below them."""

    values: Pair
    """With the own strategy as it is."""
    best: Pair
    """With a best response; the same where what is below cannot be responded to."""


class LeafValues(ABC):
    """What stands below the leaves of ``trunk``."""

    @abstractmethod
    def __call__(self, trunk: PublicTree, reach: Pair) -> Pair:
        """Both players' counterfactual values at the leaves.

        ``reach[p][s]`` and the result are flat float64 arrays per street: for every board of street ``s`` in order
        the block ``[num_leaves, H_b]`` of player ``p``'s hand classes.  Values are net chips, weighted by the
        opponent's reach and by chance from the leaf on.
        """

    def learn(
        self, trunk: PublicTree, reach: Pair, player: int, coefficients: NDArray[np.float64], *, weighted: bool
    ) -> LeafArrays:
        """One player's half of an iteration below the leaves, and what they were worth to that player in it.

        ``coefficients`` is one row, as the kernels take it.  Here nothing learns: the values are those of a call.
        """
        return self(trunk, reach)[player]

    def measure(self, trunk: PublicTree, reach: Pair, *, exact: bool = True) -> LeafMeasurement:
        """Values and best responses, for exploitability.  ``reach`` is that of the trunk's average strategy.

        ``exact=False`` allows sums in float32.  Here what is below is fixed and there is nothing to respond to.
        """
        values = self(trunk, reach)
        return LeafMeasurement(values, values)


class ZeroLeafValues(LeafValues):
    """Leaves are worth nothing: the double that tests use."""

    def __call__(self, trunk: PublicTree, reach: Pair) -> Pair:
        """Zeros of the right shapes; see :class:`LeafValues`."""
        zeros = [[np.zeros_like(a) for a in player] for player in reach]
        return zeros[0], zeros[1]


class FixedContinuation(LeafValues):
    """Below the leaves both players follow a strategy of the whole tree, exactly evaluated.

    Parameters
    ----------
    whole:
        The tree of which the trunk is the upper part: same subject, no leaves.
    kernel:
        A kernel of ``whole``.
    strategy:
        Arrays of ``whole``; only the streets below the trunk are read.
    """

    def __init__(self, whole: PublicTree, kernel: Kernel, strategy: Arrays) -> None:
        self.whole = whole
        self.kernel = kernel
        self.strategy = strategy

    def __call__(self, trunk: PublicTree, reach: Pair) -> Pair:
        """Exact values of the continuation; see :class:`LeafValues`.  Raises InputError for another tree's trunk."""
        edge = len(trunk.arrays.streets) - 1
        if not self._continues(trunk):
            raise InputError("The trunk is not the upper part of the tree whose continuation this is.")
        street, below = self.whole.arrays.streets[edge], self.whole.arrays.streets[edge + 1]
        leaves = trunk.arrays.streets[edge]
        values = tuple([np.zeros_like(a) for a in player] for player in reach)
        for b in range(street.num_boards):
            blocks = [
                array[edge][leaves.num_leaves * h.start[b] : leaves.num_leaves * h.start[b + 1]].reshape(
                    leaves.num_leaves, -1
                )
                for array, h in zip((*reach, *values), leaves.hands * 2, strict=True)
            ]
            for child in range(*street.child_start[b : b + 2]):
                index = [h.parent[h.start[child] : h.start[child + 1]] for h in below.hands]
                for p in (0, 1):
                    h = below.hands[p]
                    entering = blocks[1 - p][:, index[1 - p]]
                    inside = self.kernel.board_values(self.strategy, p, edge + 1, child, entering)
                    weight = h.up_weight[h.start[child] : h.start[child + 1]]
                    for leaf in range(leaves.num_leaves):
                        np.add.at(blocks[2 + p][leaf], index[p], weight * inside[leaf])
        return values[0], values[1]

    def _continues(self, trunk: PublicTree) -> bool:
        """Whether the leaves of the trunk are where a street of the whole tree is closed, with the same hands."""
        edge = len(trunk.arrays.streets) - 1
        if edge + 1 >= len(self.whole.arrays.streets):
            return False
        street, leaves = self.whole.arrays.streets[edge], trunk.arrays.streets[edge]
        return np.array_equal(np.flatnonzero(street.kind == CHANCE), np.flatnonzero(leaves.kind == LEAF)) and all(
            np.array_equal(mine.start, theirs.start) and np.array_equal(mine.cards, theirs.cards)
            for mine, theirs in zip(leaves.hands, street.hands, strict=True)
        )
