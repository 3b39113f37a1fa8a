"""The opponent model: the hands that the opponent may hold, and how the opponent plays them.

Papp (1998), chapter 7; Pena (1999), section 4.3; Billings et al. (2002), section 5.4.

A table of weights holds, for each of the 1,326 hands, how likely the opponent would have played it this way.  After
each action of the opponent the weights are multiplied by the probability of the action with each hand, and none falls
below ``LOWEST_WEIGHT`` of the greatest.  The probabilities come from thresholds: of the hands that the opponent may
hold, ordered by value, the weakest are folded and the strongest raised, as often as the frequencies say; each threshold
has a mean mu and a spread sigma, within which the probability is linear.

*Generic* modelling uses the frequencies of a typical opponent, *specific* modelling those observed, by round and by
what is faced, mixed with those of the round before until there are ``ENOUGH`` observations.  Hands shown down also tell
how much the opponent's actions depend on the cards at all: they determine the share of *blind* actions, which are
equally frequent with any hand.
"""

from __future__ import annotations

from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from errai.agents.literature.poki.betting import FACING, BetLines

LOWEST_WEIGHT = 0.01
"""The lowest weight as a share of the greatest: no hand is ruled out by how it was played."""

SPREAD = 0.2
"""Sigma of the thresholds, as a share of the hands that the opponent may hold."""

ENOUGH = 20
"""With so many observations only they count."""

GENERIC_FOLDS = (0.0, 0.35, 0.20)
"""How often a typical opponent folds with nothing to call, to a first bet, and to a raise."""

GENERIC_RAISES = (0.60, 0.35, 0.10)
"""How often a typical opponent bets or raises when not folding; both as two formula players do against each other."""

BLIND_SHARES = np.linspace(0.0, 1.0, 11)
"""Shares of blind actions that are considered."""

BLIND_PRIOR = np.array([6.0, 4.0, 3.0, 2.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0])
"""Prior probability of each of these shares, up to a factor."""


class Modelling(StrEnum):
    """How the opponent's actions are used."""

    OFF = "off"
    """They are ignored: all hands stay equally likely."""
    GENERIC = "generic"
    """Hands are weighted as if a typical opponent played them."""
    SPECIFIC = "specific"
    """Hands are weighted by what this opponent has done so far in the match."""


class ActionCounts:
    """Counts of an opponent's actions; float64[2, rounds, FACING]: folds, and raises of hands that were not folded."""

    def __init__(self, rounds: int) -> None:
        self.could, self.did = np.zeros((2, 2, rounds, FACING))

    def add(self, lines: BetLines, node: int, action: int) -> None:
        """Count an action: 0 fold, 1 call, 2 raise."""
        street, facing = int(lines.tree.street[node]), int(lines.facing[node])
        self.could[:, street, facing] += lines.to_call[node] > 0, lines.can_raise[node] and action != 0
        self.did[:, street, facing] += lines.to_call[node] > 0 and action == 0, lines.can_raise[node] and action == 2

    def frequencies(self) -> NDArray[np.float64]:
        """Return observed frequencies, mixed with those of the round before; in the first round with generic ones."""
        found = np.empty_like(self.did)
        prior = np.array([GENERIC_FOLDS, GENERIC_RAISES])
        for round in range(found.shape[1]):
            hits, trials = self.did[:, round], self.could[:, round]
            trust = np.minimum(trials / ENOUGH, 1.0)
            prior = found[:, round] = trust * hits / np.maximum(trials, 1.0) + (1.0 - trust) * prior
        return found


def ordered_triples(
    place: NDArray[np.float64], folds: NDArray[np.float64], raises: NDArray[np.float64], spread: float = SPREAD
) -> NDArray[np.float64]:
    """Return float64[n, 3], the probabilities to fold, call and raise of hands at given ranks in the order of strength.

    ``place``, float64[n], is from 0, the weakest hand, to 1; ``folds`` and ``raises``, float64[n], are how often the
    opponent folds and raises.  Near the ends the spread is reduced, so that the mean frequency of each action over all
    ranks is as given.
    """
    stays = _above(place, folds, spread)
    lifts = np.minimum(_above(place, 1.0 - raises, spread), stays)
    return np.stack([1.0 - stays, stays - lifts, lifts], axis=1)


def _above(place: NDArray[np.float64], mu: NDArray[np.float64], spread: float) -> NDArray[np.float64]:
    """Return the probability to be above a threshold with mean mu."""
    sigma = np.maximum(np.minimum(np.minimum(spread, mu), 1.0 - mu), 1e-12)
    return np.asarray(np.clip((place - mu + sigma) / (2.0 * sigma), 0.0, 1.0))


def places(values: NDArray[np.float64], weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the rank of each hand, by its value, among the hands that the opponent may hold; all are float64[H].

    It is the share of the weight on hands with lower values, and half of that on hands with the same value.
    """
    order = np.argsort(values, kind="stable")
    ranked = values[order]
    below = np.concatenate([[0.0], np.cumsum(weights[order])])
    first = np.searchsorted(ranked, values, "left")
    last = np.searchsorted(ranked, values, "right")
    return np.asarray((below[first] + below[last]) / (2.0 * max(below[-1], 1e-300)))


class OpponentModel:
    """The model of one opponent, for one match."""

    def __init__(self, lines: BetLines, modelling: Modelling) -> None:
        self.lines, self.modelling = lines, modelling
        self.counts = ActionCounts(lines.tree.num_streets)
        self.frequencies = self.counts.frequencies()
        """float64[2, rounds, FACING]: how often the opponent folds, and how often a hand that is not folded raises."""
        self.blind_odds = np.log(BLIND_PRIOR / BLIND_PRIOR.sum())
        """float64[11]: log-probability of each share of blind actions, up to a constant."""
        self.new_hand(np.ones(1326, dtype=np.bool_))

    @property
    def blind_share(self) -> float:
        """The estimated share of actions that do not depend on the opponent's cards."""
        likely = np.exp(self.blind_odds - self.blind_odds.max())
        return float(likely @ BLIND_SHARES / likely.sum())

    def new_hand(self, possible: NDArray[np.bool_]) -> None:
        """Begin a hand: all hands that the opponent may hold, bool[1326], are equally likely."""
        self.weights = possible.astype(np.float64)
        """float64[1326]: weights in the current hand; the greatest is 1, and hands that share a known card have 0."""
        self._seen: list[tuple[NDArray[np.float64], float]] = []
        """The opponent's actions in the current hand: the probability of each by the hand held, and if it is blind."""

    def block(self, possible: NDArray[np.bool_]) -> None:
        """Remove the hands that new cards make impossible; ``possible`` is bool[1326]."""
        self.weights = np.where(possible, self.weights, 0.0)

    def observe(self, node: int, action: int, values: NDArray[np.float64] | None) -> None:
        """Update the weights with an action of the opponent (0 fold, 1 call, 2 raise) at a node, and count it.

        ``values``, float64[1326], are those of the opponent's hands there; None if they are not known and not needed.
        """
        if self.modelling is not Modelling.OFF and values is not None and action != 0:
            place = places(values, self.weights)
            by_cards, blind = (each[:, action] for each in self._mixtures(place, np.full(len(place), node)))
            share = self.blind_share
            weighted = self.weights * ((1.0 - share) * by_cards + share * blind)
            greatest = weighted.max()
            if greatest > 0.0:
                possible = self.weights > 0.0
                self.weights = np.where(possible, np.maximum(weighted / greatest, LOWEST_WEIGHT), 0.0)
            if self.lines.to_call[node] > 0 or self.lines.can_raise[node]:
                self._seen.append((by_cards, float(blind[0])))
        if self.modelling is Modelling.SPECIFIC:
            self.counts.add(self.lines, node, action)

    def end_hand(self, shown: int | None) -> None:
        """End a hand; ``shown`` is the index of the opponent's hand if it was shown."""
        if self.modelling is not Modelling.SPECIFIC:
            return
        if shown is not None:
            for by_cards, blind in self._seen:
                own = max(float(by_cards[shown]), LOWEST_WEIGHT)
                likely = (1.0 - BLIND_SHARES) * own + BLIND_SHARES * max(blind, LOWEST_WEIGHT)
                self.blind_odds = self.blind_odds + np.log(likely)
        self._seen = []
        self.frequencies = self.counts.frequencies()

    def triples(self, place: NDArray[np.float64], nodes: NDArray[np.integer]) -> NDArray[np.float64]:
        """Return float64[n, 3], the probabilities to fold, call and raise of hands at ranks in the opponent's range.

        Actions that the rules do not allow have 0.
        """
        by_cards, blind = self._mixtures(place, nodes)
        share = self.blind_share
        return np.asarray((1.0 - share) * by_cards + share * blind)

    def _mixtures(
        self, place: NDArray[np.float64], nodes: NDArray[np.integer]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return float64[n, 3] twice: the probabilities by the cards, and those of blind actions."""
        how_often = self.frequencies[:, self.lines.tree.street[nodes], self.lines.facing[nodes]]
        folds = np.where(self.lines.to_call[nodes] > 0, how_often[0], 0.0)
        raises = (1.0 - folds) * np.where(self.lines.can_raise[nodes], how_often[1], 0.0)
        return ordered_triples(place, folds, raises), np.stack([folds, 1.0 - folds - raises, raises], axis=1)
