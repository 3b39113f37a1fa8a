"""The options of :func:`errai.solve`: as types, for type checkers and editors, and checked where a call begins."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypedDict

from numpy.typing import ArrayLike

from errai.engine.leaf_values import LeafValues
from errai.engine.loop import Progress, ProgressCallback
from errai.engine.precision import Precision
from errai.engine.request import check_limits
from errai.engine.schedules import Algorithm, Schedule, Updates
from errai.engine.strategy import Encoding, Returned
from errai.errors import ErraiError, SolverOptionError
from errai.kernels.backends import Backend
from errai.own_code import described, fault_text, number_of
from errai.running.stopping import StopToken

if TYPE_CHECKING:
    from errai.cluster.run import StoreEvents
    from errai.engine.leaf_function import Function, HasLeafValues
    from errai.engine.root import Gadget
    from errai.games.lock_file import LockTables


class RunOptions(TypedDict, total=False):
    """What every run may be told, wherever it lives; :func:`errai.solve` says what each option means."""

    algorithm: Algorithm | Schedule | None
    max_iterations: int | None
    seconds: float | None
    memory: int | None
    strategy: Returned
    updates: Updates
    average_from: int
    precision: Precision
    checkpoint_seconds: float
    stop: StopToken | None
    progress: ProgressCallback | bool


class HeldOptions(RunOptions, total=False):
    """What a run in memory may be told besides, whatever it solves."""

    backend: Backend | None
    seed: int | None
    encoding: Encoding | None
    locks: Mapping[str, Any] | LockTables | None
    checkpoint: str | Path | None
    resume: bool | None
    start_from: str | Path | None


class MemoryOptions(HeldOptions, total=False):
    """All options of a run in memory."""

    menu: str | None
    threads: int | None
    depth: str | int | None
    leaf_values: LeafValues | HasLeafValues | Function | None
    opponent_values: ArrayLike | None
    opponent: int | None
    gadget: Gadget | None


class StoreOptions(RunOptions, total=False):
    """All options of a run in a folder."""

    menu: str | None
    processes: int | None
    cluster: str | None
    cut: int | None
    events: StoreEvents | None


TEXTS = ("updates", "strategy", "precision", "backend", "encoding", "menu", "cluster")
FILES = ("checkpoint", "start_from", "store")
LIMITS = ("max_iterations", "seconds", "memory", "threads", "processes", "cut")
REQUIRED = ("updates", "strategy", "precision")
"""Options that cannot be None."""


def check_options(**given: Any) -> None:
    """Raise :class:`SolverOptionError` for an option of :func:`errai.solve` that is of the wrong kind.

    What names and files may be said is checked where they are used, before anything is computed.
    """
    for name, value in given.items():
        if value is None and name not in REQUIRED:
            continue
        if name in TEXTS and not isinstance(value, str):
            raise SolverOptionError(f"{name} must be a text, not {described(value)}.")
        if name in FILES and not isinstance(value, str | os.PathLike):
            raise SolverOptionError(f"{name} must be the path of a file or folder, not {described(value)}.")
        if name in LIMITS:
            check_limits(**{name: value})
        if name == "seed":
            number_of(value, name, whole=True, error=SolverOptionError)
        if name == "stop" and (isinstance(value, type) or not callable(getattr(value, "is_set", None))):
            raise SolverOptionError(f"stop must be an errai.StopToken, not {described(value)}.")
        if name == "events":
            from errai.cluster.run import StoreEvents

            if not isinstance(value, StoreEvents):
                raise SolverOptionError(f"events must be a StoreEvents, not {described(value)}.")
        if name == "progress" and not isinstance(value, bool) and (isinstance(value, type) or not callable(value)):
            raise SolverOptionError(f"progress must be a function, True or False, not {described(value)}.")


class Told:
    """A progress callback whose errors name it; what is measured stays as it is."""

    def __init__(self, callback: ProgressCallback) -> None:
        self._callback = callback
        part = getattr(callback, "part", None)
        self.part: Callable[[int, int], Any] | None = part if callable(part) else None
        """Called with (blocks done, blocks) by runs in a folder, if the callback can be."""

    def __call__(self, progress: Progress) -> None:
        """Call the callback.  Raises :class:`SolverOptionError` with the file and the line if it fails."""
        try:
            self._callback(progress)
        except ErraiError:
            raise
        except Exception as error:
            raise SolverOptionError(
                f"The progress callback failed at iteration {progress.iteration:,}: {fault_text(error)}."
            ) from error
