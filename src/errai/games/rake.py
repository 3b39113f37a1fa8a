"""Rake: what the house takes of the pot that is won."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class Rake:
    """A share of every pot up to a cap.

    The pot that is raked is the one that is won: a bet that was not called is returned first.  The rake is not rounded
    to whole chips.
    """

    percent: float
    """Of the pot, above 0 and at most 100."""
    cap: float | None = None
    """Chips of one hand at most; None for no cap."""
    no_flop_no_drop: bool = False
    """Whether nothing is taken of a hand that ends before the flop is dealt."""

    def chips(self, pots: NDArray[np.float64], before_the_flop: NDArray[np.bool_]) -> NDArray[np.float64]:
        """float64[n]: what is taken of pots (float64[n], without uncalled bets) of hands that end here."""
        taken = np.asarray(pots, dtype=np.float64) * (self.percent / 100.0)
        if self.cap is not None:
            taken = np.minimum(taken, self.cap)
        return np.where(before_the_flop, 0.0, taken) if self.no_flop_no_drop else taken
