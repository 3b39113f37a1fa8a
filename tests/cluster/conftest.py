"""Short games, runs of them in folders, and all results of a run."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from small_subjects import subject

import errai
from errai.cluster import partition
from errai.cluster.folder import RunFolder
from errai.cluster.run import StoredRun, StoreEvents
from errai.store.checkpoint import load_checkpoint
from errai.store.container import open_container


def run_numbers(folder: Path) -> dict[str, Any]:
    """All arrays of a run by file; its name and times, which differ from run to run, are left out."""
    checkpoint = load_checkpoint(folder / "run.errai")
    found: dict[str, Any] = {"iteration": checkpoint.metadata["iteration"]}
    found["curve"] = [(iteration, chips) for iteration, _, chips in checkpoint.metadata["curve"]]
    found |= {name: array.tobytes() for name, array in checkpoint.arrays.items()}
    for path in sorted((folder / "blocks").glob("*.errai")):
        found |= {f"{path.name}/{n}": a.tobytes() for n, a in open_container(path, "block").arrays.items()}
    return found


@pytest.fixture
def solve_short(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Callable[..., tuple[StoredRun, dict[str, Any]]]:
    """(folder's name, game, options) -> a run in several blocks, and its numbers."""
    monkeypatch.setattr(partition, "SMALLEST_BLOCK", 1)
    monkeypatch.setattr(partition, "USUAL_BLOCKS", 5)

    def solve(folder: str, game: str, **options: Any) -> tuple[StoredRun, dict[str, Any]]:
        told = {name: options.pop(name) for name in ("on_layout", "on_block", "on_repair") if name in options}
        events = StoreEvents(**told) if told else None
        run = errai.solve(subject(game), store=tmp_path / folder, events=events, **options)
        leftovers = {p.name for p in RunFolder(tmp_path / folder).path.rglob("*.partial")}
        assert not leftovers
        return run, run_numbers(tmp_path / folder)

    return solve
