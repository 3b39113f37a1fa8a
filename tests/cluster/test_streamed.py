"""Runs in a folder: partitioned and streamed, a game has the strategy and exploitability of the solve in memory."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from small_subjects import subject

import errai
from errai.cluster import partition
from errai.cluster.folder import RunFolder
from errai.cluster.run import StoredRun
from errai.engine.loop import Solver
from errai.engine.schedules import find_schedule
from errai.engine.units import Exploitability
from errai.errors import (
    DamagedFileError,
    DiskSpaceError,
    FileAccessError,
    MismatchError,
    RunInUseError,
    SolverOptionError,
    TargetError,
)
from errai.options import DEFAULT_IN_STORE
from errai.tree.public_tree import build_public_tree


@pytest.fixture
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Blocks of a few lines and boards, whatever the memory."""
    monkeypatch.setattr(partition, "SMALLEST_BLOCK", 1)
    monkeypatch.setattr(partition, "USUAL_BLOCKS", 3)


def solve(name: str, folder: Path, **settings: Any) -> StoredRun:
    return errai.solve(subject(name), store=folder, processes=1, **settings)


def in_memory(name: str, precision: str, iterations: int, algorithm: str = DEFAULT_IN_STORE) -> Solver:
    solver = Solver(build_public_tree(subject(name)), find_schedule(algorithm), precision=precision)
    solver.iterate(iterations)
    return solver


CUTS = [
    ("leduc", 1), ("leduc.nolimit", 1), ("rhode-island-short", 1), ("rhode-island-short", 2),
    ("two-cards-four-bets", 1), ("turn", 1),
]  # fmt: skip


@pytest.mark.parametrize(("name", "street"), CUTS)
@pytest.mark.usefixtures("small_blocks")
def test_in_float64_it_is_the_solve_in_memory(
    name: str, street: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(partition, "USUAL_BLOCKS", 10)
    found = solve(name, tmp_path / "run", max_iterations=8, precision="float64", cut=street)
    solver = in_memory(name, "float64", 8)
    expected = solver.measure()
    pot = expected.units.initial_pot_chips
    assert found.blocks > 3
    assert found.exploitability.chips == pytest.approx(expected.chips, abs=1e-9 * pot)
    assert found.exploitability.by_player == pytest.approx(expected.by_player, abs=1e-9 * pot)
    assert sum(found.values_chips) == pytest.approx(pot if name == "turn" else 0.0, abs=1e-9 * pot)


@pytest.mark.parametrize("algorithm", ["cfr", "cfr+", "linear", "dcfr", "dcfr4", "dcfr-foresight"])
def test_every_schedule_without_prediction_runs(algorithm: str, tmp_path: Path) -> None:
    found = solve("leduc", tmp_path / "run", max_iterations=20, precision="float64", algorithm=algorithm)
    expected = in_memory("leduc", "float64", 20, algorithm).measure()
    assert found.exploitability.chips == pytest.approx(expected.chips, abs=1e-9)


@pytest.mark.parametrize(("name", "street"), [("rhode-island-short", 1), ("two-cards-four-bets", 1)])
@pytest.mark.usefixtures("small_blocks")
def test_in_16_bits_it_converges_as_in_memory(name: str, street: int, tmp_path: Path) -> None:
    found = solve(name, tmp_path / "run", max_iterations=60, precision="fixed16", cut=street)
    expected = in_memory(name, "fixed16", 60).measure()
    assert found.exploitability.pot_percent == pytest.approx(expected.pot_percent, rel=0.3, abs=0.02)


def arrays_of(folder: Path, iteration: int) -> dict[str, bytes]:
    """All files of the newest iteration but for the name of the run, which is drawn."""
    place = RunFolder(folder)
    from errai.store.container import open_container

    found = {}
    for path in [place.checkpoint, *sorted((folder / "blocks").glob(f"*-{iteration:08d}.errai"))]:
        container = open_container(path)
        found |= {f"{path.name}/{name}": container.arrays[name].tobytes() for name in container.arrays}
    return found


@pytest.mark.usefixtures("small_blocks")
def test_a_run_that_is_gone_on_with_is_the_run_that_never_stopped(tmp_path: Path) -> None:
    whole = solve("rhode-island-short", tmp_path / "whole", max_iterations=23)
    for iterations in (1, 2, 9, 23):
        parts = solve("rhode-island-short", tmp_path / "parts", max_iterations=iterations)
    assert parts.exploitability == whole.exploitability
    assert [c[::2] for c in parts.curve] == [c[::2] for c in whole.curve]
    assert arrays_of(tmp_path / "parts", 23) == arrays_of(tmp_path / "whole", 23)
    # The last iteration, and the one that damaged files are made again from.
    kept = {p.name.rsplit("-", 1)[1] for p in (tmp_path / "parts" / "blocks").iterdir()}
    assert kept == {"00000022.errai", "00000023.errai"}


@pytest.mark.usefixtures("small_blocks")
def test_the_target_is_met_in_float64(tmp_path: Path) -> None:
    found = solve("rhode-island-short", tmp_path / "run", target="0.5%pot")
    assert found.status == "target met"
    assert found.exploitability.pot_percent <= 0.5
    again = solve("rhode-island-short", tmp_path / "run", target="0.5%pot")
    assert again.iterations == found.iterations
    assert again.exploitability == found.exploitability


def test_without_averages_the_current_strategy_is_the_result(tmp_path: Path) -> None:
    game = "rhode-island-short"
    found = solve(game, tmp_path / "run", max_iterations=30, precision="float64", strategy="current")
    solver = Solver(
        build_public_tree(subject(game)),
        find_schedule(DEFAULT_IN_STORE),
        precision="float64",
        strategy="current",
    )
    solver.iterate(30)
    assert found.exploitability.chips == pytest.approx(solver.measure().chips, abs=1e-8)
    with_averages = solve(game, tmp_path / "other", max_iterations=30, precision="float64")
    assert found.stored_bytes < 0.7 * with_averages.stored_bytes


# --- damage ---------------------------------------------------------------------------------------------------------


def flip(path: Path, at: float) -> None:
    data = bytearray(path.read_bytes())
    data[int(at * len(data))] ^= 0x10
    path.write_bytes(data)


def truncate(path: Path) -> None:
    os.truncate(path, path.stat().st_size // 2)


HURT = {
    "flipped": lambda path: flip(path, 0.7),
    "flipped header": lambda path: flip(path, 0.01),
    "cut short": truncate,
    "gone": Path.unlink,
    "empty": lambda path: os.truncate(path, 0),
}


@pytest.fixture(scope="module")
def halfway(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Exploitability, dict[str, bytes]]:
    """A run of five iterations, and what it is after eight."""
    folder = tmp_path_factory.mktemp("runs")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(partition, "SMALLEST_BLOCK", 1)
        patch.setattr(partition, "USUAL_BLOCKS", 3)
        solve("rhode-island-short", folder / "run", max_iterations=5)
        whole = solve("rhode-island-short", folder / "whole", max_iterations=8)
    return folder / "run", whole.exploitability, arrays_of(folder / "whole", 8)


@pytest.fixture
def broken(halfway: tuple[Path, Any, Any], tmp_path: Path) -> RunFolder:
    """A copy of the run, to be damaged."""
    return RunFolder(shutil.copytree(halfway[0], tmp_path / "run"))


def goes_on(broken: RunFolder, halfway: tuple[Path, Exploitability, dict[str, bytes]]) -> list[str]:
    """Continue a run to the end that it has without damage; return what was repaired."""
    found = solve("rhode-island-short", broken.path, max_iterations=8)
    assert (found.exploitability, arrays_of(broken.path, 8)) == halfway[1:]
    return list(found.repairs)


@pytest.mark.parametrize("player", [0, 1])
@pytest.mark.parametrize("hurt", HURT)
def test_a_damaged_block_is_made_again(hurt: str, player: int, broken: RunFolder, halfway: Any) -> None:
    HURT[hurt](broken.block(2, player, 5))
    (repaired,) = goes_on(broken, halfway)
    assert "Recomputing it" in repaired


def test_both_files_of_a_block_are_made_again(broken: RunFolder, halfway: Any) -> None:
    for player in (0, 1):
        truncate(broken.block(2, player, 5))
    assert len(goes_on(broken, halfway)) == 2


def test_what_cannot_be_made_again_is_an_error(broken: RunFolder) -> None:
    for iteration in (4, 5):
        truncate(broken.block(2, 0, iteration))
    with pytest.raises((DamagedFileError, FileAccessError)):
        solve("rhode-island-short", broken.path, max_iterations=8)


def test_a_damaged_checkpoint_costs_an_iteration_and_no_bit(broken: RunFolder, halfway: Any) -> None:
    flip(broken.checkpoint, 0.9)
    goes_on(broken, halfway)


def test_a_block_of_another_run_is_noticed(tmp_path: Path) -> None:
    for name in ("one", "two"):
        solve("leduc", tmp_path / name, max_iterations=3)
    place, other = RunFolder(tmp_path / "one"), RunFolder(tmp_path / "two")
    place.block(0, 0, 3).write_bytes(other.block(0, 0, 3).read_bytes())
    found = solve("leduc", tmp_path / "one", max_iterations=4)
    assert "another block: its run" in found.repairs[0]


# --- what is refused ------------------------------------------------------------------------------------------------


def test_a_folder_knows_its_run(tmp_path: Path) -> None:
    solve("leduc", tmp_path / "run", max_iterations=2)
    with pytest.raises(MismatchError, match="another game"):
        solve("leduc.nolimit", tmp_path / "run", max_iterations=2)
    with pytest.raises(MismatchError, match="schedule"):
        solve("leduc", tmp_path / "run", max_iterations=2, algorithm="cfr+")
    with pytest.raises(MismatchError, match="keeps averages"):
        solve("leduc", tmp_path / "run", max_iterations=2, strategy="current")


def test_a_disk_that_is_too_small_is_noticed_before_anything_is_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(partition, "DISK_SHARE", 1e15)
    with pytest.raises(DiskSpaceError, match="PiB of disk"):
        solve("leduc", tmp_path / "deep" / "run", max_iterations=2)
    assert not (tmp_path / "deep").exists()


def test_two_runs_in_one_folder_are_refused(tmp_path: Path) -> None:
    solve("leduc", tmp_path / "run", max_iterations=2)
    with RunFolder(tmp_path / "run").locked(), pytest.raises(RunInUseError, match="Another process"):
        solve("leduc", tmp_path / "run", max_iterations=3)
    assert solve("leduc", tmp_path / "run", max_iterations=3).iterations == 3


def test_nothing_is_made_for_what_is_refused(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    with pytest.raises(SolverOptionError, match="prediction"):
        solve("leduc", folder, algorithm="pcfr+")
    with pytest.raises(SolverOptionError, match="choose the precision fixed16"):
        solve("leduc", folder, precision="average8")
    with pytest.raises(SolverOptionError, match="one street"):
        solve("kuhn", folder)
    with pytest.raises(SolverOptionError, match="can be cut"):
        solve("leduc", folder, cut=4)
    with pytest.raises(TargetError):
        solve("leduc", folder, target="1")
    assert not folder.exists()
    folder.mkdir()
    (folder / "thesis.txt").write_text("do not lose this")
    with pytest.raises(FileAccessError, match="other files"):
        solve("leduc", folder, max_iterations=2)


def test_leaf_values_are_those_of_the_held_strategies(tmp_path: Path) -> None:
    found = solve("leduc", tmp_path / "run", max_iterations=200, precision="float64")
    assert found.values_chips[0] == pytest.approx(-0.0856, abs=0.01)
    assert np.isfinite(found.values_chips).all()
