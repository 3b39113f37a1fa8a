"""Distributional alternatives: the estimate of what the opponent has elsewhere is not quite certain."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import NormalDist
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from errai.errors import SubgameError
from errai.resolving.gadgets.method import Method, Ranges
from errai.resolving.gadgets.resolve import Resolve

if TYPE_CHECKING:
    from errai.engine.root import MayRefuse
    from errai.resolving.subgame import Subgame


@dataclass(frozen=True)
class Distributional(Method):
    """The opponent may refuse for a value that is drawn around its estimate, and that he sees before he chooses.

    With one fixed estimate the strategy is fitted to it: a hand whose estimate is a little high never enters, and the
    strategy plays as if it were not there.  Where the value is drawn, every hand enters now and then, and most often
    those whose estimate is near to what the subgame gives them.  The normal distribution is taken in ``draws`` parts of
    equal chance, each standing for its mean, so that the mean of the draws is the estimate; all parts are learnt at
    once.

    **Guarantee**: none that is exact; for a width of 0 it is that of estimated alternatives, on the re-solving gadget.

    **Source**: Brown and Sandholm, "Safe and nested subgame solving for imperfect-information games" (NeurIPS 2017),
    distributional alternative payoffs.  They draw from a continuous distribution and let Hedge learn all draws in one
    step; parts of equal chance are ours, for regret matching.

    It reads the own range and ``estimated``.
    """

    width: float = 0.05
    """Standard deviation, in pots at the root, of what a hand has elsewhere (its counterfactual value divided by the
    weight of the own hands that fit).  As a rule about what the strategy that is replaced can be exploited for."""
    draws: int = 8
    """Parts of equal chance."""

    def __post_init__(self) -> None:
        if not 0.0 <= self.width < float("inf"):
            raise SubgameError(f"The width of alternatives is a number of pots, at least 0, not {self.width}.")
        if self.draws < 1:
            raise SubgameError(f"Alternatives are drawn from at least 1 part, not {self.draws}.")

    @property
    def name(self) -> str:
        """See :class:`Method`."""
        return "distributional"

    def ranges(self, subgame: Subgame) -> Ranges:
        """See :class:`Method`; all hands that the board leaves possible, evenly."""
        return Resolve().ranges(subgame)

    def gadget(self, subgame: Subgame) -> MayRefuse:
        """See :class:`Method`."""
        spread = self.width * subgame.state.pot_chips * subgame.against
        drawn = subgame.required("estimated") + normal_parts(self.draws)[:, None] * spread
        return Resolve().refusing(subgame, drawn)


def normal_parts(count: int) -> NDArray[np.float64]:
    """float64[count]: the means of parts of equal chance of the standard normal distribution, from below."""
    normal = NormalDist()
    density = [0.0, *(normal.pdf(normal.inv_cdf(k / count)) for k in range(1, count)), 0.0]
    return count * -np.diff(density)
