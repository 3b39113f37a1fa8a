"""Charts from a solution of the first street: the ranges with which both players come to a flop, by situation."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from errai.cards.hands import class_of_hand
from errai.cards.ranges import Range
from errai.errors import ChartError
from errai.games.charts import Chart
from errai.solutions.situations import line_frequencies, role
from errai.solutions.solution import Profile
from errai.tree.lines import split_line

ROLES = {"dealer": "BTN", "big blind": "BB"}
"""The positions of charts by the roles of the players."""

LEAST_REACHED = 0.001
"""A situation that is rarer than this, on all its lines together, gets no chart: its ranges would be hardly solved."""


@dataclass(eq=False)
class _Met:
    """One situation, over all lines that lead to it."""

    weights: NDArray[np.float64]
    """float64[2, H]: for each player, own reach times the other player's total reach, summed over the lines."""
    reached: float
    """How often a flop is seen in this situation."""


def flop_charts(solved: Profile) -> tuple[Chart, ...]:
    """Return the ranges with which both players come to a flop with chips behind, a chart for each situation.

    A situation is the number of raises and who made the last.  Where lines with several sizes lead to it, each counts
    by how often it is taken.  The weights of a range are means over each class of hands, relative to the greatest, and
    are rounded to tenths; situations rarer than ``LEAST_REACHED`` are left out.

    Raises :class:`ChartError` if the game is not heads-up hold'em from the blinds on, or no flop is seen with chips
    behind.
    """
    subject = solved.subject
    names = [role(solved, player) for player in (0, 1)]
    if subject.first_round or len(solved.root.hands) != len(class_of_hand()) or set(names) != set(ROLES):
        raise ChartError("Charts are those of heads-up hold'em, from the blinds on.")
    first = solved.root.player
    assert first is not None
    met: dict[tuple[int, str], _Met] = {}
    for line in line_frequencies(solved):
        if line.kind not in ("leaf", "chance") or not min((node := solved.at(line.line)).stacks_chips) > 0.0:
            continue
        raises = [i for i, step in enumerate(split_line(line.line)) if step.startswith(("bet", "raise"))]
        # The two players take turns on a street.
        raiser = ROLES[names[(first + raises[-1]) % 2]] if raises else ""
        own = np.nan_to_num(node.ranges)
        here = met.setdefault((len(raises), raiser), _Met(np.zeros_like(own), 0.0))
        here.weights += own * own.sum(axis=1)[::-1, None]
        here.reached += line.reached
    if not met:
        raise ChartError("No flop is seen with chips behind, so there are no ranges for a chart.")
    return tuple(
        Chart(
            (ROLES[names[0]], ROLES[names[1]]),
            raises,
            raiser,
            {ROLES[name]: _text(weights) for name, weights in zip(names, one.weights, strict=True)},
        )
        for (raises, raiser), one in sorted(met.items())
        if one.reached >= LEAST_REACHED
    )


def _text(weights: NDArray[np.float64]) -> str:
    cells = np.bincount(class_of_hand(), weights) / np.bincount(class_of_hand())
    return Range.from_weights(np.round(cells / cells.max(), 1)[class_of_hand()]).text()
