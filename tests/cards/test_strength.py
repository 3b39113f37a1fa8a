"""The evaluator against definitions written out in full, and against independent evaluators."""

from __future__ import annotations

from collections import Counter
from itertools import combinations, pairwise

import numpy as np
import phevaluator
import pytest
from pokerkit import RhodeIslandHoldemHand, StandardHighHand

from errai.cards.deck import FULL_DECK, Deck
from errai.cards.hands import hand_cards
from errai.cards.strength import (
    HandRanking,
    category,
    category_counts,
    strength,
    strengths_on_board,
    strengths_on_boards,
)
from errai.errors import CardsError

THREE_CARD = HandRanking.THREE_CARD


def define_standard(cards: tuple[int, ...], deck: Deck) -> tuple:
    """Best of at most five cards, straight from the rules; slow and obvious."""
    return max(_define_five(five, deck) for five in combinations(cards, min(5, len(cards))))


def _define_five(cards: tuple[int, ...], deck: Deck) -> tuple:
    ranks = sorted((card // deck.num_suits + 13 - deck.num_ranks for card in cards), reverse=True)
    groups = sorted(((count, rank) for rank, count in Counter(ranks).items()), reverse=True)
    shape = [count for count, _ in groups]
    order = tuple(rank for _, rank in groups)
    five = len(cards) == 5
    flush = five and len({card % deck.num_suits for card in cards}) == 1
    straight_high = None
    if five and len(set(ranks)) == 5:
        if ranks[0] - ranks[4] == 4:
            straight_high = ranks[0]
        elif ranks == [12, 3, 2, 1, 0]:
            straight_high = 3
    if straight_high is not None:
        return (8 if flush else 4, (straight_high,))
    if shape[0] == 4:
        return (7, order)
    if shape[:2] == [3, 2]:
        return (6, order)
    if flush:
        return (5, order)
    if shape[0] == 3:
        return (3, order)
    if shape[:2] == [2, 2]:
        return (2, order)
    return (1 if shape[0] == 2 else 0, order)


def define_three_card(cards: tuple[int, ...], deck: Deck) -> tuple:
    """Rhode Island's order, straight from the rules."""
    ranks = sorted((card // deck.num_suits + 13 - deck.num_ranks for card in cards), reverse=True)
    groups = sorted(((count, rank) for rank, count in Counter(ranks).items()), reverse=True)
    order = tuple(rank for _, rank in groups)
    flush = len({card % deck.num_suits for card in cards}) == 1
    straight_high = None
    if len(set(ranks)) == 3:
        if ranks[0] - ranks[2] == 2:
            straight_high = ranks[0]
        elif ranks == [12, 1, 0]:
            straight_high = 1
    if straight_high is not None:
        return (5 if flush else 3, (straight_high,))
    if flush:
        return (2, order)
    return ({3: 4, 2: 1, 1: 0}[groups[0][0]], order)


def assert_same_order(ours: np.ndarray, theirs: list) -> None:
    """Equal where the definition is equal, and increasing with it."""
    order = sorted(range(len(theirs)), key=lambda i: theirs[i])
    for before, after in pairwise(order):
        if theirs[before] == theirs[after]:
            assert ours[before] == ours[after]
        else:
            assert ours[before] < ours[after]


def random_sets(rng: np.random.Generator, rows: int, n: int, num_cards: int = 52) -> np.ndarray:
    return np.argsort(rng.random((rows, num_cards)), axis=1)[:, :n]


@pytest.mark.parametrize("n", range(1, 8))
@pytest.mark.parametrize("deck", [FULL_DECK, Deck(13, 2), Deck(9, 4), Deck(6, 3), Deck(8, 1)])
def test_standard_follows_the_definition(deck: Deck, n: int) -> None:
    sets = random_sets(np.random.default_rng(n), 1500, n, deck.num_cards)
    assert_same_order(strength(sets, deck), [define_standard(tuple(row), deck) for row in sets.tolist()])


@pytest.mark.parametrize("deck", [Deck(5, 4), Deck(13, 1)])
@pytest.mark.parametrize("n", [2, 5])
def test_standard_follows_the_definition_on_every_set(deck: Deck, n: int) -> None:
    sets = hand_cards(deck.num_cards, n)
    assert_same_order(strength(sets, deck), [define_standard(tuple(row), deck) for row in sets.tolist()])


@pytest.mark.parametrize("deck", [FULL_DECK, Deck(5, 4), Deck(13, 2), Deck(12, 3)])
def test_three_cards_follow_the_definition_on_every_set(deck: Deck) -> None:
    sets = hand_cards(deck.num_cards, 3)
    assert_same_order(strength(sets, deck, THREE_CARD), [define_three_card(tuple(row), deck) for row in sets.tolist()])


@pytest.mark.parametrize("n", [5, 6, 7])
def test_same_order_as_phevaluator(n: int) -> None:
    sets = random_sets(np.random.default_rng(40 + n), 4000, n)
    # phevaluator numbers cards as we do and gives the best hand the lowest rank.
    assert_same_order(strength(sets), [-phevaluator.evaluate_cards(*row) for row in sets.tolist()])


def test_same_order_as_pokerkit() -> None:
    rng = np.random.default_rng(50)
    for n, theirs, ranking in (
        (3, RhodeIslandHoldemHand, THREE_CARD),
        (5, StandardHighHand, HandRanking.STANDARD),
    ):
        sets = random_sets(rng, 2000, n)
        assert_same_order(
            strength(sets, FULL_DECK, ranking), [theirs(FULL_DECK.cards_text(row)) for row in sets.tolist()]
        )


def test_category_names() -> None:
    for text, name in {
        "AhKhQhJhTh2c3d": "straight flush",
        "5d4d3d2dAd": "straight flush",
        "AhAdAcAs2c2d2h": "four of a kind",
        "AhAdAc2c2d2h3s": "full house",
        "AhTh8h4h2h": "flush",
        "Ah2c3d4s5h": "straight",
        "KhKdKc2s3d": "three of a kind",
        "KhKdQcQs2d2h3s": "two pair",
        "AhAd": "pair",
        "AhKh": "high card",
        "7h": "high card",
    }.items():
        assert category(int(strength(FULL_DECK.parse_cards(text)))) == name
    for text, name in {"Ah2h3h": "straight flush", "Ah2c3h": "straight", "AhQh2h": "flush"}.items():
        assert category(int(strength(FULL_DECK.parse_cards(text), FULL_DECK, THREE_CARD))) == name
    for no_strength in (-1, 9 << 20, 1 << 30):
        with pytest.raises(CardsError):
            category(no_strength)


def test_a_reduced_deck_has_no_wheel() -> None:
    royal = Deck(5, 4)
    assert category(int(strength(royal.parse_cards("AhKcQdJsTh"), royal))) == "straight"
    short = Deck(9, 4)
    assert category(int(strength(short.parse_cards("Ah6c7d8s9h"), short))) == "high card"
    three = Deck(12, 4)
    assert category(int(strength(three.parse_cards("Ac3h4d"), three, THREE_CARD))) == "high card"


def test_leduc_and_kuhn() -> None:
    leduc = Deck(3, 2)
    on_queen = strengths_on_board(leduc.parse_cards("Qh"), hand_cards(6, 1), leduc)
    assert on_queen[0] == -1
    assert on_queen[1] == max(on_queen)  # the other queen pairs
    assert on_queen[2] == on_queen[3] < on_queen[4] == on_queen[5]
    kuhn = strengths_on_board((), hand_cards(3, 1), Deck(3, 1))
    assert kuhn[0] < kuhn[1] < kuhn[2]


def test_any_shape_and_integer_type() -> None:
    sets = random_sets(np.random.default_rng(1), 60, 7)
    flat = strength(sets)
    assert flat.dtype == np.int32
    assert (strength(sets.reshape(3, 4, 5, 7)) == flat.reshape(3, 4, 5)).all()
    for dtype in (np.int8, np.uint8, np.int16, np.uint16, np.int32, np.uint32, np.int64, np.uint64):
        assert (strength(sets.astype(dtype)) == flat).all()
    assert (strength(np.asfortranarray(sets)[::2]) == flat[::2]).all()
    assert strength(sets[0].tolist()) == flat[0]
    assert strength(np.empty((0, 7), dtype=np.int64)).shape == (0,)


def test_boards_and_hands_together() -> None:
    rng = np.random.default_rng(2)
    hands = hand_cards(52, 2)
    for m in range(6):
        boards = random_sets(rng, 3, m)
        table = strengths_on_boards(boards, hands)
        assert table.shape == (3, 1326)
        for board, row in zip(boards, table, strict=True):
            free = ~np.isin(hands, board).any(axis=1)
            assert (row[~free] == -1).all()
            both = np.hstack([np.broadcast_to(board, (len(hands), m)), hands])[free]
            assert (row[free] == strength(both)).all()
            assert (strengths_on_board(tuple(int(card) for card in board), hands) == row).all()


def test_rhode_island_boards() -> None:
    boards = random_sets(np.random.default_rng(3), 5, 2)
    table = strengths_on_boards(boards, hand_cards(52, 1), FULL_DECK, THREE_CARD)
    for board, row in zip(boards, table, strict=True):
        for card in range(52):
            if card in board:
                assert row[card] == -1
            else:
                assert row[card] == strength([*board, card], FULL_DECK, THREE_CARD)


@pytest.mark.parametrize(
    "cards", [[0, 0], [1, 52], [-1, 3], list(range(8)), [], 5, [0.5, 1.0], [True, False], [2**40, 1]]
)
def test_wrong_cards_are_refused(cards: object) -> None:
    with pytest.raises(CardsError):
        strength(cards)  # type: ignore[arg-type]


def test_wrong_cards_anywhere_in_a_batch_are_found() -> None:
    sets = random_sets(np.random.default_rng(4), 100, 7)
    sets[57, 6] = sets[57, 2]
    with pytest.raises(CardsError, match="Set number 57"):
        strength(sets)
    sets[57, 6] = 65536 + 5  # must not wrap around to a card
    with pytest.raises(CardsError, match="Set number 57"):
        strength(sets)


def test_wrong_boards_and_hands_are_refused() -> None:
    hands = hand_cards(52, 2)
    with pytest.raises(CardsError, match="Board number 1"):
        strengths_on_boards([[0, 1, 2], [3, 4, 3]], hands)
    with pytest.raises(CardsError, match="Hand number 1"):
        strengths_on_boards([[0, 1, 2]], [[5, 6], [7, 7]])
    with pytest.raises(CardsError, match="Board number 0"):
        strengths_on_boards([[0, 1, 52]], hands)
    for boards, many in (
        ([[0, 1, 2, 3, 4, 5]], hands),
        ([0, 1], hands),
        ([[-1, 0]], hands),
        ([[1.5]], hands),
    ):
        with pytest.raises(CardsError):
            strengths_on_boards(boards, many)
    with pytest.raises(CardsError, match="exactly 3"):
        strengths_on_boards([[0, 1, 2]], hands, FULL_DECK, THREE_CARD)
    with pytest.raises(CardsError):
        strengths_on_boards([[0, 2**20]], hands)


def test_category_counts_of_small_sets() -> None:
    assert category_counts(2) == {name: {"pair": 78, "high card": 1248}.get(name, 0) for name in category_counts(2)}
    assert sum(category_counts(5, Deck(6, 3)).values()) == 8568
    with pytest.raises(CardsError):
        category_counts(7, Deck(3, 2))
    with pytest.raises(CardsError):
        category_counts(2, FULL_DECK, THREE_CARD)
