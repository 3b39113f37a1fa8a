"""When a long run saves what it has."""

from __future__ import annotations

import time
from collections.abc import Callable


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
