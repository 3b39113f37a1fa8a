"""Generated inputs over every border (``borders.py``), read in a process of their own with limited memory.

The process says before each input which it is; so a crash of native code or an input without an end is known by its
number.
"""

from __future__ import annotations

import contextlib
import json
import mmap
import os
import random
import resource
import shutil
import signal
import struct
import time
import traceback
from pathlib import Path
from typing import Any

from borders import BORDERS, FILES, Make
from campaign import Part

from errai.errors import ErraiError

MORE_BYTES = 1 << 30
LONGEST_SECONDS = 240.0


def one_input(make: Make, seed: int, place: Path) -> None:
    """Read one input; raises whatever is no typed error."""
    read = make(random.Random(f"input {seed}"), place)
    with contextlib.suppress(ErraiError):
        read()


def read_all(make: Make, first: int, count: int, place: Path, now: mmap.mmap, told: int) -> None:
    """Read inputs in a process of its own, and say what was found."""
    place.mkdir(parents=True)
    for path in FILES.iterdir():
        (shutil.copytree if path.is_dir() else shutil.copy)(path, place / path.name)
    os.chdir(place)
    used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (used + MORE_BYTES, used + MORE_BYTES))
    devnull = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(devnull, stream)
    for seed in range(first, first + count):
        now[:16] = struct.pack("qd", seed, time.monotonic())
        try:
            one_input(make, seed, place)
        except BaseException as error:
            said = "".join(traceback.format_exception(error))[-5000:]
            os.write(told, json.dumps([seed, f"{type(error).__name__}: {error!s:.300}", said]).encode() + b"\n")


class InputsError(AssertionError):
    """Inputs were not read and not refused as they should be."""

    tried = 0


def different(found: list[Any]) -> list[Any]:
    """Return the first input of those that fail at the same place."""
    places: dict[str, Any] = {}
    for one in found:
        lines = [line for line in one[2].splitlines() if "/errai/" in line]
        places.setdefault(f"{one[1].split(':')[0]} {lines[-1:]}", one)
    return list(places.values())


def trial(home: Path, row: str, seed: int) -> int:
    """Read some hundred inputs, which follow from the seed."""
    make, count = BORDERS[row]
    first, place = seed * 10_000, home / f"inputs-{seed}"
    now, (read, told) = mmap.mmap(-1, 16), os.pipe()
    now[:16] = struct.pack("qd", first, time.monotonic())
    process = os.fork()
    if process == 0:
        try:
            read_all(make, first, count, place, now, told)
        finally:
            os._exit(0)
    os.close(told)
    os.set_blocking(read, False)
    said, status = b"", None
    while status is None:
        ended, code = os.waitpid(process, os.WNOHANG)
        with contextlib.suppress(BlockingIOError):
            said += os.read(read, 1 << 20)
        at, since = struct.unpack("qd", now[:16])
        if ended:
            status = os.waitstatus_to_exitcode(code)
        elif time.monotonic() - since > LONGEST_SECONDS:
            os.kill(process, signal.SIGKILL)
            os.waitpid(process, 0)
            status = 0
            said += json.dumps([at, f"no end after {LONGEST_SECONDS:g} s", ""]).encode() + b"\n"
        else:
            time.sleep(0.01)
    with contextlib.suppress(BlockingIOError):
        while part := os.read(read, 1 << 20):
            said += part
    os.close(read)
    shutil.rmtree(place, ignore_errors=True)
    found = [json.loads(line) for line in said.splitlines()]
    if status:
        found.append([at, f"the process ended with {status}", ""])
    if found:
        error = InputsError("\n".join(f"input {n}: {what}\n{trace}" for n, what, trace in different(found)))
        error.tried = count
        raise error
    return count


PARTS = {"inputs": Part("inputs", tuple(BORDERS), trial, few=8, many=1600)}
