"""Compute units one after the other or in several processes, with a checkpoint from which a run can be resumed.

What a unit adds does not depend on who computes it or when, and the sums are made afterwards in the order of the units,
so that results are the same for any number of processes.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from errai.errors import DamagedFileError, StoppedError
from errai.responses.unit import Finished, Pair, ResponseTask
from errai.running.pool import ProcessPool, Steps
from errai.running.stopping import from_time_to_time, stops
from errai.store.checkpoint import CHECKPOINT_SECONDS, load_checkpoint, save_checkpoint
from errai.strategies.strategy import says

BOARDS_WORTH_PROCESSES = 20_000
"""With fewer boards of the last street, starting processes takes longer than they save."""


@dataclass(frozen=True)
class ResponseProgress:
    """How far a run has come."""

    done: int
    """Boards of the second street that are finished."""
    total: int
    seconds: float
    """Time spent in all, including earlier runs that this one resumes."""
    fresh: int
    """How many of them this run finished itself."""
    fresh_seconds: float


@dataclass(eq=False)
class Results:
    """The finished units, and the file in which they are kept."""

    task: ResponseTask
    path: Path | None = None
    values: dict[int, Pair] = field(default_factory=dict)
    states: dict[int, int] = field(default_factory=dict)
    """Public states at which the strategy was queried, by unit."""
    seconds: float = 0.0
    """Time spent by earlier runs."""
    started: float = field(default_factory=time.monotonic)

    @property
    def elapsed(self) -> float:
        """Seconds spent in all."""
        return self.seconds + time.monotonic() - self.started

    def save(self) -> None:
        """Write the checkpoint, if there is a file for it."""
        if self.path is None:
            return
        units = sorted(self.values)
        lines, boards = self.task.trunk.lines, self.task.trunk.boards
        arrays: dict[str, np.ndarray] = {
            "units": np.array(units, dtype=np.int64),
            "states": np.array([self.states[u] for u in units], dtype=np.int64),
        }
        for p in (0, 1):
            stacked = [self.values[u][p] for u in units]
            arrays[f"values/{p}"] = np.stack(stacked) if units else np.zeros((0, lines.num_leaves, boards.size(p)))
        save_checkpoint(self.path, {**_identity(self.task), "seconds": self.elapsed}, arrays)

    def resume(self) -> None:
        """Take over the finished units of the checkpoint.

        Raises
        ------
        MismatchError
            If it is for another game or another strategy.
        DamagedFileError, ForeignFileError, FileAccessError
            If there is no complete checkpoint.
        """
        assert self.path is not None
        checkpoint = load_checkpoint(self.path)
        checkpoint.require(_identity(self.task))
        self.values = _checked_values(checkpoint.arrays, self.task, str(checkpoint.path))
        asked = checkpoint.arrays["states"].tolist()
        self.states = dict(zip(checkpoint.arrays["units"].tolist(), asked, strict=True))
        seconds = checkpoint.metadata.get("seconds")
        if not isinstance(seconds, int | float) or not 0 <= seconds < 1e12:
            raise DamagedFileError(f"{checkpoint.path} does not state how long its run took.")
        self.seconds = float(seconds)


def _identity(task: ResponseTask) -> dict[str, Any]:
    """Return what must agree for two runs to be the same."""
    return {
        "task": "best response",
        "game": task.game.digest(),
        "menu": task.menu,
        "strategy": task.strategy.description,
        "general": not task.merges,
        **({} if task.suits_alike else {"suits": "apart"}),
    }


def _checked_values(arrays: Mapping[str, np.ndarray], task: ResponseTask, path: str) -> dict[int, Pair]:
    """Return the finished units of a checkpoint.  Raises :class:`DamagedFileError` if their sizes are wrong."""
    assert task.units is not None
    units = arrays.get("units")
    wrong = DamagedFileError(f"The arrays in {path} are not those of a best response in this game.")
    if units is None or units.dtype != np.int64 or units.ndim != 1:
        raise wrong
    if set(arrays) != {"units", "states", "values/0", "values/1"}:
        raise wrong
    states = arrays["states"]
    if states.shape != units.shape or states.dtype != np.int64 or (states < 0).any():
        raise wrong
    inside = (units >= 0) & (units < len(task.units))
    if not inside.all() or len(np.unique(units)) != len(units):
        raise wrong
    for p in (0, 1):
        array = arrays[f"values/{p}"]
        if array.shape != (len(units), task.trunk.lines.num_leaves, task.trunk.boards.size(p)):
            raise wrong
        if array.dtype != np.float64 or not np.isfinite(array).all():
            raise wrong
    return {int(u): (arrays["values/0"][i], arrays["values/1"][i]) for i, u in enumerate(units)}


def work(
    results: Results,
    units: Sequence[int],
    *,
    processes: int = 1,
    progress: Callable[[ResponseProgress], Any] | None = None,
    checkpoint_seconds: float = CHECKPOINT_SECONDS,
) -> bool:
    """Compute units; those that are finished already are left out.

    Parameters
    ----------
    results:
        Changed: the finished units are added to it.
    units:
        The units to compute.
    processes:
        How many processes work at a time.
    progress:
        Called after every unit.
    checkpoint_seconds:
        Time between two checkpoints.

    Returns
    -------
    bool
        False if the task's stop token ended the work early.  The checkpoint then holds the finished units, as it does
        after any exception.
    """
    missing = [u for u in units if u not in results.values]
    before, started = len(units) - len(missing), time.monotonic()
    look = from_time_to_time(results.save, checkpoint_seconds)
    worth = says(results.task.strategy, "thinks")
    worth = worth or _boards(results.task, len(missing)) >= BOARDS_WORTH_PROCESSES
    many = processes > 1 and len(missing) > 1 and worth
    stream = _in_processes(results.task, missing, processes) if many else _here(results.task, missing)
    try:
        with closing(stream):
            for fresh, done in enumerate(stream, start=1):
                results.values[done.unit], results.states[done.unit] = done.values, done.states
                now = time.monotonic()
                if progress is not None:
                    progress(ResponseProgress(before + fresh, len(units), results.elapsed, fresh, now - started))
                look()
    finally:
        results.save()
    return all(unit in results.values for unit in units)


def _boards(task: ResponseTask, units: int) -> float:
    """Return about how many boards of the last street are below so many units."""
    assert task.units is not None
    return task.plan.deal_size.boards[-1] * units / len(task.units)


def _here(task: ResponseTask, units: Sequence[int]) -> Generator[Finished, None, None]:
    with suppress(StoppedError):
        for unit in units:
            if stops(task.stop):
                return
            yield task.counted(unit)


def _in_processes(task: ResponseTask, units: Sequence[int], processes: int) -> Generator[Finished, None, None]:
    """Yield units as they are finished; the processes end at once when the caller stops listening."""
    with ProcessPool[int, Finished](partial(_steps, task), processes) as pool:
        yield from pool.run(units, in_order=False, stop=task.stop)


def _steps(task: ResponseTask) -> Steps:
    return Steps(task.counted)
