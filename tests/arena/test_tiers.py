"""Tiers: rank with one half, test with the other."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from errai.arena.intervals import Histogram
from errai.arena.standings import Player, holm, split_into_tiers
from errai.errors import MatchError


def player(name: str, rng: np.random.Generator, mean: float, n: int = 400) -> Player:
    """A player whose results are normal with deviation 1."""
    return Player(name, Histogram.of(rng.normal(mean, 1, n)), Histogram.of(rng.normal(mean, 1, n)))


def test_groups_that_are_apart_become_tiers_in_order() -> None:
    rng = np.random.default_rng(0)
    means = {"a1": 1.0, "a2": 1.0, "b1": 0.0, "b2": 0.0, "b3": 0.0, "c1": -2.0}
    found = split_into_tiers([player(name, rng, mean) for name, mean in means.items()])
    assert [set(tier.players) for tier in found.tiers] == [{"a1", "a2"}, {"b1", "b2", "b3"}, {"c1"}]
    for tier, truth in zip(found.tiers, (1.0, 0.0, -2.0), strict=True):
        assert tier.interval is not None
        assert abs(tier.mean - truth) < 0.15
    assert len(found.splits) == 5
    assert sum(split.significant for split in found.splits) == 2
    assert all(split.p_value > 0.05 for split in found.splits if not split.significant)


def test_equal_players_are_split_in_at_most_5_of_100_pools() -> None:
    rng = np.random.default_rng(1)
    pools = 400
    split = sum(len(split_into_tiers([player(str(i), rng, 0.0, 40) for i in range(6)]).tiers) > 1 for _ in range(pools))
    assert split / pools < 0.05 + 3 * (0.05 * 0.95 / pools) ** 0.5


def test_ranking_and_testing_with_the_same_half_would_split_luck() -> None:
    # What the halves are for: with the same numbers in both, equal players come apart far too often.
    rng = np.random.default_rng(2)
    split = 0
    for _ in range(200):
        same = [Histogram.of(rng.normal(0, 1, 40)) for _ in range(6)]
        split += len(split_into_tiers([Player(str(i), h, h) for i, h in enumerate(same)]).tiers) > 1
    assert split / 200 > 0.15


def test_what_tiers_win_is_not_what_ranked_them() -> None:
    # The lucky ones rank first; the test half knows nothing of it.
    rng = np.random.default_rng(3)
    tops = []
    for _ in range(150):
        found = split_into_tiers([player(str(i), rng, 0.0, 30) for i in range(8)])
        first = found.splits[0]
        tops.append(first.difference)
    t = stats.ttest_1samp(tops, 0.0)
    assert t.pvalue > 1e-3


def test_two_players_are_tested_by_welch() -> None:
    rng = np.random.default_rng(4)
    a, b = rng.normal(0.3, 1, 50), rng.normal(0, 2, 80)
    players = [Player("a", Histogram.of(a + 5), Histogram.of(a)), Player("b", Histogram.of(b), Histogram.of(b))]
    (split,) = split_into_tiers(players).splits
    theirs = stats.ttest_ind(a, b, equal_var=False, alternative="greater")
    assert split.p_value == pytest.approx(theirs.pvalue, rel=1e-6)
    assert split.difference == pytest.approx(a.mean() - b.mean())
    assert (split.upper, split.lower) == (("a",), ("b",))


def test_holm_steps_down() -> None:
    # By hand: 4 * .01, 3 * .02, 2 * .03 and 1 * .04, none below the one before.
    assert holm([0.03, 0.01, 0.04, 0.02]) == pytest.approx([0.06, 0.04, 0.06, 0.06])
    assert holm([0.9, 0.8]) == [1.0, 1.0]
    assert holm([]) == []


def test_a_split_below_one_that_does_not_count_does_not_count() -> None:
    # The test half contradicts the first split, so that nothing below it may stand.
    rng = np.random.default_rng(5)
    low, high = rng.normal(-3, 1, 100), rng.normal(3, 1, 100)
    players = [
        Player("x", Histogram.of(high + 9), Histogram.of(low)),
        Player("y", Histogram.of(low), Histogram.of(high)),
        Player("z", Histogram.of(low - 1), Histogram.of(low)),
    ]
    found = split_into_tiers(players)
    assert [split.significant for split in found.splits] == [False, False]
    assert found.splits[1].p_value < 0.01
    assert len(found.tiers) == 1


def test_numbers_without_spread_split_where_they_differ() -> None:
    same, more = Histogram.of([1.0] * 8), Histogram.of([2.0] * 8)
    found = split_into_tiers([Player("a", same, same), Player("b", more, more), Player("c", same, same)])
    assert [tier.players for tier in found.tiers] == [("b",), ("a", "c")]


def test_too_few_players_or_results_are_refused() -> None:
    rng = np.random.default_rng(6)
    with pytest.raises(MatchError, match="two players"):
        split_into_tiers([player("a", rng, 0)])
    with pytest.raises(MatchError, match="a has too few"):
        split_into_tiers([player("a", rng, 0, 3), player("b", rng, 0)])
