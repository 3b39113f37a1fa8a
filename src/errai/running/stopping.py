"""How a run is told to stop: by a token that any thread may set, and that the run checks when its state is complete."""

from __future__ import annotations


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
