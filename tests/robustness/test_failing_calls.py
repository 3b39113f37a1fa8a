"""Every command that writes, with every call to the file system failing once: nothing is lost, and nothing is silent.

A scenario is a command with the results that it leaves.  Its Nth call that opens, writes, flushes or renames a file
fails, or kills the process; N is raised until a run passes.  Whatever happened, the same command without the fault ends
with the results of an undisturbed run; a command that failed has said one sentence that names the place and what to do.
By default a few N are tried, drawn by chance but always the same; ``pytest -m slow`` tries all of them.  What else can
fail, and much more of it, is tried by ``scripts/campaign``.
"""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest
from scenarios import SCENARIOS, close_servers
from sweeps import Sweep

FAULTS: dict[str, dict[str, Any]] = {
    "no space": {"error": "ENOSPC"},
    "disk error": {"error": "EIO"},
    "killed": {"error": "KILL"},
    # All later calls fail as well, and the first write is cut in half.
    "full disk": {"error": "ENOSPC", "lasting": True, "kinds": ("open", "write")},
}
SAMPLED = 1
"""Calls of each scenario and fault that the quick test lets fail."""

QUICK = ("match", "solve", "store", "train", "generate", "play", "picture", "histories", "report")

teardown_module = close_servers


@pytest.mark.parametrize("name", QUICK)
def test_some_calls_fail(name: str, tmp_path: Path) -> None:
    sweep, dice = Sweep(SCENARIOS[name], tmp_path), random.Random(name)
    failed = [
        sweep.fault(dice.randint(1, sweep.calls), **settings) for settings in FAULTS.values() for _ in range(SAMPLED)
    ]
    # A disk that is full from the last writes on may have no call that fails.
    assert all(failed[: 3 * SAMPLED])


@pytest.mark.slow
@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("name", SCENARIOS)
def test_each_call_fails(name: str, fault: str, tmp_path: Path) -> None:
    sweep = Sweep(SCENARIOS[name], tmp_path)
    nth = 1
    while sweep.fault(nth, **FAULTS[fault]):
        nth += 1
    assert nth > 2
