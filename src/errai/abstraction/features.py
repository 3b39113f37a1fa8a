"""Features of hands: their results against a uniformly distributed opponent, now and at the showdown.

On a final board the *hand strength* HS of a hand is the probability that it beats a hand drawn uniformly from the
remaining cards, ties counting half.  Before the last round, features are taken over all boards that may still come,
with equal probabilities:

- E[HS], the probability of winning the showdown, and E[HS²], which ranks hands that may become strong above steady
  ones;
- the histogram of HS in ``bins`` bins of equal width, the last one closed (Gilpin, Sandholm & Sørensen 2007; Johanson
  et al. 2013);
- OCHS (Johanson et al. 2013), HS against each of up to eight clusters of opponents' hands.  Before the last round it is
  the probability of winning against a hand of the cluster, over boards and hands together.

All are computed board by board: one sort gives HS of all hands on a final board (``csrc/cards/features.cpp``).  The
sums are of integers and therefore exact, so that neither threads nor the names of suits matter.
`tests/support/plain_features.py` is the definition.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import comb
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from errai.abstraction.deals import DealIndexer
from errai.abstraction.kmeans import Report, silent
from errai.cards import _cards
from errai.cards.hands import hand_index
from errai.errors import CardsError, InputError, UnsupportedGameError

MAX_CLUSTERS = _cards.LANES
"""Largest number of clusters of opponents."""

MAX_BINS = 1_000

_ROWS_AT_ONCE = 150_000
_CELLS_AT_ONCE = 20_000_000


@dataclass(frozen=True)
class Wanted:
    """The features to compute."""

    moments: bool = True
    """Whether to compute E[HS] and E[HS²]."""
    bins: int = 0
    """Number of bins of the histogram of HS; 0 for none."""
    cluster: NDArray[np.int8] | None = None
    """int8[H]: the cluster of each hand of an opponent, -1 for none; None for no OCHS."""

    def __post_init__(self) -> None:
        if not 0 <= self.bins <= MAX_BINS:
            raise InputError(f"bins must be 0 to {MAX_BINS:,}, not {self.bins:,}.")
        if self.cluster is not None and not -1 <= self.cluster.min() <= self.cluster.max() < MAX_CLUSTERS:
            raise InputError(
                f"Clusters of opponents are numbered 0 to {MAX_CLUSTERS - 1}, and -1 is none; these go from "
                f"{self.cluster.min()} to {self.cluster.max()}."
            )


@dataclass(frozen=True, eq=False)
class Features:
    """Features of n hands on boards of a round; E[HS] and E[HS²] are NaN if they were not computed."""

    weights: NDArray[Any]
    """uint8[n] or int64[n]: the number of real hands on real boards that each hand represents."""
    mean: NDArray[np.float32]
    square: NDArray[np.float32]
    cumulative: NDArray[Any]
    """uint8, uint16 or uint32 [n, bins]: how many of ``runouts`` boards are in this bin of HS or one below."""
    runouts: int
    ochs: NDArray[np.float32]
    """float32[n, clusters]: the probability of winning against each cluster; one half if it has no possible hand."""

    @classmethod
    def blank(cls, deals: DealIndexer, round_index: int, wanted: Wanted, count: int) -> Features:
        """Return places for the features of ``count`` hands."""
        runouts = deals.runouts(round_index)
        mean, square = np.full((2, count), np.nan, dtype=np.float32)
        cumulative = np.zeros((count, wanted.bins), dtype=np.min_scalar_type(runouts))
        clusters = 0 if wanted.cluster is None else int(wanted.cluster.max()) + 1
        ochs = np.zeros((count, clusters), dtype=np.float32)
        return cls(np.zeros(count, dtype=np.int64), mean, square, cumulative, runouts, ochs)

    def __len__(self) -> int:
        return len(self.weights)

    def put(self, index: NDArray[Any], sums: Sums, greatest: int) -> None:
        """Store what follows from the sums of some hands at their indices; ``greatest`` is the sum for HS = 1."""
        if sums.moments.shape[1]:
            boards = sums.moments[:, 0].astype(np.float64)
            self.mean[index] = sums.moments[:, 1] / (boards * greatest)
            self.square[index] = sums.moments[:, 2] / (boards * float(greatest) ** 2)
        if sums.histogram.shape[1]:
            added = np.cumsum(sums.histogram, axis=1, dtype=np.int64)
            # The sums of a class of hands cover a multiple of one hand's boards.
            self.cumulative[index] = added // np.maximum(added[:, -1:] // self.runouts, 1)
        if sums.clusters.shape[1]:
            self.ochs[index] = ochs_of(sums, self.ochs.shape[1])

    def select(self, rows: NDArray[Any], weights: NDArray[Any] | None = None) -> Features:
        """Return the features of some hands, with other weights if they are given."""
        parts = self.mean[rows], self.square[rows], self.cumulative[rows], self.runouts, self.ochs[rows]
        return Features(self.weights[rows] if weights is None else weights, *parts)

    def histogram(self, rows: ArrayLike) -> NDArray[np.float64]:
        """Return relative histograms of some of the hands, float64[..., bins], each with sum 1.

        Raises :class:`InputError` if there are no histograms.
        """
        if not self.cumulative.shape[1]:
            raise InputError("These features have no histograms; compute them with bins.")
        counts = self.cumulative[np.asarray(rows)].astype(np.float64)
        return np.asarray(np.diff(counts, axis=-1, prepend=0.0) / self.runouts)


def canonical_features(
    deals: DealIndexer, round_index: int, wanted: Wanted, *, threads: int = 1, report: Report = silent
) -> Features:
    """Compute the features of all hands on boards of a round, in the order of their index by cards.

    This takes one sort for every pair of a board up to suits and a final board that follows it: in hold'em 2.1 million
    on the flop, 0.8 million on the turn.

    Raises :class:`InputError` if there is no such round.
    """
    deals.check_round(round_index)
    count, greatest = deals.num_classes(round_index), 2 * deals.opponents
    boards, multiplicity = deals.boards(round_index)
    found = Features.blank(deals, round_index, wanted, count)
    if boards.shape[1] == 0 and deals.final > 0:
        index = deals.index(boards, round_index)[0]
        sums = _from_canonical_finals(deals, wanted, threads, report)
        np.add.at(found.weights, index, 1)
        # Sums of a class of hands over final boards up to suits equal those of one hand over all final boards.
        found.put(np.arange(count), sums.grouped(index, count), greatest)
    else:
        for first, last, sums in _over_boards(deals, boards, wanted, threads, report):
            index = deals.index(boards[first:last], round_index, threads=threads)
            live = index >= 0
            found.put(index[live], sums.select(live), greatest)
            many = np.broadcast_to(multiplicity[first:last, None], index.shape)[live]
            np.add.at(found.weights, index[live], many)
    return replace(found, weights=found.weights.astype(np.uint8)) if found.weights.max(initial=0) <= 255 else found


def hand_features(deals: DealIndexer, cards: ArrayLike, wanted: Wanted, *, threads: int = 1) -> Features:
    """Compute the features of any hands on any boards of one round, integers[n, k + m]: the hand's cards come first.

    Raises :class:`CardsError` if the number of cards fits no round, or a row repeats a card or has one that is not in
    the deck.
    """
    rows = np.asarray(cards)
    k = deals.game.num_hole_cards
    if rows.ndim != 2 or rows.shape[1] - k not in deals.board_cards:
        raise CardsError(f"Each row must have {k} cards of a hand and the board cards of a round.")
    round_index = deals.board_cards.index(rows.shape[1] - k)
    indexer = deals.indexer(round_index)
    indexer.index(rows)  # checks the cards
    if deals.board_cards[round_index] == 0 and deals.final > 0:
        # There are too many boards to enumerate them for each hand.
        return canonical_features(deals, round_index, wanted, threads=threads).select(indexer.index(rows))
    boards, which = np.unique(np.sort(rows[:, k:], axis=1), axis=0, return_inverse=True)
    boards, which = boards.astype(np.int16).reshape(len(boards), rows.shape[1] - k), which.reshape(-1)
    hands = hand_index(rows[:, :k])
    found = Features.blank(deals, round_index, wanted, len(rows))
    for first, last, sums in _over_boards(deals, boards, wanted, threads):
        here = np.flatnonzero((which >= first) & (which < last))
        found.put(here, sums.select((which[here] - first, hands[here])), 2 * deals.opponents)
    return replace(found, weights=np.ones(len(rows), dtype=np.uint8))


def strength_now(deals: DealIndexer, boards: NDArray[np.int16], *, threads: int = 1) -> NDArray[np.float32]:
    """Return HS of all hands on boards of a round, int16[B, m], as if no more cards came.

    The result is float32[B, H], NaN if the hand and the board share a card.  Raises :class:`UnsupportedGameError` if
    the game's ranking cannot compare fewer cards than at the showdown.
    """
    k = deals.game.num_hole_cards
    if deals.three_card and boards.shape[1] < deals.final:
        raise UnsupportedGameError("The three-card ranking compares only hands that are complete; use E[HS].")
    sums = _showdowns(deals, boards[:, None, :], None, Wanted(), threads)
    possible = comb(deals.deck.num_cards - boards.shape[1] - k, k)
    with np.errstate(invalid="ignore", divide="ignore"):
        return (sums.moments[..., 1] / (2.0 * possible * sums.moments[..., 0])).astype(np.float32)


# --- sums -----------------------------------------------------------------------------------------------------------


class Sums(NamedTuple):
    """Sums over final boards: int64[..., 3], uint32[..., bins] and uint32[..., 2, 8], see ``features.cpp``."""

    moments: NDArray[np.int64]
    histogram: NDArray[Any]
    clusters: NDArray[Any]

    def select(self, where: Any) -> Sums:
        """Return the sums of some hands."""
        return Sums(*(part[where] for part in self))

    def grouped(self, index: NDArray[np.int64], count: int) -> Sums:
        """Return the sums over the hands of each class."""
        totals = [np.zeros((count, *part.shape[1:]), dtype=np.int64) for part in self]
        for total, part in zip(totals, self, strict=True):
            np.add.at(total, index, part.astype(np.int64))
        return Sums(*totals)


def _showdowns(
    deals: DealIndexer,
    finals: NDArray[np.int16],
    weights: NDArray[np.int32] | None,
    wanted: Wanted,
    threads: int,
) -> Sums:
    """Return the sums for each first axis of final boards int16[B, C, m]; weights are int32[B * C]."""
    num_boards, per_board, num_cards = finals.shape
    hands = deals.num_hands
    moments = np.zeros((num_boards, hands, 3 if wanted.moments else 0), dtype=np.int64)
    histogram = np.zeros((num_boards, hands, wanted.bins), dtype=np.uint32)
    clusters = np.zeros((num_boards, hands, 2 if wanted.cluster is not None else 0, _cards.LANES), dtype=np.uint32)
    greatest = 2 * deals.opponents
    bin_of = np.minimum(np.arange(greatest + 1) * wanted.bins // max(greatest, 1), max(wanted.bins - 1, 0))
    _cards.showdown_sums(
        np.ascontiguousarray(finals.reshape(num_boards * per_board, num_cards), dtype=np.int16),
        np.ones(num_boards * per_board, dtype=np.int32) if weights is None else weights,
        np.arange(num_boards + 1, dtype=np.int64) * per_board,
        deals.hands,
        deals.deck.num_ranks,
        deals.deck.num_suits,
        deals.three_card,
        bin_of.astype(np.int32),
        np.zeros(hands, dtype=np.int8) if wanted.cluster is None else wanted.cluster.astype(np.int8),
        threads,
        moments,
        histogram,
        clusters,
    )
    return Sums(moments, histogram, clusters)


def _over_boards(
    deals: DealIndexer, boards: NDArray[np.int16], wanted: Wanted, threads: int, report: Report = silent
) -> Iterator[tuple[int, int, Sums]]:
    """Yield the sums over all completions of some boards, several boards at a time: (first, last, sums)."""
    per_board = max(1, deals.completions(boards[:1]).shape[1])
    width = 3 + wanted.bins + (2 * _cards.LANES if wanted.cluster is not None else 0)
    at_once = max(1, min(_ROWS_AT_ONCE // per_board, _CELLS_AT_ONCE // (deals.num_hands * width)))
    for first in range(0, len(boards), at_once):
        last = min(first + at_once, len(boards))
        report(first, len(boards))
        yield first, last, _showdowns(deals, deals.completions(boards[first:last]), None, wanted, threads)
    report(len(boards), len(boards))


def _from_canonical_finals(deals: DealIndexer, wanted: Wanted, threads: int, report: Report) -> Sums:
    """Return the sums over all final boards for every hand, computed from final boards up to suits."""
    boards, multiplicity = deals.boards(deals.num_rounds - 1)
    total: list[Any] = [0, 0, 0]
    at_once = 2_000
    for first in range(0, len(boards), at_once):
        report(first, len(boards))
        part = slice(first, first + at_once)
        weights = multiplicity[part].astype(np.int32)
        # Several pieces give threads something to share.
        pieces = 8 if len(weights) % 8 == 0 else 1
        finals = boards[part].reshape(pieces, -1, boards.shape[1])
        sums = _showdowns(deals, finals, weights, wanted, threads)
        total = [found + part.sum(axis=0, dtype=np.int64) for found, part in zip(total, sums, strict=True)]
    report(len(boards), len(boards))
    return Sums(*total)


def ochs_of(sums: Sums, num_clusters: int) -> NDArray[np.float32]:
    """Return the probability of winning against each cluster, float32[..., clusters], from sums."""
    won = sums.clusters[..., 0, :num_clusters].astype(np.float32)
    possible = sums.clusters[..., 1, :num_clusters].astype(np.float32)
    return np.where(possible > 0, won / np.maximum(possible, np.float32(1)), np.float32(0.5))


def board_sums(deals: DealIndexer, boards: NDArray[np.int16], wanted: Wanted, *, threads: int = 1) -> Sums:
    """Return the sums over all final boards that begin with each of some boards int16[B, m], for all hands of each."""
    parts = [sums for _, _, sums in _over_boards(deals, boards, wanted, threads)]
    return parts[0] if len(parts) == 1 else Sums(*map(np.concatenate, zip(*parts, strict=True)))
