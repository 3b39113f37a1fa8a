"""The buckets of one round from the features of its hands: the steps that all rounds share, and special rounds.

- *Clusters of opponents' hands* before the flop, against which OCHS measures a hand: Johanson et al. (2013) cluster the
  169 classes of hands by their histograms of hand strength and the earth mover's distance into 8 clusters, and so does
  this module.  Their published clusters come from another run of k-means, so they need not be the same.
- *The last round*: cuts of hand strength, or clusters of OCHS.
- *Perfect recall*: buckets that divide those of the round before, for hands as they were dealt.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from errai.abstraction.buckets import (
    RoundBuckets,
    RuleBuckets,
    TableBuckets,
    bucket_of,
    percentile_cuts,
    rule_points,
    strength_of,
    table_type,
)
from errai.abstraction.deals import DealIndexer, round_name
from errai.abstraction.features import MAX_CLUSTERS, Features, Wanted, board_sums, canonical_features
from errai.abstraction.kmeans import Clusters, Distance, Points, assign, fit
from errai.abstraction.plan import AbstractionPlan, FeatureKind, Method, RoundPlan
from errai.cards.isomorphism import canonical_count
from errai.errors import InputError, StoppedError
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
class RoundBuilder:
    """The settings that all steps of building an abstraction share."""

    deals: DealIndexer
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


# --- clusters of opponents' hands -------------------------------------------------------------------------------------

OPPONENT_BINS = 50
"""Bins of the histograms by which opponents' hands are clustered."""


def opponent_clusters(
    deals: DealIndexer,
    count: int = MAX_CLUSTERS,
    *,
    seed: int = 0,
    restarts: int = 20,
    threads: int = 1,
    features: Features | None = None,
) -> NDArray[np.int8]:
    """Return the cluster of every hand, numbered from the weakest by mean E[HS].

    Parameters
    ----------
    features:
        The features of all hands before the flop, with histograms; None computes them with OPPONENT_BINS bins.

    Returns
    -------
    int8[H]

    Raises
    ------
    InputError
        If the number of clusters is below 1 or more than OCHS can have.
    """
    if not 1 <= count <= MAX_CLUSTERS:
        raise InputError(f"Opponents can be put into 1 to {MAX_CLUSTERS} clusters, not {count}.")
    if deals.board_cards[0]:
        raise InputError(f"{deals.game.name} deals board cards before the first bet; OCHS has no hands alone there.")
    if features is None:
        features = canonical_features(deals, 0, Wanted(bins=OPPONENT_BINS), threads=threads)
    assert features.cumulative is not None
    assert features.mean is not None
    shares = (features.cumulative / np.float32(features.runouts)).astype(np.float32)
    points = Points(shares, features.weights.astype(np.float32))
    clusters = fit(points, min(count, len(features)), Distance.EMD, seed=seed, restarts=restarts, threads=threads)
    labels, _ = assign(shares, clusters, threads=threads)
    ranked = ascending(labels, features.mean, features.weights, len(clusters))
    board = np.zeros((1, 0), dtype=np.int16)
    return np.asarray(ranked[labels][deals.index(board, 0)[0]], dtype=np.int8)


def ascending(labels: NDArray[Any], values: NDArray[Any], weights: NDArray[Any], count: int) -> NDArray[np.int32]:
    """Return new numbers for clusters, by the mean of a value in each; empty clusters get the highest numbers.

    Returns
    -------
    int32[count]: entry i is the new number of cluster i.
    """
    mass = np.bincount(labels, weights, minlength=count)
    sums = np.bincount(labels, values.astype(np.float64) * weights, minlength=count)
    mean = np.where(mass > 0, sums / np.maximum(mass, 1e-300), np.inf)
    new = np.empty(count, dtype=np.int32)
    new[np.argsort(mean, kind="stable")] = np.arange(count, dtype=np.int32)
    return new


# --- the last round ---------------------------------------------------------------------------------------------------


def last_round_buckets(
    builder: RoundBuilder, number: int, before: RoundBuckets | None, opponents: NDArray[np.int8] | None
) -> RuleBuckets:
    """Return cuts of HS or clusters of OCHS; on a final board all other features depend on HS."""
    deals = builder.deals
    cards_before = deals.board_cards[number - 1] if before is not None else 0
    if before is None and opponents is None:
        values, weights = _all_strengths(builder, number)
        return RuleBuckets(cuts=[_cuts(builder, number, values, weights)])
    boards, multiplicity = _last_boards(builder, number)
    points: list[NDArray[np.float32]] = []
    masses: list[NDArray[Any]] = []
    parents: list[NDArray[np.int32]] = []
    for begin in range(0, len(boards), 256):
        builder.tell(number, "boards", begin, len(boards))
        part = boards[begin : begin + 256]
        live, found = rule_points(deals, part, opponents, builder.threads)
        points.append(found)
        masses.append(np.broadcast_to(multiplicity[begin : begin + 256, None], live.shape)[live])
        if before is not None:
            parents.append(before.on(deals, part[:, :cards_before], builder.threads)[live])
    every, mass = np.concatenate(points), np.concatenate(masses).astype(np.float32)
    groups = [np.arange(len(every))]
    if before is not None:
        held = np.concatenate(parents)
        order = np.argsort(held, kind="stable")
        ends = np.cumsum(np.bincount(held, minlength=before.num_buckets))
        # A bucket that no sampled board leads to is divided like all hands together.
        groups = [rows if len(rows) else groups[0] for rows in np.split(order, ends[:-1])]
    rule: dict[str, Any] = {"before": before, "board_cards_before": cards_before}
    if opponents is None:
        return RuleBuckets(cuts=[_cuts(builder, number, every[rows], mass[rows]) for rows in groups], **rule)
    clusters = []
    for rows in groups:
        here = Points(np.ascontiguousarray(every[rows]), mass[rows])
        fitted = builder.fit(number, here, Distance.L2)
        # Buckets are numbered from the weakest to the strongest, as in all rounds.
        clusters.append(fitted.renumbered(np.argsort(fitted.centroids.mean(axis=1), kind="stable")))
    return RuleBuckets(clusters=clusters, opponents=opponents, **rule)


def _last_boards(builder: RoundBuilder, number: int) -> tuple[NDArray[np.int16], NDArray[np.int64]]:
    """Return boards of the last round: all up to suits with their multiplicity, or a sample with weight 1 each."""
    deals, wanted = builder.deals, builder.plan.sample_boards
    rounds = deals.index_rounds(number, dealt=builder.plan.perfect)
    count = canonical_count(deals.deck.num_ranks, deals.deck.num_suits, rounds[1:])[-1] if rounds[1:] else 1
    if count <= wanted:
        return deals.boards(number, dealt=builder.plan.perfect)
    rng = np.random.default_rng(builder.plan.seed)
    drawn = rng.random((wanted, deals.deck.num_cards)).argsort(axis=1)[:, : deals.final]
    return drawn.astype(np.int16), np.ones(wanted, dtype=np.int64)


def _all_strengths(builder: RoundBuilder, number: int) -> tuple[NDArray[np.float32], NDArray[np.float64]]:
    """Return all values that HS takes on final boards, and the number of real hands with each."""
    deals = builder.deals
    boards, multiplicity = deals.boards(number)
    found = np.zeros(2 * deals.opponents + 1)
    for begin in range(0, len(boards), 512):
        builder.tell(number, "boards", begin, len(boards))
        sums = board_sums(deals, boards[begin : begin + 512], Wanted(), threads=builder.threads)
        live = sums.moments[..., 0] > 0
        mass = np.broadcast_to(multiplicity[begin : begin + 512, None], live.shape)[live]
        found += np.bincount(sums.moments[..., 1][live], mass, minlength=len(found))
    held = np.flatnonzero(found)
    return strength_of(held, deals), found[held]


def _cuts(builder: RoundBuilder, number: int, values: NDArray[Any], weights: NDArray[Any]) -> NDArray[np.float32]:
    """Return cuts of HS: percentiles, or midpoints between the means of one-dimensional k-means."""
    plan = builder.plan.rounds[number]
    if plan.chosen_method is Method.PERCENTILE:
        return percentile_cuts(values, weights, plan.total)
    points = Points(np.ascontiguousarray(values[:, None], dtype=np.float32), weights)
    centres = np.unique(builder.fit(number, points, Distance.L2).centroids[:, 0])
    return ((centres[1:] + centres[:-1]) / 2).astype(np.float32)


# --- perfect recall ---------------------------------------------------------------------------------------------------


def divided_buckets(builder: RoundBuilder, number: int, features: Features, before: RoundBuckets) -> TableBuckets:
    """Return buckets that divide those of the round before, as a table over hands as dealt."""
    parent, cards, weights = dealt_hands(builder, number, before)
    table = np.zeros(len(parent), dtype=np.int32)
    order = np.argsort(parent, kind="stable")
    ends = np.cumsum(np.bincount(parent, minlength=before.num_buckets))
    first = begin = 0
    for bucket, end in enumerate(ends):
        rows = order[begin:end]
        begin = end
        builder.tell(number, "buckets", bucket, len(ends))
        if len(rows) == 0:
            first += 1  # A bucket that no hand can be in still gets a number.
            continue
        part = features.select(cards[rows], weights[rows])
        found = builder.labels(number, part, quiet=True)
        table[rows] = first + found.buckets
        first += found.count
    return TableBuckets(number, table.astype(table_type(first)), first, dealt=True)


def dealt_hands(
    builder: RoundBuilder, number: int, before: RoundBuckets
) -> tuple[NDArray[Any], NDArray[np.int32], NDArray[Any]]:
    """Return for every hand as dealt: the bucket before, the number by cards, and the number of real hands."""
    deals = builder.deals
    size = deals.num_classes(number, dealt=True)
    # Narrow numbers are sorted by radix, which matters because there may be 55 million.
    parent = np.zeros(size, dtype=table_type(before.num_buckets))
    cards = np.zeros(size, dtype=np.int32)
    weights = np.zeros(size, dtype=np.int32)
    boards, multiplicity = deals.boards(number, dealt=True)
    for begin in range(0, len(boards), 256):
        builder.tell(number, "hands as dealt", begin, len(boards))
        part = boards[begin : begin + 256]
        index = deals.index(part, number, dealt=True, threads=builder.threads)
        live = index >= 0
        at = index[live]
        parent[at] = before.on(deals, part[:, : deals.board_cards[number - 1]], builder.threads)[live]
        cards[at] = deals.index(part, number, threads=builder.threads)[live]
        spread = np.broadcast_to(multiplicity[begin : begin + 256, None], index.shape)
        np.add.at(weights, at, spread[live].astype(np.int32))
    return parent, cards, weights
