"""k-means over many weighted points, by the Euclidean or the one-dimensional earth mover's distance.

The earth mover's distance of two histograms over bins on a line is the sum of absolute differences of their cumulative
histograms, in units of a bin (Werman, Peleg & Rosenfeld 1985).  Points are therefore cumulative histograms, and the
centroid of a cluster is their mean, which is the cumulative histogram of the mean histogram, as in Johanson et al.
(2013) and Ganzfried & Sandholm (2014).  The median of each bin would minimise the sum of distances; with the mean that
sum need not fall in every step, so the best clusters seen are kept.

Starts are those of k-means++ (Arthur & Vassilvitskii 2007).  A cluster that loses all its points takes the point that
costs most where it is.  With many points a random sample finds the centroids.  All results are the same for every
number of threads.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import ArrayLike, NDArray

from errai.cards import _cards
from errai.errors import InputError

POINT_TYPES = (np.uint8, np.uint16, np.float32)

MAX_SAMPLE = 400_000
"""Points from which centroids are found by default; with many clusters, at least SAMPLE_PER_CLUSTER for each."""
SAMPLE_PER_CLUSTER = 100
MAX_ITERATIONS = 40
ENOUGH = 5e-4
"""An iteration that lowers the cost by a smaller part of it is the last."""

_AT_ONCE = 200_000

Report = Callable[[int, int], None]


class Distance(StrEnum):
    """How far points are apart."""

    L2 = "l2"
    """Euclidean."""
    EMD = "emd"
    """Earth mover's on a line, between cumulative histograms."""


@dataclass(frozen=True, eq=False)
class Points:
    """Points to be clustered: ``scale * array``.

    Parameters
    ----------
    array:
        uint8, uint16 or float32 [n, d]
    weights:
        numbers[n], at least 0, not all 0.
    scale:
        What one of ``array`` is worth.

    Raises
    ------
    InputError
        If there are no points, or arrays are not as described.
    """

    array: NDArray
    weights: NDArray
    scale: float = 1.0

    def __post_init__(self) -> None:
        if self.array.ndim != 2 or self.array.dtype not in POINT_TYPES or 0 in self.array.shape:
            raise InputError("Points must be an array [n, d] of uint8, uint16 or float32, with at least one point.")
        if self.weights.shape != (len(self.array),):
            raise InputError(f"{len(self.array)} points need as many weights, not {self.weights.shape}.")

    def __len__(self) -> int:
        return len(self.array)

    def select(self, rows: NDArray) -> Points:
        """Some of the points, as copies."""
        return Points(np.ascontiguousarray(self.array[rows]), self.weights[rows], self.scale)

    def row(self, index: int) -> NDArray[np.float32]:
        """One point in its true scale, float32[d]."""
        return self.array[index].astype(np.float32) * np.float32(self.scale)


@dataclass(frozen=True, eq=False)
class Clusters:
    """Centroids of clusters.

    Attributes
    ----------
    centroids: float32[K, d]
    distance: Distance
    axis: float32[d]
        Along it no two points are farther apart than they are; searching starts from there.
    cost: float
        Mean over the weighted sample of the squared Euclidean or the earth mover's distance to the centroid.
    """

    centroids: NDArray[np.float32]
    distance: Distance
    axis: NDArray[np.float32]
    cost: float = 0.0

    def __len__(self) -> int:
        return len(self.centroids)

    def renumbered(self, order: NDArray) -> Clusters:
        """The same clusters; number i is what was number ``order[i]``."""
        return Clusters(np.ascontiguousarray(self.centroids[order]), self.distance, self.axis, self.cost)


def assign(
    points: NDArray, clusters: Clusters, scale: float = 1.0, *, threads: int = 1, report: Report | None = None
) -> tuple[NDArray[np.int32], NDArray[np.float32]]:
    """The nearest centroid of each point, the lowest-numbered of equally near ones, and how far it is.

    Parameters
    ----------
    points:
        uint8, uint16 or float32 [n, d]; worth ``scale`` each.

    Returns
    -------
    labels:
        int32[n]
    distances:
        float32[n], Euclidean distances squared.
    """
    absolute = clusters.distance is Distance.EMD

    def nearest(some: NDArray, rows: NDArray, places: NDArray, order: NDArray, *found: NDArray) -> None:
        _cards.nearest(some, scale, clusters.axis, rows, places, order, absolute, threads, *found)

    return in_pieces(points, clusters.centroids, clusters.axis, nearest, report)


def in_pieces(
    points: NDArray,
    centroids: NDArray[np.float32],
    axis: NDArray[np.float32],
    nearest: Callable[..., None],
    report: Report | None,
    at_once: int = _AT_ONCE,
) -> tuple[NDArray[np.int32], NDArray[np.float32]]:
    """The nearest centroids of points, ``at_once`` of them at a time, as :func:`assign` returns them.

    Parameters
    ----------
    axis:
        float32[d]: along it no two points are farther apart than they are.
    nearest:
        Called with some points, the centroids in their order along the axis, their places there, their numbers, and
        where the labels and the distances go.
    """
    along = centroids @ axis
    order = np.argsort(along, kind="stable").astype(np.int32)
    rows, places = np.ascontiguousarray(centroids[order]), np.ascontiguousarray(along[order])
    labels = np.empty(len(points), dtype=np.int32)
    distances = np.empty(len(points), dtype=np.float32)
    for first in range(0, len(points), at_once):
        if report is not None:
            report(first, len(points))
        part = slice(first, first + at_once)
        nearest(np.ascontiguousarray(points[part]), rows, places, order, labels[part], distances[part])
    return labels, distances


def fit(
    points: Points,
    count: int,
    distance: Distance,
    *,
    seed: int = 0,
    restarts: int = 1,
    iterations: int = MAX_ITERATIONS,
    sample: int | None = None,
    threads: int = 1,
    report: Report | None = None,
) -> Clusters:
    """Find at most ``count`` clusters; fewer where there are fewer different points.

    Parameters
    ----------
    seed:
        The same seed gives the same clusters, whatever the number of threads.
    restarts:
        How often to start anew; the clusters of least cost are kept.
    sample:
        How many points, drawn without replacement, find the centroids; by default MAX_SAMPLE, or SAMPLE_PER_CLUSTER
        for each cluster where that is more.

    Raises
    ------
    InputError
        If a number is below 1.
    """
    if min(count, restarts, iterations) < 1:
        raise InputError("k-means needs at least one cluster, one start and one iteration.")
    rng = np.random.default_rng(seed)
    size = max(MAX_SAMPLE, SAMPLE_PER_CLUSTER * count) if sample is None else sample
    if len(points) > size:
        points = points.select(np.sort(rng.choice(len(points), size=size, replace=False, shuffle=False)))
    if count < len(points) <= 4 * count and len(np.unique(points.array, axis=0)) <= count:
        count = len(points)
    axis = _axis(points, distance)

    def nearest(array: NDArray, clusters: Clusters) -> tuple[NDArray[np.int32], NDArray[np.float32]]:
        return assign(array, clusters, points.scale, threads=threads)

    best: Clusters | None = None
    for attempt in range(restarts):

        def tell(done: int, start: int = attempt) -> None:
            if report is not None:
                report(start * (iterations + 1) + done, restarts * (iterations + 1))

        tell(0)
        start = Clusters(_plus_plus(points, count, distance, rng, threads), distance, axis)
        found = lloyd(points, start, nearest, iterations, threads, tell)
        if best is None or found.cost < best.cost:
            best = found
    assert best is not None
    return best


def _axis(points: Points, distance: Distance) -> NDArray[np.float32]:
    """The direction in which points differ most, scaled so that no distance is shorter along it."""
    rows = points.array[:: max(1, len(points) // 20_000)].astype(np.float64)
    apart = rows - rows.mean(axis=0)
    main = np.linalg.eigh(apart.T @ apart)[1][:, -1]
    if main.sum() < 0:
        main = -main
    if distance is Distance.EMD:
        return np.where(main >= 0, 1.0, -1.0).astype(np.float32)
    # A little shorter than a unit, against rounding.
    return (main * (1 - 1e-6)).astype(np.float32)


def _plus_plus(
    points: Points, count: int, distance: Distance, rng: np.random.Generator, threads: int
) -> NDArray[np.float32]:
    """Start from points drawn with probability in proportion to the square of the distance to those drawn before."""
    weights = points.weights.astype(np.float64)
    nearest = np.full(len(points), np.inf, dtype=np.float32)
    chance = weights
    drawn: list[NDArray[np.float32]] = []
    while len(drawn) < min(count, len(points)):
        ends = np.cumsum(chance)
        if not ends[-1] > 0:  # every different point is drawn
            break
        pick = int(np.searchsorted(ends, rng.random() * ends[-1], side="right"))
        centroid = points.row(min(pick, len(points) - 1))
        drawn.append(centroid)
        _cards.closer(points.array, points.scale, centroid, distance is Distance.EMD, threads, nearest)
        chance = weights * (nearest.astype(np.float64) ** 2 if distance is Distance.EMD else nearest)
    return np.array(drawn, dtype=np.float32)


def lloyd(
    points: Points,
    clusters: Clusters,
    nearest: Callable[[NDArray, Clusters], tuple[NDArray[np.int32], NDArray[np.float32]]],
    iterations: int,
    threads: int,
    tell: Callable[[int], None],
    *,
    enough: float = ENOUGH,
    best: Clusters | None = None,
) -> Clusters:
    """Move each centroid to the mean of the points that are nearest to it, again and again.

    Parameters
    ----------
    clusters:
        Where to start.
    nearest:
        As :func:`assign`.
    enough:
        Ends when the cost falls by less than this share of the least cost so far.
    best:
        What has been found before; the better of it and of what is found here is returned.
    """
    weights = np.ascontiguousarray(points.weights, dtype=np.float32)
    total = float(weights.sum(dtype=np.float64))
    for iteration in range(iterations):
        tell(iteration)
        labels, distances = nearest(points.array, clusters)
        cost = float((weights.astype(np.float64) * distances).sum()) / total
        previous = best
        if best is None or cost < best.cost:
            best = Clusters(clusters.centroids, clusters.distance, clusters.axis, cost)
        if iteration and previous is not None and not cost < previous.cost * (1 - enough):
            break
        sums = np.zeros((len(clusters), points.array.shape[1]))
        _cards.label_sums(points.array, points.scale, weights, labels, threads, sums)
        mass = np.bincount(labels, weights, minlength=len(clusters))
        centroids = (sums / np.maximum(mass, 1e-300)[:, None]).astype(np.float32)
        empty = np.flatnonzero(mass <= 0)
        if len(empty):
            # The points that cost most, each in a cluster of its own.
            costly = np.argsort(-(weights * distances), kind="stable")[: len(empty)]
            for cluster, row in zip(empty, costly, strict=True):
                centroids[cluster] = points.row(int(row))
        clusters = Clusters(centroids, clusters.distance, clusters.axis)
    assert best is not None
    return best


def earth_movers_distance(first: ArrayLike, second: ArrayLike) -> NDArray[np.float64]:
    """Earth mover's distance of histograms over the same bins on a line, in bins.

    Parameters
    ----------
    first, second:
        numbers[..., bins]; each histogram adds up to 1.

    Returns
    -------
    float64[...]
    """
    apart = np.asarray(first, dtype=np.float64) - np.asarray(second, dtype=np.float64)
    return np.abs(np.cumsum(apart, axis=-1)).sum(axis=-1)
