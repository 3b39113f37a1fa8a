"""The options of :func:`errai.solve` as types, so that a type checker and an editor know them in every call."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypedDict

from numpy.typing import ArrayLike

from errai.engine.leaf_values import LeafValues
from errai.engine.loop import ProgressCallback
from errai.engine.precision import Precision
from errai.engine.schedules import Algorithm, Schedule, Updates
from errai.engine.strategy import Encoding, Returned
from errai.kernels.backends import Backend
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
