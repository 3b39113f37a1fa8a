"""CFR-D re-solving: the opponent may refuse to enter for what he had."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from errai.engine.root import MayRefuse
from errai.errors import SubgameError
from errai.resolving.gadgets.method import Method, Ranges, entering, evenly, level

if TYPE_CHECKING:
    from errai.resolving.subgame import Subgame


@dataclass(frozen=True)
class Resolve(Method):
    """Every hand of the opponent chooses between playing on and its value under the strategy that is replaced.

    **Guarantee**: where that strategy's own values are given, a best response gets no more with any hand than it got
    before, up to the solver's tolerance: with a certificate of e chips per hand, the opponent's hands together exceed
    their values by at most 2e, weighted by what they enter with.  Nothing makes it do better than before where that
    is free.

    **Source**: Burch, Johanson and Bowling, "Solving imperfect information games using decomposition" (AAAI 2014).
    The mixtures with an estimated range are those of Moravcik et al., "DeepStack" (Science 2017, supplement).  The
    conservative one keeps the guarantee.  The aggressive one gives it up: a hand gets more than before where that costs
    less, by the tenth of all hands that may refuse, than it wins from the nine tenths that are taken for certain (in
    Coin Toss it plays as unsafe re-solving does).

    It reads the own range and ``values``; with a mixture the opponent's range too.
    """

    mixing: float = 0.0
    """Weight of the opponent's estimated range among what he is dealt; the rest is dealt evenly.  0 deals all hands
    evenly, as the source has it; DeepStack has 0.9 at the first action of a round."""
    forced: bool = False
    """Whether the estimated part must follow (DeepStack's aggressive mixture), and not only what is dealt evenly may
    choose; without, all of it may refuse (the conservative one)."""

    def __post_init__(self) -> None:
        if not 0.0 <= self.mixing < 1.0:
            raise SubgameError(
                f"An estimated range is mixed in with a weight from 0 to below 1, not {self.mixing}: what is certain "
                "cannot be refused, and that is the method `unsafe`."
            )

    @property
    def name(self) -> str:
        """See :class:`Method`."""
        if not self.mixing:
            return "resolve"
        return "aggressive" if self.forced else "conservative"

    def ranges(self, subgame: Subgame) -> Ranges:
        """See :class:`Method`."""
        estimated, even = self._parts(subgame)
        return entering(subgame, estimated + even)

    def gadget(self, subgame: Subgame) -> MayRefuse:
        """See :class:`Method`."""
        return self.refusing(subgame, subgame.required("values"))

    def refusing(self, subgame: Subgame, values: NDArray[np.float64]) -> MayRefuse:
        """The gadget with these counterfactual values of refusing, float64[H] or float64[K, H]."""
        share = None
        if self.forced and self.mixing:
            estimated, even = self._parts(subgame)
            both = estimated + even
            share = np.divide(estimated, both, out=np.zeros_like(both), where=both > 0)
        return MayRefuse(level(values), subgame.opponent, None if share is None else np.minimum(level(share), 1.0))

    def _parts(self, subgame: Subgame) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """float64[H] each, summing to 1 together: what is dealt as estimated, and what is dealt evenly."""
        even = evenly(subgame)
        even *= (1.0 - self.mixing) / even.sum()
        if not self.mixing:
            return np.zeros_like(even), even
        estimated = subgame.ranges[subgame.opponent]
        if not estimated.any():
            raise SubgameError("No hand of the opponent's estimated range is possible on this board.")
        return estimated * (self.mixing / estimated.sum()), even
