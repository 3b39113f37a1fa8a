"""What is learnt at a root: one choice among a few actions, by regret matching with the run's own coefficients."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from errai.engine.schedules import Schedule
from errai.kernels.protocol import COEFFICIENTS


class Choice:
    """A choice that stands above a tree, learnt as the decisions in the tree are; see :mod:`errai.engine.schedules`.

    Parameters
    ----------
    shape:
        Of the regrets: actions along the first axis, choices that are learnt apart along the others.
    schedule:
        The variant: whether it predicts, and whether updates are simultaneous.
    tie:
        Regret that counts as none.
    copies:
        float64 that broadcasts to ``shape``: how many equal actions each one stands for; 0 for those that are never
        taken.  By default all are single.
    """

    def __init__(
        self, shape: tuple[int, ...], schedule: Schedule, tie: float, copies: NDArray[np.float64] | None = None
    ) -> None:
        self._regrets, self._sums = np.zeros(shape), np.zeros(shape)
        self._predicted = np.zeros(shape) if schedule.predictive else None
        self._frozen = np.zeros(shape) if schedule.simultaneous else None
        self._tie = tie
        self._copies = np.ones(shape) if copies is None else np.broadcast_to(copies, shape)

    def probabilities(self, strategy: str) -> NDArray[np.float64]:
        """Those of the ``average`` or the ``current`` strategy, or of the one ``played`` in this iteration."""
        if strategy == "average":
            weights = self._sums
        else:
            played = strategy == "played" and self._frozen is not None
            source = self._frozen if played and self._frozen is not None else self._source
            weights = np.where(source > self._tie, source, 0.0) * self._copies
        total = weights.sum(axis=0, keepdims=True)
        uniform = self._copies / self._copies.sum(axis=0, keepdims=True)
        return np.where(total > 0.0, weights / np.where(total > 0.0, total, 1.0), uniform)

    def freeze(self) -> None:
        """With simultaneous updates: what is played stays until the iteration ends."""
        if self._frozen is not None:
            self._frozen[...] = self._source

    def learn(self, worth: NDArray[np.float64], coefficients: NDArray[np.float64]) -> None:
        """One iteration, in which the actions were worth so much; ``coefficients`` is one row, as for the kernels."""
        row = dict(zip(COEFFICIENTS, np.asarray(coefficients).tolist(), strict=True))
        strategy = self.probabilities("played")
        gain = worth - (strategy * worth).sum(axis=0)
        summed = self._regrets + gain
        self._regrets[...] = np.where(summed > 0.0, row["positive"], row["negative"]) * summed
        self._sums[...] = row["average"] * self._sums + row["weight"] * strategy
        if self._predicted is not None:
            self._predicted[...] = self._regrets + row["prediction"] * gain

    def arrays(self) -> dict[str, NDArray]:
        """What has been learnt, by name, for checkpoints."""
        found = {"root/regrets": self._regrets, "root/sums": self._sums}
        return found if self._predicted is None else {**found, "root/predicted": self._predicted}

    def adopt(self, arrays: Mapping[str, NDArray]) -> None:
        """Go on with arrays of the same names and sizes."""
        for name, own in self.arrays().items():
            own[...] = arrays[name]

    @property
    def _source(self) -> NDArray[np.float64]:
        return self._regrets if self._predicted is None else self._predicted
