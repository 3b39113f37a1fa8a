"""The blueprints of the package: they exist, are small and complete, and are for the right games."""

from __future__ import annotations

import numpy as np
import pytest

from errai.agents.reader import read_agent
from errai.arena.match import play_match
from errai.blueprints.blueprint import SHIPPED, shipped_blueprint
from errai.data import shipped_file
from errai.errors import SolverOptionError, StrategyError
from errai.games.catalogue import load_game
from errai.strategies.given import read_strategy
from errai.strategies.solution import BlueprintStrategy

GAMES = {"blueprint": "holdem.limit.2p", "blueprint-nl": "holdem.nolimit.2p"}
BYTES = {"blueprint": 15_000_000, "blueprint-nl": 6_000_000}


@pytest.mark.parametrize("name", SHIPPED)
def test_they_are_whole_and_small(name):
    assert shipped_file(f"{name}.errai").stat().st_size <= BYTES[name]
    blueprint = shipped_blueprint(name)
    assert blueprint.game.digest() == load_game(GAMES[name]).digest()
    assert blueprint.abstraction.num_buckets(0) == 169
    random = np.random.default_rng(0)
    nodes = np.flatnonzero(blueprint.betting.kind == 0)
    for node in random.choice(nodes, 200):
        np.testing.assert_allclose(blueprint.node(int(node)).sum(axis=0), 1.0, rtol=1e-12)


@pytest.mark.parametrize("name", SHIPPED)
def test_they_play_and_are_asked_by_name(name):
    game = load_game(GAMES[name])
    assert isinstance(read_strategy(name, game), BlueprintStrategy)
    agent = read_agent(name, game)
    assert agent.name == name
    result = play_match(game, (agent, read_agent("uniform", game)), hands=40, duplicate=True, seed=3)
    assert result.status == "done"
    with pytest.raises(StrategyError, match="other rules"):
        read_agent(name, load_game("leduc"))


def test_aces_are_raised_and_deuces_are_not_always():
    """The button before the flop, in limit hold'em."""
    blueprint = shipped_blueprint("blueprint")
    betting = blueprint.betting
    first = betting.after_chance(0)
    kinds = [int(betting.action_kind[child]) for child in betting.children(first)]
    mixed = dict(zip(kinds, blueprint.node(first), strict=True))
    buckets = blueprint.abstraction.buckets((), 0)
    hand = {cards: buckets[index] for cards, index in (("aces", 51 * 50 // 2 + 50), ("seven deuce", 20 * 19 // 2 + 1))}
    assert mixed[2][hand["aces"]] > 0.9
    assert mixed[0][hand["aces"]] == 0.0
    assert mixed[0][hand["seven deuce"]] > 0.5


def test_other_names_are_refused():
    with pytest.raises(SolverOptionError, match="blueprint-nl"):
        shipped_blueprint("polaris")
