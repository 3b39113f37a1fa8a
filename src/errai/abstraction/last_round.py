"""The buckets of the last round: cuts of hand strength, or clusters of OCHS."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from errai.abstraction.buckets import RoundBuckets, RuleBuckets, rule_points, strength_of
from errai.abstraction.features import Wanted, board_sums
from errai.abstraction.kmeans import Distance, Points
from errai.abstraction.labels import Work
from errai.abstraction.percentiles import percentile_cuts
from errai.abstraction.plan import Method
from errai.cards.isomorphism import canonical_count


def last_round_buckets(
    work: Work, number: int, before: RoundBuckets | None, opponents: NDArray[np.int8] | None
) -> RuleBuckets:
    """Return cuts of HS or clusters of OCHS; on a final board all other features depend on HS."""
    deals = work.deals
    cards_before = deals.board_cards[number - 1] if before is not None else 0
    if before is None and opponents is None:
        values, weights = _all_strengths(work, number)
        return RuleBuckets(cuts=[_cuts(work, number, values, weights)])
    boards, multiplicity = _boards(work, number)
    points: list[NDArray[np.float32]] = []
    masses: list[NDArray] = []
    parents: list[NDArray[np.int32]] = []
    for begin in range(0, len(boards), 256):
        work.tell(number, "boards", begin, len(boards))
        part = boards[begin : begin + 256]
        live, found = rule_points(deals, part, opponents, work.threads)
        points.append(found)
        masses.append(np.broadcast_to(multiplicity[begin : begin + 256, None], live.shape)[live])
        if before is not None:
            parents.append(before.on(deals, part[:, :cards_before], work.threads)[live])
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
        return RuleBuckets(cuts=[_cuts(work, number, every[rows], mass[rows]) for rows in groups], **rule)
    clusters = []
    for rows in groups:
        here = Points(np.ascontiguousarray(every[rows]), mass[rows])
        fitted = work.fit(number, here, Distance.L2)
        # Buckets are numbered from the weakest to the strongest, as in all rounds.
        clusters.append(fitted.renumbered(np.argsort(fitted.centroids.mean(axis=1), kind="stable")))
    return RuleBuckets(clusters=clusters, opponents=opponents, **rule)


def _boards(work: Work, number: int) -> tuple[NDArray[np.int16], NDArray[np.int64]]:
    """Return boards of the last round: all up to suits with their multiplicity, or a sample with weight 1 each."""
    deals, wanted = work.deals, work.plan.sample_boards
    rounds = deals.index_rounds(number, dealt=work.plan.perfect)
    count = canonical_count(deals.deck.num_ranks, deals.deck.num_suits, rounds[1:])[-1] if rounds[1:] else 1
    if count <= wanted:
        return deals.boards(number, dealt=work.plan.perfect)
    rng = np.random.default_rng(work.plan.seed)
    drawn = rng.random((wanted, deals.deck.num_cards)).argsort(axis=1)[:, : deals.final]
    return drawn.astype(np.int16), np.ones(wanted, dtype=np.int64)


def _all_strengths(work: Work, number: int) -> tuple[NDArray[np.float32], NDArray[np.float64]]:
    """Return all values that HS takes on final boards, and the number of real hands with each."""
    deals = work.deals
    boards, multiplicity = deals.boards(number)
    found = np.zeros(2 * deals.opponents + 1)
    for begin in range(0, len(boards), 512):
        work.tell(number, "boards", begin, len(boards))
        sums = board_sums(deals, boards[begin : begin + 512], Wanted(), threads=work.threads)
        live = sums.moments[..., 0] > 0
        mass = np.broadcast_to(multiplicity[begin : begin + 512, None], live.shape)[live]
        found += np.bincount(sums.moments[..., 1][live], mass, minlength=len(found))
    held = np.flatnonzero(found)
    return strength_of(held, deals), found[held]


def _cuts(work: Work, number: int, values: NDArray, weights: NDArray) -> NDArray[np.float32]:
    """Return cuts of HS: percentiles, or midpoints between the means of one-dimensional k-means."""
    plan = work.plan.rounds[number]
    if plan.chosen_method is Method.PERCENTILE:
        return percentile_cuts(values, weights, plan.total)
    points = Points(np.ascontiguousarray(values[:, None], dtype=np.float32), weights)
    centres = np.unique(work.fit(number, points, Distance.L2).centroids[:, 0])
    return ((centres[1:] + centres[:-1]) / 2).astype(np.float32)
