"""Processes of this machine: the same bits for any number of them, whatever happens to them."""

from __future__ import annotations

import os
import signal
from typing import Any

import pytest
from processes import gone

from errai.cluster import run as run_module
from errai.cluster.worker import HereRunner, ProcessRunner, Setup, Task, make_runner
from errai.errors import DamagedFileError
from errai.solutions.subjects import subject_document

GAMES = ("rhode-island-short", "two-cards-short")


@pytest.fixture
def runners(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """The runners that runs make."""
    made: list[Any] = []

    def make(setup: Setup, processes: int) -> Any:
        made.append(make_runner(setup, processes))
        return made[-1]

    monkeypatch.setattr(run_module, "make_runner", make)
    return made


@pytest.mark.parametrize(
    ("game", "strategy", "processes"),
    [(GAMES[0], "average", 2), (GAMES[0], "current", 3), (GAMES[1], "average", 3), (GAMES[1], "current", 2)],
)
def test_the_same_bits_for_any_number_of_processes(game, strategy, processes, solve_short, runners):
    first, expected = solve_short("1", game, max_iterations=4, processes=1, strategy=strategy)
    assert first.blocks > 3
    assert isinstance(runners[0], HereRunner)
    run, numbers = solve_short("other", game, max_iterations=4, processes=processes, strategy=strategy)
    assert numbers == expected
    assert run.exploitability == first.exploitability
    assert run.values_chips == first.values_chips
    assert isinstance(runners[-1], ProcessRunner)


def test_a_run_that_is_gone_on_with_ends_in_the_same_bits(solve_short):
    _, expected = solve_short("whole", GAMES[0], max_iterations=6, processes=1)
    for iterations, processes in ((2, 2), (3, 1), (6, 2)):
        _, numbers = solve_short("parts", GAMES[0], max_iterations=iterations, processes=processes)
    assert numbers == expected


def test_processes_that_are_killed_are_replaced(solve_short, runners):
    _, expected = solve_short("whole", GAMES[0], max_iterations=4, processes=1)
    killed: list[int] = []

    def kill(done: int, blocks: int) -> None:
        runner = runners[-1]
        if done == 2 and len(killed) < 3:
            killed.append(runner.pids[len(killed) % 2])
            os.kill(killed[-1], signal.SIGKILL)

    _, numbers = solve_short("killed", GAMES[0], max_iterations=4, processes=2, on_block=kill)
    assert len(set(killed)) == 3
    assert numbers == expected


def test_nothing_is_left_behind(solve_short, runners):
    pids: list[int] = []

    def note(done: int, blocks: int) -> None:
        pids.extend(runners[-1].pids)
        if len(pids) > 20:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        solve_short("stopped", GAMES[0], max_iterations=4, processes=2, on_block=note)
    assert gone(pids, within=0.0)
    solve_short("stopped", GAMES[0], max_iterations=4, processes=2)
    assert gone(runners[-1].pids, within=0.0)


def test_what_a_process_cannot_make_is_said_at_once(tmp_path):
    from errai.games.catalogue import load_game

    # No blocks make up no game: no process gets as far as its first task.
    document, partition = subject_document(load_game("leduc"), None), {"street": 1, "blocks": []}
    runner = ProcessRunner(Setup(str(tmp_path), "run", document, partition, "fixed16", "cpu", True, 0), 1)
    try:
        with pytest.raises(DamagedFileError, match="do not make up the game"):
            list(runner.run([Task(0, (1, 1), reach=None)]))  # type: ignore[arg-type]
    finally:
        runner.close()
    assert gone(runner.pids, within=0.0)


def test_what_is_not_the_fault_of_a_file_is_raised_as_it_is(solve_short, runners):
    solve_short("run", GAMES[0], max_iterations=1, processes=2)
    runner = ProcessRunner(runners[-1].setup, 1)
    try:
        with pytest.raises((TypeError, ValueError)):
            list(runner.run([Task(0, (0, 0), reach=(1, 1), asked=((0, False),))]))  # type: ignore[arg-type]
    finally:
        runner.close()
