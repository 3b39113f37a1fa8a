"""A choice among a few actions above or below a tree, learnt by regret matching as the decisions in the tree are.

The coefficients are those of the run, see :mod:`errai.engine.schedules`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from errai.kernels.protocol import COEFFICIENTS


class Choice:
    """A player's choice at many places at once, such as for each hand at a root or at leaves.

    Parameters
    ----------
    shape:
        The shape of the regrets: actions along the first axis, independent choices along the others.
    tie:
        The largest regret that counts as 0.
    copies:
        float64 that broadcasts to ``shape``: the number of equal actions that each action stands for; 0 for actions
        that are never taken.  By default all are 1.
    simultaneous:
        Whether the strategy that is played stays the same from one :meth:`freeze` to the next.
    """

    def __init__(
        self,
        shape: tuple[int, ...],
        tie: float = 0.0,
        *,
        copies: NDArray[np.float64] | None = None,
        simultaneous: bool = False,
    ) -> None:
        self.regrets, self.sums = np.zeros(shape), np.zeros(shape)
        self._predicted = np.zeros(shape)
        self._predicts = np.zeros(1, np.uint8)
        """Whether the variant predicts, as its coefficients say."""
        self._frozen = np.zeros(shape) if simultaneous else None
        self._tie = tie
        self._copies = np.ones(shape) if copies is None else np.broadcast_to(copies, shape)

    def probabilities(self, strategy: str) -> NDArray[np.float64]:
        """Return the probabilities of the ``average`` or ``current`` strategy, or the one ``played`` in this iteration.

        The last two differ while updates are simultaneous.
        """
        if strategy == "average":
            return self._shares(self.sums)
        frozen = self._frozen if strategy == "played" else None
        return self._matched(self._source if frozen is None else frozen)

    def freeze(self) -> None:
        """With simultaneous updates, keep the strategy that is played until the iteration ends."""
        if self._frozen is not None:
            self._frozen[...] = self._source

    def learn(
        self,
        values: NDArray[np.float64],
        coefficients: NDArray[np.float64],
        reach: NDArray[np.float64] | float = 1.0,
    ) -> NDArray[np.float64]:
        """Learn from one iteration.

        Parameters
        ----------
        values:
            The counterfactual value of each action, in the shape of the regrets.
        coefficients:
            One row of coefficients, as the kernels take it.
        reach:
            The weight of the choice in the average, which is the player's own reach if the variant weights by it.

        Returns
        -------
        The value of each choice under the old strategy, foresight included.
        """
        row = dict(zip(COEFFICIENTS, np.asarray(coefficients).tolist(), strict=True))
        played = self.probabilities("played")
        value = (played * values).sum(axis=0)
        gain = values - value
        summed = self.regrets + gain
        self.regrets[...] = np.where(summed > 0.0, row["positive"], row["negative"]) * summed
        self.sums[...] = row["average"] * self.sums + row["weight"] * played * reach
        if row["prediction"]:
            self._predicted[...] = self.regrets + row["prediction"] * gain
            self._predicts[...] = 1
        # As in the kernels, there is nothing to foresee without a positive regret.
        source = self._source
        ahead = np.where((source > self._tie).any(axis=0), (self._matched(source) * values).sum(axis=0), value)
        return np.asarray(value + row["foresight"] * (ahead - value))

    def arrays(self, where: str) -> dict[str, NDArray[Any]]:
        """Return all learnt arrays, not copied, by names that begin with ``where``; checkpoints store them."""
        found: dict[str, NDArray[Any]] = {
            "regrets": self.regrets,
            "sums": self.sums,
            "predicted": self._predicted,
            "predicts": self._predicts,
        }
        return {f"{where}/{name}": array for name, array in found.items()}

    def adopt(self, where: str, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Continue with arrays of the same names and sizes."""
        for name, own in self.arrays(where).items():
            own[...] = arrays[name]

    @property
    def _source(self) -> NDArray[np.float64]:
        return self._predicted if self._predicts[0] else self.regrets

    def _matched(self, source: NDArray[np.float64]) -> NDArray[np.float64]:
        return self._shares(np.where(source > self._tie, source, 0.0) * self._copies)

    def _shares(self, weights: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return weights divided by their sum; if it is 0, shares in proportion to the number of copies."""
        total = weights.sum(axis=0, keepdims=True)
        uniform = self._copies / self._copies.sum(axis=0, keepdims=True)
        return np.where(total > 0.0, weights / np.where(total > 0.0, total, 1.0), uniform)
