"""Monte Carlo counterfactual regret minimisation over the histories of a game, for any number of players.

Lanctot, Waugh, Zinkevich and Bowling (2009) sample blocks of histories and weight what is found by the probability of
the sample, so that each update is, on average, that of plain CFR.  Three ways to sample are here:

- *chance sampling* (Zinkevich et al. 2007) draws what chance does and walks over all that the players may do;
- *external sampling* draws chance and the actions of the others, and walks over all actions of one player;
- *outcome sampling* draws a single history, with some exploration for the player who learns.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from random import Random

import numpy as np

from errai.errors import SolverOptionError
from errai.extensive.game import ExtensiveGame, Floats
from errai.extensive.histories import CHANCE, END
from errai.extensive.method import Method
from errai.own_code import number_of, whole_number

SAMPLES = 100
"""The samples of a step for each player, so that measuring is not what takes the time."""


class MonteCarlo(Method):
    """CFR on samples; a step is :data:`SAMPLES` samples for each player.

    Regrets are matched to probabilities, and the average strategy is weighted so that it is the average of the paper.
    ``gradients`` counts walks over as many histories as the game has, so that methods can be compared.

    Raises :class:`SolverOptionError` if the game has not kept its histories (``errai.extensive_game(what,
    histories=True)``), or the seed is not a whole number from 0.
    """

    def __init__(self, game: ExtensiveGame, seed: int = 0) -> None:
        if game.histories is None:
            raise SolverOptionError(
                f"{game.title} has not kept its histories, which methods that sample need; make it with "
                "errai.extensive_game(what, histories=True)."
            )
        self.touched = 0
        """The number of histories that were visited."""
        super().__init__(game)
        self.seed = whole_number(seed, "seed", 0, error=SolverOptionError)
        self._random = Random(self.seed)
        tree = game.histories
        # Lists are read several times as fast as arrays, one number at a time.
        self._player, self._first = tree.player.tolist(), tree.first_child.tolist()
        self._count, self._chance = tree.num_children.tolist(), tree.chance.tolist()
        self._sequence, self._payoffs = tree.sequence.tolist(), tree.payoffs.tolist()
        self.regrets = [[0.0] * d.num_sequences for d in game.decisions]
        self.sums = [[0.0] * d.num_sequences for d in game.decisions]

    @property
    def gradients(self) -> int:
        """See :attr:`Method.gradients`."""
        return self.touched // len(self._player)

    @gradients.setter
    def gradients(self, value: int) -> None:
        self.touched = value

    @property
    def average(self) -> list[Floats]:
        return [d.behaviour_of(np.array(sums)) for d, sums in zip(self.game.decisions, self.sums, strict=True)]

    @property
    def current(self) -> list[Floats]:
        return [
            d.behaviour_of(np.maximum(regrets, 0.0))
            for d, regrets in zip(self.game.decisions, self.regrets, strict=True)
        ]

    def step(self) -> None:
        for _ in range(SAMPLES):
            for player in range(self.game.num_players):
                self.sample(player)
        self.iteration += 1

    @abstractmethod
    def sample(self, player: int) -> None:
        """Draw one sample, and let a player learn from it."""

    def strategy(self, node: int) -> list[float]:
        """Return the probabilities of the actions at a history by regret matching."""
        regrets = self.regrets[self._player[node]]
        first = self._first[node]
        positive = [max(regrets[self._sequence[child]], 0.0) for child in range(first, first + self._count[node])]
        total = sum(positive)
        return [p / total for p in positive] if total > 0.0 else [1.0 / len(positive)] * len(positive)

    def draw(self, probabilities: Sequence[float]) -> int:
        """Draw the number of an action."""
        left = self._random.random()
        for number, probability in enumerate(probabilities):
            left -= probability
            if left < 0.0:
                return number
        return len(probabilities) - 1

    def draw_chance(self, node: int) -> int:
        """Draw what chance does at a history, and return the history after it."""
        first = self._first[node]
        return first + self.draw(self._chance[first : first + self._count[node]])


class ExternalSampling(MonteCarlo):
    """External sampling; strategies are averaged at the histories of the player after the one who learns."""

    def sample(self, player: int) -> None:
        self._walk(0, player)

    def _walk(self, node: int, player: int) -> float:
        self.touched += 1
        mover = self._player[node]
        if mover == END:
            return float(self._payoffs[node][player])
        if mover == CHANCE:
            return self._walk(self.draw_chance(node), player)
        strategy, first = self.strategy(node), self._first[node]
        if mover != player:
            if mover == (player + 1) % self.game.num_players:
                sums = self.sums[mover]
                for a, probability in enumerate(strategy):
                    sums[self._sequence[first + a]] += probability
            return self._walk(first + self.draw(strategy), player)
        values = [self._walk(first + a, player) for a in range(len(strategy))]
        value = sum(p * v for p, v in zip(strategy, values, strict=True))
        regrets = self.regrets[player]
        for a, one in enumerate(values):
            regrets[self._sequence[first + a]] += one - value
        return value


class ChanceSampling(MonteCarlo):
    """Chance sampling: all actions of all players after a draw of chance."""

    def sample(self, player: int) -> None:
        self._walk(0, player, 1.0, 1.0)

    def _walk(self, node: int, player: int, own: float, others: float) -> float:
        self.touched += 1
        mover = self._player[node]
        if mover == END:
            return float(self._payoffs[node][player])
        if mover == CHANCE:
            return self._walk(self.draw_chance(node), player, own, others)
        strategy, first = self.strategy(node), self._first[node]
        if mover != player:
            return sum(p * self._walk(first + a, player, own, others * p) for a, p in enumerate(strategy) if p > 0.0)
        values = [self._walk(first + a, player, own * p, others) for a, p in enumerate(strategy)]
        value = sum(p * v for p, v in zip(strategy, values, strict=True))
        regrets, sums = self.regrets[player], self.sums[player]
        for a, (p, one) in enumerate(zip(strategy, values, strict=True)):
            sequence = self._sequence[first + a]
            regrets[sequence] += others * (one - value)
            sums[sequence] += own * p
        return value


class OutcomeSampling(MonteCarlo):
    """Outcome sampling.

    The player who learns explores: with probability ``exploration`` all actions are equally likely.
    """

    def __init__(self, game: ExtensiveGame, seed: int = 0, exploration: float = 0.6) -> None:
        super().__init__(game, seed)
        self.exploration = number_of(exploration, "exploration", low=1e-6, high=1.0, error=SolverOptionError)

    def sample(self, player: int) -> None:
        self._walk(0, player, 1.0, 1.0, 1.0)

    def _walk(self, node: int, player: int, own: float, others: float, sampled: float) -> float:
        """Return an unbiased estimate of what a player wins from a history on."""
        self.touched += 1
        mover = self._player[node]
        if mover == END:
            return float(self._payoffs[node][player])
        if mover == CHANCE:
            child = self.draw_chance(node)
            p = self._chance[child]
            return self._walk(child, player, own, others * p, sampled * p)
        strategy, first = self.strategy(node), self._first[node]
        if mover != player:
            a = self.draw(strategy)
            return self._walk(first + a, player, own, others * strategy[a], sampled * strategy[a])
        share = self.exploration / len(strategy)
        drawn_with = [share + (1.0 - self.exploration) * p for p in strategy]
        drawn = self.draw(drawn_with)
        q = drawn_with[drawn]
        found = self._walk(first + drawn, player, own * strategy[drawn], others, sampled * q) / q
        value = strategy[drawn] * found
        regrets, sums, weight = self.regrets[player], self.sums[player], others / sampled
        for a, p in enumerate(strategy):
            sequence = self._sequence[first + a]
            regrets[sequence] += weight * ((found if a == drawn else 0.0) - value)
            sums[sequence] += own / sampled * p
        return value
