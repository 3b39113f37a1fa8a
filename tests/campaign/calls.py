"""The Nth call to the system fails, N raised until a run passes untouched, in every command that writes."""

from __future__ import annotations

import functools
import random
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from campaign import Part, PassedError
from failing_calls import FailingCalls
from scenarios import LONGER, SCENARIOS, close_servers
from sweeps import Sweep

FAULTS: dict[str, dict[str, Any]] = {
    "no space": {"error": "ENOSPC"},
    "disk error": {"error": "EIO"},
    "interrupted": {"error": "EINTR", "kinds": ("open", "write", "fsync")},
    "short write": {"error": "SHORT", "kinds": ("write",)},
    "killed": {"error": "KILL"},
    "full disk": {"error": "ENOSPC", "lasting": True, "kinds": ("open", "write")},
    "power fails": {"error": "KILL", "disk": "loses"},
    "lying disk": {"error": "KILL", "disk": "lies"},
}
MEMORY: dict[str, dict[str, Any]] = {
    "mmap": {"error": "ENOMEM", "kinds": ("map",)},
    "malloc of 4 KiB or more": {"error": "ENOMEM", "kinds": ("malloc",), "least": 4096},
    "new in C++": {"error": "ENOMEM", "kinds": ("new",)},
}
COMMANDS = {**SCENARIOS, "review": LONGER["review"]}


def order(calls: int, key: str) -> list[int]:
    """Return the calls in an order of chance, so that a few are drawn from everywhere, and one more than there are."""
    numbers = list(range(1, calls + 1))
    random.Random(key).shuffle(numbers)
    return [*numbers, calls + 1]


@functools.cache
def sweep(home: Path, command: str) -> Sweep:
    """A command with its undisturbed run."""
    return Sweep(COMMANDS[command], home / command)


@functools.cache
def calls_of(home: Path, command: str, kinds: tuple[str, ...] | None, least: int) -> int:
    """How many calls there are that may fail."""
    one = sweep(home, command)
    if kinds is None:
        return one.calls
    folder = one.fresh()
    counted = FailingCalls(folder, 0, "ENOMEM" if set(kinds) & {"map", "malloc", "new"} else "EIO", kinds, least=least)
    code, err = one.run(folder, faults=counted)
    assert code == 0, err
    return counted.calls


def trial_of(faults: dict[str, dict[str, Any]], rows: tuple[str, ...]) -> Any:
    """Return the trial of rows that name a command and a fault."""

    def trial(home: Path, row: str, seed: int) -> int:
        command, _, fault = row.partition(": ")
        if command == "network" and find_spec("torch") is None:
            raise PassedError("not run: PyTorch is not installed")
        settings = faults[fault]
        calls = calls_of(home, command, settings.get("kinds"), settings.get("least", 1))
        turn = seed // len(rows)
        if turn > calls:
            raise PassedError(f"all {calls} calls")
        nth = order(calls, row)[turn]
        # Chance of a disk follows from the seed as well.
        failed = sweep(home, command).fault(nth, seed=seed, **settings)
        if not failed and nth > calls:
            raise PassedError(f"all {calls} calls")
        return int(failed)

    return trial


def part(what: str, faults: dict[str, dict[str, Any]], few: int, many: int) -> Part:
    """Return a part with a row for each command and fault."""
    rows = tuple(f"{command}: {fault}" for fault in faults for command in COMMANDS)
    return Part(what, rows, trial_of(faults, rows), few, many, close=close_servers)


PARTS = {"calls": part("calls", FAULTS, 12, 100_000), "memory": part("calls", MEMORY, 6, 2_000_000)}
