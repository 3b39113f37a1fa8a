"""Matchups against the plain run-outs and against pairs of hands counted one by one."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from errai.cards.hands import hand_cards
from errai.cards.strength import strengths_on_board
from errai.errors import CardsError
from errai.games.catalogue import load_game
from errai.nets.networks.matchups import matchups

HOLDEM, LEDUC = load_game("holdem.nolimit.2p"), load_game("leduc.nolimit")


def board_of(text: str) -> tuple[int, ...]:
    return tuple(HOLDEM.deck.parse_cards(text))


def test_margins_are_chances_of_pairs_of_hands() -> None:
    found = matchups(HOLDEM, board_of("Ks9d4h7c"))
    cards = hand_cards(52, 2)[found.hands]
    assert len(found.hands) == 48 * 47 // 2
    assert not np.isin(cards, found.board).any()
    rng = np.random.default_rng(1)
    for i, j in rng.integers(0, len(cards), (40, 2)):
        taken = {*found.board, *cards[i].tolist(), *cards[j].tolist()}
        if len(taken) < 8:
            assert found.margins[i, j] == 0.0
            continue
        counted = 0
        for river in set(range(52)) - taken:
            one, other = strengths_on_board((*found.board, river), cards[[i, j]])
            counted += int(one > other) - int(one < other)
        assert found.margins[i, j] == pytest.approx(counted / 44, abs=1e-6)
    assert np.array_equal(found.margins, -found.margins.T)


def test_values_and_weights_are_sums_over_hands_that_fit() -> None:
    found = matchups(HOLDEM, board_of("4h7cKs9d"))
    cards = hand_cards(52, 2)[found.hands]
    fits = ~(cards[:, None, :, None] == cards[None, :, None, :]).any(axis=(2, 3))
    ranges = np.random.default_rng(2).dirichlet(np.full(len(cards), 0.1), (3, 2)).astype(np.float32)
    assert found.fitting(ranges) == pytest.approx(ranges @ fits, abs=2e-6)
    won = found.check_down(ranges)
    assert won == pytest.approx(0.5 * np.einsum("hg,npg->nph", found.margins, ranges), abs=2e-6)
    # What one wins, the other loses.
    assert (won[:, 0] * ranges[:, 1]).sum(axis=1) == pytest.approx(-(won[:, 1] * ranges[:, 0]).sum(axis=1), abs=1e-6)


def test_hands_of_one_card() -> None:
    before, after = matchups(LEDUC, ()), matchups(LEDUC, (5,))
    assert before.margins.shape == (6, 6)
    assert after.margins.shape == (5, 5)
    # Four cards may come to two hands of Leduc.
    by_hand = np.zeros((6, 6))
    for i, j in combinations(range(6), 2):
        for card in set(range(6)) - {i, j}:
            one, other = strengths_on_board((card,), np.array([[i], [j]]), LEDUC.deck)
            by_hand[i, j] += (int(one > other) - int(one < other)) / 4
    assert before.margins == pytest.approx(by_hand - by_hand.T)
    assert before.fitting(np.eye(6, dtype=np.float32)) == pytest.approx(1.0 - np.eye(6))


def test_what_is_no_board_is_refused() -> None:
    for board in ((1, 1, 2, 3), (1, 2, 3, 52), (1, 2, 3, 4, 5, 6)):
        with pytest.raises(CardsError):
            matchups(HOLDEM, board)


def test_fewer_hands_are_the_same_among_themselves() -> None:
    board = board_of("Ks9d4h7c")
    every = matchups(HOLDEM, board)
    among = np.arange(0, 1326, 7)
    some = matchups(HOLDEM, board, among)
    place = np.searchsorted(every.hands, some.hands)
    assert 0 < len(some.hands) < len(among)
    assert np.array_equal(every.hands[place], some.hands)
    assert np.array_equal(every.margins[np.ix_(place, place)], some.margins)
    ranges = np.random.default_rng(3).dirichlet(np.ones(len(some.hands)), 2).astype(np.float32)
    spread = np.zeros((2, len(every.hands)), dtype=np.float32)
    spread[:, place] = ranges
    assert some.check_down(ranges) == pytest.approx(every.check_down(spread)[:, place], abs=1e-6)
    assert some.fitting(ranges) == pytest.approx(every.fitting(spread)[:, place], abs=1e-6)
