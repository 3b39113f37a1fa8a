"""The seam above a tree: what enters at its root, and what may be refused there.

At the root of a game or a spot both players enter with their ranges.  A tree that is solved again while playing has
more above it: reach of its own, and an opponent who need not enter.  In the gadget of Burch, Johanson and Bowling,
"Solving imperfect information games using decomposition" (AAAI 2014), the opponent chooses for each hand between
*following* into the tree and an *alternative* of known value.  A strategy that solves this game gives no hand of his
more than its alternative, if that can be: played below, it exploits nothing away that the values above rest on.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from errai.cards.hands import fitting_weights
from errai.engine.schedules import Schedule
from errai.errors import InputError, SolverOptionError
from errai.kernels.protocol import COEFFICIENTS, RootReach, matched
from errai.tree.public_tree import PublicTree


@dataclass(frozen=True, eq=False)
class Entering:
    """What both players bring to the one board and line at a root, when they follow some strategy there."""

    tree: PublicTree
    reach: RootReach
    """float64[H_p] each, of one hand of every class."""
    pair_weight: float
    """Weight of all pairs of hands that fit together: what values are divided by to be chips per hand."""

    def chips(self, values: NDArray[np.float64], player: int, *, best: bool) -> float:
        """Net chips per hand of a player whose counterfactual values at the root are float64[H_player].

        ``best`` lets the player choose best at the root too.
        """
        return float((self.reach[player] * self.tree.class_sizes[player]) @ values) / self.pair_weight


class Root(Protocol):
    """What stands above a tree."""

    def entering(self, strategy: str) -> Entering:
        """What enters under the ``average`` or the ``current`` strategy, or the one ``played`` in this iteration."""

    @property
    def identity(self) -> dict[str, Any]:
        """What must agree for two runs to be the same."""

    def freeze(self) -> None:
        """Called when an iteration begins: with simultaneous updates, what is played stays until it ends."""

    def learn(self, player: int, values: NDArray[np.float64], coefficients: NDArray[np.float64]) -> None:
        """One player's half of an iteration at the root: float64[H_player], what following was worth in it.

        ``coefficients`` is one row, as the kernels take it.
        """

    def arrays(self) -> dict[str, NDArray]:
        """What has been learnt, by name, for checkpoints."""
        return {}

    def adopt(self, arrays: Mapping[str, NDArray]) -> None:
        """Go on with arrays of the same names and sizes as :meth:`arrays`."""


class Gadget(Protocol):
    """What is to stand above a tree before there is one: the ``gadget`` of :func:`errai.solve`.

    :mod:`errai.resolving.gadgets` has those of the literature.
    """

    @property
    def apart(self) -> tuple[NDArray[np.float64], ...]:
        """float64[H] each: numbers in which hands differ that the tree may not merge."""

    def root(self, tree: PublicTree, schedule: Schedule) -> Root:
        """What stands above a tree, to be learnt with the run's own schedule.

        Raises :class:`InputError` or :class:`SolverOptionError` where it does not fit the tree.
        """


class GivenReach(Root):
    """Both players enter with the reach that is given, and nothing is refused.

    Parameters
    ----------
    tree:
        Whose hands are meant; reach must be equal for hands that it merges.
    ranges:
        float64[H] each, over all hands of the deck in hand-index order; not negative, 0 where the tree's range is.

    Raises
    ------
    InputError
        The ranges are of other sizes, negative, not finite, hold hands that the tree does not have or merges though
        they differ, or no two of their hands fit together.
    """

    def __init__(self, tree: PublicTree, ranges: tuple[NDArray[np.float64], NDArray[np.float64]]) -> None:
        given = tuple(checked_hands(ranges[p], tree, f"the range of player {p}") for p in (0, 1))
        for p in (0, 1):
            if (given[p] < 0).any() or ((tree.root.weights[p] <= 0) & (given[p] > 0)).any():
                raise InputError(f"The range of player {p} holds hands that the tree does not, or a negative weight.")
        weight = float(given[0] @ fitting_weights(tree.root.hands, given[1]))
        if not weight > 0.0:
            raise InputError("Every hand of one range collides with every hand of the other.")
        self._entering = Entering(tree, (in_classes(given[0], tree, 0), in_classes(given[1], tree, 1)), weight)

    def entering(self, strategy: str) -> Entering:
        """What was given; see :class:`Root`."""
        return self._entering

    @property
    def identity(self) -> dict[str, Any]:
        """See :attr:`Root.identity`."""
        return {"reach": digest_of(*self._entering.reach)}


@dataclass(frozen=True, eq=False)
class Refusing(Entering):
    """As :class:`Entering`, where one player may refuse to enter, hand by hand."""

    opponent: int
    alternatives: NDArray[np.float64]
    """float64[H_opponent]: counterfactual values of refusing."""
    follows: NDArray[np.float64]
    """float64[H_opponent]: probability of following."""

    @classmethod
    def of(
        cls, tree: PublicTree, opponent: int, alternatives: NDArray[np.float64], follows: NDArray[np.float64]
    ) -> Refusing:
        """What enters at a tree's root when the opponent follows with these probabilities."""
        reach = list(tree.arrays.root_reach)
        reach[opponent] = reach[opponent] * follows
        return cls(tree, (reach[0], reach[1]), tree.pair_weight, opponent, alternatives, follows)

    def chips(self, values: NDArray[np.float64], player: int, *, best: bool) -> float:
        """As :meth:`Entering.chips`; what is refused counts too, with the opposite sign for the other player."""
        o = self.opponent
        weight = self.tree.arrays.root_reach[o] * self.tree.class_sizes[o]
        if player != o:
            refused = float((weight * (1.0 - self.follows)) @ self.alternatives)
            return super().chips(values, player, best=best) - refused / self.pair_weight
        mixed = self.follows * values + (1.0 - self.follows) * self.alternatives
        return float(weight @ (np.maximum(values, self.alternatives) if best else mixed)) / self.pair_weight


class Alternatives(Root):
    """The opponent may refuse to enter, for a known value of each hand: the re-solving gadget; see the module.

    What the opponent does at the root is learnt by regret matching, with the coefficients of the run's own schedule.

    Parameters
    ----------
    tree:
        What is solved; its ranges enter, the opponent's as far as he follows.
    schedule:
        The variant: whether it predicts, and whether updates are simultaneous.
    opponent:
        Who may refuse.
    values:
        float64[H] over all hands of the deck: counterfactual values of refusing, in chips, as
        :attr:`errai.Solution.root_values` gives them: weighted by the other player's range as it enters.

    Raises
    ------
    InputError
        The values are of another size, not finite for a hand of the opponent's, or differ for hands that are merged.
    SolverOptionError
        The game is not zero-sum.
    """

    def __init__(self, tree: PublicTree, schedule: Schedule, opponent: int, values: NDArray[np.float64]) -> None:
        if tree.betting.rake_chips is not None or (tree.locks is not None and tree.locks.has_best):
            raise SolverOptionError("An opponent may refuse only where what one player wins the other one loses.")
        given = checked_hands(values, tree, "the opponent's values", tree.root.weights[opponent] > 0)
        self.tree = tree
        self.opponent = opponent
        self.alternatives = in_classes(given, tree, opponent)
        shape = (2, len(self.alternatives))  # following, refusing
        self._regrets, self._sums = np.zeros(shape), np.zeros(shape)
        self._predicted = np.zeros(shape) if schedule.predictive else None
        self._frozen = np.zeros(shape) if schedule.simultaneous else None

    @property
    def identity(self) -> dict[str, Any]:
        """See :attr:`Root.identity`."""
        return {"opponent": self.opponent, "values": digest_of(self.alternatives)}

    def entering(self, strategy: str) -> Refusing:
        """See :class:`Root`."""
        return Refusing.of(self.tree, self.opponent, self.alternatives, self._matched(strategy)[0])

    def freeze(self) -> None:
        """See :class:`Root`."""
        if self._frozen is not None:
            self._frozen[...] = self._source

    def learn(self, player: int, values: NDArray[np.float64], coefficients: NDArray[np.float64]) -> None:
        """Nothing for the other player; see :class:`Root`."""
        if player != self.opponent:
            return
        row = dict(zip(COEFFICIENTS, np.asarray(coefficients).tolist(), strict=True))
        strategy, worth = self._matched("played"), np.stack([values, self.alternatives])
        gain = worth - (strategy * worth).sum(axis=0)
        summed = self._regrets + gain
        self._regrets[...] = np.where(summed > 0.0, row["positive"], row["negative"]) * summed
        self._sums[...] = row["average"] * self._sums + row["weight"] * strategy
        if self._predicted is not None:
            self._predicted[...] = self._regrets + row["prediction"] * gain

    def arrays(self) -> dict[str, NDArray]:
        """See :class:`Root`."""
        found = {"root/regrets": self._regrets, "root/sums": self._sums}
        return found if self._predicted is None else {**found, "root/predicted": self._predicted}

    def adopt(self, arrays: Mapping[str, NDArray]) -> None:
        """See :class:`Root`."""
        for name, own in self.arrays().items():
            own[...] = arrays[name]

    @property
    def _source(self) -> NDArray[np.float64]:
        return self._regrets if self._predicted is None else self._predicted

    def _matched(self, strategy: str) -> NDArray[np.float64]:
        if strategy == "average":
            return matched(self._sums)
        played = strategy == "played" and self._frozen is not None
        source = self._frozen if played and self._frozen is not None else self._source
        return matched(source, self.tree.arrays.tie)


def checked_hands(given: Any, tree: PublicTree, what: str, of: NDArray[np.bool_] | None = None) -> NDArray[np.float64]:
    """float64[H]: a number for each hand of the deck, finite for the hands ``of``, and 0 for those that are not.

    Raises :class:`InputError`.
    """
    try:
        found = np.asarray(given, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InputError(f"There must be a number for each hand in {what}: {error}.") from error
    if found.shape != (len(tree.root.hands),):
        raise InputError(
            f"There must be a number for each of the {len(tree.root.hands):,} hands of the deck in {what}, not an "
            f"array of the shape {found.shape}."
        )
    found = found if of is None else np.where(of, found, 0.0)
    if not np.isfinite(found).all():
        raise InputError(f"There is a number in {what} that is not finite.")
    return found


def in_classes(given: NDArray[np.float64], tree: PublicTree, player: int) -> NDArray[np.float64]:
    """float64[H_player]: numbers of hands as numbers of the classes of the root's board.

    Raises :class:`InputError` where hands are merged though they differ.
    """
    hands = tree.deal.streets[0].hands[player]
    found = given[hands.hand]
    if not np.array_equal(np.repeat(found, np.diff(hands.member_start)), given[hands.member]):
        raise InputError(
            "Hands that the tree merges differ in what they are given at the root; plan it with them apart."
        )
    return found


def in_hands(values: NDArray[np.float64], tree: PublicTree, player: int) -> NDArray[np.float64]:
    """float64[H]: numbers of the classes of the root's board as those of all hands; NaN for hands not in the range."""
    hands = tree.deal.streets[0].hands[player]
    found = np.full(len(tree.root.hands), np.nan)
    found[hands.member] = np.repeat(values, np.diff(hands.member_start))
    return found


def digest_of(*arrays: NDArray[np.float64]) -> str:
    """What tells arrays from others, in hexadecimal."""
    digest = hashlib.sha256()
    for array in arrays:
        digest.update(np.ascontiguousarray(array, dtype="<f8").tobytes())
    return digest.hexdigest()[:32]
