"""Signals set a stop token. Only the command line sets signal handlers; a library must leave them to its user."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from errai.running.stopping import StopToken


@contextmanager
def stopped_by_signals() -> Iterator[StopToken]:
    """Yield a stop token for the work in the block: the first Ctrl-C or termination signal sets it.

    A second Ctrl-C raises KeyboardInterrupt.  Only the main thread may set handlers; in other threads the token is
    never
    set.
    """
    stop = StopToken()

    def note(number: int, frame: Any) -> None:
        if stop.is_set() and number == signal.SIGINT:
            raise KeyboardInterrupt
        stop.set()

    listens = threading.current_thread() is threading.main_thread()
    before = {number: signal.signal(number, note) for number in (signal.SIGINT, signal.SIGTERM) if listens}
    try:
        yield stop
    finally:
        for number, action in before.items():
            signal.signal(number, action)
