"""The map from hands to buckets: properties of every abstraction, and files."""

from __future__ import annotations

import numpy as np
import pytest
from small_subjects import subject

from errai.abstraction.buckets import CardAbstraction, OneBucket, RuleBuckets, TableBuckets
from errai.abstraction.building import build_abstraction
from errai.abstraction.deals import DealIndexer
from errai.abstraction.features import Wanted, canonical_features, hand_features
from errai.abstraction.file import load_abstraction, save_abstraction
from errai.abstraction.kmeans import Clusters, Distance, assign
from errai.abstraction.plan import AbstractionPlan, FeatureKind, RoundPlan
from errai.cards.hands import hand_permutation, permute_cards, suit_permutations
from errai.errors import CardsError, DamagedFileError, ForeignFileError, InputError, UnsupportedGameError
from errai.games.catalogue import load_game


def made(name: str, kind: FeatureKind, count: int = 5, *, perfect: bool = False, **settings: object) -> CardAbstraction:
    game = subject(name)
    inner = 2 if kind is FeatureKind.NESTED else 0
    rounds = tuple(RoundPlan(count, kind, inner) for _ in range(game.num_rounds))
    return build_abstraction(game, AbstractionPlan(rounds, perfect=perfect, sample_boards=60, **settings))


CASES = [
    *[("royal.limit", kind, False) for kind in FeatureKind],
    ("rhode-island", FeatureKind.NESTED, True),
    ("rhode-island", FeatureKind.OCHS, True),
    ("rhode-island-short", FeatureKind.HISTOGRAM, True),
    ("two-cards-short", FeatureKind.EHS2, True),
    ("leduc", FeatureKind.EHS, False),
]


@pytest.fixture(scope="module", params=CASES, ids=lambda case: "-".join(map(str, case)))
def abstraction(request: pytest.FixtureRequest) -> CardAbstraction:
    name, kind, perfect = request.param
    return made(name, kind, perfect=perfect)


def boards_of(abstraction: CardAbstraction, round_index: int, count: int, seed: int = 0) -> np.ndarray:
    deals = abstraction.deals
    drawn = np.random.default_rng(seed).random((count, deals.deck.num_cards)).argsort(axis=1)
    return drawn[:, : deals.board_cards[round_index]]


def test_what_buckets_must_obey(abstraction: CardAbstraction) -> None:
    deals = abstraction.deals
    for round_index in range(deals.num_rounds):
        boards = boards_of(abstraction, round_index, 12)
        many = abstraction.buckets_on(boards, round_index, threads=2)
        assert many.dtype == np.int32
        for board, row in zip(boards, many, strict=True):
            one = abstraction.buckets(board.tolist(), round_index)
            assert np.array_equal(one, row)
            blocked = np.isin(deals.hands, board).any(axis=1)
            assert ((one == -1) == blocked).all()
            assert one.max() < abstraction.num_buckets(round_index)
            # The names of suits do not matter.
            for perm in suit_permutations(deals.deck.num_suits)[::5]:
                moved = hand_permutation(deals.deck, deals.game.num_hole_cards, perm)
                renamed = permute_cards(deals.deck, board, perm)
                assert np.array_equal(abstraction.buckets(renamed.tolist(), round_index)[moved], one)


def test_every_bucket_is_used(abstraction: CardAbstraction) -> None:
    deals = abstraction.deals
    for round_index in range(deals.num_rounds):
        if isinstance(abstraction.rounds[round_index], RuleBuckets):
            continue  # some sequences that a rule has buckets for may be impossible
        boards, _ = deals.boards(round_index, dealt=abstraction.recall == "perfect")
        found = np.unique(abstraction.buckets_on(boards, round_index))
        expected = range(abstraction.num_buckets(round_index))
        assert found[found >= 0].tolist() == list(expected)


def test_recall(abstraction: CardAbstraction) -> None:
    """With perfect recall a bucket determines the one before; with imperfect recall card order has no effect."""
    deals = abstraction.deals
    for round_index in range(1, deals.num_rounds):
        boards = boards_of(abstraction, round_index, 40, seed=2)
        now = abstraction.buckets_on(boards, round_index)
        if abstraction.recall == "imperfect":
            assert np.array_equal(abstraction.buckets_on(boards[:, ::-1], round_index), now)
            continue
        before = abstraction.buckets_on(boards[:, : deals.board_cards[round_index - 1]], round_index - 1)
        live = now >= 0
        pairs = np.unique(np.stack([now[live], before[live]], axis=1), axis=0)
        assert len(np.unique(pairs[:, 0])) == len(pairs)


def test_a_file_brings_everything_back(abstraction: CardAbstraction, tmp_path) -> None:
    path = tmp_path / "some.cards"
    save_abstraction(abstraction, path)
    again = load_abstraction(path)
    assert again.describe() == abstraction.describe()
    assert again.game == abstraction.game
    for round_index in range(abstraction.deals.num_rounds):
        boards = boards_of(abstraction, round_index, 10, seed=3)
        assert np.array_equal(again.buckets_on(boards, round_index), abstraction.buckets_on(boards, round_index))
    save_abstraction(again, tmp_path / "other.cards")
    assert path.read_bytes() == (tmp_path / "other.cards").read_bytes()


# --- what buckets mean ---


def test_percentile_buckets_are_those_of_the_feature() -> None:
    abstraction = made("royal.limit", FeatureKind.EHS, 6)
    deals = abstraction.deals
    for round_index in range(deals.num_rounds):
        features = canonical_features(deals, round_index, Wanted())
        boards = boards_of(abstraction, round_index, 20, seed=4)
        buckets, index = abstraction.buckets_on(boards, round_index), deals.index(boards.astype(np.int16), round_index)
        strengths = features.mean[index[index >= 0]]
        labels = buckets[index >= 0]
        # Buckets follow one another, and hold equal parts of the hands of all boards.
        tops = [strengths[labels == k].max() for k in np.unique(labels)]
        bottoms = [strengths[labels == k].min() for k in np.unique(labels)]
        assert (np.array(tops[:-1]) < np.array(bottoms[1:])).all()
        everywhere, multiplicity = deals.boards(round_index)
        share = np.zeros(abstraction.num_buckets(round_index))
        for board, weight in zip(everywhere, multiplicity, strict=True):
            here = abstraction.buckets(board.tolist(), round_index)
            share += np.bincount(here[here >= 0], minlength=len(share)) * weight
        assert (share / share.sum()) == pytest.approx(1 / 6, abs=0.06)


def test_river_clusters_are_nearest_centroids_of_ochs() -> None:
    abstraction = made("royal.limit", FeatureKind.OCHS, 9)
    rule = abstraction.rounds[-1]
    assert isinstance(rule, RuleBuckets)
    deals = abstraction.deals
    board = boards_of(abstraction, 3, 1, seed=5)[0]
    buckets = abstraction.buckets(board.tolist(), 3)
    hands = np.flatnonzero(buckets >= 0)
    rows = np.concatenate([deals.hands[hands], np.broadcast_to(board, (len(hands), 5))], axis=1)
    ochs = hand_features(deals, rows, Wanted(cluster=rule.opponents)).ochs
    distance = ((ochs[:, None] - rule.clusters[0].centroids[None]) ** 2).sum(-1)
    assert distance[np.arange(len(hands)), buckets[hands]] == pytest.approx(distance.min(axis=1), abs=1e-6)
    # Numbered from the weakest.
    assert (np.diff(rule.clusters[0].centroids.mean(axis=1)) >= 0).all()


@pytest.mark.parametrize("name", ["leduc", "rhode-island-short", "two-cards-short"])
def test_the_identity_tells_all_hands_apart_that_suits_do(name: str) -> None:
    abstraction = CardAbstraction.identity(subject(name))
    deals = abstraction.deals
    for round_index in range(deals.num_rounds):
        boards, _ = deals.boards(round_index, dealt=True)
        found = abstraction.buckets_on(boards, round_index)
        assert np.unique(found[found >= 0]).tolist() == list(range(abstraction.num_buckets(round_index)))
    # Two hands of one bucket on one board are the same up to a renaming that leaves the board.
    board = deals.boards(deals.num_rounds - 1, dealt=True)[0][-1]
    buckets = abstraction.buckets(board.tolist(), deals.num_rounds - 1)
    keep = [
        perm
        for perm in suit_permutations(deals.deck.num_suits)
        if (permute_cards(deals.deck, board, perm) == board).all()
    ]
    for hand in np.flatnonzero(buckets >= 0):
        orbit = {int(hand_permutation(deals.deck, deals.game.num_hole_cards, perm)[hand]) for perm in keep}
        assert set(np.flatnonzero(buckets == buckets[hand]).tolist()) == orbit


def test_one_bucket(tmp_path) -> None:
    abstraction = CardAbstraction.one_bucket(load_game("leduc"))
    assert abstraction.num_buckets(1) == 1
    assert abstraction.buckets([0], 1).tolist() == [-1, 0, 0, 0, 0, 0]
    save_abstraction(CardAbstraction.identity(load_game("leduc")), tmp_path / "identity.cards")
    again = load_abstraction(tmp_path / "identity.cards")
    assert again.num_buckets(1) == 15
    save_abstraction(abstraction, tmp_path / "one.cards")
    assert isinstance(load_abstraction(tmp_path / "one.cards").rounds[0], OneBucket)


# --- what is refused ---


def test_errors() -> None:
    abstraction = CardAbstraction.one_bucket(load_game("leduc"))
    with pytest.raises(CardsError, match="1 are open"):
        abstraction.buckets([], 1)
    with pytest.raises(CardsError, match="not in a deck"):
        abstraction.buckets([6], 1)
    with pytest.raises(InputError, match="no round 2"):
        abstraction.buckets([], 2)
    with pytest.raises(InputError, match="no round -1"):
        abstraction.num_buckets(-1)
    with pytest.raises(InputError, match="array"):
        abstraction.buckets_on(np.zeros((2, 3), int), 1)
    with pytest.raises(InputError, match="not in a deck"):
        abstraction.buckets_on(np.array([[9]]), 1)
    with pytest.raises(InputError, match="2 rounds"):
        CardAbstraction(load_game("leduc"), [OneBucket()])
    with pytest.raises(InputError, match="Recall"):
        CardAbstraction(load_game("kuhn"), [OneBucket()], "some")
    with pytest.raises(UnsupportedGameError, match="2,428,287,420"):
        CardAbstraction.identity(load_game("holdem.limit.2p"))
    with pytest.raises(InputError, match="either cuts"):
        RuleBuckets()


def test_a_damaged_file_is_refused(tmp_path) -> None:
    path = tmp_path / "a.cards"
    save_abstraction(made("leduc", FeatureKind.EHS2, 2), path)
    whole = path.read_bytes()
    for place in range(0, len(whole), 37):
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 4]) + whole[place + 1 :])
        with pytest.raises((DamagedFileError, ForeignFileError)):
            load_abstraction(path)
    path.write_bytes(whole[:-5])
    with pytest.raises(DamagedFileError):
        load_abstraction(path)


def test_a_file_that_contradicts_itself_is_refused(tmp_path) -> None:
    game = load_game("leduc")
    deals = DealIndexer(game)
    too_short = TableBuckets(0, np.zeros(2, np.uint16), 1, dealt=False)
    out_of_bounds = TableBuckets(0, np.full(deals.num_classes(0), 7, np.uint16), 3, dealt=False)
    opponents = np.zeros(3, np.int8)
    clusters = Clusters(np.zeros((2, 1), np.float32), Distance.L2, np.ones(1, np.float32))
    wrong_opponents = RuleBuckets(clusters=[clusters], opponents=opponents)
    for rounds in ([too_short, OneBucket()], [out_of_bounds, OneBucket()], [OneBucket(), wrong_opponents]):
        save_abstraction(CardAbstraction(game, rounds), tmp_path / "bad.cards")
        with pytest.raises(DamagedFileError, match="not a card abstraction"):
            load_abstraction(tmp_path / "bad.cards")


def test_assigning_in_a_rule_is_the_shared_search() -> None:
    points = np.random.default_rng(0).random((50, 3), dtype=np.float32)
    clusters = Clusters(points[:7].copy(), Distance.L2, np.array([1, 0, 0], np.float32))
    assert assign(points, clusters)[0][:7].tolist() == list(range(7))


def test_a_rule_takes_the_place_of_the_largest_table(tmp_path) -> None:
    whole = made("royal.limit", FeatureKind.OCHS)
    compact = whole.compact()
    kinds = [type(each).__name__ for each in compact.rounds]
    # Before the flop nothing is gained; of flop and turn the turn's table is the larger one.
    assert kinds == ["TableBuckets", "TableBuckets", "RuleBuckets", "RuleBuckets"]
    assert isinstance(whole.rounds[1], TableBuckets)
    assert whole.rounds[1].rule is not None
    for round_index in (1, 2):
        boards = boards_of(whole, round_index, 40)
        rule = whole.rounds[round_index].rule
        np.testing.assert_array_equal(rule.on(whole.deals, boards, 2), whole.buckets_on(boards, round_index))
    for name, each in (("whole", whole), ("compact", compact)):
        save_abstraction(each, tmp_path / name)
        again = load_abstraction(tmp_path / name)
        boards = boards_of(whole, 2, 40, seed=1)
        np.testing.assert_array_equal(again.buckets_on(boards, 2), whole.buckets_on(boards, 2))
        np.testing.assert_array_equal(again.compact().buckets_on(boards, 2), whole.buckets_on(boards, 2))
    assert (tmp_path / "compact").stat().st_size < (tmp_path / "whole").stat().st_size


def test_without_rules_nothing_is_left_out() -> None:
    whole = made("royal.limit", FeatureKind.EHS2)
    assert whole.compact().rounds == whole.rounds
