"""From the features of hands to buckets: what all rounds share."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from errai.abstraction.deals import Deals, round_name
from errai.abstraction.features import Features
from errai.abstraction.kmeans import Clusters, Distance, Points, assign, fit
from errai.abstraction.ochs import ascending
from errai.abstraction.percentiles import bucket_of, percentile_cuts
from errai.abstraction.plan import AbstractionPlan, FeatureKind, Method, RoundPlan
from errai.errors import StoppedError
from errai.running.stopping import StopToken, stops

StageCallback = Callable[[str, int, int], None]
"""Called with what is being done, how much of it is done, and how much there is."""


@dataclass(frozen=True, eq=False)
class Labels:
    """The buckets int32[n] of some hands, how many there are, and the centroids that say so, where they do."""

    buckets: NDArray[np.int32]
    count: int
    clusters: Clusters | None = None


@dataclass
class Work:
    """What every step of making an abstraction needs to know."""

    deals: Deals
    plan: AbstractionPlan
    threads: int
    progress: StageCallback | None
    stop: StopToken | None

    def report(self, number: int, stage: str, *, quiet: bool = False) -> Callable[[int, int], None]:
        """A report of one stage of a round, which ends the work where it was told to stop."""
        return lambda done, total: self.tell(number, stage, done, total, quiet=quiet)

    def tell(self, number: int, stage: str, done: int, total: int, *, quiet: bool = False) -> None:
        """Report how far a stage of a round has come.  Raises :class:`StoppedError` where the work was told to stop."""
        if stops(self.stop):
            raise StoppedError(f"Stopped while making the {round_name(number)}.")
        if self.progress is not None and not quiet:
            self.progress(f"{round_name(number)}: {stage}", done, total)

    def fit(self, number: int, points: Points, distance: Distance, *, quiet: bool = False) -> Clusters:
        """The clusters of some points of a round, in the number that its plan asks for."""
        return fit(
            points,
            self.plan.rounds[number].total,
            distance,
            seed=self.plan.seed + number,
            restarts=self.plan.restarts,
            threads=self.threads,
            report=self.report(number, "clusters", quiet=quiet),
        )

    def labels(self, number: int, features: Features, *, quiet: bool = False) -> Labels:
        """Buckets of hands from their features alone, numbered by strength."""
        plan = self.plan.rounds[number]
        if plan.chosen_method is Method.PERCENTILE:
            return Labels(*percentile_labels(features, plan))
        points, distance = points_of(features, plan)
        clusters = self.fit(number, points, distance, quiet=quiet)
        report = self.report(number, "all hands", quiet=quiet)
        labels, _ = assign(points.array, clusters, points.scale, threads=self.threads, report=report)
        new, count = order_of(labels, features, len(clusters))
        return Labels(new[labels], count, clusters.renumbered(np.argsort(new)[:count]))


def percentile_labels(features: Features, plan: RoundPlan) -> tuple[NDArray[np.int32], int]:
    """Percentile buckets by one number, or by one within another."""
    assert features.mean is not None
    assert features.square is not None
    assert plan.count is not None
    outer = features.mean if plan.features is FeatureKind.EHS else features.square
    cuts = percentile_cuts(outer, features.weights, plan.count)
    labels = bucket_of(outer, cuts)
    if plan.features is not FeatureKind.NESTED:
        return labels, len(cuts) + 1
    first = 0
    nested = np.empty_like(labels)
    for bucket in range(len(cuts) + 1):
        rows = np.flatnonzero(labels == bucket)
        inner = percentile_cuts(features.mean[rows], features.weights[rows], plan.inner)
        nested[rows] = first + bucket_of(features.mean[rows], inner)
        first += len(inner) + 1
    return nested, first


def points_of(features: Features, plan: RoundPlan) -> tuple[Points, Distance]:
    """The points that k-means is to see, and their distance."""
    weights, distance = features.weights, plan.chosen_distance
    if plan.features is FeatureKind.OCHS:
        assert features.ochs is not None
        return Points(features.ochs, weights), distance
    if plan.features in (FeatureKind.HISTOGRAM, FeatureKind.POTENTIAL):
        assert features.cumulative is not None
        counts = features.cumulative
        if distance is Distance.L2:
            counts = np.diff(counts, axis=1, prepend=counts.dtype.type(0))
        scale = 1.0 / features.runouts
        if counts.dtype not in (np.uint8, np.uint16):
            counts, scale = (counts * scale).astype(np.float32), 1.0
        return Points(counts, weights, scale), distance
    value = features.mean if plan.features is FeatureKind.EHS else features.square
    assert value is not None
    return Points(np.ascontiguousarray(value[:, None]), weights), Distance.L2


def order_of(labels: NDArray[np.int32], features: Features, count: int) -> tuple[NDArray[np.int32], int]:
    """The new number of each bucket, by mean E[HS] with empty ones last, and how many are not empty."""
    assert features.mean is not None
    new = ascending(labels, features.mean, features.weights, count)
    return new, int((np.bincount(labels, minlength=count) > 0).sum())


def in_order(labels: NDArray[np.int32], features: Features, count: int) -> Labels:
    """Buckets numbered by mean E[HS], empty ones left out."""
    new, left = order_of(labels, features, count)
    return Labels(new[labels], left)
