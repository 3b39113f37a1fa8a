"""Signals in the command: the first sets the token of the run, a second Ctrl-C aborts."""

from __future__ import annotations

import signal
import threading

import pytest

from errai.cli.signals import interrupted_by_signals, stopped_by_signals

NUMBERS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def handlers() -> list[object]:
    return [signal.getsignal(number) for number in NUMBERS]


@pytest.mark.parametrize("number", NUMBERS)
def test_the_first_signal_sets_the_token_and_handlers_go_back(number: signal.Signals) -> None:
    before = handlers()
    with stopped_by_signals() as stop:
        assert not stop.is_set()
        signal.raise_signal(number)
        assert stop.is_set()
        signal.raise_signal(signal.SIGTERM)  # Whoever asks again politely is not answered otherwise.
    assert handlers() == before


def test_a_hangup_that_is_ignored_stays_ignored() -> None:
    """As `nohup` wants it."""
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with stopped_by_signals() as stop:
            signal.raise_signal(signal.SIGHUP)
            assert not stop.is_set()
        assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGHUP, before)


@pytest.mark.parametrize("number", NUMBERS)
def test_every_signal_can_be_made_a_ctrl_c(number: signal.Signals) -> None:
    before = handlers()
    with pytest.raises(KeyboardInterrupt), interrupted_by_signals():
        signal.raise_signal(number)
    assert handlers() == before


def test_a_second_ctrl_c_gives_up() -> None:
    before = handlers()
    with stopped_by_signals():
        signal.raise_signal(signal.SIGTERM)
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
    assert handlers() == before


def test_an_interrupt_that_is_sent_twice_is_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """As `timeout --signal=INT` sends it; a run that was to end well then lost its result."""
    now = 100.0
    monkeypatch.setattr("errai.cli.signals.monotonic", lambda: now)
    with stopped_by_signals() as stop:
        signal.raise_signal(signal.SIGINT)
        signal.raise_signal(signal.SIGINT)
        assert stop.is_set()
        now += 1.0
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)


def test_a_key_that_is_held_down_gives_up(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 100.0
    monkeypatch.setattr("errai.cli.signals.monotonic", lambda: now)
    with stopped_by_signals():
        for _ in range(5):
            signal.raise_signal(signal.SIGINT)
            now += 0.045
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)


def test_outside_the_main_thread_signals_are_left_alone() -> None:
    def look() -> None:
        with stopped_by_signals() as stop:
            seen.append((handlers(), stop.is_set()))

    seen: list[object] = []
    before = handlers()
    thread = threading.Thread(target=look)
    thread.start()
    thread.join()
    assert seen == [(before, False)]
