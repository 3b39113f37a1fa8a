"""CFR-BR: each player learns in buckets against an opponent who sees the own cards and responds best.

Johanson, Bard, Burch & Bowling, "Finding optimal abstract strategies in extensive-form games" (AAAI 2012).  The result
is the least exploitable strategy over the buckets, which an equilibrium of the abstract game need not be.  The current
strategy converges to it too, not only the average.  The opponent's response is computed over all boards at every
iteration, so the game must be small enough for full walks.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from errai.blueprints.full import FullWidth
from errai.kernels.layout import BEST


class CfrBr(FullWidth):
    """A solver with CFR-BR; parameters and errors are those of :class:`~errai.blueprints.full.FullWidth`."""

    method = "cfr-br"

    def __init__(self, *arguments: Any, **settings: Any) -> None:
        super().__init__(*arguments, **settings)
        # There is one response at a time, so both seats can share one set of arrays if the sizes are the same.
        streets = self.tree.arrays.streets
        self._choices = [[np.zeros(street.state_size(p), np.uint16) for street in streets] for p in (0, 1)]

    def iterate(self, count: int) -> None:
        """See :meth:`BucketSolver.iterate`."""
        for row in self.schedule.coefficients(self.iteration + 1, count):
            for player in (0, 1):
                choices = self._choices[1 - player]
                self.kernel.root_values(self.regrets, 1 - player, role=BEST, choices=choices)
                self.update(player, row, choices)
