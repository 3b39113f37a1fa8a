"""Leaf values from a function over real hands, which need not know how the solver stores hands."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from operator import mul
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from errai.engine.leaf_values import LeafValues, Pair, title_of
from errai.errors import LeafValuesError, SolverOptionError
from errai.kernels.layout import LEAF
from errai.kernels.protocol import LeafArrays
from errai.own_code import faults_named, numbers_of
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
    """float64[L]: the most chips that each player can still bet: what is left of the shorter stack, and in limit games
    at most what all raises of the later rounds come to."""
    reach: NDArray[np.float64]
    """float64[2, B, L, H]: weight in the root's range times the probability of the player's own actions; 0 for hands
    that share a card with the board.
    """


Function = Callable[[Leaves], ArrayLike]
"""Returns counterfactual values in chips, float64[B, L, H], for the player of :class:`Leaves`.

A value is net chips over the whole hand (each player has put in half of a spot's pot), summed over the opponent's hands
that share no card with the own one, weighted by their reach, and averaged over the cards to come.  Values of hands that
share a card with the board are not read."""


class FunctionLeafValues(LeafValues):
    """Leaf values that a function returns.

    Suit-equivalent hands have one reach in the solver and therefore one value, the mean of their values.

    Parameters
    ----------
    function:
        See :data:`Function`.  Its attributes ``name`` and ``digest``, if it has them, identify the values;
        ``rounding`` is :attr:`errai.engine.leaf_values.LeafValues.rounding`.
    """

    zero_sum = False
    repeats = False

    def __init__(self, function: Function) -> None:
        self.function = function
        default = getattr(function, "__name__", type(function).__name__)
        self.name = str(getattr(function, "name", default))
        digest = getattr(function, "digest", None)
        self.digest = None if digest is None else str(digest)
        self.rounding = getattr(function, "rounding", LeafValues.rounding)

    def values(self, trunk: PublicTree, reach: Pair, player: int) -> LeafArrays:
        """Return the function's values in hand classes; see :class:`errai.engine.leaf_values.LeafValues`.

        Raises :class:`LeafValuesError` for an array of another shape, numbers that are not finite, and values that
        differ for suit-equivalent hands.
        """
        last = len(trunk.deal.streets) - 1
        hands, count = trunk.deal.streets[last].hands[player], trunk.arrays.streets[last].num_leaves
        what = f"{title_of(self)} for player {player}"
        found = [np.zeros_like(a) for a in reach[player]]
        for leaves, boards in self._batches(trunk, reach, player):
            with faults_named(what, LeafValuesError):
                answer = self.function(leaves)
            held = [hands.member[slice(*hands.member_start[hands.start[b : b + 2]])] for b in boards]
            read = np.zeros((len(boards), 1, leaves.reach.shape[-1]), dtype=np.bool_)
            for i, members in enumerate(held):
                read[i, :, members] = True
            place = partial(_place, trunk, leaves)
            shape = leaves.reach.shape[1:]
            given = numbers_of(answer, what, shape, read=read, place=place, error=LeafValuesError)
            for i, (values, b, members) in enumerate(zip(given, boards, held, strict=True)):
                first, end = int(hands.start[b]), int(hands.start[b + 1])
                starts = hands.member_start[first : end + 1]
                sizes, rows = np.diff(starts), values[:, members]
                means = np.add.reduceat(rows, starts[:-1] - starts[0], axis=1) / sizes
                off = np.abs(rows - np.repeat(means, sizes, axis=1))
                if off.max(initial=0.0) > UNEQUAL * np.abs(rows).max(initial=0.0):
                    line, at = np.unravel_index(off.argmax(), off.shape)
                    group = np.repeat(np.arange(len(sizes)), sizes) == np.repeat(np.arange(len(sizes)), sizes)[at]
                    least, most = (members[group][int(f(rows[line, group]))] for f in (np.argmin, np.argmax))
                    raise LeafValuesError(
                        f"{what} are {values[line, least]:g} {place(i, line, least)} and {values[line, most]:g} for "
                        f"{trunk.root.hand_text(most)}; suits make these hands "
                        "equal, so give them the same value."
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
        stack = np.minimum(betting.left_to_bet(nodes, trunk.subject.dead_chips), _raises_after(trunk, last))
        for array in (contribution, stack):
            array.flags.writeable = False  # Several calls share them.
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
                    stack_chips=stack,
                    reach=both,
                ),
                boards,
            )


def _raises_after(trunk: PublicTree, street: int) -> float:
    """Return the most chips that a player can bet after a street by the sizes of the raises alone."""
    game, later = trunk.subject.rules, slice(trunk.betting.first_round + street + 1, None)
    return sum(map(mul, game.max_raises[later], game.raise_sizes[later])) if game.limit else math.inf


def _place(trunk: PublicTree, leaves: Leaves, board: int, line: int, hand: int) -> str:
    """Return the board, the line and the hand of a number that a function returned, in words."""
    return trunk.root.place_text(leaves.boards[board], leaves.lines[line], hand)


class HasLeafValues(Protocol):
    """An object that can make leaf values, such as a value network."""

    def as_leaf_values(self) -> LeafValues:
        """Return leaf values for one solve."""


def as_leaf_values(given: Any) -> LeafValues:
    """Return leaf values from leaf values, from an object that can make them, or from a function.

    Raises
    ------
    SolverOptionError
        It is none of these, or a class in the place of an object.
    LeafValuesError
        The object fails to make leaf values, or they have an attribute of a wrong type.
    """
    if isinstance(given, type):
        raise SolverOptionError(f"Leaf values are an object; instead of the class write {given.__name__}(...).")
    if not isinstance(given, LeafValues) and hasattr(given, "as_leaf_values"):
        what = f"The leaf values of {type(given).__name__}"
        with faults_named(what, LeafValuesError):
            made = given.as_leaf_values()
        if not isinstance(made, LeafValues):
            raise LeafValuesError(f"{what} must be of errai.LeafValues, but as_leaf_values() returned {made!r:.60}.")
        given = made
    elif callable(given) and not isinstance(given, LeafValues):
        given = FunctionLeafValues(given)
    if not isinstance(given, LeafValues):
        also = (
            "; errai.nets.below.leaves.NetLeafValues makes leaf values of a value network of your own"
            if hasattr(given, "on")
            else ""
        )
        raise SolverOptionError(
            "Leaf values are a function of errai.Leaves, an object of errai.LeafValues, or a network, not "
            f"{given!r:.80}{also}."
        )
    if not isinstance(given.name, str) or not isinstance(given.digest, str | None):
        raise LeafValuesError(
            f"{title_of(given)} must have a text as `name`, and a text or None as `digest`, not {given.name!r:.60} and "
            f"{given.digest!r:.60}."
        )
    numbers_of(given.rounding, f"The `rounding` of {given.name!r} must be", (), low=0.0, error=LeafValuesError)
    return given
