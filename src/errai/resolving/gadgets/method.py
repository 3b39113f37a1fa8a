"""Methods of re-solving a subgame: the ranges that enter its root, and the gadget above it; and the one without."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from errai.engine.root import Gadget
from errai.errors import SubgameError
from errai.own_code import faults_named, numbers_of
from errai.resolving.subgame import Subgame

Ranges = tuple[NDArray[np.float64], NDArray[np.float64]]
"""float64[H] by seat."""


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
