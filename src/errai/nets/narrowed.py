"""A network's values among some hands, where it knows them only for all."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from errai.nets.positions import BoardValues, Floats


def narrowed(values: BoardValues, among: NDArray[np.int64] | None) -> BoardValues:
    """Values on a board as ``ValueNet.on(board, among)`` gives them, from those of ``ValueNet.on(board)``.

    Values that have a method ``among``, int64[M] to `BoardValues`, know better: it is called.  Others are asked about
    ranges in which all other hands weigh nothing.
    """
    if among is None:
        return values
    own = getattr(values, "among", None)
    return _Narrowed(values, among) if own is None else own(among)


class _Narrowed:
    def __init__(self, every: BoardValues, among: NDArray[np.int64]) -> None:
        self.every = every
        self.places = np.flatnonzero(np.isin(every.hands, among))
        self.hands = every.hands[self.places]

    def values(self, ranges: Floats, stacks: Floats) -> Floats:
        spread = np.zeros((*ranges.shape[:2], len(self.every.hands)), dtype=np.float32)
        spread[:, :, self.places] = ranges
        return self.every.values(spread, stacks)[:, :, self.places]
