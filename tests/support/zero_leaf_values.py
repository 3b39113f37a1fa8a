"""Leaf values of 0, as a test double."""

from __future__ import annotations

import numpy as np

from errai.engine.leaf_values import LeafArrays, LeafValues, Pair
from errai.tree.public_tree import PublicTree


class ZeroLeafValues(LeafValues):
    """Whatever is brought to the leaves, nobody wins anything."""

    name = "zero"

    def values(self, trunk: PublicTree, reach: Pair, player: int) -> LeafArrays:
        """Return zeros of the right shapes."""
        return [np.zeros_like(a) for a in reach[player]]
