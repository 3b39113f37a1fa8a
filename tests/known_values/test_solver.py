"""The solver against published numbers, the linear program, the plain walk over real hands, and OpenSpiel."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyspiel
import pytest
from open_spiel.python import policy
from open_spiel.python.algorithms import exploitability as spiel_exploitability
from real_play import plain
from small_subjects import SHORT_TURN, WEIGHTED_RIVER

import errai
from errai.cards.hands import hand_cards
from errai.games.spot import Spot, parse_spot
from errai.judges.sequence_form import sequence_form_lp
from errai.solutions.node import SolutionNode

# Recomputed for Errai's fact sheet; CFR and CFR+ agree with OpenSpiel there.
LEDUC_CURVES = {
    "cfr": (0.888579, 0.453146),
    "cfr+": (0.610439, 0.173655),
    "dcfr": (0.778802, 0.166797),
}
# Nuts or air against a bluff-catcher, one bet of b into P on the river.
POLAR = """
board = "Qs Qh 7c 7d 2s"
pot = 100
stack = {bet}
[ranges]
oop = "QcQd, 54s"
ip = "AcAd"
[bets]
bet = ""
oop.bet = "a"
raise = ""
"""


@pytest.mark.parametrize("backend", ["cpu", "reference"])
@pytest.mark.parametrize("algorithm", list(LEDUC_CURVES))
def test_leduc_curves_to_five_digits(algorithm: str, backend: str) -> None:
    for iterations, expected in zip((10, 20), LEDUC_CURVES[algorithm], strict=True):
        solution = errai.solve(
            errai.load_game("leduc"), algorithm=algorithm, max_iterations=iterations, backend=backend
        )
        assert solution.iterations == iterations
        assert solution.exploitability.chips == pytest.approx(expected, abs=5.1e-7)


@pytest.mark.parametrize(("algorithm", "expected"), [("cfr", 0.0957164), ("cfr+", 0.013416), ("dcfr", 0.00775898)])
def test_leduc_after_a_hundred_iterations(algorithm: str, expected: float) -> None:
    solution = errai.solve(errai.load_game("leduc"), algorithm=algorithm, max_iterations=100)
    assert solution.exploitability.chips == pytest.approx(expected, rel=2e-3)  # chaos begins about here


def test_on_leduc_the_current_strategy_is_far_worse_than_the_average() -> None:
    average, current = (
        errai.solve(errai.load_game("leduc"), algorithm="cfr+", max_iterations=1000, strategy=which)
        for which in ("average", "current")
    )
    assert current.exploitability.chips > 10 * average.exploitability.chips


def test_uniform_leduc_is_exploitable_by_the_published_amount() -> None:
    solution = errai.solve(errai.load_game("leduc"), max_iterations=1)
    # The average after one iteration is the strategy of that iteration, which is uniform.
    assert solution.exploitability.chips == pytest.approx(2.373611, abs=5e-7)


def test_kuhn() -> None:
    solution = errai.solve(errai.load_game("kuhn"), "0.001mbb", algorithm="cfr+")
    assert solution.information_sets == 12
    assert solution.values.chips[0] == pytest.approx(-1 / 18, abs=2e-6)
    # The deck's top ranks: jack, queen, king of the literature are Q, K, A here.
    alpha = solution.root.strategy("Qs")["bet 1"]
    assert -1e-3 <= alpha <= 1 / 3 + 1e-3
    assert solution.root.strategy("As")["bet 1"] == pytest.approx(3 * alpha, abs=5e-3)
    assert solution.root.strategy("Ks")["bet 1"] == pytest.approx(0, abs=5e-3)
    assert solution["check"]["bet 1"].strategy("Ks")["call"] == pytest.approx(alpha + 1 / 3, abs=5e-3)
    assert solution["check"].strategy("Qs")["bet 1"] == pytest.approx(1 / 3, abs=5e-3)
    assert solution["bet 1"].strategy("Ks")["call"] == pytest.approx(1 / 3, abs=5e-3)


def test_leduc_value_and_sizes() -> None:
    solution = errai.solve(errai.load_game("leduc"), "0.01mbb")
    assert solution.information_sets == 936
    assert solution.canonical_information_sets == 288
    assert solution.values.chips[0] == pytest.approx(-0.085606424078, abs=1e-5)


@pytest.mark.parametrize(
    ("name", "iterations"), [("kuhn", 200_000), ("leduc", 100_000), ("leduc.nolimit", 100_000), ("river", 20_000)]
)
def test_the_linear_program_and_the_solver_agree_to_a_millionth_of_the_pot(name: str, iterations: int) -> None:
    subject = parse_spot(WEIGHTED_RIVER) if name == "river" else errai.load_game(name)
    solution = errai.solve(subject, "0.0001%pot", algorithm="cfr+", precision="float64", max_iterations=iterations)
    betting = solution.tree.betting
    if isinstance(subject, Spot):
        exact = sequence_form_lp(betting, subject.game, board=subject.board, ranges=subject.ranges).value
        net = solution.values.chips[0] - subject.pot / 2
    else:
        exact, net = sequence_form_lp(betting, subject).value, solution.values.chips[0]
    pot = solution.initial_pot_chips
    assert abs(net - exact) <= 1e-6 * pot
    assert solution.exploitability.chips <= 1e-6 * pot
    judged = plain(solution)
    assert judged.exploitability == pytest.approx(solution.exploitability.chips, abs=1e-9 * pot)
    assert judged.value == pytest.approx(net, abs=1e-9 * pot)


@pytest.mark.parametrize("name", ["leduc", "leduc.nolimit", "turn"])
def test_the_plain_walk_over_real_cards_gives_the_same_certificate(name: str) -> None:
    subject = parse_spot(SHORT_TURN) if name == "turn" else errai.load_game(name)
    solution = errai.solve(subject, max_iterations=12)
    judged = plain(solution)
    assert judged.exploitability == pytest.approx(solution.exploitability.chips, rel=1e-9)
    share = solution.initial_pot_chips / 2 if name == "turn" else 0.0
    assert judged.value + share == pytest.approx(solution.values.chips[0], rel=1e-9)


def test_openspiel_computes_the_same_exploitability_for_our_leduc_strategy() -> None:
    solution = errai.solve(errai.load_game("leduc"), max_iterations=50)
    game = pyspiel.load_game("leduc_poker")
    tabular = policy.TabularPolicy(game)
    seen = 0

    def visit(state: Any, node: SolutionNode) -> None:
        nonlocal seen
        if state.is_terminal():
            return
        if state.is_chance_node():
            for card, _ in state.chance_outcomes():
                # Both number cards by rank first; the first two dealt are the hands.
                dealt = len(state.history()) >= 2
                visit(state.child(card), node[solution.deck.card_text(card)] if dealt else node)
            return
        assert node.player == state.current_player()
        hand = state.history()[state.current_player()]
        labels = {label.split()[0]: label for label in node.actions}
        row = tabular.policy_for_key(state.information_state_string())
        for action in state.legal_actions():
            label = labels[
                ("fold", "call" if "call" in labels else "check", "raise" if "raise" in labels else "bet")[action]
            ]
            row[action] = node.strategies[hand][node.actions.index(label)]
            visit(state.child(action), node[label])
        seen += 1

    visit(game.new_initial_state(), solution.root)
    assert seen > 936
    theirs = spiel_exploitability.exploitability(game, tabular)
    assert theirs == pytest.approx(solution.exploitability.chips, abs=1e-9)


@pytest.mark.parametrize("bet", [50, 100, 200])
def test_polar_river_spot(bet: int) -> None:
    solution = errai.solve(parse_spot(POLAR.format(bet=bet)), "0.0005%pot", algorithm="cfr+", precision="float64")
    hands = {text: i for i, text in enumerate(solution.root.hands)}
    bets = solution.root.strategies[:, solution.root.actions.index(f"bet {bet}")]
    value = bets[hands["QdQc"]]
    bluffs = np.nansum([bets[i] for text, i in hands.items() if text[0] + text[2] == "54" and text[1] == text[3]])
    assert value == pytest.approx(1, abs=1e-3)
    assert bluffs / value == pytest.approx(bet / (100 + bet), abs=5e-3)
    caller = solution[f"bet {bet}"]
    assert caller.strategy("AdAc")["call"] == pytest.approx(100 / (100 + bet), abs=5e-3)


def test_rhode_island_is_the_published_size() -> None:
    estimate = errai.estimate(errai.load_game("rhode-island"))
    assert estimate.canonical_information_sets == 3_937_128
    assert estimate.boards == (1, 13, 325)


@pytest.mark.slow
def test_rhode_island_to_a_thousandth_of_a_small_bet() -> None:
    solution = errai.solve(errai.load_game("rhode-island"), "0.01chips")
    assert solution.information_sets == 52_128_128
    assert solution.exploitability.chips <= 0.01
    # Two runs with different schedules must bracket the same value.
    other = errai.solve(errai.load_game("rhode-island"), "0.02chips", algorithm="cfr+")
    low, high = (
        (s.values.chips[0] - s.exploitability.by_player[1], s.values.chips[0] + s.exploitability.by_player[0])
        for s in (solution, other)
    )
    assert max(low[0], high[0]) <= min(low[1], high[1])


@pytest.mark.slow
@pytest.mark.parametrize(("name", "dealer_mbb"), [("holdem-2-1", 89.6), ("holdem-2-1.big-bet", 128.9)])
def test_two_one_holdem_to_two_thousandths_of_a_blind(name: str, dealer_mbb: float) -> None:
    """What the dealer wins depends on the raise on the flop, 10 or 20: a figure is one of either game."""
    solution = errai.solve(errai.load_game(name), "2mbb")
    value, (gain, opponents_gain) = solution.values.chips[1], solution.exploitability.by_player[::-1]
    assert value - opponents_gain <= dealer_mbb / 100 <= value + gain
    assert solution.canonical_information_sets == 15_442_180
    assert solution.exploitability.mbb is not None
    assert solution.exploitability.mbb <= 2
    assert solution.verify().certified


def test_hands_of_the_deck_are_in_the_documented_order() -> None:
    solution = errai.solve(parse_spot(WEIGHTED_RIVER), max_iterations=1)
    cards = hand_cards(52, 2)
    assert len(solution.root.hands) == len(cards) == 1326
    assert solution.root.hands[0] == "2d2c"
    assert solution.root.hands[-1] == "AsAh"
