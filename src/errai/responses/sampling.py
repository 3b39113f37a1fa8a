"""What some boards of the second street, drawn at random, say about all of them.

Boards are drawn with replacement, each with the probability of the real boards that it stands for.  What a draw adds
to the trunk's leaves, divided by that probability, is an unbiased estimate of what all boards add.  The responder's
choices on the first street are made from such estimates, and that is where care is needed; see :class:`Sample`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import sqrt

import numpy as np
from numpy.typing import NDArray

from errai.responses.trunk import Trunk
from errai.responses.unit import Pair

FEWEST_DRAWS = 4
"""Both halves of a sample need two draws."""

CONFIDENCE = 0.95


@dataclass(frozen=True)
class Sample:
    """Two estimates of what best responses win, and an interval; chips per hand.

    ``crossed`` chooses on the first street from one half of the draws, counts the other half, and the other way round.
    It is unbiased for what these choices win, so on average it is at most the best response.  ``plugged_in`` chooses
    and counts on all draws, so on average it is at least the best response.
    """

    crossed: tuple[float, float]
    """By seat of the responder."""
    plugged_in: tuple[float, float]
    interval: tuple[float, float]
    """Covers the mean of both seats with about 95 %: from below ``crossed`` to above ``plugged_in``."""


def draw_units(multiplicity: NDArray[np.int64], count: int, seed: int) -> list[int]:
    """``count`` units, with replacement, each with the probability of the real boards it stands for."""
    shares = multiplicity / multiplicity.sum()
    return np.random.default_rng(seed).choice(len(shares), size=count, p=shares).tolist()


def estimate(trunk: Trunk, multiplicity: NDArray[np.int64], draws: Sequence[int], values: Mapping[int, Pair]) -> Sample:
    """Both estimates and the interval from at least ``FEWEST_DRAWS`` draws; ``values`` are what units add."""
    scale = multiplicity.sum() / multiplicity
    crossed, plugged_in = np.zeros((2, len(draws))), np.zeros((2, len(draws)))
    chips: list[float] = []
    for p in (0, 1):
        mean = _mean(p, draws, values, scale)
        value, choices = trunk.best(p, mean)
        chips.append(value)
        halves = [trunk.best(p, _mean(p, draws[half::2], values, scale))[1] for half in (0, 1)]
        for i, unit in enumerate(draws):
            one = values[unit][p] * scale[unit]
            crossed[p, i] = trunk.follow(p, halves[1 - i % 2], one)
            plugged_in[p, i] = trunk.follow(p, choices, one)
    low, high = crossed.mean(axis=0), plugged_in.mean(axis=0)
    return Sample(
        (float(crossed[0].mean()), float(crossed[1].mean())),
        (chips[0], chips[1]),
        (float(low.mean()) - _margin(low), (chips[0] + chips[1]) / 2.0 + _margin(high)),
    )


def _mean(player: int, draws: Sequence[int], values: Mapping[int, Pair], scale: NDArray) -> NDArray[np.float64]:
    return np.mean([values[unit][player] * scale[unit] for unit in draws], axis=0)


def _margin(numbers: NDArray[np.float64]) -> float:
    """Half the width of the interval of a mean, by Student's t."""
    from scipy.stats import t

    spread = float(numbers.std(ddof=1)) / sqrt(len(numbers))
    return float(t.ppf((1.0 + CONFIDENCE) / 2.0, len(numbers) - 1)) * spread
