"""The queue of jobs with its workers, servers and disk, in one process and from one seed.

The real worker runs in threads that halt before each of its steps, and chance decides what happens next: a step of one
of the workers, a request, a look of the queue, a death, a disk that is full for a while.  Locks are by open file, so
threads hold them like processes.
"""

from __future__ import annotations

import json
import os
import random
import shutil
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest
from campaign import Part
from opened import open_all, require_same

from errai.errors import DiskSpaceError, StaleError, UnknownNameError
from errai.running.stopping import StopToken
from errai.web import files, jobs, worker
from errai.web.files import Workspace
from errai.web.jobs import JobStore, NewJob

HALTED_SECONDS = 60.0


class KilledError(BaseException):
    """Ends a thread where it halts; its locks are released, and its files stay."""


class Watched(type(Path())):  # type: ignore[misc]
    """A path of which a worker's thread halts before it removes it."""

    def unlink(self, missing_ok: bool = False) -> None:
        halt(f"before {self.name} goes")
        super().unlink(missing_ok)


class Job:
    """A job, and what was asked for it."""

    def __init__(self, world: World, name: str) -> None:
        self.world, self.name = world, name
        self.folder = world.workspace.path("jobs", name)
        self.bodies = self.running = self.resumes = 0
        self.wanted = "run"
        """What the user asked for last, ``lost`` if a worker died in the middle of it or could not say its result."""
        self.is_killed_early = self.is_deleted = False

    @property
    def state(self) -> str:
        return self.world.store.view(self.name).state


class Worker:
    """A thread in the place of a worker's process."""

    def __init__(self, job: Job, number: int) -> None:
        self.job, self.pid = job, number
        self.returncode: int | None = None
        self.step = "not started"
        self.has_result = False
        self._is_killed = False
        self._go, self._halted = threading.Semaphore(0), threading.Semaphore(0)
        self._thread = threading.Thread(target=self._work)
        self._thread.worker = self  # type: ignore[attr-defined]
        self._thread.start()
        self._wait()

    def poll(self) -> int | None:
        return self.returncode

    @property
    def has_begun(self) -> bool:
        """Whether it is written down that it began."""
        about = self.job.folder / "run.json"
        return about.exists() and json.loads(about.read_text())["process"] == self.pid

    def go_on(self, *, dead: bool = False) -> None:
        """Let it do one step, or die."""
        self._is_killed = dead
        self._go.release()
        self._wait()

    def halt(self, step: str) -> None:
        self.step = step
        self._halted.release()
        assert self._go.acquire(timeout=HALTED_SECONDS)
        if self._is_killed:
            raise KilledError

    def _wait(self) -> None:
        assert self._halted.acquire(timeout=HALTED_SECONDS)

    def _work(self) -> None:
        code = 1
        try:
            self.halt("before everything")
            worker.work(Watched(self.job.folder))
            code = 0
        except KilledError:
            code = -9
        except DiskSpaceError:
            code = 1  # the process says so and ends
        finally:
            self.returncode = code
            self._halted.release()


def this_worker() -> Worker | None:
    """The worker whose thread this is."""
    return getattr(threading.current_thread(), "worker", None)


def halt(step: str) -> None:
    """Halt, if this is the thread of a worker."""
    if (found := this_worker()) is not None:
        found.halt(step)


class World:
    """A folder with jobs, its server, and the workers that were ever started."""

    def __init__(self, place: Path, many: int = 1) -> None:
        self.workspace = Workspace.at(place)
        self.workers: list[Worker] = []
        self.found: dict[str, int] | None = None
        """What the next worker finds."""
        self.is_full = False
        self.store = self._server()
        about: dict[str, Any] = {"kind": "none", "title": "a job", "command": lambda folder: "", "request": {}}
        self.jobs = [Job(self, self.store.add(NewJob(**about)).id) for _ in range(many)]
        self.first = self.jobs[0]

    def _server(self) -> JobStore:
        world = self

        class Server(JobStore):
            def _start(self, name: str) -> None:
                job = next(one for one in world.jobs if one.name == name)
                made = Worker(job, len(world.workers) + 1_000_000_000)
                world.workers.append(made)
                self._workers[name] = made  # type: ignore[assignment]

        return Server(self.workspace)

    @property
    def alive(self) -> list[Worker]:
        return [one for one in self.workers if one.returncode is None]

    def look(self) -> None:
        self.store.look()

    def restart(self) -> None:
        """The server is killed, and another one started."""
        self.close()
        self.store = self._server()

    def close(self) -> None:
        """Let go of the folder, as a server does that ends in whatever way."""
        if self.store._leader is not None:
            os.close(self.store._leader)

    def stop(self, job: Job | None = None) -> None:
        job = job or self.first
        with suppress(StaleError, DiskSpaceError, UnknownNameError):
            self.store.stop(job.name)
            job.wanted = "stop"
            # The workers look for the mark from time to time.
            threading.Event().wait(0.005)

    def resume(self, job: Job | None = None) -> None:
        job = job or self.first
        with suppress(StaleError, DiskSpaceError, UnknownNameError):
            self.store.resume(job.name)
            job.wanted = "run"
            job.resumes += 1

    def delete(self, job: Job) -> None:
        with suppress(StaleError, UnknownNameError):
            self.store.delete(job.name)
            job.is_deleted = True

    def step(self, one: Worker) -> None:
        one.go_on()

    def kill(self, one: Worker) -> None:
        job, began = one.job, one.has_begun
        if began and not one.has_result and not (job.folder / "queued").exists():
            job.wanted = "lost"
        job.is_killed_early |= not began
        one.go_on(dead=True)

    # --- what the worker does in place of its work ---

    def body(self, folder: Path, stop: StopToken) -> dict[str, Any]:
        one = this_worker()
        assert one is not None
        job = one.job
        job.bodies += 1
        job.running += 1
        assert job.running == 1, "a job is done twice at the same time"
        try:
            halt("at work")
            halt("at work again")
            asked = threading.Event()
            while (folder / "stop").exists() and not stop.is_set():
                asked.wait(0.001)
            return {"state": "stopped" if stop.is_set() else "done", "result": self.found, "solution": None}
        finally:
            job.running -= 1


@contextmanager
def queue_worlds(place: Path, now: Callable[[], str] | None = None) -> Iterator[Callable[..., World]]:
    """Make worlds in the block, in folders by their numbers; ``now`` is the clock of the server and the workers."""
    tokens: list[StopToken] = []
    made: list[World] = []
    real_lock, real_write, real_file, real_pid = worker._locked, worker.write_json, files.write_file, os.getpid

    @contextmanager
    def locked(folder: Path) -> Iterator[bool]:
        halt("before the lock")
        with real_lock(folder) as mine:
            halt("locked")
            yield mine
            halt("before the lock is free")
        halt("before its end")

    def write_file(path: Path, content: bytes | str) -> None:
        if made and made[-1].is_full:
            raise DiskSpaceError(f"{path} cannot be written: the disk is full.")
        real_file(path, content)

    def write(path: Path, document: dict[str, Any]) -> None:
        halt(f"before {path.name}")
        one = this_worker()
        assert one is not None
        try:
            real_write(path, document)
        except DiskSpaceError:
            if path.name == "result.json":
                one.job.wanted = "lost"
            else:
                one.job.is_killed_early = True
            raise
        one.has_result |= path.name == "result.json"

    def token() -> StopToken:
        tokens.append(StopToken())
        return tokens[-1]

    def new(number: int, many: int = 1) -> World:
        # The threads that look for the mark end with their token.
        while tokens:
            tokens.pop().set()
        made.append(World(place / str(number), many))
        return made[-1]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(files, "write_file", write_file)
        patch.setattr(jobs, "write_file", write_file)
        patch.setattr(worker, "_locked", locked)
        patch.setattr(worker, "write_json", write)
        patch.setattr(worker, "StopToken", token)
        patch.setattr(worker, "_run", lambda folder, stop: made[-1].body(folder, stop))
        patch.setattr(worker, "LOOK_SECONDS", 0.001)
        patch.setattr(worker, "LOCK_SECONDS", 0.0)
        patch.setattr(worker.signal, "signal", lambda *_: None)
        patch.setattr(os, "fsync", lambda _: None)
        patch.setattr(os, "getpid", lambda: one.pid if (one := this_worker()) else real_pid())
        if now is not None:
            patch.setattr(worker, "now", now)
            patch.setattr("errai.web.job_files.now", now)
        yield new
        while tokens:
            tokens.pop().set()


def happens(world: World, chance: random.Random) -> str:
    """Something happens; returns what."""
    events = ["step"] * 8 + ["look"] * 3 + ["stop"] * 2 + ["resume"] * 3 + ["kill", "restart"]
    if len(world.jobs) > 1:
        events += ["full", "full", "delete"]
    what = chance.choice(events)
    if what in ("step", "kill"):
        if not world.alive:
            return "nothing"
        one = chance.choice(world.alive)
        what += f" {one.pid % 1000} {one.step}"
        (world.step if what.startswith("step") else world.kill)(one)
    elif what == "full":
        world.is_full = not world.is_full
    elif what in ("look", "restart"):
        with suppress(DiskSpaceError):
            getattr(world, what)()
    else:
        job = chance.choice(world.jobs)
        what += f" {world.jobs.index(job)}"
        getattr(world, what.split()[0])(job)
    return f"{what}: {', '.join(job.wanted for job in world.jobs)}"


def settle(world: World, chance: random.Random) -> None:
    """Nothing more is asked, and what has been asked comes to its end."""
    world.is_full = False
    for _ in range(400 * len(world.jobs)):
        left = [job for job in world.jobs if not job.is_deleted]
        if not world.alive and all(job.state not in ("queued", "running", "stopping") for job in left):
            break
        if world.alive and chance.random() < 0.8:
            world.step(chance.choice(world.alive))
        else:
            world.look()


def judge(world: World, told: str) -> None:
    """Require that what was asked last has happened, nothing twice, and that nothing is lost."""
    assert not world.alive, told
    for number, job in enumerate(world.jobs):
        if job.is_deleted:
            assert not job.folder.exists(), f"job {number} was deleted and is there; {told}"
            continue
        require_same(job.folder.exists(), True, f"job {number} is gone; {told}")
        view, said = world.store.view(job.name), f"job {number} is {job.state}, wanted {job.wanted}; {told}"
        assert job.bodies <= 1 + job.resumes, said
        if view.state == "failed":
            assert job.is_killed_early, said
        elif job.wanted == "lost":
            assert (view.state, view.error is not None) == ("stopped", True), said
        elif job.wanted == "stop":
            assert view.state in ("stopped", "done"), said
        else:
            assert view.state == "done", said
    open_all(world.workspace.folder, told)


def walk(world: World, chance: random.Random, told: str) -> int:
    """Let things happen in an order of chance, and judge what has come of it; returns how many."""
    story = [happens(world, chance) for _ in range(chance.randrange(60))]
    settle(world, chance)
    judge(world, f"{told}\n" + "\n".join(story))
    world.close()
    return len(story)


def trial(home: Path, row: str, seed: int) -> int:
    """Let things happen to one job, or to three with a disk that fails and a clock that jumps."""
    chance = random.Random(f"queue {seed}")
    with queue_worlds(
        home, lambda: f"{chance.choice((2001, 2026, 2038))}-01-01T00:00:{chance.randrange(60):02d}Z"
    ) as new:
        count = walk(new(seed, 1 if row == "one job" else 3), chance, f"seed {seed}")
    shutil.rmtree(home / str(seed))
    return count


PARTS = {"queue": Part("events", ("one job", "three jobs, a failing disk and clock"), trial, few=40, many=6000)}
