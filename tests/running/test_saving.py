"""When runs are saved."""

from __future__ import annotations

import pytest

from errai.running import stopping


def test_a_run_is_saved_from_time_to_time_and_seldom_if_that_takes_long(monkeypatch: pytest.MonkeyPatch) -> None:
    clock, saved = 0.0, list[float]()

    def save() -> None:
        nonlocal clock
        saved.append(clock)
        # The more there is to save, the longer it takes.
        clock += 0.125 * len(saved)

    monkeypatch.setattr(stopping.time, "monotonic", lambda: clock)
    look = stopping.from_time_to_time(save, 3.0, 1 / 16)
    for _ in range(20):
        look()
        clock += 1.0
    # After saves of 1/8, 2/8 and 3/8 of a second the next is due 3, 4 and 6 seconds later.
    assert saved == [3.0, 6.125, 10.375, 16.75]
