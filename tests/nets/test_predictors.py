"""Predictors against sums over pairs of hands."""

from __future__ import annotations

import numpy as np
import pytest
from small_subjects import RIVER, TURN

import errai
from errai.errors import InputError
from errai.games.catalogue import load_game
from errai.games.spot import parse_spot
from errai.nets.predictors import UNTRAINED, find_predictor, predictor_after_first_street

GAME = load_game("leduc.nolimit")


def test_check_down_is_what_pairs_of_hands_win() -> None:
    """King on the board: a king beats all, a queen a jack; equal ranks share the pot."""
    net = find_predictor("check-down", GAME, 1)
    on = net.on((4,))
    assert on.hands.tolist() == [0, 1, 2, 3, 5]
    ranges = np.array([[[0.1, 0.2, 0.3, 0.0, 0.4], [0.0, 0.5, 0.2, 0.2, 0.1]]], dtype=np.float32)
    ranks = on.hands // 2
    better = np.sign(ranks[:, None] - ranks[None, :]) * (on.hands[:, None] != on.hands[None, :])
    expected = 0.5 * np.stack([better @ ranges[0, 1], better @ ranges[0, 0]])
    found = on.values(ranges, np.array([3.0], dtype=np.float32))
    assert found[0] == pytest.approx(expected, abs=1e-6)
    assert (found[0] * ranges[0]).sum() == pytest.approx(0.0, abs=1e-6)


def test_zero_is_worth_nothing() -> None:
    on = find_predictor("zero", GAME, 1).on((0,), np.array([0, 2, 3]))
    assert on.hands.tolist() == [2, 3]
    assert not on.values(np.ones((4, 2, 2), dtype=np.float32), np.ones(4, dtype=np.float32)).any()


def test_digests_tell_rounds_and_games_apart() -> None:
    holdem = load_game("holdem.nolimit.2p")
    made = [find_predictor(name, holdem, r) for name in UNTRAINED for r in (1, 2)] + [find_predictor("zero", GAME, 1)]
    assert len({net.digest for net in made}) == len(made)


def test_a_network_is_found_only_where_it_fits() -> None:
    turn, river = parse_spot(TURN), parse_spot(RIVER)
    assert predictor_after_first_street("check-down", turn).round == 3
    assert predictor_after_first_street("leduc", GAME).round == 1
    with pytest.raises(InputError, match=r"for the turn of .*, and one for the river is needed"):
        predictor_after_first_street("turn", turn)
    with pytest.raises(InputError, match="No cards are dealt after the first street"):
        predictor_after_first_street("check-down", river)
    with pytest.raises(InputError, match="no-limit"):
        predictor_after_first_street("check-down", load_game("leduc"))
    with pytest.raises(InputError, match="rake"):
        predictor_after_first_street(
            "check-down", errai.Spot.from_dict({**turn.to_dict(), "rake": {"percent": 5, "cap": 3}})
        )
