"""The settings of an abstraction: in each round the number of buckets, their features, and what finds them."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any

from errai.abstraction.deals import DealIndexer, round_name
from errai.abstraction.features import MAX_BINS, MAX_CLUSTERS
from errai.abstraction.kmeans import Distance
from errai.errors import InputError

MAX_BUCKETS = 1 << 24


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


_SCALAR = (FeatureKind.EHS, FeatureKind.EHS2)


@dataclass(frozen=True)
class RoundPlan:
    """One round of an abstraction.

    Parameters
    ----------
    count:
        The number of buckets, or with perfect recall within each bucket of the round before.  None means one bucket for
        every hand up to suits.
    inner:
        With ``FeatureKind.NESTED``, the number of buckets of E[HS] within each of the ``count`` of E[HS²]; otherwise 0.
    method, distance:
        None for the method or distance that suits the features.

    Raises
    ------
    InputError
        If these do not fit together.
    """

    count: int | None
    features: FeatureKind = FeatureKind.EHS2
    inner: int = 0
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
        scalar = nested or self.features in _SCALAR
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
        scalar = self.features in (*_SCALAR, FeatureKind.NESTED)
        return Method.PERCENTILE if scalar else Method.KMEANS

    @property
    def chosen_distance(self) -> Distance:
        """The given distance, or the one that suits the features."""
        if self.distance is not None:
            return self.distance
        histograms = self.features in (FeatureKind.HISTOGRAM, FeatureKind.POTENTIAL)
        return Distance.EMD if histograms else Distance.L2

    @property
    def total(self) -> int:
        """The number of buckets asked for; 0 for one per hand."""
        return 0 if self.count is None else self.count * max(self.inner, 1)


@dataclass(frozen=True)
class AbstractionPlan:
    """All rounds of an abstraction.

    Parameters
    ----------
    rounds:
        The plan of each of the game's rounds.
    perfect:
        Whether buckets divide those of the round before.
    bins:
        The number of bins of histograms.
    opponents:
        The number of clusters of opponents' hands for OCHS.
    restarts:
        The number of starts of k-means.
    sample_boards:
        The number of boards of the last round that are sampled if there are more: for OCHS, and with perfect recall.

    Raises
    ------
    InputError
        If a number is out of bounds, or potential-aware features are combined with perfect recall.
    """

    rounds: tuple[RoundPlan, ...]
    perfect: bool = False
    seed: int = 0
    bins: int = 50
    opponents: int = MAX_CLUSTERS
    restarts: int = 1
    sample_boards: int = 1_000

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
