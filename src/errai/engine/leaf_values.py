"""Values at the leaves of a depth-limited tree.

A tree that is cut at the end of a street has leaves.  Their values may come from streamed subgames, a cluster, a value
network or an exact solver.  Each of these is a :class:`LeafValues`: given both players' reach at the leaves, it returns
one player's counterfactual values there.  The solve loop knows nothing else about them, except that the subgames below
the leaves may learn as the trunk does, and may be best-responded to.  A plain function over real hands, which need not
know how the solver stores hands, becomes one by :class:`FunctionLeafValues`.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from operator import mul
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from errai.errors import LeafValuesError, SolverOptionError
from errai.kernels.layout import LEAF
from errai.kernels.protocol import COEFFICIENTS, LeafArrays
from errai.own_code import all_finite, faults_named, is_users, numbers_of
from errai.tree.public_tree import PublicTree

_KEPT, _WEIGHT = COEFFICIENTS.index("average"), COEFFICIENTS.index("weight")

BATCH_BYTES = 1 << 28
"""Largest size of the reach that a function is given in one call; a street with more boards takes several calls."""

UNEQUAL = 1e-5
"""Largest difference between values of suit-equivalent hands, as a share of the greatest value on their board."""

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
    """Leaf values that a function returns, see :data:`Function`.

    Its attributes ``name`` and ``digest``, if it has them, identify the values; ``rounding`` is
    :attr:`LeafValues.rounding`.  Suit-equivalent hands have one reach in the solver and therefore one value, the mean
    of their values.
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
        """Return the function's values in hand classes; see :class:`LeafValues`.

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
        # In limit games the sizes of the later raises alone say how much a player can bet.
        game, later = trunk.subject.rules, slice(betting.first_round + last + 1, None)
        most = sum(map(mul, game.max_raises[later], game.raise_sizes[later])) if game.limit else math.inf
        stack = np.minimum(betting.left_to_bet(nodes, trunk.subject.dead_chips), most)
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


def _place(trunk: PublicTree, leaves: Leaves, board: int, line: int, hand: int) -> str:
    """Return the board, the line and the hand of a number that a function returned, in words."""
    return trunk.root.place_text(leaves.boards[board], leaves.lines[line], hand)


class HasLeafValues(Protocol):
    """An object that can make leaf values, such as a value network."""

    def as_leaf_values(self) -> LeafValues:
        """Return leaf values for one solve."""


def as_leaf_values(given: Any, threads: int | None = None) -> LeafValues:
    """Return leaf values from leaf values, from an object that can make them, or from a function.

    Those that are made here use so many ``threads`` if they have a number of threads that nobody has set.

    Raises :class:`SolverOptionError` for anything else, such as a class in the place of an object, and
    :class:`LeafValuesError` if the object fails to make leaf values, or they have an attribute of a wrong type.
    """
    if isinstance(given, type):
        raise SolverOptionError(f"Leaf values are an object; instead of the class write {given.__name__}(...).")
    if not isinstance(given, LeafValues) and hasattr(given, "as_leaf_values"):
        what = f"The leaf values of {type(given).__name__}"
        with faults_named(what, LeafValuesError):
            made = given.as_leaf_values()
        if not isinstance(made, LeafValues):
            raise LeafValuesError(f"{what} must be of errai.LeafValues, but as_leaf_values() returned {made!r:.60}.")
        if threads is not None and getattr(made, "threads", 0) is None:
            made.threads = threads  # type: ignore[attr-defined]
        given = made
    elif callable(given) and not isinstance(given, LeafValues):
        given = FunctionLeafValues(given)
    if not isinstance(given, LeafValues):
        hint = "; errai.nets.below.leaves.NetLeafValues makes leaf values of a value network of your own"
        also = hint if hasattr(given, "on") else ""
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
