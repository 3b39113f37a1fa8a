"""The solve loop: iterations in batches, measurements of exploitability, and a state that can be stopped anywhere."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from errai.engine.certificate import StrategyProfile
from errai.engine.leaf_values import HalfIteration, LeafMeasurement, LeafValues
from errai.engine.own_schedules import RuleInRun
from errai.engine.resources import chosen_precision, new_state, schedule_in
from errai.engine.root import Entering, Root
from errai.engine.schedules import BLOCK, Schedule
from errai.engine.seams import checked_root, learnt_below, measured_below
from errai.engine.status import Status
from errai.engine.units import Exploitability, Measurement, Units, checked_chips
from errai.errors import SolverOptionError
from errai.kernels import _cpu
from errai.kernels.backends import make_kernel
from errai.kernels.protocol import Aim, Arrays
from errai.own_code import faults_named, is_users
from errai.running.stopping import StopToken, stops
from errai.tree.public_tree import PublicTree

BATCH_SECONDS = 0.05
"""Target duration of one call of the kernel; the loop checks its stop token and time limits between calls."""

FIRST_GUESS = 5e-9
"""Estimated seconds per iteration and strategy entry, before any iteration has been timed."""

QUICK_POT_FRACTION = 1e-4
"""Exploitabilities above this fraction of the pot are measured quickly, with an error below a hundredth of them."""

BATCH_ITERATIONS = BLOCK
"""Largest number of iterations per call, which is the number of rows in a block of coefficients."""


@dataclass(frozen=True)
class Progress:
    """The argument of a progress callback."""

    iteration: int
    seconds: float
    exploitability: Measurement | None
    """The newest measurement, or None before the first."""
    measured_at: int
    """The iteration of that measurement."""
    target_chips: float | None
    max_iterations: int | None
    max_seconds: float | None
    built: float = 1.0
    """The share of the tree that has been built; while it is below 1 there have been no iterations."""
    strategy: Callable[[], tuple[PublicTree, Arrays]] | None = field(default=None, repr=False, compare=False)
    """Returns the tree and the sums of the average strategy so far, which may be read during the callback only; None
    where there are none yet."""


ProgressCallback = Callable[[Progress], Any]


Curve = list[tuple[int, float, float]]
"""(Iteration, seconds, exploitability in chips) at every measurement."""


@dataclass(frozen=True, eq=False)
class Measured:
    """What an observer sees at a measurement."""

    iteration: int
    seconds: float
    exploitability_chips: float
    tree: PublicTree
    arrays: dict[str, NDArray[Any]]
    """The solver's state by name, read-only: ``regrets/S/P`` and ``sums/S/P`` by street and player, in the layout of
    :mod:`errai.kernels.layout`.  The arrays change when the run goes on; copy what is to be kept."""


def _read_only(array: NDArray[Any]) -> NDArray[Any]:
    view = array.view()
    view.flags.writeable = False
    return view


def next_measurement(curve: Curve, target_chips: float | None) -> int:
    """Return the iteration at which to measure next, most of the way to where the curve should meet the target.

    This and :func:`has_stalled` depend only on the measurements so far, so that a resumed run measures and ends at the
    same iterations as the whole run would have.  csrc/kernels/stopping_rule.hpp has the rules and the reasons for them,
    because a kernel runs the same loop in one call (:meth:`errai.kernels.protocol.Kernel.run_to_target`).
    """
    return int(_cpu.next_measurement(curve, -1.0 if target_chips is None else target_chips))


def has_stalled(curve: Curve) -> bool:
    """Return whether the newest measurement shows that the exploitability has stopped falling."""
    return bool(_cpu.has_stalled(curve))


class Solver:
    """Iterates one tree.  The state is valid between any two calls; the solver reads and writes no files.

    With ``fixed16`` and ``average8``, averages are not weighted by reach, and the attribute ``schedule`` says so.  For
    ``auto`` see :func:`errai.engine.resources.chosen_precision`, which gets no target and no memory limit here.  The
    leaves of a tree need ``leaf_values``.  By default both ranges enter at the root, and no player may refuse to.  The
    exploitability of the ``average`` or of the ``current`` strategy is measured.  Without ``fresh`` other arrays are
    adopted before anything else, so that this state's own arrays never use memory.

    Raises :class:`SolverOptionError` if the precision does not exist, the schedule cannot be run in it, or the tree has
    leaves without values.
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
        self.rule = None if schedule.rule is None else RuleInRun(schedule.rule, schedule.name, tree)
        self.kernel = make_kernel(backend, tree.arrays, threads, self.rule)
        self.leaf_values = leaf_values
        self.root = None if root is None else checked_root(root, tree)
        self.strategy = strategy
        self.units = Units.of(tree.subject, tree.initial_pot)
        self.state = new_state(tree.arrays, precision, schedule)
        if fresh:
            self.kernel.claim(self.state)
        # Both are computed and cached here, because for small trees this takes longer than solving.
        if schedule.own_code is None:
            self.schedule.coefficients(1, BATCH_ITERATIONS)
        self._pair_weight, self._zero_sum = tree.pair_weight, tree.values_cancel
        self.iteration = 0
        self.seconds = 0.0
        self.iterating_seconds = 0.0
        """The part of the seconds since this object was made that was spent on iterations and not on measurements."""
        self.curve: Curve = []
        self.measure_every: int | None = None
        """Every so many iterations a measurement is made; None leaves it to the stopping rule."""
        self.other_curve: Curve | None = None
        """The curve of the strategy that is not ``strategy``, if it is measured too: ``current`` beside ``average``."""
        self.observe: Callable[[Measured], Any] | None = None
        """Called at each measurement."""
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
        """Whether every half of an iteration involves leaf values below the tree, a root above it, or a local rule."""
        return self.leaf_values is not None or self.root is not None or self.rule is not None

    def _iterate_by_halves(self, iteration: int, row: np.ndarray) -> None:
        self.state.freeze()
        if self.root is not None:
            self.root.freeze()
        if self.rule is not None:
            self.rule.iteration = iteration + 1
        weighted = self.schedule.weighted
        for player in (0, 1):
            reach = None if self.root is None else self.root.entering("played").reach
            leaf_values = None
            if self.leaf_values is not None:
                at_leaves = self.kernel.leaf_reach(self.state.played, reach=reach)
                learnt = iteration + (player > 0), iteration
                half = HalfIteration(player, learnt, at_leaves, row, weighted)
                leaf_values = learnt_below(self.leaf_values, self.tree, half)
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

        ``between`` is called after every batch.  The state is complete then, so its ``arrays()`` may be saved.  If the
        stop token is set, the run ends with ``INTERRUPTED`` after the current batch, and nothing is lost.  After an
        exception, including KeyboardInterrupt, the state is invalid and only a checkpoint can be used.
        """
        batch_seconds = self.tree.entries * FIRST_GUESS
        watched = self.measure_every is not None or self.other_curve is not None or self.observe is not None
        native = self.kernel.runs_to_target and not self._open and not watched
        run_batch = self._run_natively if native else self._run_measured
        with self.kernel.hold(self.state):
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
                    count = 1  # An iteration with leaf values may take any time; the state is complete after each.
                if max_iterations is not None:
                    count = min(count, max_iterations - self.iteration)
                if max_seconds is not None:
                    count = min(count, max(1, math.ceil((max_seconds - self.seconds) / batch_seconds)))
                before = self.iteration, self.iterating_seconds
                run_batch(count, target_chips)
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
            self._watch()
            if target_chips is not None and measured.chips <= target_chips:
                status = Status.TARGET_MET
        if progress is not None:
            progress(self._progress(target_chips, max_iterations, max_seconds))
        return status

    def has_met(self, target_chips: float) -> bool:
        """Return whether the newest measurement belongs to the current iteration and is at most the target."""
        return bool(self.curve) and self.curve[-1][0] == self.iteration and self.curve[-1][2] <= target_chips

    def has_stalled(self) -> bool:
        """Return whether the current iteration was measured and the exploitability no longer falls to the target."""
        at_the_end = bool(self.curve) and self.curve[-1][0] == self.iteration
        return at_the_end and has_stalled(self.curve)

    def _run_measured(self, count: int, target_chips: float | None) -> None:
        """Run up to ``count`` more iterations and measure when it is due; a measurement ends the batch."""
        every = self.measure_every
        planned = next_measurement(self.curve, target_chips) if every is None else 0
        due = planned if every is None else (self.iteration // every + 1) * every
        self.iterate(min(max(1, due - self.iteration), count))
        if self.iteration >= due:
            self.measure_quickly()
            self._watch()

    def _watch(self) -> None:
        """Measure the other strategy too, and let the observer see the state, if either is wanted."""
        iteration, seconds, chips = self.curve[-1]
        if self.other_curve is not None:
            name, source = "current", self.state.source
            if self.strategy == "current":
                name, source = "average", self.state.sums
            profile = StrategyProfile(self.tree, self.kernel, source, self.leaves(source, name), self.entering(name))
            self.other_curve.append((iteration, seconds, profile.certificate(self.units)[0].chips))
        if self.observe is not None:
            arrays = {name: _read_only(array) for name, array in self.arrays().items()}
            where = lambda: f"at iteration {iteration:,}"  # noqa: E731
            with faults_named(f"The observer {self.observe!r:.80}", SolverOptionError, where):
                self.observe(Measured(iteration, seconds, chips, self.tree, arrays))

    def _run_natively(self, count: int, target_chips: float | None) -> None:
        """Do the same as :meth:`_run_measured` in one call of the kernel."""
        started = time.perf_counter()
        exact_chips, current = QUICK_POT_FRACTION * self.units.initial_pot_chips, self.strategy == "current"
        measured = self.iteration, self.curve
        aim = Aim(target_chips, exact_chips, self._pair_weight, current, self._zero_sum, *measured)
        table = self.schedule.coefficients(self.iteration + 1, count)
        found = self.kernel.run_to_target(self.state, table, aim, weighted=self.schedule.weighted)
        self.curve += [(iteration, self.seconds + seconds, chips) for iteration, seconds, chips in found.points]
        if found.points:
            self.newest = Measurement(checked_chips(self.curve[-1][2]), self.units)
            self.unplanned = False
        self.iteration += found.iterations
        self.seconds += time.perf_counter() - started
        self.iterating_seconds += found.iterating_seconds

    def _progress(self, target: float | None, iterations: int | None, seconds: float | None) -> Progress:
        """Return how far the run is, with its limits; the target is in chips."""
        measured_at = self.curve[-1][0] if self.curve else 0
        limits = target, iterations, seconds
        return Progress(self.iteration, self.seconds, self.newest, measured_at, *limits, 1.0, self._so_far)

    def _so_far(self) -> tuple[PublicTree, Arrays]:
        self.state.arrays()  # brings what a kernel holds elsewhere
        return self.tree, self.state.sums

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return all learnt arrays by name and up to date; checkpoints store them."""
        below = {} if self.leaf_values is None else self.leaf_values.arrays(self.tree)
        return self.state.arrays() | ({} if self.root is None else self.root.arrays()) | below

    def adopt(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Continue with arrays of the same names, types and sizes as :meth:`arrays`.

        Those of the state are not copied.
        """
        self.state.adopt(arrays)
        if self.root is not None:
            self.root.adopt(arrays)
        if self.leaf_values is not None:
            self.leaf_values.adopt(self.tree, arrays)

    # --- measuring -------------------------------------------------------------------------------------------------

    newest: Measurement | None = None

    @property
    def measured(self) -> Arrays:
        """The sums or regrets that the measured strategy follows from by regret matching."""
        return self.state.sums if self.strategy == "average" else self.state.source

    def measure(self, strategy: Arrays | None = None) -> Exploitability:
        """Measure the average strategy (or ``strategy``) exactly, and add the result to the curve; its time counts."""
        started = time.perf_counter()
        source = self.measured if strategy is None else strategy
        profile = StrategyProfile(self.tree, self.kernel, source, self.leaves(source), self.entering())
        result, _ = profile.certificate(self.units)
        self._note(result, started)
        return result

    def measure_quickly(self) -> Measurement:
        """Measure the measured strategy, quickly if that is precise enough, and add the result to the curve."""
        if self.curve and self.curve[-1][2] <= QUICK_POT_FRACTION * self.units.initial_pot_chips:
            return self.measure()  # The rounding of float32 would matter.
        started = time.perf_counter()
        # What answers differently every time is found at the first measurement, before the work is done.
        leaves = self.leaves(self.measured, exact=False, twice=not self.curve)
        profile = StrategyProfile(self.tree, self.kernel, self.measured, leaves, self.entering())
        result = profile.quick_exploitability(self.units)
        self._note(result, started)
        return result

    def leaves(
        self, source: Arrays, strategy: str | None = None, *, exact: bool = True, twice: bool = False
    ) -> LeafMeasurement | None:
        """Return the values of the leaves under the strategy that follows from ``source``; None without leaves.

        ``strategy`` names the strategy that is followed at the root, by default the measured one.  With ``twice`` the
        values are checked as a certificate needs it: that they repeat, and that they are zero-sum if they say so.

        Raises :class:`LeafValuesError` if they cannot be used.
        """
        if self.leaf_values is None:
            return None
        # A quick measurement may lack the players' own values, which are needed if the game is not zero-sum.
        exact = exact or not self._zero_sum
        entering = self.entering(strategy)
        reach = None if entering is None else entering.reach
        at_leaves = self.kernel.leaf_reach(source, tied=False, reach=reach)
        found = measured_below(self.leaf_values, self.tree, at_leaves, exact=exact, twice=twice)
        if twice and is_users(self.leaf_values):
            StrategyProfile(self.tree, self.kernel, source, found, entering).check_zero_sum_leaves(self.leaf_values)
        return found

    def entering(self, strategy: str | None = None) -> Entering | None:
        """Return what enters at the root under the measured or the named strategy; None if these are the ranges."""
        return None if self.root is None else self.root.entering(self.strategy if strategy is None else strategy)

    def _note(self, measured: Measurement, started: float) -> None:
        self.unplanned = False
        self.seconds += time.perf_counter() - started
        checked_chips(measured.chips)
        self.newest = measured
        self.curve.append((self.iteration, self.seconds, measured.chips))
