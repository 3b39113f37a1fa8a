"""The folder of a job, as the server and the job's worker see it.

A job is a folder ``jobs/ID``:

=================  ====================================================================================================
``request.json``   what is to be done; never changed
``queued``         a mark: the job is to be run.  It holds the time when it was asked for
``lock``           locked (``flock``) by the worker as long as it lives
``run.json``       when the worker started, and its process
``progress.jsonl`` a point of progress in each line
``stop``           a mark: the worker is to stop
``result.json``    how the job ended; it does not count while ``queued`` is there
``log``            what the worker wrote to its standard output and error
=================  ====================================================================================================

and files of its kind, such as ``spot.toml`` and ``checkpoint``.  The state of a job follows from these files alone.  A
worker begins only if it holds the lock and the mark ``queued`` is there, which it removes, so no job is run twice.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, BinaryIO, Literal, get_args

from pydantic import BaseModel, ConfigDict
from pydantic_core import from_json, to_json

from errai.errors import ArtefactError, DamagedFileError
from errai.games.game import Subject
from errai.games.spot import parse_spot
from errai.running.stopping import StopToken
from errai.running.system import try_lock
from errai.web import files
from errai.web.files import Shape, Workspace
from errai.web.models import catalogue_game

EndState = Literal["done", "stopped", "failed"]
State = Literal["queued", "running", "stopping", EndState]
ENDED: tuple[State, ...] = get_args(EndState)

FILES = ("request.json", "queued", "lock", "run.json", "progress.jsonl", "stop", "result.json", "log")
"""The files of every job; a folder without any of them is none."""

LOOKS_SECONDS = 1.0
"""How long a lock is waited for that is only looked at."""


class JobError(BaseModel):
    """Why a job failed or was lost."""

    type: str
    message: str


class About(BaseModel):
    """What is said of a job when it is asked for."""

    kind: str
    title: str
    command: str
    """The shell command that does the same."""
    created: str
    """In UTC, as all times, in ISO 8601."""
    starts_again: bool = False
    """Whether a job that is resumed begins anew."""


class Asked(About):
    """What ``request.json`` of every job says; the module of a kind adds what it needs itself."""

    model_config = ConfigDict(extra="allow")
    game: str | None = None
    """None where the file ``spot.toml`` has a spot."""
    memory_bytes: int = 0


class Ending(BaseModel):
    """What is said of every job when it has ended, with the name of a solution that it has made."""

    finished: str | None = None
    error: JobError | None = None
    solution: str | None = None


class Findings(Ending):
    """What is said of a job when it has ended: what it found, too, by its kind."""

    result: dict[str, Any] | None = None


class Result(Findings):
    """What ``result.json`` says."""

    state: EndState


class Run(BaseModel):
    """What ``run.json`` says."""

    started: str | None = None
    process: int | None = None


def taken(descriptor: int, *, shared: bool = False) -> bool:
    """Lock an open file, and return whether that was done; where files cannot be locked it is not."""
    with suppress(OSError):
        return try_lock(descriptor, shared=shared)
    return False


@contextmanager
def lock(folder: Path, *, shared: bool = False) -> Iterator[bool]:
    """Yield whether the lock of a job was free; it is held in the block then."""
    try:
        descriptor = files.open_plain(folder / "lock", os.O_RDWR | os.O_CREAT)
    except DamagedFileError:
        # No worker begins in a folder with such a lock.
        yield True
        return
    try:
        until = time.monotonic() + LOOKS_SECONDS
        while not (held := taken(descriptor, shared=shared)):
            # Whether a worker holds it is looked up by locking it for a moment, which must not count as a worker.
            if shared or is_locked(folder) or time.monotonic() >= until:
                break
            time.sleep(0.001)
        yield held
    finally:
        os.close(descriptor)


def is_locked(folder: Path) -> bool:
    """Whether a worker holds the lock of a job."""
    try:
        with lock(folder, shared=True) as free:
            return not free
    except (OSError, ArtefactError):
        return False


def now() -> str:
    """Return the time, as the files have it."""
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def text_of(path: Path) -> str:
    """Return a text that nothing depends on; empty if it cannot be read."""
    with suppress(ArtefactError):
        return (files.read_bytes(path) or b"").decode(errors="replace")
    return ""


def last_run(folder: Path) -> Run:
    """Return when the last worker began, and its process; nothing of a job is lost where that is damaged."""
    with suppress(ArtefactError):
        return files.read_as(Run, folder / "run.json") or Run()
    return Run()


def point_of(line: bytes) -> dict[str, Any] | None:
    """Return the point of progress in a line; None if it is damaged."""
    with suppress(ValueError):
        found = from_json(line, allow_inf_nan=False)
        return found if isinstance(found, dict) else None
    return None


# --- in the worker ---------------------------------------------------------------------------------------------------

FIRST_POINTS_SECONDS = 0.25
LATER_POINTS_SHARE = 0.005
"""Time between points of progress, later as a share of the time spent: a day of work has a few thousand of them."""


@dataclass(frozen=True)
class Ended:
    """How the work of a job ended, and what :class:`Findings` has of it."""

    state: Literal["done", "stopped"]
    result: Mapping[str, Any] | None = None
    solution: str | None = None


@dataclass
class Work:
    """A job, as the module of its kind sees it."""

    folder: Path
    """The folder of the job; what the kind needs between two runs is kept there."""
    workspace: Workspace
    stop: StopToken
    _points: BinaryIO
    _began: float = field(default_factory=time.monotonic)
    _last: float = -1.0

    def request(self, shape: type[Shape]) -> Shape:
        """Return what was asked for; raises :class:`ArtefactError` if the file is missing or damaged."""
        return files.required(files.read_as(shape, self.folder / "request.json"), self.folder / "request.json")

    def subject(self, asked: Asked) -> Subject:
        """Return the game or spot of the job; raises as :meth:`request`, and as the readers of both."""
        if asked.game is not None:
            return catalogue_game(asked.game)
        spot = self.folder / "spot.toml"
        return parse_spot(files.required(files.read_text(spot), spot))

    @property
    def checkpoints(self) -> list[Path]:
        """The files with which the job goes on after a stop."""
        return list(self.folder.glob("checkpoint*"))

    def clear(self) -> None:
        """Remove the checkpoints of a job that is done."""
        for left in self.checkpoints:
            left.unlink(missing_ok=True)

    def point(self, point: Mapping[str, Any], *, always: bool = False) -> None:
        """Write a point of progress, unless the last one was a short while ago."""
        spent = time.monotonic() - self._began
        if not always and self._last >= 0.0:
            apart = max(FIRST_POINTS_SECONDS, LATER_POINTS_SHARE * spent)
            if spent - self._last < apart:
                return
        self._last = spent
        # Numbers that are not finite are null, so that a line can be sent as it is.
        line = to_json(point, inf_nan_mode="null") + b"\n"
        # Progress is for show: where the disk is full, this point is left out, and the work goes on.
        with suppress(OSError):
            end = os.fstat(self._points.fileno()).st_size
            written = 0
            try:
                written = self._points.write(line) or 0
            finally:
                if written < len(line):
                    self._points.truncate(end)
