"""Jobs: long work in processes of its own, which go on when the server ends.

A job may have two workers for a moment: a server that was killed leaves one that has no lock yet, and the next server
starts another; or it was resumed while its last worker, with its result written, still holds the lock.  So a worker
that ends well without having begun says nothing about the job, and one that ends badly after it has begun leaves the
job as its files say.  Only a worker that ends badly *before* it has begun fails its job.
``tests/web/test_job_races.py`` tries the orders in which all this can happen.

A file that is damaged fails its own job, with a sentence that says what to do, and no other one.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import threading
import traceback
from array import array
from collections import defaultdict
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO, Literal

from pydantic import Field, GetJsonSchemaHandler, TypeAdapter
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema

from errai.console import bytes_text
from errai.engine.resources import allowed_memory
from errai.errors import ArtefactError, ErraiError, NoMemoryError, StaleError, UnknownNameError
from errai.running.system import own_session
from errai.store.atomic import write_file
from errai.web import files, job_files
from errai.web.files import PRIVATE, Workspace, new_name, unknown
from errai.web.job_files import ENDED, About, Asked, Ending, Findings, JobError, Result, State, point_of
from errai.web.job_models import (
    HandsPoint,
    MatchPoint,
    MatchResult,
    NetPreparing,
    ReportPoint,
    ReportResult,
    ReviewResult,
    SolvePoint,
    SolveResult,
    SpotsPoint,
)
from errai.web.models import Body, GivenSubject, Kept

AT_ONCE = 1
"""How many jobs run at the same time."""

LOOK_SECONDS = 0.2
"""Time between two looks at the queue."""

LOG_CHARACTERS = 400
"""So much of the end of a worker's log is shown if it could not begin."""

MOST_POINTS = 2000
"""Points of progress that one request returns at most."""


class JobBase(Kept, About, Ending):
    """A job of any kind as it stands now."""

    id: str
    state: State
    started: str | None = None
    points: int = 0
    """Points of progress that there are."""
    waits: str | None = None
    """Why a queued job does not begin although nothing is running."""


class JobView(JobBase, Findings):
    """A job as it stands now; the document of the API says what each kind has."""

    progress: dict[str, Any] | None = None
    """The newest of the ``points`` of progress."""

    @classmethod
    def __get_pydantic_json_schema__(cls, _: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        """Return the schema of a job of any kind."""
        return handler(ANY_JOB.core_schema)


class SolveJob(JobBase):
    """A solve."""

    kind: Literal["solve"]
    progress: SolvePoint | NetPreparing | None
    result: SolveResult | None


class MatchJob(JobBase):
    """A match."""

    kind: Literal["match"]
    progress: MatchPoint | None
    result: MatchResult | None


class LbrJob(JobBase):
    """A measurement by a local best response."""

    kind: Literal["lbr"]
    progress: MatchPoint | None
    result: dict[str, Any] | None


class ReportJob(JobBase):
    """A report over flops."""

    kind: Literal["report"]
    progress: ReportPoint | None
    result: ReportResult | None


class ReviewJob(JobBase):
    """A review of hands."""

    kind: Literal["review"]
    progress: SpotsPoint | HandsPoint | None
    result: ReviewResult | None


class UnknownJob(JobBase):
    """A job whose files are damaged."""

    kind: Literal["unknown"]
    progress: None
    result: None


ANY_JOB: TypeAdapter[Any] = TypeAdapter(SolveJob | MatchJob | LbrJob | ReportJob | ReviewJob | UnknownJob)
"""A job of one of the kinds, as the document of the API has it."""


class BaseRequest(Body):
    """What the requests of all kinds have; each kind adds its own fields."""

    subject: GivenSubject
    title: str | None = Field(default=None, max_length=200)


@dataclass(frozen=True)
class NewJob:
    """A job that has been checked and can be added."""

    kind: str
    title: str
    command: Callable[[Path], str]
    """Returns the shell command that does the same, given the folder of the job."""
    request: Mapping[str, Any]
    """What the worker must know, as values that JSON can hold."""
    subject: GivenSubject | None = None
    files: Mapping[str, str] = field(default_factory=dict)
    """Texts that are written to the folder of the job."""
    linked: Mapping[str, Path] = field(default_factory=dict)
    """Files of the workspace that the folder of the job gets a link to."""
    memory_bytes: int = 0
    starts_again: bool = False


@dataclass
class _Known:
    """What this server knows of a job."""

    ends: array[int] = field(default_factory=lambda: array("q", [0]))
    """Where the first so many lines of the progress end in its file, from 0 on: the file only grows."""
    last: dict[str, Any] | None = None
    """The newest point of progress."""
    ended: JobView | None = None
    changed: int = 0
    """When the folder of a job that has ended was changed last: a job begins again by a change."""
    waits: str | None = None
    lost: Result | None = None
    """What became of a job whose worker could not begin, where that could not be written down."""


class JobStore:
    """All jobs of a workspace, and the queue.

    What takes a name raises :class:`InputError` or :class:`UnknownNameError` if the text is not a name, or no job has
    it; what writes raises :class:`DiskSpaceError` or :class:`FileAccessError` if the system refuses.
    """

    def __init__(self, workspace: Workspace) -> None:
        self.workspace = workspace
        self._mutex = threading.RLock()
        self._workers: dict[str, subprocess.Popen[bytes]] = {}
        self._known: defaultdict[str, _Known] = defaultdict(_Known)
        self._said = ""
        """What was said last of a fault of the queue."""
        self._leader: int | None = None

    # --- what there is -----------------------------------------------------------------------------------------------

    def views(self) -> dict[str, JobView]:
        """Return all jobs by their names, the newest first."""
        found = []
        for name, entry in self.workspace.entries("jobs"):
            with suppress(UnknownNameError, FileNotFoundError):
                found.append(self.view(name, entry.stat(follow_symlinks=False)))
        return {view.id: view for view in sorted(found, key=lambda view: (view.created, view.id), reverse=True)}

    def view(self, name: str, status: os.stat_result | None = None) -> JobView:
        """Return a job; ``status`` is that of its folder, where it is known."""
        with suppress(FileNotFoundError):
            status = self.folder(name).stat() if status is None else status
            known = self._known[name]
            if known.ended is not None and known.changed == status.st_mtime_ns:
                return known.ended
        with self._mutex:
            # It may have been deleted since.
            folder = self.folder(name)
            changed = folder.stat().st_mtime_ns
            try:
                view = self._view(folder)
            except ArtefactError as error:
                return self._damaged(folder, error)
            if view.state in ENDED:
                self._known[name].ended, self._known[name].changed = view, changed
            return view

    def _view(self, folder: Path) -> JobView:
        """Return a job whose files are whole; raises :class:`ArtefactError` for any other."""
        files.require_plain(folder)
        asked = self._asked(folder)
        state, result = self._state(folder)
        known = self._progress(folder)
        fault = f"No job can begin: {self._said}" if self._said else None
        return JobView(
            id=folder.name,
            state=state,
            started=job_files.last_run(folder).started,
            progress=known.last,
            points=len(known.ends) - 1,
            waits=(known.waits or fault) if state == "queued" else None,
            **asked.model_dump(include=set(About.model_fields)),
            **({} if result is None else result.model_dump(exclude={"state"})),
        )

    def _asked(self, folder: Path) -> Asked:
        found = files.read_as(Asked, folder / "request.json")
        if found is None and not any((folder / one).exists() for one in job_files.FILES):
            raise unknown("jobs", folder.name)
        return files.required(found, folder / "request.json")

    def _damaged(self, folder: Path, error: ArtefactError) -> JobView:
        """Return a job of which a file is damaged: it has failed, and the others are as they were."""
        asked = Asked(kind="unknown", title=folder.name, created="", command="")
        what = "Delete the job, and ask for it again."
        with suppress(ArtefactError):
            if (found := files.read_as(Asked, folder / "request.json")) is not None:
                asked, what = found, "Resume the job to have it done again, or delete it."
        return JobView(
            id=folder.name,
            state="running" if job_files.is_locked(folder) else "failed",
            error=JobError(type=type(error).__name__, message=f"This job is damaged. {error} {what}"),
            **asked.model_dump(include=set(About.model_fields)),
        )

    def points(self, name: str, after: int) -> tuple[list[tuple[int, str]], int]:
        """Return at most :data:`MOST_POINTS` points from a number on, as numbers and JSON, and the next number."""
        folder = self.folder(name)
        with self._mutex:
            ends = self._progress(folder).ends
        until = min(after + MOST_POINTS, len(ends) - 1)
        if after < until:
            with suppress(FileNotFoundError), _points(folder) as file:
                file.seek(ends[after])
                lines = file.read(ends[until] - ends[after]).split(b"\n")[:-1]
                return [(n, line.decode()) for n, line in enumerate(lines, after) if point_of(line) is not None], until
        return [], after

    def folder(self, name: str) -> Path:
        """Return the folder of a job."""
        folder = self.workspace.existing("jobs", name)
        if not folder.is_dir():
            raise unknown("jobs", name)
        return folder

    def _state(self, folder: Path) -> tuple[State, Result | None]:
        """Return the state of a job, and what ``result.json`` has."""
        if (folder / "queued").exists():
            if (lost := self._known[folder.name].lost) is not None:
                return "failed", lost
            return ("running" if job_files.is_locked(folder) else "queued"), None
        result = files.read_as(Result, folder / "result.json")
        if result is None:
            if job_files.is_locked(folder):
                return ("stopping" if (folder / "stop").exists() else "running"), None
            # The worker may have written its result and ended between the two looks.
            result = files.read_as(Result, folder / "result.json")
        if result is None:
            why = "The process of the job ended without a result; resume the job to go on."
            return "stopped", Result(state="stopped", error=JobError(type="WorkerLostError", message=why))
        return result.state, result

    def _progress(self, folder: Path) -> _Known:
        known = self._known[folder.name]
        # It is for show: a job whose progress cannot be read goes on.
        with suppress(FileNotFoundError, ArtefactError), _points(folder) as file:
            file.seek(known.ends[-1])
            *lines, _ = file.read().split(b"\n")  # The last line may be half written.
            for line in lines:
                known.ends.append(known.ends[-1] + len(line) + 1)
            # After a power failure a line may be anything; the newest one that is a point is shown.
            known.last = next((point for line in reversed(lines) if (point := point_of(line)) is not None), known.last)
        return known

    # --- what is done with them --------------------------------------------------------------------------------------

    def add(self, new: NewJob) -> JobView:
        """Add a job to the queue.  Raises :class:`NoMemoryError` if it needs more memory than there is."""
        self._check_memory(new)
        name = new_name(new.title.lower())
        folder = self.workspace.path("jobs", name)
        # The folder appears under its name when it is complete.
        making = folder.with_name(f".new-{name}")
        making.mkdir()
        created = job_files.now()
        about = {name: getattr(new, name) for name in ("kind", "title", "memory_bytes", "starts_again")}
        about |= {"created": created, "command": new.command(folder), "game": new.subject and new.subject.game}
        spot = {} if new.subject is None else new.subject.files
        request = json.dumps({**about, **new.request}, indent=1)
        texts = {**spot, **new.files, "request.json": request, "queued": created}
        try:
            for file_name, text in texts.items():
                write_file(making / file_name, text)
            for file_name, path in new.linked.items():
                os.link(path, making / file_name)
            with self._mutex:
                making.rename(folder)
        except BaseException:
            shutil.rmtree(making, ignore_errors=True)
            raise
        return self.view(name)

    def stop(self, name: str) -> JobView:
        """Ask a job to stop, or take it out of the queue.  Raises :class:`StaleError` if it has ended."""
        with self._mutex:
            folder, view = self.folder(name), self.view(name)
            if view.state in ENDED:
                raise StaleError(f"The job has ended already; it is {view.state}.")
            with job_files.lock(folder) as mine:
                # While the lock is held here, no worker begins.
                if mine and (folder / "queued").exists():
                    # A job that had been resumed keeps the result that it had before.
                    if not (folder / "result.json").exists():
                        files.write_json(folder / "result.json", {"state": "stopped", "finished": job_files.now()})
                    (folder / "queued").unlink()
                else:
                    (folder / "stop").touch()
            return self.view(name)

    def resume(self, name: str) -> JobView:
        """Put a job that was stopped or has failed into the queue again; raises :class:`StaleError` for any other."""
        with self._mutex:
            folder, view = self.folder(name), self.view(name)
            if view.state not in ("stopped", "failed"):
                raise StaleError(f"Only a job that was stopped or has failed can be resumed; this one is {view.state}.")
            files.require_plain(folder)
            self._asked(folder)
            (folder / "stop").unlink(missing_ok=True)
            write_file(folder / "queued", job_files.now())
            self._known[name].lost = self._known[name].ended = None
            return self.view(name)

    def delete(self, name: str) -> None:
        """Remove a job; solutions that it has made stay.  Raises :class:`StaleError` if it is running."""
        with self._mutex:
            folder = self.folder(name)
            gone = folder.with_name(f".gone-{name}")
            # A worker that has been started and has no lock yet finds no folder, and ends.
            with job_files.lock(folder) as mine:
                if not mine:
                    raise StaleError("The job is running; stop it first.")
                folder.rename(gone)
            self._known.pop(name, None)
        # A checkpoint may be large; nobody waits until it has been removed.
        shutil.rmtree(gone, ignore_errors=True)

    def _check_memory(self, new: NewJob) -> None:
        """Refuse what does not fit even when all running jobs have ended."""
        allowed = allowed_memory(None)
        if allowed is None:
            return
        for view in self.views().values():
            if view.state in ("running", "stopping"):
                with suppress(ArtefactError):
                    allowed += self._asked(self.folder(view.id)).memory_bytes
        if new.memory_bytes > allowed:
            raise NoMemoryError(
                f"This needs {bytes_text(new.memory_bytes)} of memory, and {bytes_text(allowed)} can be used. "
                "The estimate says what makes it smaller."
            )

    # --- the queue ---------------------------------------------------------------------------------------------------

    def run(self, closing: threading.Event) -> None:
        """Start what waits whenever there is room, until the event is set; workers are left running."""
        while not closing.is_set():
            try:
                self.look()
                self._said = ""
            # A folder that cannot be written now, or that another server has removed, is another matter a moment later.
            # Whatever else goes wrong is said once, and the thread goes on: without it no job would ever begin.
            except Exception as error:
                if not isinstance(error, UnknownNameError) and str(error) != self._said:
                    self._said = str(error)
                    if isinstance(error, (OSError, ErraiError)):
                        sys.stderr.write(f"The queue of jobs waits: {error}\n")
                    else:
                        traceback.print_exception(error)
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
            views = self.views().values()
            running = {view.id for view in views if view.state in ("running", "stopping")} | self._workers.keys()
            waiting = [view for view in views if view.state == "queued" and view.id not in running]
            asked = {view.id: job_files.text_of(self.folder(view.id) / "queued") for view in waiting}
            for view in sorted(waiting, key=lambda view: (asked[view.id], view.id)):
                if len(running) >= AT_ONCE:
                    return
                try:
                    needed, allowed = self._asked(self.folder(view.id)).memory_bytes, allowed_memory(None)
                    if allowed is not None and needed > allowed:
                        why = f"it needs {bytes_text(needed)}, and {bytes_text(allowed)} can be used"
                        self._known[view.id].waits = f"It waits for memory: {why}."
                        return
                    self._known[view.id].waits = None
                    self._start(view.id)
                # What keeps one job from beginning keeps no other one.
                except (OSError, ArtefactError) as error:
                    self._known[view.id].waits = f"It cannot begin now ({error}); it is tried again all the time."
                else:
                    running.add(view.id)

    def _leads(self) -> bool:
        """Whether this server runs the queue; of several servers in one folder only one does."""
        if self._leader is None:
            descriptor = files.open_plain(self.workspace.folder / "jobs" / ".leader", os.O_RDWR | os.O_CREAT)
            if not job_files.taken(descriptor):
                os.close(descriptor)
                return False
            self._leader = descriptor
            for left in (self.workspace.folder / "jobs").iterdir():
                if left.name.startswith((".new-", ".gone-")) and left.is_dir():
                    shutil.rmtree(left, ignore_errors=True)
        return True

    def _start(self, name: str) -> None:
        folder = self.folder(name)
        files.require_plain(folder)
        with (folder / "log").open("ab") as log:
            # A session of its own: Ctrl-C for the server is not for the job.
            self._workers[name] = subprocess.Popen(
                [sys.executable, "-m", "errai.web.worker", str(folder)],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                **own_session(PRIVATE),
            )

    def _reap(self) -> None:
        """Forget the workers that have ended; a job whose worker could not even begin has failed."""
        for name, process in list(self._workers.items()):
            code = process.poll()
            if code is None:
                continue
            del self._workers[name]
            folder = self.workspace.folder / "jobs" / name
            began = job_files.last_run(folder).process == process.pid
            if code and not began and (folder / "queued").exists() and not job_files.is_locked(folder):
                said = job_files.text_of(folder / "log")[-LOG_CHARACTERS:].strip()
                why = f"The process of the job could not begin (exit code {code}). {said}".strip()
                error = JobError(type="WorkerLostError", message=why)
                lost = Result(state="failed", finished=job_files.now(), error=error)
                try:
                    files.write_json(folder / "result.json", lost.model_dump(exclude_none=True))
                    (folder / "queued").unlink(missing_ok=True)
                except (OSError, ArtefactError) as fault:
                    # This server knows it, so that the worker is not started again and again.
                    error.message += f" {fault}"
                    self._known[name].lost = lost


def _points(folder: Path) -> BinaryIO:
    return os.fdopen(files.open_plain(folder / "progress.jsonl"), "rb")
