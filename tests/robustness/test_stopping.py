"""Stop tokens: a run that is stopped is valid, resumes to the same end, and ends no other run of its process."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from small_subjects import WIDE_TURN

import errai
from errai import StopToken
from errai.cluster import partition
from errai.games.spot import parse_spot
from errai.store.checkpoint import load_checkpoint
from errai.store.container import open_container

SPOT = parse_spot(WIDE_TURN)
LEDUC = errai.load_game("leduc")


def numbers(path: Path) -> dict[str, Any]:
    """All that a run has computed, times left out."""
    checkpoint = load_checkpoint(path)
    curve = [(iteration, chips) for iteration, _, chips in checkpoint.metadata["curve"]]
    arrays = {name: np.asarray(array).tobytes() for name, array in checkpoint.arrays.items()}
    return {"iteration": checkpoint.metadata["iteration"], "curve": curve, "arrays": arrays}


def in_memory(folder: Path, iterations: int, many: int = 2, **settings: Any) -> tuple[str, dict[str, Any]]:
    folder.mkdir(exist_ok=True)
    path = folder / "run.checkpoint"
    found = errai.solve(SPOT, max_iterations=iterations, threads=many, checkpoint=path, **settings)
    assert found.verify().certified
    return found.status, numbers(path)


def in_a_folder(folder: Path, iterations: int, many: int = 2, **settings: Any) -> tuple[str, dict[str, Any]]:
    found = errai.solve(LEDUC, store=folder, max_iterations=iterations, processes=many, **settings)
    state = numbers(folder / "run.errai")
    for path in sorted((folder / "blocks").glob("*.errai")):
        # The arrays alone: each run has a name of its own, drawn at random.
        state[path.name] = {name: a.tobytes() for name, a in open_container(path, "block").arrays.items()}
    assert len(state) > 5 or found.iterations == 0, "several blocks, both players"
    return found.status, state


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(partition, "SMALLEST_BLOCK", 1)
    monkeypatch.setattr(partition, "USUAL_BLOCKS", 5)


Runs = Callable[..., tuple[str, dict[str, Any]]]


@pytest.mark.parametrize(("solve", "iterations"), [(in_memory, 300), (in_a_folder, 8)])
def test_one_of_two_solves_in_a_process_is_stopped_and_the_other_ends_as_if_alone(
    solve: Runs, iterations: int, tmp_path: Path
) -> None:
    _, alone = solve(tmp_path / "alone", iterations, many=1)
    both_run = threading.Barrier(2)
    stop, found = StopToken(), dict[str, tuple[str, dict[str, Any]]]()

    def run(name: str, count: int, **settings: Any) -> None:
        begun: list[int] = []

        def progress(now: Any) -> None:
            if not begun:
                begun.append(now.iteration)
                both_run.wait(60)
            if name == "stopped" and now.iteration > begun[0]:
                stop.set()

        found[name] = solve(tmp_path / name, count, progress=progress, **settings)

    threads = [
        threading.Thread(target=run, args=("stopped", 10**6), kwargs={"stop": stop}),
        threading.Thread(target=run, args=("other", iterations)),
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(120)
    assert found["other"] == ("iteration limit", alone)
    status, state = found["stopped"]
    assert status == "interrupted"
    assert 0 < state["iteration"] < 10**6
    # What was stopped goes on, and ends where one run would have.
    if state["iteration"] < iterations:
        assert solve(tmp_path / "stopped", iterations, many=1) == ("iteration limit", alone)


@pytest.mark.parametrize(("solve", "iterations"), [(in_memory, 300), (in_a_folder, 4)])
def test_a_token_that_is_set_before_leaves_a_run_that_can_be_gone_on_with(
    solve: Runs, iterations: int, tmp_path: Path
) -> None:
    stop = StopToken()
    stop.set()
    status, state = solve(tmp_path / "stopped", iterations, stop=stop)
    assert (status, state["iteration"]) == ("interrupted", 0)
    _, alone = solve(tmp_path / "alone", iterations, many=1)
    assert solve(tmp_path / "stopped", iterations) == ("iteration limit", alone)


@pytest.mark.parametrize("method", ["pcs", "es", "full"])
def test_a_training_that_is_stopped_ends_in_the_same_bytes(method: str, tmp_path: Path) -> None:
    def train(name: str, **settings: Any) -> errai.Blueprint:
        path = tmp_path / f"{name}.checkpoint"
        return errai.train(LEDUC, "by-strength:3", method, max_iterations=40, checkpoint=path, **settings)

    stop = StopToken()
    stop.set()
    before = train("before", stop=stop)
    assert (before.facts["status"], before.facts["iterations"]) == ("interrupted", 0)
    stop = StopToken()
    first = train("part", stop=stop, progress=lambda now: stop.set())
    assert first.facts["status"] == "interrupted"
    assert 0 < first.facts["iterations"] < 40
    train("whole")
    for name in ("before", "part"):
        assert train(name).facts["status"] == "iteration limit"
        assert numbers(tmp_path / f"{name}.checkpoint") == numbers(tmp_path / "whole.checkpoint")
