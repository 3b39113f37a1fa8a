"""Workers, stops, resumes, kills and new servers in every order: what the user asked for last is what happens.

The real worker runs in threads that halt before each of its steps, and chance decides what happens next: a step of one
of the workers, a request, a look of the queue, a death.  Locks are by open file, so threads hold them like processes.
"""

from __future__ import annotations

import json
import os
import random
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

from errai.errors import DiskSpaceError, StaleError
from errai.running.stopping import StopToken
from errai.web import jobs, worker
from errai.web.files import Workspace
from errai.web.jobs import JobStore, NewJob

HALTED_SECONDS = 20.0


class KilledError(BaseException):
    """Ends a thread where it halts; its locks are released, and its files stay."""


class Watched(type(Path())):  # type: ignore[misc]
    """A path of which a worker's thread halts before it removes it."""

    def unlink(self, missing_ok: bool = False) -> None:
        halt(f"before {self.name} goes")
        super().unlink(missing_ok)


class Worker:
    """A thread in the place of a worker's process."""

    def __init__(self, world: World, folder: Path, number: int) -> None:
        self.world, self.folder, self.pid = world, folder, number
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
        about = self.folder / "run.json"
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
            worker.work(Watched(self.folder))
            code = 0
        except KilledError:
            code = -9
        finally:
            self.returncode = code
            self._halted.release()


def halt(step: str) -> None:
    """Halt, if this is the thread of a worker."""
    found = getattr(threading.current_thread(), "worker", None)
    if found is not None:
        found.halt(step)


class World:
    """A folder with one job, its server, and the workers that were ever started."""

    def __init__(self, place: Path) -> None:
        self.workspace = Workspace.at(place)
        self.workers: list[Worker] = []
        self.bodies = self.running = 0
        self.wanted = "run"
        """What the user asked for last, ``lost`` if a worker died in the middle of it."""
        self.resumes = 0
        self.found: dict[str, int] | None = None
        """What the next worker finds."""
        self.is_killed_early = False
        self.store = self._server()
        about: dict[str, Any] = {"kind": "none", "title": "a job", "command": lambda folder: "", "request": {}}
        self.name = self.store.add(NewJob(**about)).id
        self.folder = self.workspace.path("jobs", self.name)

    def _server(self) -> JobStore:
        world = self

        class Server(JobStore):
            def _start(self, name: str) -> None:
                made = Worker(world, world.folder, len(world.workers) + 1_000_000_000)
                world.workers.append(made)
                self._workers[name] = made  # type: ignore[assignment]

        return Server(self.workspace)

    @property
    def alive(self) -> list[Worker]:
        return [one for one in self.workers if one.returncode is None]

    @property
    def state(self) -> str:
        return self.store.view(self.name).state

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

    def stop(self) -> None:
        with suppress(StaleError):
            self.store.stop(self.name)
            self.wanted = "stop"
            # The workers look for the mark from time to time.
            threading.Event().wait(0.005)

    def resume(self) -> None:
        with suppress(StaleError):
            self.store.resume(self.name)
            self.wanted = "run"
            self.resumes += 1

    def step(self, one: Worker) -> None:
        one.go_on()

    def kill(self, one: Worker) -> None:
        began = one.has_begun
        if began and not one.has_result and not (self.folder / "queued").exists():
            self.wanted = "lost"
        self.is_killed_early |= not began
        one.go_on(dead=True)

    # --- what the worker does in place of its work ---

    def body(self, folder: Path, stop: StopToken) -> dict[str, Any]:
        self.bodies += 1
        self.running += 1
        assert self.running == 1
        try:
            halt("at work")
            halt("at work again")
            asked = threading.Event()
            while (folder / "stop").exists() and not stop.is_set():
                asked.wait(0.001)
            return {"state": "stopped" if stop.is_set() else "done", "result": self.found, "solution": None}
        finally:
            self.running -= 1


@pytest.fixture
def worlds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[int], World]:
    tokens: list[StopToken] = []
    made: list[World] = []
    real_lock, real_write = worker._locked, worker.write_json

    @contextmanager
    def locked(folder: Path) -> Iterator[bool]:
        halt("before the lock")
        with real_lock(folder) as mine:
            halt("locked")
            yield mine
            halt("before the lock is free")
        halt("before its end")

    def write(path: Path, document: dict[str, Any]) -> None:
        halt(f"before {path.name}")
        real_write(path, document)
        if path.name == "result.json":
            threading.current_thread().worker.has_result = True  # type: ignore[attr-defined]

    def token() -> StopToken:
        tokens.append(StopToken())
        return tokens[-1]

    real_pid = os.getpid
    monkeypatch.setattr(worker, "_locked", locked)
    monkeypatch.setattr(worker, "write_json", write)
    monkeypatch.setattr(worker, "StopToken", token)
    monkeypatch.setattr(worker, "_run", lambda folder, stop: made[-1].body(folder, stop))
    monkeypatch.setattr(worker, "LOOK_SECONDS", 0.001)
    monkeypatch.setattr(worker, "LOCK_SECONDS", 0.0)
    monkeypatch.setattr(worker.signal, "signal", lambda *_: None)
    monkeypatch.setattr(os, "fsync", lambda _: None)
    monkeypatch.setattr(
        os, "getpid", lambda: getattr(getattr(threading.current_thread(), "worker", None), "pid", None) or real_pid()
    )

    def new(number: int) -> World:
        # The threads that look for the mark end with their token.
        while tokens:
            tokens.pop().set()
        made.append(World(tmp_path / str(number)))
        return made[-1]

    return new


def happens(world: World, chance: random.Random) -> str:
    """Something happens; returns what."""
    what = chance.choice(["step"] * 8 + ["look"] * 3 + ["stop"] * 2 + ["resume"] * 3 + ["kill", "restart"])
    if what in ("step", "kill"):
        if not world.alive:
            return "nothing"
        one = chance.choice(world.alive)
        what += f" {one.pid % 1000} {one.step}"
        (world.step if what.startswith("step") else world.kill)(one)
    else:
        getattr(world, what)()
    return f"{what}: {world.wanted}"


@pytest.mark.parametrize("walks", [150, pytest.param(3_000, marks=pytest.mark.slow)])
def test_in_whatever_order_things_happen_the_last_wish_counts(worlds: Callable[[int], World], walks: int) -> None:
    for seed in range(walks):
        chance, world = random.Random(seed), worlds(seed)
        story = [happens(world, chance) for _ in range(chance.randrange(60))]
        # Then nothing more is asked, and what has been asked comes to its end.
        for _ in range(400):
            if not world.alive and world.state not in ("queued", "running", "stopping"):
                break
            if world.alive and chance.random() < 0.8:
                world.step(chance.choice(world.alive))
            else:
                world.look()
        view = world.store.view(world.name)
        told = f"seed {seed}: {view.state}, wanted {world.wanted}\n" + "\n".join(story)
        assert not world.alive, told
        assert world.bodies <= 1 + world.resumes, told
        if view.state == "failed":
            assert world.is_killed_early, told
        elif world.wanted == "lost":
            assert (view.state, view.error is not None) == ("stopped", True), told
        elif world.wanted == "stop":
            assert view.state in ("stopped", "done"), told
        else:
            assert view.state == "done", told
        world.close()


def finished(world: World, *workers: Worker) -> None:
    """Let workers run to their end, and then whatever the queue still has."""
    for one in workers:
        while one.returncode is None:
            world.step(one)
    while world.alive or world.state in ("queued", "running"):
        world.look()
        for one in world.alive:
            world.step(one)


def test_a_worker_that_found_nothing_to_do_fails_no_job(worlds: Callable[[int], World]) -> None:
    world = worlds(0)
    world.look()
    world.stop()
    (first,) = world.workers
    while first.returncode is None:
        world.step(first)
    world.resume()
    finished(world)
    assert (first.returncode, world.state, world.bodies) == (0, "done", 1)


def test_a_worker_that_waits_is_not_stopped_by_what_stopped_another(worlds: Callable[[int], World]) -> None:
    world = worlds(0)
    world.look()
    world.restart()
    world.look()
    first, second = world.workers
    world.step(second)
    while first.step != "at work":
        world.step(first)
    world.stop()
    while first.returncode is None:
        world.step(first)
    assert world.state == "stopped"
    world.resume()
    finished(world, second)
    assert (world.state, world.bodies) == ("done", 2)


def test_a_job_that_was_resumed_and_taken_out_of_the_queue_keeps_its_result(worlds: Callable[[int], World]) -> None:
    world = worlds(0)
    world.look()
    while world.workers[0].step != "at work":
        world.step(world.workers[0])
    world.stop()
    finished(world)
    before = world.store.view(world.name)
    world.resume()
    world.stop()
    assert world.store.view(world.name) == before
    world.resume()
    finished(world)
    assert world.state == "done"


def test_a_job_that_is_stopped_again_before_it_found_anything_keeps_its_result(
    worlds: Callable[[int], World],
) -> None:
    world = worlds(0)
    for found in ({"hands": 7}, None):
        world.found = found
        world.look()
        while world.alive[-1].step != "at work":
            world.step(world.alive[-1])
        world.stop()
        finished(world)
        view = world.store.view(world.name)
        assert (view.state, view.result) == ("stopped", {"hands": 7})
        world.resume()


def test_the_queue_goes_on_after_a_full_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store, closing, looks = JobStore(Workspace.at(tmp_path)), threading.Event(), list[int]()

    def look() -> None:
        looks.append(len(looks))
        if len(looks) == 1:
            raise DiskSpaceError("The disk is full.")
        closing.set()

    monkeypatch.setattr(store, "look", look)
    store.run(closing)
    assert looks == [0, 1]


def test_a_worker_that_cannot_begin_fails_its_job(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jobs.sys, "executable", "/bin/false")
    about: dict[str, Any] = {"kind": "none", "title": "a job", "command": lambda folder: "", "request": {}}
    store = JobStore(Workspace.at(tmp_path))
    name = store.add(NewJob(**about)).id
    store.look()
    store._workers[name].wait()
    store.look()
    view = store.view(name)
    assert view.state == "failed"
    assert view.error is not None
    assert "exit code 1" in view.error.message
