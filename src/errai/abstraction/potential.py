"""Potential-aware clusters: hands are clustered by their buckets in the next round (Ganzfried & Sandholm 2014).

A hand is a histogram over groups of the next round's buckets, with one count for each card that may come.  The ground
distance of two groups is that of their centroids in the next round's own features, or in its histograms of hand
strength if the next round is potential-aware itself.  The distance of histograms is the paper's approximation of the
earth mover's distance.  Every pile of the hand goes to the nearest hole of the mean that is not full yet, and the piles
take turns, nearest holes first.  It is never below the true distance.

There are two differences from the paper.  The next round's buckets are first merged, by k-means on their centroids,
into at most ``GROUPS`` groups, which keeps histograms short.  And on the round before the last, where the next round's
buckets are on a line, histograms of hand strength and their exact distance on the line are used instead; the paper
notes that both are the same there.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from errai.abstraction.deals import DealIndexer
from errai.abstraction.kmeans import (
    MAX_ITERATIONS,
    Array,
    Clusters,
    Distance,
    Points,
    Report,
    assign,
    fit,
    in_pieces,
    lloyd,
    silent,
    steps_of_attempt,
)
from errai.cards import _cards

GROUPS = 100
"""Number of groups of the next round's buckets; with 8 bits per count, hold'em's flop takes 129 MB."""

SAMPLE = 30_000
"""Number of hands from which centroids are found; with many clusters, twenty for each."""

_AT_ONCE = 20_000

ENOUGH = 2e-3
"""A start ends when the cost falls by less than this share.  It is large because these distances are expensive."""


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
    points = points.drawn(max(SAMPLE, 20 * count), np.random.default_rng(seed))

    def nearest(array: Array, clusters: Clusters) -> tuple[NDArray[np.int32], NDArray[np.float32]]:
        return assign_piles(array, ground, clusters, scale, threads=threads)

    best: Clusters | None = None
    for number in range(restarts):
        # Starts that are far apart in the plain distance are far apart in this one too, and they are found faster.
        start = fit(points, count, Distance.L2, seed=seed + number, iterations=1, threads=threads)
        start = replace(start, distance=Distance.EMD)
        tell = steps_of_attempt(report, number, restarts, MAX_ITERATIONS)
        best = lloyd(points, start, nearest, MAX_ITERATIONS, threads, tell, enough=ENOUGH, best=best)
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

    return in_pieces(table, clusters.centroids, ground.height, nearest, report, _AT_ONCE)
