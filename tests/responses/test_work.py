"""Processes, checkpoints and samples."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import errai
from errai.errors import DamagedFileError, ForeignFileError, MismatchError
from errai.responses import work as work_module
from errai.responses.response import best_response, draw_units, estimate
from errai.responses.work import ResponseTask, Results, work
from errai.running.stopping import StopToken
from errai.store.checkpoint import load_checkpoint, save_checkpoint

GAME = errai.load_game("rhode-island")


def test_results_do_not_depend_on_the_number_of_processes(monkeypatch) -> None:
    alone = best_response(GAME, "by-strength", processes=1)
    monkeypatch.setattr(work_module, "BOARDS_WORTH_PROCESSES", 0)
    seen = []
    shared = best_response(GAME, "by-strength", processes=2, progress=seen.append)
    assert shared.by_seat_chips == alone.by_seat_chips
    assert [p.done for p in seen] == list(range(1, 14))
    assert all(p.total == 13 and p.seconds >= 0 for p in seen)


def test_a_process_that_fails_says_so(monkeypatch) -> None:
    monkeypatch.setattr(work_module, "BOARDS_WORTH_PROCESSES", 0)
    results = Results(ResponseTask(GAME, errai.strategies.blind.Uniform()))
    with pytest.raises(IndexError):
        work(results, [0, 99], processes=2)


def stop_after(count: int) -> dict[str, Any]:
    """Settings of a run that is stopped after some boards."""

    def progress(p) -> None:
        if p.fresh == count:
            stop.set()

    stop = StopToken()
    return {"stop": stop, "progress": progress}


@pytest.mark.parametrize("processes", [1, 2])
def test_interrupted_and_resumed(tmp_path, monkeypatch, processes) -> None:
    monkeypatch.setattr(work_module, "BOARDS_WORTH_PROCESSES", 0)
    path = tmp_path / "run.checkpoint"
    whole = best_response(GAME, "call=0.5,raise=0.5", processes=1)
    first = best_response(GAME, "call=0.5,raise=0.5", processes=processes, checkpoint=path, **stop_after(4))
    assert first.status == "interrupted"
    assert first.exploitability is None
    assert first.by_seat_mbb is None
    assert first.boards_done == 4
    assert len(load_checkpoint(path).arrays["units"]) == 4
    seen = []
    second = best_response(
        GAME, "call=0.5,raise=0.5", processes=processes, checkpoint=path, resume=True, progress=seen.append
    )
    assert len(seen) == 9
    assert second.by_seat_chips == whole.by_seat_chips
    assert second.seconds >= first.seconds
    # What is finished is not done again, and a sample takes what it needs from it.
    third = best_response(GAME, "call=0.5,raise=0.5", flops=20, checkpoint=path, resume=True, progress=seen.append)
    assert len(seen) == 9
    assert third.exploitability is not None


def test_checkpoints_of_other_runs(tmp_path) -> None:
    path = tmp_path / "run.checkpoint"
    best_response(GAME, "always-call", processes=1, checkpoint=path)
    for game, strategy, options in (
        (GAME, "always-fold", {}),
        (GAME, "always-call", {"general": True}),
        (errai.load_game("leduc"), "always-call", {}),
    ):
        with pytest.raises(MismatchError, match="another run"):
            best_response(game, strategy, processes=1, checkpoint=path, resume=True, **options)


@pytest.mark.parametrize("harm", ["missing", "shape", "twice", "outside", "nan", "type", "seconds", "bytes", "foreign"])
def test_damaged_checkpoints(tmp_path, harm) -> None:
    path = tmp_path / "run.checkpoint"
    best_response(GAME, "always-call", processes=1, checkpoint=path, **stop_after(3))
    kept = load_checkpoint(path)
    arrays, metadata = dict(kept.arrays), dict(kept.metadata)
    if harm == "missing":
        del arrays["values/1"]
    elif harm == "shape":
        arrays["values/0"] = arrays["values/0"][:, :, 1:]
    elif harm == "twice":
        arrays["units"][1] = arrays["units"][0]
    elif harm == "outside":
        arrays["units"][1] = 13
    elif harm == "nan":
        arrays["values/0"][0, 0, 0] = np.nan
    elif harm == "type":
        arrays["values/0"] = arrays["values/0"].astype(np.float32)
    elif harm == "seconds":
        metadata["seconds"] = "long"
    save_checkpoint(path, metadata, arrays, keep_previous=False)
    if harm == "bytes":
        path.write_bytes(path.read_bytes()[:-3])
    elif harm == "foreign":
        path.write_text("poker")
    for previous in tmp_path.glob("*.previous"):
        previous.unlink()
    with pytest.raises(ForeignFileError if harm == "foreign" else DamagedFileError):
        best_response(GAME, "always-call", processes=1, checkpoint=path, resume=True)


# --- samples ------------------------------------------------------------------------------------------------------


def test_draws_are_in_proportion_to_real_boards() -> None:
    multiplicity = np.array([4, 12, 24, 12])
    draws = draw_units(multiplicity, 20_000, seed=3)
    assert draws == draw_units(multiplicity, 20_000, seed=3)
    assert np.bincount(draws) / 20_000 == pytest.approx(multiplicity / 52, abs=0.01)


def test_estimates_are_biased_as_said_and_intervals_cover() -> None:
    task = ResponseTask(GAME, errai.strategies.given.read_strategy("by-strength", GAME))
    assert task.units is not None
    values = {unit: task.values(unit) for unit in range(len(task.units))}
    exact = best_response(GAME, "by-strength", processes=1).exploitability.chips
    crossed, plugged_in, covered = [], [], 0
    runs = 120
    for seed in range(runs):
        sample = estimate(task, draw_units(task.units.multiplicity, 12, seed), values)
        crossed.append(sum(sample.crossed) / 2)
        plugged_in.append(sum(sample.plugged_in) / 2)
        covered += sample.interval[0] <= exact <= sample.interval[1]
    assert np.mean(crossed) < exact < np.mean(plugged_in)
    assert covered / runs > 0.9
