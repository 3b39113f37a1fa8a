"""Values at the leaves of a depth-limited tree.

A tree that is cut at the end of a street has leaves.  Their values may come from streamed subgames, a cluster, a value
network or an exact solver.  Each of these is a :class:`LeafValues`: given both players' reach at the leaves, it returns
one player's counterfactual values there.  The solve loop knows nothing else about them, except that the subgames below
the leaves may learn as the trunk does, and may be best-responded to.  A plain function over real hands
becomes one by :class:`errai.engine.leaf_function.FunctionLeafValues`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from errai.errors import LeafValuesError
from errai.kernels.layout import LEAF
from errai.kernels.protocol import COEFFICIENTS, LeafArrays
from errai.own_code import all_finite, is_users, numbers_of
from errai.tree.public_tree import PublicTree

_KEPT, _WEIGHT = COEFFICIENTS.index("average"), COEFFICIENTS.index("weight")

Pair = tuple[LeafArrays, LeafArrays]
"""The leaf arrays of player 0 and of player 1."""


@dataclass(frozen=True)
class LeafMeasurement:
    """Values of the leaves for each player against the other player's strategy below them."""

    values: Pair
    """The values of the player's own strategy."""
    best: Pair
    """The values of a best response; equal to ``values`` if no best response below the leaves is possible."""
    zero_sum: bool = True
    """The same as :attr:`LeafValues.zero_sum`."""

    def difference(self, other: LeafMeasurement) -> float:
        """Return the greatest difference from the values of another measurement of the same leaves."""
        both = zip((*self.values, *self.best), (*other.values, *other.best), strict=True)
        # All leaves are on the last street.
        return max(float(np.abs(mine[-1] - theirs[-1]).max(initial=0.0)) for mine, theirs in both)


@dataclass(frozen=True)
class HalfIteration:
    """The data of one player's half of an iteration that the leaf values are given."""

    player: int
    """The player who learns."""
    learnt: tuple[int, int]
    """The number of iterations in which each player has learnt before this half."""
    reach: Pair
    """Both players' reach at the leaves."""
    coefficients: NDArray[np.float64]
    """One row of coefficients, as the kernels take it."""
    weighted: bool
    """Whether reach weights the average, as the kernels take it."""

    @property
    def kept(self) -> float:
        """The factor for what the average strategy has summed up before."""
        return float(self.coefficients.flat[_KEPT])

    @property
    def weight(self) -> float:
        """The weight of this iteration in the average strategy."""
        return float(self.coefficients.flat[_WEIGHT])


@dataclass(frozen=True, eq=False)
class LeafHistory:
    """The reach from which the values of a run's iterations were computed, at the leaves of a street with one board.

    Values that are averaged over the iterations can be computed again from it, also on a board that comes after a leaf.
    """

    reach: tuple[NDArray[np.float32], NDArray[np.float32]]
    """float32[E, L, C] by player: evaluations of the values, leaves, and the player's hand classes."""
    weights: NDArray[np.float64]
    """float64[E, P]: what an evaluation counts in the mean of each player's values; they sum to 1 for a player."""


class LeafValues(ABC):
    """The source of the values at the leaves of a trunk.

    Leaf arrays are flat float64 arrays per street: for every board of the street in order the block
    ``[num_leaves, H_b]`` of a player's hand classes.  Values are net chips, weighted by the opponent's reach and by
    chance from the leaf on.  One call covers all leaves.
    """

    name: str = ""
    """Name of the source, for messages and files; '' if it is part of the run itself."""
    digest: str | None = None
    """A digest that distinguishes these values from others of the same name, if there is one."""
    zero_sum: bool = True
    """Whether one player's gain by these values is always the other player's loss."""
    rounding: float = 1e-9
    """How far two computations of these values may be apart, on whatever machines, as a fraction of the initial pot.

    Before a strategy is certified the values are computed twice, and refused if they differ by more; not if they are
    certain to repeat (:attr:`repeats`).
    """
    keeps_history: bool = False
    """Whether :attr:`history` is wanted; sources that have none ignore this."""

    @property
    def repeats(self) -> bool:
        """Whether the same reach is certain to give the same values, so that they need not be computed twice."""
        return not is_users(self)

    @property
    def history(self) -> LeafHistory | None:
        """The reach in all iterations of the run, if it was wanted from its first iteration on; else None."""
        return None

    depth: int | None = None
    """The round of the game after which the values apply, if they apply to a single one;
    trees are cut there by default.
    """

    @abstractmethod
    def values(self, trunk: PublicTree, reach: Pair, player: int) -> LeafArrays:
        """Return one player's counterfactual values at the leaves, given both players' ``reach``."""

    def learn(self, trunk: PublicTree, half: HalfIteration) -> LeafArrays:
        """Run one player's half of an iteration below the leaves, and return that player's values in it.

        Either player may come first.  This default learns nothing and returns :meth:`values`.
        """
        return self.values(trunk, half.reach, half.player)

    def measure(self, trunk: PublicTree, reach: Pair, *, exact: bool = True) -> LeafMeasurement:
        """Return both players' values and best responses for the reach of a measured strategy.

        ``exact=False`` allows sums in float32.  This default has fixed values, so a best response equals them.
        """
        found = []
        for p in (0, 1):
            arrays = checked_leaf_arrays(self, trunk, self.values(trunk, reach, p), p)
            # Code that keeps one array for all of its answers would overwrite the first answer by the second.
            found.append([array.copy() for array in arrays])
        first, second = found
        return LeafMeasurement((first, second), (first, second), self.zero_sum)

    def arrays(self, trunk: PublicTree) -> dict[str, NDArray[Any]]:
        """Return all arrays learnt below a trunk, by name, for checkpoints; empty if they are kept elsewhere."""
        return {}

    def adopt(self, trunk: PublicTree, arrays: Mapping[str, NDArray[Any]]) -> None:  # noqa: B027  # most learn nothing
        """Continue with arrays of the same names and sizes as :meth:`arrays`; the mapping may have others too."""


def title_of(values: LeafValues) -> str:
    """Return what messages call leaf values: by their name if they have one."""
    return f"The leaf values {values.name!r}" if values.name else f"The leaf values of {type(values).__name__}"


def checked_leaf_arrays(values: LeafValues, trunk: PublicTree, given: Any, player: int) -> LeafArrays:
    """Return a player's leaf arrays, which leaf values gave, after checking them.

    Raises :class:`LeafValuesError` unless there is an array of finite numbers of the right size for each street.
    """
    if not is_users(values) and all_finite(given[-1]):
        return list(given)  # Their sizes are known to be right.
    streets = trunk.arrays.streets
    if not isinstance(given, list | tuple) or len(given) != len(streets):
        count = f"{len(given)} entries" if isinstance(given, list | tuple) else f"{given!r:.60}"
        raise LeafValuesError(
            f"{title_of(values)} are a list of {len(streets)} arrays, one for each street of the tree, not {count}."
        )
    what = f"{title_of(values)} for player {player}"
    return [
        numbers_of(
            array,
            what,
            (street.num_leaves * int(street.hands[player].start[-1]),),
            place=lambda at: leaf_place(trunk, player, at),
            error=LeafValuesError,
        )
        for array, street in zip(given, streets, strict=True)
    ]


def leaf_place(trunk: PublicTree, player: int, at: int) -> str:
    """Return the board, the line and the hand of a number in a player's leaf array of the last street, in words."""
    last, count = len(trunk.deal.streets) - 1, trunk.arrays.streets[-1].num_leaves
    level, betting = trunk.deal.streets[last], trunk.betting
    hands = level.hands[player]
    board = int(np.searchsorted(count * hands.start, at, side="right")) - 1
    first, end = int(hands.start[board]), int(hands.start[board + 1])
    leaf, own = divmod(at - count * first, end - first)
    street = np.asarray(betting.street_nodes(last))
    line = " ".join(betting.path(int(street[betting.kind[street] == LEAF][leaf])))
    return trunk.root.place_text(level.boards[board], line, int(hands.member[hands.member_start[first + own]]))
