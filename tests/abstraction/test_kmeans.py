"""k-means and the earth mover's distance against plain NumPy and SciPy."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import wasserstein_distance

from errai.abstraction.kmeans import Clusters, Distance, Points, assign, earth_movers_distance, fit
from errai.errors import InputError


def some_points(kind: type, n: int, d: int, seed: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    if kind is np.float32:
        return rng.random((n, d), dtype=np.float32)
    return np.cumsum(rng.integers(0, 9, (n, d)), axis=1).astype(kind)


def plain_distances(points: np.ndarray, centroids: np.ndarray, scale: float, distance: Distance) -> np.ndarray:
    apart = points[:, None, :].astype(np.float64) * scale - centroids[None].astype(np.float64)
    return np.abs(apart).sum(-1) if distance is Distance.EMD else (apart**2).sum(-1)


@pytest.mark.parametrize("distance", list(Distance))
@pytest.mark.parametrize("kind", [np.uint8, np.uint16, np.float32])
@pytest.mark.parametrize("d", [1, 3, 8, 20])
def test_the_nearest_is_the_nearest(distance: Distance, kind: type, d: int) -> None:
    array = some_points(kind, 3_000, d, d)
    scale = 1.0 if kind is np.float32 else 1 / 200
    rng = np.random.default_rng(d + 1)
    centroids = (array[rng.choice(3_000, 70, replace=False)] * scale).astype(np.float32)
    clusters = fit(Points(array, np.ones(3_000), scale), 2, distance, iterations=1)
    clusters = Clusters(centroids, distance, clusters.axis)
    labels, distances = assign(array, clusters, scale, threads=3)
    plain = plain_distances(array, centroids, scale, distance)
    assert distances == pytest.approx(plain.min(axis=1), rel=1e-4, abs=1e-6)
    assert plain[np.arange(3_000), labels] == pytest.approx(plain.min(axis=1), rel=1e-4, abs=1e-6)


def test_the_lowest_number_among_equals() -> None:
    points = np.zeros((5, 2), dtype=np.float32)
    centroids = np.array([[1, 0], [0, 1], [-1, 0]], dtype=np.float32)
    for axis in ([1, 0], [0, 1], [-1, 0]):
        clusters = Clusters(centroids, Distance.L2, np.array(axis, dtype=np.float32))
        assert (assign(points, clusters)[0] == 0).all()


def test_groups_that_lie_apart_are_found() -> None:
    rng = np.random.default_rng(0)
    middles = np.array([[0, 0], [10, 0], [0, 10], [10, 10]])
    array = (middles.repeat(50, axis=0) + rng.normal(0, 0.3, (200, 2))).astype(np.float32)
    clusters = fit(Points(array, np.ones(200)), 4, Distance.L2, restarts=3)
    labels, _ = assign(array, clusters)
    assert len(np.unique(labels)) == 4
    assert all(len(np.unique(labels[i : i + 50])) == 1 for i in range(0, 200, 50))
    for label in range(4):
        assert clusters.centroids[label] == pytest.approx(array[labels == label].mean(axis=0), abs=1e-5)


@pytest.mark.parametrize("distance", list(Distance))
def test_a_fit_is_a_fixed_point_and_threads_do_not_matter(distance: Distance) -> None:
    array = some_points(np.uint8, 4_000, 12, 5)
    weights = np.random.default_rng(1).integers(1, 25, 4_000).astype(np.uint8)
    points = Points(array, weights, 1 / 96)
    one, four = (fit(points, 30, distance, seed=9, threads=threads, restarts=2) for threads in (1, 4))
    assert np.array_equal(one.centroids, four.centroids)
    assert one.cost == four.cost
    assert not np.array_equal(one.centroids, fit(points, 30, distance, seed=10, restarts=2).centroids)
    start = fit(points, 30, distance, seed=9, iterations=1)
    assert one.cost < start.cost * 0.95
    plain = plain_distances(array, one.centroids, 1 / 96, distance).min(axis=1)
    assert one.cost == pytest.approx((weights * plain).sum() / weights.sum(), rel=1e-5)


def test_a_weight_is_worth_as_many_points() -> None:
    rng = np.random.default_rng(4)
    array = rng.random((60, 3), dtype=np.float32)
    weights = rng.integers(1, 4, 60)
    clusters = fit(Points(array, weights.astype(np.uint8)), 5, Distance.L2, seed=1)
    labels, _ = assign(array, clusters)
    repeated = array.repeat(weights, axis=0)
    _, distances = assign(repeated, clusters)
    assert distances.mean() == pytest.approx(clusters.cost, rel=1e-5)
    # Converged: each centroid is the mean of the repeated points.
    again = assign(repeated, clusters)[0]
    assert np.array_equal(again, labels.repeat(weights))


def test_no_cluster_stays_empty() -> None:
    # Far outliers drawn as starts leave nothing for others in many a run; every cluster must end with points.
    rng = np.random.default_rng(2)
    array = np.concatenate([rng.normal(0, 1, (500, 2)), rng.normal(50, 0.01, (5, 2))]).astype(np.float32)
    for seed in range(10):
        clusters = fit(Points(array, np.ones(505)), 40, Distance.L2, seed=seed)
        assert (np.bincount(assign(array, clusters)[0], minlength=40) > 0).all()


def test_fewer_different_points_than_clusters() -> None:
    array = np.array([[0.0], [1.0], [1.0], [0.0]], dtype=np.float32)
    clusters = fit(Points(array, np.ones(4)), 3, Distance.L2)
    assert sorted(clusters.centroids[:, 0].tolist()) == [0.0, 1.0]
    assert clusters.cost == 0.0


def test_a_sample_finds_about_as_good_clusters() -> None:
    array = some_points(np.float32, 20_000, 4, 8)
    points = Points(array, np.ones(20_000))
    whole = fit(points, 10, Distance.L2, seed=1, restarts=2)
    part = fit(points, 10, Distance.L2, seed=1, restarts=2, sample=4_000)
    cost = assign(array, part)[1].mean()
    assert cost < whole.cost * 1.05


def test_the_earth_movers_distance_is_scipys() -> None:
    rng = np.random.default_rng(6)
    first, second = rng.dirichlet(np.ones(12), size=(2, 40))
    ours = earth_movers_distance(first, second)
    for i in range(40):
        theirs = wasserstein_distance(np.arange(12), np.arange(12), first[i], second[i])
        assert ours[i] == pytest.approx(theirs, abs=1e-9)


def test_errors() -> None:
    with pytest.raises(InputError, match="uint8"):
        Points(np.zeros((2, 2)), np.ones(2))
    with pytest.raises(InputError, match="as many weights"):
        Points(np.zeros((2, 2), np.float32), np.ones(3))
    with pytest.raises(InputError, match="at least one cluster"):
        fit(Points(np.zeros((2, 2), np.float32), np.ones(2)), 0, Distance.L2)
