"""Buckets from the features of hands: the steps that all rounds share."""

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
"""Called with the name of a stage, how much of it is done, and how much there is."""


@dataclass(frozen=True, eq=False)
class Labels:
    """The buckets of some hands, int32[n], and their number."""

    buckets: NDArray[np.int32]
    count: int
    clusters: Clusters | None = None
    """The centroids that the hands are nearest to, if there are any."""


@dataclass
class Work:
    """The settings that all steps of building an abstraction share."""

    deals: Deals
    plan: AbstractionPlan
    threads: int
    progress: StageCallback | None
    stop: StopToken | None

    def report(self, number: int, stage: str, *, quiet: bool = False) -> Callable[[int, int], None]:
        """Return a callback that reports one stage of a round and raises if the work was told to stop."""
        return lambda done, total: self.tell(number, stage, done, total, quiet=quiet)

    def tell(self, number: int, stage: str, done: int, total: int, *, quiet: bool = False) -> None:
        """Report the progress of a stage of a round.  Raises :class:`StoppedError` if the work was told to stop."""
        if stops(self.stop):
            raise StoppedError(f"Stopped while making the {round_name(number)}.")
        if self.progress is not None and not quiet:
            self.progress(f"{round_name(number)}: {stage}", done, total)

    def fit(self, number: int, points: Points, distance: Distance, *, quiet: bool = False) -> Clusters:
        """Cluster some points of a round into as many clusters as its plan says."""
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
        """Return buckets of hands that follow from their features alone, numbered by strength."""
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
    """Return percentile buckets of one number, or of one number within another."""
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
    """Return the points for k-means, and their distance."""
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
    """Return the new number of each bucket, by mean E[HS] with empty ones last, and the number of non-empty ones."""
    assert features.mean is not None
    new = ascending(labels, features.mean, features.weights, count)
    return new, int((np.bincount(labels, minlength=count) > 0).sum())


def in_order(labels: NDArray[np.int32], features: Features, count: int) -> Labels:
    """Return buckets numbered by mean E[HS], without the empty ones."""
    new, left = order_of(labels, features, count)
    return Labels(new[labels], left)
