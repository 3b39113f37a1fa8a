"""Leaf values from a function over real hands, which need not know how the solver stores hands."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from errai.engine.leaf_values import LeafValues, Pair
from errai.errors import InputError, SolverOptionError
from errai.games.lookahead import dead_chips_of
from errai.kernels.layout import LEAF
from errai.kernels.protocol import LeafArrays
from errai.tree.public_tree import PublicTree

BATCH_BYTES = 1 << 28
"""Largest size of the reach that a function is given in one call; a street with more boards takes several calls."""

UNEQUAL = 1e-5
"""Largest difference between values of suit-equivalent hands, as a share of the greatest value on their board."""


@dataclass(frozen=True, eq=False)
class Leaves:
    """The leaves of a depth-limited tree: all lines that close its last street, on all boards, for one player.

    Axes: B boards, L lines, H all hands of the deck in hand-index order (:func:`errai.cards.hands.hand_cards`).
    """

    player: int
    """The player whose values are asked for."""
    round: int
    """The round of the game after which the tree is cut."""
    boards: NDArray[np.int64]
    """int64[B, n]: the cards on the table.  A board represents all boards that are equal to it up to suits."""
    lines: tuple[str, ...]
    """L texts: the actions from the root."""
    pot_chips: NDArray[np.float64]
    """float64[L]."""
    contribution_chips: NDArray[np.float64]
    """float64[L]: the chips that each player has put in, which is half of the pot; half of a spot's pot is included."""
    stack_chips: NDArray[np.float64]
    """float64[L]: the chips that each player can still bet."""
    reach: NDArray[np.float64]
    """float64[2, B, L, H]: weight in the root's range times the probability of the player's own actions; 0 for hands
    that share a card with the board.
    """


Function = Callable[[Leaves], ArrayLike]
"""Returns counterfactual values in chips, float64[B, L, H], for the player of :class:`Leaves`.

A value is net chips over the whole hand (each player has put in half of a spot's pot), summed over the opponent's hands
that share no card with the own one, weighted by their reach, and averaged over the cards to come.  Values of hands that
share a card with the board are not read."""


class LeafFunction(LeafValues):
    """Leaf values that a function returns.

    Suit-equivalent hands have one reach in the solver and therefore one value, the mean of their values.

    Parameters
    ----------
    function:
        See :data:`Function`.  Its attributes ``name`` and ``digest``, if it has them, identify the values.
    """

    zero_sum = False

    def __init__(self, function: Function) -> None:
        self.function = function
        default = getattr(function, "__name__", type(function).__name__)
        self.name = str(getattr(function, "name", default))
        digest = getattr(function, "digest", None)
        self.digest = None if digest is None else str(digest)

    def values(self, trunk: PublicTree, reach: Pair, player: int) -> LeafArrays:
        """Return the function's values in hand classes; see :class:`errai.engine.leaf_values.LeafValues`.

        Raises :class:`InputError` for an array of another shape, numbers that are not finite, and values that differ
        for suit-equivalent hands.
        """
        last = len(trunk.deal.streets) - 1
        hands, count = trunk.deal.streets[last].hands[player], trunk.arrays.streets[last].num_leaves
        found = [np.zeros_like(a) for a in reach[player]]
        for leaves, boards in self._batches(trunk, reach, player):
            given = np.asarray(self.function(leaves), dtype=np.float64)
            if given.shape != leaves.reach.shape[1:]:
                raise InputError(
                    f"The leaf values {self.name!r} have the shape {given.shape}, not {leaves.reach.shape[1:]}: "
                    "boards, lines, and all hands of the deck."
                )
            for values, b in zip(given, boards, strict=True):
                first, end = int(hands.start[b]), int(hands.start[b + 1])
                starts = hands.member_start[first : end + 1]
                members = hands.member[starts[0] : starts[-1]]
                sizes, rows = np.diff(starts), values[:, members]
                if not np.isfinite(rows).all():
                    raise InputError(f"The leaf values {self.name!r} hold numbers that are not finite.")
                means = np.add.reduceat(rows, starts[:-1] - starts[0], axis=1) / sizes
                off = np.abs(rows - np.repeat(means, sizes, axis=1)).max(initial=0.0)
                if off > UNEQUAL * np.abs(rows).max(initial=0.0):
                    raise InputError(
                        f"The leaf values {self.name!r} differ for hands that suits make equal on "
                        f"{trunk.root.deck.cards_text(tuple(leaves.boards[0]))}; give such hands the same value."
                    )
                found[last][count * first : count * end] = means.ravel()
        return found

    def _batches(self, trunk: PublicTree, reach: Pair, player: int) -> Iterator[tuple[Leaves, range]]:
        """Yield the boards with their leaves, as many at a time as there is memory for."""
        last, betting, size = len(trunk.deal.streets) - 1, trunk.betting, len(trunk.root.hands)
        street = np.asarray(betting.street_nodes(last))
        nodes = street[betting.kind[street] == LEAF]
        level = trunk.deal.streets[last]
        contribution = betting.contributions[nodes, 0]
        lines = tuple(" ".join(betting.path(int(node))) for node in nodes)
        together = max(1, BATCH_BYTES // (2 * 8 * max(1, len(nodes)) * size))
        for begin in range(0, len(level.boards), together):
            boards = range(begin, min(begin + together, len(level.boards)))
            both = np.zeros((2, len(boards), len(nodes), size))
            for p, hands in enumerate(level.hands):
                for i, b in enumerate(boards):
                    first, end = int(hands.start[b]), int(hands.start[b + 1])
                    starts = hands.member_start[first : end + 1]
                    block = reach[p][last][len(nodes) * first : len(nodes) * end].reshape(len(nodes), -1)
                    both[p, i][:, hands.member[starts[0] : starts[-1]]] = np.repeat(block, np.diff(starts), axis=1)
            yield (
                Leaves(
                    player=player,
                    round=betting.first_round + last,
                    boards=level.boards[boards.start : boards.stop].astype(np.int64),
                    lines=lines,
                    pot_chips=2.0 * contribution,
                    contribution_chips=contribution,
                    stack_chips=betting.all_in_total + dead_chips_of(trunk.subject) - contribution,
                    reach=both,
                ),
                boards,
            )


class HasLeafValues(Protocol):
    """An object that can make leaf values, such as a value network."""

    def as_leaf_values(self) -> LeafValues:
        """Return leaf values for one solve."""


def as_leaf_values(given: Any) -> LeafValues:
    """Return leaf values from leaf values, from an object that can make them, or from a function.

    Raises :class:`SolverOptionError` for anything else.
    """
    if isinstance(given, LeafValues):
        return given
    if hasattr(given, "as_leaf_values"):
        return as_leaf_values(given.as_leaf_values())
    if callable(given):
        return LeafFunction(given)
    raise SolverOptionError(
        f"Leaf values are a function of errai.Leaves, an object of errai.LeafValues, or a network, not {given!r:.80}."
    )
