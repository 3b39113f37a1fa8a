"""What a method of re-solving a subgame is, and two of them: without a gadget, and that of CFR-D."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from errai.engine.root import Gadget, MayRefuse
from errai.errors import SubgameError
from errai.own_code import faults_named, numbers_of
from errai.resolving.subgame import Ranges, Subgame


class Method(ABC):
    """A method of re-solving a subgame.  Methods are values: two are equal if their settings are."""

    @property
    @abstractmethod
    def name(self) -> str:
        """One of :data:`errai.resolving.gadgets.METHODS`, or a name made from its parts."""

    @abstractmethod
    def ranges(self, subgame: Subgame) -> Ranges:
        """Return the ranges that enter the lookahead, by seat.

        The player's own range must be exactly the subgame's, because the opponent's values are weighted by it.
        """

    @abstractmethod
    def gadget(self, subgame: Subgame) -> Gadget | None:
        """Return the gadget above the root, or None.

        Raises :class:`~errai.errors.SubgameError` if the subgame lacks something that the method needs.
        """


def apply_method(method: Method, subgame: Subgame) -> tuple[Ranges, Gadget | None]:
    """Return the ranges that enter a lookahead by a method, and its gadget, after checking what the method answers.

    Raises :class:`SubgameError` if the method's code fails, or the ranges are not numbers of at least 0 for every hand,
    or the player's own range is not the subgame's.
    """
    what = f"The method {type(method).__name__}"
    with faults_named(what, SubgameError):
        given, gadget = method.ranges(subgame), method.gadget(subgame)
    if not isinstance(given, list | tuple) or len(given) != 2:
        raise SubgameError(f"{what}: ranges() must return two ranges, not {given!r:.60}.")
    own = subgame.ranges[subgame.player]
    found = [
        numbers_of(weights, f"The weights of player {p}'s range by {what[4:]}", own.shape, low=0.0, error=SubgameError)
        for p, weights in enumerate(given)
    ]
    if not np.array_equal(found[subgame.player], own):
        raise SubgameError(
            f"{what} changes the range of player {subgame.player}, who is re-solved: its total is "
            f"{found[subgame.player].sum():g} instead of {own.sum():g}, or some hands differ.  The opponent's "
            "values are weighted by this range, so it must enter exactly as the subgame has it."
        )
    return (found[0], found[1]), gadget


def scaled_ranges(subgame: Subgame, opponent: NDArray[np.float64]) -> Ranges:
    """Return float64[H] by seat: the player's own range, and weights of the opponent's hands scaled to the same total.

    The total of the opponent's weights is free, since the opponent's values do not depend on it.  With one scale for
    both players the solver's arithmetic treats their regrets equally, however unlikely the line was.
    """
    own = subgame.ranges[subgame.player]
    total = opponent.sum()
    found = [own, own]
    found[subgame.opponent] = opponent * (own.sum() / total) if total > 0 else opponent
    return found[0], found[1]


def level(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Make numbers equal that differ only by rounding, so that the tree may merge the hands that they belong to.

    They are rounded to multiples of less than 1e-12 of the largest.
    """
    largest = float(np.abs(values).max(initial=0.0))
    if not largest > 0.0:
        return values
    step = 2.0 ** (math.ceil(math.log2(largest)) - 41)
    return np.rint(values / step) * step


@dataclass(frozen=True)
class Unsafe(Method):
    """Both players enter with the ranges of the subgame, and no hand may refuse.

    **Guarantee**: none.  The strategy is right against an opponent with the estimated range; against one with another
    range it may be far more exploitable than the old strategy.

    **Source**: Ganzfried and Sandholm, "Endgame solving in large imperfect-information games" (AAMAS 2015); called
    unsafe by Brown and Sandholm, "Safe and nested subgame solving for imperfect-information games" (NeurIPS 2017).

    It reads only the ranges.
    """

    @property
    def name(self) -> str:
        return "unsafe"

    def ranges(self, subgame: Subgame) -> Ranges:
        """See :class:`Method`; the opponent's estimated range is scaled to the total of the player's own."""
        return scaled_ranges(subgame, subgame.ranges[subgame.opponent])

    def gadget(self, subgame: Subgame) -> None:
        return None


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
