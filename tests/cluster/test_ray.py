"""Blocks that are walked with Ray: the same bits, also when actors are lost.

Most of these need Ray and some seconds each: ``pip install 'errai[cluster]'``,
then ``pytest -m "" tests/cluster/test_ray.py``.
"""

from __future__ import annotations

import os
import signal
import sys
from collections import deque
from pathlib import Path
from typing import Any

import pytest

from errai.cluster import ray as module
from errai.cluster.ray import RayRunner, _Machine, _Worker, local_workers
from errai.cluster.worker import Setup, Task
from errai.errors import BackendError, FileAccessError, SolverOptionError, WorkerLostError
from errai.store.checkpoint import save_checkpoint

# Ray leaves its log files and sockets to the garbage collector.
pytestmark = [
    pytest.mark.filterwarnings("ignore:unclosed:ResourceWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
    pytest.mark.filterwarnings("ignore:.*:FutureWarning:ray"),
]

GAME = "rhode-island-short"


@pytest.mark.parametrize(("text", "workers"), [("local:2", 2), ("auto", None), ("ray://host:10001", None)])
def test_what_names_a_cluster(text, workers):
    assert local_workers(text) == workers


@pytest.mark.parametrize(
    "text", ["", "local", "local:0", "local:-1", "local:x", "ray://", "ray://host", "Auto", "10.0.0.1"]
)
def test_what_names_none(text):
    with pytest.raises(SolverOptionError, match=r"local:2 .*auto .*ray://host:port"):
        local_workers(text)


def test_without_ray_the_message_says_how_to_get_it(monkeypatch, solve_short):
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(BackendError, match=r"pip install 'errai\[cluster\]'"):
        solve_short("run", GAME, max_iterations=1, cluster="local:1")


def machines_of(folder: Path, iteration: int, *machines: _Machine) -> RayRunner:
    """A runner that knows these machines, and three blocks, without any Ray."""
    runner = RayRunner.__new__(RayRunner)
    partition = {"street": 1, "blocks": [[]] * 3}
    runner.setup = Setup(str(folder), "run", {}, partition, "fixed16", "cpu", True, 0)
    save_checkpoint(folder / "run.errai", {"iteration": iteration}, {})
    runner._machines = list(machines)
    runner._homes = runner._find_homes()
    runner._workers = [_Worker(None, machine) for machine in machines for _ in range(machine.workers)]
    return runner


def test_blocks_stay_with_the_machine_that_has_the_newest_files(tmp_path):
    here = _Machine("here", 2, "disk here", {0: 3, 1: 2})
    there = _Machine("there", 1, "disk there", {1: 3, 2: 3})
    runner = machines_of(tmp_path, 3, here, there)
    assert runner._homes == [[here], [there], [there]]
    tasks = [Task(block, (4, 4), reach=None) for block in range(3)]  # type: ignore[arg-type]
    assert [runner._worker_of(7, task) for task in tasks] == [0, 2, 2]
    waiting = [deque([(0, tasks[0])]), deque[tuple[int, Task]](), deque([(1, tasks[1]), (2, tasks[2])])]
    # Who has nothing left helps only where the files are.
    assert runner._take(waiting, 1) == (0, tasks[0])
    assert runner._take(waiting, 0) is None
    assert [runner._take(waiting, 2) for _ in range(3)] == [(1, tasks[1]), (2, tasks[2]), None]
    with pytest.raises(FileAccessError, match="files of 2 blocks of the run, block 1 among them"):
        machines_of(tmp_path, 3, _Machine("here", 2, "disk here", {0: 3}))


def test_a_new_run_is_dealt_to_all_machines_and_a_shared_disk_binds_nobody(tmp_path):
    first, second = _Machine("first", 1, "one disk"), _Machine("second", 1, "one disk")
    other = _Machine("other", 1, "another disk")
    runner = machines_of(tmp_path, 0, first, second, other)
    assert runner._homes == [[first, second], [first, second], [other]]
    tasks = [Task(block, (0, 0), reach=None) for block in range(3)]  # type: ignore[arg-type]
    assert [runner._worker_of(7, task) for task in tasks] == [0, 1, 2]


@pytest.fixture
def runners(monkeypatch: pytest.MonkeyPatch) -> list[RayRunner]:
    """The runners that runs make."""
    pytest.importorskip("ray")
    made: list[RayRunner] = []

    class Noted(RayRunner):
        def __init__(self, setup: Setup, cluster: str) -> None:
            super().__init__(setup, cluster)
            made.append(self)

    monkeypatch.setattr(module, "RayRunner", Noted)
    return made


@pytest.mark.slow
@pytest.mark.parametrize("game", [GAME, "two-cards-short"])
def test_the_same_bits_as_without_ray(game, solve_short, runners):
    first, expected = solve_short("here", game, max_iterations=4, processes=1)
    run, numbers = solve_short("ray", game, max_iterations=4, cluster="local:2")
    assert numbers == expected
    assert run.exploitability == first.exploitability
    assert len(runners) == 1


@pytest.mark.slow
def test_a_run_is_gone_on_with_here_and_there(solve_short, runners):
    _, expected = solve_short("whole", GAME, max_iterations=6, processes=1)
    solve_short("parts", GAME, max_iterations=2, processes=2)
    solve_short("parts", GAME, max_iterations=4, cluster="local:2")
    _, numbers = solve_short("parts", GAME, max_iterations=6, processes=1)
    assert numbers == expected


@pytest.mark.slow
def test_actors_that_are_lost_are_started_again(solve_short, runners):
    ray = pytest.importorskip("ray")
    _, expected = solve_short("whole", GAME, max_iterations=4, processes=1)
    lost: list[Any] = []

    def lose(done: int, blocks: int) -> None:
        runner = runners[-1]
        if done != 2 or len(lost) == 2:
            return
        if not lost:
            lost.append(runner.pids[0])
            os.kill(lost[0], signal.SIGKILL)
        else:
            lost.append(runner._workers[1].actor)
            ray.kill(lost[1], no_restart=False)

    _, numbers = solve_short("lost", GAME, max_iterations=4, cluster="local:2", on_block=lose)
    assert len(lost) == 2
    assert numbers == expected


@pytest.mark.slow
def test_a_machine_that_is_lost_is_done_without_where_the_disk_is_shared(solve_short, runners):
    ray = pytest.importorskip("ray")
    from ray.cluster_utils import Cluster

    _, expected = solve_short("whole", GAME, max_iterations=4, processes=1)
    small = {"num_cpus": 1, "object_store_memory": 80 << 20}
    cluster = Cluster(initialize_head=True, head_node_args={**small, "include_dashboard": False})
    second = cluster.add_node(**small)
    ray.init(address=cluster.address, log_to_driver=False)
    lost: list[int] = []

    def lose(done: int, blocks: int) -> None:
        if done == 2 and not lost:
            lost.append(len({w.machine.node for w in runners[-1]._workers}))
            cluster.remove_node(second, allow_graceful=False)

    try:
        _, numbers = solve_short("lost", GAME, max_iterations=4, cluster="auto", on_block=lose)
    finally:
        ray.shutdown()
        cluster.shutdown()
    assert lost == [2]
    assert numbers == expected


class Bomb:
    """Ends the process that unpacks it."""

    def __reduce__(self) -> tuple[Any, ...]:
        return os._exit, (3,)


@pytest.mark.slow
def test_what_cannot_be_done(solve_short, runners, monkeypatch, tmp_path):
    ray = pytest.importorskip("ray")
    with pytest.raises(BackendError, match=r"No connection .*ray start --head"):
        solve_short("none", GAME, max_iterations=1, cluster="auto")
    solve_short("run", GAME, max_iterations=1, cluster="local:1")
    setup = runners[-1].setup
    monkeypatch.setattr(module, "MOST_LOSSES", 1)
    monkeypatch.setattr(module, "PATIENCE_SECONDS", 0.0)
    ray.init(address="local", num_cpus=1, include_dashboard=False, log_to_driver=False, object_store_memory=80 << 20)
    try:
        with pytest.raises(BackendError, match="write auto instead"):
            RayRunner(setup, "local:1")
        runner = RayRunner(setup, "auto")
        with pytest.raises(TypeError):
            list(runner.run([Task(0, (1, 1), reach=None)]))  # type: ignore[arg-type]
        with pytest.raises(WorkerLostError, match="lost 2 times in a row"):
            list(runner.run([Task(0, (1, 1), reach=(Bomb(), Bomb()), asked=((0, False),))]))  # type: ignore[arg-type]
        runner.close()
        for path in (tmp_path / "run" / "blocks").glob("000001-*"):
            path.unlink()
        with pytest.raises(FileAccessError, match="1 blocks of the run, block 1"):
            RayRunner(setup, "auto")
    finally:
        ray.shutdown()
