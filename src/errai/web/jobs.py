"""Jobs: long work in processes of its own, which go on when the server ends.

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

and files of its kind, such as ``spot.toml`` and ``checkpoint``.  The state of a job follows from these files alone, so
servers can end and start at any time.  A worker begins only if it holds the lock and the mark ``queued`` is there, and
it removes the mark, so a job is never run twice.

A job may have two workers for a moment: a server that was killed leaves one that has no lock yet, and the next server
starts another.  A job may also be resumed while its last worker still holds the lock, with its result written.  So a
worker that ends well without having begun has found nothing to do, and that says nothing about the job; one that ends
badly after it has begun leaves the job as its files say, which may be queued again.  Only a worker that ends badly
*before* it has begun fails its job.  ``tests/web/test_job_races.py`` tries the orders in which all this can happen.
"""

from __future__ import annotations

import fcntl
import json
import os
import shutil
import subprocess
import sys
import threading
from array import array
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel

from errai.console import bytes_text
from errai.engine.resources import allowed_memory
from errai.errors import ErraiError, NoMemoryError, StaleError, UnknownNameError
from errai.store.atomic import atomic_file
from errai.web.answers import Kept
from errai.web.workspace import Workspace, new_name

State = Literal["queued", "running", "stopping", "done", "stopped", "failed"]

LOOK_SECONDS = 0.2
"""Time between two looks at the queue."""

LOG_CHARACTERS = 400
"""So much of the end of a worker's log is shown if it could not begin."""

MOST_POINTS = 2000
"""Points of progress that one request returns at most."""


class JobError(BaseModel):
    """Why a job failed or was lost."""

    type: str
    message: str


class JobView(Kept):
    """A job as it stands now."""

    id: str
    kind: str
    title: str
    state: State
    command: str
    """The shell command that does the same."""
    created: str
    """Times are in UTC, as ISO 8601."""
    started: str | None = None
    finished: str | None = None
    progress: dict[str, Any] | None = None
    """The newest point of progress; its fields depend on the kind."""
    points: int = 0
    """How many points of progress there are."""
    waits: str | None = None
    """Why a queued job does not begin although nothing is running."""
    error: JobError | None = None
    result: dict[str, Any] | None = None
    """What the job found; its fields depend on the kind."""
    solution: str | None = None
    """The name of the solution among the solutions, once there is one."""
    starts_again: bool = False
    """Whether a job that is resumed begins anew."""


@dataclass(frozen=True)
class NewJob:
    """A job that has been checked and can be added."""

    kind: str
    title: str
    command: Callable[[Path], str]
    """Returns the shell command that does the same, given the folder of the job."""
    request: Mapping[str, Any]
    """What the worker must know, as values that JSON can hold."""
    files: Mapping[str, str] = field(default_factory=dict)
    """Texts that are written to the folder of the job."""
    memory_bytes: int = 0
    starts_again: bool = False
    """Whether it has no checkpoints, so that it begins anew when it is resumed."""


@dataclass
class _Seen:
    """What was read of a job's progress: the file only grows."""

    ends: array[int] = field(default_factory=lambda: array("q", [0]))
    """Where the first so many points end in the file, from 0 on."""
    last: dict[str, Any] | None = None


class JobStore:
    """All jobs of a workspace, and the queue.

    Parameters
    ----------
    workspace:
        The workspace, whose folder ``jobs`` has the jobs.
    at_once:
        How many jobs run at the same time.
    """

    def __init__(self, workspace: Workspace, at_once: int = 1) -> None:
        self.workspace = workspace
        self._at_once = at_once
        self._mutex = threading.RLock()
        self._workers: dict[str, subprocess.Popen[bytes]] = {}
        self._seen: dict[str, _Seen] = {}
        self._ended: dict[str, tuple[int, JobView]] = {}
        """The jobs that have ended, with the time when the folder was changed last: a job begins again by a change."""
        self._waits: dict[str, str] = {}
        self._leader: int | None = None

    # --- what there is -----------------------------------------------------------------------------------------------

    def views(self) -> dict[str, JobView]:
        """Return all jobs by their names, the newest first, as the events have them."""
        return {view.id: view for view in self.all()}

    def all(self) -> list[JobView]:
        """Return all jobs, the newest first."""
        found = []
        for name, entry in self.workspace.entries("jobs"):
            with suppress(UnknownNameError, FileNotFoundError):
                known = self._known(name, entry.stat(follow_symlinks=False))
                found.append(self.view(name) if known is None else known)
        return sorted(found, key=lambda view: (view.created, view.id), reverse=True)

    def view(self, name: str) -> JobView:
        """Return a job.

        Raises
        ------
        InputError, UnknownNameError
            The text is not a name, or no job has it.
        """
        folder = self.folder(name)
        with suppress(FileNotFoundError):
            if (known := self._known(name, folder.stat())) is not None:
                return known
        with self._mutex:
            # It may have been deleted since.
            changed = self.folder(name).stat().st_mtime_ns
            request = _read(folder / "request.json")
            if request is None:
                raise UnknownNameError(f"There is nothing called {name!r} among the jobs.")
            state, result = self._state(folder)
            run = _read(folder / "run.json") or {}
            seen = self._progress(name, folder)
            view = JobView(
                id=name,
                kind=request["kind"],
                title=request["title"],
                state=state,
                command=request["command"],
                created=request["created"],
                started=run.get("started"),
                progress=seen.last,
                points=len(seen.ends) - 1,
                waits=self._waits.get(name) if state == "queued" else None,
                finished=result.get("finished"),
                error=result.get("error"),
                result=result.get("result"),
                solution=result.get("solution"),
                starts_again=request.get("starts_again", False),
            )
            if state in ("done", "stopped", "failed"):
                self._ended[name] = changed, view
            return view

    def _known(self, name: str, status: os.stat_result) -> JobView | None:
        """Return a job that has ended, if its folder is as it was then."""
        changed, view = self._ended.get(name, (0, None))
        return view if changed == status.st_mtime_ns else None

    def points(self, name: str, after: int) -> tuple[list[str], int]:
        """Return the points of progress from number ``after`` on (from 0), as JSON, and the number that is next.

        At most :data:`MOST_POINTS` are returned at once.  Raises as :meth:`view`.
        """
        folder = self.folder(name)
        with self._mutex:
            ends = self._progress(name, folder).ends
        until = min(after + MOST_POINTS, len(ends) - 1)
        if after < until:
            with suppress(FileNotFoundError), (folder / "progress.jsonl").open("rb") as file:
                file.seek(ends[after])
                return file.read(ends[until] - ends[after]).decode().split("\n")[:-1], until
        return [], after

    def folder(self, name: str) -> Path:
        """Return the folder of a job.  Raises as :meth:`view`."""
        return self.workspace.existing("jobs", name)

    def _state(self, folder: Path) -> tuple[State, dict[str, Any]]:
        """Return the state of a job, and what ``result.json`` has."""
        if (folder / "queued").exists():
            return ("running" if is_locked(folder) else "queued"), {}
        result = _read(folder / "result.json")
        if result is None:
            if is_locked(folder):
                return ("stopping" if (folder / "stop").exists() else "running"), {}
            # The worker may have written its result and ended between the two looks.
            result = _read(folder / "result.json")
        if result is None:
            lost = "The process of the job ended without a result; resume the job to go on."
            return "stopped", {"error": {"type": "WorkerLostError", "message": lost}}
        return result["state"], result

    def _progress(self, name: str, folder: Path) -> _Seen:
        seen = self._seen.setdefault(name, _Seen())
        with suppress(FileNotFoundError), (folder / "progress.jsonl").open("rb") as file:
            file.seek(seen.ends[-1])
            *lines, _ = file.read().split(b"\n")  # The last line may be half written.
            for line in lines:
                seen.ends.append(seen.ends[-1] + len(line) + 1)
            if lines:
                seen.last = json.loads(lines[-1])
        return seen

    # --- what is done with them --------------------------------------------------------------------------------------

    def add(self, new: NewJob) -> JobView:
        """Add a job to the queue.

        Raises
        ------
        NoMemoryError
            The job needs more memory than there is.
        DiskSpaceError, FileAccessError
            The folder of the job cannot be written.
        """
        self._check_memory(new)
        name = new_name(new.title.lower())
        folder = self.workspace.path("jobs", name)
        # The folder appears under its name when it is complete.
        making = folder.with_name(f".new-{name}")
        making.mkdir()
        created = now()
        about = {
            "kind": new.kind,
            "title": new.title,
            "created": created,
            "memory_bytes": new.memory_bytes,
            "starts_again": new.starts_again,
            "command": new.command(folder),
            **new.request,
        }
        texts = {**new.files, "request.json": json.dumps(about, indent=1), "queued": created}
        try:
            for file_name, text in texts.items():
                write_text(making / file_name, text)
            with self._mutex:
                making.rename(folder)
        except BaseException:
            shutil.rmtree(making, ignore_errors=True)
            raise
        return self.view(name)

    def stop(self, name: str) -> JobView:
        """Ask a job to stop; one that waits in the queue is taken out of it.

        Raises
        ------
        InputError, UnknownNameError
            As for :meth:`view`.
        StaleError
            The job has ended.
        """
        with self._mutex:
            folder, view = self.folder(name), self.view(name)
            if view.state in ("done", "stopped", "failed"):
                raise StaleError(f"The job has ended already; it is {view.state}.")
            with _lock(folder) as mine:
                # While the lock is held here, no worker begins.
                if mine and (folder / "queued").exists():
                    # A job that had been resumed keeps the result that it had before.
                    if not (folder / "result.json").exists():
                        write_json(folder / "result.json", {"state": "stopped", "finished": now()})
                    (folder / "queued").unlink()
                else:
                    (folder / "stop").touch()
            return self.view(name)

    def resume(self, name: str) -> JobView:
        """Put a job that was stopped, lost or failed into the queue again; it goes on from its checkpoint.

        Raises
        ------
        InputError, UnknownNameError
            As for :meth:`view`.
        StaleError
            The job is done, or has not ended.
        """
        with self._mutex:
            folder, view = self.folder(name), self.view(name)
            if view.state not in ("stopped", "failed"):
                raise StaleError(f"Only a job that was stopped or has failed can be resumed; this one is {view.state}.")
            (folder / "stop").unlink(missing_ok=True)
            write_text(folder / "queued", now())
            self._ended.pop(name, None)
            return self.view(name)

    def delete(self, name: str) -> None:
        """Remove a job; solutions that it has made stay.

        Raises
        ------
        InputError, UnknownNameError
            As for :meth:`view`.
        StaleError
            The job is running.
        """
        with self._mutex:
            folder = self.folder(name)
            # A worker that has been started and has no lock yet finds no folder, and ends.
            with _lock(folder) as mine:
                if not mine:
                    raise StaleError("The job is running; stop it first.")
                gone = folder.with_name(f".gone-{name}")
                folder.rename(gone)
            self._ended.pop(name, None)
            self._seen.pop(name, None)
            self._waits.pop(name, None)
        # A checkpoint may be large; nobody waits until it has been removed.
        shutil.rmtree(gone, ignore_errors=True)

    def _check_memory(self, new: NewJob) -> None:
        """Refuse what does not fit even when all running jobs have ended."""
        allowed = allowed_memory(None)
        if allowed is None:
            return
        for view in self.all():
            if view.state in ("running", "stopping"):
                allowed += (_read(self.folder(view.id) / "request.json") or {}).get("memory_bytes", 0)
        if new.memory_bytes > allowed:
            raise NoMemoryError(
                f"This needs {bytes_text(new.memory_bytes)} of memory, and {bytes_text(allowed)} can be used. "
                "The estimate says what makes it smaller."
            )

    # --- the queue ---------------------------------------------------------------------------------------------------

    def run(self, closing: threading.Event) -> None:
        """Start what waits whenever there is room, until the event is set; workers are left running."""
        while not closing.is_set():
            # A folder that cannot be written now, or that another server has removed, is another matter a moment later.
            with suppress(OSError, ErraiError):
                self.look()
            closing.wait(LOOK_SECONDS)
        with self._mutex:
            if self._leader is not None:
                os.close(self._leader)
                self._leader = None

    def look(self) -> None:
        """Start the jobs that can be started now, the oldest first."""
        if not self._leads():
            return
        with self._mutex:
            self._reap()
            views = self.all()
            running = {view.id for view in views if view.state in ("running", "stopping")} | self._workers.keys()
            waiting = [view for view in views if view.state == "queued" and view.id not in running]
            asked = {view.id: _text(self.folder(view.id) / "queued") for view in waiting}
            for view in sorted(waiting, key=lambda view: (asked[view.id], view.id)):
                if len(running) >= self._at_once or not self._has_memory(view.id):
                    return
                self._start(view.id)
                running.add(view.id)

    def _leads(self) -> bool:
        """Whether this server runs the queue; of several servers in one folder only one does."""
        if self._leader is None:
            descriptor = os.open(self.workspace.of("jobs") / ".leader", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                os.close(descriptor)
                return False
            self._leader = descriptor
            for left in self.workspace.of("jobs").iterdir():
                if left.name.startswith((".new-", ".gone-")) and left.is_dir():
                    shutil.rmtree(left, ignore_errors=True)
        return True

    def _has_memory(self, name: str) -> bool:
        needed = (_read(self.folder(name) / "request.json") or {}).get("memory_bytes", 0)
        allowed = allowed_memory(None)
        if allowed is None or needed <= allowed:
            self._waits.pop(name, None)
            return True
        self._waits[name] = (
            f"It waits for memory: it needs {bytes_text(needed)}, and {bytes_text(allowed)} can be used."
        )
        return False

    def _start(self, name: str) -> None:
        folder = self.folder(name)
        with (folder / "log").open("ab") as log:
            # A session of its own: Ctrl-C for the server is not for the job.
            self._workers[name] = subprocess.Popen(
                [sys.executable, "-m", "errai.web.worker", str(folder)],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )

    def _reap(self) -> None:
        """Forget the workers that have ended; a job whose worker could not even begin has failed."""
        for name, process in list(self._workers.items()):
            code = process.poll()
            if code is None:
                continue
            folder = self.workspace.path("jobs", name)
            began = (_read(folder / "run.json") or {}).get("process") == process.pid
            if code and not began and (folder / "queued").exists() and not is_locked(folder):
                said = _text(folder / "log")[-LOG_CHARACTERS:].strip()
                why = f"The process of the job could not begin (exit code {code}). {said}".strip()
                error = {"type": "WorkerLostError", "message": why}
                write_json(folder / "result.json", {"state": "failed", "finished": now(), "error": error})
                (folder / "queued").unlink(missing_ok=True)
            # If that cannot be written now, the next look tries again, and starts nothing until then.
            del self._workers[name]


@contextmanager
def _lock(folder: Path, kind: int = fcntl.LOCK_EX) -> Iterator[bool]:
    """Yield whether the lock of a job was free; it is held in the block then."""
    descriptor = os.open(folder / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
    try:
        try:
            fcntl.flock(descriptor, kind | fcntl.LOCK_NB)
        except OSError:
            yield False
        else:
            yield True
    finally:
        os.close(descriptor)


def is_locked(folder: Path) -> bool:
    """Whether a worker holds the lock of a job."""
    try:
        with _lock(folder, fcntl.LOCK_SH) as free:
            return not free
    except OSError:
        return False


def write_json(path: Path, document: Mapping[str, Any]) -> None:
    """Write a JSON file in one step."""
    write_text(path, json.dumps(document, indent=1))


def write_text(path: Path, text: str) -> None:
    """Write a file in one step."""
    data = text.encode()
    with atomic_file(path, len(data)) as file:
        file.write(data)


def now() -> str:
    """Return the time, as the files have it."""
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _text(path: Path) -> str:
    try:
        return path.read_text(errors="replace")
    except OSError:
        return ""


def _read(path: Path) -> dict[str, Any] | None:
    """Return what a JSON file has; None if there is no such file."""
    try:
        found: dict[str, Any] = json.loads(path.read_bytes())
    except (OSError, ValueError):
        return None
    return found
