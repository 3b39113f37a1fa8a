"""Features against published figures, the slow reference, another evaluator, and their general properties."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from plain_features import hand_strength, reference_features
from small_subjects import subject

from errai.abstraction.deals import DealIndexer
from errai.abstraction.features import Wanted, canonical_features, hand_features, strength_now
from errai.abstraction.kmeans import earth_movers_distance
from errai.cards.hands import hand_index, hand_permutation, permute_cards
from errai.errors import CardsError, InputError, UnsupportedGameError
from errai.games.catalogue import load_game

HOLDEM = DealIndexer(load_game("holdem.limit.2p"))
SMALL = ["kuhn", "leduc", "rhode-island-short", "two-cards-short"]


def row(hand: str, board: str) -> list[int]:
    return [*HOLDEM.deck.parse_cards(hand), *HOLDEM.deck.parse_cards(board)]


# --- figures ---


def test_hand_strength_of_johanson_2013() -> None:
    """Johanson et al., "Evaluating state-space abstractions in extensive-form games" (2013)."""
    features = hand_features(HOLDEM, [row("KcQc", "7dQh4h2s3c")], Wanted())
    assert features.mean[0] == pytest.approx(0.855556, abs=5e-7)
    assert features.square[0] == pytest.approx(0.855556**2, abs=1e-6)


def test_two_hands_that_e_hs_takes_for_one() -> None:
    """Ganzfried and Sandholm (2014): almost the same E[HS], and histograms that are far apart."""
    rows = [row("TcQd", "7h9hQh"), row("5c9d", "3d5d7d")]
    features = hand_features(HOLDEM, rows, Wanted(bins=50))
    assert features.mean == pytest.approx([0.682621, 0.679172], abs=5e-7)
    first, second = features.histogram([0, 1])
    assert earth_movers_distance(first, second) == pytest.approx(0.559, abs=5e-4)
    assert features.square == pytest.approx([0.4922013, 0.4872147], abs=5e-7)


# --- the definition ---


@pytest.mark.parametrize("name", SMALL)
@pytest.mark.parametrize("bins", [1, 7])
def test_all_hands_of_small_games_against_the_definition(name: str, bins: int) -> None:
    game = subject(name)
    deals = DealIndexer(game)
    cluster = (np.arange(deals.num_hands) % 3).astype(np.int8)
    for round_index in range(deals.num_rounds):
        boards, _ = deals.boards(round_index)
        rows = [
            [*hand, *board]
            for board in boards[:6]
            for hand in deals.hands
            if not set(hand.tolist()) & {*board.tolist()}
        ]
        found = hand_features(deals, rows[::5], Wanted(bins=bins, cluster=cluster)) if boards.shape[1] else None
        index = deals.indexer(round_index).index(np.array(rows)[::5])
        every = canonical_features(deals, round_index, Wanted(bins=bins), threads=2)
        histograms = every.histogram(index)
        for i, cards in enumerate(rows[::5]):
            k = game.num_hole_cards
            expected = reference_features(game, cards[:k], cards[k:], bins, cluster)
            assert every.mean[index[i]] == pytest.approx(expected.mean, abs=1e-6)
            assert every.square[index[i]] == pytest.approx(expected.square, abs=1e-6)
            assert histograms[i] == pytest.approx(expected.histogram, abs=1e-9)
            if found is not None:
                assert found.mean[i] == pytest.approx(expected.mean, abs=1e-6)
                assert found.ochs[i] == pytest.approx(expected.ochs, abs=1e-6)


@pytest.mark.parametrize("name", ["leduc", "two-cards-short"])
def test_ochs_of_hands_alone_against_the_definition(name: str) -> None:
    game = subject(name)
    deals = DealIndexer(game)
    index = deals.index(np.zeros((1, 0), np.int16), 0)[0]
    cluster = (index % 2).astype(np.int8)  # clusters that suits do not matter to
    every = canonical_features(deals, 0, Wanted(cluster=cluster))
    for hand, number in zip(deals.hands.tolist(), index, strict=True):
        expected = reference_features(game, hand, [], cluster=cluster)
        assert every.ochs[number] == pytest.approx(expected.ochs, abs=1e-6)


def test_a_turn_of_holdem_against_the_definition() -> None:
    rng = np.random.default_rng(3)
    cluster = rng.integers(0, 8, HOLDEM.num_hands).astype(np.int8)
    rows = [rng.permutation(52)[:6].tolist() for _ in range(2)]
    found = hand_features(HOLDEM, rows, Wanted(bins=20, cluster=cluster), threads=2)
    for i, cards in enumerate(rows):
        expected = reference_features(HOLDEM.game, cards[:2], cards[2:], 20, cluster)
        assert found.mean[i] == pytest.approx(expected.mean, abs=1e-6)
        assert found.square[i] == pytest.approx(expected.square, abs=1e-6)
        assert found.ochs[i] == pytest.approx(expected.ochs, abs=1e-6)
        assert found.histogram([i])[0] == pytest.approx(expected.histogram, abs=1e-9)


def test_the_strength_now_against_the_definition() -> None:
    for name, round_index in (("leduc", 0), ("two-cards-short", 0), ("holdem.limit.2p", 1)):
        deals = DealIndexer(subject(name))
        board = np.arange(deals.board_cards[round_index], dtype=np.int16) * 3
        found = strength_now(deals, board[None])[0]
        for hand in range(0, deals.num_hands, max(1, deals.num_hands // 12)):
            cards = deals.hands[hand].tolist()
            if set(cards) & {*board.tolist()}:
                assert np.isnan(found[hand])
            else:
                assert found[hand] == pytest.approx(hand_strength(deals.game, cards, board.tolist()), abs=1e-6)


# --- another evaluator ---


def test_hand_strength_on_a_river_with_phevaluator() -> None:
    evaluate_cards = pytest.importorskip("phevaluator").evaluate_cards
    rng = np.random.default_rng(11)
    for _ in range(4):
        cards = [int(card) for card in rng.permutation(52)[:7]]
        hand, board = cards[:2], cards[2:]
        own = evaluate_cards(*cards)
        scores = []
        for other in combinations([card for card in range(52) if card not in cards], 2):
            theirs = evaluate_cards(*other, *board)  # lower is better there
            scores.append(1.0 if own < theirs else 0.5 if own == theirs else 0.0)
        found = hand_features(HOLDEM, [[*hand, *board]], Wanted()).mean[0]
        assert found == pytest.approx(np.mean(scores), abs=1e-7)


# --- laws ---


@pytest.mark.parametrize("name", [*SMALL, "royal.limit"])
def test_all_real_hands_are_counted_and_win_half(name: str) -> None:
    deals = DealIndexer(subject(name))
    for round_index in range(deals.num_rounds):
        features = canonical_features(deals, round_index, Wanted(bins=10), threads=2)
        boards, multiplicity = deals.boards(round_index)
        live = sum(
            int((deals.index(board[None], round_index) >= 0).sum()) * m
            for board, m in zip(boards, multiplicity, strict=True)
        )
        weights = features.weights.astype(np.float64)
        assert len(features) == deals.num_classes(round_index)
        assert weights.min() >= 1
        assert weights.sum() == live
        # Hand against hand, one wins what the other loses.
        assert (weights * features.mean).sum() / weights.sum() == pytest.approx(0.5, abs=1e-6)
        assert (features.cumulative[:, -1] == features.runouts).all()
        assert (features.square >= features.mean.astype(np.float64) ** 2 - 1e-6).all()


def test_the_flop_is_the_mean_of_its_turns() -> None:
    deals = DealIndexer(load_game("royal.limit"))
    flop, turn = (canonical_features(deals, i, Wanted(bins=8), threads=2) for i in (1, 2))
    board = np.array([0, 5, 9], np.int16)
    following = deals.next_cards(board, 1)
    here, after = deals.index(board[None], 1)[0], deals.index(following, 2)
    for hand in np.flatnonzero(here >= 0)[::7]:
        cards = after[:, hand][after[:, hand] >= 0]
        assert flop.mean[here[hand]] == pytest.approx(turn.mean[cards].mean(), abs=1e-6)
        assert flop.square[here[hand]] == pytest.approx(turn.square[cards].mean(), abs=1e-6)
        assert flop.histogram([here[hand]])[0] == pytest.approx(turn.histogram(cards).mean(axis=0), abs=1e-9)


def test_suits_and_threads_do_not_matter() -> None:
    deals = DealIndexer(load_game("royal.limit"))
    cluster = (deals.index(np.zeros((1, 0), np.int16), 0)[0] % 8).astype(np.int8)
    wanted = Wanted(bins=9, cluster=cluster)
    one, three = (canonical_features(deals, 2, wanted, threads=threads) for threads in (1, 3))
    for name in ("weights", "mean", "square", "cumulative", "ochs"):
        assert np.array_equal(getattr(one, name), getattr(three, name))
    board, perm = np.array([1, 6, 7, 18]), (2, 0, 3, 1)
    hands = np.flatnonzero(deals.index(board[None].astype(np.int16), 2)[0] >= 0)
    moved = hand_permutation(deals.deck, 2, perm)[hands]
    rows = np.concatenate([deals.hands[hands], np.broadcast_to(board, (len(hands), 4))], axis=1)
    other = permute_cards(deals.deck, board, perm)
    renamed = np.concatenate([deals.hands[moved], np.broadcast_to(other, (len(hands), 4))], axis=1)
    first, second = hand_features(deals, rows, wanted), hand_features(deals, renamed, wanted)
    for name in ("mean", "square", "cumulative", "ochs"):
        assert np.array_equal(getattr(first, name), getattr(second, name))


def test_progress_ends_where_it_should() -> None:
    seen: list[tuple[int, int]] = []
    canonical_features(
        DealIndexer(load_game("leduc")), 1, Wanted(), report=lambda done, total: seen.append((done, total))
    )
    assert seen[0][0] == 0
    assert seen[-1][0] == seen[-1][1] == 3


# --- hold'em as a whole ---


def test_hold_em_before_the_flop() -> None:
    """All-in equities of FACTS: AA .852037, 32o .323032."""
    features = canonical_features(HOLDEM, 0, Wanted(), threads=2)
    index = HOLDEM.index(np.zeros((1, 0), np.int16), 0)[0]
    deck = HOLDEM.deck
    for text, expected in (("AsAh", 0.852037), ("3h2d", 0.323032)):
        hand = hand_index(np.array(deck.parse_cards(text)))
        assert features.mean[index[hand]] == pytest.approx(expected, abs=5e-7)
    assert np.bincount(features.weights.astype(int))[[4, 6, 12]].tolist() == [78, 13, 78]


def test_sizes_of_hold_em() -> None:
    assert [HOLDEM.num_classes(i, dealt=True) for i in range(4)] == [169, 1_286_792, 55_190_538, 2_428_287_420]
    assert [HOLDEM.num_classes(i) for i in range(4)] == [169, 1_286_792, 13_960_050, 123_156_254]
    for round_index, count, real in ((1, 1_755, 22_100), (2, 16_432, 270_725), (3, 134_459, 2_598_960)):
        boards, multiplicity = HOLDEM.boards(round_index)
        assert len(boards) == count
        assert multiplicity.sum() == real
    assert len(HOLDEM.boards(2, dealt=True)[0]) == 63_193


@pytest.mark.slow
def test_all_flops_of_hold_em() -> None:
    """Every hand on every flop, 1,286,792 up to suits: half a minute of one core."""
    features = canonical_features(HOLDEM, 1, Wanted(bins=50), threads=2)
    weights = features.weights.astype(np.float64)
    assert weights.sum() == 22_100 * 1_176
    assert (weights * features.mean).sum() / weights.sum() == pytest.approx(0.5, abs=1e-7)
    index = HOLDEM.indexer(1).index([row("TcQd", "7h9hQh"), row("5c9d", "3d5d7d")])
    assert features.mean[index] == pytest.approx([0.682621, 0.679172], abs=5e-7)
    assert earth_movers_distance(*features.histogram(index)) == pytest.approx(0.559, abs=5e-4)


# --- what is refused ---


def test_errors() -> None:
    with pytest.raises(CardsError, match="twice"):
        hand_features(HOLDEM, [[0, 0, 1, 2, 3]], Wanted())
    with pytest.raises(CardsError, match="cards of a hand"):
        hand_features(HOLDEM, [[0, 1, 2]], Wanted())
    with pytest.raises(InputError, match="no round 4"):
        canonical_features(HOLDEM, 4, Wanted())
    with pytest.raises(InputError, match="bins"):
        Wanted(bins=-1)
    with pytest.raises(InputError, match="numbered 0 to 7"):
        Wanted(cluster=np.array([8], np.int8))
    with pytest.raises(InputError, match="no histograms"):
        hand_features(HOLDEM, [row("KcQc", "7dQh4h2s3c")], Wanted()).histogram([0])
    with pytest.raises(UnsupportedGameError, match="three-card"):
        strength_now(DealIndexer(load_game("rhode-island")), np.zeros((1, 0), np.int16))
    from dataclasses import replace

    three = replace(load_game("leduc"), num_ranks=6, num_hole_cards=3)
    with pytest.raises(UnsupportedGameError, match="3 cards"):
        DealIndexer(three)
