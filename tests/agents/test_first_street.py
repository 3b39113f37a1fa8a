"""Playing a saved solution of the first street, and re-solving from the flop on with what it knows."""

from __future__ import annotations

import pickle
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import errai
from errai.agents.deepstack import DeepStackOptions, FirstStreetAgent, deepstack
from errai.agents.reader import read_agent
from errai.agents.resolver import ResolverAgent
from errai.errors import StrategyError
from errai.games.hand import CALL, PublicState, raise_to
from errai.nets.below.leaves import NetLeafValues
from errai.nets.predictors import find_predictor
from errai.solutions.solution import Solution
from errai.strategies.strategy import live_hands
from tests.support.fitting_net import HOLDEM, Fitting, meeting

FLOP = (3, 17, 30)


@pytest.fixture(scope="module")
def first_street(tmp_path_factory: pytest.TempPathFactory) -> Solution:
    """From a file, because the iterations of a user's solution come from one."""
    path = tmp_path_factory.mktemp("first") / "first.errai"
    errai.preflop(200, "a", leaf_values=NetLeafValues(Fitting(), threads=1), max_iterations=3, threads=1).save(path)
    return errai.load_solution(path)


def _agent(first_street: Solution, **options: object) -> ResolverAgent:
    chosen = DeepStackOptions(**{"iterations": 3, "seconds": 1_000.0, "threads": 1, "menu": "a", **options})  # type: ignore[arg-type]
    blueprint = read_agent("always-call", HOLDEM)
    agent = deepstack(HOLDEM, [find_predictor("check-down", HOLDEM, 2), Fitting()], chosen, blueprint, first_street)  # type: ignore[arg-type]
    assert isinstance(agent, ResolverAgent)
    return agent


def test_before_the_flop_it_plays_the_solution(first_street: Solution) -> None:
    agent = _agent(first_street)
    state = PublicState.start(HOLDEM)
    node = first_street.root
    choices = agent.strategy(state)
    np.testing.assert_allclose(choices.probabilities, node.strategies, atol=1e-7)
    # A raise that the solution lacks is translated, as in any solution.
    asked = agent.strategy(state.after(raise_to(300)))
    assert asked.probabilities.sum(axis=1) == pytest.approx(1.0)


def test_on_the_flop_the_opponent_is_held_to_the_means_of_the_iterations(first_street: Solution) -> None:
    """The network is linear in the opponent's range, so its mean is what it says of the mean range, as weighted."""
    agent = _agent(first_street)
    root = PublicState.start(HOLDEM).after(CALL).after(CALL).dealt(FLOP)
    start = agent.start(root)
    assert start.values is not None
    history = first_street.history
    assert history is not None
    live = live_hands(root)
    limped = first_street.root.after(CALL)
    assert limped is not None
    limped = limped.after(CALL)
    assert limped is not None
    for player, sign in ((0, 1.0), (1, -1.0)):
        own = start.ranges[1 - player]
        # The average strategy is weighted like the means, so the opponent's range there is the solution's.
        opponents = np.where(live, np.nan_to_num(limped.ranges[1 - player]), 0.0)
        expected = sign * (root.subject.stacks[0] - 100 + 0.25 * 200) * meeting(np.arange(1326), opponents)  # type: ignore[union-attr]
        expected = np.where(live, expected * own.sum() / opponents.sum(), 0.0)
        np.testing.assert_allclose(start.values[player], expected, rtol=2e-3, atol=2e-3 * np.abs(expected).max())
    # Both seats solve under the gadget: no solve is made only for the values.
    for state in (root, root.after(CALL)):
        choices = agent.strategy(state)
        assert choices.probabilities[live].sum(axis=1) == pytest.approx(1.0)
        node = agent.player.node(state)
        assert node is not None
        solved = node.solution
        assert isinstance(solved, Solution)
        assert solved.entering is not None
    assert agent.player.solves == 2


def test_after_a_bet_that_the_solution_lacks_the_network_gives_the_first_values(first_street: Solution) -> None:
    agent = _agent(first_street)
    root = PublicState.start(HOLDEM).after(raise_to(300)).after(CALL).dealt(FLOP)
    begun = agent.start(root)
    assert begun.values is not None
    assert begun.opened
    for player in (0, 1):
        once = agent.player.settings.below.values(root, begun.ranges, player)  # type: ignore[union-attr]
        assert np.array_equal(begun.values[player], once)
    assert agent.strategy(root).probabilities[live_hands(root)].sum(axis=1) == pytest.approx(1.0)


def test_another_process_plays_the_same(first_street: Solution) -> None:
    agent = _agent(first_street)
    copied = pickle.loads(pickle.dumps(agent))
    for state in (PublicState.start(HOLDEM), PublicState.start(HOLDEM).after(CALL).after(CALL).dealt(FLOP)):
        assert np.array_equal(copied.strategy(state).probabilities, agent.strategy(state).probabilities)


def test_what_cannot_be_played_is_refused(first_street: Solution, tmp_path: Path) -> None:
    blueprint = read_agent("always-call", HOLDEM)
    with pytest.raises(StrategyError, match="another game"):
        FirstStreetAgent(first_street, errai.load_game("leduc.nolimit"), blueprint)  # type: ignore[arg-type]
    with pytest.raises(StrategyError, match="errai preflop"):
        FirstStreetAgent(replace(first_street, history=None), HOLDEM, blueprint)  # type: ignore[arg-type]
    with pytest.raises(StrategyError, match="Only hold'em"):
        deepstack(errai.load_game("leduc.nolimit"), preflop=first_street)
    with pytest.raises(StrategyError, match="does not have: name its file"):
        deepstack(HOLDEM, [find_predictor("check-down", HOLDEM, 2)], None, blueprint, first_street)  # type: ignore[arg-type]
    exact = tmp_path / "exact.errai"
    errai.preflop(10).save(exact)
    for text, message in (
        (f"deepstack:preflop={exact}:always-call", "another game"),
        (f"deepstack:preflop={tmp_path / 'none.errai'}:always-call", "none.errai"),
    ):
        with pytest.raises(errai.ErraiError, match=message):
            read_agent(text, HOLDEM)
