"""Making an abstraction after a plan: features, clusters and tables round by round, kept in a folder on the way.

With imperfect recall the rounds are made from the last to the first, because potential-aware buckets look at the next
round; with perfect recall from the first to the last, because buckets divide those of the round before.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable
from dataclasses import dataclass
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
    rule_points,
    strength_of,
)
from errai.abstraction.deals import Deals, round_name
from errai.abstraction.features import Features, Wanted, board_sums, canonical_features
from errai.abstraction.file import FILE_NAME, read_round, save_abstraction, table_type, written_round
from errai.abstraction.kmeans import Clusters, Distance, Points, assign, fit
from errai.abstraction.ochs import BINS as OPPONENT_BINS
from errai.abstraction.ochs import ascending, opponent_clusters
from errai.abstraction.percentiles import bucket_of, percentile_cuts
from errai.abstraction.plan import AbstractionPlan, FeatureKind, Method, RoundPlan
from errai.abstraction.potential import assign_piles, fit_piles, ground_of, next_groups
from errai.cards import _cards
from errai.cards.isomorphism import canonical_count
from errai.errors import ArtefactError, UnsupportedGameError
from errai.games.game import Game
from errai.store.container import open_container, write_container

FEATURES_KIND, ROUND_KIND = "card features", "abstracted round"

Progress = Callable[[str, int, int], None]
"""Called with what is being done, how much of it is done, and how much there is."""


def build_abstraction(
    game: Game,
    plan: AbstractionPlan,
    folder: str | Path | None = None,
    *,
    threads: int = 1,
    progress: Progress | None = None,
) -> CardAbstraction:
    """Make an abstraction.

    The result is the same for every number of threads, and with or without a folder.

    Parameters
    ----------
    folder:
        Where features and finished rounds are kept and looked for, and where the abstraction itself is written as
        ``abstraction.cards``; it is made if it does not exist.  None keeps nothing.

    Raises
    ------
    InputError
        If the plan does not fit the game.
    UnsupportedGameError
        If the game has hands of more than two cards.
    FileAccessError, DiskSpaceError
        If the folder cannot be written.
    """
    deals = Deals(game)
    plan.check(deals)
    work = _Work(deals, plan, None if folder is None else Path(folder), threads, progress)
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
class _Work:
    """One run: the game, the plan, where things are kept."""

    deals: Deals
    plan: AbstractionPlan
    folder: Path | None
    threads: int
    progress: Progress | None

    def __post_init__(self) -> None:
        self._opponents: NDArray[np.int8] | None = None
        if self.folder is not None:
            for part in ("features", "rounds"):
                with contextlib.suppress(FileExistsError):
                    (self.folder / part).mkdir(parents=True)

    def report(self, stage: str) -> Callable[[int, int], None] | None:
        """A report of one stage, or None where nobody listens."""
        progress = self.progress
        if progress is None:
            return None
        return lambda done, total: progress(stage, done, total)

    # --- rounds ---

    def round(self, number: int, rounds: dict[int, RoundBuckets]) -> RoundBuckets:
        """The buckets of a round: from the folder, or made."""
        settings = {"game": self.deals.game.digest(), **self.plan.relevant(number)}
        before = [rounds[i] for i in range(number)] if self.plan.perfect else []
        path = None if self.folder is None else self.folder / "rounds" / f"{round_name(number)}.cards"
        if path is not None and path.exists():
            # Damage, or other settings, only mean that the round is made anew.
            with contextlib.suppress(ArtefactError, KeyError, ValueError, TypeError, IndexError):
                file = open_container(path, ROUND_KIND)
                if file.metadata["settings"] == _plain(settings):
                    return read_round(file, self.deals, number, file.metadata["round"], before)
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
            return self._rule(number, plan, before)
        if before is not None:
            return self._divided(number, plan, before)
        after = rounds.get(number + 1)
        labels, count = self._labels(number, plan, after)
        return TableBuckets(number, labels.astype(table_type(count)), count, dealt=dealt)

    # --- features ---

    def opponents(self) -> NDArray[np.int8]:
        """Clusters of opponents for OCHS, made when first asked for."""
        if self._opponents is None:
            self._opponents = opponent_clusters(
                self.deals,
                self.plan.opponents,
                seed=self.plan.seed,
                threads=self.threads,
                features=self._kept(0, OPPONENT_BINS, None),
            )
        return self._opponents

    def features(self, number: int, kind: FeatureKind) -> Features:
        """Features of a round: from the folder, or computed."""
        bins = self.plan.bins if kind in (FeatureKind.HISTOGRAM, FeatureKind.POTENTIAL) else 0
        return self._kept(number, bins, self.opponents() if kind is FeatureKind.OCHS else None)

    def _kept(self, number: int, bins: int, cluster: NDArray[np.int8] | None) -> Features:
        settings: dict[str, Any] = {"game": self.deals.game.digest(), "round": number, "bins": bins}
        if cluster is not None:
            settings["opponents"] = cluster.tolist()
        name = f"{round_name(number)}-" + ("ochs" if cluster is not None else f"{bins}-bins" if bins else "moments")
        path = None if self.folder is None else self.folder / "features" / f"{name}.cards"
        runouts = self.deals.runouts(number)
        if path is not None and path.exists():
            with contextlib.suppress(ArtefactError):
                file = open_container(path, FEATURES_KIND)
                if file.metadata == settings:
                    held = {key: file.arrays.get(key) for key in ("mean", "square", "cumulative", "ochs")}
                    return Features(file.arrays["weights"], runouts=runouts, **held)
        report = self.report(f"{round_name(number)}: features")
        wanted = Wanted(bins=bins, cluster=cluster)
        features = canonical_features(self.deals, number, wanted, threads=self.threads, report=report)
        if path is not None:
            held = {key: getattr(features, key) for key in ("weights", "mean", "square", "cumulative", "ochs")}
            write_container(path, FEATURES_KIND, settings, {k: v for k, v in held.items() if v is not None})
        return features

    # --- tables ---

    def _labels(self, number: int, plan: RoundPlan, after: RoundBuckets | None) -> tuple[NDArray, int]:
        """Buckets of all hands of a round by cards, from its features alone, and how many there are."""
        features = self.features(number, plan.features)
        if plan.chosen_method is Method.PERCENTILE:
            return _percentile_labels(features, plan)
        to_come = plan.features is FeatureKind.POTENTIAL and number + 2 < self.deals.num_rounds
        if to_come:
            assert isinstance(after, TableBuckets)
            labels, count = self._potential(number, plan, after, features)
        else:
            points, distance = _points(features, plan)
            clusters = self._fit(number, points, plan.count or 1, distance)
            report = self.report(f"{round_name(number)}: all hands")
            labels, _ = assign(points.array, clusters, points.scale, threads=self.threads, report=report)
            count = len(clusters)
        return _in_order(labels, features, count)

    def _fit(self, number: int, points: Points, count: int, distance: Distance) -> Clusters:
        return fit(
            points,
            count,
            distance,
            seed=self.plan.seed + number,
            restarts=self.plan.restarts,
            threads=self.threads,
            report=self.report(f"{round_name(number)}: clusters"),
        )

    def _potential(
        self, number: int, plan: RoundPlan, after: TableBuckets, features: Features
    ) -> tuple[NDArray[np.int32], int]:
        """Clusters of a round by groups of the next round's buckets."""
        next_plan = self.plan.rounds[number + 1]
        points, metric = _points(self.features(number + 1, next_plan.features), next_plan)
        sums = np.zeros((after.num_buckets, points.array.shape[1]))
        weights = points.weights.astype(np.float32)
        labels = after.table.astype(np.int32)
        _cards.label_sums(np.ascontiguousarray(points.array), points.scale, weights, labels, self.threads, sums)
        mass = np.bincount(labels, weights, minlength=after.num_buckets)
        centroids = (sums / np.maximum(mass, 1e-300)[:, None]).astype(np.float32)
        ground = ground_of(centroids, mass, metric, seed=self.plan.seed)
        report = self.report(f"{round_name(number)}: next cards")
        table = next_groups(self.deals, number, after.table, ground, threads=self.threads, report=report)
        scale = 1.0 / float(table[0].sum())
        if plan.chosen_distance is Distance.L2:
            clusters = self._fit(number, Points(table, features.weights, scale), plan.count or 1, Distance.L2)
            return assign(table, clusters, scale, threads=self.threads)[0], len(clusters)
        piles = fit_piles(
            table,
            features.weights,
            ground,
            plan.count or 1,
            seed=self.plan.seed + number,
            restarts=self.plan.restarts,
            threads=self.threads,
            report=self.report(f"{round_name(number)}: clusters"),
        )
        report = self.report(f"{round_name(number)}: all hands")
        return assign_piles(table, ground, piles, scale, threads=self.threads, report=report)[0], len(piles)

    # --- perfect recall ---

    def _divided(self, number: int, plan: RoundPlan, before: RoundBuckets) -> RoundBuckets:
        """Buckets within those of the round before, as a table of hands as dealt."""
        features = self.features(number, plan.features)
        parent, cards, weights = self._links(number, before)
        table = np.zeros(len(parent), dtype=np.int32)
        order = np.argsort(parent, kind="stable")
        ends = np.cumsum(np.bincount(parent, minlength=before.num_buckets))
        first = begin = 0
        for bucket, end in enumerate(ends):
            rows = order[begin:end]
            begin = end
            if self.progress is not None:
                self.progress(f"{round_name(number)}: buckets", bucket, len(ends))
            if len(rows) == 0:
                first += 1  # a bucket that no hand can be in keeps a number
                continue
            part = features.select(cards[rows], weights[rows])
            labels, count = self._labels_of(number, part, plan)
            table[rows] = first + labels
            first += count
        return TableBuckets(number, table.astype(table_type(first)), first, dealt=True)

    def _labels_of(self, number: int, part: Features, plan: RoundPlan) -> tuple[NDArray, int]:
        if plan.chosen_method is Method.PERCENTILE:
            return _percentile_labels(part, plan)
        points, distance = _points(part, plan)
        clusters = fit(
            points,
            plan.count or 1,
            distance,
            seed=self.plan.seed + number,
            restarts=self.plan.restarts,
            threads=self.threads,
        )
        return _in_order(assign(points.array, clusters, points.scale, threads=self.threads)[0], part, len(clusters))

    def _links(self, number: int, before: RoundBuckets) -> tuple[NDArray, NDArray[np.int32], NDArray]:
        """Of every hand as dealt: the bucket before, the number by cards, the real hands it stands for."""
        deals = self.deals
        size = deals.num_classes(number, dealt=True)
        # Narrow numbers are sorted by radix, and there may be 55 million.
        parent = np.zeros(size, dtype=table_type(before.num_buckets))
        cards = np.zeros(size, dtype=np.int32)
        weights = np.zeros(size, dtype=np.int32)
        boards, multiplicity = deals.boards(number, dealt=True)
        for begin in range(0, len(boards), 256):
            if self.progress is not None:
                self.progress(f"{round_name(number)}: hands as dealt", begin, len(boards))
            part = boards[begin : begin + 256]
            index = deals.index(part, number, dealt=True, threads=self.threads)
            live = index >= 0
            at = index[live]
            parent[at] = before.on(deals, part[:, : deals.board_cards[number - 1]], self.threads)[live]
            cards[at] = deals.index(part, number, threads=self.threads)[live]
            spread = np.broadcast_to(multiplicity[begin : begin + 256, None], index.shape)
            np.add.at(weights, at, spread[live].astype(np.int32))
        return parent, cards, weights

    # --- the last round ---

    def _rule(self, number: int, plan: RoundPlan, before: RoundBuckets | None) -> RoundBuckets:
        """Cuts of HS or clusters of OCHS; before the last card nothing else is left to tell hands apart."""
        deals = self.deals
        opponents = self.opponents() if plan.features is FeatureKind.OCHS else None
        cards_before = deals.board_cards[number - 1] if before is not None else 0
        if before is None and opponents is None:
            values, weights = self._all_strengths(number)
            return RuleBuckets(cuts=[self._cuts(number, plan, values, weights)])
        boards, multiplicity = self._boards(number)
        points: list[NDArray[np.float32]] = []
        masses: list[NDArray] = []
        parents: list[NDArray[np.int32]] = []
        for begin in range(0, len(boards), 256):
            if self.progress is not None:
                self.progress(f"{round_name(number)}: boards", begin, len(boards))
            part = boards[begin : begin + 256]
            live, found = rule_points(deals, part, opponents, self.threads)
            points.append(found)
            masses.append(np.broadcast_to(multiplicity[begin : begin + 256, None], live.shape)[live])
            if before is not None:
                parents.append(before.on(deals, part[:, :cards_before], self.threads)[live])
        every, mass = np.concatenate(points), np.concatenate(masses).astype(np.float32)
        groups = [np.arange(len(every))]
        if before is not None:
            held = np.concatenate(parents)
            order = np.argsort(held, kind="stable")
            ends = np.cumsum(np.bincount(held, minlength=before.num_buckets))
            # What no board that was drawn leads to is divided like all hands together.
            groups = [rows if len(rows) else groups[0] for rows in np.split(order, ends[:-1])]
        rule: dict[str, Any] = {"before": before, "board_cards_before": cards_before}
        if opponents is None:
            return RuleBuckets(cuts=[self._cuts(number, plan, every[rows], mass[rows]) for rows in groups], **rule)
        clusters = []
        for rows in groups:
            here = Points(np.ascontiguousarray(every[rows]), mass[rows])
            fitted = self._fit(number, here, plan.count or 1, Distance.L2)
            # From the weakest to the strongest, as in all rounds.
            clusters.append(fitted.renumbered(np.argsort(fitted.centroids.mean(axis=1), kind="stable")))
        return RuleBuckets(clusters=clusters, opponents=opponents, **rule)

    def _boards(self, number: int) -> tuple[NDArray[np.int16], NDArray[np.int64]]:
        """Boards of the last round: all up to suits with their multiplicity, or some drawn, which count once."""
        deals, wanted = self.deals, self.plan.sample_boards
        rounds = deals.index_rounds(number, dealt=self.plan.perfect)
        count = canonical_count(deals.deck.num_ranks, deals.deck.num_suits, rounds[1:])[-1] if rounds[1:] else 1
        if count <= wanted:
            return deals.boards(number, dealt=self.plan.perfect)
        rng = np.random.default_rng(self.plan.seed)
        drawn = rng.random((wanted, deals.deck.num_cards)).argsort(axis=1)[:, : deals.final]
        return drawn.astype(np.int16), np.ones(wanted, dtype=np.int64)

    def _all_strengths(self, number: int) -> tuple[NDArray[np.float32], NDArray[np.float64]]:
        """All values that HS takes on final boards, and how many real hands have each."""
        deals = self.deals
        boards, multiplicity = deals.boards(number)
        found = np.zeros(2 * deals.opponents + 1)
        for begin in range(0, len(boards), 512):
            if self.progress is not None:
                self.progress(f"{round_name(number)}: boards", begin, len(boards))
            sums = board_sums(deals, boards[begin : begin + 512], Wanted(), threads=self.threads)
            live = sums.moments[..., 0] > 0
            mass = np.broadcast_to(multiplicity[begin : begin + 512, None], live.shape)[live]
            found += np.bincount(sums.moments[..., 1][live], mass, minlength=len(found))
        held = np.flatnonzero(found)
        return strength_of(held, deals), found[held]

    def _cuts(self, number: int, plan: RoundPlan, values: NDArray, weights: NDArray) -> NDArray[np.float32]:
        """Cuts of HS: percentiles, or half-way between one-dimensional means."""
        count = plan.total
        if plan.chosen_method is Method.PERCENTILE:
            return percentile_cuts(values, weights, count)
        points = Points(np.ascontiguousarray(values[:, None], dtype=np.float32), weights)
        centres = np.unique(self._fit(number, points, count, Distance.L2).centroids[:, 0])
        return ((centres[1:] + centres[:-1]) / 2).astype(np.float32)


def _plain(value: Any) -> Any:
    """A value as JSON brings it back."""
    return json.loads(json.dumps(value))


def _percentile_labels(features: Features, plan: RoundPlan) -> tuple[NDArray[np.int32], int]:
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


def _points(features: Features, plan: RoundPlan) -> tuple[Points, Distance]:
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


def _in_order(labels: NDArray[np.int32], features: Features, count: int) -> tuple[NDArray[np.int32], int]:
    """Buckets numbered by mean E[HS], empty ones left out."""
    assert features.mean is not None
    new = ascending(labels, features.mean, features.weights, count)
    return new[labels], int((np.bincount(labels, minlength=count) > 0).sum())
