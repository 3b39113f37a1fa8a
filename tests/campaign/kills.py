"""Kills at random moments: every file opens afterwards, and the run ends as an undisturbed one.

States are saved every .02 s, so that many kills fall inside of saves; half of them wait for one.
"""

from __future__ import annotations

import functools
import random
import shutil
from importlib.util import find_spec
from pathlib import Path

from campaign import Part, PassedError
from disturbed_server import LONG_JOB, LONG_SOLVE, everything, saving_often
from opened import open_all, require_same
from scenarios import LONGER, close_servers
from sweeps import Sweep

SERVE = "serve with jobs"


@functools.cache
def sweep(home: Path, row: str) -> Sweep:
    """A command with its undisturbed run."""
    return Sweep(LONGER[row], home / row.replace(" ", "-"))


@functools.cache
def undisturbed(home: Path) -> dict:
    """What a user of a server has where nothing happens."""
    return everything(home / "undisturbed", jobs=(LONG_JOB, LONG_SOLVE))


def trial(home: Path, row: str, seed: int) -> int:
    """Kill a command, or a server and its workers, one to six times."""
    if row == "nets train" and find_spec("torch") is None:
        raise PassedError("not run: PyTorch is not installed")
    dice = random.Random(f"kills {seed}")
    if row != SERVE:
        return sweep(home, row).killed(dice)[0]
    expected, folder = undisturbed(home), home / "served"
    kills: list[int] = []
    with saving_often(home / "often"):
        found = everything(folder, dice=dice, kills=kills, jobs=(LONG_JOB, LONG_SOLVE))
    require_same(found, expected, f"a server killed {len(kills)} times")
    open_all(folder)
    shutil.rmtree(folder)
    return len(kills)


PARTS = {"kills": Part("kills", (*LONGER, SERVE), trial, few=8, many=1000, close=close_servers)}
