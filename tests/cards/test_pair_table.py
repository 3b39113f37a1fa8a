"""The table of all pairs of hands: against plain counts, another evaluator and published equities."""

from __future__ import annotations

from itertools import combinations
from math import comb

import numpy as np
import pytest
from phevaluator import evaluate_cards

from errai.cards.deck import FULL_DECK, Deck
from errai.cards.hands import hand_cards, hand_index
from errai.cards.pair_table import PairTable, count_pairs, equities_against_random, pair_table, write_pair_table
from errai.cards.strength import HandRanking, strength
from errai.errors import DamagedFileError

HOLDEM = (FULL_DECK, 2, 5, HandRanking.STANDARD)


def hands(*texts: str) -> np.ndarray:
    return np.array([int(hand_index(FULL_DECK.parse_cards(text))) for text in texts], dtype=np.int64)


def meet(deck: Deck, k: int) -> np.ndarray:
    cards = hand_cards(deck.num_cards, k)
    return (cards[:, None, :, None] == cards[None, :, None, :]).any(axis=(2, 3))


def all_wins(deck: Deck, board_cards: int) -> np.ndarray:
    """Wins by going through all boards for every pair: the definition."""
    cards = hand_cards(deck.num_cards, 2)
    found = np.zeros((len(cards), len(cards)), dtype=np.int64)
    for i, j in combinations(range(len(cards)), 2):
        held = {*cards[i].tolist(), *cards[j].tolist()}
        if len(held) == 4:
            left = [card for card in range(deck.num_cards) if card not in held]
            boards = list(combinations(left, board_cards))
            one, other = (strength([[*cards[h].tolist(), *board] for board in boards], deck) for h in (i, j))
            found[i, j], found[j, i] = (one > other).sum(), (one < other).sum()
    return found


@pytest.mark.parametrize(("deck", "board_cards"), [(Deck(4, 2), 3), (Deck(3, 3), 2), (Deck(3, 4), 3)])
def test_the_table_of_pairs_is_what_going_through_all_boards_gives(deck: Deck, board_cards: int) -> None:
    table = pair_table(deck, 2, board_cards, HandRanking.STANDARD)
    every = np.arange(comb(deck.num_cards, 2))
    expected = all_wins(deck, board_cards)
    apart = ~meet(deck, 2)
    np.testing.assert_array_equal(np.where(apart, table.wins(every, every), 0), expected)
    np.testing.assert_array_equal(np.where(apart, table.margins(every, every), 0), expected - expected.T)
    some, others = every[::3], every[1::4]
    np.testing.assert_array_equal(table.wins(some, others), table.wins(every, every)[some][:, others])


def test_hold_em_s_table_against_another_evaluator() -> None:
    table = pair_table(*HOLDEM)
    rng = np.random.default_rng(1)
    texts = [FULL_DECK.card_text(card) for card in range(52)]
    for _ in range(4):
        held = rng.choice(52, 4, replace=False)
        first, second = (int(hand_index(held[i : i + 2])) for i in (0, 2))
        left = np.setdiff1d(np.arange(52), held)
        boards = rng.permuted(np.tile(left, (4_000, 1)), axis=1)[:, :5]
        won = tied = 0
        for board in boards:
            shown = [texts[card] for card in board]
            # The smaller number is the better hand there.
            one, other = (evaluate_cards(*shown, *(texts[card] for card in held[i : i + 2])) for i in (0, 2))
            won += one < other
            tied += one == other
        wins, losses = int(table.wins([first], [second])[0, 0]), int(table.wins([second], [first])[0, 0])
        # Five standard errors of 4,000 boards.
        assert won / 4_000 == pytest.approx(wins / table.boards, abs=0.04)
        assert tied / 4_000 == pytest.approx((table.boards - wins - losses) / table.boards, abs=0.04)


def test_hold_em_s_table_counts_every_board_of_some_pairs() -> None:
    table = pair_table(*HOLDEM)
    for texts in (("AsKs", "QdQc"), ("2c2d", "AhKs"), ("7h2c", "7d2s"), ("JsTs", "JhTh")):
        first, second = hands(*texts)
        held = FULL_DECK.parse_cards("".join(texts))
        left = [card for card in range(52) if card not in held]
        boards = np.array(list(combinations(left, 5)), dtype=np.int16)
        one, other = (
            strength(np.concatenate([np.tile(np.array(cards, dtype=np.int16), (len(boards), 1)), boards], axis=1))
            for cards in (held[:2], held[2:])
        )
        assert int(table.wins([first], [second])[0, 0]) == int((one > other).sum())
        assert int(table.wins([second], [first])[0, 0]) == int((one < other).sum())


def test_published_equities_against_a_hand_dealt_at_random() -> None:
    """Aces, and the worst hand."""
    table = pair_table(*HOLDEM)
    every = np.arange(1326)
    wins, losses = table.wins(every, every), table.wins(every, every).T
    apart = ~meet(FULL_DECK, 2)
    assert ((wins + losses)[apart] <= table.boards).all()
    shares = np.where(apart, 0.5 + (wins - losses) / (2 * table.boards), 0.0).sum(axis=1) / apart.sum(axis=1)
    np.testing.assert_allclose(shares[hands("AsAh", "3s2h")], [0.852037, 0.323032], atol=5e-7)
    np.testing.assert_allclose(equities_against_random(), shares, rtol=1e-12)
    assert (shares.argmax(), shares.min()) == (hands("AcAd")[0], shares[hands("3s2h")[0]])


@pytest.mark.slow
def test_hold_em_s_table_is_what_counting_gives() -> None:
    every = np.arange(1326)
    shipped, counted = (table.wins(every, every) for table in (pair_table(*HOLDEM), count_pairs(*HOLDEM)))
    np.testing.assert_array_equal(shipped[~meet(FULL_DECK, 2)], counted[~meet(FULL_DECK, 2)])


def test_a_table_that_is_not_hold_em_s_is_refused(tmp_path, monkeypatch) -> None:
    write_pair_table(tmp_path / "pair-wins.errai", count_pairs(Deck(4, 2), 2, 3, HandRanking.STANDARD))
    monkeypatch.setattr("errai.cards.pair_table.shipped_file", lambda name: tmp_path / name)
    with pytest.raises(DamagedFileError, match="install"):
        pair_table.__wrapped__(*HOLDEM)
    assert isinstance(pair_table(*HOLDEM), PairTable)
