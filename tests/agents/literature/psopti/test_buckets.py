"""Buckets after the flop and how they are counted, against brute force."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest

from errai.abstraction.deals import DealIndexer
from errai.agents.literature.psopti.buckets import HandBuckets, cuts_of, potential
from errai.agents.literature.psopti.models import (
    all_in_margins,
    as_probabilities,
    count_moves,
    margins,
    pair_counts,
)
from errai.cards.hands import hand_index
from errai.cards.strength import strength, strengths_on_board
from errai.errors import InputError
from errai.games.catalogue import load_game

HOLD_EM = load_game("holdem.limit.2p")
CUTS = (
    cuts_of(4, potential=True, promising=0.15),
    cuts_of(4, potential=True, promising=0.18),
    cuts_of(3, potential=False, promising=0.0),
)


@pytest.fixture(scope="module")
def buckets():
    return HandBuckets(DealIndexer(HOLD_EM), CUTS)


@pytest.fixture(scope="module")
def small():
    """Twelve cards: all boards can be gone through."""
    return HandBuckets(DealIndexer(replace(HOLD_EM, num_ranks=6, num_suits=2)), CUTS)


def index(text: str) -> int:
    return int(hand_index(cards(text)))


def cards(text: str) -> tuple[int, ...]:
    return HOLD_EM.deck.parse_cards(text)


def test_cuts_are_finer_near_the_top():
    cuts = cuts_of(7, potential=True, promising=0.2)
    widths = np.diff([0.0, *cuts.strengths, 1.0])
    assert cuts.num_buckets == 7
    assert len(cuts.strengths) == 5
    assert (np.diff(widths) < 0).all()
    assert cuts.weak == cuts.strengths[-2]
    with pytest.raises(InputError, match="at least two"):
        cuts_of(2, potential=True, promising=0.2)


@pytest.mark.parametrize(
    ("board", "hand", "bucket"),
    [
        ("Ts9s2c", "TcTd", 2),  # three of a kind is strong
        ("Ts9s2c", "5s3s", 3),  # a flush draw is weak and promising
        ("Ts9s2c", "QhJd", 3),  # so is a straight draw to both sides
        ("Ts9s2c", "6h3d", 0),  # and this is neither
        ("Ts9s2c4h", "TcTd", 2),
        ("Ts9s2c4h", "6s3s", 3),
        ("Ts9s2c4h7d", "6s3s", 0),  # on the river nothing can come any more
        ("Ts9s2c4h7d", "TcTd", 2),
    ],
)
def test_known_hands_are_where_they_belong(buckets, board, hand, bucket):
    assert buckets.on(cards(board))[index(hand)] == bucket


def test_hands_that_share_a_card_with_the_board_have_no_bucket(buckets):
    board = cards("Ts9s2c")
    dead = np.isin(buckets.deals.hands, board).any(axis=1)
    assert ((buckets.on(board) < 0) == dead).all()
    assert ((buckets.histories(board) < 0) == dead).all()


def test_the_order_of_the_boards_cards_does_not_matter_within_a_round(buckets):
    assert (buckets.histories(cards("Ts9s2c4h")) == buckets.histories(cards("2cTs9s4h"))).all()


def test_a_hand_by_itself_has_the_bucket_that_it_has_among_all():
    deals = DealIndexer(HOLD_EM)
    rng = np.random.default_rng(4)
    for _ in range(12):
        dealt = rng.permutation(52)[:7].tolist()
        board, hand = tuple(dealt[:5]), int(hand_index(dealt[5:]))
        alone, among = HandBuckets(deals, CUTS), HandBuckets(deals, CUTS)
        for size in (3, 4, 5):
            assert alone.history(board[:size], hand) == among.histories(board[:size])[hand]


def test_potential_is_the_mean_rise_of_strength(small):
    deals = small.deals
    board = np.array([0, 3, 7, 8], dtype=np.int16)
    found = potential(deals, board, 2)

    def strong(hand: tuple[int, ...], table: list[int]) -> float:
        rest = [c for c in range(12) if c not in (*hand, *table)]
        own = int(strength([[*hand, *table]], deals.deck)[0])
        others = [int(strength([[*other, *table]], deals.deck)[0]) for other in combinations(rest, 2)]
        return sum((own > o) + 0.5 * (own == o) for o in others) / len(others)

    for number, hand in enumerate(deals.hands.tolist()):
        if set(hand) & set(board.tolist()):
            assert np.isnan(found[number])
            continue
        now = strong(tuple(hand), board.tolist())
        rises = [
            max(strong(tuple(hand), [*board.tolist(), card]) - now, 0.0)
            for card in range(12)
            if card not in (*hand, *board.tolist())
        ]
        missing = max(1.0 - now, 0.5 / 15)
        assert found[number] == pytest.approx(np.mean(rises) / missing, abs=1e-9)


def test_pairs_and_margins_are_what_counting_gives(small):
    deals = small.deals
    board = (1, 4, 6, 9, 11)
    rng = np.random.default_rng(0)
    label = np.where(np.isin(deals.hands, board).any(axis=1), -1, rng.integers(0, 3, deals.num_hands))
    strengths = strengths_on_board(board, deals.hands, deals.deck)
    pairs, won = np.zeros((3, 3)), np.zeros((3, 3))
    for a, first in enumerate(deals.hands.tolist()):
        for b, second in enumerate(deals.hands.tolist()):
            if label[a] >= 0 and label[b] >= 0 and not set(first) & set(second):
                pairs[label[a], label[b]] += 1
                won[label[a], label[b]] += np.sign(int(strengths[a]) - int(strengths[b]))
    assert (pair_counts(deals, label, 3) == pairs).all()
    assert (margins(deals, label, 3, strengths) == won).all()


def test_moves_equal_brute_force_over_all_flops(small):
    deals = small.deals
    hand_class = deals.index(np.zeros((1, 0), dtype=np.int16), 0)[0]
    counts = count_moves(small, hand_class, turns=15, seed=1)
    classes = int(hand_class.max()) + 1
    exact = np.zeros((classes, classes, 4, 4))
    turned = np.zeros((4, 4, 4, 4))
    for flop in combinations(range(12), 3):
        bucket = small.on(flop).astype(int)
        live = np.flatnonzero(bucket >= 0)
        i, j = np.meshgrid(live, live, indexing="ij")
        apart = (deals.hands[i][..., :, None] != deals.hands[j][..., None, :]).all(axis=(-1, -2))
        i, j = i[apart], j[apart]
        np.add.at(exact, (hand_class[i], hand_class[j], bucket[i], bucket[j]), 1.0)
        for card in set(range(12)) - set(flop):
            then = small.on((*flop, card)).astype(int)
            both = (then[i] >= 0) & (then[j] >= 0)
            a, b = i[both], j[both]
            np.add.at(turned, (bucket[a], bucket[b], then[a], then[b]), 1.0)
    assert (counts.start == exact).all()
    drawn, wanted = as_probabilities(counts.moves[0]), as_probabilities(turned)
    often = turned.sum(axis=(2, 3)) > 200
    assert often.sum() >= 4
    assert np.abs(drawn - wanted)[often].max() < 0.1
    for move in counts.moves:
        found = as_probabilities(move)
        assert (found >= 0).all()
        assert found.sum(axis=(2, 3)) == pytest.approx(1.0)
    assert counts.showdown == pytest.approx(-counts.showdown.T)
    assert counts.showdown[2, 0] == 1.0


def test_both_players_are_counted_alike(buckets):
    deals = buckets.deals
    hand_class = deals.index(np.zeros((1, 0), dtype=np.int16), 0)[0]
    counts = count_moves(buckets, hand_class, flops=2, turns=1)
    assert counts.start == pytest.approx(counts.start.transpose(1, 0, 3, 2))
    for move in counts.moves:
        assert move == pytest.approx(move.transpose(1, 0, 3, 2))


def test_aces_beat_kings_about_four_times_in_five():
    deals = DealIndexer(HOLD_EM)
    hand_class = deals.index(np.zeros((1, 0), dtype=np.int16), 0)[0]
    found = all_in_margins(deals, hand_class, boards=100)
    aces, kings = int(hand_class[index("AcAd")]), int(hand_class[index("KcKd")])
    # 81.9 % to 18.1 % by the usual tables; 100 boards leave four points.
    assert found[aces, kings] == pytest.approx(0.64, abs=0.16)
    assert found[kings, aces] == -found[aces, kings]
