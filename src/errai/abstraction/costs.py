"""An estimate of the time and memory that building an abstraction takes."""

from __future__ import annotations

from dataclasses import dataclass
from math import comb

from errai.abstraction.deals import DealIndexer
from errai.abstraction.kmeans import MAX_SAMPLE, SAMPLE_PER_CLUSTER
from errai.abstraction.plan import AbstractionPlan, FeatureKind, Method, RoundPlan
from errai.abstraction.potential import SAMPLE
from errai.cards.isomorphism import canonical_count
from errai.games.game import Game

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
            boards = _boards(deals, number) if not plan.perfect else plan.sample_boards
            seconds += boards * deals.num_hands * SECONDS_PER_HAND["moments"]
            if each.features is not FeatureKind.POTENTIAL:
                seconds += _clustering(each, plan, MAX_SAMPLE)
            continue
        size = deals.num_classes(number)
        if not plan.perfect and each.total >= size:
            continue
        kind, width = _kind(each, plan, deals.runouts(number))
        here = size * (9.0 + width)
        entries = _boards(deals, number) * deals.num_hands
        seconds += entries * SECONDS_PER_ENTRY * (3 if plan.perfect else 1) + _clustering(each, plan, size)
        if (number, kind) not in kinds:
            kinds.add((number, kind))
            runouts = comb(deals.deck.num_cards - deals.board_cards[number], deals.final - deals.board_cards[number])
            finals = _boards(deals, deals.num_rounds - 1) if number == 0 else _boards(deals, number) * runouts
            seconds += finals * deals.num_hands * SECONDS_PER_HAND[kind]
            disk += here
        # Sorting needs the order and a copy of the values; with perfect recall the hands as dealt are kept as well.
        memory = max(memory, here + 30.0 * size + (40.0 * dealt if plan.perfect else 0.0))
    return Costs(seconds, memory + 3e8, disk)


def _boards(deals: DealIndexer, number: int) -> int:
    rounds = deals.index_rounds(number, dealt=False)[1:]
    return canonical_count(deals.deck.num_ranks, deals.deck.num_suits, rounds)[-1] if rounds else 1


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
        return (size + 10 * plan.restarts * min(size, max(SAMPLE, 20 * each.count))) * each.count * SECONDS_PER_PILES
    width = {FeatureKind.OCHS: plan.opponents, FeatureKind.EHS: 1, FeatureKind.EHS2: 1}.get(each.features, plan.bins)
    sample = min(size, max(MAX_SAMPLE, SAMPLE_PER_CLUSTER * each.count))
    compared = each.count * COMPARED * max(width, 8)
    return (size + 20 * plan.restarts * sample) * compared * SECONDS_PER_COMPARISON
