"""DeepStack's own network: its inputs are both ranges over buckets of hands and the pot, and no other card features.

In Moravčík et al. 2017, two times 1,000 probabilities and the pot as a share of the players' stacks enter seven layers
of 500 units with parametric ReLUs, which give counterfactual values of each player's buckets, in pots.  An outer layer
subtracts half of the sum of both players' values from all values, so that the game is zero-sum.  A hand has the value
of its bucket.  This network is the baseline for networks that see single hands.

DeepStack puts the hands of a public state into 1,000 buckets "as in traditional abstraction methods", by k-means with
the earth mover's distance over features of hand strength (supplement).  We follow Johanson et al.
(2013): before the last round hands are compared by the histogram of strength over all boards that may come, with the
earth mover's distance; on the last round by OCHS, with the Euclidean distance.  The buckets belong to a round, not to a
board: a board has hands in some of them.  They are found from random boards.  The features do not depend on the naming
of suits, so neither do the buckets.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import comb
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from errai.abstraction.building import opponent_clusters
from errai.abstraction.deals import DealIndexer
from errai.abstraction.features import MAX_CLUSTERS, Wanted, board_sums, ochs_of
from errai.abstraction.kmeans import Clusters, Distance, Points, Report, assign, fit, silent
from errai.errors import InputError
from errai.games.game import Game
from errai.nets.networks.architecture import Architecture, Arrays, Shapes, layer_shapes, through_layers
from errai.nets.networks.matchups import hands_on
from errai.nets.positions import BoardValues, Floats, ValuesOn

if TYPE_CHECKING:
    import torch

BUCKETS = 1_000
"""The number of buckets in the paper."""
BINS = 50
BOARDS = 2_000
"""Number of boards that are drawn to find buckets; ``POINTS`` hands of them in all are used."""
POINTS = 120_000

_BOARDS_AT_ONCE = 100


@dataclass(frozen=True)
class Bucketed(Architecture):
    """The paper's network; the defaults are the paper's numbers, and numbers below 1 raise :class:`InputError`."""

    name: ClassVar[str] = "bucketed"

    buckets: int = BUCKETS
    layers: int = 7
    width: int = 500

    def __post_init__(self) -> None:
        if min(self.buckets, self.layers, self.width) < 1:
            raise InputError(
                f"buckets, layers and width must be at least 1, not {self.buckets}, {self.layers} and {self.width}."
            )

    def fixed(self, game: Game, round_index: int, seed: int) -> Arrays:
        """Return the centroids of the buckets; with fewer distinct hands than buckets, the last buckets stay unused."""
        arrays = HandBuckets.fitted(game, round_index, self.buckets, seed=seed).arrays()
        spare = np.repeat(arrays["centroids"][-1:], self.buckets - len(arrays["centroids"]), axis=0)
        return {**arrays, "centroids": np.concatenate([arrays["centroids"], spare])}

    def preparation(self) -> dict[str, Any]:
        return {"buckets": self.buckets}

    def prepare(
        self, game: Game, board: tuple[int, ...], fixed: Arrays, among: NDArray[np.int64] | None = None
    ) -> BucketedBoard:
        """Return the buckets of a board's hands; see `Architecture.prepare`."""
        buckets = HandBuckets.of(game, _round_of(game, len(board)), fixed).on(board)
        hands = hands_on(game, board, among)
        return BucketedBoard(hands, {"buckets": buckets[hands].astype(np.int16)}, self.buckets)

    def shapes(self, game: Game, round_index: int) -> Shapes:
        """See `Architecture.shapes`: the centroids and, for each layer, weight, bias and slope."""
        last = round_index == game.num_rounds - 1
        found: dict[str, tuple[int, ...]] = {"centroids": (self.buckets, MAX_CLUSTERS if last else BINS)}
        if last:
            found["opponents"] = (comb(game.deck.num_cards, game.num_hole_cards),)
        sizes = [2 * self.buckets + 1, *[self.width] * self.layers, 2 * self.buckets]
        return found | dict(layer_shapes(sizes))

    def module(self, game: Game, round_index: int) -> torch.nn.Module:
        from errai.nets.networks.modules import BucketedModule

        return BucketedModule(self.shapes(game, round_index))

    def on(self, prepared: Any, weights: Arrays) -> BoardValues:
        def values(ranges: Floats, stacks: Floats) -> Floats:
            entering = prepared.inputs(ranges, stacks)["entering"]
            found = through_layers(entering, weights, self.layers)
            won = (found * entering[:, :-1]).sum(axis=1, keepdims=True)
            of_buckets = (found - won / 2).reshape(len(ranges), 2, self.buckets)
            return np.ascontiguousarray(of_buckets[:, :, prepared.arrays["buckets"]], dtype=np.float32)

        return ValuesOn(prepared.hands, values)


@dataclass(frozen=True, eq=False)
class BucketedBoard:
    """The buckets of a board's hands.  Axes: L hands, P = 2 players, K buckets."""

    hands: NDArray[np.int64]
    arrays: Arrays
    """``buckets``, int16[L]."""
    count: int
    """K."""

    def inputs(self, ranges: Floats, stacks: Floats) -> Arrays:
        """Return the input of the first layer, ``entering`` float32[Q, 2 K + 1]: ranges over buckets, and the pot.

        The pot is a share of all chips that both players had, between 0 and 1.
        """
        order = np.argsort(self.arrays["buckets"], kind="stable")
        sorted_buckets = self.arrays["buckets"][order]
        first = np.flatnonzero(np.diff(sorted_buckets, prepend=-1))
        entering = np.zeros((len(ranges), 2 * self.count + 1), dtype=np.float32)
        by_player = entering[:, :-1].reshape(len(ranges), 2, self.count)
        by_player[:, :, sorted_buckets[first]] = np.add.reduceat(ranges[:, :, order], first, axis=2)
        entering[:, -1] = 1.0 / (1.0 + 2.0 * stacks)
        return {"entering": entering}


def _round_of(game: Game, cards: int) -> int:
    """Return the round that begins with this many board cards."""
    rounds = [number for number in range(game.num_rounds) if game.board_cards_in(number) == cards]
    if not rounds:
        raise InputError(f"{game.name} has no round with {cards} cards on the board.")
    return rounds[-1]


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
        cls, game: Game, round_index: int, count: int = BUCKETS, *, seed: int = 0, report: Report = silent
    ) -> HandBuckets:
        """Find buckets by k-means; fewer than ``count`` where there are fewer distinct hands.

        For hold'em's turn this takes about ten seconds of one core.  The same seed gives the same buckets.  Raises
        :class:`InputError` if there is no such round or ``count`` is below 1.
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

        This takes about 3 ms on hold'em's turn.  Raises :class:`CardsError` if the board is not one of the round's.
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
