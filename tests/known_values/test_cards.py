"""Published numbers about cards, each with its source."""

from __future__ import annotations

import numpy as np
import pytest

from errai.cards.hands import hand_cards
from errai.cards.isomorphism import HandIndexer, canonical_count
from errai.cards.strength import HandRanking, category, category_counts, strength

# FACTS, "all 133,784,560 seven-card hands"; the same table stands in Wikipedia's "Poker probability".
SEVEN_CARDS = {
    "straight flush": 41_584,
    "four of a kind": 224_848,
    "full house": 3_473_184,
    "flush": 4_047_644,
    "straight": 6_180_020,
    "three of a kind": 6_461_620,
    "two pair": 31_433_400,
    "pair": 58_627_800,
    "high card": 23_294_460,
}

# Wikipedia, "Poker probability", five-card hands; the straight flushes include the 4 royal flushes.
FIVE_CARDS = {
    "straight flush": 40,
    "four of a kind": 624,
    "full house": 3_744,
    "flush": 5_108,
    "straight": 10_200,
    "three of a kind": 54_912,
    "two pair": 123_552,
    "pair": 1_098_240,
    "high card": 1_302_540,
}

# Wikipedia, "Three card poker", frequencies of the hands.
THREE_CARDS = {
    "straight flush": 48,
    "three of a kind": 52,
    "straight": 720,
    "flush": 1_096,
    "pair": 3_744,
    "high card": 16_440,
}


def test_categories_of_all_five_card_hands() -> None:
    assert category_counts(5) == FIVE_CARDS


def test_categories_of_all_three_card_hands() -> None:
    counts = category_counts(3, ranking=HandRanking.THREE_CARD)
    assert counts == THREE_CARDS
    assert list(counts) == list(THREE_CARDS)  # from the strongest down


def test_all_seven_card_hands_in_the_core() -> None:
    counts = category_counts(7)
    assert sum(counts.values()) == 133_784_560
    assert counts == SEVEN_CARDS


def test_number_of_distinct_strengths_of_five_cards() -> None:
    # 7,462 classes of five-card hands (Cactus Kev's "Poker hand evaluator").
    assert len(np.unique(strength(hand_cards(52, 5)))) == 7_462


# FACTS, "canonical (hand, board) classes per round"; Waugh, "A fast and optimal hand isomorphism algorithm" (2013).
HOLDEM_DEALS = [169, 1_286_792, 55_190_538, 2_428_287_420]


def test_deals_of_holdem_up_to_suits() -> None:
    assert canonical_count(13, 4, (2, 3, 1, 1)) == HOLDEM_DEALS
    assert [HandIndexer().size(round) for round in range(4)] == HOLDEM_DEALS


def test_boards_of_holdem_up_to_suits() -> None:
    # FACTS, "boards": 1,755 flops; turn and river without order, then in dealt order.
    assert [canonical_count(13, 4, (cards,))[0] for cards in (3, 4, 5)] == [1_755, 16_432, 134_459]
    assert canonical_count(13, 4, (3, 1, 1)) == [1_755, 63_193, 2_554_656]


def test_information_sets_of_rhode_island_up_to_suits() -> None:
    # FACTS: 3,937,128 up to suits and 52,128,128 in all.  Three bets a round: 8 decisions, 7 ways to go on.
    deals = canonical_count(13, 4, (1, 1, 1))
    bettings = [8, 7 * 8, 7 * 7 * 8]
    assert sum(d * b for d, b in zip(deals, bettings, strict=True)) == 3_937_128
    assert sum(d * b for d, b in zip([52, 52 * 51, 52 * 51 * 50], bettings, strict=True)) == 52_128_128


def test_information_sets_of_limit_holdem_up_to_suits() -> None:
    # FACTS: 13,803,249,787,132 up to suits; betting decisions 8 / 70 / 630 / 5,670.
    assert sum(d * b for d, b in zip(HOLDEM_DEALS, (8, 70, 630, 5_670), strict=True)) == 13_803_249_787_132


@pytest.mark.slow
def test_all_seven_card_hands_through_arrays() -> None:
    counts: dict[int, int] = {}
    distinct: set[int] = set()
    six = hand_cards(52, 6)
    for top in range(6, 52):
        # Every hand of seven whose highest card is `top`, in pieces that fit into memory.
        lower = six[: np.searchsorted(six[:, -1], top)]
        for start in range(0, len(lower), 2_000_000):
            piece = lower[start : start + 2_000_000]
            values = strength(np.column_stack([piece, np.full(len(piece), top, dtype=np.int16)]))
            for code, count in enumerate(np.bincount(values >> 20)):
                counts[code] = counts.get(code, 0) + int(count)
            distinct.update(np.unique(values).tolist())
    assert {category(code << 20): count for code, count in counts.items() if count} == SEVEN_CARDS
    assert len(distinct) == 4_824  # classes that the best five of seven cards can be in
