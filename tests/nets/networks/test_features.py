"""Features against their definitions hand by hand, and under every renaming of suits."""

from __future__ import annotations

import numpy as np
import pytest
from plain_features import hand_strength, reference_features

from errai.cards.hands import hand_cards, hand_index, permute_cards, suit_permutations
from errai.errors import CardsError, UnsupportedGameError
from errai.games.catalogue import load_game
from errai.nets.networks.features import BINS, CATEGORIES, GROUPS, board_features, num_features

HOLDEM = load_game("holdem.nolimit.2p")
BOARDS = ("Ks9d4h", "Ks9d4h7d", "KsKd4s7s", "AsKs4s7sJs", "2c3d4h5s9s")


def board_of(text: str) -> tuple[int, ...]:
    return tuple(HOLDEM.deck.parse_cards(text))


def hand_of(found, text: str) -> np.ndarray:
    index = hand_index(np.array(HOLDEM.deck.parse_cards(text)))
    return found.of_hands[np.searchsorted(found.hands, index)]


@pytest.mark.parametrize("text", BOARDS)
def test_renamed_suits_change_nothing(text):
    board = board_of(text)
    before = board_features(HOLDEM, board)
    assert (before.of_hands.shape[1], len(before.of_board)) == num_features(HOLDEM)
    assert np.abs(before.of_hands).max() <= 1.0
    for perm in suit_permutations(4)[1::5]:
        after = board_features(HOLDEM, tuple(permute_cards(HOLDEM.deck, np.array(board), perm).tolist())[::-1])
        renamed = hand_index(permute_cards(HOLDEM.deck, hand_cards(52, 2)[before.hands], perm))
        assert np.array_equal(after.of_hands[np.searchsorted(after.hands, renamed)], before.of_hands)
        assert np.array_equal(after.of_board, before.of_board)


def test_strengths_are_those_of_their_definition():
    board = board_of("Ks9d4h7d")
    found = board_features(HOLDEM, board)
    for text in ("AdQd", "KcKd", "5h6h", "2c2d"):
        hand = HOLDEM.deck.parse_cards(text)
        row, expected = hand_of(found, text), reference_features(HOLDEM, hand, board, BINS)
        assert row[1] == pytest.approx(expected.mean, abs=1e-6)
        assert row[2] == pytest.approx(2.0 * np.sqrt(expected.square - expected.mean**2), abs=1e-6)
        assert row[3 : 3 + BINS] == pytest.approx(expected.histogram, abs=1e-6)
        # A share of all hands, where the definition leaves out those that share a card.
        assert row[0] == pytest.approx(hand_strength(HOLDEM, hand, board), abs=0.03)


def test_groups_and_what_a_hand_blocks_of_them():
    board = board_of("Ks9d4h7d")
    found = board_features(HOLDEM, board)
    cards = hand_cards(52, 2)[found.hands]
    group = np.minimum(found.of_hands[:, 0] * GROUPS, GROUPS - 1).astype(int)
    cluster = np.full(1326, -1, dtype=np.int8)
    cluster[found.hands] = group
    hand = HOLDEM.deck.parse_cards("KcTh")
    fits = ~np.isin(cards, hand).any(axis=1)
    row = hand_of(found, "KcTh")
    won, blocked = row[3 + BINS : 3 + BINS + GROUPS], row[3 + BINS + GROUPS : 3 + BINS + 2 * GROUPS]
    assert won == pytest.approx(reference_features(HOLDEM, hand, board, 1, cluster).ochs, abs=1e-6)
    expected = [fits.mean() - fits[group == g].mean() for g in range(GROUPS)]
    assert blocked == pytest.approx(4.0 * np.array(expected), abs=1e-6)
    assert blocked[-1] > blocked[0]  # kings are strong here


def test_categories_and_cards():
    found = board_features(HOLDEM, board_of("Ks9d4h7d"))
    start = 3 + BINS + 2 * GROUPS
    now, later = slice(start, start + CATEGORIES), slice(start + CATEGORIES, start + 2 * CATEGORIES)
    draw = hand_of(found, "AdQd")
    assert draw[now].tolist() == [1, 0, 0, 0, 0, 0, 0, 0, 0]
    assert draw[later] * 46 == pytest.approx([21, 16, 0, 0, 0, 9, 0, 0, 0])
    high, low, apart, pair, suited, near, with_high, with_low, above_high, above_low, *suits = draw[start + 18 :]
    assert [high, low, apart, pair, suited, near] == pytest.approx([1.0, 10 / 12, 2 / 12, 0.0, 1.0, 0.4])
    assert [with_high, with_low, above_high, above_low] == [0.0, 0.0, 0.0, 0.25]
    # No diamond that does not lie open is above the ace, and two are above the queen.
    assert suits == pytest.approx([0.5, 0.5, 1.0, 10 / 12])
    assert hand_of(found, "9c9h")[now].argmax() == 3


def test_texture():
    found = board_features(HOLDEM, board_of("As2s3s3d"))
    assert found.of_board == pytest.approx([0.75, 0.25, 0, 0, 0.5, 0.25, 0.75, 0.75, 1.0, 1 / 12, 1 / 12, 0.0, 0.0])


def test_what_has_no_features_is_refused():
    for game, board in ((HOLDEM, ()), (load_game("rhode-island"), (1,))):
        with pytest.raises(UnsupportedGameError):
            board_features(game, board)
    for cards in ((1, 1, 2, 3), (1, 2), (1, 2, 3, 52)):
        with pytest.raises(CardsError):
            board_features(HOLDEM, cards)
