"""Hands, their order and the effect of renaming suits."""

from __future__ import annotations

from itertools import combinations
from math import comb

import numpy as np
import pytest

from errai.cards.deck import FULL_DECK, Deck
from errai.cards.hands import (
    hand_cards,
    hand_index,
    hand_permutation,
    hand_text,
    permute_cards,
    share_a_card,
    suit_permutations,
)
from errai.errors import CardsError


@pytest.mark.parametrize(("num_cards", "k"), [(52, 1), (52, 2), (52, 3), (6, 1), (6, 2), (20, 4), (7, 7), (24, 5)])
def test_hands_are_listed_in_the_order_of_their_index(num_cards: int, k: int) -> None:
    cards = hand_cards(num_cards, k)
    assert cards.dtype == np.int16
    assert cards.shape == (comb(num_cards, k), k)
    expected = sorted(combinations(range(num_cards), k), key=lambda hand: hand[::-1])
    assert cards.tolist() == [list(hand) for hand in expected]
    index = hand_index(cards)
    assert index.dtype == np.int32
    assert (index == np.arange(len(cards))).all()


def test_two_cards_follow_the_documented_formula() -> None:
    for a, b in combinations(range(52), 2):
        assert hand_index([a, b]) == hand_index([b, a]) == b * (b - 1) // 2 + a


@pytest.mark.parametrize("k", [1, 2, 3])
def test_hands_that_share_a_card(k: int) -> None:
    first, second = hand_cards(7, k)[1:6], hand_cards(7, k)
    expected = [[bool({*a} & {*b}) for b in second.tolist()] for a in first.tolist()]
    assert share_a_card(first, second).tolist() == expected


def test_shared_arrays_cannot_be_changed() -> None:
    with pytest.raises(ValueError, match="read-only"):
        hand_cards(52, 2)[0, 0] = 1
    with pytest.raises(ValueError, match="read-only"):
        hand_permutation(FULL_DECK, 2, (0, 1, 2, 3))[0] = 1


def test_hand_text_has_the_highest_card_first() -> None:
    assert hand_text(FULL_DECK, 0) == "2d2c"
    assert hand_text(FULL_DECK, 1325) == "AsAh"
    assert hand_text(Deck(3, 2), 5, 1) == "As"


def test_renaming_suits_permutes_hands() -> None:
    for deck, k in ((FULL_DECK, 2), (Deck(3, 2), 1), (Deck(5, 3), 3)):
        perms = suit_permutations(deck.num_suits)
        assert perms[0] == tuple(range(deck.num_suits))
        for perm in perms:
            moved = hand_permutation(deck, k, perm)
            assert sorted(moved) == list(range(comb(deck.num_cards, k)))
            inverse = tuple(int(i) for i in np.argsort(perm))
            assert (hand_permutation(deck, k, inverse)[moved] == np.arange(len(moved))).all()


def test_renaming_suits_keeps_ranks() -> None:
    hearts_to_clubs = (2, 1, 0, 3)
    cards = FULL_DECK.parse_cards("AhKc2d7s")
    assert FULL_DECK.cards_text(permute_cards(FULL_DECK, cards, hearts_to_clubs)) == "AcKh2d7s"


def test_wrong_hands_are_refused() -> None:
    for cards in ([1, 1], [-1, 3], [3, 52], list(range(8)), [], 3, [0.5, 1.0]):
        with pytest.raises(CardsError):
            hand_index(cards)
    with pytest.raises(CardsError):
        hand_cards(3, 4)
    with pytest.raises(CardsError):
        hand_cards(3, 0)
    with pytest.raises(CardsError):
        hand_text(FULL_DECK, 1326)
    with pytest.raises(CardsError):
        permute_cards(FULL_DECK, [1], (0, 1, 2))
    with pytest.raises(CardsError):
        permute_cards(FULL_DECK, [52], (0, 1, 2, 3))
