"""The seam below a tree: who says what a public state on its lower edge is worth.

A tree that is cut at the end of a street has leaves.  Whatever stands below them - streamed subgames, a cluster, a
value network, an exact solver - is a :class:`LeafValues`: told what both players bring to the leaves, it says what
they are worth to one of them.  The solve loop knows no more than that, except that what is below may learn as the
trunk does, and may be responded to.  A plain function over real hands becomes one by
:class:`errai.engine.leaf_function.LeafFunction`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
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
    zero_sum: bool = True
    """As :attr:`LeafValues.zero_sum`."""


@dataclass(frozen=True)
class HalfIteration:
    """One player's half of an iteration, as what is below the leaves is told of it."""

    player: int
    """Who learns."""
    learnt: tuple[int, int]
    """How many iterations each player has learnt in before this half."""
    reach: Pair
    """At the leaves."""
    coefficients: NDArray[np.float64]
    """A row, as the kernels take it."""
    weighted: bool
    """As the kernels take it."""


class LeafValues(ABC):
    """What stands below the leaves of a trunk.

    Leaf arrays are flat float64 arrays per street: for every board of the street in order the block ``[num_leaves,
    H_b]`` of a player's hand classes.  Values are net chips, weighted by the opponent's reach and by chance from the
    leaf on; one call is for all leaves.
    """

    name: str = ""
    """Whose values they are, for people and files; '' for those that are a part of the run itself."""
    digest: str | None = None
    """What tells these values from others of the same name, if anything does."""
    zero_sum: bool = True
    """Whether what one player wins by these values the other one loses."""
    depth: int | None = None
    """The round of the game after which they stand, where they are for one alone: there a tree is cut unless it is said
    otherwise."""

    @abstractmethod
    def values(self, trunk: PublicTree, reach: Pair, player: int) -> LeafArrays:
        """One player's counterfactual values at the leaves, where both players bring ``reach``."""

    def learn(self, trunk: PublicTree, half: HalfIteration) -> LeafArrays:
        """One player's half of an iteration below the leaves, and what they were worth to that player in it.

        Either player may come first.  Here nothing learns: the values are those of :meth:`values`.
        """
        return self.values(trunk, half.reach, half.player)

    def measure(self, trunk: PublicTree, reach: Pair, *, exact: bool = True) -> LeafMeasurement:
        """Both players' values and best responses, for exploitability; ``reach`` is that of the measured strategy.

        ``exact=False`` allows sums in float32.  Here what is below is fixed and there is nothing to respond to.
        """
        values = self.values(trunk, reach, 0), self.values(trunk, reach, 1)
        return LeafMeasurement(values, values, self.zero_sum)

    def arrays(self, trunk: PublicTree) -> dict[str, NDArray]:
        """What has been learnt below a trunk, by name, for checkpoints; nothing where it is kept elsewhere."""
        return {}

    def adopt(self, trunk: PublicTree, arrays: Mapping[str, NDArray]) -> None:  # noqa: B027  # most learn nothing
        """Go on with arrays of the same names and sizes as :meth:`arrays`, among others."""


class ZeroLeafValues(LeafValues):
    """Leaves are worth nothing: the double that tests use."""

    name = "zero"

    def values(self, trunk: PublicTree, reach: Pair, player: int) -> LeafArrays:
        """Zeros of the right shapes; see :class:`LeafValues`."""
        return [np.zeros_like(a) for a in reach[player]]


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

    name = "fixed continuation"

    def __init__(self, whole: PublicTree, kernel: Kernel, strategy: Arrays) -> None:
        self.whole = whole
        self.kernel = kernel
        self.strategy = strategy

    def values(self, trunk: PublicTree, reach: Pair, player: int) -> LeafArrays:
        """Exact values of the continuation; see :class:`LeafValues`.  Raises InputError for another tree's trunk."""
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
        """Whether the leaves of the trunk are where a street of the whole tree is closed, with the same hands."""
        edge = len(trunk.arrays.streets) - 1
        if edge + 1 >= len(self.whole.arrays.streets):
            return False
        street, leaves = self.whole.arrays.streets[edge], trunk.arrays.streets[edge]
        return np.array_equal(np.flatnonzero(street.kind == CHANCE), np.flatnonzero(leaves.kind == LEAF)) and all(
            np.array_equal(mine.start, theirs.start) and np.array_equal(mine.cards, theirs.cards)
            for mine, theirs in zip(leaves.hands, street.hands, strict=True)
        )
