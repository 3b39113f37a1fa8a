"""Building an abstraction from a plan: features, clusters and tables round by round, optionally kept in a folder.

With imperfect recall the rounds are built from the last to the first, because potential-aware buckets depend on the
next round.  With perfect recall they are built from the first to the last, because buckets divide those of the round
before.

Johanson et al. (2013) measure a hand by OCHS, against clusters of opponents' hands before the flop: they cluster the
169 classes of hands by their histograms of hand strength and the earth mover's distance into 8 clusters, and so does
this module.  Their published clusters come from another run of k-means, so they need not be the same.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from errai.abstraction.buckets import (
    CardAbstraction,
    IdentityBuckets,
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
from errai.abstraction.file import FILE_NAME, read_round, save_abstraction, written_round
from errai.abstraction.kmeans import (
    Clusters,
    Distance,
    Points,
    assign,
    assign_piles,
    fit,
    fit_piles,
    ground_of,
    means,
    next_groups,
)
from errai.abstraction.plan import AbstractionPlan, FeatureKind, Method, RoundPlan
from errai.errors import ArtefactError, InputError, StoppedError, UnsupportedGameError
from errai.games.game import Game
from errai.running.stopping import StopToken, stops
from errai.store.atomic import make_folder
from errai.store.container import open_container, write_container

StageCallback = Callable[[str, int, int], None]
"""Called with the name of a stage, how much of it is done, and how much there is."""

FEATURES_KIND, ROUND_KIND = "card features", "abstracted round"

OPPONENT_BINS, OPPONENT_STARTS = 50, 20
"""Bins of the histograms by which opponents' hands are clustered, and the starts of k-means."""


def build_abstraction(
    game: Game,
    plan: AbstractionPlan,
    folder: str | Path | None = None,
    *,
    threads: int = 1,
    stop: StopToken | None = None,
    progress: StageCallback | None = None,
) -> CardAbstraction:
    """Build an abstraction; it is the same for every number of threads, and with or without a folder.

    In the folder, which is created if it does not exist, features and finished rounds are stored and looked up, and the
    abstraction itself is written as ``abstraction.cards``.  If any thread sets ``stop``, the work ends with
    :class:`StoppedError`, and the same call resumes it from the files in the folder.

    Raises :class:`InputError` if the plan does not fit the game, :class:`UnsupportedGameError` if the game has hands of
    more than two cards, and :class:`FileAccessError` or :class:`DiskSpaceError` if the folder cannot be written.
    """
    deals = DealIndexer(game)
    plan.check(deals)
    work = _Builder(deals, plan, threads, progress, stop, None if folder is None else Path(folder))
    rounds: dict[int, RoundBuckets] = {}
    order = range(deals.num_rounds) if plan.perfect else reversed(range(deals.num_rounds))
    for number in order:
        rounds[number] = work.round(number, rounds)
    recall = "perfect" if plan.perfect else "imperfect"
    whole = [rounds[number] for number in range(deals.num_rounds)]
    settings = plan.relevant(deals.num_rounds - 1 if plan.perfect else 0)
    settings.pop("round")
    abstraction = CardAbstraction(game, whole, recall, {"plan": settings})
    if folder is not None:
        save_abstraction(abstraction, Path(folder) / FILE_NAME)
    return abstraction


@dataclass
class _Builder:
    """One run of `build_abstraction`, with the folder of its features and finished rounds."""

    deals: DealIndexer
    plan: AbstractionPlan
    threads: int
    progress: StageCallback | None
    stop: StopToken | None
    folder: Path | None

    def __post_init__(self) -> None:
        if self.folder is not None:
            for part in ("features", "rounds"):
                make_folder(self.folder / part)

    def report(self, number: int, stage: str, *, quiet: bool = False) -> Callable[[int, int], None]:
        """Return a callback that reports one stage of a round and raises if the work was told to stop."""
        return lambda done, total: self.tell(number, stage, done, total, quiet=quiet)

    def tell(self, number: int, stage: str, done: int, total: int, *, quiet: bool = False) -> None:
        """Report the progress of a stage of a round.  Raises :class:`StoppedError` if the work was told to stop."""
        if stops(self.stop):
            raise StoppedError(f"Stopped while making the {round_name(number)}.")
        if self.progress is not None and not quiet:
            self.progress(f"{round_name(number)}: {stage}", done, total)

    def parts(
        self, number: int, stage: str, boards: NDArray[np.int16], multiplicity: NDArray[Any], at_once: int = 256
    ) -> Iterator[tuple[NDArray[np.int16], NDArray[Any]]]:
        """Yield some boards at a time with their multiplicity for every hand, [B, H], and report the progress."""
        for begin in range(0, len(boards), at_once):
            self.tell(number, stage, begin, len(boards))
            many = multiplicity[begin : begin + at_once, None]
            yield boards[begin : begin + at_once], np.broadcast_to(many, (len(many), self.deals.num_hands))

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
        return in_order(labels, features, clusters)

    # --- rounds ---

    def round(self, number: int, rounds: dict[int, RoundBuckets]) -> RoundBuckets:
        """Return the buckets of a round, read from the folder or built."""
        settings = {"game": self.deals.game.digest(), **self.plan.relevant(number)}
        before = [rounds[i] for i in range(number)] if self.plan.perfect else []
        path = None if self.folder is None else self.folder / "rounds" / f"{round_name(number)}.cards"
        if path is not None and path.exists():
            # If the file is damaged or has other settings, the round is built again.
            with contextlib.suppress(ArtefactError, KeyError, ValueError, TypeError, IndexError):
                file = open_container(path, ROUND_KIND)
                if file.metadata["settings"] == json.loads(json.dumps(settings)):
                    return read_round(file.read, self.deals, number, file.metadata["round"], before)
        made = self._make(number, rounds)
        if path is not None:
            facts, arrays = written_round(made)
            named = {f"{number}/{name}": array for name, array in arrays.items()}
            write_container(path, ROUND_KIND, {"settings": settings, "round": facts}, named)
        return made

    def _make(self, number: int, rounds: dict[int, RoundBuckets]) -> RoundBuckets:
        plan, deals = self.plan.rounds[number], self.deals
        dealt = self.plan.perfect
        size = deals.num_classes(number, dealt=dealt)
        if plan.count is None or (not dealt and plan.total >= size):
            if dealt:
                return IdentityBuckets(deals, number)
            if size > 1 << 28:
                raise UnsupportedGameError(f"A table of {size:,} hands is too long; say how many buckets.")
            return TableBuckets(number, np.arange(size, dtype=table_type(size)), size, dealt=False)
        before = rounds[number - 1] if dealt and number > 0 else None
        if number == deals.num_rounds - 1:
            opponents = self.opponents if plan.features is FeatureKind.OCHS else None
            return self._last_round(number, before, opponents)
        if before is not None:
            return self._divided(number, self.features(number, plan.features), before)
        if plan.features is FeatureKind.POTENTIAL and number + 2 < deals.num_rounds:
            after = rounds[number + 1]
            assert isinstance(after, TableBuckets)
            found = self._potential(number, plan, after)
        else:
            found = self.labels(number, self.features(number, plan.features))
        rule = None
        if plan.features is FeatureKind.OCHS and found.clusters is not None and deals.board_cards[number]:
            rule = RuleBuckets(clusters=(found.clusters,), opponents=self.opponents)
        table = found.buckets.astype(table_type(found.count))
        return TableBuckets(number, table, found.count, dealt=dealt, rule=rule)

    # --- features ---

    @cached_property
    def opponents(self) -> NDArray[np.int8]:
        """The clusters of opponents for OCHS."""
        count, features = self.plan.opponents, self._kept(0, OPPONENT_BINS, None)
        return opponent_clusters(self.deals, count, seed=self.plan.seed, threads=self.threads, features=features)

    def features(self, number: int, kind: FeatureKind) -> Features:
        """Return the features of a round, read from the folder or computed."""
        bins = self.plan.bins if kind in (FeatureKind.HISTOGRAM, FeatureKind.POTENTIAL) else 0
        return self._kept(number, bins, self.opponents if kind is FeatureKind.OCHS else None)

    def _kept(self, number: int, bins: int, cluster: NDArray[np.int8] | None) -> Features:
        settings: dict[str, Any] = {"game": self.deals.game.digest(), "round": number, "bins": bins}
        if cluster is not None:
            settings["opponents"] = cluster.tolist()
        name = f"{round_name(number)}-" + ("ochs" if cluster is not None else f"{bins}-bins" if bins else "moments")
        path = None if self.folder is None else self.folder / "features" / f"{name}.cards"
        if path is not None and path.exists():
            with contextlib.suppress(ArtefactError):
                file = open_container(path, FEATURES_KIND)
                if file.metadata == settings:
                    read, none = file.arrays, np.zeros((len(file.arrays["weights"]), 0), dtype=np.float32)
                    cumulative, ochs = read.get("cumulative", none), read.get("ochs", none)
                    return Features(
                        read["weights"], read["mean"], read["square"], cumulative, self.deals.runouts(number), ochs
                    )
        report = self.report(number, "features")
        wanted = Wanted(bins=bins, cluster=cluster)
        features = canonical_features(self.deals, number, wanted, threads=self.threads, report=report)
        if path is not None:
            held = {key: getattr(features, key) for key in ("weights", "mean", "square", "cumulative", "ochs")}
            write_container(path, FEATURES_KIND, settings, {k: v for k, v in held.items() if v.size})
        return features

    # --- the last round, and perfect recall ---

    def _last_round(self, number: int, before: RoundBuckets | None, opponents: NDArray[np.int8] | None) -> RuleBuckets:
        """Return cuts of HS or clusters of OCHS; on a final board all other features depend on HS."""
        deals = self.deals
        cards_before = deals.board_cards[number - 1] if before is not None else 0
        if before is None and opponents is None:
            values, weights = self._all_strengths(number)
            return RuleBuckets(cuts=[self._cuts(number, values, weights)])
        points: list[NDArray[np.float32]] = []
        masses: list[NDArray[Any]] = []
        parents: list[NDArray[np.int32]] = []
        for boards, many in self.parts(number, "boards", *self._last_boards(number)):
            live, found = rule_points(deals, boards, opponents, self.threads)
            points.append(found)
            masses.append(many[live])
            if before is not None:
                parents.append(before.on(deals, boards[:, :cards_before], self.threads)[live])
        every, mass = np.concatenate(points), np.concatenate(masses).astype(np.float32)
        groups = [np.arange(len(every))]
        if before is not None:
            # A bucket that no sampled board leads to is divided like all hands together.
            divided = rows_by_bucket(np.concatenate(parents), before.num_buckets)
            groups = [rows if len(rows) else groups[0] for rows in divided]
        rule: dict[str, Any] = {"before": before, "board_cards_before": cards_before}
        if opponents is None:
            return RuleBuckets(cuts=[self._cuts(number, every[rows], mass[rows]) for rows in groups], **rule)
        clusters = []
        for rows in groups:
            here = Points(np.ascontiguousarray(every[rows]), mass[rows])
            fitted = self.fit(number, here, Distance.L2)
            # Buckets are numbered from the weakest to the strongest, as in all rounds.
            clusters.append(fitted.renumbered(np.argsort(fitted.centroids.mean(axis=1), kind="stable")))
        return RuleBuckets(clusters=clusters, opponents=opponents, **rule)

    def _last_boards(self, number: int) -> tuple[NDArray[np.int16], NDArray[np.int64]]:
        """Return boards of the last round: all up to suits with their multiplicity, or a sample with weight 1 each."""
        deals, wanted = self.deals, self.plan.sample_boards
        if deals.num_boards(number, dealt=self.plan.perfect) <= wanted:
            return deals.boards(number, dealt=self.plan.perfect)
        rng = np.random.default_rng(self.plan.seed)
        drawn = rng.random((wanted, deals.deck.num_cards)).argsort(axis=1)[:, : deals.final]
        return drawn.astype(np.int16), np.ones(wanted, dtype=np.int64)

    def _all_strengths(self, number: int) -> tuple[NDArray[np.float32], NDArray[np.float64]]:
        """Return all values that HS takes on final boards, and the number of real hands with each."""
        deals = self.deals
        found = np.zeros(2 * deals.opponents + 1)
        for boards, many in self.parts(number, "boards", *deals.boards(number), 512):
            moments = board_sums(deals, boards, Wanted(), threads=self.threads).moments
            live = moments[..., 0] > 0
            found += np.bincount(moments[..., 1][live], many[live], minlength=len(found))
        held = np.flatnonzero(found)
        return strength_of(held, deals), found[held]

    def _cuts(self, number: int, values: NDArray[Any], weights: NDArray[Any]) -> NDArray[np.float32]:
        """Return cuts of HS: percentiles, or midpoints between the means of one-dimensional k-means."""
        plan = self.plan.rounds[number]
        if plan.chosen_method is Method.PERCENTILE:
            return percentile_cuts(values, weights, plan.total)
        points = Points(np.ascontiguousarray(values[:, None], dtype=np.float32), weights)
        centres = np.unique(self.fit(number, points, Distance.L2).centroids[:, 0])
        return ((centres[1:] + centres[:-1]) / 2).astype(np.float32)

    def _divided(self, number: int, features: Features, before: RoundBuckets) -> TableBuckets:
        """Return buckets that divide those of the round before, as a table over hands as dealt."""
        parent, cards, weights = self._dealt_hands(number, before)
        table = np.zeros(len(parent), dtype=np.int32)
        first = 0
        for bucket, rows in enumerate(rows_by_bucket(parent, before.num_buckets)):
            self.tell(number, "buckets", bucket, before.num_buckets)
            if len(rows) == 0:
                first += 1  # A bucket that no hand can be in still gets a number.
                continue
            part = features.select(cards[rows], weights[rows])
            found = self.labels(number, part, quiet=True)
            table[rows] = first + found.buckets
            first += found.count
        return TableBuckets(number, table.astype(table_type(first)), first, dealt=True)

    def _dealt_hands(self, number: int, before: RoundBuckets) -> tuple[NDArray[Any], NDArray[np.int32], NDArray[Any]]:
        """Return for every hand as dealt: the bucket before, the number by cards, and the number of real hands."""
        deals = self.deals
        size = deals.num_classes(number, dealt=True)
        # Narrow numbers are sorted by radix, which matters because there may be 55 million.
        parent = np.zeros(size, dtype=table_type(before.num_buckets))
        cards = np.zeros(size, dtype=np.int32)
        weights = np.zeros(size, dtype=np.int32)
        for boards, many in self.parts(number, "hands as dealt", *deals.boards(number, dealt=True)):
            index = deals.index(boards, number, dealt=True, threads=self.threads)
            live = index >= 0
            at = index[live]
            parent[at] = before.on(deals, boards[:, : deals.board_cards[number - 1]], self.threads)[live]
            cards[at] = deals.index(boards, number, threads=self.threads)[live]
            np.add.at(weights, at, many[live].astype(np.int32))
        return parent, cards, weights

    # --- potential ---

    def _potential(self, number: int, plan: RoundPlan, after: TableBuckets) -> Labels:
        """Return the clusters of a round by groups of the next round's buckets."""
        features = self.features(number, FeatureKind.EHS)
        next_plan = self.plan.rounds[number + 1]
        points, metric = points_of(self.features(number + 1, next_plan.features), next_plan)
        centroids, mass = means(points, after.table.astype(np.int32), after.num_buckets, self.threads)
        ground = ground_of(centroids, mass, metric, seed=self.plan.seed)
        report = self.report(number, "next cards")
        table = next_groups(self.deals, number, after.table, ground, threads=self.threads, report=report)
        scale = 1.0 / float(table[0].sum())
        if plan.chosen_distance is Distance.L2:
            clusters = self.fit(number, Points(table, features.weights, scale), Distance.L2)
            return in_order(assign(table, clusters, scale, threads=self.threads)[0], features, clusters)
        piles = fit_piles(
            table,
            features.weights,
            ground,
            plan.count or 1,
            seed=self.plan.seed + number,
            restarts=self.plan.restarts,
            threads=self.threads,
            report=self.report(number, "clusters"),
        )
        report = self.report(number, "all hands")
        labels, _ = assign_piles(table, ground, piles, scale, threads=self.threads, report=report)
        return in_order(labels, features, piles)


# --- buckets of some hands from their features alone ---


@dataclass(frozen=True, eq=False)
class Labels:
    """The buckets of some hands, int32[n], and their number."""

    buckets: NDArray[np.int32]
    count: int
    clusters: Clusters | None = None
    """The centroids that the hands are nearest to, if there are any."""


def percentile_labels(features: Features, plan: RoundPlan) -> tuple[NDArray[np.int32], int]:
    """Return percentile buckets of one number, or of one number within another."""
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
        return Points(features.ochs, weights), distance
    if plan.features in (FeatureKind.HISTOGRAM, FeatureKind.POTENTIAL):
        counts = features.cumulative
        if distance is Distance.L2:
            counts = np.diff(counts, axis=1, prepend=counts.dtype.type(0))
        scale = 1.0 / features.runouts
        if counts.dtype not in (np.uint8, np.uint16):
            counts, scale = (counts * scale).astype(np.float32), 1.0
        return Points(counts, weights, scale), distance
    value = features.mean if plan.features is FeatureKind.EHS else features.square
    return Points(np.ascontiguousarray(value[:, None]), weights), Distance.L2


def in_order(labels: NDArray[np.int32], features: Features, clusters: Clusters) -> Labels:
    """Return buckets numbered by mean E[HS], without the empty ones."""
    new = ascending(labels, features.mean, features.weights, len(clusters))
    count = int((np.bincount(labels, minlength=len(clusters)) > 0).sum())
    return Labels(new[labels], count, clusters.renumbered(np.argsort(new)[:count]))


def rows_by_bucket(buckets: NDArray[Any], count: int) -> list[NDArray[np.intp]]:
    """Return for each of ``count`` buckets the places in an array of buckets where it stands, ascending."""
    ends = np.cumsum(np.bincount(buckets, minlength=count))
    return np.split(np.argsort(buckets, kind="stable"), ends[:-1])


def ascending(labels: NDArray[Any], values: NDArray[Any], weights: NDArray[Any], count: int) -> NDArray[np.int32]:
    """Return new numbers for clusters, int32[count], by the mean of a value in each; empty clusters get the highest."""
    mass = np.bincount(labels, weights, minlength=count)
    sums = np.bincount(labels, values.astype(np.float64) * weights, minlength=count)
    mean = np.where(mass > 0, sums / np.maximum(mass, 1e-300), np.inf)
    new = np.empty(count, dtype=np.int32)
    new[np.argsort(mean, kind="stable")] = np.arange(count, dtype=np.int32)
    return new


def opponent_clusters(
    deals: DealIndexer,
    count: int = MAX_CLUSTERS,
    *,
    seed: int = 0,
    threads: int = 1,
    features: Features | None = None,
) -> NDArray[np.int8]:
    """Return the cluster of every hand, int8[H], numbered from the weakest by mean E[HS].

    ``features`` are those of all hands before the flop, with histograms; None computes them with OPPONENT_BINS bins.
    Raises :class:`InputError` if the number of clusters is below 1 or more than OCHS can have.
    """
    if not 1 <= count <= MAX_CLUSTERS:
        raise InputError(f"Opponents can be put into 1 to {MAX_CLUSTERS} clusters, not {count}.")
    if deals.board_cards[0]:
        raise InputError(f"{deals.game.name} deals board cards before the first bet; OCHS has no hands alone there.")
    if features is None:
        features = canonical_features(deals, 0, Wanted(bins=OPPONENT_BINS), threads=threads)
    shares = (features.cumulative / np.float32(features.runouts)).astype(np.float32)
    points = Points(shares, features.weights.astype(np.float32))
    clusters = fit(
        points, min(count, len(features)), Distance.EMD, seed=seed, restarts=OPPONENT_STARTS, threads=threads
    )
    labels, _ = assign(shares, clusters, threads=threads)
    ranked = ascending(labels, features.mean, features.weights, len(clusters))
    board = np.zeros((1, 0), dtype=np.int16)
    return np.asarray(ranked[labels][deals.index(board, 0)[0]], dtype=np.int8)
