"""Building an abstraction from a plan: features, clusters and tables round by round, optionally kept in a folder.

With imperfect recall the rounds are built from the last to the first, because potential-aware buckets depend on the
next round.  With perfect recall they are built from the first to the last, because buckets divide those of the round
before.
"""

from __future__ import annotations

import contextlib
import json
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
    table_type,
)
from errai.abstraction.deals import DealIndexer, round_name
from errai.abstraction.features import Features, Wanted, canonical_features
from errai.abstraction.file import FILE_NAME, read_round, save_abstraction, written_round
from errai.abstraction.kmeans import Distance, Points, assign
from errai.abstraction.plan import AbstractionPlan, FeatureKind, RoundPlan
from errai.abstraction.potential import assign_piles, fit_piles, ground_of, next_groups
from errai.abstraction.rounds import (
    OPPONENT_BINS,
    Labels,
    RoundBuilder,
    StageCallback,
    divided_buckets,
    in_order,
    last_round_buckets,
    opponent_clusters,
    points_of,
)
from errai.cards import _cards
from errai.errors import ArtefactError, UnsupportedGameError
from errai.games.game import Game
from errai.running.stopping import StopToken
from errai.store.atomic import make_folder
from errai.store.container import open_container, write_container

FEATURES_KIND, ROUND_KIND = "card features", "abstracted round"


def build_abstraction(
    game: Game,
    plan: AbstractionPlan,
    folder: str | Path | None = None,
    *,
    threads: int = 1,
    stop: StopToken | None = None,
    progress: StageCallback | None = None,
) -> CardAbstraction:
    """Build an abstraction.

    The result is the same for every number of threads, and with or without a folder.

    Parameters
    ----------
    folder:
        The folder in which features and finished rounds are stored and looked up, and to which the abstraction itself
        is written as ``abstraction.cards``.  It is created if it does not exist.  With None nothing is stored.
    stop:
        A token that any thread may set.  The work then ends with :class:`StoppedError`, and the same call resumes it
        from the files in the folder.

    Raises
    ------
    StoppedError
        The token was set.
    InputError
        If the plan does not fit the game.
    UnsupportedGameError
        If the game has hands of more than two cards.
    FileAccessError, DiskSpaceError
        If the folder cannot be written.
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
class _Builder(RoundBuilder):
    """One run of `build_abstraction`, with the folder of its features and finished rounds."""

    folder: Path | None

    def __post_init__(self) -> None:
        self._opponents: NDArray[np.int8] | None = None
        if self.folder is not None:
            for part in ("features", "rounds"):
                make_folder(self.folder / part)

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
            opponents = self.opponents() if plan.features is FeatureKind.OCHS else None
            return last_round_buckets(self, number, before, opponents)
        if before is not None:
            return divided_buckets(self, number, self.features(number, plan.features), before)
        if plan.features is FeatureKind.POTENTIAL and number + 2 < deals.num_rounds:
            after = rounds[number + 1]
            assert isinstance(after, TableBuckets)
            found = self._potential(number, plan, after)
        else:
            found = self.labels(number, self.features(number, plan.features))
        rule = None
        if plan.features is FeatureKind.OCHS and found.clusters is not None and deals.board_cards[number]:
            rule = RuleBuckets(clusters=(found.clusters,), opponents=self.opponents())
        table = found.buckets.astype(table_type(found.count))
        return TableBuckets(number, table, found.count, dealt=dealt, rule=rule)

    # --- features ---

    def opponents(self) -> NDArray[np.int8]:
        """Return the clusters of opponents for OCHS, which are made at the first call."""
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
        """Return the features of a round, read from the folder or computed."""
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
        report = self.report(number, "features")
        wanted = Wanted(bins=bins, cluster=cluster)
        features = canonical_features(self.deals, number, wanted, threads=self.threads, report=report)
        if path is not None:
            held = {key: getattr(features, key) for key in ("weights", "mean", "square", "cumulative", "ochs")}
            write_container(path, FEATURES_KIND, settings, {k: v for k, v in held.items() if v is not None})
        return features

    # --- potential ---

    def _potential(self, number: int, plan: RoundPlan, after: TableBuckets) -> Labels:
        """Return the clusters of a round by groups of the next round's buckets."""
        features = self.features(number, FeatureKind.EHS)
        next_plan = self.plan.rounds[number + 1]
        points, metric = points_of(self.features(number + 1, next_plan.features), next_plan)
        sums = np.zeros((after.num_buckets, points.array.shape[1]))
        weights = points.weights.astype(np.float32)
        held = after.table.astype(np.int32)
        _cards.label_sums(np.ascontiguousarray(points.array), points.scale, weights, held, self.threads, sums)
        mass = np.bincount(held, weights, minlength=after.num_buckets)
        centroids = (sums / np.maximum(mass, 1e-300)[:, None]).astype(np.float32)
        ground = ground_of(centroids, mass, metric, seed=self.plan.seed)
        report = self.report(number, "next cards")
        table = next_groups(self.deals, number, after.table, ground, threads=self.threads, report=report)
        scale = 1.0 / float(table[0].sum())
        if plan.chosen_distance is Distance.L2:
            clusters = self.fit(number, Points(table, features.weights, scale), Distance.L2)
            return in_order(assign(table, clusters, scale, threads=self.threads)[0], features, len(clusters))
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
        return in_order(labels, features, len(piles))


def _plain(value: Any) -> Any:
    """Return a value as it is after writing it to JSON and reading it back."""
    return json.loads(json.dumps(value))
