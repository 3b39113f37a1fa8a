"""CFR-D re-solving: each of the opponent's hands may refuse to enter and take its old value instead."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from errai.engine.root import MayRefuse
from errai.errors import SubgameError
from errai.resolving.gadgets.method import Method, Ranges, level, scaled_ranges
from errai.resolving.subgame import Subgame


@dataclass(frozen=True)
class Resolve(Method):
    """Every hand of the opponent chooses between entering the subgame and its value under the old strategy.

    **Guarantee**: if the values are those of the old strategy, a best response gets no more with any hand than before,
    up to the solver's tolerance: with a certificate of e chips per hand, the opponent's hands together exceed their
    values by at most 2e, weighted by their entering weights.  It has no incentive to do better than the old strategy.

    **Source**: Burch, Johanson and Bowling, "Solving imperfect information games using decomposition" (AAAI 2014).  The
    mixtures with an estimated range are those of Moravcik et al., "DeepStack" (Science 2017, supplement).  The
    conservative one keeps the guarantee.  The aggressive one loses it: a hand may get more than before if that costs
    less against the tenth of hands that may refuse than it wins against the nine tenths that must enter (in Coin Toss
    it plays as unsafe re-solving does).

    It reads the player's own range and ``values``; with a mixture also the opponent's range.
    """

    mixing: float = 0.0
    """Weight of the opponent's estimated range among the hands dealt to the opponent; the rest has equal weights.  0
    gives all hands equal weights, as in the source; DeepStack uses 0.9 at the first action of a round."""
    forced: bool = False
    """Whether the estimated part must enter, so that only the equally weighted part may refuse (DeepStack's aggressive
    mixture); if not, all of it may refuse (the conservative mixture)."""

    def __post_init__(self) -> None:
        if not 0.0 <= self.mixing < 1.0:
            raise SubgameError(
                f"The weight of the estimated range must be at least 0 and below 1, not {self.mixing}; for a weight of "
                "1 use the method `unsafe`."
            )

    @property
    def name(self) -> str:
        if not self.mixing:
            return "resolve"
        return "aggressive" if self.forced else "conservative"

    def ranges(self, subgame: Subgame) -> Ranges:
        estimated, even = self._parts(subgame)
        return scaled_ranges(subgame, estimated + even)

    def gadget(self, subgame: Subgame) -> MayRefuse:
        return self.refusing(subgame, subgame.required("values"))

    def refusing(self, subgame: Subgame, values: NDArray[np.float64]) -> MayRefuse:
        """Return the gadget with the given counterfactual values of refusing, float64[H] or float64[K, H]."""
        share = None
        if self.forced and self.mixing:
            estimated, even = self._parts(subgame)
            both = estimated + even
            share = np.divide(estimated, both, out=np.zeros_like(both), where=both > 0)
        return MayRefuse(level(values), subgame.opponent, None if share is None else np.minimum(level(share), 1.0))

    def _parts(self, subgame: Subgame) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return two parts, float64[H], that sum to 1 together: the estimated range, and all hands alike."""
        even = subgame.possible.astype(np.float64)
        even *= (1.0 - self.mixing) / even.sum()
        if not self.mixing:
            return np.zeros_like(even), even
        estimated = subgame.ranges[subgame.opponent]
        if not estimated.any():
            raise SubgameError("No hand of the opponent's estimated range is possible on this board.")
        return estimated * (self.mixing / estimated.sum()), even


def openings(method: Method, mixing: float) -> tuple[Method, Method] | None:
    """Return the methods for the player's first action on a street, as the first to act there and as the second.

    ``mixing`` is the weight of the opponent's estimated range.  An opponent who has not acted on the street must enter
    with that part (the aggressive mixture); one who has may refuse all of it (the conservative mixture).  None is
    returned if nothing is mixed in: without a weight, and for methods other than ``resolve``.

    Source: Moravčík et al., "DeepStack" (Science 2017), supplement.
    """
    if not mixing or method != Resolve():
        return None
    return Resolve(mixing, forced=True), Resolve(mixing)
