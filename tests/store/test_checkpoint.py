from __future__ import annotations

import os
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

from errai.errors import DamagedFileError, FileAccessError, ForeignFileError, InputError
from errai.store.atomic import atomic_file, remove_leftovers
from errai.store.checkpoint import (
    load_checkpoint,
    newest_container,
    previous_path,
    restore_previous,
    save_checkpoint,
)
from errai.store.container import ArrayStream, write_container


def save(path, iteration: int, **options) -> None:
    save_checkpoint(path, {"iteration": iteration}, {"regret": np.full(50, float(iteration))}, **options)


def spoil(path) -> None:
    data = bytearray(path.read_bytes())
    data[-1] ^= 255
    # A new file: the previous checkpoint may be another name of the old one.
    path.unlink()
    path.write_bytes(data)


def test_newest_comes_back_writable(tmp_path):
    path = tmp_path / "run.checkpoint"
    for iteration in range(3):
        save(path, iteration)
    checkpoint = load_checkpoint(path)
    assert checkpoint.metadata == {"iteration": 2}
    assert checkpoint.path == path
    assert checkpoint.fallback_reason is None
    checkpoint.arrays["regret"] += 1
    np.testing.assert_array_equal(checkpoint.arrays["regret"], np.full(50, 3.0))
    assert load_checkpoint(previous_path(path)).metadata == {"iteration": 1}
    assert sorted(os.listdir(tmp_path)) == ["run.checkpoint", "run.checkpoint.previous"]


def test_previous_can_be_left_out(tmp_path):
    path = tmp_path / "run.checkpoint"
    for iteration in range(3):
        save(path, iteration, keep_previous=False)
    assert os.listdir(tmp_path) == ["run.checkpoint"]


def test_damaged_newest_falls_back_and_says_so(tmp_path):
    path = tmp_path / "run.checkpoint"
    save(path, 1)
    save(path, 2)
    spoil(path)
    checkpoint = load_checkpoint(path)
    assert checkpoint.metadata == {"iteration": 1}
    assert checkpoint.path == previous_path(path)
    assert "damaged" in checkpoint.fallback_reason
    path.write_bytes(b"")
    assert load_checkpoint(path).metadata == {"iteration": 1}
    spoil(previous_path(path))
    with pytest.raises(DamagedFileError):
        load_checkpoint(path)


def test_metadata_alone(tmp_path):
    path = tmp_path / "run"
    save(path, 1)
    save(path, 2)
    assert newest_container(path).metadata == load_checkpoint(path).metadata
    path.write_bytes(path.read_bytes()[:-1])
    assert newest_container(path).metadata["iteration"] == 1
    previous_path(path).unlink()
    with pytest.raises(DamagedFileError):
        newest_container(path)
    path.unlink()
    with pytest.raises(FileAccessError):
        newest_container(path)


def test_damaged_alone_is_an_error(tmp_path):
    path = tmp_path / "run.checkpoint"
    save(path, 1)
    spoil(path)
    with pytest.raises(DamagedFileError):
        load_checkpoint(path)


def test_what_is_no_checkpoint(tmp_path):
    with pytest.raises(FileAccessError, match="does not exist"):
        load_checkpoint(tmp_path / "missing")
    write_container(tmp_path / "a", "solution", {}, {})
    with pytest.raises(ForeignFileError, match="of the kind 'solution'; a file of the kind 'checkpoint'"):
        load_checkpoint(tmp_path / "a")


def test_failed_save_changes_neither(tmp_path):
    path = tmp_path / "run.checkpoint"
    save(path, 1)
    save(path, 2)
    with pytest.raises(InputError):
        save_checkpoint(path, {}, {"a": ArrayStream("int8", (3,), [])})
    assert load_checkpoint(path).metadata == {"iteration": 2}
    assert load_checkpoint(previous_path(path)).metadata == {"iteration": 1}


def test_leftover_of_a_killed_run_is_ignored_and_removed(tmp_path):
    path = tmp_path / "run.checkpoint"
    save(path, 1)
    leftover = tmp_path / ".run.checkpoint.0123456789abcdef.partial"
    others = [tmp_path / ".other.0123456789abcdef.partial", tmp_path / ".run.checkpoint.partial"]
    for file in (leftover, *others):
        file.write_bytes(b"half")
    assert load_checkpoint(path).metadata == {"iteration": 1}
    assert not leftover.exists()
    leftover.write_bytes(b"half")
    save(path, 2)
    assert not leftover.exists()
    assert all(file.exists() for file in others)


def test_file_that_is_being_written_is_no_leftover(tmp_path):
    path = tmp_path / "a"
    with atomic_file(path, 4) as file:
        file.write(b"half")
        remove_leftovers(path)
        assert len(os.listdir(tmp_path)) == 1
    assert path.read_bytes() == b"half"


def test_two_writers_of_one_path(tmp_path):
    path = tmp_path / "a"
    with atomic_file(path, 5) as first, atomic_file(path, 6) as second:
        first.write(b"first")
        second.write(b"second")
    assert path.read_bytes() == b"first"
    assert os.listdir(tmp_path) == ["a"]


def test_file_systems_without_links_keep_only_the_newest(tmp_path, monkeypatch):
    def no_links(*names):
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(os, "link", no_links)
    path = tmp_path / "run.checkpoint"
    save(path, 1)
    save(path, 2)
    assert load_checkpoint(path).metadata == {"iteration": 2}
    assert not previous_path(path).exists()


WRITER = """
import sys
import numpy as np
from errai.store.checkpoint import save_checkpoint
print("ready", flush=True)
iteration = int(sys.argv[2])
while True:
    iteration += 1
    arrays = {name: np.full(20_000, iteration) for name in "abc"}
    save_checkpoint(sys.argv[1], {"iteration": iteration}, arrays)
"""


@pytest.mark.parametrize("kills", [8, pytest.param(200, marks=pytest.mark.slow)])
def test_killed_writers_leave_whole_checkpoints(tmp_path, kills):
    path = tmp_path / "run.checkpoint"
    save_checkpoint(path, {"iteration": 0}, {name: np.zeros(20_000, dtype=np.int64) for name in "abc"})
    random = np.random.default_rng(50)
    reached = 0
    for _ in range(kills):
        command = [sys.executable, "-c", WRITER, str(path), str(reached)]
        with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
            assert process.stdout is not None
            process.stdout.readline()
            time.sleep(random.uniform(0, 0.05))
            process.send_signal(signal.SIGKILL)
        checkpoint = load_checkpoint(path)
        assert checkpoint.fallback_reason is None
        assert checkpoint.metadata["iteration"] >= reached
        reached = checkpoint.metadata["iteration"]
        for array in checkpoint.arrays.values():
            assert (array == reached).all()
        if reached > 1:
            assert load_checkpoint(previous_path(path)).metadata["iteration"] >= reached - 1
        allowed = {"run.checkpoint", "run.checkpoint.previous", "run.checkpoint.previous.step"}
        assert set(os.listdir(tmp_path)) <= allowed
    assert reached > kills


def test_a_missing_checkpoint_falls_back_to_the_one_before(tmp_path):
    path = tmp_path / "run.checkpoint"
    for iteration in (1, 2):
        save(path, iteration)
    path.unlink()
    checkpoint = load_checkpoint(path)
    assert checkpoint.metadata == newest_container(path).metadata == {"iteration": 1}
    assert "does not exist" in checkpoint.fallback_reason
    restore_previous(path)
    assert load_checkpoint(path).fallback_reason is None
    assert not previous_path(path).exists()
    path.unlink()
    with pytest.raises(FileAccessError):
        load_checkpoint(path)
