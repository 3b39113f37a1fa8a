"""Maxmargin re-solving: the opponent enters with the hand that gains most compared with its old value."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from errai.cards.hands import fitting_weights
from errai.engine.root import (
    Choice,
    Entering,
    Gadget,
    Root,
    check_zero_sum,
    checked_hands,
    checked_player,
    digest_of,
    in_classes,
)
from errai.engine.schedules import Schedule
from errai.resolving.gadgets.method import Method, level, scaled_ranges
from errai.resolving.subgame import FITS, Ranges, Subgame
from errai.tree.public_tree import TIE_FRACTION, PublicTree


@dataclass(frozen=True)
class Maxmargin(Method):
    """The opponent chooses the hand with which to enter, and that hand's value under the old strategy is subtracted.

    This maximises the smallest *margin*: by how much a hand's best response gets less than the hand's old value, in
    chips per hand (the counterfactual value divided by the weight of the player's hands that share no card with it).

    **Guarantee**: if the values are those of the old strategy, no hand gets more than its value, up to twice the
    certificate in chips per hand; and if all hands can be made to get less, they do.  The game's value is the smallest
    margin, with the opposite sign for the opponent.

    **Source**: Moravcik, Schmid, Ha, Hladik and Gaukrodger, "Refining subgames in large imperfect information games"
    (AAAI 2016).

    It reads the player's own range and ``values``.  Hands that share a card with every hand of that range are left out.
    """

    @property
    def name(self) -> str:
        return "maxmargin"

    def ranges(self, subgame: Subgame) -> Ranges:
        """Return the ranges that enter; the opponent has every hand that can meet one of the player's range."""
        return scaled_ranges(subgame, (subgame.against > 0).astype(np.float64))

    def gadget(self, subgame: Subgame) -> Margins:
        return Margins(level(subgame.required("values")), subgame.opponent)


@dataclass(frozen=True, eq=False)
class Margins(Gadget):
    """The gadget whose root is :class:`EntersWithOne`."""

    values: NDArray[np.float64]
    """float64[H]: counterfactual values over which the opponent's gains are counted."""
    opponent: int

    @property
    def apart(self) -> tuple[NDArray[np.float64], ...]:
        return (self.values,)

    def root(self, tree: PublicTree, schedule: Schedule) -> EntersWithOne:
        return EntersWithOne(tree, schedule, self.opponent, self.values)


@dataclass(frozen=True, eq=False)
class OneHand(Entering):
    """Like :class:`Entering`, where the opponent has chosen a hand to enter with; gains over its value are counted."""

    opponent: int
    worth: NDArray[np.float64]
    """float64[H_opponent]: chips per hand over which the opponent's gains are counted."""
    against: NDArray[np.float64]
    """float64[H_opponent]: weight of the other player's hands that share no card with a hand; 0 if it may not be
    chosen."""
    chances: NDArray[np.float64]
    """float64[H_opponent], summing to 1: how often the opponent enters with a hand of each class."""

    def chips(self, values: NDArray[np.float64], player: int, *, best: bool) -> float:
        """Return the opponent's gain in chips over the hand's value elsewhere, or the other player's loss.

        With ``best`` the opponent enters with the hand that gains most.
        """
        if player != self.opponent:
            return super().chips(values, player, best=best) + float(self.chances @ self.worth)
        gains = gains_of(values, self.worth, self.against)
        return float(gains[self.against > 0].max() if best else self.chances @ gains)


class EntersWithOne(Root):
    """The opponent chooses one hand to enter with; see :class:`Maxmargin`.

    The total weight that enters is that of the tree's own ranges, so that the regrets below have their usual size.  The
    other player's range enters; of the opponent's range it only matters which hands it has.  ``values``, float64[H]
    over all hands of the deck, are counterfactual values to subtract, in chips, weighted by the other player's range as
    it enters.

    Raises :class:`InputError` if the values have another size, are not finite for a hand of the opponent's, or differ
    for hands that are merged, and :class:`SolverOptionError` if the game is not zero-sum.
    """

    def __init__(self, tree: PublicTree, schedule: Schedule, opponent: int, values: NDArray[np.float64]) -> None:
        check_zero_sum(tree)
        live = tree.root.weights[checked_player(opponent)] > 0
        given = checked_hands(values, tree, f"The values of player {opponent}'s hands elsewhere", live)
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
        return {"enters with one": self.opponent, "values": digest_of(self.worth)}

    def entering(self, strategy: str) -> OneHand:
        chances = self._choice.probabilities(strategy)
        each = chances / self.tree.class_sizes[self.opponent]
        reach = list(self.tree.arrays.root_reach)
        reach[self.opponent] = self.tree.pair_weight * gains_of(each, np.zeros_like(each), self.against)
        return OneHand(
            self.tree, (reach[0], reach[1]), self.tree.pair_weight, self.opponent, self.worth, self.against, chances
        )

    def freeze(self) -> None:
        self._choice.freeze()

    def learn(self, player: int, values: NDArray[np.float64], coefficients: NDArray[np.float64]) -> None:
        """Update the opponent's choice; for the other player there is nothing to update.  See :class:`Root`."""
        if player == self.opponent:
            self._choice.learn(gains_of(values, self.worth, self.against), coefficients)

    def arrays(self) -> dict[str, NDArray[Any]]:
        return self._choice.arrays("root")

    def adopt(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        self._choice.adopt("root", arrays)


def gains_of(
    values: NDArray[np.float64], worth: NDArray[np.float64], against: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return by how many chips per hand counterfactual values exceed ``worth``; 0 for hands that can meet no hand."""
    return np.divide(values, against, out=np.zeros_like(against), where=against > 0) - worth
