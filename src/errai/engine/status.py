"""How a solve, a match or a measurement ended, and what the user can do about it."""

from __future__ import annotations

from enum import StrEnum

START = "start"
"""What the setting ``strategy`` of a solution says, in place of ``average`` or ``current``, if a run that started from
another one returned the strategy of that one, because it was still the better of the two.
"""


class Status(StrEnum):
    """How a solve ended; the values are the texts in files and in JSON."""

    TARGET_MET = "target met"
    ITERATION_LIMIT = "iteration limit"
    TIME_LIMIT = "time limit"
    INTERRUPTED = "interrupted"
    PRECISION_LIMIT = "precision limit"
    """The exploitability has stopped falling above the target; or the average met the target, but the returned strategy
    cannot, because 16 bits are too coarse or the current strategy was asked for.
    """

    @property
    def advice(self) -> str:
        """One or two sentences that say what the user can do; empty if there is nothing to do."""
        return _ADVICE[self]

    def is_success(self, *, only_limits: bool) -> bool:
        """Return whether a run did what was asked; ``only_limits`` says that limits were given and no target."""
        return self is Status.TARGET_MET or (only_limits and self is not Status.INTERRUPTED)


class Outcome(StrEnum):
    """How far a match or a measurement has come; the values are the texts in files and in JSON."""

    WAITING = "waiting"
    """It waits for the players."""
    PLAYING = "playing"
    DONE = "done"
    INTERRUPTED = "interrupted"
    """It was stopped from outside; what was measured until then is valid."""
    FORFEITED = "forfeited"
    FAILED = "failed"
    """An agent failed."""

    @classmethod
    def _missing_(cls, value: object) -> Outcome | None:
        """Accept ``complete``, which match files of earlier versions have."""
        return cls.DONE if value == "complete" else None


_ADVICE = {
    Status.TARGET_MET: "",
    Status.ITERATION_LIMIT: "The target is not met; more --max-iterations, or no such limit, would get closer.",
    Status.TIME_LIMIT: "The target is not met; more --seconds, or no such limit, would get closer.",
    Status.INTERRUPTED: "Interrupted; this is the result so far.",
    Status.PRECISION_LIMIT: "The target is below what this number format can reach; a wider --precision may reach it.",
}
