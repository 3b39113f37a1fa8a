"""What runners pass to workers and back: plain data that can be sent to another process or machine."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from errai.errors import ErraiError

Flat = NDArray[np.float64]
"""float64: for each edge board of a block ``[entries, H_b]``, concatenated."""


@dataclass(frozen=True)
class Setup:
    """What a worker must know about a run."""

    folder: str
    run: str
    """A name that all files of a run contain, so that blocks of another run are noticed."""
    subject: dict[str, Any]
    partition: dict[str, Any]
    precision: str
    backend: str
    averages: bool
    """Whether averages are kept; if not, the current strategy is the result."""
    cache_bytes: int
    """Memory for trees that are kept from one iteration to the next."""

    @classmethod
    def of(cls, folder: Path, facts: dict[str, Any], cache_bytes: int) -> Setup:
        """Return the setup of a run by its facts (:func:`errai.cluster.folder.run_facts`)."""
        partition, precision = facts["partition"], facts["block_precision"]
        where = str(folder.resolve())
        return cls(where, facts["run"], facts["game"], partition, precision, "cpu", facts["averages"], cache_bytes)


@dataclass(frozen=True)
class Task:
    """One block's part in a half iteration, or in a measurement."""

    block: int
    learnt: tuple[int, int]
    """How many iterations each player's state has behind it when the task begins."""
    reach: tuple[Flat, Flat]
    player: int = 0
    coefficients: tuple[float, ...] | None = None
    """A row of coefficients for the update of ``player``; None for a measurement."""
    weighted: bool = True
    asked: tuple[tuple[int, int], ...] = ()
    """What is measured: for each array of values the player, and that player's role (FIXED or BEST)."""
    exact: bool = True
    whole: bool = False
    """Whether the checksums of all arrays of the block's files are computed, also of those that the task leaves out."""


@dataclass(frozen=True)
class Result:
    """The result of a task."""

    block: int
    values: tuple[Flat, ...] = ()
    """For an update the player's values; for a measurement what was asked for, in that order."""
    seconds: tuple[float, float, float] = (0.0, 0.0, 0.0)
    """Seconds of reading, walking and writing."""
    stored_bytes: int = 0
    """Length of the file that was written."""
    error: ErraiError | None = None
    damaged: tuple[int, int] | None = None
    """(player, iteration) of a file that could not be used, if that is the error."""


class Runner(Protocol):
    """Runs tasks in this process, in processes of this machine, or on a cluster.

    Results do not depend on where tasks run.
    """

    def run(self, tasks: Iterable[Task]) -> Iterator[Result]:
        """Yield results in task order.  Raises :class:`errai.errors.WorkerLostError` if no worker is left."""

    def close(self) -> None:
        """Release processes and machines."""
