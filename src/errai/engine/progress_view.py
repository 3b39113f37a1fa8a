"""The progress of a solve on standard error: a bar on a terminal, and otherwise a line every few seconds.

The bar shows the way to the target on a logarithmic scale, because exploitability falls roughly as a power of the time
spent.  The time left is estimated by the same law.
"""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Self

from errai.console import console, seconds_text

if TYPE_CHECKING:
    from rich.progress import Progress as Bar
    from rich.progress import TaskID

    from errai.engine.loop import Progress
    from errai.engine.units import Units
    from errai.games.game import Subject

LINE_EVERY_SECONDS = 5.0
UNIT_SIGNS = {"chips": " chips", "mbb": " mbb", "pot_percent": "% of the pot"}


@dataclass
class BarView:
    """A bar with a text on a terminal; elsewhere the text alone, as a line every few seconds."""

    title: str
    is_terminal: bool = field(default_factory=lambda: sys.stderr.isatty())
    beginning: str = field(default="beginning", kw_only=True)
    """The text that is shown first."""
    is_shown: bool = field(default=True, kw_only=True)
    """Whether anything is shown at all; it is also the truth value of the view."""
    _bar: Bar | None = field(default=None, init=False)
    _task: TaskID | None = field(default=None, init=False)
    _last_line: float = field(default=-math.inf, init=False)

    def __bool__(self) -> bool:
        return self.is_shown

    def __enter__(self) -> Self:
        if self.is_terminal and self.is_shown:
            from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn

            self._bar = Progress(
                SpinnerColumn(),
                TextColumn("{task.description}", markup=False),
                BarColumn(bar_width=24),
                TextColumn("{task.fields[state]}", markup=False),
                console=console(stderr=True),
                transient=True,
            )
            self._bar.start()
            self._task = self._bar.add_task(self.title, total=1.0, state=self.beginning)
        return self

    def __exit__(self, *error: object) -> None:
        if self._bar is not None:
            self._bar.stop()

    def show(self, fraction: float, state: str) -> None:
        """Move the bar, or write the text if the last line is some seconds old."""
        if self._bar is not None and self._task is not None:
            self._bar.update(self._task, completed=fraction, state=state)
        elif self.is_shown and time.monotonic() - self._last_line >= LINE_EVERY_SECONDS:
            self._last_line = time.monotonic()
            sys.stderr.write(f"{state}\n")


class ProgressView(BarView):
    """Shows a solve as it runs; pass it as the ``progress`` callback.

    ``unit`` is the unit of all exploitabilities shown: ``chips``, ``mbb`` or ``pot_percent``.
    """

    def __init__(self, title: str, unit: str, **is_terminal: bool) -> None:
        super().__init__(title, beginning="building the tree", **is_terminal)
        self.unit = unit
        self.measurements: list[tuple[float, float]] = []
        """(Iteration, exploitability) so far, in the unit."""
        self._first: tuple[int, float] | None = None
        """Iteration and seconds at the first report with an iteration; what came before it is no measure of speed."""
        self.target: float | None = None
        self._measured_at = -1

    def __call__(self, progress: Progress) -> None:
        """Record the progress, and a new exploitability if one was measured."""
        if self._first is None and progress.iteration > 0:
            self._first = progress.iteration, progress.seconds
        measured = progress.exploitability
        if measured is not None and progress.measured_at != self._measured_at:
            self._measured_at = progress.measured_at
            self.measurements.append((progress.iteration, in_unit(measured.units, measured.chips, self.unit)))
            if progress.target_chips is not None:
                self.target = in_unit(measured.units, progress.target_chips, self.unit)
        self.show(self.fraction(progress), self.state_text(progress))

    def part(self, done: int, count: int) -> None:
        """Record how much of an iteration is done, if iterations take long."""
        if self._bar is not None and self._task is not None:
            name = self.title if done == count else f"{self.title} {done}/{count}"
            self._bar.update(self._task, description=name)

    def state_text(self, progress: Progress) -> str:
        """Return iteration, exploitability, time and time left as text, or how far the tree is built."""
        if progress.built < 1.0:
            return f"building the tree, {progress.built:.0%}, {seconds_text(progress.seconds)}"
        parts = [f"iteration {progress.iteration:,}"]
        if self.measurements:
            aim = "" if self.target is None else f" (target {self.target:g})"
            parts.append(f"exploitability {self.measurements[-1][1]:.4g}{UNIT_SIGNS[self.unit]}{aim}")
        parts.append(seconds_text(progress.seconds))
        if left := self.seconds_left(progress):
            parts.append(f"about {seconds_text(left)} left")
        return ", ".join(parts)

    def fraction(self, progress: Progress) -> float:
        """Return how much of the run is done, from 0 to 1, or of building the tree."""
        if progress.built < 1.0:
            return progress.built
        done = [0.0]
        if self.target is not None and self.measurements:
            first, now = self.measurements[0][1], self.measurements[-1][1]
            if first > self.target > 0 and now > 0:
                done.append(math.log(first / now) / math.log(first / self.target))
        if progress.max_iterations:
            done.append(progress.iteration / progress.max_iterations)
        if progress.max_seconds:
            done.append(progress.seconds / progress.max_seconds)
        return min(max(done), 1.0)

    def seconds_left(self, progress: Progress) -> float | None:
        """Return the estimated seconds until the target is met or a limit is reached."""
        iteration, seconds = progress.iteration, progress.seconds
        ends: list[float] = []
        # Preparing the tree and its leaves may take longer than many iterations, and is not repeated.
        begun, begun_seconds = self._first if self._first is not None and iteration > self._first[0] else (0, 0.0)
        each = (seconds - begun_seconds) / (iteration - begun) if iteration > 0 else 0.0
        if self.target is not None and each > 0:
            left = iterations_to_target(self.measurements, self.target)
            if left is not None:
                ends.append((left - (iteration - self.measurements[-1][0])) * each)
        if progress.max_iterations and each > 0:
            ends.append((progress.max_iterations - iteration) * each)
        if progress.max_seconds:
            ends.append(progress.max_seconds - seconds)
        return max(0.0, min(ends)) if ends else None


def iterations_to_target(measurements: Sequence[tuple[float, float]], target: float) -> float | None:
    """Estimate the iterations from the last measurement until a target is met.

    Fits a power law, exploitability = a * iteration^-b, to the later half of the (iteration, exploitability) pairs.
    The result is None if there are fewer than two, or if the exploitability does not fall.
    """
    usable = [(t, e) for t, e in measurements if t > 0 and e > 0]
    if len(usable) < 2 or target <= 0:
        return None
    last_iteration, last = usable[-1]
    if last <= target:
        return 0.0
    recent = usable[-max(2, (len(usable) + 1) // 2) :]
    xs, ys = [math.log(t) for t, _ in recent], [math.log(e) for _, e in recent]
    mean_x, mean_y = sum(xs) / len(xs), sum(ys) / len(ys)
    spread = sum((x - mean_x) ** 2 for x in xs)
    if spread <= 0:
        return None
    slope = sum((x - mean_x) * (y - mean_y) for x, y in zip(xs, ys, strict=True)) / spread
    if slope >= -0.05:
        return None
    growth = math.log(target / last) / slope
    return last_iteration * math.expm1(growth) if growth < 30 else None


def in_unit(units: Units, chips: float, unit: str) -> float:
    """Convert chips to ``chips``, ``mbb`` or ``pot_percent``."""
    if unit == "mbb":
        mbb = units.mbb(chips)
        return chips if mbb is None else mbb
    return units.pot_percent(chips) if unit == "pot_percent" else chips


def unit_of(target: str | None, subject: Subject) -> str:
    """Return the unit to show: the target's, or else mbb for games and per cent of the pot for spots."""
    text = (target or "").lower()
    if "%" in text:
        return "pot_percent"
    if "chip" in text:
        return "chips"
    return "mbb" if "mbb" in text or subject.whole_game is not None else "pot_percent"
