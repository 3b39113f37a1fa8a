"""What runners pass to workers and back: plain data that can be sent to another process or machine."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from errai.errors import ErraiError

Flat = NDArray[np.float64]
"""float64: for each edge board of a block ``[entries, H_b]``, end to end."""


@dataclass(frozen=True)
class Setup:
    """What a worker must know of a run."""

    folder: str
    run: str
    """A name that the files of a run share, so that blocks of another run are noticed."""
    subject: dict[str, Any]
    partition: dict[str, Any]
    precision: str
    backend: str
    averages: bool
    """Whether averages are kept; without, the current strategy is the result."""
    cache_bytes: int
    """What trees and kernels may take that are kept from one iteration to the next."""


@dataclass(frozen=True)
class Task:
    """One block's part in a half iteration, or in a measurement."""

    block: int
    learnt: tuple[int, int]
    """How many iterations each player's state has been through when the task begins."""
    reach: tuple[Flat, Flat]
    player: int = 0
    coefficients: tuple[float, ...] | None = None
    """A row for the kernels, by which ``player`` learns; None measures."""
    weighted: bool = True
    asked: tuple[tuple[int, int], ...] = ()
    """What is measured: for each array of values whose they are, and that player's role (FIXED or BEST)."""
    exact: bool = True


@dataclass(frozen=True)
class Result:
    """What came of a task."""

    block: int
    values: tuple[Flat, ...] = ()
    """Learning: the player's values.  Measuring: what was asked for, in that order."""
    seconds: tuple[float, float, float] = (0.0, 0.0, 0.0)
    """Spent reading, walking, and writing."""
    stored_bytes: int = 0
    """Length of the file that was written."""
    error: ErraiError | None = None
    damaged: tuple[int, int] | None = None
    """(player, iteration) of a file that could not be used, if that is the error."""


class Runner(Protocol):
    """Who runs tasks: this process, processes of this machine, or a cluster.

    Results do not depend on it.
    """

    def run(self, tasks: Iterable[Task]) -> Iterator[Result]:
        """Results in the order of the tasks.  Raises :class:`errai.errors.WorkerLostError` if nobody can run them."""

    def close(self) -> None:
        """Let go of processes and machines."""
