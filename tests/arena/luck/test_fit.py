"""Whether actions fit the strategy that an agent gives."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import errai
from errai.agents.agent import StrategicAgent, number_of_hand
from errai.agents.reader import read_agent
from errai.arena.luck.fit import Fit, misfits
from errai.arena.match import luck_estimator, play_match
from errai.arena.results import MatchResult, read_result
from errai.games.hand import CALL, FOLD, Action, Observation, PublicState, raise_to
from errai.strategies.strategy import Choices

LEDUC = errai.load_game("leduc")
STREETS = ("round 1", "round 2")


class Other(StrategicAgent):
    """Says that it plays uniformly, and does what one of its subclasses says."""

    name = "other"

    def strategy(self, state: PublicState) -> Choices:
        actions = state.legal_actions
        return Choices(actions, np.full((6, len(actions)), 1.0 / len(actions)))


class Calls(Other):
    def act(self, observation: Observation) -> Action:
        return CALL


class ByHand(Other):
    """Raises with the better hands and calls with the others, each action as often as it says."""

    def act(self, observation: Observation) -> Action:
        actions = observation.state.legal_actions
        rank = number_of_hand(observation.cards) // 2
        return actions[min(rank, len(actions) - 1)]


class Changing(StrategicAgent):
    """Gives other probabilities whenever it is asked."""

    name = "changing"

    def __init__(self) -> None:
        self.rng = np.random.default_rng(1)

    def strategy(self, state: PublicState) -> Choices:
        actions = state.legal_actions
        row = self.rng.dirichlet(np.ones(len(actions)))
        return Choices(actions, np.tile(row, (6, 1)))


def match(agent: object, hands: int = 250, kind: str = "aivat", **options: object) -> MatchResult:
    estimators = {kind: luck_estimator(kind)}  # type: ignore[arg-type]
    return play_match(LEDUC, (agent, "uniform"), hands=hands, estimators=estimators, **options)  # type: ignore[arg-type]


@pytest.mark.parametrize(("agent", "hands", "kind"), [(Calls, 250, "aivat"), (ByHand, 1_000, "importance")])
def test_actions_that_do_not_fit_are_reported_with_the_figure(agent: type[Other], hands: int, kind: str) -> None:
    result = match(agent(), hands, kind)
    assert [found.player for found in result.misfits] == ["other"]
    found = result.misfits[0]
    assert abs(found.taken - found.expected) > 4 * found.standard_deviation
    assert f"it did so {found.taken:,} times" in str(found)


@pytest.mark.parametrize("duplicate", [False, True])
def test_agents_that_draw_from_their_strategy_are_not_reported(duplicate: bool) -> None:
    for seed in range(2):
        result = match(Other(), 400, seed=seed, duplicate=duplicate, common_random_numbers=duplicate)
        assert result.misfits == ()


def test_false_alarms_are_rarer_than_promised() -> None:
    rng = np.random.default_rng(0)
    alarms = 0
    for _ in range(300):
        fit = Fit(2)
        for _ in range(100):
            row = rng.dirichlet([0.3, 0.3, 0.3])
            actions = (FOLD, CALL, raise_to(4))
            said = dict(zip(actions, row.tolist(), strict=True))
            fit.count(0, 0, 0, said, actions[rng.choice(3, p=row)])
        alarms += bool(misfits(fit.tally, ("first", "second"), STREETS))
    assert alarms == 0


def test_the_tally_does_not_depend_on_how_the_match_is_divided(tmp_path: Path) -> None:
    whole = match(Calls())
    state = tmp_path / "match.checkpoint"
    stop = errai.StopToken()

    def some(progress: object) -> None:
        if progress.hands > 50:  # type: ignore[attr-defined]
            stop.set()

    match(Calls(), checkpoint=state, stop=stop, progress=some)
    resumed = match(Calls(), checkpoint=state, resume=True)
    assert resumed.misfits == whole.misfits
    assert match(read_agent("uniform", LEDUC)).misfits == ()


def test_files_keep_the_misfit(tmp_path: Path) -> None:
    result = match(Calls())
    path = result.save(tmp_path / "a.match.json")
    assert read_result(path).misfits == result.misfits
    assert json.loads(path.read_text())["misfits"][0]["text"] == str(result.misfits[0])


@pytest.mark.parametrize("use", ["match", "exploitability", "function"])
def test_a_strategy_that_changes_its_mind_is_refused(use: str) -> None:
    wanted = r"was asked twice at .* gave two answers: it would .* with .* with a probability of 0\.\d+, and then of"
    if use == "match":
        with pytest.raises(errai.ErraiError, match=wanted):
            match(Changing())
    else:
        agent = Changing()
        given = agent if use == "exploitability" else agent.strategy
        with pytest.raises(errai.ErraiError, match=wanted):
            errai.exploitability(LEDUC, given)
