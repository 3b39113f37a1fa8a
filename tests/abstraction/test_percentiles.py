"""Percentile buckets."""

from __future__ import annotations

import numpy as np
import pytest

from errai.abstraction.buckets import bucket_of, percentile_cuts
from errai.errors import InputError


def test_equal_weights_fill_equal_buckets() -> None:
    values = np.random.default_rng(0).permutation(1_000) / 1_000
    labels = bucket_of(values, percentile_cuts(values, np.ones(1_000), 8))
    assert np.bincount(labels).tolist() == [125] * 8
    assert (np.diff(labels[np.argsort(values)]) >= 0).all()


def test_weights_count() -> None:
    rng = np.random.default_rng(1)
    values, weights = rng.random(5_000), rng.integers(1, 25, 5_000)
    labels = bucket_of(values, percentile_cuts(values, weights, 20))
    mass = np.bincount(labels, weights) / weights.sum()
    assert mass == pytest.approx(np.full(20, 0.05), abs=25 / weights.sum())


def test_equal_values_stay_together_and_no_bucket_is_empty() -> None:
    values = np.array([0.1] * 90 + [0.2] * 5 + [0.3] * 5)
    cuts = percentile_cuts(values, np.ones(100), 10)
    labels = bucket_of(values, cuts)
    assert len(np.unique(labels)) == len(cuts) + 1 == 2
    assert len(set(labels[:90])) == 1
    assert percentile_cuts(values, np.ones(100), 1).size == 0


def test_the_rule_is_the_one_that_is_documented() -> None:
    rng = np.random.default_rng(2)
    values = rng.integers(0, 40, 300) / 64
    weights = rng.integers(0, 9, 300)
    labels = bucket_of(values, percentile_cuts(values, weights, 7))
    expected = []
    for value in values:
        below, same = weights[values < value].sum(), weights[values == value].sum()
        expected.append(min(6, int(7 * (below + same / 2) / weights.sum())))
    # Without the numbers of empty buckets.
    assert np.array_equal(labels, np.unique(expected, return_inverse=True)[1])


def test_errors() -> None:
    for values, weights, count in (([], [], 3), ([1.0], [1], 0), ([np.nan], [1], 2), ([1.0], [0], 2)):
        with pytest.raises(InputError):
            percentile_cuts(values, weights, count)
