"""What every method of solving a subgame again answers: what enters its root, and what stands above it."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from errai.engine.root import Gadget
    from errai.resolving.subgame import Subgame

Ranges = tuple[NDArray[np.float64], NDArray[np.float64]]
"""float64[H] by seat."""


class Method(ABC):
    """A way to solve a subgame again.  Methods are values: equal where their settings are."""

    @property
    @abstractmethod
    def name(self) -> str:
        """One of :data:`errai.resolving.gadgets.METHODS`, or what it is made of."""

    @abstractmethod
    def ranges(self, subgame: Subgame) -> Ranges:
        """What enters the lookahead, by seat.

        The own range is the subgame's to the bit, for the opponent's values are weighted by it.
        """

    @abstractmethod
    def gadget(self, subgame: Subgame) -> Gadget | None:
        """What stands above the root.

        Raises :class:`~errai.errors.SubgameError` where the subgame lacks what the method needs.
        """


def entering(subgame: Subgame, opponent: NDArray[np.float64]) -> Ranges:
    """float64[H] by seat: the own range, and weights of the opponent's hands in the scale of the own range.

    How large the opponent's weights are in all is free, since his values do not depend on it; with one scale for both
    players the solver's arithmetic treats their regrets alike, however unlikely the own line was.
    """
    own = subgame.ranges[subgame.player]
    total = opponent.sum()
    found = [own, own]
    found[subgame.opponent] = opponent * (own.sum() / total) if total > 0 else opponent
    return found[0], found[1]


def evenly(subgame: Subgame) -> NDArray[np.float64]:
    """float64[H]: weight 1 for every hand that the opponent may hold."""
    return subgame.possible.astype(np.float64)


def level(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Numbers that only rounding tells apart, made equal, so that the tree may merge the hands that they belong to.

    What is rounded off is below 1e-12 of the largest.
    """
    largest = float(np.abs(values).max(initial=0.0))
    if not largest > 0.0:
        return values
    step = 2.0 ** (math.ceil(math.log2(largest)) - 41)
    return np.rint(values / step) * step
