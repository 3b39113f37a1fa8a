"""k-means for many weighted points, with the Euclidean or the one-dimensional earth mover's distance.

The earth mover's distance of two histograms over bins on a line is the sum of absolute differences of their cumulative
histograms, in units of a bin (Werman, Peleg & Rosenfeld 1985).  Points are therefore cumulative histograms.  The
centroid of a cluster is their mean, which is the cumulative histogram of the mean histogram, as in Johanson et al.
(2013) and Ganzfried & Sandholm (2014).  The median of each bin would minimise the sum of distances.  With the mean,
that sum may rise in a step, so the best clusters seen are kept.

Starts are those of k-means++ (Arthur & Vassilvitskii 2007).  A cluster that loses all its points gets the point with
the greatest cost.  With many points the centroids are found from a random sample.  All results are the same for every
number of threads.

Potential-aware clusters are those of hands by their buckets in the next round (Ganzfried & Sandholm 2014).  A hand is a
histogram over groups of the next round's buckets, with one count for each card that may come.  The ground distance of
two groups is that of their centroids in the next round's own features, or in its histograms of hand strength if the
next round is potential-aware itself.  The distance of histograms is the paper's approximation of the earth mover's
distance: every pile of the hand goes to the nearest hole of the mean that is not full yet, and the piles take turns,
nearest holes first.  It is never below the true distance.

There are two differences from the paper.  The next round's buckets are first merged, by k-means on their centroids,
into at most ``GROUPS`` groups, which keeps histograms short.  And on the round before the last, where the next round's
buckets are on a line, histograms of hand strength and their exact distance on the line are used instead; the paper
notes that both are the same there.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from errai.abstraction.deals import DealIndexer
from errai.cards import _cards
from errai.errors import InputError

Array = NDArray[Any]

POINT_TYPES = (np.uint8, np.uint16, np.float32)

MAX_SAMPLE = 400_000
"""Default number of points from which centroids are found; with many clusters, at least SAMPLE_PER_CLUSTER for each."""
SAMPLE_PER_CLUSTER = 100
MAX_ITERATIONS = 40
ENOUGH = 5e-4
"""The iterations end when one lowers the cost by less than this share."""

_AT_ONCE = 200_000

GROUPS = 100
"""Number of groups of the next round's buckets; with 8 bits per count, hold'em's flop takes 129 MB."""

PILE_SAMPLE = 30_000
"""Number of hands from which potential-aware centroids are found; with many clusters, twenty for each."""

_PILES_AT_ONCE = 20_000

ENOUGH_OF_PILES = 2e-3
"""The same for potential-aware clusters.  It is large because their distances are expensive."""

Report = Callable[[int, int], None]
"""Called with how much is done and how much there is."""


def silent(done: int, total: int) -> None:
    """Report nothing."""


class Distance(StrEnum):
    """The distance between two points."""

    L2 = "l2"
    """The Euclidean distance."""
    EMD = "emd"
    """The earth mover's distance on a line, between cumulative histograms."""


@dataclass(frozen=True, eq=False)
class Points:
    """Points to be clustered; their coordinates are ``scale * array``.

    Raises :class:`InputError` if there are no points, or arrays are not as described.
    """

    array: Array
    """uint8, uint16 or float32 [n, d]."""
    weights: Array
    """numbers[n], at least 0, not all of them 0."""
    scale: float = 1.0

    def __post_init__(self) -> None:
        if self.array.ndim != 2 or self.array.dtype not in POINT_TYPES or 0 in self.array.shape:
            raise InputError("Points must be an array [n, d] of uint8, uint16 or float32, with at least one point.")
        if self.weights.shape != (len(self.array),):
            raise InputError(f"{len(self.array)} points need as many weights, not {self.weights.shape}.")

    def __len__(self) -> int:
        return len(self.array)

    def drawn(self, most: int, rng: np.random.Generator) -> Points:
        """Return at most so many of the points, drawn without replacement."""
        if len(self) <= most:
            return self
        rows = np.sort(rng.choice(len(self), size=most, replace=False, shuffle=False))
        return Points(np.ascontiguousarray(self.array[rows]), self.weights[rows], self.scale)

    def row(self, index: int) -> NDArray[np.float32]:
        """Return one point with its true coordinates, float32[d]."""
        return np.asarray(self.array[index].astype(np.float32) * np.float32(self.scale))


@dataclass(frozen=True, eq=False)
class Clusters:
    """Centroids of clusters, float32[K, d]."""

    centroids: NDArray[np.float32]
    distance: Distance
    axis: NDArray[np.float32]
    """float32[d]: a direction along which the distance of points never exceeds the true one; searches sort by it."""
    cost: float = 0.0
    """Weighted mean over the sample of the squared Euclidean or the earth mover's distance to the centroid."""

    def __len__(self) -> int:
        return len(self.centroids)

    def renumbered(self, order: Array) -> Clusters:
        """Return the same clusters in another order; number i is what was number ``order[i]``."""
        return Clusters(np.ascontiguousarray(self.centroids[order]), self.distance, self.axis, self.cost)


def assign(
    points: Array, clusters: Clusters, scale: float = 1.0, *, threads: int = 1, report: Report = silent
) -> tuple[NDArray[np.int32], NDArray[np.float32]]:
    """Return the nearest centroid of each point, int32[n]; of equally near centroids the first counts.

    The second result are its distances, float32[n]: squared Euclidean or earth mover's.  ``scale`` times ``points``
    (uint8, uint16 or float32 [n, d]) are the coordinates.
    """
    absolute = clusters.distance is Distance.EMD

    def nearest(some: Array, rows: Array, places: Array, order: Array, *found: Array) -> None:
        _cards.nearest(some, scale, clusters.axis, rows, places, order, absolute, threads, *found)

    return in_pieces(points, clusters.centroids, clusters.axis, nearest, report)


def in_pieces(
    points: Array,
    centroids: NDArray[np.float32],
    axis: NDArray[np.float32],
    nearest: Callable[..., None],
    report: Report,
    at_once: int = _AT_ONCE,
) -> tuple[NDArray[np.int32], NDArray[np.float32]]:
    """Find the nearest centroids of points, ``at_once`` of them at a time, as :func:`assign` returns them.

    ``axis``, float32[d], is a direction along which the distance of two points never exceeds their true distance.
    ``nearest`` is called with some points, the centroids in their order along the axis, their positions there, their
    numbers, and the arrays that receive labels and distances.
    """
    along = centroids @ axis
    order = np.argsort(along, kind="stable").astype(np.int32)
    rows, places = np.ascontiguousarray(centroids[order]), np.ascontiguousarray(along[order])
    labels = np.empty(len(points), dtype=np.int32)
    distances = np.empty(len(points), dtype=np.float32)
    for first in range(0, len(points), at_once):
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
    report: Report = silent,
) -> Clusters:
    """Find at most ``count`` clusters; there are fewer if there are fewer different points.

    Of ``restarts`` starts the clusters with the least cost are kept.  Centroids are found from ``sample`` points, drawn
    without replacement; the default is MAX_SAMPLE, or SAMPLE_PER_CLUSTER for each cluster if that is more.  Raises
    :class:`InputError` if a number is below 1.
    """
    if min(count, restarts, iterations) < 1:
        raise InputError(
            f"k-means needs at least one cluster, start and iteration, not {count}, {restarts} and {iterations}."
        )
    rng = np.random.default_rng(seed)
    size = max(MAX_SAMPLE, SAMPLE_PER_CLUSTER * count) if sample is None else sample
    points = points.drawn(size, rng)
    if count < len(points) <= 4 * count and len(np.unique(points.array, axis=0)) <= count:
        count = len(points)
    axis = _axis(points, distance)

    def nearest(array: Array, clusters: Clusters) -> tuple[NDArray[np.int32], NDArray[np.float32]]:
        return assign(array, clusters, points.scale, threads=threads)

    best: Clusters | None = None
    for number in range(restarts):
        tell = steps_of_attempt(report, number, restarts, iterations + 1)
        tell(0)
        start = Clusters(_plus_plus(points, count, distance, rng, threads), distance, axis)
        found = lloyd(points, start, nearest, iterations, threads, tell)
        best = found if best is None or found.cost < best.cost else best
    assert best is not None
    return best


def steps_of_attempt(report: Report, number: int, attempts: int, steps: int) -> Callable[[int], None]:
    """Return a function that reports how many of the ``steps`` of one of some attempts are done."""
    return lambda done: report(number * steps + done, attempts * steps)


def _axis(points: Points, distance: Distance) -> NDArray[np.float32]:
    """Return the direction of greatest variance, scaled such that no distance along it exceeds the true distance."""
    rows = points.array[:: max(1, len(points) // 20_000)].astype(np.float64)
    apart = rows - rows.mean(axis=0)
    main = np.linalg.eigh(apart.T @ apart)[1][:, -1]
    if main.sum() < 0:
        main = -main
    if distance is Distance.EMD:
        return np.where(main >= 0, 1.0, -1.0).astype(np.float32)
    # The vector is a little shorter than a unit vector, to allow for rounding.
    return (main * (1 - 1e-6)).astype(np.float32)


def _plus_plus(
    points: Points, count: int, distance: Distance, rng: np.random.Generator, threads: int
) -> NDArray[np.float32]:
    """Draw starting points with probability proportional to the squared distance from those drawn before."""
    weights = points.weights.astype(np.float64)
    nearest = np.full(len(points), np.inf, dtype=np.float32)
    chance = weights
    drawn: list[NDArray[np.float32]] = []
    while len(drawn) < min(count, len(points)):
        ends = np.cumsum(chance)
        if not ends[-1] > 0:  # All different points have been drawn.
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
    nearest: Callable[[Array, Clusters], tuple[NDArray[np.int32], NDArray[np.float32]]],
    iterations: int,
    threads: int,
    tell: Callable[[int], None],
    *,
    enough: float = ENOUGH,
    best: Clusters | None = None,
) -> Clusters:
    """Repeatedly move each centroid to the mean of the points that are nearest to it (Lloyd's algorithm).

    It starts from ``clusters``, and ``nearest`` finds the nearest centroids, as :func:`assign` does.  The iterations
    end when the cost falls by less than the share ``enough`` of the least cost so far.  ``best`` are the best clusters
    found before; the better of these and of those found here are returned.
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
        centroids, mass = means(points, labels, len(clusters), threads)
        empty = np.flatnonzero(mass <= 0)
        if len(empty):
            # The points with the greatest cost each become a cluster of their own.
            costly = np.argsort(-(weights * distances), kind="stable")[: len(empty)]
            for cluster, row in zip(empty, costly, strict=True):
                centroids[cluster] = points.row(int(row))
        clusters = Clusters(centroids, clusters.distance, clusters.axis)
    assert best is not None
    return best


def means(points: Points, labels: Array, count: int, threads: int) -> tuple[NDArray[np.float32], Array]:
    """Return the mean of the points with each label, float32[count, d], and their weight, float64[count]."""
    weights = np.ascontiguousarray(points.weights, dtype=np.float32)
    sums = np.zeros((count, points.array.shape[1]))
    _cards.label_sums(np.ascontiguousarray(points.array), points.scale, weights, labels, threads, sums)
    mass = np.bincount(labels, weights, minlength=count)
    return (sums / np.maximum(mass, 1e-300)[:, None]).astype(np.float32), mass


def earth_movers_distance(first: ArrayLike, second: ArrayLike) -> NDArray[np.float64]:
    """Return the earth mover's distance, float64[...] in bins, of histograms [..., bins] with sum 1 on a line."""
    apart = np.asarray(first, dtype=np.float64) - np.asarray(second, dtype=np.float64)
    return np.asarray(np.abs(np.cumsum(apart, axis=-1)).sum(axis=-1))


# --- potential-aware clusters ---


@dataclass(frozen=True, eq=False)
class Ground:
    """Groups of the next round's buckets and the distances between them, float32[G, G]."""

    group: NDArray[np.int32]
    """int32[K]: the group of each bucket of the next round."""
    distance: NDArray[np.float32]
    height: NDArray[np.float32]
    """float32[G]: a number for each group.  Two of them never differ by more than the distance of their groups."""

    @property
    def order(self) -> NDArray[np.int16]:
        """int16[G, G]: for each group all groups, the nearest first."""
        return np.argsort(self.distance, axis=1, kind="stable").astype(np.int16)


def ground_of(
    centroids: NDArray[np.float32], mass: Array, metric: Distance, *, seed: int = 0, groups: int = GROUPS
) -> Ground:
    """Merge buckets into groups by their centroids, float32[K, d] in the next round's features.

    These are cumulative histograms for ``Distance.EMD``; ``mass``, [K], is the number of hands in each bucket.
    """
    clusters = fit(Points(np.ascontiguousarray(centroids), mass), groups, metric, seed=seed, restarts=3)
    group, _ = assign(centroids, clusters)
    used, merged = np.unique(group, return_inverse=True)
    middle = clusters.centroids[used].astype(np.float64)
    apart = middle[:, None, :] - middle[None, :, :]
    distance = np.abs(apart).sum(-1) if metric is Distance.EMD else np.sqrt((apart**2).sum(-1))
    height = middle @ clusters.axis.astype(np.float64)
    return Ground(merged.astype(np.int32).reshape(-1), distance.astype(np.float32), height.astype(np.float32))


def next_groups(
    deals: DealIndexer,
    round_index: int,
    next_table: Array,
    ground: Ground,
    *,
    threads: int = 1,
    report: Report = silent,
) -> Array:
    """Count how many of the cards that may come next lead each hand to each group.

    ``next_table``, integers[n'], is the bucket of every hand of the next round, indexed by cards.  Returns uint8 or
    uint16 [n, G], in the order of the round's index by cards.
    """
    boards, _ = deals.boards(round_index)
    size, hands = len(ground.distance), deals.num_hands
    grouped = ground.group[next_table]
    follow = deals.next_cards(boards[0], round_index)
    table = np.zeros((deals.num_classes(round_index), size), dtype=np.uint8 if len(follow) <= 255 else np.uint16)
    for number, board in enumerate(boards):
        if number % 16 == 0:
            report(number, len(boards))
        index = deals.index(board[None], round_index, threads=1)[0]
        after = deals.index(deals.next_cards(board, round_index), round_index + 1, threads=threads)
        live = (after >= 0) & (index >= 0)
        cell = np.nonzero(live)[1] * size + grouped[after[live]]
        counts = np.bincount(cell, minlength=hands * size).reshape(hands, size)
        table[index[index >= 0]] = counts[index >= 0]
    return table


def fit_piles(
    table: Array,
    weights: Array,
    ground: Ground,
    count: int,
    *,
    seed: int = 0,
    restarts: int = 1,
    threads: int = 1,
    report: Report = silent,
) -> Clusters:
    """Cluster histograms over groups by k-means with the approximate earth mover's distance.

    ``table`` is uint8 or uint16 [n, G], from `next_groups`.  Centroids are mean histograms.
    """
    scale = 1.0 / float(table[0].sum())
    points = Points(np.ascontiguousarray(table), weights.astype(np.float32), scale)
    points = points.drawn(max(PILE_SAMPLE, 20 * count), np.random.default_rng(seed))

    def nearest(array: Array, clusters: Clusters) -> tuple[NDArray[np.int32], NDArray[np.float32]]:
        return assign_piles(array, ground, clusters, scale, threads=threads)

    best: Clusters | None = None
    for number in range(restarts):
        # Starts that are far apart in the plain distance are far apart in this one too, and they are found faster.
        start = fit(points, count, Distance.L2, seed=seed + number, iterations=1, threads=threads)
        start = replace(start, distance=Distance.EMD)
        tell = steps_of_attempt(report, number, restarts, MAX_ITERATIONS)
        best = lloyd(points, start, nearest, MAX_ITERATIONS, threads, tell, enough=ENOUGH_OF_PILES, best=best)
    assert best is not None
    return best


def assign_piles(
    table: Array,
    ground: Ground,
    clusters: Clusters,
    scale: float,
    *,
    threads: int = 1,
    report: Report = silent,
) -> tuple[NDArray[np.int32], NDArray[np.float32]]:
    """Return the nearest mean histogram of each hand and the approximate distance to it, as `kmeans.assign` does."""
    nearest_groups = ground.order

    def nearest(some: Array, rows: Array, places: Array, order: Array, *found: Array) -> None:
        _cards.nearest_piles(
            some, scale, ground.height, rows, places, order, nearest_groups, ground.distance, threads, *found
        )

    return in_pieces(table, clusters.centroids, ground.height, nearest, report, _PILES_AT_ONCE)
