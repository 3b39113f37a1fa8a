"""A job, as the module of its kind sees it in the worker, and how it ended."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO, Literal

from pydantic import TypeAdapter
from pydantic_core import to_json

from errai.errors import DamagedFileError
from errai.games.spot import parse_spot
from errai.games.subject import Subject
from errai.running.stopping import StopToken
from errai.web import files
from errai.web.files import Shape
from errai.web.jobs import Asked
from errai.web.subjects import catalogue_game
from errai.web.workspace import Workspace

FIRST_POINTS_SECONDS = 0.25
LATER_POINTS_SHARE = 0.005
"""Points of progress are at least a quarter of a second apart, and later half a per cent of the time spent, so that
a day of work has a few thousand of them."""


@dataclass(frozen=True)
class Ended:
    """How the work of a job ended."""

    state: Literal["done", "stopped"]
    result: Mapping[str, Any] | None = None
    solution: str | None = None
    """The name of the solution that was put among the solutions."""


@dataclass
class Work:
    """A job, as the module of its kind sees it."""

    folder: Path
    """The folder of the job; what the kind needs between two runs is kept there."""
    workspace: Workspace
    stop: StopToken
    """Is set when the job is to stop, with a valid result and as soon as possible."""
    _points: BinaryIO
    _began: float = field(default_factory=time.monotonic)
    _last: float = -1.0

    @property
    def name(self) -> str:
        """The name of the job."""
        return self.folder.name

    def request(self, shape: TypeAdapter[Shape]) -> Shape:
        """Return what was asked for; raises :class:`ArtefactError` if the file is missing or damaged."""
        return required(files.read_as(shape, self.folder / "request.json"), "request.json")

    def subject(self, asked: Asked) -> Subject:
        """Return the game or spot of the job; raises as :meth:`request`, and as the readers of both."""
        if asked.game is not None:
            return catalogue_game(asked.game)
        return parse_spot(required(files.read_text(self.folder / "spot.toml"), "spot.toml"))

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


def required(found: Shape | None, name: str) -> Shape:
    """Return what was read; raises :class:`DamagedFileError` if the file is missing."""
    if found is None:
        raise DamagedFileError(f"The file {name} in the folder of the job is missing.")
    return found
