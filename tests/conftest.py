"""Configuration of all tests."""

from __future__ import annotations

import signal


def pytest_configure() -> None:
    """A process started in the background ignores Ctrl-C, and so would processes that tests start in order to interrupt
    them.
    """
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
