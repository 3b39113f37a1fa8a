"""Numbering deals up to a renaming of suits."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from errai.cards.deck import FULL_DECK, Deck
from errai.cards.hands import hand_cards, permute_cards, suit_permutations
from errai.cards.isomorphism import HandIndexer, canonical_count
from errai.errors import CardsError

HOLDEM = HandIndexer()


def all_deals(num_cards: int, rounds: tuple[int, ...]) -> np.ndarray:
    deals = np.empty((1, 0), dtype=np.int64)
    for cards in rounds:
        sets = np.array(list(combinations(range(num_cards), cards)))
        deals = np.hstack([np.repeat(deals, len(sets), axis=0), np.tile(sets, (len(deals), 1))])
        ordered = np.sort(deals, axis=1)
        deals = deals[(ordered[:, 1:] != ordered[:, :-1]).all(axis=1)]
    return deals


def smallest_renaming(deals: np.ndarray, deck: Deck, rounds: tuple[int, ...]) -> np.ndarray:
    """The definition: one number per class, the least way to write the deal after any renaming of suits."""
    cuts = np.cumsum(rounds)[:-1]
    best = None
    for perm in suit_permutations(deck.num_suits):
        renamed = np.hstack(
            [np.sort(part, axis=1) for part in np.split(permute_cards(deck, deals, perm), cuts, axis=1)]
        )
        number = np.zeros(len(deals), dtype=np.int64)
        for column in renamed.T:
            number = number * deck.num_cards + column
        best = number if best is None else np.minimum(best, number)
    assert best is not None
    return best


SMALL = [
    (Deck(3, 2), (1, 1)),
    (Deck(3, 2), (2, 1, 1)),
    (Deck(4, 3), (2, 2)),
    (Deck(3, 4), (1, 1, 1)),
    (Deck(3, 4), (2, 3)),
    (Deck(5, 4), (2, 1, 1)),
    (Deck(2, 4), (4, 1)),
    (Deck(13, 1), (2, 1)),
    (Deck(2, 4), (3, 3, 1, 1)),
    (Deck(13, 4), (1, 1, 1)),
]


@pytest.mark.parametrize(("deck", "rounds"), SMALL)
def test_two_deals_share_a_number_exactly_when_a_renaming_joins_them(deck: Deck, rounds: tuple[int, ...]) -> None:
    indexer = HandIndexer(rounds, deck)
    for last in range(len(rounds)):
        part = rounds[: last + 1]
        deals = all_deals(deck.num_cards, part)
        index = indexer.index(deals)
        classes = smallest_renaming(deals, deck, part)
        assert indexer.size(last) == len(np.unique(classes))
        assert (np.unique(index) == np.arange(indexer.size(last))).all()  # onto, without gaps
        pairs = np.unique(np.column_stack([index, classes]), axis=0)
        assert len(pairs) == indexer.size(last)  # and one to one


@pytest.mark.parametrize(("deck", "rounds"), SMALL)
def test_representatives_have_their_own_number(deck: Deck, rounds: tuple[int, ...]) -> None:
    indexer = HandIndexer(rounds, deck)
    for last in range(len(rounds)):
        numbers = np.arange(indexer.size(last))
        deals = indexer.unindex(numbers, last)
        assert (indexer.index(deals) == numbers).all()
        for part in np.split(deals, np.cumsum(rounds[: last + 1])[:-1], axis=1):
            assert (part[:, 1:] > part[:, :-1]).all()


@pytest.mark.parametrize(
    ("ranks", "suits", "rounds"),
    [
        (13, 4, (2, 3, 1, 1)),
        (13, 4, (1, 1, 1)),
        (13, 4, (5,)),
        (13, 4, (7,)),
        (9, 4, (2, 3, 1)),
        (6, 3, (3, 2, 1)),
    ]
    + [(deck.num_ranks, deck.num_suits, rounds) for deck, rounds in SMALL],
)
def test_burnside_and_the_indexer_count_the_same(ranks: int, suits: int, rounds: tuple[int, ...]) -> None:
    indexer = HandIndexer(rounds, Deck(ranks, suits))
    assert canonical_count(ranks, suits, rounds) == [indexer.size(last) for last in range(len(rounds))]


def test_holdem_hands_and_flops_completely() -> None:
    hands = hand_cards(52, 2)
    index = HOLDEM.index(hands)
    assert (np.unique(index) == np.arange(169)).all()
    flops = HOLDEM.unindex(np.arange(1_286_792), 1)
    assert (HOLDEM.index(flops) == np.arange(1_286_792)).all()
    # Every flop with one representative of each hand meets every number.
    boards = hand_cards(52, 3)
    seen = np.zeros(1_286_792, dtype=bool)
    for hand in HOLDEM.unindex(np.arange(169), 0):
        free = boards[~np.isin(boards, hand).any(axis=1)]
        seen[HOLDEM.index(np.hstack([np.broadcast_to(hand, (len(free), 2)), free]))] = True
    assert seen.all()


@pytest.mark.parametrize("round", [2, 3])
def test_holdem_turns_and_rivers_at_random(round: int) -> None:
    size = HOLDEM.size(round)
    numbers = np.concatenate([[0, size - 1], np.random.default_rng(round).integers(0, size, 200_000)])
    assert (HOLDEM.index(HOLDEM.unindex(numbers, round)) == numbers).all()


@given(
    st.sampled_from([2, 5, 6, 7]),
    st.permutations(range(52)),
    st.sampled_from(suit_permutations(4)),
    st.randoms(use_true_random=False),
)
@settings(max_examples=150)
def test_renaming_suits_and_shuffling_rounds_change_nothing(
    n: int, cards: list[int], perm: tuple[int, ...], rng: object
) -> None:
    deal = cards[:n]
    again = permute_cards(FULL_DECK, deal, perm).tolist()
    shuffled = []
    for start, end in ((0, 2), (2, 5), (5, 6), (6, 7)):
        part = again[start:end]
        rng.shuffle(part)  # type: ignore[attr-defined]
        shuffled += part
    assert HOLDEM.index(deal) == HOLDEM.index(shuffled)


def test_rounds_are_kept_apart() -> None:
    one = FULL_DECK.parse_cards("AhKh QhJhTh 2c 3c")
    two = FULL_DECK.parse_cards("AhKh QhJhTh 3c 2c")
    assert HOLDEM.index(one) != HOLDEM.index(two)
    assert HandIndexer((7,)).index(one) == HandIndexer((7,)).index(two)


def test_shapes_and_types() -> None:
    deals = np.argsort(np.random.default_rng(0).random((24, 52)), axis=1)[:, :5]
    flat = HOLDEM.index(deals)
    assert flat.dtype == np.int64
    for dtype in (np.int8, np.uint8, np.int16, np.int32, np.uint64):
        assert (HOLDEM.index(deals.astype(dtype)) == flat).all()
    assert (HOLDEM.index(deals.reshape(2, 3, 4, 5)) == flat.reshape(2, 3, 4)).all()
    assert HOLDEM.unindex(flat.reshape(2, 3, 4), 1).shape == (2, 3, 4, 5)
    assert HOLDEM.unindex(5, 0).shape == (2,)
    assert HOLDEM.index(np.empty((0, 5), dtype=np.int64)).shape == (0,)


def test_wrong_deals_are_refused() -> None:
    for deal in ([1, 1], [0, 52], [-1, 0], [0, 1, 2], [0, 1, 2, 3, 1], [0.0, 1.0], 3, []):
        with pytest.raises(CardsError):
            HOLDEM.index(deal)
    with pytest.raises(CardsError, match="Deal number 1"):
        HOLDEM.index([[0, 1], [2, 2]])
    for number, round in ((169, 0), (-1, 0), (0, 4), (0, -1), (0.5, 0)):
        with pytest.raises(CardsError):
            HOLDEM.unindex(number, round)


def test_impossible_and_huge_games_are_refused() -> None:
    with pytest.raises(CardsError):
        HandIndexer((2, 0))
    with pytest.raises(CardsError):
        HandIndexer(())
    with pytest.raises(CardsError, match="cannot be dealt"):
        HandIndexer((5, 2), Deck(3, 2))
    with pytest.raises(CardsError, match="too many"):
        HandIndexer((13, 13, 5))
    for wrong in ((0, 4, (1,)), (13, 0, (1,)), (13, 4, (-1,)), (3, 1, (4,))):
        with pytest.raises(CardsError):
            canonical_count(*wrong)


def test_counts_need_no_letters_for_the_deck() -> None:
    # One card of many suits is its rank alone; without suits there is nothing to rename.
    assert canonical_count(20, 6, (1,)) == [20]
    assert canonical_count(52, 1, (2, 3)) == [1326, 1326 * 19600]
    assert canonical_count(13, 4, ()) == []


def test_hands_on_boards_are_numbered_as_one_by_one() -> None:
    for deck, rounds in ((FULL_DECK, (2, 3, 1)), (Deck(5, 2), (1, 2))):
        indexer = HandIndexer(rounds, deck)
        hands = hand_cards(deck.num_cards, rounds[0])
        rng = np.random.default_rng(1)
        boards = rng.random((3, deck.num_cards)).argsort(axis=1)[:, : sum(rounds[1:])].astype(np.int16)
        one, two = (indexer.index_hands(boards, hands, threads=threads) for threads in (1, 2))
        assert np.array_equal(one, two)
        for board, numbers in zip(boards, one, strict=True):
            shared = np.isin(hands, board).any(axis=1)
            assert (numbers[shared] == -1).all()
            rows = [[*hand, *board] for hand in hands[~shared]]
            assert np.array_equal(numbers[~shared], indexer.index(rows))
    with pytest.raises(CardsError, match="do not end a round"):
        indexer.index_hands(boards[:, :1], hands)
