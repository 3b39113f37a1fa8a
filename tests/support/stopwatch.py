"""A clock for tests that others' work on the machine does not speed up: it leaves out waiting for a processor."""

from __future__ import annotations

import contextlib
import time
from pathlib import Path


class Stopwatch:
    """Measures a block: ``with Stopwatch() as took: ...`` and then ``took.seconds``.

    These are the seconds by the clock, less those in which a thread of this process was ready to run and another
    program had the processor, which the kernel counts (``/proc/self/task/*/schedstat``).  On a quiet machine that is
    nothing; where the kernel does not count it, it is taken for nothing.
    """

    seconds: float

    def __enter__(self) -> Stopwatch:
        self._waited = _waited()
        self._began = time.perf_counter()
        return self

    def __exit__(self, *_: object) -> None:
        elapsed = time.perf_counter() - self._began
        waited = sum(after - self._waited.get(thread, 0.0) for thread, after in _waited().items())
        self.seconds = elapsed - waited


def _waited() -> dict[str, float]:
    """The seconds that each thread of this process has waited for a processor."""
    found = {}
    for thread in Path("/proc/self/task").glob("*/schedstat"):
        with contextlib.suppress(OSError, ValueError, IndexError):  # A thread may end meanwhile.
            found[thread.parent.name] = int(thread.read_text().split()[1]) / 1e9
    return found
