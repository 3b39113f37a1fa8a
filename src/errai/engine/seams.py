"""The seams of the loop below and above a tree: what users' code answers there is checked in every iteration.

The leaf values, gadgets and roots of this package check what they are given when they are made, or where they ask
users' code, so only those that users wrote are checked in each half of an iteration.  Measurements are checked for all.
"""

from __future__ import annotations

import inspect
from contextlib import AbstractContextManager, nullcontext
from functools import partial
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from errai.engine import leaf_values
from errai.engine.leaf_values import HalfIteration, LeafMeasurement, LeafValues, Pair, checked_leaf_arrays, title_of
from errai.engine.root import Entering, Gadget, Root
from errai.engine.schedules import Schedule
from errai.errors import LeafValuesError, SolverOptionError, SubgameError
from errai.kernels.protocol import LeafArrays
from errai.own_code import faults_named, is_users, numbers_of
from errai.tree.public_tree import PublicTree

WORSE = 1e-9
"""A best response may be worth less than the strategy by this fraction of the initial pot, which is rounding."""

_ROOT = ("entering", "freeze", "learn", "arrays", "adopt", "identity")


# --- below -----------------------------------------------------------------------------------------------------------


def learnt_below(values: LeafValues, trunk: PublicTree, half: HalfIteration) -> LeafArrays:
    """Return what leaf values answer in a player's half of an iteration.

    Raises :class:`LeafValuesError` if their code fails, or if the answer is not finite numbers of the right size.
    """
    if not is_users(values):
        return values.learn(trunk, half)
    with _asked(values, half.reach):
        given = values.learn(trunk, half)
    return checked_leaf_arrays(values, trunk, given, half.player)


def measured_below(
    values: LeafValues, trunk: PublicTree, reach: Pair, *, exact: bool = True, twice: bool = False
) -> LeafMeasurement:
    """Return both players' leaf values for a strategy, as :meth:`LeafValues.measure` does.

    With ``twice`` the values are computed twice, unless they are certain to repeat.  Raises :class:`LeafValuesError` if
    their code fails, if the answer is not finite numbers of the right size, if a best response is worth less than the
    strategy, or if two answers for the same reach differ by more than the values' ``rounding``.
    """
    found = _measured_once(values, trunk, reach, exact)
    if twice and not values.repeats:
        off = found.difference(_measured_once(values, trunk, reach, exact)) / _weight(trunk)
        if off > values.rounding * trunk.initial_pot:
            raise LeafValuesError(
                f"{title_of(values)} answered twice for the same reach, and the answers differ by up to {off:g} chips, "
                "so no certificate would hold.  The same reach must give the same values; if they are not more precise "
                f"than that, set their `rounding` to at least {off / trunk.initial_pot:.2g}, a fraction of the pot."
            )
    return found


def _measured_once(values: LeafValues, trunk: PublicTree, reach: Pair, exact: bool) -> LeafMeasurement:
    with _asked(values, reach):
        given = values.measure(trunk, reach, exact=exact)
    if not isinstance(given, LeafMeasurement):
        raise LeafValuesError(f"{title_of(values)}: measure() must return a LeafMeasurement, not {given!r:.60}.")
    own = _checked_pair(values, trunk, given.values)
    if given.best is given.values:
        return LeafMeasurement(own, own, given.zero_sum)
    best = _checked_pair(values, trunk, given.best)
    if is_users(values):
        least = max(WORSE, values.rounding) * trunk.initial_pot * _weight(trunk)
        for player in (0, 1):
            lost = own[player][-1] - best[player][-1]
            if lost.max(initial=0.0) > least:
                at = int(lost.argmax())
                place = leaf_values.leaf_place(trunk, player, at)
                raise LeafValuesError(
                    f"{title_of(values)}: a best response of player {player} is worth {best[player][-1][at]:g} "
                    f"{place}, which is less than the strategy's {own[player][-1][at]:g}."
                )
    return LeafMeasurement(own, best, given.zero_sum)


def _checked_pair(values: LeafValues, trunk: PublicTree, given: Any) -> Pair:
    if not isinstance(given, list | tuple) or len(given) != 2:
        raise LeafValuesError(f"{title_of(values)}: a measurement has values of two players, not {given!r:.60}.")
    return checked_leaf_arrays(values, trunk, given[0], 0), checked_leaf_arrays(values, trunk, given[1], 1)


def _asked(values: LeafValues, reach: Pair) -> AbstractContextManager[None]:
    """Return a context in which leaf values are asked.  Those of users are given reach that they cannot overwrite."""
    if not is_users(values):
        return nullcontext()
    for array in (*reach[0], *reach[1]):
        array.flags.writeable = False
    return faults_named(title_of(values), LeafValuesError)


def _weight(trunk: PublicTree) -> float:
    """Return the weight of the greater range, by which leaf values grow."""
    return max(1.0, *(float(weights.sum()) for weights in trunk.root.weights))


# --- above -----------------------------------------------------------------------------------------------------------


def apart_of(gadget: Gadget | None, hands: int) -> tuple[NDArray[np.float64], ...]:
    """Return float64[H] each: numbers by which a gadget keeps hands apart, 0 where they are not finite.

    Raises :class:`SolverOptionError` for something that is no gadget, and :class:`SubgameError` for numbers of another
    size or type, and if the gadget's code fails.
    """
    if gadget is None:
        return ()
    if isinstance(gadget, type) or any(
        inspect.getattr_static(gadget, name, None) is None for name in ("apart", "root")
    ):
        hint = f"; write {gadget.__name__}(...)" if isinstance(gadget, type) else ""
        raise SolverOptionError(
            "A gadget is an object with `apart` and `root`, such as those of errai.resolving.gadgets, not "
            f"{gadget!r:.80}{hint}."
        )
    what = f"The numbers in `apart` of {type(gadget).__name__}"
    with faults_named(what, SubgameError):
        rows = list(gadget.apart)
    nothing = np.zeros(hands, dtype=np.bool_)  # A root checks the numbers of the hands that it has.
    found = [numbers_of(row, what, (hands,), read=nothing, error=SubgameError) for row in rows]
    return tuple(np.where(np.isfinite(row), row, 0.0) for row in found)


def root_of(gadget: Gadget, tree: PublicTree, schedule: Schedule) -> Root:
    """Return the root that a gadget makes for a tree; raises :class:`SubgameError` if its code fails."""
    with faults_named(f"The gadget {type(gadget).__name__}", SubgameError):
        return checked_root(gadget.root(tree, schedule), tree)


def checked_root(root: Root, tree: PublicTree) -> Root:
    """Return a root whose answers are checked; those of this package are known to be right.

    Raises :class:`SubgameError` for something that is no root.
    """
    if not is_users(root):
        return root
    missing = [name for name in _ROOT if inspect.getattr_static(root, name, None) is None]
    if isinstance(root, type) or missing:
        lacks = "a class" if isinstance(root, type) else f"{root!r:.60}, which lacks {', '.join(missing)}"
        raise SubgameError(f"The root of a tree must be an object of errai.engine.root.Root, not {lacks}.")
    return cast("Root", _UsersRoot(root, tree))


class _UsersRoot:
    """A root that a user wrote; its answers are checked, and errors of its code name file and line."""

    def __init__(self, root: Root, tree: PublicTree) -> None:
        self._root = root
        self._tree = tree
        self._what = f"The root {type(root).__name__}"

    def __getattr__(self, name: str) -> Any:
        """Return what the user's root has, such as its identity, or a method that asks it."""
        with faults_named(self._what, SubgameError):
            found = getattr(self._root, name)
        return faults_named(self._what, SubgameError)(found) if callable(found) else found

    def entering(self, strategy: str) -> Entering:
        with faults_named(self._what, SubgameError):
            found = self._root.entering(strategy)
        if not isinstance(found, Entering):
            raise SubgameError(f"{self._what}: entering() must return an Entering, not {found!r:.60}.")
        if not isinstance(found.reach, list | tuple) or len(found.reach) != 2:
            raise SubgameError(f"{self._what}: the reach of an Entering is a pair of arrays, not {found.reach!r:.60}.")
        for player, reach in enumerate(found.reach):
            what = f"The weights with which player {player} enters by {self._what[4:]}"
            shape, place = self._tree.arrays.root_reach[player].shape, partial(self._hand, player)
            numbers_of(reach, what, shape, low=0.0, place=place, error=SubgameError)
        numbers_of(found.pair_weight, f"The weights of all pairs by {self._what[4:]}", (), low=0.0, error=SubgameError)
        if not found.pair_weight > 0.0:
            raise SubgameError(f"{self._what}: the weight of all pairs of hands that enter must be above 0.")
        return found

    def _hand(self, player: int, at: int) -> str:
        return f"for {self._tree.root.hand_text(int(self._tree.deal.streets[0].hands[player].hand[at]))}"
