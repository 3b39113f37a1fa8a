"""The resolver in a terminal: odd bets, smallest raises, all-ins; it always answers, and shows that it is thinking."""

from __future__ import annotations

import io
import random
import sys

import pytest

WORDS = (
    ["r min"] * 3 + ["a"] + ["c"] * 9 + ["r 137", "r 50%", "r 2.5x", "r 333%", "r 101", "r 19999", "r 1", "h", "xyz"]
)


@pytest.mark.parametrize("game", ["holdem.nolimit.2p", "holdem.limit.2p"])
def test_whatever_is_typed_it_plays(errai, monkeypatch, game: str) -> None:
    rng = random.Random(6)
    typed = "\n\n".join(rng.choice(WORDS) for _ in range(400)) + "\n"
    monkeypatch.setattr(sys, "stdin", io.StringIO(typed))
    monkeypatch.setattr("errai.cli.talk.SECONDS_BEFORE_WAITING", 0.02)
    done = errai("play", game, "--against", "resolver:seconds=0.3", "--hands", 8, "--seed", 9, "--plain")
    assert done.code == 0, done.err
    assert "8 hands:" in done.out
    assert "is thinking ..." in done.out
    assert not done.err
