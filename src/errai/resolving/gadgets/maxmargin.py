"""Maxmargin re-solving: the opponent enters with the hand that gains him most over what he had."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from errai.cards.hands import fitting_weights
from errai.engine.choice import Choice
from errai.engine.root import Entering, Gadget, Root, check_zero_sum, checked_hands, digest_of, in_classes
from errai.resolving.gadgets.method import Method, Ranges, entering, level
from errai.resolving.subgame import FITS
from errai.tree.public_tree import TIE_FRACTION

if TYPE_CHECKING:
    from errai.engine.schedules import Schedule
    from errai.resolving.subgame import Subgame
    from errai.tree.public_tree import PublicTree


@dataclass(frozen=True)
class Maxmargin(Method):
    """The opponent chooses the hand with which he enters, and its value under the old strategy is taken off.

    The smallest *margin* is made as large as can be: by how much a hand's best response gets less than its value, in
    chips per hand (the counterfactual value divided by the weight of the own hands that fit).

    **Guarantee**: no hand gets more than its value, up to twice the certificate in chips per hand, where those are of
    the strategy that is replaced; and where all hands can be made to get less, they are.  The game's value is the
    smallest margin, with the opposite sign for the opponent.

    **Source**: Moravcik, Schmid, Ha, Hladik and Gaukrodger, "Refining subgames in large imperfect information games"
    (AAAI 2016).

    It reads the own range and ``values``.  Hands that no own hand fits are left out.
    """

    @property
    def name(self) -> str:
        """See :class:`Method`."""
        return "maxmargin"

    def ranges(self, subgame: Subgame) -> Ranges:
        """See :class:`Method`; every hand that is met, whatever the opponent is thought to hold."""
        return entering(subgame, (subgame.against > 0).astype(np.float64))

    def gadget(self, subgame: Subgame) -> Margins:
        """See :class:`Method`."""
        return Margins(level(subgame.required("values")), subgame.opponent)


@dataclass(frozen=True, eq=False)
class Margins(Gadget):
    """The gadget whose root is :class:`EntersWithOne`."""

    values: NDArray[np.float64]
    """float64[H]: counterfactual values from which the opponent's gains are counted."""
    opponent: int

    @property
    def apart(self) -> tuple[NDArray[np.float64], ...]:
        """See :class:`Gadget`."""
        return (self.values,)

    def root(self, tree: PublicTree, schedule: Schedule) -> EntersWithOne:
        """See :class:`Gadget`."""
        return EntersWithOne(tree, schedule, self.opponent, self.values)


@dataclass(frozen=True, eq=False)
class OneHand(Entering):
    """As :class:`Entering`, where the opponent has chosen the hand that he enters with, and gains are counted."""

    opponent: int
    worth: NDArray[np.float64]
    """float64[H_opponent]: chips per hand from which his gains are counted."""
    against: NDArray[np.float64]
    """float64[H_opponent]: weight of the other player's hands that fit; 0 for hands that may not be chosen."""
    chances: NDArray[np.float64]
    """float64[H_opponent], summing to 1: how often he enters with one of each class."""

    def chips(self, values: NDArray[np.float64], player: int, *, best: bool) -> float:
        """The opponent's gain in chips over what his hand is worth elsewhere; the other player loses it.

        With ``best`` the opponent enters with the hand that gains most.
        """
        if player != self.opponent:
            return super().chips(values, player, best=best) + float(self.chances @ self.worth)
        gains = gains_of(values, self.worth, self.against)
        return float(gains[self.against > 0].max() if best else self.chances @ gains)


class EntersWithOne(Root):
    """The opponent chooses one of his hands to enter with; see :class:`Maxmargin`.

    What enters has the weight that the tree's own ranges have together, so that the regrets below are of their size.

    Parameters
    ----------
    tree:
        What is solved; the other player's range enters, and of the opponent's it is read which hands there are.
    schedule:
        The variant: whether it predicts, and whether updates are simultaneous.
    opponent:
        Who chooses.
    values:
        float64[H] over all hands of the deck: counterfactual values that are taken off, in chips, weighted by the
        other player's range as it enters.

    Raises
    ------
    InputError
        The values are of another size, not finite for a hand of the opponent's, or differ for hands that are merged.
    SolverOptionError
        The game is not zero-sum.
    """

    def __init__(self, tree: PublicTree, schedule: Schedule, opponent: int, values: NDArray[np.float64]) -> None:
        check_zero_sum(tree)
        given = checked_hands(values, tree, "the opponent's values", tree.root.weights[opponent] > 0)
        self.tree = tree
        self.opponent = opponent
        own = tree.root.weights[1 - opponent]
        against = fitting_weights(tree.root.hands, own)[tree.deal.streets[0].hands[opponent].hand]
        self.against = np.where(against > FITS * own.sum(), against, 0.0)
        self.worth = gains_of(in_classes(given, tree, opponent), np.zeros_like(against), self.against)
        copies = np.where(self.against > 0, tree.class_sizes[opponent], 0.0)
        self._choice = Choice(
            against.shape, TIE_FRACTION * tree.initial_pot, copies=copies, simultaneous=schedule.simultaneous
        )

    @property
    def identity(self) -> dict[str, Any]:
        """See :attr:`Root.identity`."""
        return {"enters with one": self.opponent, "values": digest_of(self.worth)}

    def entering(self, strategy: str) -> OneHand:
        """See :class:`Root`."""
        chances = self._choice.probabilities(strategy)
        each = chances / self.tree.class_sizes[self.opponent]
        reach = list(self.tree.arrays.root_reach)
        reach[self.opponent] = self.tree.pair_weight * gains_of(each, np.zeros_like(each), self.against)
        return OneHand(
            self.tree, (reach[0], reach[1]), self.tree.pair_weight, self.opponent, self.worth, self.against, chances
        )

    def freeze(self) -> None:
        """See :class:`Root`."""
        self._choice.freeze()

    def learn(self, player: int, values: NDArray[np.float64], coefficients: NDArray[np.float64]) -> None:
        """Nothing for the other player; see :class:`Root`."""
        if player == self.opponent:
            self._choice.learn(gains_of(values, self.worth, self.against), coefficients)

    def arrays(self) -> dict[str, NDArray]:
        """See :class:`Root`."""
        return self._choice.arrays("root")

    def adopt(self, arrays: Mapping[str, NDArray]) -> None:
        """See :class:`Root`."""
        self._choice.adopt("root", arrays)


def gains_of(
    values: NDArray[np.float64], worth: NDArray[np.float64], against: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Chips per hand that counterfactual values are above ``worth``; 0 for hands that no hand fits."""
    return np.divide(values, against, out=np.zeros_like(against), where=against > 0) - worth
