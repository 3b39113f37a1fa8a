"""Numbers of ranges against sums over hands one by one."""

from __future__ import annotations

import numpy as np
import pytest

from errai.cards.deck import FULL_DECK
from errai.cards.hands import hand_cards, hand_index
from errai.cards.range_numbers import (
    nuts_advantage,
    quantiles,
    removed_by_card,
    sorted_curve,
)
from errai.cards.strength import strengths_on_board
from errai.errors import InputError

HANDS = hand_cards(52, 2)


def test_a_card_removes_the_hands_that_hold_it() -> None:
    weights = np.random.default_rng(0).random(len(HANDS))
    by_card = removed_by_card(HANDS, weights)
    for card in (0, 17, 51):
        gone = sum(w for w, hand in zip(weights, HANDS.tolist(), strict=True) if card in hand)
        assert by_card[card] == pytest.approx(gone / weights.sum())
    # Every hand of two cards is counted with each of them.
    assert by_card.sum() == pytest.approx(2.0)
    assert np.isnan(removed_by_card(HANDS, np.zeros(len(HANDS)))).all()


def test_a_range_of_one_hand_is_all_removed_by_its_cards() -> None:
    weights = np.zeros(len(HANDS))
    index = int(hand_index(FULL_DECK.parse_cards("AhKd")))
    weights[index] = 0.25
    assert removed_by_card(HANDS, weights)[FULL_DECK.parse_card("Ah")] == 1.0
    assert removed_by_card(HANDS, weights)[FULL_DECK.parse_card("As")] == 0.0


def test_the_strongest_hands_of_a_board_are_counted_with_those_that_tie() -> None:
    board = FULL_DECK.parse_cards("Kh8d3c")
    strengths = strengths_on_board(board, HANDS)
    sets = [int(hand_index(FULL_DECK.parse_cards(text))) for text in ("KsKd", "KsKc", "KdKc", "8s8h")]
    ranges = np.zeros((2, len(HANDS)))
    ranges[0, [*sets, int(hand_index(FULL_DECK.parse_cards("AsQs")))]] = 1.0
    ranges[1, [sets[3], int(hand_index(FULL_DECK.parse_cards("AsQs")))]] = 0.5
    live = int((strengths >= 0).sum())
    # One hand of 1,176 is asked for, and the three sets of kings tie.
    found = nuts_advantage(strengths, ranges, top=1 / live)
    assert found.fractions == (3 / 5, 0.0)
    assert found.shares == (1.0, 0.0)
    assert nuts_advantage(strengths, ranges, top=1.0).fractions == (1.0, 1.0)
    assert np.isnan(nuts_advantage(strengths, ranges[:, ::-1] * 0, top=0.5).fractions).all()
    for top in (0.0, 1.5, float("nan")):
        with pytest.raises(InputError):
            nuts_advantage(strengths, ranges, top)


def test_a_sorted_curve_has_the_mean_below_it_and_its_quantiles() -> None:
    rng = np.random.default_rng(3)
    values, weights = rng.random(500), rng.integers(0, 4, 500).astype(float)
    values[::7] = np.nan
    curve = sorted_curve(values, weights)
    known = np.isfinite(values) & (weights > 0)
    mean = np.average(values[known], weights=weights[known])
    steps = np.diff(curve[:, 0], prepend=0.0)
    assert steps @ curve[:, 1] == pytest.approx(mean)
    assert (np.diff(curve[:, 1]) >= 0).all()
    assert curve[-1, 0] == 1.0
    # Whole weights are repetitions.
    repeated = np.sort(np.repeat(values[known], weights[known].astype(int)))
    for share, found in zip((0.25, 0.5, 0.75), quantiles(values, weights), strict=True):
        assert found == repeated[int(np.ceil(share * len(repeated) - 1e-9)) - 1]
    assert np.isnan(quantiles(values, np.zeros(500))).all()
