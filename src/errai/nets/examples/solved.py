"""Positions and their values out of a solution: every board and line with which a street begins."""

from __future__ import annotations

import numpy as np

from errai.nets.positions import Floats, Positions
from errai.solutions.starts import StreetStarts


def positions_of(starts: StreetStarts) -> tuple[Positions, Floats]:
    """The beginnings of a street as networks take positions, with the counterfactual values of the solution.

    Parameters
    ----------
    starts:
        From :func:`errai.solutions.starts.street_starts` or a batch of them.

    Returns
    -------
    positions:
        N positions: the boards, and for each the lines, in their order.  Left out are lines that a player never takes,
        and those after which nothing is left to bet.
    values:
        float32[N, P, H]: counterfactual values in pots, in the units of :mod:`errai.nets.positions`.
    """
    lines = len(starts.lines)
    order = [starts.first_player, 1 - starts.first_player]
    ranges = starts.ranges.reshape(-1, 2, starts.ranges.shape[-1]).astype(np.float64)[:, order]
    values = starts.values.reshape(ranges.shape).astype(np.float64)[:, order]
    pots = np.tile(starts.pot_chips, len(starts))
    stacks = np.tile(starts.stacks_chips.min(axis=1), len(starts)) / pots
    sums = ranges.sum(axis=2)
    kept = (sums > 0.0).all(axis=1) & (stacks > 0.0)
    boards = np.repeat(np.sort(starts.boards, axis=1).astype(np.uint8), lines, axis=0)
    sums, pots = sums[kept], pots[kept]
    positions = Positions(
        boards[kept], (ranges[kept] / sums[..., None]).astype(np.float32), stacks[kept].astype(np.float32)
    )
    return positions, (values[kept] / (sums[:, ::-1, None] * pots[:, None, None])).astype(np.float32)
