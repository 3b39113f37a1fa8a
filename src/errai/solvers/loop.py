"""The one solve loop: iterations in batches, exploitability where it is due, a state that can be stopped anywhere."""

from __future__ import annotations

import math
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np

from errai.errors import SolverOptionError
from errai.kernels.backends import held, make_kernel
from errai.kernels.protocol import Arrays, LeafArrays, State
from errai.solvers.leaf_values import LeafValues
from errai.solvers.schedules import Schedule
from errai.solvers.strategy import exploitability
from errai.solvers.units import Exploitability, Units
from errai.tree.public_tree import PublicTree

BATCH_SECONDS = 0.05
"""How long one call into the kernel should take: the loop reacts to Ctrl-C and to time limits in between."""

DTYPES = {"float32": np.float32, "float64": np.float64, "fixed16": np.int16}
"""Type of a solver's regrets by the name of the precision."""

SMALL_TREE_ENTRIES = 20_000
"""Trees up to this size are solved in float64: it costs nothing there, and rounding would decide between equals."""


def chosen_precision(precision: str, entries: int, backend: str = "cpu") -> str:
    """What ``auto`` stands for on a tree of that size.  Raises :class:`SolverOptionError` for an unknown precision."""
    if precision == "auto":
        return "float64" if backend == "reference" or entries <= SMALL_TREE_ENTRIES else "float32"
    if precision not in DTYPES:
        raise SolverOptionError(f"There is no precision {precision!r}; choose auto, {', '.join(DTYPES)}.")
    return precision


@dataclass(frozen=True)
class Progress:
    """What a progress callback is told."""

    iteration: int
    seconds: float
    exploitability: Exploitability | None
    """The newest measurement, or None before the first."""
    measured_at: int
    """Iteration of that measurement."""
    target_chips: float | None
    max_iterations: int | None
    max_seconds: float | None


ProgressCallback = Callable[[Progress], Any]


class Solver:
    """Iterates one tree.  The state is valid between any two calls; nothing here reads or writes files.

    Parameters
    ----------
    tree:
        What is solved.
    schedule:
        The variant.
    backend, threads:
        See :func:`errai.kernels.backends.make_kernel`.
    precision:
        ``float32``, ``float64``, or ``auto``: float64 for small trees and for the reference backend.
    leaf_values:
        Needed if the tree has leaves.
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
    ) -> None:
        precision = chosen_precision(precision, tree.entries, backend)
        if any(s.num_leaves for s in tree.arrays.streets) and leaf_values is None:
            raise SolverOptionError("The tree is cut before its last street; pass leaf_values.")
        self.tree = tree
        self.schedule = schedule
        self.backend = backend
        self.precision = precision
        self.kernel = make_kernel(backend, tree.arrays, threads)
        self.leaf_values = leaf_values
        self.units = Units.of(tree.subject, tree.initial_pot)
        self.state = State.zeros(
            tree.arrays, DTYPES[precision], predictive=schedule.predictive, simultaneous=schedule.simultaneous
        )
        self.iteration = 0
        self.seconds = 0.0
        self.curve: list[tuple[int, float, float]] = []
        """(iteration, seconds, exploitability in chips) at every measurement."""
        self.unplanned = False
        """Whether the last point of the curve was measured only because the run stopped there."""

    # --- iterating -------------------------------------------------------------------------------------------------

    def iterate(self, count: int = 1) -> None:
        """Run ``count`` more iterations."""
        table = self.schedule.coefficients(self.iteration + 1, count)
        started = time.perf_counter()
        if self.leaf_values is None:
            self.kernel.iterate(self.state, table, weighted=self.schedule.weighted)
        else:
            for row in table:
                self._iterate_with_leaves(row)
        self.iteration += count
        self.seconds += time.perf_counter() - started

    def _iterate_with_leaves(self, row: np.ndarray) -> None:
        assert self.leaf_values is not None
        self.state.freeze()
        for player in (0, 1):
            values = self.leaf_values(self.tree, self.kernel.leaf_reach(self.state.played))
            self.kernel.update(self.state, player, row, weighted=self.schedule.weighted, leaf_values=values[player])

    def run(
        self,
        *,
        target_chips: float | None = None,
        max_iterations: int | None = None,
        max_seconds: float | None = None,
        progress: ProgressCallback | None = None,
        between: Callable[[], Any] | None = None,
    ) -> str:
        """Iterate until a measured exploitability is at most the target, or a limit is reached.

        ``between`` is called after every batch; the state is whole then, so it may save its ``arrays()``.  Returns one
        of ``target met``, ``iteration limit``, ``time limit`` and ``interrupted``.  Ctrl-C and a termination signal
        end the batch that is running and return ``interrupted``; nothing is lost.
        """
        batch_seconds = 0.0
        with _interruptible() as interrupted, held(self.kernel, self.state):
            while True:
                if max_iterations is not None and self.iteration >= max_iterations:
                    status = "iteration limit"
                    break
                if max_seconds is not None and self.seconds >= max_seconds:
                    status = "time limit"
                    break
                due = self._next_measurement(target_chips)
                count = 1
                if batch_seconds > 0.0:
                    count = min(max(1, due - self.iteration), max(1, int(BATCH_SECONDS / batch_seconds)))
                if max_iterations is not None:
                    count = min(count, max_iterations - self.iteration)
                if max_seconds is not None and batch_seconds > 0.0:
                    count = min(count, max(1, math.ceil((max_seconds - self.seconds) / batch_seconds)))
                before = self.seconds
                self.iterate(count)
                batch_seconds = (self.seconds - before) / count
                if self.iteration >= due:
                    measured = self.measure()
                    self.unplanned = False
                    if target_chips is not None and measured.chips <= target_chips:
                        status = "target met"
                        break
                if progress is not None:
                    progress(self._progress(target_chips, max_iterations, max_seconds))
                if between is not None:
                    between()
                if interrupted():
                    status = "interrupted"
                    break
        if not self.curve or self.curve[-1][0] != self.iteration:
            measured = self.measure()
            self.unplanned = True
            if target_chips is not None and measured.chips <= target_chips:
                status = "target met"
        if progress is not None:
            progress(self._progress(target_chips, max_iterations, max_seconds))
        return status

    def has_met(self, target_chips: float) -> bool:
        """Whether the newest measurement is of this very iteration and at most the target."""
        return bool(self.curve) and self.curve[-1][0] == self.iteration and self.curve[-1][2] <= target_chips

    def _next_measurement(self, target_chips: float | None) -> int:
        """The iteration at which to measure next: most of the way to where the curve says that the target is met.

        Measuring costs about one iteration, an iteration too many costs one as well, and curves tend to bend down;
        so steps shrink towards the goal and stay between a twentieth and a third of the way so far.  Depends on the
        curve only, so that a resumed run measures where the whole run would have.
        """
        if not self.curve:
            return 8
        last, _, value = self.curve[-1]
        if target_chips is None or value <= 0.0:
            return math.ceil(last * 1.5)
        slope = -1.5
        if len(self.curve) > 1:
            earlier, _, other = self.curve[-2]
            if other > value:
                slope = math.log(value / other) / math.log(last / earlier)
        slope = min(-0.5, max(-3.0, slope))
        ahead = last * ((target_chips / value) ** (1.0 / slope) - 1.0) if value > target_chips else 0.0
        return last + min(max(math.ceil(0.6 * ahead), 1, last // 20), max(8, last // 3))

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

    # --- measuring -------------------------------------------------------------------------------------------------

    newest: Exploitability | None = None

    def measure(self, strategy: Arrays | None = None) -> Exploitability:
        """Exploitability of the average strategy (or of ``strategy``), entered in the curve; its time counts."""
        started = time.perf_counter()
        source = self.state.sums if strategy is None else strategy
        leaves: tuple[LeafArrays, LeafArrays] | None = None
        if self.leaf_values is not None:
            leaves = self.leaf_values(self.tree, self.kernel.leaf_reach(source))
        result = exploitability(self.tree, self.kernel, source, self.units, leaves)
        self.seconds += time.perf_counter() - started
        self.newest = result
        self.curve.append((self.iteration, self.seconds, result.chips))
        return result


@contextmanager
def _interruptible() -> Iterator[Callable[[], bool]]:
    """Turn the first Ctrl-C or termination signal into a flag; a second Ctrl-C raises KeyboardInterrupt.

    Only the main thread may set handlers; elsewhere the flag stays False and whoever runs the loop sets a limit.
    """
    if threading.current_thread() is not threading.main_thread():
        yield lambda: False
        return
    seen: list[int] = []

    def handler(number: int, frame: Any) -> None:
        if seen and number == signal.SIGINT:
            raise KeyboardInterrupt
        seen.append(number)

    old = {number: signal.signal(number, handler) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield lambda: bool(seen)
    finally:
        for number, action in old.items():
            signal.signal(number, action)
