"""Buckets of hands for networks that do not see single hands: k-means over features of hand strength.

DeepStack puts the hands of a public state into 1,000 buckets "as in traditional abstraction methods", by k-means with
the earth mover's distance over features of hand strength (Moravčík et al. 2017, supplement).  We follow Johanson et al.
(2013): before the last round hands are compared by the histogram of strength over all boards that may come, with the
earth mover's distance; on the last round by OCHS, with the Euclidean distance.  The buckets belong to a round, not to a
board: a board has hands in some of them.  They are found from random boards.  The features do not depend on the naming
of suits, so neither do the buckets.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from errai.abstraction.deals import DealIndexer
from errai.abstraction.features import MAX_CLUSTERS, Wanted, board_sums, ochs_of
from errai.abstraction.kmeans import Clusters, Distance, Points, Report, assign, fit
from errai.abstraction.rounds import opponent_clusters
from errai.errors import InputError
from errai.games.game import Game
from errai.nets.positions import Floats

BUCKETS = 1_000
"""The number of buckets in the paper."""
BINS = 50
BOARDS = 2_000
"""Number of boards that are drawn to find buckets; ``POINTS`` hands of them in all are used."""
POINTS = 120_000

_BOARDS_AT_ONCE = 100


@dataclass(frozen=True, eq=False)
class HandBuckets:
    """The buckets of one round of a game.  Axes: K buckets, H hands of the deck."""

    deals: DealIndexer
    round: int
    clusters: Clusters
    """Ascending: a bucket's number rises with the mean strength of its centroid."""
    opponents: NDArray[np.int8] | None
    """int8[H]: the clusters of opponents' hands against which OCHS measures; None before the last round."""

    def __len__(self) -> int:
        return len(self.clusters)

    @classmethod
    def fitted(
        cls, game: Game, round_index: int, count: int = BUCKETS, *, seed: int = 0, report: Report | None = None
    ) -> HandBuckets:
        """Find buckets by k-means; fewer than ``count`` where there are fewer distinct hands.

        For hold'em's turn this takes about ten seconds of one core.  The same seed gives the same buckets.

        Raises
        ------
        InputError
            If there is no such round or ``count`` is below 1.
        UnsupportedGameError
            If hands have more than two cards.
        """
        deals = DealIndexer(game)
        deals.check_round(round_index)
        if count < 1:
            raise InputError(f"The number of buckets must be at least 1, not {count}.")
        rng = np.random.default_rng(seed)
        cards = deals.board_cards[round_index]
        boards = np.sort(rng.random((BOARDS, deals.deck.num_cards)).argsort(axis=1)[:, :cards], axis=1)
        opponents = opponent_clusters(deals, seed=seed) if round_index == deals.num_rounds - 1 else None
        found = []
        for first in range(0, BOARDS, _BOARDS_AT_ONCE):
            _, points = _features(deals, boards[first : first + _BOARDS_AT_ONCE].astype(np.int16), opponents)
            here = min(len(points), POINTS * _BOARDS_AT_ONCE // BOARDS)
            found.append(points[np.sort(rng.choice(len(points), here, replace=False))])
        points = np.concatenate(found)
        distance = Distance.EMD if opponents is None else Distance.L2
        centroids = fit(Points(points, np.ones(len(points))), count, distance, seed=seed, report=report).centroids
        # The stronger a hand is, the lower is its cumulative histogram.
        strength = centroids.mean(axis=1) * (1.0 if opponents is not None else -1.0)
        centroids = centroids[np.argsort(strength, kind="stable")]
        return cls(deals, round_index, _clusters(centroids, opponents is None), opponents)

    def on(self, board: tuple[int, ...]) -> NDArray[np.int32]:
        """Return the bucket of every hand of the deck, int32[H], -1 for hands that hold a card of the board.

        This takes about 3 ms on hold'em's turn.

        Raises
        ------
        CardsError
            If the board is not one of the round's.
        """
        cards = self.deals.checked_board(board, self.round)
        live, points = _features(self.deals, cards[None], self.opponents)
        found = np.full(self.deals.num_hands, -1, dtype=np.int32)
        found[live[0]] = assign(points, self.clusters)[0]
        return found

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return what a file holds besides the game and the round: float32[K, d] and, on the last round, int8[H]."""
        held: dict[str, NDArray[Any]] = {"centroids": self.clusters.centroids}
        return held if self.opponents is None else {**held, "opponents": self.opponents}

    @classmethod
    def of(cls, game: Game, round_index: int, arrays: Mapping[str, NDArray[Any]]) -> HandBuckets:
        """Make buckets from the result of :meth:`arrays`."""
        opponents = arrays.get("opponents")
        centroids = np.ascontiguousarray(arrays["centroids"], dtype=np.float32)
        return cls(DealIndexer(game), round_index, _clusters(centroids, opponents is None), opponents)


def _clusters(centroids: Floats, histograms: bool) -> Clusters:
    """Centroids that are searched along the sum of all features, in which hands differ most."""
    if histograms:
        return Clusters(centroids, Distance.EMD, np.ones(centroids.shape[1], dtype=np.float32))
    # Slightly shorter than a unit vector, to allow for rounding.
    return Clusters(
        centroids, Distance.L2, np.full(centroids.shape[1], 0.999999 * centroids.shape[1] ** -0.5, np.float32)
    )


def _features(
    deals: DealIndexer, boards: NDArray[np.int16], opponents: NDArray[np.int8] | None
) -> tuple[NDArray[np.bool_], Floats]:
    """Which hands boards leave, bool[B, H], and the k-means features of these, float32[n, d], board after board."""
    sums = board_sums(deals, boards, Wanted(bins=0 if opponents is not None else BINS, cluster=opponents))
    live = sums.moments[..., 0] > 0
    if opponents is not None:
        return live, ochs_of(sums.select(live), MAX_CLUSTERS)
    added = np.cumsum(sums.histogram[live], axis=1, dtype=np.float32)
    return live, np.ascontiguousarray(added / added[:, -1:])


def num_features(game: Game, round_index: int) -> int:
    """d, the number of k-means features of a hand."""
    return MAX_CLUSTERS if round_index == game.num_rounds - 1 else BINS
