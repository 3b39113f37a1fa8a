"""Matches that end once it is decided who wins."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import errai
from errai.arena.intervals import sequential_interval
from errai.arena.match import CHUNK, luck_estimator, most_chips, play_match
from errai.arena.results import read_result
from errai.errors import MatchError

LEDUC = errai.load_game("leduc")
PAIR = "fold=0.2,call=0.4,raise=0.4", "uniform"


def wrongly_decided(numbers: np.ndarray, largest: float, *, sequential: bool) -> float:
    """The share of rows, whose true mean is 0, for which 0 is outside at any of the looks."""
    each, looks = numbers.shape[1], np.arange(CHUNK, numbers.shape[1] + 1, CHUNK)
    assert each % CHUNK == 0
    mean = np.cumsum(numbers, axis=1)[:, looks - 1] / looks
    squares = np.cumsum(numbers**2, axis=1)[:, looks - 1]
    error = np.sqrt(np.maximum(squares - looks * mean**2, 0.0) / (looks - 1) / looks)
    wrong = 0
    for row in range(len(numbers)):
        for at, n in enumerate(looks):
            found = sequential_interval(mean[row, at], error[row, at], int(n), largest, 0.95)
            reach = found.high - mean[row, at] if sequential else 1.96 * error[row, at]
            if abs(mean[row, at]) > reach:
                wrong += 1
                break
    return wrong / len(numbers)


def test_looking_all_the_time_is_wrong_no_more_often_than_said() -> None:
    rng = np.random.default_rng(5)
    numbers = rng.choice([-1.0, 1.0, -8.0, 8.0], size=(400, 10_000), p=[0.4, 0.4, 0.1, 0.1])
    assert wrongly_decided(numbers, 8.0, sequential=True) <= 0.05
    # The usual interval is for one look; with a hundred of them it is wrong far too often.
    assert wrongly_decided(numbers, 8.0, sequential=False) > 0.2


def test_rare_large_numbers_are_counted_before_they_are_seen() -> None:
    rng = np.random.default_rng(6)
    p = 0.004
    numbers = np.where(rng.random((400, 10_000)) < p, 200.0, -200.0 * p / (1 - p))
    assert wrongly_decided(numbers, 200.0, sequential=True) <= 0.1
    assert wrongly_decided(numbers, 0.0, sequential=True) > 0.5


def test_the_width_is_that_of_the_theorem() -> None:
    # With rho^2 n = 8.776 (n = 1,000 at 5 %) the factor is sqrt(2 (9.776 / 8.776) log(sqrt(9.776) / .05)).
    found = sequential_interval(1.0, 0.5, 1000, 0.0, 0.95)
    assert found.high - 1.0 == pytest.approx(0.5 * 3.0356, rel=1e-3)
    assert found.low == pytest.approx(2.0 - found.high)


def test_the_most_chips_of_a_hand() -> None:
    assert most_chips(errai.load_game("kuhn")) == 2
    assert most_chips(LEDUC) == 13
    assert most_chips(errai.load_game("holdem.limit.2p")) == 240
    assert most_chips(errai.load_game("holdem.nolimit.2p")) == 20_000


def test_a_match_ends_when_it_is_decided(tmp_path: Path) -> None:
    play = {"hands": 4_000, "duplicate": True, "seed": 3, "until": "95%"}
    log = tmp_path / "log"
    result = play_match(LEDUC, PAIR, log=log, **play)
    assert 200 < result.hands < 4_000
    assert result.hands % (2 * CHUNK) == 0
    assert result.status == "done"
    assert result.decided is not None
    assert 0.0 not in result.decided
    assert len(log.read_text().splitlines()) == result.hands
    (path,) = [result.save(tmp_path)]
    assert read_result(path).decided == result.decided
    # The same hand ends it with two processes, and after an interruption.
    assert play_match(LEDUC, PAIR, processes=2, **play).document() == result.document()
    checkpoint = tmp_path / "checkpoint"
    stop = errai.StopToken()

    def stopping(now: object) -> None:
        if now.hands >= 150:
            stop.set()

    first = play_match(LEDUC, PAIR, checkpoint=checkpoint, stop=stop, progress=stopping, **play)
    assert first.status == "interrupted"
    assert first.decided is None
    for _ in range(2):  # Once more, it is decided already, and nothing is played.
        again = play_match(LEDUC, PAIR, checkpoint=checkpoint, resume=True, **play)
        assert again.document() == result.document()


def test_aivat_decides_sooner() -> None:
    play = {"hands": 4_000, "duplicate": True, "seed": 3, "until": "95%"}
    chips = play_match(LEDUC, ("by-strength", "uniform"), **play)
    aivat = play_match(LEDUC, ("by-strength", "uniform"), estimators={"aivat": luck_estimator("aivat")}, **play)
    assert aivat.hands < chips.hands


def test_equal_agents_are_not_decided() -> None:
    result = play_match(LEDUC, ("uniform", "uniform"), hands=2_000, seed=1, until="95%")
    assert result.hands == 2_000
    assert result.decided is None


@pytest.mark.parametrize("wrong", ["95", "0%", "100%", "much", "nan%", "%", 0.95])
def test_a_confidence_that_makes_no_sense(wrong: object) -> None:
    with pytest.raises(MatchError):
        play_match(LEDUC, ("uniform", "uniform"), hands=10, until=wrong)
