"""A blueprint at the table: the strategy it says it plays is the one in its file."""

from __future__ import annotations

import numpy as np
import pytest
from small_subjects import subject

from errai.agents.blueprint import BlueprintAgent
from errai.agents.reader import read_agent
from errai.errors import StrategyError
from errai.games.hand import PublicState
from errai.solvers.bucketed.train import train


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    path = tmp_path_factory.mktemp("blueprint") / "leduc.errai"
    blueprint = train(subject("leduc"), "identity", "full", max_iterations=20, threads=1)
    blueprint.save(path)
    return path, blueprint


def test_it_plays_its_file(saved):
    path, blueprint = saved
    game = subject("leduc")
    agent = read_agent(f"blueprint:{path}", game)
    assert isinstance(agent, BlueprintAgent)
    choices = agent.strategy(PublicState.start(game))
    buckets = blueprint.abstraction.buckets((), 0)
    np.testing.assert_allclose(choices.probabilities, blueprint.node(0)[:, buckets].T, atol=1e-6)


def test_it_plays_no_other_game(saved):
    path, _ = saved
    with pytest.raises(StrategyError, match="other rules"):
        read_agent(f"blueprint:{path}", subject("kuhn"))
    with pytest.raises(StrategyError, match="no file"):
        read_agent("blueprint:nowhere.errai", subject("leduc"))
