"""Means, histograms and bootstrap intervals, against NumPy, SciPy and simulation."""

from __future__ import annotations

import hashlib

import numpy as np
import pytest
from scipy import stats

from errai.arena import intervals
from errai.arena.intervals import Histogram, bootstrap_interval, bootstrap_means, student_interval


def test_a_histogram_has_the_mean_and_deviation_of_its_numbers() -> None:
    rng = np.random.default_rng(0)
    data = rng.integers(-20, 21, 5_000) / 2
    found = Histogram.of(data)
    assert found.n == 5_000
    assert found.mean == pytest.approx(data.mean(), abs=1e-12)
    assert found.std == pytest.approx(data.std(ddof=1), rel=1e-12)
    assert found.standard_error == pytest.approx(stats.sem(data), rel=1e-12)


@pytest.mark.parametrize("draw", ["normal", "standard_t", "exponential"])
def test_many_different_numbers_keep_their_mean_and_nearly_their_deviation(draw: str) -> None:
    rng = np.random.default_rng(1)
    data = rng.standard_t(3, 50_000) if draw == "standard_t" else getattr(rng, draw)(size=50_000)
    found = Histogram.of(data)
    assert len(found.values) <= intervals.MAX_VALUES
    assert found.n == 50_000
    assert (np.diff(found.values) > 0).all()
    assert found.mean == pytest.approx(data.mean(), abs=1e-12)
    width = (data.max() - data.min()) / intervals.MAX_VALUES
    assert data.std(ddof=1) ** 2 - found.std**2 == pytest.approx(0, abs=width**2 / 4)


def test_numbers_that_differ_in_their_last_digits_alone_make_a_histogram() -> None:
    # What AIVAT with exact values gives: the same number but for rounding.
    data = 0.9104986372990727 + np.random.default_rng(0).normal(size=40_000) * 3e-13
    found = Histogram.of(data)
    assert found.n == 40_000
    assert (np.diff(found.values) > 0).all()
    assert found.mean == pytest.approx(data.mean(), abs=1e-15)
    interval = bootstrap_interval(found)
    assert interval is not None
    assert interval.high - interval.low < 1e-13


def test_a_union_holds_all_numbers() -> None:
    rng = np.random.default_rng(2)
    a, b = rng.integers(0, 9, 300), rng.integers(5, 15, 200)
    both = Histogram.union(Histogram.of(a), Histogram.of(b))
    whole = Histogram.of(np.concatenate([a, b]))
    assert both.values.tolist() == whole.values.tolist()
    assert both.counts.tolist() == whole.counts.tolist()


def test_the_quantiles_of_the_means_are_those_of_scipy() -> None:
    data = np.random.default_rng(3).exponential(size=40)
    theirs = stats.bootstrap(
        (data,), np.mean, n_resamples=40_000, method="percentile", rng=np.random.default_rng(9)
    ).confidence_interval
    ours = np.quantile(bootstrap_means(Histogram.of(data), 1, resamples=40_000), [0.025, 0.975])
    assert tuple(ours) == pytest.approx((theirs.low, theirs.high), abs=0.006)


def test_percentile_t_is_what_its_definition_says() -> None:
    # The definition, sample by sample, with SciPy's and NumPy's own means and errors.
    data = np.random.default_rng(4).gamma(0.7, size=30)
    rng = np.random.default_rng(5)
    drawn = rng.choice(data, size=(40_000, 30))
    t = (drawn.mean(axis=1) - data.mean()) / stats.sem(drawn, axis=1)
    low, high = data.mean() - np.quantile(t, [0.975, 0.025]) * stats.sem(data)
    ours = bootstrap_interval(Histogram.of(data), 1, resamples=40_000)
    assert ours is not None
    assert (ours.low, ours.high) == pytest.approx((low, high), rel=0.02)
    assert "percentile-t" in ours.method


@pytest.mark.parametrize("n", [15, 60, 250])
def test_the_interval_covers_in_95_of_100_cases(n: int) -> None:
    # Lopsided as poker results are: many small losses, few large wins.
    rng = np.random.default_rng(n)
    values, shares = np.array([-1.0, 0.0, 2.0, 12.0]), np.array([0.55, 0.2, 0.2, 0.05])
    truth, cases = float(values @ shares), 400
    held = 0
    for case in range(cases):
        found = bootstrap_interval(Histogram.of(rng.choice(values, n, p=shares)), case, resamples=600)
        assert found is not None
        held += truth in found
    # Three standard deviations of a binomial around 95 %; few numbers of which 5 % carry most are harder.
    assert held / cases >= {15: 0.84, 60: 0.90, 250: 0.917}[n]
    assert held < cases


def test_coverage_in_well_behaved_data_is_95_percent() -> None:
    rng = np.random.default_rng(8)
    held = sum(1.0 in _made(Histogram.of(rng.exponential(size=40)), case) for case in range(600))
    assert abs(held / 600 - 0.95) < 3 * (0.95 * 0.05 / 600) ** 0.5


def _made(sample: Histogram, seed: int) -> intervals.Interval:
    found = bootstrap_interval(sample, seed, resamples=600)
    assert found is not None
    return found


def test_samples_drawn_again_have_the_spread_of_the_mean() -> None:
    found = Histogram.of(np.random.default_rng(6).integers(-5, 6, 100_000))
    means = bootstrap_means(found, 0)
    assert means.std(ddof=1) == pytest.approx(found.standard_error, rel=0.06)
    assert means.mean() == pytest.approx(found.mean, abs=4 * found.standard_error / len(means) ** 0.5)


def test_chunks_do_not_change_what_is_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    found = Histogram.of(np.random.default_rng(7).integers(-50, 51, 1_000))
    whole = bootstrap_means(found, 3, 500)
    monkeypatch.setattr(intervals, "_CHUNK", 1_000)
    assert np.array_equal(bootstrap_means(found, 3, 500), whole)


def test_what_is_drawn_does_not_hang_on_the_version_of_numpy() -> None:
    # For this seed NumPy 2.4 and 2.5 draw other samples with Generator.multinomial.
    found = Histogram.of(np.repeat(np.arange(22.0), 90))
    drawn = np.concatenate(list(intervals._drawn_again(found, 2, intervals.RESAMPLES)))
    assert hashlib.sha256(drawn.astype("<i8").tobytes()).hexdigest()[:16] == "3a927c6772ff94b5"


def test_what_cannot_be_said_is_not_said() -> None:
    assert bootstrap_interval(Histogram.of([])) is None
    assert bootstrap_interval(Histogram.of([3.0])) is None
    same = bootstrap_interval(Histogram.of([3.0, 3.0, 3.0]))
    assert same is not None
    assert (same.low, same.high) == (3.0, 3.0)
    assert np.isnan(Histogram.of([]).mean)
    assert np.isnan(Histogram.of([1.0]).std)


def test_two_different_numbers_fall_back_on_student() -> None:
    found = bootstrap_interval(Histogram.of([1.0, 2.0]))
    t = stats.ttest_1samp([1.0, 2.0], 0.0).confidence_interval(0.95)
    assert found is not None
    assert (found.low, found.high) == pytest.approx((t.low, t.high))
    assert found.method == "Student's t"


def test_student_interval_is_scipys() -> None:
    data = np.random.default_rng(9).normal(size=12)
    theirs = stats.ttest_1samp(data, 0.0).confidence_interval(0.95)
    ours = student_interval(float(data.mean()), float(stats.sem(data)), 12)
    assert (ours.low, ours.high) == pytest.approx((theirs.low, theirs.high))
