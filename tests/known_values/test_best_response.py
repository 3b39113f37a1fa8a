"""Exploitabilities of simple strategies: in full heads-up limit hold'em as published, elsewhere as in OpenSpiel.

Johanson, Waugh, Bowling & Zinkevich, "Accelerating best response calculation in large extensive games" (IJCAI 2011), in
mbb a hand: always fold 750, always call 1163.476, half call and half raise 2406.551.
"""

from __future__ import annotations

import numpy as np
import pyspiel
import pytest
from open_spiel.python import policy
from open_spiel.python.algorithms import exploitability as spiel_exploitability

import errai
from errai.responses.response import best_response
from errai.responses.work import ResponseTask
from errai.strategies.blind import Mixture

HOLDEM = errai.load_game("holdem.limit.2p")


@pytest.mark.parametrize(("spiel", "name"), [("leduc_poker", "leduc"), ("kuhn_poker", "kuhn")])
def test_the_uniform_strategy_as_in_openspiel(spiel, name) -> None:
    game = pyspiel.load_game(spiel)
    expected = spiel_exploitability.exploitability(game, policy.UniformRandomPolicy(game))
    result = best_response(errai.load_game(name), "uniform", processes=1)
    assert result.exploitability.chips == pytest.approx(expected, abs=1e-9)


def test_always_fold_without_a_flop() -> None:
    """The small blind folds at once: 500 mbb.  The big blind folds to any raise: 1,000.  So 750, whatever the flops."""
    task = ResponseTask(HOLDEM, Mixture(1, 0, 0))
    bets_and_calls = np.zeros((task.trunk.lines.num_leaves, task.trunk.boards.size(0)))
    won = [task.trunk.respond(p, bets_and_calls)[0] for p in (0, 1)]
    assert won == pytest.approx([5.0, 10.0], abs=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("strategy", "mbb"),
    [("always-fold", 750.0), ("always-call", 1163.476), ("call=0.5,raise=0.5", 2406.551)],
)
def test_full_limit_holdem(strategy, mbb) -> None:
    """Six to twelve minutes each on one core."""
    result = best_response(HOLDEM, strategy)
    assert result.exact
    assert result.exploitability.mbb == pytest.approx(mbb, abs=0.0005)


@pytest.mark.slow
@pytest.mark.parametrize(("flop", "raises"), [(3, 0.5), (400, 0.5), (900, 0.5), (1300, 0.3)])
def test_the_short_cut_on_flops_of_holdem(flop: int, raises: float) -> None:
    """Two minutes a flop on one core, to which the short cut adds a fifth of a second."""
    mixture = Mixture(0, 1 - raises, raises)
    short, every = ResponseTask(HOLDEM, mixture), ResponseTask(HOLDEM, mixture, general=True)
    for merged, lines in zip(short.values(flop), every.values(flop), strict=True):
        assert np.abs(merged - lines).max() <= 1e-9 * np.abs(lines).max()


def test_a_flop_of_the_two_round_game() -> None:
    game = errai.load_game("holdem-2-4")
    for strategy in (Mixture(0.1, 0.4, 0.5), Mixture(0, 1, 0)):
        short, every = ResponseTask(game, strategy), ResponseTask(game, strategy, general=True)
        for unit in (3, 900, 1754):
            for merged, lines in zip(short.values(unit), every.values(unit), strict=True):
                assert np.abs(merged - lines).max() <= 1e-9 * np.abs(lines).max()
