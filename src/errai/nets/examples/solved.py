"""Examples from a solution: every board and line with which a street begins."""

from __future__ import annotations

import numpy as np

from errai.nets.examples.dataset import Examples
from errai.nets.examples.recipe import SOURCES
from errai.nets.positions import Positions
from errai.solutions.starts import StreetStarts


def examples_of(starts: StreetStarts) -> Examples:
    """Return the beginnings of a street as examples, in the units of :mod:`errai.nets.positions`.

    :func:`errai.nets.training.learn.learn` trains a network on them, together with those of a folder.  They are in the
    order of the boards, and on each board in that of the lines, without lines that a player never takes and those after
    which nothing is left to bet.  ``errors`` is the exploitability of the whole solution in pots of the position, and
    ``sources`` marks the examples as met in play.

    Parameters
    ----------
    starts:
        The result of :func:`errai.solutions.starts.street_starts` or a batch of it.

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
    return Examples(
        Positions(boards[kept], (ranges[kept] / sums[..., None]).astype(np.float32), stacks[kept].astype(np.float32)),
        (values[kept] / (sums[:, ::-1, None] * pots[:, None, None])).astype(np.float32),
        (starts.exploitability_chips / pots).astype(np.float32),
        np.full(len(pots), SOURCES.index("play"), dtype=np.int8),
    )
