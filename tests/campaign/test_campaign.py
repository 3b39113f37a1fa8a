"""A small part of the campaign, on the Errai that is tested; `scripts/campaign --size many` is the large one."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from campaign import PARTS, STRIDE, PassedError, Row, main, part_of, run_part, table
from failing_calls import FailingCalls
from opened import LostError, open_all
from sweeps import fault_outside

TRIALS = {"kills": 1, "calls": 2, "memory": 2, "simulation": 8, "queue": 8, "inputs": 4, "disks": 1}
"""What takes seconds; the stories of machines and the hostile page are for the large campaign."""


@pytest.mark.parametrize("name", TRIALS)
def test_a_few_trials_find_nothing(name: str, tmp_path: Path) -> None:
    rows: list[Row] = []
    seeds = range(0, STRIDE * TRIALS[name], STRIDE)
    run_part(
        name, seeds, tmp_path / "home", time.monotonic() + 600.0, lambda saved: rows.__setitem__(slice(None), saved)
    )
    assert sum(row.trials for row in rows) + sum(bool(row.passed) for row in rows) == TRIALS[name]
    assert not [failure for row in rows for failure in row.failures], rows


def test_each_part_has_rows_and_a_size() -> None:
    for name in PARTS:
        part = part_of(name)
        assert part.rows
        assert part.few <= part.many


def test_what_a_trial_raises_is_found_and_can_be_tried_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def trial(home: Path, row: str, seed: int) -> int:
        if seed == 7:
            raise LostError("gone")
        if seed == 8:
            raise ValueError("odd")
        if seed > 9:
            raise PassedError("not run: no b")
        return 5

    made = type(part_of("queue"))("things", ("a", "b"), trial, 20, 20)
    monkeypatch.setattr("campaign.part_of", lambda name: made)
    out = tmp_path / "out.json"
    assert main(["--part", "queue", "--size", "20", "--json", str(out)]) == 1
    assert "| queue | a | 5 | 21 things | 1 | 0 | 0 | not run: no b |" in capsys.readouterr().out
    assert main(["--again", "queue:7"]) == 1
    assert "| queue | b | 1 | 1 things | 1 | 1 | 0 |  |" in capsys.readouterr().out
    assert main(["--show", str(out), str(out)]) == 0
    assert "| all | | 20 | 84 | 4 | 2 | 0 | |" in capsys.readouterr().out
    assert table([]).endswith("| all | | 0 | 0 | 0 | 0 | 0 | |")


@pytest.mark.parametrize(
    ("name", "content"),
    [("a.errai", b"ERRAI"), ("a.json", b"{"), ("a.jsonl", b"{\n{}\n"), ("a.toml", b"="), ("a.svg", b"<svg>"),
     ("a.html", b"<html>"), ("a.net", b"x")],
)  # fmt: skip
def test_files_that_are_cut_off_are_lost(name: str, content: bytes, tmp_path: Path) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(LostError, match=name):
        open_all(tmp_path)


def test_where_a_process_crashed_says_whose_fault_it_is() -> None:
    packages = "/made/lib/python3.11/site-packages"
    numpy, own = f"{packages}/numpy/_core/_multiarray_umath.so(+0x80f18)", f"{packages}/errai/kernels/_cpu.so(+0x450e9)"
    python, thrown = "libpython3.11.so.1.0(_PyEval_EvalFrameDefault+0x49b0)", "instance of 'std::bad_alloc'\n"

    def crash(*frames: str, said: str = "") -> str:
        return said + "crashed in:\n" + "\n".join(("/lib/libc.so.6(+0x3c050)", *frames))

    assert "NumPy" in fault_outside(-signal.SIGSEGV, crash(numpy, python))
    assert not fault_outside(-signal.SIGSEGV, crash(own, python))
    assert not fault_outside(-signal.SIGSEGV, crash(own, numpy, python))
    assert not fault_outside(-signal.SIGSEGV, "")
    assert "nanobind" in fault_outside(-signal.SIGABRT, crash(own, python, said=thrown))
    assert not fault_outside(-signal.SIGABRT, crash(own, said=thrown))
    assert not fault_outside(1, crash(numpy, python))
    assert "NumPy" in fault_outside(1, "IndexError: index 139775524675376 is out of bounds for axis 1 with size 1326")
    assert not fault_outside(1, "IndexError: index 1326 is out of bounds for axis 1 with size 1326")
    assert "safetensors" in fault_outside(
        1, "safetensors/numpy.py\nMemoryError:\nthread '<unnamed>' (4479) panicked at"
    )
    assert "C library" in fault_outside(127, "cannot allocate memory for thread-local data: ABORT")


def test_a_crash_for_lack_of_memory_says_where(tmp_path: Path) -> None:
    """In a process of its own that is told to crash, as the campaign's are where NumPy does."""
    faults = FailingCalls(tmp_path, 0, "ENOMEM", ("malloc",))
    crashes = [sys.executable, "-c", "import ctypes; ctypes.string_at(0)"]
    ended = subprocess.run(crashes, env=os.environ | faults.environment, capture_output=True, text=True)
    assert ended.returncode == -signal.SIGSEGV
    assert "crashed in:\n" in ended.stderr
    assert "_PyEval_" in ended.stderr
