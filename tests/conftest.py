"""Configuration of all tests."""

from __future__ import annotations

import gc
import os
import signal

from hypothesis import settings

# The tests run side by side, one process for each core, and threads of BLAS and OpenMP that wait for work would spin.
for threads in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ.setdefault(threads, "1")

# Nothing is timed: on a busy machine any example may take a while.
settings.register_profile("untimed", deadline=None)
settings.load_profile("untimed")


def pytest_configure() -> None:
    """A process started in the background ignores Ctrl-C, and one started by `nohup` the end of the terminal; so would
    processes that tests start in order to interrupt them.
    """
    if signal.getsignal(signal.SIGHUP) is signal.SIG_IGN:
        # Unlike what is ignored, a handler is not passed on.
        signal.signal(signal.SIGHUP, lambda *_: None)
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_collection_finish() -> None:
    """Ten thousand tests and what they import stay to the end, so that no collection of garbage need look at them."""
    gc.collect()
    gc.freeze()
