"""Distributional alternative payoffs: the estimate of the opponent's values elsewhere is uncertain."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from errai.engine.root import MayRefuse
from errai.errors import SubgameError
from errai.resolving.gadgets.method import Method, Ranges
from errai.resolving.gadgets.resolve import Resolve
from errai.resolving.subgame import Subgame


@dataclass(frozen=True)
class Distributional(Method):
    """The opponent may refuse for a value that is drawn around its estimate, and sees it before choosing.

    With one fixed estimate the strategy is fitted to it: a hand whose estimate is a little too high never enters, and
    the strategy plays as if that hand did not exist.  If the value is drawn, every hand enters now and then, most often
    those whose estimate is close to what they get in the subgame.  The normal distribution is divided into ``draws``
    parts of equal probability, each represented by its mean, so that the mean of the draws is the estimate; all parts
    are updated together.

    **Guarantee**: no exact one; for a width of 0 it is that of estimated alternatives with the re-solving gadget.

    **Source**: Brown and Sandholm, "Safe and nested subgame solving for imperfect-information games" (NeurIPS 2017),
    distributional alternative payoffs.  They draw from a continuous distribution and let Hedge update all draws in one
    step; parts of equal probability are our version for regret matching.

    It reads the player's own range and ``estimated``.
    """

    width: float = 0.05
    """Standard deviation, in pots at the root, of a hand's value elsewhere (its counterfactual value divided by the
    weight of the player's hands that share no card with it).  A good choice is about the exploitability of the old
    strategy."""
    draws: int = 8
    """Number of parts of equal probability."""

    def __post_init__(self) -> None:
        if not 0.0 <= self.width < float("inf"):
            raise SubgameError(f"The width must be a number of pots of at least 0, not {self.width}.")
        if self.draws < 1:
            raise SubgameError(f"The number of draws must be at least 1, not {self.draws}.")

    @property
    def name(self) -> str:
        """See :class:`Method`."""
        return "distributional"

    def ranges(self, subgame: Subgame) -> Ranges:
        """See :class:`Method`; the opponent has all hands that the board leaves possible, with equal weights."""
        return Resolve().ranges(subgame)

    def gadget(self, subgame: Subgame) -> MayRefuse:
        """See :class:`Method`."""
        spread = self.width * subgame.state.pot_chips * subgame.against
        drawn = subgame.required("estimated") + normal_parts(self.draws)[:, None] * spread
        return Resolve().refusing(subgame, drawn)


def normal_parts(count: int) -> NDArray[np.float64]:
    """Return float64[count]: the means of parts of equal probability of the standard normal distribution, ascending."""
    normal = NormalDist()
    density = [0.0, *(normal.pdf(normal.inv_cdf(k / count)) for k in range(1, count)), 0.0]
    return count * -np.diff(density)
