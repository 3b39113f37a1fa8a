"""The settings of an abstraction: in each round the number of buckets, their features, and what finds them.

:func:`expected_costs` estimates the time and memory that building an abstraction takes.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from enum import StrEnum
from math import comb
from typing import Any

from errai.abstraction.deals import DealIndexer, round_name
from errai.abstraction.features import MAX_BINS, MAX_CLUSTERS
from errai.abstraction.kmeans import MAX_SAMPLE, PILE_SAMPLE, SAMPLE_PER_CLUSTER, Distance
from errai.errors import InputError
from errai.games.game import Game

MAX_BUCKETS = 1 << 24

SECONDS_PER_HAND = {"moments": 1.4e-8, "histogram": 1.7e-8, "ochs": 2.2e-8}
"""Seconds for one hand on one final board, on one core of the machine of docs/performance.md."""
SECONDS_PER_ENTRY = 1.5e-7
"""Seconds for indexing a hand and storing its features."""
SECONDS_PER_COMPARISON = 2e-10
"""Seconds for one coordinate of one centroid."""
COMPARED = 0.15
"""Share of the centroids that a search compares with."""
SECONDS_PER_PILES = 4e-8
"""Seconds for one centroid and the approximate earth mover's distance, averaged over those that are skipped too."""


class FeatureKind(StrEnum):
    """The features by which hands are distinguished."""

    EHS = "ehs"
    EHS2 = "ehs2"
    NESTED = "nested"
    """E[HS²], and E[HS] within each of its buckets."""
    HISTOGRAM = "histogram"
    POTENTIAL = "potential"
    OCHS = "ochs"


class Method(StrEnum):
    """The method that finds buckets."""

    PERCENTILE = "percentile"
    KMEANS = "kmeans"


_SCALAR = (FeatureKind.EHS, FeatureKind.EHS2, FeatureKind.NESTED)


@dataclass(frozen=True)
class RoundPlan:
    """One round of an abstraction; raises :class:`InputError` if its settings do not fit together."""

    count: int | None
    """Buckets, or with perfect recall buckets within each of the round before; None for one a hand up to suits."""
    features: FeatureKind = FeatureKind.EHS2
    inner: int = 0
    """With ``FeatureKind.NESTED``, the number of buckets of E[HS] in each of the ``count`` of E[HS²]; otherwise 0."""
    method: Method | None = None
    distance: Distance | None = None

    def __post_init__(self) -> None:
        nested = self.features is FeatureKind.NESTED
        if self.count is None:
            return
        if not 1 <= self.count <= MAX_BUCKETS or not 0 <= self.inner <= MAX_BUCKETS:
            raise InputError(f"A round must have 1 to {MAX_BUCKETS:,} buckets, not {self.count:,}.")
        if nested is not (self.inner > 0):
            raise InputError("Nested buckets are two numbers, as 10x5: of E[HS²], and of E[HS] within each.")
        scalar = self.features in _SCALAR
        if self.method is Method.PERCENTILE and not scalar:
            raise InputError(f"Percentile buckets need one number a hand; {self.features} has many. Use kmeans.")
        if self.method is Method.KMEANS and nested:
            raise InputError("Nested buckets are percentile buckets; leave kmeans out, or choose other features.")
        if self.distance is not None and (scalar or self.method is Method.PERCENTILE):
            raise InputError("A distance can be chosen only for histogram, potential and ochs.")
        if self.distance is Distance.EMD and self.features is FeatureKind.OCHS:
            raise InputError("OCHS is not a histogram: its clusters of opponents have no order along a line. Use l2.")

    @property
    def chosen_method(self) -> Method:
        """The given method, or the one that suits the features."""
        if self.method is not None:
            return self.method
        return Method.PERCENTILE if self.features in _SCALAR else Method.KMEANS

    @property
    def chosen_distance(self) -> Distance:
        """The given distance, or the one that suits the features."""
        if self.distance is not None:
            return self.distance
        return Distance.EMD if self.features in (FeatureKind.HISTOGRAM, FeatureKind.POTENTIAL) else Distance.L2

    @property
    def total(self) -> int:
        """The number of buckets asked for; 0 for one per hand."""
        return 0 if self.count is None else self.count * max(self.inner, 1)


@dataclass(frozen=True)
class AbstractionPlan:
    """All rounds of an abstraction.

    Raises :class:`InputError` if a number is out of bounds, or potential-aware features are combined with perfect
    recall.
    """

    rounds: tuple[RoundPlan, ...]
    perfect: bool = False
    """Whether buckets divide those of the round before."""
    seed: int = 0
    bins: int = 50
    """The number of bins of histograms."""
    opponents: int = MAX_CLUSTERS
    """The number of clusters of opponents' hands for OCHS."""
    restarts: int = 1
    """The number of starts of k-means."""
    sample_boards: int = 1_000
    """The number of boards of the last round that are sampled if there are more: for OCHS, and with perfect recall."""

    def __post_init__(self) -> None:
        for name, least, most in (("bins", 2, MAX_BINS), ("opponents", 1, MAX_CLUSTERS)):
            if not least <= getattr(self, name) <= most:
                raise InputError(f"{name} must be {least} to {most:,}, not {getattr(self, name):,}.")
        for name, least in (("restarts", 1), ("sample_boards", 1), ("seed", 0)):
            if getattr(self, name) < least:
                raise InputError(f"{name} must be at least {least}, not {getattr(self, name)}.")
        if self.perfect and any(each.features is FeatureKind.POTENTIAL and each.count for each in self.rounds):
            raise InputError(
                "Potential-aware buckets are made from the last round backwards, and with perfect recall each round "
                "needs the one before it. Choose imperfect recall or other features."
            )

    def check(self, deals: DealIndexer) -> None:
        """Raise InputError if the rounds do not fit the game, or a round would have too many buckets."""
        if len(self.rounds) != deals.num_rounds:
            raise InputError(f"{deals.game.name} has {deals.num_rounds} rounds; the plan has {len(self.rounds)}.")
        before = 1
        for number, each in enumerate(self.rounds):
            before = (before if self.perfect else 1) * (each.total or 1)
            if each.count is None:
                before = deals.num_classes(number, dealt=self.perfect)
            if before > MAX_BUCKETS and each.count is not None:
                raise InputError(
                    f"The {round_name(number)} would have {before:,} buckets in all; at most {MAX_BUCKETS:,} are "
                    "possible."
                )

    def relevant(self, round_index: int) -> dict[str, Any]:
        """Return all settings that a round's buckets depend on, as values that JSON can hold."""
        used = self.rounds[: round_index + 1] if self.perfect else self.rounds[round_index:]
        shared = {key: value for key, value in asdict(self).items() if key != "rounds"}
        return {**shared, "round": round_index, "rounds": [asdict(each) for each in used]}


# --- what a plan costs ---


@dataclass(frozen=True)
class Costs:
    """Seconds on one core, and bytes; the estimates are right within a factor of about two."""

    core_seconds: float
    memory_bytes: float
    disk_bytes: float


def expected_costs(game: Game, plan: AbstractionPlan) -> Costs:
    """Estimate the costs of `build_abstraction`, if no features or finished rounds exist yet."""
    deals = DealIndexer(game)
    seconds = memory = disk = 0.0
    kinds: set[tuple[int, str]] = set()
    for number, each in enumerate(plan.rounds):
        last = number == deals.num_rounds - 1
        dealt = deals.num_classes(number, dealt=plan.perfect) if not last else 0
        if not last:
            disk += 4.0 * dealt
        if each.count is None:
            continue
        if last:
            boards = deals.num_boards(number) if not plan.perfect else plan.sample_boards
            seconds += boards * deals.num_hands * SECONDS_PER_HAND["moments"]
            if each.features is not FeatureKind.POTENTIAL:
                seconds += _clustering(each, plan, MAX_SAMPLE)
            continue
        size = deals.num_classes(number)
        if not plan.perfect and each.total >= size:
            continue
        kind, width = _kind(each, plan, deals.runouts(number))
        here = size * (9.0 + width)
        entries = deals.num_boards(number) * deals.num_hands
        seconds += entries * SECONDS_PER_ENTRY * (3 if plan.perfect else 1) + _clustering(each, plan, size)
        if (number, kind) not in kinds:
            kinds.add((number, kind))
            runouts = comb(deals.deck.num_cards - deals.board_cards[number], deals.final - deals.board_cards[number])
            finals = deals.num_boards(deals.num_rounds - 1) if number == 0 else deals.num_boards(number) * runouts
            seconds += finals * deals.num_hands * SECONDS_PER_HAND[kind]
            disk += here
        # Sorting needs the order and a copy of the values; with perfect recall the hands as dealt are kept as well.
        memory = max(memory, here + 30.0 * size + (40.0 * dealt if plan.perfect else 0.0))
    return Costs(seconds, memory + 3e8, disk)


def _kind(each: RoundPlan, plan: AbstractionPlan, runouts: int) -> tuple[str, float]:
    """Return the name of the features and their size in bytes per hand."""
    if each.features is FeatureKind.OCHS:
        return "ochs", 4.0 * plan.opponents
    if each.features in (FeatureKind.HISTOGRAM, FeatureKind.POTENTIAL):
        return "histogram", float(plan.bins) * (1 if runouts < 256 else 2 if runouts < 65_536 else 4)
    return "moments", 0.0


def _clustering(each: RoundPlan, plan: AbstractionPlan, size: int) -> float:
    if each.chosen_method is not Method.KMEANS or each.count is None:
        return 0.0
    if each.features is FeatureKind.POTENTIAL:
        sample = min(size, max(PILE_SAMPLE, 20 * each.count))
        return (size + 10 * plan.restarts * sample) * each.count * SECONDS_PER_PILES
    width = {FeatureKind.OCHS: plan.opponents, FeatureKind.EHS: 1, FeatureKind.EHS2: 1}.get(each.features, plan.bins)
    sample = min(size, max(MAX_SAMPLE, SAMPLE_PER_CLUSTER * each.count))
    compared = each.count * COMPARED * max(width, 8)
    return (size + 20 * plan.restarts * sample) * compared * SECONDS_PER_COMPARISON
