"""The process of a job: ``python -m errai.web.worker FOLDER``.

It writes to files only, so it does not depend on the server.  It stops with a valid result when the file ``stop``
appears in its folder, and after SIGINT or SIGTERM.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
import traceback
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from pkgutil import resolve_name
from typing import Any

from errai.errors import ArtefactError, DamagedFileError, ErraiError, FileAccessError, RunInUseError
from errai.running.stopping import StopToken
from errai.store.atomic import locked_folder
from errai.web import files
from errai.web.files import Workspace, write_json
from errai.web.job_files import Asked, Result, Work, now
from errai.web.kinds import KINDS

LOOK_SECONDS = 0.1
"""Time between two looks for the file that asks to stop."""

LOCK_SECONDS = 5.0
"""How long the worker waits for a lock, which a server that looks or a worker that ends may hold for a moment."""


def work(folder: Path) -> None:
    """Do a job, unless another process does it or nobody wants it any more.  Raises :class:`ArtefactError`."""
    stop = StopToken()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: stop.set())
    with _locked(folder) as mine:
        if not mine or not (folder / "queued").exists():
            return
        # A worker that dies from here on has begun, and says so before it changes anything.
        write_json(folder / "run.json", {"started": now(), "process": os.getpid()})
        earlier: dict[str, Any] = {}
        with suppress(ArtefactError):
            if (found := files.read_as(Result, folder / "result.json")) is not None:
                earlier = found.model_dump(include={"result", "solution"}, exclude_none=True)
        (folder / "result.json").unlink(missing_ok=True)
        (folder / "queued").unlink()
        # While it waited for the lock, another worker may have been asked to stop, and the job resumed since.
        _look_for(folder / "stop", stop)
        ended = _run(folder, stop)
        if ended["state"] == "stopped" and ended["result"] is None:
            # Stopped again before there was anything new: what the last run found still stands.
            ended |= earlier
        write_json(folder / "result.json", {**ended, "finished": now()})


def _run(folder: Path, stop: StopToken) -> dict[str, Any]:
    """Run a job and return what ``result.json`` says of it."""
    try:
        files.require_plain(folder)
        asked = files.required(files.read_as(Asked, folder / "request.json"), folder / "request.json")
        if asked.kind not in KINDS:
            raise DamagedFileError(f"request.json is damaged: there are no jobs of the kind {asked.kind[:40]!r}.")
        run = resolve_name(KINDS[asked.kind])
        descriptor = files.open_plain(folder / "progress.jsonl", os.O_RDWR | os.O_CREAT | os.O_APPEND)
        with os.fdopen(descriptor, "a+b", buffering=0) as points:
            # A worker that was killed may have left half a line.
            points.seek(0)
            points.truncate(points.read().rfind(b"\n") + 1)
            ended = run(Work(folder, Workspace(folder.parent.parent), stop, points))
        return {"state": ended.state, "result": ended.result, "solution": ended.solution}
    except ErraiError as error:
        kind, message = type(error).__name__, str(error)
    except MemoryError:
        kind = "NoMemoryError"
        message = "There was not enough memory. Close other programs, or make the job smaller, and resume it."
    except OSError as error:
        traceback.print_exc()
        kind = "FileAccessError"
        message = (
            f"The system refused a file: {error}. Nothing that was saved before is lost: when there is room, or the "
            "file can be used again, resume the job."
        )
    except Exception as error:
        traceback.print_exc()
        kind = type(error).__name__
        message = f"This is an error in Errai: {error!s:.300}. The file `log` in the folder of the job has more."
    return {"state": "failed", "error": {"type": kind, "message": message}}


@contextmanager
def _locked(folder: Path) -> Iterator[bool]:
    """Yield whether this process has the lock of the job."""
    until = time.monotonic() + LOCK_SECONDS
    mine: bool | None = None
    with ExitStack() as held:
        while mine is None:
            try:
                held.enter_context(locked_folder(folder, "Another process works on this job."))
                mine = True
            except FileAccessError:  # The job has been deleted.
                mine = False
            except RunInUseError:
                mine = None if time.monotonic() < until else False
                time.sleep(0.02)
        yield mine


def _look_for(mark: Path, stop: StopToken) -> None:
    """Set the token when the file appears, in a thread."""

    def look() -> None:
        while not stop.is_set():
            if mark.exists():
                stop.set()
            time.sleep(LOOK_SECONDS)

    threading.Thread(target=look, daemon=True).start()


if __name__ == "__main__":
    try:
        work(Path(sys.argv[1]))
    except ArtefactError as error:
        # The server shows the end of this log where the job could not begin.
        sys.exit(str(error))
