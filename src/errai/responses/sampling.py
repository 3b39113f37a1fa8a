"""Estimate the sum over all boards of the second street from boards drawn at random.

Boards are drawn with replacement, each with the probability of the real boards that it represents.  What a draw adds to
the trunk's leaves, divided by that probability, is an unbiased estimate of what all boards add.  Because the responder
also chooses on the first street from such estimates, care is needed; see :class:`Sample`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import sqrt

import numpy as np
from numpy.typing import NDArray

from errai.responses.trunk import Trunk
from errai.responses.unit import Pair

FEWEST_DRAWS = 4
"""Each half of a sample needs two draws."""

CONFIDENCE = 0.95


@dataclass(frozen=True)
class Sample:
    """Two estimates of what best responses win, and a confidence interval, in chips per hand.

    ``crossed`` chooses the responder's actions on the first street from one half of the draws and evaluates them on the
    other half, and the other way round.  It is unbiased for what these choices win, so on average it is at most the
    value of the best response.  ``plugged_in`` chooses and evaluates on all draws, so on average it is at least that
    value.
    """

    crossed: tuple[float, float]
    """By seat of the responder."""
    plugged_in: tuple[float, float]
    interval: tuple[float, float]
    """From below ``crossed`` to above ``plugged_in``; it covers the mean of both seats in about 95 % of samples."""


def draw_units(multiplicity: NDArray[np.int64], count: int, seed: int) -> list[int]:
    """Draw ``count`` units with replacement, each with the probability of the real boards it represents."""
    shares = multiplicity / multiplicity.sum()
    return list(map(int, np.random.default_rng(seed).choice(len(shares), size=count, p=shares)))


def estimate(
    trunk: Trunk,
    multiplicity: NDArray[np.int64],
    draws: Sequence[int],
    values: Mapping[int, Pair],
    controls: Callable[[int], Pair] | None = None,
    expected: Pair | None = None,
) -> Sample:
    """Compute both estimates and the interval from at least ``FEWEST_DRAWS`` draws; ``values`` are what units add.

    ``controls`` gives for a unit what it would add to a control variate, and ``expected`` the sum of that over all
    units:
    the luck of the draws, as far as the control variate shows it, is removed.  Each half of the draws estimates from
    the other half how much of the control to remove.
    """
    scale = multiplicity.sum() / multiplicity
    crossed, plugged_in = np.zeros((2, len(draws))), np.zeros((2, len(draws)))
    known = {} if controls is None else {unit: controls(unit) for unit in dict.fromkeys(draws)}
    chips: list[float] = []
    for p in (0, 1):
        drawn = np.stack([values[unit][p] * scale[unit] for unit in draws])
        luck = np.zeros_like(drawn)
        if known and expected is not None:
            luck = np.stack([known[unit][p] * scale[unit] for unit in draws]) - expected[p]
        every = drawn - share(drawn, luck)[:, None] * luck
        value, choices = trunk.best(p, every.mean(axis=0))
        chips.append(value)
        for half in (0, 1):
            own, other = slice(half, None, 2), slice(1 - half, None, 2)
            # For the half that is evaluated, only coefficients estimated on the other half may be used.
            taken = share(drawn[other], luck[other])[:, None]
            chosen = trunk.best(p, (drawn[other] - taken * luck[other]).mean(axis=0))[1]
            crossed[p, own] = [trunk.follow(p, chosen, one) for one in drawn[own] - taken * luck[own]]
        plugged_in[p] = [trunk.follow(p, choices, one) for one in every]
    low, high = crossed.mean(axis=0), plugged_in.mean(axis=0)
    return Sample(
        (float(crossed[0].mean()), float(crossed[1].mean())),
        (chips[0], chips[1]),
        (float(low.mean()) - _margin(low), (chips[0] + chips[1]) / 2.0 + _margin(high)),
    )


def share(values: NDArray[np.float64], controls: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return float64[leaves]: the best coefficient of a control for each leaf, the slope of the values on the controls.

    ``values`` and ``controls`` are float64[draws, leaves, S].
    """
    apart = [array - array.mean(axis=0) for array in (values, controls)]
    both = (apart[0] * apart[1]).sum(axis=(0, 2))
    own = (apart[1] ** 2).sum(axis=(0, 2))
    return np.asarray(np.where(own > 0, both / np.where(own > 0, own, 1.0), 0.0))


def _margin(numbers: NDArray[np.float64]) -> float:
    """Return half the width of the confidence interval of a mean, by Student's t."""
    from scipy.stats import t

    spread = float(numbers.std(ddof=1)) / sqrt(len(numbers))
    return float(t.ppf((1.0 + CONFIDENCE) / 2.0, len(numbers) - 1)) * spread
