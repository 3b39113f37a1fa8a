"""Other values for another method: estimates, the opponent's gifts, and a distribution around an estimate."""

from __future__ import annotations

from dataclasses import dataclass, field
from statistics import NormalDist
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from errai.engine.root import Gadget, MayRefuse
from errai.errors import SubgameError
from errai.resolving.gadgets.maxmargin import Maxmargin
from errai.resolving.gadgets.method import Method, Resolve
from errai.resolving.subgame import Ranges, Subgame


@dataclass(frozen=True)
class Adjusted(Method):
    """Another method, with other values of the opponent's hands."""

    word: ClassVar[str]
    """The name where the other method is Maxmargin, else its beginning."""
    over: Method = field(default_factory=Maxmargin)

    @property
    def name(self) -> str:
        return self.word if self.over == Maxmargin() else f"{self.word}-{self.over.name}"

    def ranges(self, subgame: Subgame) -> Ranges:
        return self.over.ranges(subgame)


@dataclass(frozen=True)
class Estimated(Adjusted):
    """Another method, with estimates of the opponent's values instead of the values of a best response.

    A best response to a strategy from a coarse abstraction wins much that no opponent wins from a good strategy.
    Compared with such values all hands have large margins, so they put no constraint on the subgame's strategy.  The
    values of the hands if *both* players follow the strategy are closer to those of an equilibrium.

    **Guarantee**: it is as good as the estimates.  If none differs by more than d chips per hand from what an
    equilibrium would give, at most 2d is lost compared with an equilibrium (Brown and Sandholm's theorem 2); compared
    with the old strategy nothing is guaranteed.

    **Source**: Brown and Sandholm, "Safe and nested subgame solving for imperfect-information games" (NeurIPS 2017),
    estimates for alternative payoffs.

    With Maxmargin, as in Libratus, a hand whose estimate is far too low (because it is played badly) has the smallest
    margin in any case, and the solution cares for this hand alone; with re-solving it merely always enters.

    It reads ``estimated`` where the other method reads ``values``.
    """

    word = "estimated"

    def gadget(self, subgame: Subgame) -> Gadget | None:
        return self.over.gadget(subgame.with_values(values=subgame.required("estimated")))


@dataclass(frozen=True)
class Reach(Adjusted):
    """Another method, with the opponent's values raised by the opponent's gifts.

    At an earlier decision of the opponent, a hand gives up the difference between the value of its best action and that
    of the action that led here: its value in the subgame may rise by so much before its value at that decision exceeds
    the old one.  A hand that gave up much therefore need not be held down, and those that gave up nothing are held down
    further.

    **Guarantee**: that of the method over which it is used, for the strategy as a whole: a best response from the start
    of the game gets no more than before.  What a hand gets *in the subgame* may be more.  If several subgames are
    re-solved, the gifts of one decision must be divided among them (Brown and Sandholm's theorem 1 takes a lower bound
    that does not depend on the play in the other subgames); whoever computes ``gifts`` must do so.

    **Source**: Brown and Sandholm, "Safe and nested subgame solving for imperfect-information games" (NeurIPS 2017);
    with Maxmargin it is their Reach-Maxmargin.

    It reads ``gifts``, and what the other method reads.
    """

    word = "reach"

    def gadget(self, subgame: Subgame) -> Gadget | None:
        gifts = subgame.required("gifts")
        estimated = None if subgame.estimated is None else subgame.estimated + gifts
        return self.over.gadget(subgame.with_values(values=subgame.values + gifts, estimated=estimated))


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
        return "distributional"

    def ranges(self, subgame: Subgame) -> Ranges:
        """See :class:`Method`; the opponent has all hands that the board leaves possible, with equal weights."""
        return Resolve().ranges(subgame)

    def gadget(self, subgame: Subgame) -> MayRefuse:
        spread = self.width * subgame.state.pot_chips * subgame.against
        drawn = subgame.required("estimated") + normal_parts(self.draws)[:, None] * spread
        return Resolve().refusing(subgame, drawn)


def normal_parts(count: int) -> NDArray[np.float64]:
    """Return float64[count]: the means of parts of equal probability of the standard normal distribution, ascending."""
    normal = NormalDist()
    density = [0.0, *(normal.pdf(normal.inv_cdf(k / count)) for k in range(1, count)), 0.0]
    return count * -np.diff(density)
