"""Standings: crosstable, total bankroll, instant run-off, and the certainty of ranks."""

from __future__ import annotations

import dataclasses
import json
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

from errai.arena.results import MatchResult, Measure
from errai.arena.standings import Pool, bankroll, make_pool, read_pool, run_off, tiers_against
from errai.errors import ForeignFileError, MatchError
from errai.reports import standings_document, write_standings_report


def match(a: str, b: str, values: np.ndarray, seed: int = 0, digest: str = "d") -> MatchResult:
    both = np.stack([values, values])
    seats = ((np.arange(len(values))[None] + np.arange(2)[:, None]) % 2).astype(np.int8)
    return MatchResult(
        game="g", title="G", digest=digest, big_blind_chips=10.0, players=(a, b), hands=2 * len(values),
        hands_wanted=2 * len(values), status="done", error="", duplicate=True, seed=seed,
        measures=(Measure.of("chips", "m", both, seats, 0),), endings=(),
    )  # fmt: skip


def pool_of(means: dict[tuple[str, str], float], n: int = 400, spread: float = 1.0) -> Pool:
    """A pool whose matches have exactly these means, in chips, and a given standard deviation."""
    noise = np.tile([spread, -spread], n // 2)
    return make_pool([(f"{a}{b}", match(a, b, mean + noise)) for (a, b), mean in means.items()])


def test_the_crosstable_is_antisymmetric_and_in_mbb() -> None:
    pool = pool_of({("b", "a"): 0.5, ("a", "c"): 0.2, ("c", "b"): 0.0})
    means, errors = pool.table()
    assert pool.players == ("a", "b", "c")
    assert pool.unit == "mbb/g"
    assert means[1, 0] == pytest.approx(50)
    assert means[0, 1] == pytest.approx(-50)
    assert means[0, 2] == pytest.approx(20)
    assert np.isnan(means).tolist() == np.eye(3, dtype=bool).tolist()
    assert errors[0, 1] == pytest.approx(100 * np.std(np.tile([1.0, -1.0], 200), ddof=1) / 20)
    assert not np.signbit(means[2, 1])


def test_bankroll_is_the_mean_against_all_others() -> None:
    pool = pool_of({("a", "b"): 3.0, ("a", "c"): -1.0, ("b", "c"): 1.0})
    ranks = bankroll(pool).ranks
    assert [(r.player, round(r.score, 6)) for r in ranks] == [("a", 100.0), ("c", 0.0), ("b", -100.0)]
    assert [r.place for r in ranks] == [1, 2, 3]
    assert all(r.low < r.score < r.high for r in ranks)


def test_the_run_off_does_not_reward_robbing_the_weak() -> None:
    # a takes most from d and so leads the bankroll; b beats everybody who is left when d is gone.
    pool = pool_of(
        {("a", "b"): -1.0, ("a", "c"): -0.2, ("a", "d"): 9.0, ("b", "c"): 0.5, ("b", "d"): 1.0, ("c", "d"): 1.0}
    )
    assert [r.player for r in bankroll(pool).ranks] == ["a", "b", "c", "d"]
    ranks = run_off(pool).ranks
    assert [r.player for r in ranks] == ["b", "c", "a", "d"]
    # Scores of the round in which each went: d (-11)/3, a -1.2/2, c -0.5, and b in the last.
    assert [round(r.score, 3) for r in ranks] == [50.0, -50.0, -60.0, -366.667]


def by_hand(means: np.ndarray) -> list[int]:
    """Instant run-off, slowly: players from the last to go to the first."""
    left, out = list(range(len(means))), []
    while len(left) > 1:
        scores = {i: sum(means[i, j] for j in left if j != i) / (len(left) - 1) for i in left}
        worst = min(left, key=lambda i: scores[i])
        left.remove(worst)
        out.append(worst)
    return [*left, *reversed(out)]


@pytest.mark.parametrize("seed", range(8))
def test_run_offs_are_those_by_hand(seed: int) -> None:
    rng = np.random.default_rng(seed)
    names = "abcdefg"[: 2 + seed % 6]
    means = {(a, b): float(rng.normal()) for a, b in combinations(names, 2)}
    pool = pool_of(means)
    table = np.nan_to_num(pool.table()[0])
    assert [pool.players.index(r.player) for r in run_off(pool, resamples=50).ranks] == by_hand(table)


def test_players_that_are_not_apart_share_a_place() -> None:
    # Standard errors of 5 mbb: a and b lie 2 apart, c far below.
    pool = pool_of({("a", "b"): 0.02, ("a", "c"): 1.0, ("b", "c"): 1.0})
    standing = bankroll(pool)
    assert [(r.place, r.player) for r in standing.ranks] == [(1, "a"), (1, "b"), (3, "c")]
    assert 0.5 < standing.above[0, 1] < 0.95
    assert standing.above[0, 2] == 1.0
    assert standing.above[0, 1] == standing.ranks[0].above_next
    run = run_off(pool)
    assert [r.place for r in run.ranks] == [1, 1, 3]


def test_significance_is_that_of_the_normal_distribution() -> None:
    from scipy import stats

    rng = np.random.default_rng(1)
    # Two players alone: the difference is twice the mean of their match.
    pool = make_pool([("ab", match("a", "b", np.round(rng.normal(0.06, 1.0, 900), 1)))])
    (found,) = pool.pairs.values()
    standing = bankroll(pool, resamples=20_000)
    assert standing.above[0, 1] == pytest.approx(stats.norm.cdf(abs(found.mean) / found.standard_error), abs=0.012)
    low, high = standing.ranks[0].low, standing.ranks[0].high
    reach = 1.96 * found.standard_error * 100
    assert (high - low) / 2 == pytest.approx(reach, rel=0.04)


def test_matches_of_the_same_two_are_put_together() -> None:
    values = np.random.default_rng(2).integers(-5, 6, 300).astype(float)
    whole = make_pool([("x", match("a", "b", values))])
    parts = make_pool([("x", match("a", "b", values[:100], 1)), ("y", match("b", "a", -values[100:], 2))])
    assert whole.mean(0, 1) == pytest.approx(parts.mean(0, 1))
    assert whole.standard_error(0, 1) == pytest.approx(parts.standard_error(0, 1))
    assert parts.hands == {(0, 1): 600}


def test_what_cannot_be_ranked_is_said() -> None:
    one = match("a", "b", np.array([1.0, 2.0]))
    with pytest.raises(MatchError, match="against itself"):
        make_pool([("x", match("a", "a", np.array([1.0])))])
    with pytest.raises(MatchError, match="the same match"):
        make_pool([("x", one), ("y", match("b", "a", np.array([1.0])))])
    with pytest.raises(MatchError, match="matches of one game"):
        make_pool([("x", one), ("y", match("a", "c", np.array([1.0]), digest="e"))])
    with pytest.raises(MatchError, match="not measured by 'aivat'; it has chips"):
        make_pool([("x", one)], "aivat")
    with pytest.raises(MatchError, match="b and c have not met"):
        bankroll(make_pool([("x", one), ("y", match("a", "c", np.array([1.0, 0.0])))]))


def test_folders_are_read_through(tmp_path: Path) -> None:
    (tmp_path / "deep").mkdir()
    rng = np.random.default_rng(3)
    match("a", "b", rng.normal(size=50)).save(tmp_path)
    match("a", "c", rng.normal(size=50)).save(tmp_path / "deep")
    assert read_pool([tmp_path]).players == ("a", "b", "c")
    file = next(tmp_path.glob("*.json"))
    assert read_pool([file]).players == ("a", "b")
    (tmp_path / "empty").mkdir()
    with pytest.raises(MatchError, match="no results of matches"):
        read_pool([tmp_path / "empty"])
    (tmp_path / "bad.match.json").write_text("{}")
    with pytest.raises(ForeignFileError, match="bad"):
        read_pool([tmp_path])


def test_the_report_holds_all_of_it(tmp_path: Path) -> None:
    rng = np.random.default_rng(4)
    names = ["<a>", "b", "c"]
    pool = make_pool([(x + y, match(x, y, rng.normal(0.5, 1.0, 200))) for x, y in combinations(names, 2)])
    standings = bankroll(pool), run_off(pool)
    tiers = tiers_against(pool, "c")
    written = write_standings_report(pool, standings, tiers, tmp_path, against="c", command="errai standings .")
    assert {p.name for p in written} >= {"report.html", "report.json", "crosstable.svg", "tiers.svg"}
    html = (tmp_path / "report.html").read_text()
    assert "<a>" not in html
    assert "&lt;a&gt;" in html
    assert "<script" not in html
    document = json.loads((tmp_path / "report.json").read_text())
    assert document == {**standings_document(pool, standings, tiers, "c"), "command": "errai standings ."}
    assert document["standings"][0]["event"] == "total bankroll"
    assert document["crosstable"]["mean"][0][0] is None
    assert document["tiers"]["against"] == "c"
    empty = dataclasses.replace(pool, pairs={}, halves={}, hands={})
    assert np.isnan(empty.table()[0]).all()
