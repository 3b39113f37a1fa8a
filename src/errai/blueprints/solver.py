"""The loop that all solvers over buckets share: iterations until a limit, with tables that can be saved in between."""

from __future__ import annotations

import math
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import KW_ONLY, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from errai.blueprints.abstractions import Abstraction
from errai.engine.loop import BATCH_SECONDS, Progress, ProgressCallback
from errai.engine.schedules import checked_average_from
from errai.engine.status import Status
from errai.engine.units import Measurement, Units
from errai.errors import SolverOptionError
from errai.kernels.buckets import Tables
from errai.running.stopping import StopToken, stops
from errai.tree.public_tree import TreePlan


@dataclass(frozen=True)
class Weights:
    """Iteration t of a sampled method adds its regrets with weight t^regret and its strategy with weight t^average.

    A full-width iteration discounts whole tables (:mod:`errai.engine.schedules`).  One on a few sampled cards changes a
    small part of them, so what it adds is multiplied instead, which is equivalent for weights that are powers.
    """

    regret: float
    average: float
    floor: bool = False
    """Whether regrets below 0 are set to 0."""


WEIGHTS = {
    # The weights of Zinkevich et al. 2007 and Lanctot et al. 2009.
    "cfr": Weights(0.0, 0.0),
    # Linear CFR of Brown & Sandholm 2019, which they found to suit sampling as well.
    "linear": Weights(1.0, 1.0),
    # CFR+ of Tammelin 2014, in sampled form as by Burch, Moravcik & Schmid 2019.
    "cfr+": Weights(0.0, 1.0, floor=True),
}


def find_weights(name: str) -> Weights:
    """Return the weights with a name.  Raises :class:`SolverOptionError` if there are none."""
    if name not in WEIGHTS:
        raise SolverOptionError(
            f"There are no weights {name!r} for sampled methods; choose one of {', '.join(WEIGHTS)}."
        )
    return WEIGHTS[name]


Measure = Callable[["BucketSolver"], Measurement | None]
"""Measures a solver's average strategy; returns None if it is too early to measure again."""

FIRST_MEASUREMENT = 8
"""Iteration of the first measurement; each later one is at about ``MEASUREMENT_RATIO`` times the one before."""
MEASUREMENT_RATIO = 1.5


@dataclass(eq=False, repr=False)
class BucketSolver(ABC):
    """Regrets and averages over buckets; subclasses define an iteration.

    The backends are those of :func:`~errai.blueprints.full.make_bucket_kernel`; external sampling has one.  Raises
    :class:`SolverOptionError` if ``average_from`` is below 1.
    """

    method = ""
    """The name of the method."""

    plan: TreePlan
    abstraction: Abstraction
    _: KW_ONLY
    average_from: int = 1
    """The first iteration whose strategy enters the average."""
    dtype: type[np.floating] = np.float32
    """The type of the tables, float32 or float64."""
    backend: str = "cpu"
    threads: int = 1

    def __post_init__(self) -> None:
        checked_average_from(self.average_from)
        plan, abstraction, dtype = self.plan, self.abstraction, self.dtype
        self.game = plan.subject.rules
        self.units = Units.of(plan.subject, plan.betting.initial_pot)
        self.regrets, self.sums = new_tables(plan, abstraction, dtype), new_tables(plan, abstraction, dtype)
        self.iteration = 0
        self.seconds = 0.0
        self.curve: list[tuple[int, float, float]] = []
        """(Iteration, seconds, exploitability in chips) at every measurement."""
        self.newest: Measurement | None = None

    @abstractmethod
    def iterate(self, count: int) -> None:
        """Run ``count`` more iterations."""

    @property
    def averaged(self) -> bool:
        """Whether there is an average yet."""
        return self.iteration >= self.average_from

    @property
    def identity(self) -> dict[str, Any]:
        """The values in which a checkpoint of this run must agree."""
        return {
            "method": self.method,
            "game": self.game.digest(),
            "abstraction": self.abstraction.digest(),
            "average_from": self.average_from,
        }

    def run(
        self,
        *,
        max_iterations: int | None = None,
        max_seconds: float | None = None,
        measure: Measure | None = None,
        stop: StopToken | None = None,
        progress: ProgressCallback | None = None,
        between: Callable[[], Any] | None = None,
        batch_seconds: float = BATCH_SECONDS,
    ) -> Status:
        """Iterate until a limit is reached.

        ``measure`` is called at iterations that depend only on their number, and its time does not count.  ``between``
        is called after every batch, when the tables are complete.  If the stop token is set, the run ends after the
        current batch, and nothing is lost.
        """
        each = 0.0
        while True:
            if max_iterations is not None and self.iteration >= max_iterations:
                return Status.ITERATION_LIMIT
            if max_seconds is not None and self.seconds >= max_seconds:
                return Status.TIME_LIMIT
            if stops(stop):
                return Status.INTERRUPTED
            due = next_measurement(self.iteration)
            count = 1 if not each else min(1_000_000, max(1, int(batch_seconds / each)))
            if measure is not None:
                count = min(count, due - self.iteration)
            if max_iterations is not None:
                count = min(count, max_iterations - self.iteration)
            if max_seconds is not None and each:
                count = min(count, max(1, math.ceil((max_seconds - self.seconds) / each)))
            started = time.perf_counter()
            self.iterate(count)
            taken = time.perf_counter() - started
            self.iteration += count
            self.seconds += taken
            each = max(taken / count, 1e-9)
            if measure is not None and self.iteration == due and (measured := measure(self)) is not None:
                self.newest = measured
                self.curve.append((self.iteration, self.seconds, measured.chips))
            if progress is not None:
                at = self.curve[-1][0] if self.curve else 0
                progress(Progress(self.iteration, self.seconds, self.newest, at, None, max_iterations, max_seconds))
            if between is not None:
                between()

    # --- checkpoints -----------------------------------------------------------------------------------------------

    def kept(self) -> dict[str, Tables]:
        """Return all tables that an iteration reads and changes, by name."""
        return {"regrets": self.regrets, "sums": self.sums}

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return the tables one by one, by name, street and player."""
        return {
            f"{name}/{s}/{p}": table
            for name, tables in self.kept().items()
            for s, pair in enumerate(tables)
            for p, table in enumerate(pair)
        }

    def adopt(self, arrays: Mapping[str, NDArray[Any]], iteration: int, seconds: float, curve: list[Any]) -> None:
        """Continue with the arrays of :meth:`arrays` from another run with the same identity."""
        for name, tables in self.kept().items():
            for s, pair in enumerate(tables):
                pair[:] = [np.ascontiguousarray(arrays[f"{name}/{s}/{p}"]) for p in (0, 1)]
        self.iteration, self.seconds = iteration, seconds
        self.curve = [(int(i), float(t), float(chips)) for i, t, chips in curve]


@dataclass(eq=False, repr=False, kw_only=True)
class SampledSolver(BucketSolver):
    """A solver whose iterations sample cards; raises :class:`SolverOptionError` for unknown weights too."""

    weights: str = "linear"
    """The weights of the iterations, one of ``WEIGHTS``."""
    seed: int = 0
    """The seed of what is sampled.  Nothing else is random, and results do not depend on threads."""

    def __post_init__(self) -> None:
        self.growth = find_weights(self.weights)
        super().__post_init__()

    @property
    def identity(self) -> dict[str, Any]:
        return {**super().identity, "weights": self.weights, "seed": self.seed}

    def iterate(self, count: int) -> None:
        for t in range(self.iteration + 1, self.iteration + count + 1):
            average = float(t) ** self.growth.average if t >= self.average_from else 0.0
            self.sample(t, float(t) ** self.growth.regret, average)

    @abstractmethod
    def sample(self, t: int, regret_weight: float, sum_weight: float) -> None:
        """Run iteration ``t``, whose strategies enter the average only if ``sum_weight`` is not 0."""


def next_measurement(iteration: int) -> int:
    """Return the next iteration at which to measure: 8, 12, 18, 27, ..."""
    due = FIRST_MEASUREMENT
    while due <= iteration:
        due = math.ceil(due * MEASUREMENT_RATIO)
    return due


def table_shapes(plan: TreePlan, abstraction: Abstraction) -> list[list[tuple[int, int]]]:
    """Return the number of rows and of buckets of each table, indexed ``[street][player]``."""
    betting = plan.betting
    return [[(betting.num_rows(s, p), abstraction.num_buckets(s)) for p in (0, 1)] for s in range(betting.num_streets)]


def new_tables(plan: TreePlan, abstraction: Abstraction, dtype: type[np.floating]) -> Tables:
    """Return tables of zeros, floating [num_rows, K], indexed ``[street][player]``."""
    return [[np.zeros(shape, dtype) for shape in pair] for pair in table_shapes(plan, abstraction)]


def table_entries(plan: TreePlan, abstraction: Abstraction) -> int:
    """Return the number of entries in the tables of both players."""
    return sum(rows * buckets for pair in table_shapes(plan, abstraction) for rows, buckets in pair)
