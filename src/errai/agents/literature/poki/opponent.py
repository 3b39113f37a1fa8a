"""The model of an opponent: which hands he may hold, and how he plays them.

Papp (1998), chapter 7; Pena (1999), section 4.3; Billings et al. (2002), section 5.4.

A table of weights says for each of the 1,326 hands how likely the opponent would have played it as he did.  After each
of his actions the weights are multiplied by the probability of the action with each hand, and none falls below
``LOWEST_WEIGHT`` of the greatest.  The probabilities come from thresholds: of the hands that he may hold, ordered by
what they are worth, he folds the weakest and raises with the strongest, as often as his frequencies say; each threshold
has a mean mu and a spread sigma, within which the probability is a straight line.

*Generic* modelling takes the frequencies of a typical opponent, *specific* modelling those observed: by round and by
what is faced, mixed with those of the round before until there are ``ENOUGH`` observations.  Hands shown down say
besides how much his actions go by his cards at all: the share of *blind* actions, which any hand takes as often.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from errai.agents.literature.poki.lines import FACING, BetLines

LOWEST_WEIGHT = 0.01
"""Of the greatest: no hand is ruled out by how it was played."""

SPREAD = 0.2
"""Sigma of the thresholds, as a share of the hands that the opponent may hold."""

ENOUGH = 20
"""Observations after which only they count."""

GENERIC_FOLDS = (0.0, 0.35, 0.20)
"""How often a typical opponent folds with nothing to call, to a first bet, and to a raise."""

GENERIC_RAISES = (0.60, 0.35, 0.10)
"""How often he bets or raises when he does not fold; both as two that play by the formula do against each other."""

BLIND_SHARES = np.linspace(0.0, 1.0, 11)
"""Shares of blind actions that are told apart."""

BLIND_PRIOR = np.array([6.0, 4.0, 3.0, 2.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0])
"""How likely each of them is to begin with, up to a factor."""


class Modelling(StrEnum):
    """How much is made of what the opponent does."""

    OFF = "off"
    """Nothing: all hands stay equally likely."""
    GENERIC = "generic"
    """Hands are weighted as if a typical opponent played them."""
    SPECIFIC = "specific"
    """Hands are weighted by what this opponent has done so far in the match."""


@dataclass(frozen=True, eq=False)
class Frequencies:
    """How often an opponent folds, and raises what he does not fold; float64[rounds, FACING] each."""

    folds: NDArray[np.float64]
    raises: NDArray[np.float64]

    @classmethod
    def generic(cls, rounds: int) -> Frequencies:
        """Those of a typical opponent."""
        return cls(np.tile(GENERIC_FOLDS, (rounds, 1)), np.tile(GENERIC_RAISES, (rounds, 1)))


class ActionCounts:
    """What an opponent has done, by round and by what he faced."""

    def __init__(self, rounds: int) -> None:
        self.could_fold = np.zeros((rounds, FACING))
        self.folded = np.zeros((rounds, FACING))
        self.could_raise = np.zeros((rounds, FACING))
        self.raised = np.zeros((rounds, FACING))

    def add(self, lines: BetLines, node: int, action: int) -> None:
        """Count an action: 0 fold, 1 call, 2 raise."""
        where = int(lines.street[node]), int(lines.facing[node])
        if lines.to_call[node] > 0:
            self.could_fold[where] += 1
            self.folded[where] += action == 0
        if lines.can_raise[node] and action != 0:
            self.could_raise[where] += 1
            self.raised[where] += action == 2

    def frequencies(self) -> Frequencies:
        """Observed frequencies, mixed with the round before, and in the first round with generic ones."""
        rounds = len(self.folded)
        generic = Frequencies.generic(rounds)
        return Frequencies(
            _mixed(self.folded, self.could_fold, generic.folds[0]),
            _mixed(self.raised, self.could_raise, generic.raises[0]),
        )


def _mixed(did: NDArray[np.float64], could: NDArray[np.float64], prior: NDArray[np.float64]) -> NDArray[np.float64]:
    found = np.empty_like(did)
    for round, (hits, trials) in enumerate(zip(did, could, strict=True)):
        trust = np.minimum(trials / ENOUGH, 1.0)
        prior = found[round] = trust * hits / np.maximum(trials, 1.0) + (1.0 - trust) * prior
    return found


def ordered_triples(
    place: NDArray[np.float64], folds: NDArray[np.float64], raises: NDArray[np.float64], spread: float = SPREAD
) -> NDArray[np.float64]:
    """Probabilities to fold, call and raise with hands at given places in the order of strength.

    Near the ends the spread is what fits, so that over all places an action is as frequent as it is said to be.

    Parameters
    ----------
    place:
        float64[n] from 0, the weakest hand, to 1.
    folds, raises:
        float64[n]: how often the opponent folds, and how often he raises of all times.

    Returns
    -------
    float64[n, 3]
    """
    stays = _above(place, folds, spread)
    lifts = np.minimum(_above(place, 1.0 - raises, spread), stays)
    return np.stack([1.0 - stays, stays - lifts, lifts], axis=1)


def _above(place: NDArray[np.float64], mu: NDArray[np.float64], spread: float) -> NDArray[np.float64]:
    """The probability to be above a threshold of mean mu."""
    sigma = np.maximum(np.minimum(np.minimum(spread, mu), 1.0 - mu), 1e-12)
    return np.asarray(np.clip((place - mu + sigma) / (2.0 * sigma), 0.0, 1.0))


def places(values: NDArray[np.float64], weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """Where each hand stands in the order of the hands that the opponent may hold.

    Parameters
    ----------
    values:
        float64[H], what hands are worth.
    weights:
        float64[H], 0 for hands that he cannot hold.

    Returns
    -------
    float64[H]: the share of the weight on hands worth less, and half of that on hands worth the same.
    """
    order = np.argsort(values, kind="stable")
    ranked = values[order]
    below = np.concatenate([[0.0], np.cumsum(weights[order])])
    first = np.searchsorted(ranked, values, "left")
    last = np.searchsorted(ranked, values, "right")
    return np.asarray((below[first] + below[last]) / (2.0 * max(below[-1], 1e-300)))


@dataclass
class _Seen:
    """An action of the opponent in the hand that is played, and how likely each hand would have taken it."""

    by_cards: NDArray[np.float64]
    blind: float


@dataclass
class OpponentModel:
    """What is believed of one opponent; lives as long as a match.

    Parameters
    ----------
    lines:
        The game's lines of bets.
    modelling:
        How much is made of what he does.
    """

    lines: BetLines
    modelling: Modelling
    weights: NDArray[np.float64] = field(init=False)
    """float64[1326]: of the hand that is played; the greatest is 1, and hands that share a known card have 0."""
    counts: ActionCounts = field(init=False)
    frequencies: Frequencies = field(init=False)
    blind_odds: NDArray[np.float64] = field(init=False)
    """float64[11]: logarithms of how likely each share of blind actions is, up to a number."""
    _seen: list[_Seen] = field(init=False)

    def __post_init__(self) -> None:
        rounds = int(self.lines.street.max()) + 1
        self.counts = ActionCounts(rounds)
        self.frequencies = Frequencies.generic(rounds)
        self.blind_odds = np.log(BLIND_PRIOR / BLIND_PRIOR.sum())
        self.weights = np.ones(1326)
        self._seen = []

    @property
    def blind_share(self) -> float:
        """The share of his actions that do not go by his cards, as far as it is known."""
        likely = np.exp(self.blind_odds - self.blind_odds.max())
        return float(likely @ BLIND_SHARES / likely.sum())

    def new_hand(self, possible: NDArray[np.bool_]) -> None:
        """Begin a hand: all hands that he may hold, bool[1326], are equally likely."""
        self.weights = possible.astype(np.float64)
        self._seen = []

    def block(self, possible: NDArray[np.bool_]) -> None:
        """Cards have come: he holds only what is possible, bool[1326]."""
        self.weights = np.where(possible, self.weights, 0.0)

    def observe(self, node: int, action: int, values: NDArray[np.float64] | None) -> None:
        """He has done something: weigh his hands by it, and count it.

        Parameters
        ----------
        node:
            Where he acted.
        action:
            0 fold, 1 call, 2 raise.
        values:
            float64[1326], what his hands were worth there; None where that is not known, and does not matter.
        """
        if self.modelling is not Modelling.OFF and values is not None and action != 0:
            place = places(values, self.weights)
            nodes = np.full(len(place), node)
            by_cards = self._by_cards(place, nodes)[:, action]
            blind = float(self._blind(nodes[:1])[0, action])
            share = self.blind_share
            self._reweight((1.0 - share) * by_cards + share * blind)
            if self.lines.to_call[node] > 0 or self.lines.can_raise[node]:
                self._seen.append(_Seen(by_cards, blind))
        if self.modelling is Modelling.SPECIFIC:
            self.counts.add(self.lines, node, action)

    def end_hand(self, shown: int | None) -> None:
        """A hand is over; ``shown`` is the index of his hand if he had to show it."""
        if self.modelling is not Modelling.SPECIFIC:
            return
        if shown is not None:
            for seen in self._seen:
                by_cards = max(float(seen.by_cards[shown]), LOWEST_WEIGHT)
                likely = (1.0 - BLIND_SHARES) * by_cards + BLIND_SHARES * max(seen.blind, LOWEST_WEIGHT)
                self.blind_odds = self.blind_odds + np.log(likely)
        self._seen = []
        self.frequencies = self.counts.frequencies()

    def triples(self, place: NDArray[np.float64], nodes: NDArray[np.integer]) -> NDArray[np.float64]:
        """Probabilities to fold, call and raise with hands at given places in his order, at given nodes.

        Returns
        -------
        float64[n, 3]; what the rules do not allow is 0.
        """
        share = self.blind_share
        return np.asarray((1.0 - share) * self._by_cards(place, nodes) + share * self._blind(nodes))

    def _by_cards(self, place: NDArray[np.float64], nodes: NDArray[np.integer]) -> NDArray[np.float64]:
        folds, raises = self._rates(nodes)
        return ordered_triples(place, folds, raises)

    def _blind(self, nodes: NDArray[np.integer]) -> NDArray[np.float64]:
        folds, raises = self._rates(nodes)
        return np.stack([folds, 1.0 - folds - raises, raises], axis=1)

    def _rates(self, nodes: NDArray[np.integer]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """How often he folds and raises, of all times that he comes to these nodes."""
        where = self.lines.street[nodes], self.lines.facing[nodes]
        folds = np.where(self.lines.to_call[nodes] > 0, self.frequencies.folds[where], 0.0)
        raises = np.where(self.lines.can_raise[nodes], self.frequencies.raises[where], 0.0)
        return folds, (1.0 - folds) * raises

    def _reweight(self, likely: NDArray[np.float64]) -> None:
        weighted = self.weights * likely
        greatest = weighted.max()
        if greatest > 0.0:
            possible = self.weights > 0.0
            self.weights = np.where(possible, np.maximum(weighted / greatest, LOWEST_WEIGHT), 0.0)
