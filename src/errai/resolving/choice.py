"""A choice among a few continuations, learnt by regret matching at many places at once."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from errai.kernels.protocol import COEFFICIENTS, matched


@dataclass(eq=False)
class Choice:
    """One player's choice among K things at n places, such as hands at leaves; it learns as a kernel's decisions do."""

    regrets: NDArray[np.float64]
    """float64[K, n]"""
    sums: NDArray[np.float64]
    predicted: NDArray[np.float64]
    """The regrets from which the next choice is made, where the variant predicts; else they are not used."""
    predicts: NDArray[np.uint8]
    """uint8[1]: whether it does."""

    @classmethod
    def of(cls, count: int, places: int) -> Choice:
        """Nothing has been learnt."""
        shape = count, places
        return cls(np.zeros(shape), np.zeros(shape), np.zeros(shape), np.zeros(1, np.uint8))

    def played(self, tie: float = 0.0) -> NDArray[np.float64]:
        """float64[K, n]: what is chosen now; regrets up to ``tie`` count as none."""
        return matched(self.predicted if self.predicts[0] else self.regrets, tie)

    def average(self) -> NDArray[np.float64]:
        """float64[K, n]: what has been chosen on average."""
        return matched(self.sums)

    def learn(
        self,
        worth: NDArray[np.float64],
        reach: NDArray[np.float64],
        coefficients: NDArray[np.float64],
        weighted: bool,
        tie: float = 0.0,
    ) -> NDArray[np.float64]:
        """One step of regret matching.

        Parameters
        ----------
        worth:
            float64[K, n]: what each thing is worth.
        reach:
            float64[n]: with what weight the player gets to each place.
        coefficients, weighted:
            As for :meth:`errai.kernels.protocol.Kernel.update`.
        tie:
            Regrets up to this count as none.

        Returns
        -------
        float64[n]: what the choice was worth while it was still the old one, foresight included.
        """
        row = dict(zip(COEFFICIENTS, np.asarray(coefficients).tolist(), strict=True))
        played = self.played(tie)
        value = (played * worth).sum(axis=0)
        gain = worth - value
        summed = self.regrets + gain
        self.regrets[...] = np.where(summed > 0.0, row["positive"], row["negative"]) * summed
        self.sums[...] = row["average"] * self.sums + row["weight"] * played * (reach if weighted else 1.0)
        source = self.regrets
        if row["prediction"]:
            self.predicted[...] = self.regrets + row["prediction"] * gain
            self.predicts[...] = 1
            source = self.predicted
        # As in the kernels: without a regret above none there is nothing to foresee.
        ahead = np.where((source > tie).any(axis=0), (matched(source, tie) * worth).sum(axis=0), value)
        return value + row["foresight"] * (ahead - value)

    def arrays(self) -> dict[str, NDArray]:
        """All that has been learnt, by name; the arrays themselves."""
        return {"regrets": self.regrets, "sums": self.sums, "predicted": self.predicted, "predicts": self.predicts}
