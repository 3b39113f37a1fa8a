"""Percentile buckets: buckets of equal weight along a number, or along one number within another.

The University of Alberta's programs have used percentile buckets on E[HS²], and nested ones on E[HS] within those of
E[HS²], since 2006 (Johanson, "Robust strategies and counter-strategies", 2007).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from errai.errors import InputError


def percentile_cuts(values: ArrayLike, weights: ArrayLike, count: int) -> NDArray[np.float32]:
    """Return cuts that divide values into at most ``count`` buckets whose weights are as equal as possible.

    A value that covers the shares from a to b of the total weight goes to bucket ``floor(count * (a + b) / 2)``, so
    that equal values stay together.  Buckets that would be empty are left out.

    Parameters
    ----------
    values:
        floats[n]
    weights:
        numbers[n], at least 0, not all 0.

    Returns
    -------
    float32[K - 1], ascending; `bucket_of` uses them.

    Raises
    ------
    InputError
        If ``count`` is below 1, there are no values, one is not finite, or the total weight is 0.
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
    """Return the bucket of each value, which is the number of cuts at or below it.

    Returns
    -------
    int32[...]
    """
    return np.searchsorted(cuts, np.asarray(values, dtype=np.float32), side="right").astype(np.int32)
