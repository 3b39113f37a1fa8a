"""Duplicate matches in which the agent in a seat draws the same random numbers at both tables of a deal."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import numpy as np
import pytest

from errai.agents.agent import MatchStart, StrategicAgent, random_number
from errai.agents.reader import read_agent
from errai.arena.luck.values import exact_value
from errai.arena.match import luck_estimator, play_match
from errai.arena.results import read_result
from errai.errors import MatchError, StrategyError
from errai.games.catalogue import load_game
from errai.games.hand import PublicState
from errai.strategies.strategy import Choices

LEDUC = load_game("leduc")


class CallsLater(StrategicAgent):
    """Plays uniformly before the public card, and only calls after it."""

    name = "calls-later"

    def __init__(self) -> None:
        self.before, self.after = (read_agent(name, LEDUC) for name in ("uniform", "always-call"))

    def strategy(self, state: PublicState) -> Choices:
        agent = self.after if state.betting.round else self.before
        assert isinstance(agent, StrategicAgent)
        return agent.strategy(state)


def test_agents_with_the_same_strategy_win_nothing_in_any_deal() -> None:
    pair = partial(read_agent, "uniform", LEDUC), partial(read_agent, "uniform", LEDUC)
    estimators = {"aivat": luck_estimator("aivat")}
    result = play_match(
        LEDUC, pair, hands=400, duplicate=True, seed=3, common_random_numbers=True, estimators=estimators
    )
    for measure in result.measures:
        assert measure.mean_chips == pytest.approx(0.0, abs=1e-12)
        assert measure.standard_error_chips == pytest.approx(0.0, abs=1e-12)
    apart = play_match(LEDUC, pair, hands=400, duplicate=True, seed=3)
    assert apart.measures[0].standard_error_chips > 0.01


def test_aivat_cancels_too_where_only_one_agent_is_imagined_at_a_time() -> None:
    game = load_game("holdem-2-1")  # its 1,225 x 1,225 pairs of hands are too many to be counted at once
    pair = partial(read_agent, "uniform", game), partial(read_agent, "uniform", game)
    estimators = {name: luck_estimator("aivat", imagined=name) for name in ("each", "first")}
    result = play_match(game, pair, hands=24, duplicate=True, seed=3, common_random_numbers=True, estimators=estimators)
    _, each, first = result.measures
    assert each.mean_chips == pytest.approx(0.0, abs=1e-9)
    assert each.standard_error_chips == pytest.approx(0.0, abs=1e-9)
    assert first.standard_error_chips > 0.01


def test_counting_the_hands_of_each_agent_in_turn_is_unbiased() -> None:
    pair = read_agent("by-strength", LEDUC), read_agent("uniform", LEDUC)
    assert isinstance(pair[0], StrategicAgent)
    assert isinstance(pair[1], StrategicAgent)
    estimators = {name: luck_estimator("aivat", imagined=name) for name in ("each", "first", "second")}
    result = play_match(LEDUC, pair, hands=300, seed=5, estimators=estimators)
    chips, each, first, second = result.measures
    assert abs(each.mean_chips - exact_value(LEDUC, (pair[0], pair[1]))) < 3.5 * each.standard_error_chips
    assert each.mean_chips == pytest.approx(0.5 * (first.mean_chips + second.mean_chips), abs=1e-9)
    assert each.standard_error_chips < chips.standard_error_chips


def test_the_mean_stays_right_and_less_luck_is_left_where_strategies_differ_late() -> None:
    uniform = read_agent("uniform", LEDUC)
    assert isinstance(uniform, StrategicAgent)
    exact = exact_value(LEDUC, (CallsLater(), uniform))
    coupled, apart = (
        play_match(LEDUC, (CallsLater(), uniform), hands=6_000, duplicate=True, seed=9, common_random_numbers=same)
        for same in (True, False)
    )
    for result in (coupled, apart):
        chips = result.measures[0]
        assert abs(chips.mean_chips - exact) < 3.5 * chips.standard_error_chips
    assert coupled.measures[0].standard_error_chips < 0.75 * apart.measures[0].standard_error_chips


def test_the_numbers_of_the_two_seats_are_independent() -> None:
    start = MatchStart(LEDUC, 11, hands=5_000, common_random_numbers=True)
    drawn = np.array([[random_number(start.key(seat, hand), 1) for hand in range(5_000)] for seat in (0, 1)])
    assert abs(np.corrcoef(drawn)[0, 1]) < 4.0 / np.sqrt(5_000)
    # Hand n of the second table has the number 5,000 + n, and its seats draw what they drew at the first.
    assert [start.key(seat, 7) for seat in (0, 1)] == [start.key(seat, 5_007) for seat in (0, 1)]
    assert start.key(0, 7) != start.key(1, 7)


def test_results_do_not_depend_on_processes_and_say_how_they_were_drawn(tmp_path: Path) -> None:
    pair = partial(read_agent, "uniform", LEDUC), partial(read_agent, "by-strength", LEDUC)
    results = [
        play_match(LEDUC, pair, hands=4_000, duplicate=True, seed=1, common_random_numbers=True, processes=processes)
        for processes in (1, 2)
    ]
    assert results[0].document() == results[1].document()
    saved = read_result(results[0].save(tmp_path / "x.match.json"))
    assert saved.common_random_numbers
    assert saved.document() == results[0].document()


def test_they_need_duplicate_play_and_a_number_of_hands() -> None:
    pair = read_agent("uniform", LEDUC), read_agent("always-call", LEDUC)
    with pytest.raises(MatchError, match="need duplicate play"):
        play_match(LEDUC, pair, hands=10, common_random_numbers=True)
    with pytest.raises(StrategyError, match="number of hands"):
        MatchStart(LEDUC, 1, common_random_numbers=True).key(0, 0)
