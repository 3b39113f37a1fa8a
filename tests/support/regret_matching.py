"""Regret matching for one decision, without a tree around it (Hart & Mas-Colell 2000)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


class RegretMatching:
    """Plays in proportion to positive regret; regrets are in units of the payoffs, float64[actions]."""

    def __init__(self, num_actions: int) -> None:
        self.cumulative_regrets: NDArray[np.float64] = np.zeros(num_actions)
        self._strategy_sum: NDArray[np.float64] = np.zeros(num_actions)

    @property
    def strategy(self) -> NDArray[np.float64]:
        """The current strategy: normalised positive regrets, or uniform if there are none."""
        return _normalised(np.maximum(self.cumulative_regrets, 0.0))

    def play(self) -> NDArray[np.float64]:
        """Return the current strategy and add it to the average."""
        strategy = self.strategy
        self._strategy_sum += strategy
        return strategy

    def observe(self, utilities: NDArray, played: int | None = None) -> None:
        """Add what every action would have won beyond what was played; None stands for the expectation, as in CFR."""
        baseline = self.strategy @ utilities if played is None else utilities[played]
        self.cumulative_regrets += np.asarray(utilities) - baseline

    @property
    def average(self) -> NDArray[np.float64]:
        """The average of what :meth:`play` returned; uniform before the first call."""
        return _normalised(self._strategy_sum)


def _normalised(weights: NDArray[np.float64]) -> NDArray[np.float64]:
    total = weights.sum()
    return weights / total if total > 0 else np.full(len(weights), 1 / len(weights))


def self_play(payoffs: NDArray, iterations: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return both players' average strategies after playing regret matching against itself."""
    row, column = (RegretMatching(size) for size in payoffs.shape)
    for _ in range(iterations):
        x, y = row.play(), column.play()
        row.observe(payoffs @ y)
        column.observe(-(x @ payoffs))
    return row.average, column.average
