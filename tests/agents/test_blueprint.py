"""A blueprint as an agent: the strategy it reports is the one in its file."""

from __future__ import annotations

import numpy as np
import pytest
from small_subjects import subject

from errai.abstraction.translation import pseudo_harmonic
from errai.agents.reader import read_agent
from errai.agents.solved import BlueprintAgent
from errai.blueprints.train import train
from errai.errors import StrategyError
from errai.games.hand import CALL, FOLD, PublicState, raise_to


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


def test_it_takes_bets_that_it_lacks_for_others_as_asked(tmp_path):
    game, path = subject("leduc.nolimit"), tmp_path / "nl.errai"
    menu = "100%, a | a"
    train(game, "identity", "full", max_iterations=10, menu=menu, threads=1).save(path)
    drawn = read_agent(f"blueprint:{path}", game)
    hard = read_agent(f"blueprint:translation=nearest-pseudo-harmonic:{path}", game)
    start = PublicState.start(game)
    # Three quarters of the pot lie between a check and the pot; its border is a third.
    bet, pot, check = (drawn.strategy(start.after(action)) for action in (raise_to(250), raise_to(300), CALL))
    assert bet.actions[:2] == pot.actions[:2] == (FOLD, CALL)
    share = pseudo_harmonic(0.75, 0.0, 1.0)
    folds = pot.probabilities[:, 0]
    np.testing.assert_allclose(bet.probabilities[:, 0], (1 - share) * folds, atol=1e-12)
    assert folds.max() > 0.1
    np.testing.assert_allclose(hard.strategy(start.after(raise_to(250))).probabilities[:, 0], folds, atol=1e-12)
    raises = bet.probabilities[:, 2:].sum(axis=1) - (1 - share) * pot.probabilities[:, 2:].sum(axis=1)
    np.testing.assert_allclose(raises, share * check.probabilities[:, 1:].sum(axis=1), atol=1e-12)
    with pytest.raises(StrategyError, match="not an option of blueprint"):
        read_agent(f"blueprint:translation=nearest:{path}", game)
