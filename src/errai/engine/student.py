"""Student's t distribution and the beta distribution, for intervals and tests.

SciPy has both, and would be most of what has to be installed; these are the same functions, from the continued fraction
of the incomplete beta function (DLMF 8.17.22), and the tests hold them against SciPy's.
"""

from __future__ import annotations

import math

_SMALL = 1e-300
"""In the place of 0 in a denominator of the continued fraction."""
_MOST_TERMS = 100_000
_MOST_STEPS = 200
_LARGE = 40.0
"""Arguments from here on have Stirling's formula to 16 digits."""


def beta_cdf(first: float, second: float, x: float) -> float:
    """Return the probability of at most ``x`` under a beta distribution with two parameters above 0."""
    return _beta_cdf(first, second, x, 1.0 - x)


def _beta_cdf(first: float, second: float, x: float, rest: float) -> float:
    """Return what :func:`beta_cdf` does; ``rest`` is 1 - x, which has more digits where x is near 1."""
    if x <= 0.0 or rest <= 0.0:
        return float(rest <= 0.0)
    if x > (first + 1.0) / (first + second + 2.0):
        # The fraction converges quickly on the other side.
        return 1.0 - _beta_cdf(second, first, rest, x)
    logs = [math.log(part) if part < 0.5 else math.log1p(-other) for part, other in ((x, rest), (rest, x))]
    scale = math.exp(first * logs[0] + second * logs[1] - _log_beta(first, second)) / first
    # The method of Lentz, modified by Thompson and Barnett.
    value, above, below = 1.0, 1.0, 0.0
    for term in range(_MOST_TERMS):
        half = term // 2
        if term == 0:
            factor = 1.0
        elif term % 2:
            factor = -(first + half) * (first + second + half) * x / ((first + term - 1) * (first + term))
        else:
            factor = half * (second - half) * x / ((first + term - 1) * (first + term))
        below = 1.0 / (1.0 + factor * below or _SMALL)
        above = 1.0 + factor / above or _SMALL
        value *= above * below
        if abs(above * below - 1.0) < 1e-16:
            break
    return scale * (value - 1.0)


def beta_quantile(first: float, second: float, probability: float) -> float:
    """Return the ``x`` at which :func:`beta_cdf` is a probability from 0 to 1."""
    low, high = 0.0, 1.0
    while low < (middle := (low + high) / 2.0) < high:
        low, high = (middle, high) if beta_cdf(first, second, middle) < probability else (low, middle)
    return high


def _log_beta(first: float, second: float) -> float:
    """Return the logarithm of the beta function; differences of large gamma functions would lose digits."""
    small, large = sorted((first, second))
    if large < _LARGE:
        return math.lgamma(small) + math.lgamma(large) - math.lgamma(small + large)
    # Stirling's formula for the large ones, without what cancels.
    total = small + large
    same = (large - 0.5) * math.log1p(small / large) + small * (math.log(total) - 1.0)
    return math.lgamma(small) + _stirling(large) - _stirling(total) - same


def _stirling(x: float) -> float:
    """Return what Stirling's formula lacks of the logarithm of the gamma function, for a large argument."""
    return (1.0 - (1.0 / 30.0 - (1.0 / 105.0 - 1.0 / (140.0 * x * x)) / (x * x)) / (x * x)) / (12.0 * x)


def student_cdf(freedom: float, t: float) -> float:
    """Return the probability of at most ``t`` under Student's distribution with some degrees of freedom above 0."""
    tail = _tail(freedom, t)
    return tail if t < 0.0 else 1.0 - tail


def _tail(freedom: float, t: float) -> float:
    """Return the probability of more than the size of ``t``."""
    square = t * t
    return 0.5 * _beta_cdf(freedom / 2.0, 0.5, freedom / (freedom + square), square / (freedom + square))


def student_quantile(freedom: float, probability: float) -> float:
    """Return the ``t`` at which :func:`student_cdf` is a probability above 0 and below 1."""
    if probability < 0.5:
        return -student_quantile(freedom, 1.0 - probability)
    wanted, low, high = 1.0 - probability, 0.0, 1.0
    while _tail(freedom, high) > wanted:
        low, high = high, 2.0 * high
    # Newton's method, which halves the bracket where it would leave it.
    log = -_log_beta(freedom / 2.0, 0.5) - 0.5 * math.log(freedom)
    t = (low + high) / 2.0
    for _ in range(_MOST_STEPS):
        over = _tail(freedom, t) - wanted
        low, high = (t, high) if over > 0.0 else (low, t)
        step = over / math.exp(log - (freedom + 1.0) / 2.0 * math.log1p(t * t / freedom))
        after = t + step if low < t + step < high else (low + high) / 2.0
        if abs(after - t) <= 1e-15 * high:
            break
        t = after
    return t
