"""How a run is told to stop: a token that anybody may set, and that the run looks at where it is whole."""

from __future__ import annotations


class StopToken:
    """Asks whatever it was handed to as ``stop=`` to end early, with a valid result.

    It may be set from any thread, and from a signal handler: setting it takes no lock.  Once set it stays set, and one
    token may stop several runs.  It is not carried into other processes; runs that start some look at it themselves.
    """

    def __init__(self) -> None:
        self._set = False

    def set(self) -> None:
        """Ask for the end."""
        self._set = True

    def is_set(self) -> bool:
        """Whether the end has been asked for."""
        return self._set


def stops(stop: StopToken | None) -> bool:
    """Whether there is a token and it has been set."""
    return stop is not None and stop.is_set()
