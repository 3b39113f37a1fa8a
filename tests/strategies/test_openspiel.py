"""Policies and tables from and to OpenSpiel: the same exploitability on both sides, to 1e-9."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pyspiel
import pytest
from open_spiel.python import policy as spiel_policy
from open_spiel.python.algorithms import cfr, expected_game_score
from open_spiel.python.algorithms import exploitability as spiel_exploitability

import errai
from errai.errors import StrategyError
from errai.games.game import Game
from errai.games.hand import PublicState
from errai.strategies import openspiel
from errai.strategies.given import as_strategy
from errai.strategies.openspiel import spiel_game
from errai.strategies.to_openspiel import openspiel_policy, openspiel_table

LEDUC = errai.load_game("leduc")
EVERY_BET = "1c, 2c, 3c, 4c"


def small(name: str) -> tuple[Game, str | None]:
    """A game that OpenSpiel walks in a second, and a menu that has all of its bets."""
    if name in ("kuhn", "leduc"):
        return errai.load_game(name), None
    if name == "limit, two cards":
        return (
            replace(
                LEDUC, name=name, blinds=(2, 1), first_player=(1, 0), raise_sizes=(2, 4), max_raises=(1, 1),
                num_hole_cards=2, num_board_cards=(0, 1),
            ),
            None,
        )  # fmt: skip
    game = replace(
        LEDUC, name=name, limit=False, stacks=(5, 5), blinds=(2, 1), first_player=(1, 0), max_raises=(255, 255),
        raise_sizes=(),
    )  # fmt: skip
    return game, EVERY_BET


SMALL = ["kuhn", "leduc", "limit, two cards", "no-limit"]


@pytest.mark.parametrize("name", SMALL)
def test_a_solution_is_as_exploitable_in_openspiel(name: str) -> None:
    game, menu = small(name)
    solution = errai.solve(game, max_iterations=15, menu=menu, encoding="float64", precision="float64")
    policy = openspiel_policy(solution)
    assert isinstance(policy, spiel_policy.Policy)
    tabular = policy.to_tabular()
    theirs = spiel_exploitability.exploitability(policy.game, tabular)
    assert theirs == pytest.approx(solution.exploitability.chips, abs=1e-9)
    worth = expected_game_score.policy_value(policy.game.new_initial_state(), [policy, policy])
    assert worth == pytest.approx(solution.values.chips, abs=1e-9)
    # There and back.
    for given in (policy, tabular, tabular.to_dict()):
        back = errai.exploitability(game, given, menu=menu)
        assert back.by_player == pytest.approx(solution.exploitability.by_player, abs=1e-9)


@pytest.mark.parametrize("name", SMALL)
def test_what_openspiel_has_found_is_as_exploitable_here(name: str) -> None:
    game, menu = small(name)
    theirs = spiel_game(game)
    solver = cfr.CFRPlusSolver(theirs)
    for _ in range(3):
        solver.evaluate_and_update_policy()
    policy = solver.average_policy()
    expected = spiel_exploitability.nash_conv(theirs, policy)
    for given in (policy, as_strategy(policy, game, menu)):
        assert errai.exploitability(game, given, menu=menu).nash_conv == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("name", ["kuhn", "leduc"])
def test_tables_without_openspiel(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    game = errai.load_game(name)
    solution = errai.solve(game, max_iterations=20)
    theirs = openspiel_policy(solution).to_tabular()
    monkeypatch.setattr(openspiel, "imported", lambda module: pytest.fail(f"{module} was imported"))
    table = openspiel_table(solution)
    assert set(table) == set(theirs.state_lookup)
    for text, row in theirs.state_lookup.items():
        for number, probability in table[text]:
            assert theirs.action_probability_array[row, number] == pytest.approx(probability, abs=1e-12)
    assert errai.exploitability(game, table).chips == pytest.approx(solution.exploitability.chips, abs=1e-9)
    in_c = pyspiel.TabularPolicy(table)
    found = pyspiel.exploitability(pyspiel.load_game(openspiel.NAMES[name]), in_c)
    assert found == pytest.approx(solution.exploitability.chips, abs=1e-9)


def test_any_strategy_is_a_policy() -> None:
    def hopeful(state: PublicState, hand: tuple[int, ...]) -> np.ndarray:
        share = (1 + hand[0]) / (2.0 + len(state.line) + hand[0])
        actions = len(state.legal_actions)
        return share * np.eye(actions)[-1] + (1 - share) / actions

    for given in ("uniform", "by-strength:3", hopeful):
        expected = errai.exploitability(LEDUC, given).nash_conv
        policy = openspiel_policy(given, LEDUC).to_tabular()
        assert spiel_exploitability.nash_conv(policy.game, policy) == pytest.approx(expected, abs=1e-9)


def test_only_decisions_have_probabilities() -> None:
    policy = openspiel_policy("uniform", LEDUC)
    with pytest.raises(StrategyError, match="No player acts"):
        policy.action_probabilities(policy.game.new_initial_state())


@pytest.mark.parametrize(
    ("game", "message"),
    [
        (errai.load_game("rhode-island"), "three-card ranking"),
        (replace(LEDUC, stacks=(9, 9)), "limit game with stacks"),
        (errai.load_spot("examples/river.toml"), "not spots"),
    ],
)
def test_games_that_openspiel_lacks_are_named(game: Any, message: str) -> None:
    with pytest.raises(StrategyError, match=message):
        openspiel_policy("uniform", game)
    with pytest.raises(StrategyError, match=message):
        openspiel_table("uniform", game)


def test_policies_of_other_games_are_refused() -> None:
    game, menu = small("no-limit")
    deeper = spiel_policy.UniformRandomPolicy(spiel_game(replace(game, stacks=(6, 6))))
    with pytest.raises(StrategyError, match="with stack=6 6; this game has stack=5 5"):
        errai.exploitability(game, deeper, menu=menu)
    for other in ("kuhn_poker(players=3)", "leduc_poker"):
        with pytest.raises(StrategyError, match="not for 'kuhn_poker' with two players"):
            errai.exploitability(errai.load_game("kuhn"), spiel_policy.UniformRandomPolicy(pyspiel.load_game(other)))


def test_what_cannot_be_written_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(StrategyError, match="does not know its game"):
        openspiel_policy("uniform")
    with pytest.raises(StrategyError, match="to_tabular"):
        openspiel_table("uniform", errai.load_game("leduc.nolimit"))

    def missing(module: str) -> Any:
        raise ImportError(module)

    monkeypatch.setattr(openspiel, "import_module", missing)
    with pytest.raises(StrategyError, match="pip install open_spiel"):
        openspiel_policy("uniform", LEDUC)
