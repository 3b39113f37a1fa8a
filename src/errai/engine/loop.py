"""The one solve loop: iterations in batches, exploitability where it is due, a state that can be stopped anywhere."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from errai.engine.leaf_values import HalfIteration, LeafMeasurement, LeafValues
from errai.engine.precision import DTYPES, chosen_precision, schedule_in
from errai.engine.pursuit import Curve, has_stalled, next_measurement
from errai.engine.root import Entering, Root
from errai.engine.schedules import BLOCK, Schedule
from errai.engine.status import Status
from errai.engine.strategy import exploitability, quick_exploitability
from errai.engine.units import Exploitability, Measurement, Units
from errai.errors import SolverOptionError
from errai.kernels.backends import claim, held, make_kernel
from errai.kernels.protocol import Aim, Arrays, Pursued, State
from errai.running.stopping import StopToken, stops
from errai.tree.public_tree import PublicTree

BATCH_SECONDS = 0.05
"""How long one call into the kernel should take: the loop looks at its stop token and at time limits in between."""

FIRST_GUESS = 5e-9
"""Seconds of an iteration per strategy entry, before any has been timed."""

QUICK_POT_FRACTION = 1e-4
"""Exploitabilities above this fraction of the pot are measured quickly, with an error below a hundredth of it."""

BATCH_ITERATIONS = BLOCK
"""How many iterations one call runs at most: as many rows as a block of coefficients has."""


@dataclass(frozen=True)
class Progress:
    """What a progress callback is told."""

    iteration: int
    seconds: float
    exploitability: Measurement | None
    """The newest measurement, or None before the first."""
    measured_at: int
    """Iteration of that measurement."""
    target_chips: float | None
    max_iterations: int | None
    max_seconds: float | None
    built: float = 1.0
    """How much of the tree has been made; below 1 there has been no iteration yet."""


ProgressCallback = Callable[[Progress], Any]


class Solver:
    """Iterates one tree.  The state is valid between any two calls; nothing here reads or writes files.

    Parameters
    ----------
    tree:
        What is solved.
    schedule:
        The variant.  ``fixed16`` runs it with averages that are not weighted, and the attribute ``schedule`` says so.
    backend, threads:
        See :func:`errai.kernels.backends.make_kernel`.
    precision:
        ``float32``, ``float64``, ``fixed16`` or ``auto``; see :func:`errai.engine.precision.chosen_precision`, which
        knows of no target and no memory here.
    leaf_values:
        Needed if the tree has leaves.
    root:
        What stands above the tree; by default its ranges enter, and nothing is refused.
    strategy:
        Whose exploitability is measured: that of the ``average`` or of the ``current`` strategy.
    fresh:
        False where another state is adopted before anything else, so that this one never takes any memory.

    Raises
    ------
    SolverOptionError
        There is no such precision, the schedule cannot be run in it, or the tree has leaves and they no values.
    """

    def __init__(
        self,
        tree: PublicTree,
        schedule: Schedule,
        *,
        backend: str = "cpu",
        threads: int = 1,
        precision: str = "auto",
        leaf_values: LeafValues | None = None,
        root: Root | None = None,
        strategy: str = "average",
        fresh: bool = True,
    ) -> None:
        precision = chosen_precision(
            precision, schedule, entries=tree.entries, backend=backend, responds_best=tree.arrays.responds_best
        )
        if any(s.num_leaves for s in tree.arrays.streets) and leaf_values is None:
            raise SolverOptionError("The tree is cut before its last street; pass leaf_values.")
        self.tree = tree
        self.schedule = schedule_in(precision, schedule)
        self.backend = backend
        self.precision = precision
        self.kernel = make_kernel(backend, tree.arrays, threads)
        self.leaf_values = leaf_values
        self.root = root
        self.strategy = strategy
        self.units = Units.of(tree.subject, tree.initial_pot)
        self.state = State.zeros(
            tree.arrays, DTYPES[precision], predictive=schedule.predictive, simultaneous=schedule.simultaneous
        )
        if fresh:
            claim(self.kernel, self.state)
        # Both are kept: small trees are solved before these are made.
        self.schedule.coefficients(1, BATCH_ITERATIONS)
        self._pair_weight, self._zero_sum = tree.pair_weight, tree.values_cancel
        self.iteration = 0
        self.seconds = 0.0
        self.iterating_seconds = 0.0
        """What of the seconds since this object was made went into iterations and not into measuring."""
        self.curve: Curve = []
        self.unplanned = False
        """Whether the last point of the curve was measured only because the run stopped there."""

    # --- iterating -------------------------------------------------------------------------------------------------

    def iterate(self, count: int = 1) -> None:
        """Run ``count`` more iterations."""
        table = self.schedule.coefficients(self.iteration + 1, count)
        started = time.perf_counter()
        if self._open:
            for iteration, row in enumerate(table, start=self.iteration):
                self._iterate_by_halves(iteration, row)
        else:
            self.kernel.iterate(self.state, table, weighted=self.schedule.weighted)
        took = time.perf_counter() - started
        self.iteration += count
        self.seconds += took
        self.iterating_seconds += took

    @property
    def _open(self) -> bool:
        """Whether something stands above the tree or below it, which takes part in every half of an iteration."""
        return self.leaf_values is not None or self.root is not None

    def _iterate_by_halves(self, iteration: int, row: np.ndarray) -> None:
        self.state.freeze()
        if self.root is not None:
            self.root.freeze()
        weighted = self.schedule.weighted
        for player in (0, 1):
            reach = None if self.root is None else self.root.entering("played").reach
            leaf_values = None
            if self.leaf_values is not None:
                at_leaves = self.kernel.leaf_reach(self.state.played, reach=reach)
                learnt = iteration + (player > 0), iteration
                half = HalfIteration(player, learnt, at_leaves, row, weighted)
                leaf_values = self.leaf_values.learn(self.tree, half)
            values = self.kernel.update(
                self.state, player, row, weighted=weighted, leaf_values=leaf_values, reach=reach
            )
            if self.root is not None:
                self.root.learn(player, values, row)

    def run(
        self,
        *,
        target_chips: float | None = None,
        max_iterations: int | None = None,
        max_seconds: float | None = None,
        stop: StopToken | None = None,
        progress: ProgressCallback | None = None,
        between: Callable[[], Any] | None = None,
    ) -> Status:
        """Iterate until a measured exploitability is at most the target, or a limit is reached.

        ``between`` is called after every batch; the state is whole then, so it may save its ``arrays()``.  A token that
        is set ends the run with ``INTERRUPTED`` after the batch that is running, and nothing is lost.  An exception,
        KeyboardInterrupt among them, leaves a state that no longer counts: what a checkpoint holds does.
        """
        batch_seconds = self.tree.entries * FIRST_GUESS
        native = self._native()
        with held(self.kernel, self.state):
            while True:
                if max_iterations is not None and self.iteration >= max_iterations:
                    status = Status.ITERATION_LIMIT
                    break
                if max_seconds is not None and self.seconds >= max_seconds:
                    status = Status.TIME_LIMIT
                    break
                if stops(stop):
                    status = Status.INTERRUPTED
                    break
                count = min(BATCH_ITERATIONS, max(1, int(BATCH_SECONDS / batch_seconds)))
                if self.leaf_values is not None:
                    count = 1  # What is below the leaves may take any time, and is whole after an iteration.
                if max_iterations is not None:
                    count = min(count, max_iterations - self.iteration)
                if max_seconds is not None:
                    count = min(count, max(1, math.ceil((max_seconds - self.seconds) / batch_seconds)))
                before = self.iteration, self.iterating_seconds
                if native is None:
                    self._pursue(count, target_chips)
                else:
                    self._pursue_natively(native, count, target_chips)
                batch_seconds = max((self.iterating_seconds - before[1]) / (self.iteration - before[0]), 1e-9)
                if target_chips is not None and (self.has_met(target_chips) or self.has_stalled()):
                    status = Status.TARGET_MET if self.has_met(target_chips) else Status.PRECISION_LIMIT
                    break
                if progress is not None:
                    progress(self._progress(target_chips, max_iterations, max_seconds))
                if between is not None:
                    between()
        if not self.curve or self.curve[-1][0] != self.iteration:
            measured = self.measure()
            self.unplanned = True
            if target_chips is not None and measured.chips <= target_chips:
                status = Status.TARGET_MET
        if progress is not None:
            progress(self._progress(target_chips, max_iterations, max_seconds))
        return status

    def has_met(self, target_chips: float) -> bool:
        """Whether the newest measurement is of this very iteration and at most the target."""
        return bool(self.curve) and self.curve[-1][0] == self.iteration and self.curve[-1][2] <= target_chips

    def has_stalled(self) -> bool:
        """Whether this very iteration was measured and the exploitability has stopped falling above the target."""
        at_the_end = bool(self.curve) and self.curve[-1][0] == self.iteration
        return at_the_end and has_stalled(self.curve)

    def _pursue(self, count: int, target_chips: float | None) -> None:
        """Run up to ``count`` more iterations, measuring where it is due; a reason to stop ends them."""
        due = next_measurement(self.curve, target_chips)
        self.iterate(min(max(1, due - self.iteration), count))
        if self.iteration >= due:
            self.screen()

    def _native(self) -> Callable[..., Pursued] | None:
        """The kernel's own loop, where it has one that can be used."""
        return None if self._open else getattr(self.kernel, "pursue", None)

    def _pursue_natively(self, native: Callable[..., Pursued], count: int, target_chips: float | None) -> None:
        """The same in one call of the kernel."""
        started = time.perf_counter()
        exact_chips = QUICK_POT_FRACTION * self.units.initial_pot_chips
        aim = Aim(target_chips, exact_chips, self._pair_weight, self.strategy == "current", self._zero_sum)
        table = self.schedule.coefficients(self.iteration + 1, count)
        found = native(self.state, table, aim, self.curve, self.iteration, weighted=self.schedule.weighted)
        self.curve += [(iteration, self.seconds + seconds, chips) for iteration, seconds, chips in found.points]
        if found.points:
            self.newest = Measurement(self.curve[-1][2], self.units)
            self.unplanned = False
        self.iteration += found.iterations
        self.seconds += time.perf_counter() - started
        self.iterating_seconds += found.iterating_seconds

    def _progress(self, target: float | None, max_iterations: int | None, max_seconds: float | None) -> Progress:
        return Progress(
            self.iteration,
            self.seconds,
            self.newest,
            self.curve[-1][0] if self.curve else 0,
            target,
            max_iterations,
            max_seconds,
        )

    def arrays(self) -> dict[str, NDArray]:
        """All that has been learnt, up to date, by name: what a checkpoint holds."""
        below = {} if self.leaf_values is None else self.leaf_values.arrays(self.tree)
        return self.state.arrays() | ({} if self.root is None else self.root.arrays()) | below

    def adopt(self, arrays: Mapping[str, NDArray]) -> None:
        """Go on in arrays of the same names, types and sizes as :meth:`arrays`; those of the state are not copied."""
        self.state.adopt(arrays)
        if self.root is not None:
            self.root.adopt(arrays)
        if self.leaf_values is not None:
            self.leaf_values.adopt(self.tree, arrays)

    # --- measuring -------------------------------------------------------------------------------------------------

    newest: Measurement | None = None

    @property
    def measured(self) -> Arrays:
        """What the measured strategy is matched to."""
        return self.state.sums if self.strategy == "average" else self.state.source

    def measure(self, strategy: Arrays | None = None) -> Exploitability:
        """Exploitability of the average strategy (or of ``strategy``), entered in the curve; its time counts."""
        started = time.perf_counter()
        source = self.measured if strategy is None else strategy
        leaves, entering = self.leaves(source), self.entering()
        result = exploitability(self.tree, self.kernel, source, self.units, leaves, entering)
        self._note(result, started)
        return result

    def screen(self) -> Measurement:
        """Exploitability of the average strategy, quickly where that is good enough; entered in the curve likewise."""
        if not self._is_far():
            return self.measure()
        started = time.perf_counter()
        leaves = self.leaves(self.measured, exact=False)
        result = quick_exploitability(self.tree, self.kernel, self.measured, self.units, leaves, self.entering())
        self._note(result, started)
        return result

    def leaves(self, source: Arrays, strategy: str | None = None, *, exact: bool = True) -> LeafMeasurement | None:
        """What the leaves are worth under the strategy matched to ``source``; None where the tree has none.

        ``strategy`` says which one is followed at the root: by default the measured one.
        """
        if self.leaf_values is None:
            return None
        # What is measured quickly may lack the values that best responses are counted from.
        exact = exact or not self._zero_sum
        entering = self.entering(strategy)
        reach = None if entering is None else entering.reach
        return self.leaf_values.measure(self.tree, self.kernel.leaf_reach(source, tied=False, reach=reach), exact=exact)

    def entering(self, strategy: str | None = None) -> Entering | None:
        """What enters at the root under the measured strategy, or another one; None where that is the ranges."""
        return None if self.root is None else self.root.entering(self.strategy if strategy is None else strategy)

    def _is_far(self) -> bool:
        """Whether what was measured last is so much that the rounding of float32 does not show."""
        return not self.curve or self.curve[-1][2] > QUICK_POT_FRACTION * self.units.initial_pot_chips

    def _note(self, measured: Measurement, started: float) -> None:
        self.unplanned = False
        self.seconds += time.perf_counter() - started
        self.newest = measured
        self.curve.append((self.iteration, self.seconds, measured.chips))


def from_time_to_time(save: Callable[[], None], every: float) -> Callable[[], None]:
    """A function that calls ``save`` when it last did so longer than ``every`` seconds ago."""
    last = time.monotonic()

    def look() -> None:
        nonlocal last
        if time.monotonic() - last >= every:
            save()
            last = time.monotonic()

    return look
