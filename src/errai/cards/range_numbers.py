"""Numbers that describe ranges: what a held card removes, who has the strongest hands, and how equity is spread.

Axes: H all hands of a deck in hand-index order, C its cards.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from errai.errors import InputError

Floats = NDArray[np.float64]


def removed_by_card(hands: NDArray[np.integer], weights: Floats) -> Floats:
    """Return which share of a range is gone if somebody else holds a card, for every card.

    Parameters
    ----------
    hands:
        int[H, k]: the cards of every hand.
    weights:
        float64[H]: the range, not negative.

    Returns
    -------
    float64[C], from 0 to 1, up to the highest card in a hand; NaN for an empty range.
    """
    per_card = np.zeros(int(hands.max()) + 1)
    np.add.at(per_card, hands, np.asarray(weights)[:, None])
    return per_card / _total(weights)


@dataclass(frozen=True)
class NutsAdvantage:
    """Who has the strongest hands of a board."""

    top: float
    """The part of all hands of the board that counts as strongest; those that tie with the last of them count too."""
    fractions: tuple[float, float]
    """Which part of each player's own range is among them; NaN for an empty range."""

    @property
    def shares(self) -> tuple[float, float]:
        """How these hands are shared between two ranges of equal weight; both are NaN if neither has any."""
        both = sum(self.fractions)
        first, second = (fraction / both if both > 0 else float("nan") for fraction in self.fractions)
        return first, second


def nuts_advantage(strengths: NDArray[np.integer], ranges: Floats, top: float = 0.05) -> NutsAdvantage:
    """Compare how many of the strongest hands two ranges have.

    Parameters
    ----------
    strengths:
        int[H]: how strong each hand is with the cards that lie, negative for hands that the board blocks; see
        :func:`errai.cards.strength.strengths_on_board`.
    ranges:
        float64[2, H]: the weights of both players' hands.
    top:
        The part of all hands that the board leaves, above 0 and up to 1, the strongest first.

    Raises
    ------
    InputError
        If ``top`` is out of bounds, or the board leaves no hand.

    Examples
    --------
    >>> strengths = np.array([5, 4, 3, 2, 1, -1])
    >>> found = nuts_advantage(strengths, np.array([[1.0, 0, 1, 0, 0, 0], [0, 0.5, 0, 0.5, 1, 0]]), top=0.4)
    >>> found.fractions, found.shares
    ((0.5, 0.25), (0.6666666666666666, 0.3333333333333333))
    """
    live = np.sort(strengths[strengths >= 0])[::-1]
    if not 0.0 < top <= 1.0 or not len(live):
        raise InputError(f"The strongest hands are a part above 0 and up to 1 of the hands of a board, not {top!r}.")
    least = live[int(np.ceil(top * len(live) - 1e-9)) - 1]
    inside = np.asarray(ranges)[:, strengths >= least].sum(axis=1)
    first, second = (float(part / _total(weights)) for part, weights in zip(inside, ranges, strict=True))
    return NutsAdvantage(top, (first, second))


def quantiles(values: Floats, weights: Floats, at: Sequence[float] = (0.25, 0.5, 0.75)) -> Floats:
    """Return weighted quantiles, by default the quartiles: the least value up to which that share of the weight lies.

    ``values`` and ``weights`` are float64[H]; hands without weight, and values that are NaN, do not count.  Returns
    float64[len(at)], NaN without any weight.

    Examples
    --------
    >>> quantiles(np.array([0.9, 0.1, 0.5]), np.array([1.0, 2.0, 1.0]))
    array([0.1, 0.1, 0.5])
    """
    curve = sorted_curve(values, weights)
    if not len(curve):
        return np.full(len(at), np.nan)
    places = np.searchsorted(curve[:, 0], np.asarray(at) - 1e-12)
    return curve[np.minimum(places, len(curve) - 1), 1]


def sorted_curve(values: Floats, weights: Floats) -> Floats:
    """Return the values of a range from the least to the greatest, such as its equities, with their cumulated weight.

    ``values`` and ``weights`` are float64[H]; hands without weight, and values that are NaN, do not count.  Returns
    float64[n, 2]: in each row the share of the weight of all hands up to this one, from above 0 to 1, and its value.
    Steps of this height have the weighted mean of the values below them.
    """
    known = (weights > 0) & np.isfinite(values)
    order = np.argsort(values[known], kind="stable")
    sums = np.cumsum(weights[known][order])
    return np.column_stack([sums / sums[-1] if len(sums) else sums, values[known][order]])


def _total(weights: Floats) -> float:
    total = float(np.sum(weights))
    return total if total > 0 else float("nan")
