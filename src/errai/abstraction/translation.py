"""Action translation: mapping an opponent's bet that is not in the tree to one of the two nearest bets that are.

Sizes are fractions of the pot, and a check has the size 0.  Only their ratios to the pot matter, so chips may be used
if they are divided by the pot in chips.  Hard translation maps to the nearer of the two, by difference or by ratio.  It
can be exploited by bets just beside the border.  Randomised translation maps to each with a probability (Ganzfried &
Sandholm, "Action translation in extensive-form games with large action spaces: axioms, paradoxes, and the
pseudo-harmonic mapping", 2013).
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import pairwise

from errai.errors import InputError

Mapping = Callable[[float, float, float], float]
"""Maps (x, a, b) to the probability that a bet of x, a <= x <= b, is translated to a instead of b."""


class Translation(StrEnum):
    """The names of the mappings."""

    ARITHMETIC = "arithmetic"
    GEOMETRIC = "geometric"
    RANDOMISED_ARITHMETIC = "randomised-arithmetic"
    RANDOMISED_GEOMETRIC = "randomised-geometric"
    RANDOMISED_GEOMETRIC_2 = "randomised-geometric-2"
    PSEUDO_HARMONIC = "pseudo-harmonic"
    NEAREST_PSEUDO_HARMONIC = "nearest-pseudo-harmonic"


def pseudo_harmonic(x: float, a: float, b: float) -> float:
    """Return the probability of a in the pseudo-harmonic mapping, (b - x) (1 + a) / ((b - a) (1 + x)).

    It makes an opponent indifferent in the clairvoyance game.

    Raises :class:`InputError` if not 0 <= a <= x <= b, or a number is not finite.
    """
    _check(x, a, b)
    return 1.0 if a == b else (b - x) * (1 + a) / ((b - a) * (1 + x))


def nearest_pseudo_harmonic(x: float, a: float, b: float) -> float:
    """Translate hard at the border of `pseudo_harmonic`: return 1 if that is at least one half, else 0."""
    return 1.0 if pseudo_harmonic(x, a, b) >= 0.5 else 0.0


def nearest(x: float, a: float, b: float) -> float:
    """Translate hard by difference: return 1 if x is at most (a + b) / 2, else 0."""
    _check(x, a, b)
    return 1.0 if x - a <= b - x else 0.0


def nearest_ratio(x: float, a: float, b: float) -> float:
    """Translate hard by ratio: return 1 if x is at most sqrt(ab), else 0; only a check is near a check."""
    _check(x, a, b)
    return 1.0 if x * x <= a * b else 0.0


def randomised_arithmetic(x: float, a: float, b: float) -> float:
    """Return the probability of a in proportion to the difference, (b - x) / (b - a)."""
    _check(x, a, b)
    return 1.0 if a == b else (b - x) / (b - a)


def randomised_geometric(x: float, a: float, b: float) -> float:
    """Return the probability of a by ratio (Schnizlein, Bowling & Szafron 2009), a (b - x) / (a (b - x) + x (x - a)).

    The similarities to a and b are a / x and x / b, each minus its value at the other end.  Between a check, a = 0, and
    a bet, every bet is translated to the bet.
    """
    _check(x, a, b)
    return 1.0 if x == a else a * (b - x) / (a * (b - x) + x * (x - a))


def randomised_geometric_2(x: float, a: float, b: float) -> float:
    """Return the probability of a by ratio (Hawkin, Holte & Szafron 2012), a (b + x) (b - x) / ((b - a) (x² + a b))."""
    _check(x, a, b)
    return 1.0 if x == a else a * (b + x) * (b - x) / ((b - a) * (x * x + a * b))


MAPPINGS: dict[Translation, Mapping] = {
    Translation.ARITHMETIC: nearest,
    Translation.GEOMETRIC: nearest_ratio,
    Translation.RANDOMISED_ARITHMETIC: randomised_arithmetic,
    Translation.RANDOMISED_GEOMETRIC: randomised_geometric,
    Translation.RANDOMISED_GEOMETRIC_2: randomised_geometric_2,
    Translation.PSEUDO_HARMONIC: pseudo_harmonic,
    Translation.NEAREST_PSEUDO_HARMONIC: nearest_pseudo_harmonic,
}
"""All mappings by name."""


@dataclass(frozen=True)
class Translated:
    """A translated bet: the size at index ``lower`` with probability ``probability``, else the one at ``upper``."""

    lower: int
    upper: int
    probability: float

    def pick(self, draw: float) -> int:
        """Return the index of the size to use, given a number drawn uniformly from 0 (included) to 1 (excluded)."""
        return self.lower if draw < self.probability else self.upper


def translate(x: float, sizes: Sequence[float], mapping: Translation | str = Translation.PSEUDO_HARMONIC) -> Translated:
    """Translate a bet of x to the sizes of a tree, all as fractions of the pot, ascending; 0 stands for a check.

    A bet below the smallest size or above the largest one is translated to that size.  Raises :class:`InputError` if
    there are no sizes, they do not ascend, a number is not finite or negative, or the mapping is unknown.
    """
    try:
        chosen = MAPPINGS[Translation(mapping)]
    except ValueError:
        known = ", ".join(Translation)
        raise InputError(f"There is no translation {mapping!r}; choose one of {known}.") from None
    if not sizes or any(not low < high for low, high in pairwise(sizes)):
        raise InputError(f"Bets are translated to one or more sizes that ascend, not to {list(sizes)}.")
    if not all(math.isfinite(size) and size >= 0 for size in (x, *sizes)):
        raise InputError(f"Bet sizes must be finite and at least 0, not {x} among {list(sizes)}.")
    above = bisect_left(sizes, x)
    if above == len(sizes):
        return Translated(above - 1, above - 1, 1.0)
    if above == 0 or sizes[above] == x:
        return Translated(above, above, 1.0)
    return Translated(above - 1, above, chosen(x, sizes[above - 1], sizes[above]))


def _check(x: float, a: float, b: float) -> None:
    if not (0 <= a <= x <= b and math.isfinite(b)):
        raise InputError(f"A bet of {x} pots cannot be translated between {a} and {b}; 0 <= a <= x <= b is needed.")
