"""Buckets of equal weight along a number: percentile buckets, and one number within another.

Percentile buckets on E[HS²], and on E[HS] within those of E[HS²] (nested), are those of the University of Alberta's
programs since 2006 (Johanson, "Robust strategies and counter-strategies", 2007).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from errai.errors import InputError


def percentile_cuts(values: ArrayLike, weights: ArrayLike, count: int) -> NDArray[np.float32]:
    """Cuts that divide values into at most ``count`` buckets of weight as equal as possible.

    A value whose weight reaches from a to b of the whole goes to bucket ``floor(count * (a + b) / 2)``, so that equal
    values stay together; buckets that would be empty are left out.

    Parameters
    ----------
    values:
        floats[n]
    weights:
        numbers[n], at least 0, not all 0.

    Returns
    -------
    float32[K - 1], ascending; `bucket_of` says how they are used.

    Raises
    ------
    InputError
        If ``count`` is below 1, there are no values, one is not finite, or there is no weight.
    """
    numbers = np.asarray(values, dtype=np.float32).reshape(-1)
    if count < 1:
        raise InputError(f"{count} buckets cannot be made; use 1 or more.")
    if numbers.size == 0 or not np.isfinite(numbers).all():
        raise InputError("Percentile buckets need at least one value, and only finite ones.")
    order = np.argsort(numbers, kind="stable")
    ordered = numbers[order]
    mass = np.asarray(weights).reshape(-1)[order].astype(np.float64)
    first = np.flatnonzero(np.concatenate([[True], ordered[1:] != ordered[:-1]]))
    each = np.add.reduceat(mass, first)
    ends = np.cumsum(each)
    if not ends[-1] > 0:
        raise InputError("Percentile buckets need values with weight.")
    middle = (ends - each / 2) / ends[-1]
    bucket = np.minimum((count * middle).astype(np.int64), count - 1)
    return ordered[first[1:][bucket[1:] != bucket[:-1]]]


def bucket_of(values: ArrayLike, cuts: NDArray[np.float32]) -> NDArray[np.int32]:
    """The bucket of each value: how many cuts are at or below it.

    Returns
    -------
    int32[...]
    """
    return np.searchsorted(cuts, np.asarray(values, dtype=np.float32), side="right").astype(np.int32)
