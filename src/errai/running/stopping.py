"""How a run is told to stop, by a token that it checks when its state is complete, and when it saves what it has."""

from __future__ import annotations

import time
from collections.abc import Callable


class StopToken:
    """Asks every run that was given it as ``stop=`` to end early with a valid result.

    It may be set from any thread and from a signal handler, because setting it takes no lock.  Once set it stays set,
    and one token may stop several runs.  It is not sent to other processes; runs that start processes check it
    themselves.

    Examples
    --------
    >>> import errai
    >>> stop = errai.StopToken()
    >>> kuhn = errai.load_game("kuhn")
    >>> stopped = errai.solve(kuhn, "1e-9mbb", stop=stop, progress=lambda now: stop.set())
    >>> print(stopped.status)
    interrupted
    """

    def __init__(self) -> None:
        self._set = False

    def set(self) -> None:
        """Ask the runs to end."""
        self._set = True

    def is_set(self) -> bool:
        """Return whether the runs have been asked to end."""
        return self._set


def stops(stop: StopToken | None) -> bool:
    """Return whether there is a token and it has been set."""
    return stop is not None and stop.is_set()


def from_time_to_time(save: Callable[[], None], every: float, share: float = 1.0) -> Callable[[], None]:
    """Return a function that calls ``save`` if that is due, to be called as often as it can be saved.

    It is due ``every`` seconds after the last time, or later where saving would take more than ``share`` of the time:
    what is saved may grow.
    """
    due = time.monotonic() + every

    def look() -> None:
        nonlocal due
        began = time.monotonic()
        if began >= due:
            save()
            ended = time.monotonic()
            due = ended + max(every, (ended - began) / share)

    return look
