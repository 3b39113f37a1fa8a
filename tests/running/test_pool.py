"""The pool of processes: order, losses, errors, and which processes end when."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from processes import alive, gone

from errai.errors import InputError, WorkerLostError
from errai.running import pool as pool_module
from errai.running.pool import ProcessPool, Steps
from errai.running.stopping import StopToken


def square() -> Steps:
    return Steps(lambda x: x * x)


def who() -> Steps:
    return Steps(lambda task: (task, os.getpid()))


def slow_first() -> Steps:
    def work(x: int) -> int:
        time.sleep(0.4 if x == 0 else 0.0)
        return x

    return Steps(work)


def by_steps() -> Steps:
    return Steps(lambda x: (*x, "worked"), load=lambda x: (x, "loaded"), save=lambda x: (*x, "saved"))


def dies_at(path: str, at: int, times: int) -> Steps:
    """Kills its process at a task, so many times in all; ``path`` counts them."""

    def work(x: int) -> int:
        if x == at and len(Path(path).read_text()) < times:
            with Path(path).open("a") as stream:
                stream.write("x")
            os.kill(os.getpid(), signal.SIGKILL)
        return x

    return Steps(work)


class OwnError(Exception):
    """One that cannot be pickled back: it wants two arguments."""

    def __init__(self, first: str, second: str) -> None:
        super().__init__(first + second)


def fails() -> Steps:
    def work(x: int) -> int:
        if x == 3:
            raise ValueError("no three")
        if x == 5:
            raise OwnError("no ", "five")
        return x

    return Steps(work)


def cannot_be_made() -> Steps:
    raise KeyError("nothing there")


def forever() -> Steps:
    def work(x: int) -> int:
        while x:
            time.sleep(0.01)
        return x

    return Steps(work)


def starts_another() -> Steps:
    def work(x: int) -> int:
        with ProcessPool[int, int](square, 1) as inner:
            return next(inner.run([x]))

    return Steps(work)


def test_results_come_in_the_order_of_the_tasks_or_as_they_are_done() -> None:
    with ProcessPool[int, int](slow_first, 2) as pool:
        assert list(pool.run(range(40))) == list(range(40))
        found = list(pool.run(range(40), in_order=False))
        assert sorted(found) == list(range(40))
        assert found[0] != 0
        assert list(pool.run([])) == []


def test_tasks_are_drawn_only_as_they_are_needed() -> None:
    drawn = []

    def tasks() -> Any:
        for x in range(10**9):
            drawn.append(x)
            yield x

    with ProcessPool[int, int](square, 2) as pool:
        results = pool.run(tasks())
        assert [next(results) for _ in range(5)] == [0, 1, 4, 9, 16]
        results.close()
        assert len(drawn) < 100
        # What was given up is not mistaken for what comes next.
        assert list(pool.run([7, 8, 9])) == [49, 64, 81]


def test_the_same_task_goes_to_the_same_process_and_steps_follow_each_other() -> None:
    with ProcessPool[int, tuple[int, int]](who, 3) as pool:
        first = dict(pool.run(range(6)))
        assert set(first.values()) == set(pool.pids)
        assert dict(pool.run(range(6))) == first
    with ProcessPool[int, tuple[Any, ...]](by_steps, 1) as pool:
        assert list(pool.run([1, 2])) == [(x, "loaded", "worked", "saved") for x in (1, 2)]


@pytest.mark.parametrize("processes", [1, 2])
def test_a_process_that_is_killed_is_replaced_and_its_tasks_are_done(processes: int, tmp_path: Path) -> None:
    count, lost = tmp_path / "count", []
    count.touch()
    make = partial(dies_at, str(count), 9, 2)
    with ProcessPool[int, int](make, processes, on_loss=lambda: lost.append(1)) as pool:
        before = pool.pids
        assert list(pool.run(range(30))) == list(range(30))
        assert len(lost) == 2
        assert len(set(pool.pids) - set(before)) in (1, 2)
    assert gone([*before, *pool.pids], within=0.0)


def test_processes_that_always_end_are_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pool_module, "MOST_LOSSES", 1)
    count = tmp_path / "count"
    count.touch()
    with ProcessPool[int, int](partial(dies_at, str(count), 0, 99), 1, advice="Take two.") as pool:
        with pytest.raises(WorkerLostError, match=r"2 times in a row .*exit code -9.*memory\? Take two\."):
            list(pool.run([0]))
        assert len(count.read_text()) == 2


def test_errors_come_through_and_the_pool_goes_on() -> None:
    with ProcessPool[int, int](fails, 2) as pool:
        with pytest.raises(ValueError, match="no three") as caught:
            list(pool.run(range(5)))
        assert "In another process" in caught.value.__notes__[0]
        with pytest.raises(RuntimeError, match="OwnError: no five"):
            list(pool.run([5]))
        assert list(pool.run([1, 2])) == [1, 2]
    with ProcessPool[int, int](cannot_be_made, 1) as pool, pytest.raises(KeyError, match="nothing there"):
        list(pool.run([1]))
    with pytest.raises(InputError, match="cannot be sent to other processes"):
        ProcessPool[int, int](lambda: Steps(abs), 1)


def test_a_token_ends_the_results_while_processes_work() -> None:
    stop = StopToken()
    with ProcessPool[int, int](forever, 2) as pool:
        results = pool.run([0, 1, 1, 1, 1, 1], stop=stop)
        assert next(results) == 0
        threading.Timer(0.3, stop.set).start()
        assert list(results) == []
    assert gone(pool.pids, within=0.0)


def test_two_threads_have_a_pool_each_and_the_end_of_one_ends_nothing_of_the_other() -> None:
    begun, ended = threading.Barrier(2), threading.Event()
    found: dict[str, Any] = {}

    def short() -> None:
        with ProcessPool[int, int](square, 2) as pool:
            results = pool.run(range(100))
            next(results)
            begun.wait(60)
            found["short"] = pool.pids
        ended.set()

    def long() -> None:
        with ProcessPool[int, int](square, 2) as pool:
            results = pool.run(range(200))
            first = [next(results)]
            begun.wait(60)
            assert ended.wait(60)
            found["pids"] = pool.pids
            found["long"] = first + list(results)
            assert found["pids"] == pool.pids, "none was lost"

    threads = [threading.Thread(target=short), threading.Thread(target=long)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(120)
    assert found["long"] == [x * x for x in range(200)]
    assert not set(found["short"]) & set(found["pids"])
    assert gone([*found["short"], *found["pids"]], within=0.0)


def test_what_runs_in_a_process_may_start_processes() -> None:
    with ProcessPool[int, int](starts_another, 1) as pool:
        assert list(pool.run([6])) == [36]


SCRIPT = """
import sys
import time
from errai.running.pool import ProcessPool, Steps


def slow():
    def work(x):
        time.sleep(0.05)
        return x
    return Steps(work)


def main():
    with ProcessPool(slow, 2) as pool:
        print(*pool.pids, flush=True)  # They are being born still.
        try:
            for x in pool.run(range(10**6)):
                print(x, flush=True)
        except KeyboardInterrupt:
            print("interrupted", *pool.pids, flush=True)
            time.sleep(float(sys.argv[1]))
            print(next(pool.run([7])), flush=True)
            raise


if __name__ == "__main__":
    main()
"""


def script(tmp_path: Path, pause: float) -> subprocess.Popen[str]:
    program = tmp_path / "script.py"
    program.write_text(SCRIPT)
    command = [sys.executable, str(program), str(pause)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True)


@pytest.mark.parametrize("after", ["birth", "work"])
def test_ctrl_c_in_a_terminal_leaves_the_processes_to_their_parent(after: str, tmp_path: Path) -> None:
    process = script(tmp_path, 0.3)
    assert process.stdout is not None
    pids = [int(word) for word in process.stdout.readline().split()]
    if after == "work":
        assert process.stdout.readline() == "0\n"
    else:
        time.sleep(0.05)
    os.killpg(process.pid, signal.SIGINT)
    out, err = process.communicate(timeout=60)
    lines = out.split("\n")
    at = next(i for i, line in enumerate(lines) if line.startswith("interrupted"))
    assert [int(word) for word in lines[at].split()[1:]] == pids, "the same processes"
    assert lines[at + 1] == "7", "and they work"
    assert err.strip().endswith("KeyboardInterrupt")
    assert err.count("Traceback") == 1
    assert gone(pids, within=10.0)


def test_processes_die_with_their_parent(tmp_path: Path) -> None:
    process = script(tmp_path, 0.0)
    assert process.stdout is not None
    pids = [int(word) for word in process.stdout.readline().split()]
    assert process.stdout.readline() == "0\n"
    assert all(alive(pid) for pid in pids)
    process.kill()
    process.wait()
    process.stdout.close()
    assert process.stderr is not None
    process.stderr.close()
    assert gone(pids, within=10.0)
