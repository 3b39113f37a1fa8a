"""Solutions: their attributes, and that their certificates hold."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

import errai
from errai.engine.certificate import StrategyProfile
from errai.engine.schedules import DEFAULT
from errai.engine.strategy import board_block
from errai.engine.units import Exploitability
from errai.games.spot import parse_spot
from errai.solutions.solution import Solution, profile_values

TURN = """
title = "A turn"
board = "Qs Jh 2s 8h"
pot = 100
stack = 200
big_blind = 2
[ranges]
oop = "QQ, T9s, AKo:0.5"
ip = "22, AKs"
[bets]
bet = "100%"
raise = "a"
"""


@cache
def solved(name: str, encoding: str | None = None) -> Solution:
    subject = parse_spot(TURN) if name == "turn" else errai.load_game(name)
    return errai.solve(subject, max_iterations=20, encoding=encoding, threads=1, seed=5)


@pytest.mark.parametrize("encoding", ["float64", "float32", "uint16"])
@pytest.mark.parametrize("name", ["leduc", "turn"])
def test_certificates_are_of_the_strategy_as_it_is_returned(name: str, encoding: str) -> None:
    solution = solved(name, encoding)
    assert solution.encoding == encoding
    assert {str(a.dtype) for pair in solution.strategy for a in pair} == {encoding}
    check = solution.verify()
    assert check
    assert check.certified
    assert check.certificate is solution.exploitability
    assert check.recomputed == solution.exploitability
    # The curve is of the solver's own average, before it was rounded.
    assert solution.curve[-1, 2] == pytest.approx(solution.exploitability.chips, rel=1e-3)


@pytest.mark.parametrize("changed", ["chips", "first", "second", "value", "strategy"])
def test_a_wrong_certificate_is_not_verified(changed: str) -> None:
    solution = replace(solved("leduc"))
    found = solution.exploitability
    if changed == "strategy":
        solution.strategy = [[a.copy() for a in pair] for pair in solution.strategy]
        rows = board_block(solution.tree, solution.strategy, 0, 0, 0)
        rows[0, 0], rows[1, 0] = rows[1, 0], rows[0, 0]
    elif changed == "value":
        value = solution.values.chips[0] + 1e-6
        solution.values = replace(solution.values, chips=(value, -value))
    else:
        gains = list(found.by_player)
        if changed != "chips":
            gains[changed == "second"] -= 1e-6
        chips = found.chips - 1e-6 if changed == "chips" else found.chips
        solution.exploitability = Exploitability(chips, found.units, (gains[0], gains[1]))
    check = solution.verify()
    assert not check
    assert check.recomputed.chips > 0


def test_a_solution_of_a_spot_says_what_it_is() -> None:
    solution = solved("turn")
    assert solution.title == "A turn"
    assert isinstance(solution.subject, errai.Spot)
    assert solution.board == solution.deck.parse_cards("Qs Jh 2s 8h")
    assert solution.initial_pot_chips == 100
    assert solution.units.big_blind_chips == 2
    assert solution.exploitability.mbb == pytest.approx(500 * solution.exploitability.chips)
    assert sum(solution.values.chips) == pytest.approx(100)
    assert solution.menu is None
    assert solution.information_sets > solution.canonical_information_sets


def test_a_solution_of_a_game_says_what_it_is() -> None:
    solution = solved("leduc")
    assert solution.title == "Leduc hold'em"
    assert isinstance(solution.subject, errai.Game)
    assert solution.board == ()
    assert (solution.information_sets, solution.canonical_information_sets) == (936, 288)
    assert sum(solution.values.chips) == pytest.approx(0)
    net = StrategyProfile(solution.tree, solution.kernel, solution.strategy).values()
    assert profile_values(solution.tree, net) == solution.values
    assert (solution.status, solution.iterations) == ("iteration limit", 20)
    assert solution.seconds > 0
    assert solution.memory_bytes > 0
    assert solution.schedule["name"] == DEFAULT
    settings = solution.settings
    assert (settings["backend"], settings["threads"], settings["seed"]) == ("cpu", 1, 5)
    assert (settings["precision"], settings["strategy"], settings["target"]) == ("float64", "average", None)
    assert settings["errai"] == errai.__version__
    assert {"python", "numpy", "instruction_set"} <= settings.keys()
    assert repr(solution).startswith("<Solution of Leduc hold'em: exploitability ")
    assert "20 iterations" in repr(solution)


def test_the_curve_has_documented_columns() -> None:
    curve = solved("leduc").curve
    assert curve.shape == (len(curve), 3)
    assert curve.dtype == np.float64
    assert curve[-1, 0] == 20
    assert (np.diff(curve[:, :2], axis=0) > 0).all()


def test_nodes_are_reached_from_the_solution() -> None:
    solution = solved("turn")
    assert solution.root is solution.root
    assert solution["check"].line == solution.root["check"].line == solution.at("check").line == "check"
    assert solution.at().node == 0


def test_solutions_and_nodes_draw_themselves_in_a_notebook() -> None:
    solution = solved("turn")
    assert "<" in solution._repr_html_()
    assert "<" in solution.root._repr_html_()
