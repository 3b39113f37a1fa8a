"""Variants of counterfactual regret minimisation as data: how regrets and averages are scaled at each iteration.

After iteration ``t`` (counted from 1) has added its regret, regrets above 0 are multiplied by ``positive(t)`` and
those below 0 by ``negative(t)``.  The strategy sum is multiplied by ``average(t)`` before the strategy of iteration
``t`` is added with weight 1.  A predictive variant adds ``prediction`` times the newest regret before it matches.  A
variant with foresight tells a parent what a node was worth under the strategy just played only in part, and for the
rest what it is worth under the next one.  One kernel serves them all.  Derivations and sources are in docs/maths.md.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass, replace
from functools import cache, lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from errai.errors import SolverOptionError
from errai.kernels.protocol import COEFFICIENTS

GOLDEN_RATIO = (5.0**0.5 - 1.0) / 2.0

BLOCK = 256
"""Iterations whose coefficients are computed together."""

NO_MEMORY = float("-inf")
"""An exponent that forgets: negative regrets are set to 0, as in CFR+."""


@dataclass(frozen=True)
class Schedule:
    """One variant with its exponents."""

    name: str
    alpha: float
    """Regrets above 0 are multiplied by t^alpha / (t^alpha + 1); infinity keeps them."""
    beta: float
    """Regrets below 0 are multiplied by t^beta / (t^beta + 1); minus infinity makes them 0, infinity keeps them."""
    gamma: float
    """Iteration t counts with weight proportional to t^gamma in the average."""
    prediction: float = 0.0
    """1 for predictive variants."""
    weighted: bool = True
    """Whether a strategy enters the average weighted by the player's own reach, as the theory has it."""
    foresight: float = 0.0
    """How much of a node's value, as its parent learns it, is that of the strategy that the node plays next."""
    simultaneous: bool = False
    """Both players update against the same old strategies; else player 1 answers player 0's new one."""
    average_from: int = 1
    """The first iteration whose strategy enters the average.  DeepStack leaves out the first half and more of those
    before (Moravčík et al. 2017, table 4); the weights of ``gamma`` do most of the same without a number to choose."""

    @property
    def predictive(self) -> bool:
        """Whether the variant keeps an array of predictions."""
        return self.prediction != 0.0

    def coefficients(self, first: int, count: int) -> NDArray[np.float64]:
        """float64[count, 8], not to be written to: rows for iterations ``first`` .. ``first + count - 1``, in the
        kernel's columns."""
        begin, end = first - 1, first - 1 + count
        blocks = [_block(self, number) for number in range(begin // BLOCK, (end - 1) // BLOCK + 1)]
        rows = blocks[0] if len(blocks) == 1 else np.concatenate(blocks)
        skipped = begin // BLOCK * BLOCK
        return rows[begin - skipped : end - skipped]

    def to_dict(self) -> dict[str, Any]:
        """The schedule as JSON can hold it; infinite exponents as text."""
        said = asdict(self)
        if self.average_from == 1:
            del said["average_from"]  # which files from before there was one do not have
        return {k: str(v) if isinstance(v, float) and np.isinf(v) else v for k, v in said.items()}


def _share(t: NDArray[np.float64], exponent: float) -> NDArray[np.float64]:
    if np.isposinf(exponent):
        return np.ones_like(t)
    if np.isneginf(exponent):
        return np.zeros_like(t)
    return t**exponent / (t**exponent + 1.0)


@lru_cache(maxsize=64)
def _block(schedule: Schedule, number: int) -> NDArray[np.float64]:
    """float64[BLOCK, 8]: the coefficients of one block of iterations; small games ask for a few rows at a time."""
    t = np.arange(number * BLOCK + 1, (number + 1) * BLOCK + 1, dtype=np.float64)
    table = np.empty((BLOCK, len(COEFFICIENTS)))
    table[:, 0] = _share(t, schedule.alpha)
    table[:, 1] = _share(t, schedule.beta)
    table[:, 2] = ((t - 1.0) / t) ** schedule.gamma if schedule.gamma else np.ones(BLOCK)
    if schedule.average_from > 1:
        table[t <= schedule.average_from, 2] = 0.0  # until then only the newest is kept
    table[:, 3] = 1.0
    table[:, 4] = schedule.prediction
    sums = _powers_summed(schedule.gamma, 1 << int(t[-1]).bit_length())
    before = sums[min(schedule.average_from - 1, len(sums) - 1)]
    left_out = t < schedule.average_from
    table[:, 5] = np.where(
        left_out, 1.0, t**schedule.gamma / np.where(left_out, 1.0, sums[t.astype(np.int64)] - before)
    )
    table[:, 6] = schedule.foresight
    # A rounded average would not follow what moves it by less than half a step.  With an offset that spreads evenly
    # over a step, as multiples of the golden ratio do, rounding is right in the mean.
    table[:, 7] = np.mod(t * GOLDEN_RATIO, 1.0) - 0.5
    table.flags.writeable = False  # Whoever asks for rows of a block is handed these.
    return table


@cache
def _powers_summed(exponent: float, count: int) -> NDArray[np.float64]:
    """float64[count]: at n the sum of t^exponent for t from 1 to n.  Callers ask for powers of 2: few are kept."""
    return np.concatenate([[0.0], np.cumsum(np.arange(1.0, count) ** exponent)])


_INFINITY = float("inf")

SCHEDULES = {
    s.name: s
    for s in (
        # Zinkevich et al. 2007.
        Schedule("cfr", alpha=_INFINITY, beta=_INFINITY, gamma=0.0),
        # Tammelin 2014; Bowling et al. 2015: average weighted by t.
        Schedule("cfr+", alpha=_INFINITY, beta=NO_MEMORY, gamma=1.0),
        # Brown and Sandholm 2019, linear CFR: regrets and averages weighted by t.
        Schedule("linear", alpha=1.0, beta=1.0, gamma=1.0),
        # Brown and Sandholm 2019, discounted CFR with their exponents (3/2, 0, 2).
        Schedule("dcfr", alpha=1.5, beta=0.0, gamma=2.0),
        # The same with the average weighted by t^4.
        Schedule("dcfr4", alpha=1.5, beta=0.0, gamma=4.0),
        # The same with regrets below 0 forgotten, and an average that reach does not weight: for games kept on disk,
        # where regrets that are never negative take less room (docs/log.md).
        Schedule("dcfr4+", alpha=1.5, beta=NO_MEMORY, gamma=4.0, weighted=False),
        # dcfr4 with foresight, and regrets discounted a little longer: the default, with the fewest iterations over
        # the set of spots (docs/log.md).  Foresight is ours; docs/maths.md says what it does and what is not proved.
        Schedule("dcfr-foresight", alpha=1.4, beta=0.0, gamma=4.0, foresight=0.5),
        # Farina, Kroer and Sandholm 2021: predictive CFR+ with a quadratic average.
        Schedule("pcfr+", alpha=_INFINITY, beta=NO_MEMORY, gamma=2.0, prediction=1.0),
    )
}
"""The variants by name."""

DEFAULT = "dcfr-foresight"
"""Name of the variant that :func:`errai.solve` uses unless told otherwise."""

DEFAULT_IN_STORE = "dcfr4+"
"""The same for runs in a folder: regrets below 0 are forgotten, so that blocks take less room (docs/log.md)."""


def find_schedule(algorithm: str | Schedule, **changes: Any) -> Schedule:
    """Return a schedule by name, with some of its fields changed.

    Raises
    ------
    SolverOptionError
        There is no such algorithm.
    """
    if isinstance(algorithm, Schedule):
        return replace(algorithm, **changes)
    found = SCHEDULES.get(algorithm.lower())
    if found is None:
        raise SolverOptionError(f"There is no algorithm {algorithm!r}; choose one of {', '.join(names())}.")
    return replace(found, **changes)


def names() -> Iterable[str]:
    """Names of the algorithms."""
    return SCHEDULES.keys()
