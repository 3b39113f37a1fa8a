"""A solve that is killed at random moments: the checkpoint always opens, and the run ends with the same result."""

from __future__ import annotations

import os
import random
import signal
import time
from pathlib import Path

import numpy as np
import pytest
from forked import ForkServer
from small_subjects import WIDE_TURN

import errai
from errai.errors import DamagedFileError, MismatchError
from errai.games.spot import parse_spot
from errai.store.checkpoint import load_checkpoint, previous_path, save_checkpoint
from errai.store.container import open_container

THREADS = 2

PROGRAM = f"""
import sys
import errai
from errai.cli.signals import stopped_by_signals
from errai.games.spot import parse_spot

checkpoint, output, every, options = sys.argv[1], sys.argv[2], float(sys.argv[3]), eval(sys.argv[4])
said = []


def progress(p):
    if not said:
        print("running", flush=True)
        said.append(True)


spot = parse_spot({WIDE_TURN!r})
with stopped_by_signals() as stop:
    options |= dict(threads={THREADS}, stop=stop, progress=progress)
    solution = errai.solve(spot, checkpoint=checkpoint, checkpoint_seconds=every, **options)
solution.save(output)
print(solution.status, flush=True)
"""

WHOLE_RUNS = {
    "target": {"target": "0.01%pot"},
    "iterations": {"max_iterations": 600},
    "fixed16": {"max_iterations": 600, "precision": "fixed16"},
}
LONGEST = 120.0


SERVER = ForkServer("errai.cli.signals", "errai.kernels.cpu", "errai.solving.solve", "errai.solutions.artefact")
teardown_module = SERVER.close


class Run:
    """One process that solves, with its files."""

    def __init__(self, folder: Path, options: dict, every: float = 0.05) -> None:
        self.checkpoint, self.output = folder / "run.checkpoint", folder / "run.errai"
        arguments = [str(self.checkpoint), str(self.output), str(every), repr(options)]
        self.process = SERVER.start(PROGRAM, arguments)

    def wait_until_it_runs(self) -> bool:
        """Whether it iterates; a run that had ended when it was killed says how it ended at once."""
        line = self.process.stdout.readline()
        assert line, self.finish()
        return line == "running\n"

    def finish(self) -> str:
        """Let it end; the status that it printed, if it was not read yet."""
        out, err = self.process.communicate(timeout=LONGEST)
        assert self.process.returncode == 0, err
        assert not err, err
        return out.removeprefix("running\n").strip()

    def kill(self) -> bool:
        """Kill it; False if it had ended already."""
        self.process.kill()
        self.process.communicate()
        return self.process.returncode == -signal.SIGKILL

    def saving(self) -> bool:
        """Whether the next checkpoint is being written at this moment."""
        return any(self.checkpoint.parent.glob(f".{self.checkpoint.name}.*.partial"))


def numbers(folder: Path) -> tuple:
    """All that a finished run computed; only its times may differ from another run's."""
    solution = open_container(folder / "run.errai", "solution")
    checkpoint = load_checkpoint(folder / "run.checkpoint")
    curves = [
        [(iteration, chips) for iteration, _, chips in document["curve"]]
        for document in (solution.metadata, checkpoint.metadata)
    ]
    arrays = [
        (name, array.tobytes())
        for document in (solution, checkpoint)
        for name, array in sorted(document.arrays.items())
    ]
    facts = [solution.metadata[key] for key in ("certificate", "iterations", "status")]
    return curves, facts, checkpoint.metadata["iteration"], arrays


@pytest.fixture(scope="module", params=["target", pytest.param("iterations", marks=pytest.mark.slow), "fixed16"])
def whole(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[dict, tuple]:
    """Settings, and the result of an uninterrupted run with them."""
    folder = tmp_path_factory.mktemp("whole")
    options = WHOLE_RUNS[request.param]
    with SERVER.anew():
        Run(folder, options).finish()
    return options, numbers(folder)


def kill_and_resume(folder: Path, options: dict, kills: int, dice: random.Random) -> tuple[int, int]:
    """Kill a run repeatedly, each time resuming from its checkpoint, then let it end.

    Returns how many times it was killed, and how many of these while it was writing a checkpoint.
    """
    killed = saving = before = 0
    while killed < kills:
        run = Run(folder, options)
        if not run.wait_until_it_runs():
            run.finish()
            break
        aims_at_a_save = dice.random() < 0.5
        deadline = time.monotonic() + dice.uniform(0.0, 0.4)
        while time.monotonic() < deadline:
            time.sleep(0.0005)
        while aims_at_a_save and not run.saving() and run.process.poll() is None:
            pass
        was_saving = run.saving()
        if not run.kill():
            break  # it was faster
        killed += 1
        saving += was_saving
        if run.checkpoint.exists():
            iteration = load_checkpoint(run.checkpoint).metadata["iteration"]
            assert iteration >= before
            before = iteration
            assert load_checkpoint(run.checkpoint).fallback_reason is None
    Run(folder, options).finish()
    return killed, saving


@pytest.mark.parametrize(("kills", "seed"), [(3, 1), pytest.param(50, 2, marks=pytest.mark.slow)])
def test_killed_again_and_again(whole, tmp_path, kills, seed):
    options, expected = whole
    dice = random.Random(seed)
    killed = saving = chain = 0
    while killed < kills:
        chain += 1
        (tmp_path / str(chain)).mkdir()
        more, at_saves = kill_and_resume(tmp_path / str(chain), options, min(kills - killed, dice.randint(1, 6)), dice)
        killed, saving = killed + more, saving + at_saves
        assert numbers(tmp_path / str(chain)) == expected
    print(f"{killed} kills, {saving} of them during a save, {chain} runs")


# --- stopping politely -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP], ids=lambda n: n.name)
def test_a_signal_leaves_a_valid_result_that_can_be_resumed(number, whole, tmp_path):
    options, expected = whole
    run = Run(tmp_path, options, every=60.0)
    assert run.wait_until_it_runs()
    time.sleep(0.1)
    os.kill(run.process.pid, number)
    assert run.finish() == "interrupted"
    solution = errai.load_solution(run.output)
    assert solution.status == "interrupted"
    assert solution.verify().certified
    assert solution.iterations == load_checkpoint(run.checkpoint).metadata["iteration"]
    Run(tmp_path, options).finish()
    assert numbers(tmp_path) == expected


def test_a_finished_run_is_resumed_to_its_end_and_not_past_it(whole, tmp_path):
    options, expected = whole
    for _ in range(2):
        Run(tmp_path, options).finish()
        assert numbers(tmp_path) == expected


# --- what cannot be resumed, and what stands in for a damaged file --------------------------------------------------

SMALL = {"max_iterations": 20, "threads": 1}


@pytest.fixture
def small(tmp_path: Path) -> Path:
    """The checkpoint of 20 iterations of Leduc."""
    path = tmp_path / "leduc.checkpoint"
    errai.solve(errai.load_game("leduc"), checkpoint=path, **SMALL)
    return path


@pytest.mark.parametrize(
    "other",
    [
        {"algorithm": "cfr+"},
        {"updates": "simultaneous"},
        {"precision": "float32"},
        {"precision": "fixed16"},
        {"backend": "reference"},
        {"game": "kuhn"},
    ],
    ids=lambda other: "-".join(next(iter(other.items()))),
)
def test_other_settings_are_refused(small, other):
    before = small.read_bytes()
    game = errai.load_game(other.pop("game", "leduc"))
    with pytest.raises(MismatchError):
        errai.solve(game, checkpoint=small, **{**SMALL, **other})
    assert small.read_bytes() == before


def test_a_run_that_goes_on_keeps_its_precision(tmp_path):
    """The precision of auto depends on the target and on free memory; that must not change a resumed run."""
    game, path = errai.load_game("leduc"), tmp_path / "leduc.checkpoint"
    errai.solve(game, checkpoint=path, precision="fixed16", **SMALL)
    assert load_checkpoint(path).metadata["precision"] == "fixed16"
    assert load_checkpoint(path).metadata["schedule"]["weighted"] is False
    assert {str(array.dtype) for array in load_checkpoint(path).arrays.values()} == {"int16", "uint16", "float32"}
    for precision in ("float32", "float64"):
        with pytest.raises(MismatchError, match=f"its precision is 'fixed16', not '{precision}'|its schedule is"):
            errai.solve(game, checkpoint=path, precision=precision, max_iterations=60, threads=1)
    for other in ({"algorithm": "pcfr+"}, {"updates": "simultaneous"}):
        with pytest.raises(MismatchError, match="its schedule is"):
            errai.solve(game, checkpoint=path, max_iterations=60, threads=1, **other)
    resumed = errai.solve(game, checkpoint=path, max_iterations=60, threads=1)
    whole = errai.solve(game, precision="fixed16", max_iterations=60, threads=1)
    assert resumed.settings["precision"] == "fixed16"
    assert resumed.exploitability == whole.exploitability
    for mine, theirs in zip(resumed.strategy, whole.strategy, strict=True):
        for a, b in zip(mine, theirs, strict=True):
            np.testing.assert_array_equal(a, b)


def test_the_precision_is_read_from_the_checkpoint_before_where_the_newest_is_damaged(tmp_path):
    game, path = errai.load_game("leduc"), tmp_path / "leduc.checkpoint"
    for count in (20, 40):
        errai.solve(game, checkpoint=path, precision="fixed16", max_iterations=count, threads=1)
    path.write_bytes(path.read_bytes()[:100])
    resumed = errai.solve(game, checkpoint=path, max_iterations=60, threads=1)
    assert resumed.settings["precision"] == "fixed16"


@pytest.mark.parametrize("precision", [None, 16, "float16", "auto"])
def test_a_checkpoint_that_does_not_say_its_precision_is_damaged(small, precision):
    checkpoint = load_checkpoint(small)
    metadata = {**checkpoint.metadata, "precision": precision}
    small.unlink()
    save_checkpoint(small, metadata, checkpoint.arrays, keep_previous=False)
    with pytest.raises(DamagedFileError, match="in which precision"):
        errai.solve(errai.load_game("leduc"), checkpoint=small, **SMALL)


def test_a_run_that_stalled_is_resumed_to_its_end_and_not_past_it(tmp_path):
    game, path = errai.load_game("leduc"), tmp_path / "leduc.checkpoint"
    first = errai.solve(game, "0.01mbb", precision="fixed16", checkpoint=path, threads=1)
    again = errai.solve(game, "0.01mbb", checkpoint=path, threads=1)
    assert first.status == again.status == "precision limit"
    assert again.iterations == first.iterations
    assert again.exploitability == first.exploitability
    # Without the target it goes on.
    more = errai.solve(game, max_iterations=first.iterations + 5, checkpoint=path, threads=1)
    assert (more.status, more.iterations) == ("iteration limit", first.iterations + 5)


def test_another_menu_and_another_spot_are_refused(tmp_path):
    game = errai.load_game("leduc.nolimit")
    errai.solve(game, checkpoint=tmp_path / "a", menu="50%, a", **SMALL)
    with pytest.raises(MismatchError, match="menu"):
        errai.solve(game, checkpoint=tmp_path / "a", menu="75%, a", **SMALL)
    river = WIDE_TURN.replace("8d", "8d 3s")
    errai.solve(parse_spot(river), checkpoint=tmp_path / "b", **SMALL)
    with pytest.raises(MismatchError):
        errai.solve(parse_spot(river.replace("250", "260")), checkpoint=tmp_path / "b", **SMALL)


def test_a_checkpoint_is_not_overwritten_when_resuming_was_ruled_out(small):
    with pytest.raises(MismatchError):
        errai.solve(errai.load_game("leduc"), checkpoint=small, resume=False, **SMALL)


def test_a_damaged_checkpoint_falls_back_to_the_one_before(small):
    game = errai.load_game("leduc")
    errai.solve(game, checkpoint=small, max_iterations=40, threads=1)
    whole = errai.solve(game, max_iterations=60, threads=1)
    assert load_checkpoint(previous_path(small)).metadata["iteration"] == 20
    data = bytearray(small.read_bytes())
    data[len(data) // 2] ^= 1
    small.write_bytes(data)
    assert load_checkpoint(small).fallback_reason is not None
    resumed = errai.solve(game, checkpoint=small, max_iterations=60, threads=1)
    assert resumed.exploitability == whole.exploitability
    np.testing.assert_array_equal(resumed.strategy[1][0], whole.strategy[1][0])


def test_damaged_twice_is_an_error(small):
    errai.solve(errai.load_game("leduc"), checkpoint=small, max_iterations=40, threads=1)
    for path in (small, previous_path(small)):
        path.write_bytes(path.read_bytes()[:-1])
    with pytest.raises(DamagedFileError):
        errai.solve(errai.load_game("leduc"), checkpoint=small, max_iterations=60, threads=1)
