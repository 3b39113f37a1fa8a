"""What holds for all tests."""

from __future__ import annotations

import signal


def pytest_configure() -> None:
    """Who is started in the background ignores Ctrl-C, and so would all that tests start in order to interrupt it."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
