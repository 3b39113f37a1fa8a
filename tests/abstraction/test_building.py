"""Building abstractions: resuming after an interruption, threads, inconsistent plans."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from errai.abstraction import building
from errai.abstraction.building import build_abstraction, opponent_clusters
from errai.abstraction.contents import bucket_examples, round_contents
from errai.abstraction.deals import DealIndexer
from errai.abstraction.file import save_abstraction
from errai.abstraction.kmeans import Distance
from errai.abstraction.plan import AbstractionPlan, FeatureKind, Method, RoundPlan, expected_costs
from errai.errors import InputError, StoppedError
from errai.games.catalogue import load_game
from errai.running.stopping import StopToken

ROYAL = load_game("royal.limit")
MIXED = AbstractionPlan(
    (
        RoundPlan(None),
        RoundPlan(12, FeatureKind.POTENTIAL),
        RoundPlan(15, FeatureKind.OCHS),
        RoundPlan(6, FeatureKind.EHS, method=Method.KMEANS),
    ),
    sample_boards=50,
    restarts=2,
)


def test_threads_and_folders_do_not_matter(tmp_path) -> None:
    build_abstraction(ROYAL, MIXED, tmp_path / "one", threads=1)
    build_abstraction(ROYAL, MIXED, tmp_path / "three", threads=3)
    save_abstraction(build_abstraction(ROYAL, MIXED, threads=2), tmp_path / "alone.cards")
    first = (tmp_path / "one" / "abstraction.cards").read_bytes()
    assert first == (tmp_path / "three" / "abstraction.cards").read_bytes()
    assert first == (tmp_path / "alone.cards").read_bytes()


def test_an_interrupted_run_goes_on(tmp_path, monkeypatch) -> None:
    expected = build_abstraction(ROYAL, MIXED, tmp_path / "whole")
    made = building._Builder._make

    def stop(self, number, rounds):
        if number == 1:
            token.set()
        return made(self, number, rounds)

    token = StopToken()
    monkeypatch.setattr(building._Builder, "_make", stop)
    with pytest.raises(StoppedError):
        build_abstraction(ROYAL, MIXED, tmp_path / "part", stop=token)
    assert not (tmp_path / "part" / "abstraction.cards").exists()
    again: list[int] = []

    def count(self, number, rounds):
        again.append(number)
        return made(self, number, rounds)

    monkeypatch.setattr(building._Builder, "_make", count)
    found = build_abstraction(ROYAL, MIXED, tmp_path / "part")
    assert again == [1, 0]
    assert found.describe() == expected.describe()
    whole, part = (tmp_path / name / "abstraction.cards" for name in ("whole", "part"))
    assert whole.read_bytes() == part.read_bytes()


def test_features_are_kept_for_another_clustering(tmp_path, monkeypatch) -> None:
    plan = AbstractionPlan(tuple(RoundPlan(4, FeatureKind.HISTOGRAM) for _ in range(4)))
    build_abstraction(ROYAL, plan, tmp_path)
    calls: list[int] = []
    computed = building.canonical_features

    def watched(deals, number, *rest, **more):
        calls.append(number)
        return computed(deals, number, *rest, **more)

    monkeypatch.setattr(building, "canonical_features", watched)
    other = replace(plan, rounds=tuple(RoundPlan(5, FeatureKind.HISTOGRAM) for _ in range(4)))
    build_abstraction(ROYAL, other, tmp_path)
    assert calls == []
    build_abstraction(ROYAL, replace(other, bins=20), tmp_path)
    assert sorted(calls) == [0, 1, 2]
    # What is damaged is made anew.
    for path in (tmp_path / "features").iterdir():
        path.write_bytes(path.read_bytes()[:-9])
    for path in (tmp_path / "rounds").iterdir():
        path.write_bytes(b"")
    calls.clear()
    build_abstraction(ROYAL, replace(other, bins=20), tmp_path)
    assert sorted(calls) == [0, 1, 2]


def test_finished_rounds_of_other_settings_are_not_taken(tmp_path) -> None:
    plan = AbstractionPlan(tuple(RoundPlan(4) for _ in range(4)))
    build_abstraction(ROYAL, plan, tmp_path)
    other = AbstractionPlan(tuple(RoundPlan(7) for _ in range(4)))
    found = build_abstraction(ROYAL, other, tmp_path)
    alone = build_abstraction(ROYAL, other)
    assert found.describe() == alone.describe()
    boards = np.array([[0, 5, 9], [1, 2, 3]])
    assert np.array_equal(found.buckets_on(boards, 1), alone.buckets_on(boards, 1))


def test_progress_names_stages() -> None:
    seen: list[str] = []
    build_abstraction(ROYAL, MIXED, progress=lambda stage, done, total: seen.append(stage))
    assert list(dict.fromkeys(seen)) == [
        "river: boards",
        "river: clusters",
        "preflop: features",
        "turn: features",
        "turn: clusters",
        "turn: all hands",
        "flop: features",
        "flop: next cards",
        "flop: clusters",
        "flop: all hands",
    ]


def test_clusters_of_opponents() -> None:
    deals = DealIndexer(ROYAL)
    clusters = opponent_clusters(deals, 5, seed=1)
    assert clusters.shape == (deals.num_hands,)
    assert set(clusters.tolist()) == set(range(5))
    index = deals.index(np.zeros((1, 0), np.int16), 0)[0]
    assert all(len(set(clusters[index == i].tolist())) == 1 for i in range(index.max() + 1))
    aces, worst = deals.hands[:, 0] // 4 == 4, (deals.hands // 4 == [0, 1]).all(axis=1)
    assert set(clusters[aces].tolist()) == {4}
    assert 4 not in clusters[worst].tolist()
    with pytest.raises(InputError, match="1 to 8"):
        opponent_clusters(deals, 9)


def test_contents() -> None:
    abstraction = build_abstraction(ROYAL, AbstractionPlan(tuple(RoundPlan(6, FeatureKind.EHS) for _ in range(4))))
    for round_index in range(4):
        contents = round_contents(abstraction, round_index, seed=1)
        assert contents.exact
        assert contents.share.sum() == pytest.approx(1.0)
        assert (np.diff(contents.mean) > 0).all()
        assert contents.by_hand.shape == (190,)
        examples, by_hand = bucket_examples(abstraction, round_index, 3, limit=8)
        assert by_hand.sum() == pytest.approx(1.0)
        assert 1 <= len(examples) <= 8
        for example in examples:
            deck = ROYAL.deck
            hand, board = deck.parse_cards(example.hand), deck.parse_cards(example.board)
            from errai.cards.hands import hand_index

            assert abstraction.buckets(board, round_index)[hand_index(np.array(hand))] == 3
    with pytest.raises(InputError, match="no bucket 6"):
        bucket_examples(abstraction, 1, 6)


def test_costs_grow_with_what_is_asked() -> None:
    game = load_game("holdem.limit.2p")
    small = expected_costs(game, AbstractionPlan((RoundPlan(None), *(RoundPlan(10) for _ in range(3)))))
    large = expected_costs(
        game, AbstractionPlan((RoundPlan(None), *(RoundPlan(1000, FeatureKind.HISTOGRAM) for _ in range(3))))
    )
    assert 10 < small.core_seconds < large.core_seconds < 3_600
    assert small.memory_bytes < large.memory_bytes < 4e9
    assert small.disk_bytes < large.disk_bytes < 2e9


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"count": 0}, "1 to"),
        ({"count": 4, "features": FeatureKind.NESTED}, "two numbers"),
        ({"count": 4, "inner": 2}, "two numbers"),
        ({"count": 4, "features": FeatureKind.OCHS, "method": Method.PERCENTILE}, "one number a hand"),
        ({"count": 4, "features": FeatureKind.NESTED, "inner": 2, "method": Method.KMEANS}, "percentile"),
        ({"count": 4, "distance": Distance.L2}, "only for histogram"),
        ({"count": 4, "features": FeatureKind.OCHS, "distance": Distance.EMD}, "no order"),
    ],
)
def test_rounds_that_do_not_hold_together(settings, message) -> None:
    with pytest.raises(InputError, match=message):
        RoundPlan(**settings)


def test_plans_that_do_not_hold_together() -> None:
    four = tuple(RoundPlan(4) for _ in range(4))
    with pytest.raises(InputError, match="Potential-aware"):
        AbstractionPlan((*four[:3], RoundPlan(4, FeatureKind.POTENTIAL)), perfect=True)
    for settings in ({"bins": 1}, {"opponents": 9}, {"restarts": 0}, {"sample_boards": 0}, {"seed": -1}):
        with pytest.raises(InputError):
            AbstractionPlan(four, **settings)
    with pytest.raises(InputError, match="4 rounds"):
        build_abstraction(ROYAL, AbstractionPlan(four[:2]))
    many = tuple(RoundPlan(5_000) for _ in range(4))
    with pytest.raises(InputError, match="in all"):
        build_abstraction(ROYAL, AbstractionPlan(many, perfect=True))
