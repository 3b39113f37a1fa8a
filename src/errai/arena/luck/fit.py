"""Whether the actions of an agent fit the strategy that it gives, which estimators rely on.

For every decision of a known agent, each action that it may take adds to one cell of a tally: 1 if it was taken, the
probability that the strategy gives it, and the variance of the difference.  The differences of a cell are a martingale
if the actions are drawn from the strategy.  By Freedman's inequality ("On tail probabilities for martingales", 1975)
their sum exceeds ``d`` while the sum of their variances is at most ``v`` with a probability of at most
``exp(-d^2 / (2 v + 2 d / 3))``, whatever the number of hands and whenever the match ends.

Cells differ in the seat, the round, the action and the probability that the strategy gives it, so that a wrong choice
of hands is seen as well as a wrong choice of actions.  The tally holds whole numbers, and so does not depend on how the
hands were divided among processes.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from errai.games.betting import ActionKind
from errai.games.hand import Action

FALSE_ALARMS = 1e-4
"""Probability of a warning, at most, for an agent that draws its actions from its strategy."""

ACTIONS = ("folds", "checks or calls", "makes its smallest bet or raise", "makes a greater bet or raise")
PROBABILITIES = (0.0, 0.05, 0.25, 0.5, 0.75, 0.95, 1.0)
"""Bounds of the probabilities of the cells."""

STEP = 1.1
"""Variances are rounded up to a power of this, so that the inequality holds for all of them at once."""

_UNIT = 1 << 32
_CERTAIN = 1e-9


def tally_shape(rounds: int) -> tuple[int, ...]:
    """Return the shape of a tally.

    The axes are agents of the match, seats, rounds, ``ACTIONS``, ``PROBABILITIES``, and: how often the action was
    taken, the sum of its probabilities, and the sum of their variances, the last two in units of 2^-32.
    """
    return 2, 2, rounds, len(ACTIONS), len(PROBABILITIES) - 1, 3


class Fit:
    """Counts the decisions of the agents of a match, in a game of some rounds."""

    def __init__(self, rounds: int) -> None:
        self._rounds = rounds
        self._counts: dict[tuple[int, ...], list[int]] = {}
        self._times = 0

    @property
    def tally(self) -> NDArray[np.int64]:
        """int64, of :func:`tally_shape`."""
        found = np.zeros(tally_shape(self._rounds), dtype=np.int64)
        for place, counts in self._counts.items():
            found[place] = counts
        return found

    @property
    def asks_again(self) -> bool:
        """Whether the next question to a strategy is to be asked twice: the first, second, fourth, eighth ... are."""
        self._times += 1
        return self._times & (self._times - 1) == 0

    def count(self, agent: int, seat: int, round_: int, said: Mapping[Action, float], taken: Action) -> None:
        """Count one decision.

        Parameters
        ----------
        agent, seat, round_:
            Who decided: the first or second agent of the match, where it sat, and in which round.
        said:
            The probability of each action with the hand that was held.
        taken:
            The action that was taken.
        """
        found: dict[tuple[int, int], tuple[float, bool]] = {}
        least = 0
        for action, probability in sorted(said.items()):  # raises come last, from the smallest
            kind = int(action.kind)
            if kind == ActionKind.RAISE:
                least = least or action.total
                kind += action.total > least
            if _CERTAIN < probability < 1.0 - _CERTAIN:  # What is certain cannot differ without an error.
                place = kind, bisect_right(PROBABILITIES, probability) - 1
                total, done = found.get(place, (0.0, False))
                found[place] = total + probability, done or action == taken
        for place, (total, done) in found.items():
            counts = self._counts.setdefault((agent, seat, round_, *place), [0, 0, 0])
            counts[0] += done
            counts[1] += round(total * _UNIT)
            counts[2] += round(max(total * (1.0 - total), 0.0) * _UNIT)


@dataclass(frozen=True)
class Misfit:
    """Actions of an agent that do not fit its strategy: the cell of the tally that fits least."""

    player: str
    seat: int
    street: str
    action: str
    """One of ``ACTIONS``."""
    probability: tuple[float, float]
    """Bounds of the probabilities that the strategy gives the action at these decisions."""
    taken: int
    """How often the action was taken."""
    expected: float
    """How often it is taken on average by the strategy."""
    standard_deviation: float
    """Of the number of times, by the strategy."""

    def __str__(self) -> str:
        low, high = (f"{100 * p:g}" for p in self.probability)
        return (
            f"{self.player} does not play the strategy that it gives, so what is measured with that strategy is wrong: "
            f"in seat {self.seat} ({self.street}), where it {self.action} with a probability of {low} to {high} % "
            f"by its strategy, it did so {self.taken:,} times, and {self.expected:,.1f} times were to be expected with "
            f"a standard deviation of {self.standard_deviation:,.1f}. Let `act` draw from `strategy`, or measure in "
            "chips."
        )


def misfits(tally: NDArray[np.int64], players: tuple[str, str], streets: Iterable[str]) -> tuple[Misfit, ...]:
    """Return for each agent whose actions do not fit its strategy the cell of the tally that fits least."""
    names, found = tuple(streets), list[Misfit]()
    for agent, player in enumerate(players):
        cells = tally[agent]
        taken, expected, variance = cells[..., 0], cells[..., 1] / _UNIT, cells[..., 2] / _UNIT
        off = np.abs(taken - expected)
        exponent = off**2 / (2.0 * STEP * variance + 2.0 / 3.0 * off + 1e-300)
        # Both signs, all cells, and all powers of STEP up to the variance of a thousand million decisions.
        steps = math.log(1e9) / math.log(STEP)
        if exponent.max() > math.log(2.0 * taken.size * steps / FALSE_ALARMS):
            seat, round_, action, p = (int(i) for i in np.unravel_index(int(exponent.argmax()), exponent.shape))
            at = seat, round_, action, p
            found.append(
                Misfit(
                    player,
                    seat,
                    names[round_],
                    ACTIONS[action],
                    (PROBABILITIES[p], PROBABILITIES[p + 1]),
                    int(taken[at]),
                    float(expected[at]),
                    math.sqrt(variance[at]),
                )
            )
    return tuple(found)
