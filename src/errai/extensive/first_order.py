"""First-order methods for two-player zero-sum games: the excessive gap technique and magnetic mirror descent.

Both move plans by *prox steps* with a dilated regulariser (Hoda, Gilpin, Peña and Sandholm 2010): for a plan ``x``

    d(x) = sum over information sets j of  w_j x_p(j) psi(x_j / x_p(j)),

where ``x_p(j)`` is the weight of the sequence that leads to the set.  ``psi`` is the entropy or half the squared
distance from the uniform strategy, so a minimum is found set by set, those below first.
"""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np

from errai.engine.rules import on_simplex
from errai.errors import SolverOptionError
from errai.extensive.game import Decisions, ExtensiveGame, Floats
from errai.extensive.method import Method, check_two_players

LEAST = 1e-300
"""Probabilities are at least so much before a logarithm is taken."""


class Regulariser(ABC):
    """A dilated regulariser of one player; action probabilities and plans are float64[sequences]."""

    def __init__(self, decisions: Decisions, weights: Floats | None = None) -> None:
        self.decisions = decisions
        self.weights = np.ones(decisions.num_sets) if weights is None else weights
        """float64[information sets]."""

    @abstractmethod
    def least(self, values: Floats, weights: Floats) -> tuple[Floats, Floats]:
        """Return the z that minimises <values, z> + weights psi(z) for each set, float64[A, n], and the minimum."""

    @abstractmethod
    def psi(self, z: Floats) -> Floats:
        """Return psi of each column."""

    @abstractmethod
    def slope(self, z: Floats) -> Floats:
        """Return the derivatives of psi."""

    def minimum(self, linear: Floats, scale: float) -> tuple[Floats, float]:
        """Return the action probabilities of the plan x that minimises <linear, x> + scale d(x), and the minimum."""
        values, found = linear.copy(), np.ones(self.decisions.num_sequences)
        for block in reversed(self.decisions.blocks):
            weights = scale * self.weights[block.first_set : block.first_set + block.num_sets]
            block.of(found)[...], worth = self.least(block.of(values), weights)
            np.add.at(values, block.leading, worth)
        return found, float(values[0])

    def gradient(self, behaviour: Floats) -> Floats:
        """Return the gradient of d at a plan, given by its action probabilities."""
        found = np.zeros(self.decisions.num_sequences)
        for block in self.decisions.blocks:
            z = block.of(behaviour)
            weights = self.weights[block.first_set : block.first_set + block.num_sets]
            slope = self.slope(z)
            block.of(found)[...] += weights * slope
            np.add.at(found, block.leading, weights * (self.psi(z) - (z * slope).sum(axis=0)))
        return found


class Entropy(Regulariser):
    """psi(z) = log n + sum z log z."""

    def least(self, values: Floats, weights: Floats) -> tuple[Floats, Floats]:
        low = values.min(axis=0)
        z = np.exp((low - values) / weights)
        total = z.sum(axis=0)
        z /= total
        return z, low - weights * np.log(total / len(values))

    def psi(self, z: Floats) -> Floats:
        return np.asarray(np.log(len(z)) + (z * np.log(np.maximum(z, LEAST))).sum(axis=0))

    def slope(self, z: Floats) -> Floats:
        return 1.0 + np.log(np.maximum(z, LEAST))


class Euclidean(Regulariser):
    """psi(z) = |z - 1/n|^2 / 2."""

    def least(self, values: Floats, weights: Floats) -> tuple[Floats, Floats]:
        z = on_simplex(1.0 / len(values) - values / weights)
        return z, (values * z).sum(axis=0) + weights * self.psi(z)

    def psi(self, z: Floats) -> Floats:
        return np.asarray(((z - 1.0 / len(z)) ** 2).sum(axis=0) / 2.0)

    def slope(self, z: Floats) -> Floats:
        return z - 1.0 / len(z)


REGULARISERS = {"entropy": Entropy, "euclidean": Euclidean}


def growing_weights(decisions: Decisions) -> Floats:
    """Return float64[information sets]: 1 and the weights of all sets below the action where these sum to most.

    Deeper sets then weigh less, as strong convexity of a dilated regulariser asks (Kroer et al. 2020).
    """
    below = np.zeros(decisions.num_sequences)
    weights = np.zeros(decisions.num_sets)
    for block in reversed(decisions.blocks):
        here = 1.0 + block.of(below).max(axis=0)
        weights[block.first_set : block.first_set + block.num_sets] = here
        np.add.at(below, block.leading, here)
    return weights


class ExcessiveGap(Method):
    """The excessive gap technique (Nesterov 2005; Hoda, Gilpin, Peña and Sandholm 2010).

    Both payoffs are smoothed by ``mu`` times a regulariser.  A pair of plans has the *excessive gap* property if what
    each player wins at most in the game smoothed for it adds up to no more than 0; its plans then gain at most the
    smoothing.  Each step keeps the property and smooths one player's game less.  By how much is tried, the largest
    share first (Kroer, Farina and Sandholm 2018), since the share that the proof allows is far smaller.
    """

    def __init__(self, game: ExtensiveGame, prox: str = "entropy") -> None:
        check_two_players(game, "the excessive gap technique")
        super().__init__(game)
        if prox not in REGULARISERS:
            raise SolverOptionError(f"The regulariser is one of {', '.join(REGULARISERS)}, not {prox!r:.40}.")
        self.prox = [REGULARISERS[prox](d, growing_weights(d)) for d in game.decisions]
        self.share = 0.5
        self.mu = [game.scale, game.scale]
        while True:
            self.plans = self._start()
            if self._excess(self.plans, self.mu) >= 0.0:
                break
            self.mu = [2.0 * mu for mu in self.mu]

    @property
    def average(self) -> list[Floats]:
        return [d.behaviour_of(plan) for d, plan in zip(self.game.decisions, self.plans, strict=True)]

    def _loses(self, player: int, plan: Floats) -> Floats:
        """Return what a player loses per unit of weight of each sequence against the other's plan."""
        plans = [plan, plan]
        return -self.gradient(player, plans)

    def _smoothed(self, player: int, losses: Floats, mu: float) -> tuple[Floats, float]:
        """Return a player's plan in the smoothed game, and what it loses there."""
        behaviour, least = self.prox[player].minimum(losses, mu)
        return self.game.decisions[player].plan_of(behaviour), least

    def _start(self) -> list[Floats]:
        centre = self.game.decisions[0].uniform()
        y, _ = self._smoothed(1, self._loses(1, self.game.decisions[0].plan_of(centre)), self.mu[1])
        x, _ = self._smoothed(0, self._loses(0, y) - self.mu[0] * self.prox[0].gradient(centre), self.mu[0])
        return [x, y]

    def _excess(self, plans: list[Floats], mu: list[float]) -> float:
        """Return by how much the excessive gap property is kept; below 0 it is broken."""
        # What player 1 wins most against x, less smoothing, must not exceed what player 0 then loses least against y.
        won = -self._smoothed(1, self._loses(1, plans[0]), mu[1])[1]
        lost = self._smoothed(0, self._loses(0, plans[1]), mu[0])[1]
        return lost - won

    def step(self) -> None:
        # The player whose game is smoothed more is the one whose smoothing shrinks.
        player = int(self.mu[1] > self.mu[0])
        self.share = min(0.5, 2.0 * self.share)
        while True:
            plans = self._shrunk(player, self.share)
            mu = list(self.mu)
            mu[player] *= 1.0 - self.share
            if self._excess(plans, mu) >= 0.0 or self.share < 1e-9:
                break
            self.share /= 2.0
        self.plans, self.mu = plans, mu
        self.iteration += 1

    def _shrunk(self, player: int, share: float) -> list[Floats]:
        """Return the plans after a step by which a player's smoothing shrinks by a share of itself."""
        own, other, mu = self.plans[player], self.plans[1 - player], self.mu[player]
        losses = self._loses(player, other)
        answer, _ = self._smoothed(player, losses, mu)
        mixed = (1.0 - share) * own + share * answer
        replied, _ = self._smoothed(1 - player, self._loses(1 - player, mixed), self.mu[1 - player])
        behaviour = self.game.decisions[player].behaviour_of(answer)
        pull = share / (1.0 - share) * self._loses(player, replied) - mu * self.prox[player].gradient(behaviour)
        moved, _ = self._smoothed(player, pull, mu)
        plans = [(1.0 - share) * own + share * moved, (1.0 - share) * other + share * replied]
        return plans if player == 0 else plans[::-1]


class MagneticMirrorDescent(Method):
    """Magnetic mirror descent with dilated entropy (Sokota et al. 2023), both players at once.

    Each step minimises ``step_size (<losses, x> + pull D(x, magnet)) + D(x, now)``, where ``D`` is the divergence of
    the regulariser.  With a magnet that stays, the newest plans converge to the equilibrium of the game that is
    regularised by ``pull``, whose magnet is uniform play.  With one that moves to them every ``magnet_every`` steps
    they converge to an equilibrium of the game itself.

    The default step is 1 divided by the largest payoff, chance included, and the pull a tenth of that payoff.
    """

    def __init__(
        self,
        game: ExtensiveGame,
        *,
        pull: float | None = None,
        step_size: float | None = None,
        magnet_every: int | None = 50,
    ) -> None:
        check_two_players(game, "magnetic mirror descent")
        super().__init__(game)
        largest = max(game.largest, LEAST)
        self.step_size = 1.0 / largest if step_size is None else step_size
        self.pull = 0.1 * largest if pull is None else pull
        self.magnet_every = magnet_every
        self.prox = [Entropy(d) for d in game.decisions]
        self._magnets = [prox.gradient(now) for prox, now in zip(self.prox, self._now, strict=True)]

    @property
    def average(self) -> list[Floats]:
        return self._now

    def step(self) -> None:
        plans = [d.plan_of(b) for d, b in zip(self.game.decisions, self._now, strict=True)]
        pulled = self.step_size * self.pull
        found = []
        for player, prox in enumerate(self.prox):
            linear = -self.step_size * self.gradient(player, plans) - prox.gradient(self._now[player])
            found.append(prox.minimum(linear - pulled * self._magnets[player], 1.0 + pulled)[0])
        self._now = found
        self.iteration += 1
        if self.magnet_every is not None and self.iteration % self.magnet_every == 0:
            self._magnets = [prox.gradient(now) for prox, now in zip(self.prox, found, strict=True)]
