"""The chain of blueprints: what is refused, and that the same call resumes."""

import numpy as np
import pytest

from errai.abstraction.plan import AbstractionPlan, RoundPlan
from errai.blueprints import generations
from errai.blueprints.blueprint import load_blueprint
from errai.blueprints.generations import GENERATIONS, Generation, chain, train_generation
from errai.cli.main import main
from errai.errors import SolverOptionError
from errai.games.catalogue import load_game
from errai.strategies.given import given_strategy

SMALL = Generation(AbstractionPlan((RoundPlan(3), RoundPlan(4)), perfect=True), "a small one", iterations=30)


@pytest.fixture
def small(monkeypatch):
    monkeypatch.setattr(generations, "chain", lambda game, number: SMALL)
    return load_game("holdem-2-1")


@pytest.mark.parametrize("number", sorted(GENERATIONS))
def test_each_is_one_of_limit_holdem(number):
    game = load_game("holdem.limit.2p")
    assert len(chain(game, number).plan.rounds) == game.num_rounds


def test_other_games_and_numbers_are_refused():
    with pytest.raises(SolverOptionError, match="has 1, 2"):
        chain(load_game("holdem.limit.2p"), 9)
    for name in ("leduc", "holdem.nolimit.2p", "holdem-2-1"):
        with pytest.raises(SolverOptionError, match="limit hold'em"):
            chain(load_game(name), 1)


def test_the_same_call_resumes_an_interrupted_run(small, tmp_path):
    whole = train_generation(small, 1, tmp_path / "whole", threads=1)
    train_generation(small, 1, tmp_path / "parts", threads=1, max_iterations=10)
    resumed = train_generation(small, 1, tmp_path / "parts", threads=1)
    assert resumed.facts["iterations"] == whole.facts["iterations"] == 30
    for ours, theirs in zip(resumed.steps, whole.steps, strict=True):
        for mine, other in zip(ours, theirs, strict=True):
            np.testing.assert_array_equal(mine, other)


def test_its_file_needs_no_other(small, tmp_path):
    made = train_generation(small, 1, tmp_path / "parts", threads=1, max_iterations=5)
    made.save(tmp_path / "one.errai", whole=True)
    held = load_blueprint(tmp_path / "one.errai")
    assert [held.abstraction.num_buckets(street) for street in (0, 1)] == [3, 12]
    given_strategy(held, small)


def test_settings_that_it_has_itself_are_refused(tmp_path, capsys):
    arguments = ["train", "holdem.limit.2p", "--generation", "1", "-o", str(tmp_path / "a.errai")]
    assert main([*arguments, "--weights", "cfr"]) == 1
    assert "leave --weights out" in capsys.readouterr().err
    assert not list(tmp_path.iterdir())
