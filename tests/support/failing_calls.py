"""Calls to the system that fail, one at a time, in processes that a test starts.

A small library (``failing_calls.c``, built with ``cc`` when it is first used) is loaded before the process's own and
counts the calls that change something below one folder: opening for writing, writing, flushing, renaming; or those that
ask for memory.  The Nth of them fails with an error that the test chooses, or kills the process there.  A test raises N
until a run passes.  The disk may be slow or lose what was not flushed, and the time of day may jump.

Examples
--------
>>> faults = FailingCalls(folder, nth=3, error="ENOSPC")          # doctest: +SKIP
>>> subprocess.run(command, env=os.environ | faults.environment)  # doctest: +SKIP
>>> faults.failed                                                 # doctest: +SKIP
1
"""

from __future__ import annotations

import errno
import functools
import os
import shutil
import struct
import subprocess
import tempfile
from pathlib import Path

import pytest

KINDS = ("open", "write", "truncate", "fsync", "rename")
"""The kinds of calls that can fail, besides those that ask for memory: "map", "malloc" and "new"."""
DISKS = ("kept", "loses", "lies", "slow")
"""What a disk does with what was not flushed when the process is killed; ``failing_calls.c`` says it."""
ERRORS = ("ENOSPC", "EIO", "KILL")
"""The errors that a sweep uses: a full disk, a broken disk, and the end of the process."""


@functools.cache
def _library() -> Path:
    """Build the library; the test is skipped if there is no compiler."""
    compiler = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
    if compiler is None:
        pytest.skip("There is no C compiler to build the library with that makes calls fail.")
    # Kept until the process ends, when the object that holds it is finalised.
    _library.folder = tempfile.TemporaryDirectory(prefix="failing-calls-")  # type: ignore[attr-defined]
    made = Path(_library.folder.name) / "failing_calls.so"  # type: ignore[attr-defined]
    source = Path(__file__).with_name("failing_calls.c")
    command = [compiler, "-O1", "-Wall", "-Werror", "-shared", "-fPIC", str(source), "-o", str(made), "-ldl"]
    subprocess.run(command, check=True)
    return made


def preloaded() -> dict[str, str]:
    """Return an environment in which the library is loaded, and has no settings yet."""
    return {"LD_PRELOAD": str(_library())}


class FailingCalls:
    """What fails in the processes that are started with this environment.

    Parameters
    ----------
    below:
        The folder whose files are meant; calls elsewhere always happen.
    nth:
        The call that fails, counted from 1 over all processes; 0 only counts.
    error:
        A name of :mod:`errno`; "KILL", which ends the process that makes the call with SIGKILL; or "SHORT", for a write
        that succeeds with half of its bytes.
    kinds:
        The kinds of calls that count, of :data:`KINDS`.
    lasting:
        Whether all later calls fail as well, as on a disk that is full.  The first write is then cut in half.
    least:
        The smallest ``malloc`` that counts, in bytes.
    disk:
        One of :data:`DISKS`.
    clock:
        Whether the time of day jumps.
    seed:
        What chance begins with, for disks and clocks.
    """

    def __init__(
        self,
        below: Path,
        nth: int,
        error: str = "ENOSPC",
        kinds: tuple[str, ...] = KINDS,
        *,
        lasting: bool = False,
        least: int = 1,
        disk: str = "kept",
        clock: bool = False,
        seed: int = 0,
    ) -> None:
        descriptor, state = tempfile.mkstemp(prefix="state-", dir=_library().parent)
        os.write(descriptor, bytes(16))
        os.close(descriptor)
        self._state = Path(state)
        self.environment = {
            **preloaded(),
            "FAILING_CALLS_BELOW": os.path.realpath(below),
            "FAILING_CALLS_STATE": state,
            "FAILING_CALLS_KINDS": ",".join(kinds),
            "FAILING_CALLS_NTH": str(nth),
            "FAILING_CALLS_ERROR": {"KILL": "0", "SHORT": "-1"}.get(error) or str(getattr(errno, error)),
            "FAILING_CALLS_LASTING": str(int(lasting)),
            "FAILING_CALLS_LEAST": str(least),
            "FAILING_CALLS_DISK": str(DISKS.index(disk)),
            "FAILING_CALLS_CLOCK": str(int(clock)),
            "FAILING_CALLS_SEED": str(seed),
        }

    def _counts(self) -> tuple[int, int]:
        calls, failed = struct.unpack("qq", self._state.read_bytes())
        return calls, failed

    @property
    def calls(self) -> int:
        """How many calls were counted so far."""
        return self._counts()[0]

    @property
    def failed(self) -> int:
        """How many calls failed so far."""
        return self._counts()[1]
