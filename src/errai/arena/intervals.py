"""Means and their 95 % intervals, by the bootstrap.

A match gives a list of independent numbers: one for each duplicate pair, or one for each hand if there are no pairs.
Hands of a pair share their cards and are not independent, so pairs are resampled.

A bootstrap sample of n numbers is how often each of them was drawn; if some numbers are equal, that is one multinomial
draw over the *different* numbers.  So the numbers are kept as a histogram, and a sample of a million hands of limit
hold'em, which have some hundred different results, is a hundred binomial draws.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from errai.engine.student import student_quantile

CONFIDENCE = 0.95
RESAMPLES = 2_000
MAX_VALUES = 2_048
"""Different numbers up to which a histogram is exact."""

SEQUENTIAL_TUNED = 1_000
"""Where an interval that may be looked at all the time is narrowest, compared with one for a fixed number."""

_CHUNK = 1 << 21
"""Counts that are drawn at a time; they take 16 MB."""


@dataclass(frozen=True, eq=False)
class Histogram:
    """Numbers and how often each came.

    If more than ``MAX_VALUES`` numbers are different, they are binned into that many intervals of equal width, and the
    numbers of a bin are replaced by their mean: the mean of all stays the same, and the standard deviation changes by
    less than a 2,000th of the difference between the greatest and the least.
    """

    values: NDArray[np.float64]
    """float64[K], ascending, different."""
    counts: NDArray[np.int64]
    """int64[K], at least 1."""

    @classmethod
    def of(cls, numbers: ArrayLike) -> Histogram:
        """Return the histogram of float[n]."""
        data = np.asarray(numbers, dtype=np.float64)
        values, counts = np.unique(data, return_counts=True)
        if len(values) > MAX_VALUES:
            width = (values[-1] - values[0]) / MAX_VALUES
            part = np.minimum(((values - values[0]) / width).astype(np.int64), MAX_VALUES - 1)
            sums, total = np.bincount(part, values * counts), np.bincount(part, counts)
            held = total > 0
            # Rounding may make the means of very narrow bins equal.
            values, place = np.unique(sums[held] / total[held], return_inverse=True)
            counts = np.bincount(place, total[held])
        return cls(values, counts.astype(np.int64))

    @classmethod
    def union(cls, *parts: Histogram) -> Histogram:
        """Return all numbers of several histograms."""
        values, place = np.unique(np.concatenate([part.values for part in parts]), return_inverse=True)
        counts = np.zeros(len(values), dtype=np.int64)
        np.add.at(counts, place, np.concatenate([part.counts for part in parts]))
        return cls(values, counts)

    def scaled(self, factor: float) -> Histogram:
        """Return all numbers times a factor other than 0."""
        order = slice(None, None, -1 if factor < 0 else 1)
        return Histogram((self.values * factor)[order], self.counts[order])

    def document(self) -> dict[str, list[float]]:
        """Return the histogram as JSON holds it."""
        return {"values": self.values.tolist(), "counts": self.counts.tolist()}

    @property
    def n(self) -> int:
        """How many numbers there are."""
        return int(self.counts.sum())

    @property
    def mean(self) -> float:
        """Their mean; NaN if there are none."""
        return float(self.counts @ self.values) / self.n if self.n else math.nan

    @property
    def std(self) -> float:
        """The standard deviation of their distribution (divisor n - 1); NaN for fewer than two."""
        if self.n < 2:
            return math.nan
        return math.sqrt(float(self.counts @ (self.values - self.mean) ** 2) / (self.n - 1))

    @property
    def standard_error(self) -> float:
        """The standard deviation of the mean."""
        return self.std / math.sqrt(self.n) if self.n > 1 else math.nan


@dataclass(frozen=True)
class Interval:
    """An interval of a mean."""

    low: float
    high: float
    method: str
    """The method, for reports."""
    confidence: float = CONFIDENCE

    def __contains__(self, number: float) -> bool:
        return self.low <= number <= self.high


def bootstrap_means(sample: Histogram, seed: int, resamples: int = RESAMPLES) -> NDArray[np.float64]:
    """Return float64[resamples]: means of bootstrap samples."""
    return np.concatenate([counts @ sample.values for counts in _drawn_again(sample, seed, resamples)]) / sample.n


def bootstrap_interval(sample: Histogram, seed: int = 0, *, resamples: int = RESAMPLES) -> Interval | None:
    """Return the 95 % interval of the mean of what a sample was drawn from; None for fewer than two numbers.

    It is made of the quantiles of (mean of the bootstrap sample - mean) / its own standard error, times the sample's
    standard error: percentile-t (Efron & Tibshirani, An Introduction to the Bootstrap, 1993, chapter 12.5), which
    covers better than the quantiles of the means for few or skewed numbers.  If a sample has so few different numbers
    that a quantile is not finite, Student's t replaces the quantiles, and the result says so.
    """
    if sample.n < 2:
        return None
    tail = (1.0 - CONFIDENCE) / 2.0
    mean, error, n = sample.mean, sample.standard_error, sample.n
    if error == 0.0:
        return Interval(mean, mean, "every number is the same")
    centred = sample.values - mean
    ratios = []
    for counts in _drawn_again(sample, seed, resamples):
        shift = counts @ centred / n
        variance = np.maximum(counts @ centred**2 - n * shift**2, 0.0) / (n - 1)
        # The standard error of a sample of equal numbers is 0 up to rounding.
        variance[variance < 1e-12 * float(np.square(centred).max())] = 0.0
        with np.errstate(divide="ignore", invalid="ignore"):
            ratios.append(shift / np.sqrt(variance / n))
    t = np.nan_to_num(np.concatenate(ratios), nan=0.0, posinf=np.inf, neginf=-np.inf)
    t.sort()
    # Order statistics are not interpolated, for some of them may be infinite.
    last = len(t) - 1
    low_t, high_t = float(t[round(tail * last)]), float(t[round((1.0 - tail) * last)])
    if not (math.isfinite(low_t) and math.isfinite(high_t)):
        return student_interval(mean, error, n)
    return Interval(mean - high_t * error, mean - low_t * error, f"percentile-t bootstrap, {resamples:,} samples")


def sequential_interval(mean: float, standard_error: float, n: int, largest: float, confidence: float) -> Interval:
    """Return an interval of a mean that may be looked at after every number, and be used to stop.

    It is the asymptotic confidence sequence of Waudby-Smith, Arbour, Sinha, Kennedy and Ramdas (Time-uniform central
    limit theory and asymptotic confidence sequences, Annals of Statistics 2024, theorem 2.2): with probability
    ``confidence`` it holds the mean of the distribution at all times together, where that of a fixed number holds it
    only at the end.  It is narrowest about :data:`SEQUENTIAL_TUNED` numbers.  A distribution whose rare large numbers
    have not been seen yet looks narrower than it is; so the standard error counts one number of ``largest`` and one of
    its negative that were not seen.

    Parameters
    ----------
    mean, standard_error, n:
        Of the numbers so far.
    largest:
        The largest absolute value that a number may have.
    confidence:
        Above 0 and below 1.
    """
    error = math.hypot(standard_error, math.sqrt(2.0) * largest / n)
    alpha = 1.0 - confidence
    log = -2.0 * math.log(alpha)
    mixed = n * (log + math.log(log) + 1.0) / SEQUENTIAL_TUNED
    reach = error * math.sqrt(2.0 * (mixed + 1.0) / mixed * math.log(math.sqrt(mixed + 1.0) / alpha))
    return Interval(mean - reach, mean + reach, "asymptotic confidence sequence", confidence)


def student_interval(mean: float, standard_error: float, n: int) -> Interval:
    """Return the 95 % interval of Student's t."""
    reach = student_quantile(n - 1, 1.0 - (1.0 - CONFIDENCE) / 2.0) * standard_error
    return Interval(mean - reach, mean + reach, "Student's t")


def _drawn_again(sample: Histogram, seed: int, resamples: int) -> Iterator[NDArray[np.int64]]:
    """Yield int64[chunk, K]: how often each value came in a bootstrap sample, chunk by chunk."""
    # NumPy may change the draws of a Generator from one version to the next, and did for these (2.5); it has promised
    # never to change those of a RandomState.
    rng = np.random.RandomState(np.random.PCG64(seed))
    shares = sample.counts / sample.n
    chunk = max(1, _CHUNK // len(sample.values))
    for begun in range(0, resamples, chunk):
        yield rng.multinomial(sample.n, shares, size=min(chunk, resamples - begun))
