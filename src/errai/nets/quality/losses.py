"""Losses of estimated values against the exact values of positions, in DeepStack's unit.

The unit is what one player has put in, half of the pot, so that values in pots count twice.  The loss is the Huber loss
with delta 1: half of the square of an error up to 1, and linear with the same slope beyond.  It is the mean over all
hands that the board leaves, with or without weight, and over both players.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from errai.nets.examples.situations import STRATA, Stratum, stratum_of
from errai.nets.positions import Floats

UNIT = 2.0
"""A value of one pot in DeepStack's unit."""


def position_losses(found: Floats, values: Floats, weights: Floats | None = None) -> NDArray[np.float64]:
    """float64[N]: the mean loss of each position's hands.

    Parameters
    ----------
    found, values:
        float32[N, P, L], in pots.
    weights:
        float32[N, P, L]: the weight of each hand, summing to 1 for each player; None for equal weights.
    """
    errors = np.abs(UNIT * (found - values))
    each = np.where(errors < 1.0, 0.5 * errors * errors, errors - 0.5)
    if weights is not None:
        each = each * weights * each.shape[-1]
    return np.asarray(each.mean(axis=(1, 2), dtype=np.float64))


@dataclass(frozen=True)
class StratumLoss:
    """The mean loss of the positions of a stratum."""

    name: str
    positions: int
    loss: float


def losses_by_stratum(
    losses: NDArray[np.float64], stacks: NDArray[np.floating], strata: Sequence[Stratum] = STRATA
) -> list[StratumLoss]:
    """Means over strata of the stack in pots; strata without positions are left out.

    Parameters
    ----------
    losses, stacks:
        [N]: losses of the positions, and their stacks in pots.
    """
    numbers = stratum_of(stacks, strata)
    here = [(stratum.name, numbers == number) for number, stratum in enumerate(strata)]
    return [StratumLoss(name, int(of.sum()), float(losses[of].mean())) for name, of in here if of.any()]
