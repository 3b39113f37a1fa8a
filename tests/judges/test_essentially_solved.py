from __future__ import annotations

import math

import pytest

from errai.errors import SolverOptionError
from errai.judges.essentially_solved import Lifetime, essentially_solved


def test_the_published_threshold():
    # Bowling et al. 2015: 1.64 x 5 bb / sqrt(200 x 12 x 365 x 70 hands) = 1.05 mbb/g.
    life = Lifetime()
    assert life.hands == 200 * 12 * 365 * 70 == 61_320_000
    assert life.deviations == pytest.approx(1.64, abs=0.005)
    assert round(life.threshold_mbb, 2) == 1.05
    assert life.threshold_mbb == pytest.approx(1.64485362695 * 5_000 / math.sqrt(61_320_000))


def test_cepheus_is_and_the_best_of_2010_is_not():
    cepheus = essentially_solved(0.986)
    assert cepheus.essentially_solved
    assert cepheus.years_to_tell > 70
    best_of_2010 = essentially_solved(135.4)
    assert not best_of_2010.essentially_solved
    assert best_of_2010.hands_to_tell == pytest.approx((1.64485362695 * 5_000 / 135.4) ** 2)


def test_at_the_threshold_it_takes_a_lifetime():
    life = Lifetime(hands_per_hour=60, hours_per_day=8, years=30, deviation_bb=20, confidence=0.99)
    verdict = essentially_solved(life.threshold_mbb, life)
    assert verdict.hands_to_tell == pytest.approx(life.hands)
    assert verdict.years_to_tell == pytest.approx(30)
    assert not verdict.essentially_solved
    assert essentially_solved(0.999 * life.threshold_mbb, life).essentially_solved


def test_perfect_play_is_never_told():
    verdict = essentially_solved(0.0)
    assert verdict.essentially_solved
    assert verdict.hands_to_tell == math.inf


@pytest.mark.parametrize(
    "wrong", [{"years": 0}, {"hands_per_hour": -1}, {"deviation_bb": math.nan}, {"years": math.inf}]
)
def test_lives_that_cannot_be(wrong):
    with pytest.raises(SolverOptionError, match="above 0"):
        Lifetime(**wrong)


@pytest.mark.parametrize("confidence", [0.5, 0.3, 1.0, 95.0])
def test_confidence_lies_between_a_half_and_one(confidence):
    with pytest.raises(SolverOptionError, match=r"between 0\.5 and 1"):
        Lifetime(confidence=confidence)


@pytest.mark.parametrize("wrong", [-1.0, math.nan, math.inf])
def test_exploitabilities_that_cannot_be(wrong):
    with pytest.raises(SolverOptionError, match="at least 0"):
        essentially_solved(wrong)
