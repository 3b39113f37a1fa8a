"""The plain walk over the explicit game: values worked out by hand, and wrong input."""

from __future__ import annotations

import numpy as np
import pytest

from errai.cards.ranges import Range
from errai.errors import CardsError, StrategyError, UnsupportedGameError
from errai.games.catalogue import load_game
from errai.games.spot import Spot, parse_spot
from errai.judges.explicit_game import evaluate_profile, uniform_strategy
from errai.tree.betting_tree import BettingTree, build_betting_tree

KUHN = load_game("kuhn")
KUHN_BETTING = build_betting_tree(KUHN)
UNIFORM = uniform_strategy(KUHN_BETTING)


def always(betting: BettingTree, *kinds: str) -> object:
    """The first of these actions that the node has."""

    def strategy(node: int, board: tuple[int, ...], hand: int) -> np.ndarray:
        actions = betting.actions(node)
        chosen = next(i for kind in kinds for i, action in enumerate(actions) if action.startswith(kind))
        return np.eye(len(actions))[chosen]

    return strategy


def turn_spot(**ranges: str) -> tuple[Spot, BettingTree]:
    spot = parse_spot(
        f"""
        board = "Qs Jh 2c 8d"
        pot = 100
        stack = 100
        [ranges]
        oop = "{ranges["oop"]}"
        ip = "{ranges["ip"]}"
        [bets]
        bet = "a"
        raise = ""
        """
    )
    return spot, build_betting_tree(spot)


def test_checking_down_wins_half_the_time() -> None:
    down = always(KUHN_BETTING, "check", "call")
    result = evaluate_profile(KUHN_BETTING, KUHN, (down, down))
    assert result.value == pytest.approx(0, abs=1e-15)
    # Bets of the king are always called and nothing else gains: one of three hands wins a chip more.
    assert result.best_responses == pytest.approx((1 / 3, 1 / 3))
    assert result.nash_conv == pytest.approx(2 / 3)
    assert result.exploitability == pytest.approx(1 / 3)


def test_folding_gives_the_ante_away() -> None:
    fold = always(KUHN_BETTING, "fold", "check")
    bet = always(KUHN_BETTING, "bet", "call")
    assert evaluate_profile(KUHN_BETTING, KUHN, (bet, fold)).value == pytest.approx(1)
    assert evaluate_profile(KUHN_BETTING, KUHN, (fold, bet)).value == pytest.approx(-1)


def test_equity_on_the_turn_is_counted_over_44_rivers() -> None:
    spot, betting = turn_spot(oop="QhQd", ip="AcKc")
    down = always(betting, "check", "call")
    result = evaluate_profile(betting, spot.game, (down, down), board=spot.board, ranges=spot.ranges)
    # Ace-king wins with a ten and with nothing else: 4 of the 44 cards that neither player holds.
    assert result.value == pytest.approx(50 * (40 - 4) / 44)
    # Both gain most by waiting for the river and moving in there when ahead.
    assert result.best_responses[0] == pytest.approx((150 * 40 - 50 * 4) / 44)
    assert result.best_responses[1] == pytest.approx((150 * 4 - 50 * 40) / 44)


def test_weights_of_ranges_and_blockers_count() -> None:
    spot, betting = turn_spot(oop="QhQd:0.5, AcKc", ip="AcKc, 2h2d:0.25")
    shove, fold = always(betting, "bet", "call"), always(betting, "fold", "check")
    result = evaluate_profile(betting, spot.game, (shove, fold), board=spot.board, ranges=spot.ranges)
    assert result.value == pytest.approx(50)
    # Only the pairs without a shared card are dealt: queens against both, ace-king against deuces.
    call = always(betting, "call", "check")
    result = evaluate_profile(betting, spot.game, (shove, call), board=spot.board, ranges=spot.ranges)
    pairs = {"queens, ace-king": 0.5, "queens, deuces": 0.125, "ace-king, deuces": 0.25}
    # Deuces beat queens with the last deuce, and ace-king beats deuces with a ten.
    equity = {
        "queens, ace-king": (40 - 4) / 44,
        "queens, deuces": (43 - 1) / 44,
        "ace-king, deuces": (4 - 40) / 44,
    }
    expected = 150 * sum(pairs[k] * equity[k] for k in pairs) / sum(pairs.values())
    assert result.value == pytest.approx(expected)


def test_ranges_may_be_plain_weights() -> None:
    spot, betting = turn_spot(oop="QhQd", ip="AcKc")
    down = always(betting, "check", "call")
    weights = tuple(r.weights for r in spot.ranges)
    one = evaluate_profile(betting, spot.game, (down, down), board=spot.board, ranges=spot.ranges)
    two = evaluate_profile(betting, spot.game, (down, down), board=spot.board, ranges=weights)
    assert one == two


@pytest.mark.parametrize("given", [(1.0,), (0.7, 0.7), (-0.5, 1.5), (np.nan, 1.0), (0.9999, 0.0)])
def test_what_is_no_distribution_is_refused(given: tuple[float, ...]) -> None:
    with pytest.raises(StrategyError, match="probabilities with sum 1"):
        evaluate_profile(KUHN_BETTING, KUHN, (lambda node, board, hand: given, UNIFORM))


def test_a_strategy_in_single_precision_is_welcome() -> None:
    third = np.array([1 / 3, 2 / 3], dtype=np.float32)
    result = evaluate_profile(KUHN_BETTING, KUHN, (lambda node, board, hand: third, UNIFORM))
    exact = evaluate_profile(KUHN_BETTING, KUHN, (lambda node, board, hand: (1 / 3, 2 / 3), UNIFORM))
    assert result.value == pytest.approx(exact.value, abs=1e-6)


def test_a_missing_information_set_is_named() -> None:
    with pytest.raises(StrategyError, match="nothing for hand 0 on board"):
        evaluate_profile(KUHN_BETTING, KUHN, ({}, UNIFORM))


def test_an_impossible_board_is_refused() -> None:
    spot, betting = turn_spot(oop="QhQd", ip="AcKc")
    uniform = uniform_strategy(betting)
    for board in (spot.board[:3], (*spot.board, 0), (*spot.board[:3], spot.board[0]), (*spot.board[:3], 52)):
        with pytest.raises(CardsError, match="board"):
            evaluate_profile(betting, spot.game, (uniform, uniform), board=board, ranges=spot.ranges)


def test_wrong_ranges_are_refused() -> None:
    for ranges in ((np.ones(2), np.ones(3)), (np.array([1, -1, 0]), None), (np.array([1, np.inf, 0]), None)):
        with pytest.raises(StrategyError, match="The weights of the range of player"):
            evaluate_profile(KUHN_BETTING, KUHN, (UNIFORM, UNIFORM), ranges=ranges)
    same = Range.parse("AcKc")
    spot, betting = turn_spot(oop="QhQd", ip="AcKc")
    uniform = uniform_strategy(betting)
    with pytest.raises(StrategyError, match="no pair of hands"):
        evaluate_profile(betting, spot.game, (uniform, uniform), board=spot.board, ranges=(same, same))


def test_a_tree_that_stops_early_is_refused() -> None:
    game = load_game("leduc")
    betting = build_betting_tree(game, last_street=0)
    uniform = uniform_strategy(betting)
    with pytest.raises(UnsupportedGameError, match="stops before the last street"):
        evaluate_profile(betting, game, (uniform, uniform))
