"""Wrong arguments of the functions for reports, locks, drills and charts: a typed error says what they are."""

from __future__ import annotations

from math import nan

import numpy as np
import pytest
from small_subjects import TURN, spot_text

import errai
from errai.arena.drill import Draws, Drill, Question
from errai.cards.flops import Flop
from errai.errors import ErraiError, InputError
from errai.games.lock_file import locks_text
from errai.games.spot import parse_spot
from errai.solutions.categories import narrowed
from errai.solutions.relative_locks import relative_locks
from errai.solving.estimate import fits
from errai.solving.flop_report import report
from errai.solving.preflop import preflop

FLOP = Flop((45, 22, 1), 1.0)
SPOT = parse_spot(spot_text("Ks 7h 2d", "AA, KQs", "KK, AQs", raises=""))


@pytest.fixture(scope="module")
def solution():
    return errai.solve(parse_spot(TURN), max_iterations=20, threads=1)


@pytest.mark.parametrize(
    ("wrong", "wanted"),
    [
        ({"flops": 25.0}, "at least one flop, each of the class Flop"),
        ({"flops": "Ks7h2d"}, "at least one flop, each of the class Flop"),
        ({"flops": [Flop((45, 22, 1), nan)]}, "The weight of .* is nan"),
        ({"flops": [Flop((45, 22, 1), 0.0)]}, "The weight of .* is 0"),
        ({"flops": [FLOP, FLOP]}, "A flop is asked for twice"),
        ({"lines": [1]}, "A text was expected, not 1"),
        ({"target": 5}, "5 is not a target"),
        ({"locks": "locks.toml"}, "Locks are a table for each line"),
        ({"processes": 1.5}, "The number of processes is 1.5"),
    ],
)
def test_reports(tmp_path, wrong, wanted):
    with pytest.raises(ErraiError, match=wanted):
        report(SPOT, wrong.pop("flops", [FLOP]), folder=tmp_path / "report", **wrong)
    assert not (tmp_path / "report").exists()


@pytest.mark.parametrize(
    ("ask", "wanted"),
    [
        (lambda s: s.at(None), "A text was expected, not None"),
        (lambda s: s.root[5], "A text was expected, not 5"),
        (lambda s: relative_locks(s, None, "never", "bet"), "A text was expected, not None"),
        (lambda s: relative_locks(s, "check", "more", 5), "is a text such as 'fold \\+25%', not 5"),
        (lambda s: relative_locks(s, "check", "never", "bet", hands=np.ones(3)), "A text was expected, not an array"),
        (lambda s: relative_locks(s, "check", "never", "bet", equity=(0, 0.5, 1)), "is two numbers, not"),
        (lambda s: locks_text({"check": {"AA": {"check": nan}}}), "The frequency of 'check' is nan"),
        (lambda s: locks_text({5: {"AA": {"check": 1}}}), "A line of locks must be a text"),
        (lambda s: narrowed(s.root, np.ones(3, bool)), "for each of 1326 hands, not an array of bool"),
        (lambda s: Draws(s, seed=-1), "The seed is -1"),
        (lambda s: Draws(s, board=["As"]), "A text was expected"),
        (lambda s: Drill(s, [], number=nan), "The number of decisions is nan"),
        (lambda s: Drill(s, [], number=1).answer(Question("", "QcQd"), -1), "The place of the action is -1"),
        (lambda s: Drill(s, [], number=1).answer(Question("", "QsQd"), 0), "QsQd cannot be held"),
        (lambda s: fits(s.subject, seconds=nan), "The time in seconds is nan"),
        (lambda s: preflop("10"), "The stack in big blinds is '10'"),
        (lambda s: preflop(10, 5), "A menu is push, or a text"),
    ],
)
def test_solutions(solution, ask, wanted):
    with pytest.raises(InputError, match=wanted):
        ask(solution)
