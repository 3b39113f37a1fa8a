"""Rake: the share of the pot that the house takes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class Rake:
    """A share of every pot, up to a cap.

    The pot that is raked is the one that is won: a bet that was not called is returned first.  The rake is not rounded
    to whole chips.
    """

    percent: float
    """Per cent of the pot, above 0 and at most 100."""
    cap: float | None = None
    """The most chips that are taken of one hand; None for no cap."""
    no_flop_no_drop: bool = False
    """Whether nothing is taken of a hand that ends before the flop is dealt."""

    def chips(self, pots: NDArray[np.float64], before_the_flop: NDArray[np.bool_]) -> NDArray[np.float64]:
        """Return float64[n]: the rake of pots (float64[n], without uncalled bets) of hands that end here."""
        taken = np.asarray(pots, dtype=np.float64) * (self.percent / 100.0)
        if self.cap is not None:
            taken = np.minimum(taken, self.cap)
        return np.where(before_the_flop, 0.0, taken) if self.no_flop_no_drop else taken
