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
from typing import Any, BinaryIO

from errai.errors import ArtefactError, DamagedFileError, ErraiError, FileAccessError, RunInUseError
from errai.running.stopping import StopToken
from errai.store.atomic import locked_folder
from errai.web import files
from errai.web.files import write_json
from errai.web.job_files import Asked, Result, Work, now
from errai.web.kinds import KINDS
from errai.web.workspace import Workspace

LOOK_SECONDS = 0.1
"""Time between two looks for the file that asks to stop."""

LOCK_SECONDS = 5.0
"""How long the worker waits for a lock: a server that looks whether it is free holds it for a moment, and a worker
that has written its result holds it until it has ended."""


def work(folder: Path) -> None:
    """Do a job, unless another process does it or nobody wants it any more.

    Raises :class:`ArtefactError` if the job cannot begin, or its result cannot be written.
    """
    stop = _stopped_by_signals()
    with _locked(folder) as mine:
        if not mine or not (folder / "queued").exists():
            return
        # A worker that dies from here on has begun, and says so before it changes anything.
        write_json(folder / "run.json", {"started": now(), "process": os.getpid()})
        earlier = _earlier(folder / "result.json")
        (folder / "result.json").unlink(missing_ok=True)
        (folder / "queued").unlink()
        # While it waited for the lock, another worker may have been asked to stop, and the job resumed since.
        _look_for(folder / "stop", stop)
        ended = _run(folder, stop)
        if ended["state"] == "stopped" and ended["result"] is None:
            # Stopped again before there was anything new: what the last run found still stands.
            ended |= earlier
        write_json(folder / "result.json", {**ended, "finished": now()})


def _earlier(path: Path) -> dict[str, Any]:
    """Return what an earlier run of the job found."""
    with suppress(ArtefactError):
        if (found := files.read_as(Result, path)) is not None:
            return found.model_dump(include={"result", "solution"}, exclude_none=True)
    return {}


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
            _cut_half_line(points)
            ended = run(Work(folder, Workspace(folder.parent.parent), stop, points))
    except ErraiError as error:
        return {"state": "failed", "error": {"type": type(error).__name__, "message": str(error)}}
    except MemoryError:
        message = "There was not enough memory. Close other programs, or make the job smaller, and resume it."
        return {"state": "failed", "error": {"type": "NoMemoryError", "message": message}}
    except OSError as error:
        traceback.print_exc()
        message = (
            f"The system refused a file: {error}. Nothing that was saved before is lost: when there is room, or the "
            "file can be used again, resume the job."
        )
        return {"state": "failed", "error": {"type": "FileAccessError", "message": message}}
    except Exception as error:
        traceback.print_exc()
        message = f"This is an error in Errai: {error!s:.300}. The file `log` in the folder of the job has more."
        return {"state": "failed", "error": {"type": type(error).__name__, "message": message}}
    return {"state": ended.state, "result": ended.result, "solution": ended.solution}


@contextmanager
def _locked(folder: Path) -> Iterator[bool]:
    """Yield whether this process has the lock of the job."""
    until = time.monotonic() + LOCK_SECONDS
    with ExitStack() as held:
        while True:
            try:
                held.enter_context(locked_folder(folder, "Another process works on this job."))
            except FileAccessError:  # The job has been deleted.
                mine = False
            except RunInUseError:
                if time.monotonic() < until:
                    time.sleep(0.02)
                    continue
                mine = False
            else:
                mine = True
            break
        yield mine


def _stopped_by_signals() -> StopToken:
    stop = StopToken()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: stop.set())
    return stop


def _look_for(mark: Path, stop: StopToken) -> None:
    """Set the token when the file appears, in a thread."""

    def look() -> None:
        while not stop.is_set():
            if mark.exists():
                stop.set()
            time.sleep(LOOK_SECONDS)

    threading.Thread(target=look, daemon=True).start()


def _cut_half_line(file: BinaryIO) -> None:
    """Remove the end of a line that a killed worker has not written to its end."""
    file.seek(0)
    whole = file.read().rfind(b"\n") + 1
    file.truncate(whole)


if __name__ == "__main__":
    try:
        work(Path(sys.argv[1]))
    except ArtefactError as error:
        # The server shows the end of this log where the job could not begin.
        sys.exit(str(error))
