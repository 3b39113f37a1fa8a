"""The 169 classes of hold'em hands: pairs, and two different ranks either suited or offsuit."""

from __future__ import annotations

from functools import cache, lru_cache
from itertools import combinations, product

import numpy as np
from numpy.typing import NDArray

from errai.cards.deck import MAX_RANKS, RANKS
from errai.cards.hands import hand_index

NUM_HANDS = 1326

SUITED = "s"
OFFSUIT = "o"
ANY_SUITS = ""
"""For two ranks: suited and offsuit together.  It is the only kind for pairs."""


def class_text(high: int, low: int, kind: str) -> str:
    """Return the text of a class, for example ``AKs``; ranks count from 0, the deuce."""
    return RANKS[high] + RANKS[low] + kind


@lru_cache(maxsize=512)
def class_hands(high: int, low: int, kind: str) -> NDArray[np.int32]:
    """Return the hand indices of a class, ascending: 6 for a pair, 4 suited, 12 offsuit, 16 for both kinds together.

    Returns
    -------
    int32[n], read-only and shared between callers.
    """
    if high == low:
        suits = list(combinations(range(4), 2))
    else:
        suits = [(a, b) for a, b in product(range(4), repeat=2) if kind == ANY_SUITS or (a == b) is (kind == SUITED)]
    hands = np.sort(hand_index([(high * 4 + a, low * 4 + b) for a, b in suits]))
    hands.setflags(write=False)
    return hands


@cache
def class_of_hand() -> NDArray[np.int16]:
    """Return int16[1326], read-only: the cell of the 13 x 13 grid, row by row, to which each hand belongs."""
    found = np.empty(NUM_HANDS, dtype=np.int16)
    for cell in range(MAX_RANKS * MAX_RANKS):
        found[class_hands(*grid_class(*divmod(cell, MAX_RANKS)))] = cell
    found.setflags(write=False)
    return found


def grid_class(row: int, column: int) -> tuple[int, int, str]:
    """Return the ranks and the kind of a cell of the usual 13 x 13 grid.

    Row and column 0 are the ace and 12 the deuce.  Suited hands are above the diagonal and offsuit hands below.
    """
    high, low = MAX_RANKS - 1 - min(row, column), MAX_RANKS - 1 - max(row, column)
    if row == column:
        return high, low, ANY_SUITS
    return high, low, SUITED if row < column else OFFSUIT
