"""Signals set a stop token. Only the command line sets signal handlers; a library must leave them to its user."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import monotonic
from typing import Any

from errai.cli.arguments import Options
from errai.engine.progress_view import BarView, ProgressView
from errai.running.stopping import StopToken
from errai.running.system import ENDING, TERMINAL_GONE

ONE_CTRL_C_SECONDS = 0.2
"""Interrupts within this time of the first are one Ctrl-C: `timeout --signal=INT` sends its own twice, to the program
and to the program's group."""


@contextmanager
def stopped_by_signals() -> Iterator[StopToken]:
    """Yield a stop token for the work in the block: the first signal of :data:`errai.running.system.ENDING` sets it.

    A second Ctrl-C raises KeyboardInterrupt.  The end of a terminal (SIGHUP) stays ignored if it is, as `nohup` wants
    it.  Only the main thread may set handlers; in other threads the token is never set.
    """
    stop = StopToken()
    first_until = float("-inf")

    def note(number: int, frame: Any) -> None:
        nonlocal first_until
        if number == signal.SIGINT and monotonic() > first_until:
            if stop.is_set():
                raise KeyboardInterrupt
            first_until = monotonic() + ONE_CTRL_C_SECONDS
        stop.set()

    with _handled(note, ENDING):
        yield stop


@contextmanager
def watched(options: Options, title: str, unit: str = "") -> Iterator[tuple[StopToken, Any]]:
    """Yield a stop token as :func:`stopped_by_signals` does, and a view, which shows nothing unless it is to.

    It is a :class:`BarView` or, with the unit of the exploitability of a solve, a :class:`ProgressView`.
    """
    view = ProgressView(title, unit) if unit else BarView(title)
    view.is_shown = options.progress or (view.is_terminal and not options.quiet)
    with stopped_by_signals() as stop, view:
        yield stop, view


@contextmanager
def interrupted_by_signals() -> Iterator[None]:
    """Let the other signals of :data:`errai.running.system.ENDING` do what Ctrl-C does to the block."""

    def interrupt(number: int, frame: Any) -> None:
        signal.raise_signal(signal.SIGINT)

    with _handled(interrupt, ENDING[1:]):
        yield


@contextmanager
def _handled(handler: Callable[[int, Any], None], numbers: tuple[signal.Signals, ...]) -> Iterator[None]:
    before: dict[signal.Signals, Any] = {}
    if threading.current_thread() is threading.main_thread():
        for number in numbers:
            if number != TERMINAL_GONE or signal.getsignal(number) != signal.SIG_IGN:
                before[number] = signal.signal(number, handler)
    try:
        yield
    finally:
        for number, action in before.items():
            signal.signal(number, action)
