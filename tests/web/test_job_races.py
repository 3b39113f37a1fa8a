"""Workers, stops, resumes, kills and new servers in every order: what the user asked for last is what happens.

``tests/campaign/job_queue.py`` has the world in which they happen.
"""

from __future__ import annotations

import random
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from job_queue import Worker, World, queue_worlds, walk

from errai.errors import DiskSpaceError
from errai.web import job_files, jobs
from errai.web.files import Workspace
from errai.web.jobs import JobStore, NewJob


@pytest.fixture
def worlds(tmp_path: Path) -> Iterator[Callable[..., World]]:
    with queue_worlds(tmp_path) as new:
        yield new


@pytest.mark.parametrize("walks", [150, pytest.param(3_000, marks=pytest.mark.slow)])
@pytest.mark.parametrize("many", [1, 3])
def test_in_whatever_order_things_happen_the_last_wish_counts(
    worlds: Callable[..., World], many: int, walks: int
) -> None:
    for seed in range(walks // many):
        walk(worlds(seed, many), random.Random(seed), f"seed {seed}")


def finished(world: World, *workers: Worker) -> None:
    """Let workers run to their end, and then whatever the queue still has."""
    for one in workers:
        while one.returncode is None:
            world.step(one)
    while world.alive or world.first.state in ("queued", "running"):
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
    assert (first.returncode, world.first.state, world.first.bodies) == (0, "done", 1)


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
    assert world.first.state == "stopped"
    world.resume()
    finished(world, second)
    assert (world.first.state, world.first.bodies) == ("done", 2)


def test_a_job_that_was_resumed_and_taken_out_of_the_queue_keeps_its_result(worlds: Callable[[int], World]) -> None:
    world = worlds(0)
    world.look()
    while world.workers[0].step != "at work":
        world.step(world.workers[0])
    world.stop()
    finished(world)
    before = world.store.view(world.first.name)
    world.resume()
    world.stop()
    assert world.store.view(world.first.name) == before
    world.resume()
    finished(world)
    assert world.first.state == "done"


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
        view = world.store.view(world.first.name)
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


def test_a_look_at_a_lock_is_not_taken_for_a_worker(tmp_path: Path) -> None:
    """A job was "running" for a moment after it had ended, if the queue looked at it while it was deleted."""
    looking = ExitStack()
    assert looking.enter_context(job_files.lock(tmp_path, shared=True))
    threading.Timer(0.05, looking.close).start()
    with job_files.lock(tmp_path) as mine:
        assert mine
        assert job_files.is_locked(tmp_path)
        with job_files.lock(tmp_path) as again:
            assert not again
