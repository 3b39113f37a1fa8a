"""DeepStack's own network: its inputs are both ranges over buckets of hands and the pot, and no other card features.

In Moravčík et al. 2017, two times 1,000 probabilities and the pot as a share of the players' stacks enter seven layers
of 500 units with parametric ReLUs, which give counterfactual values of each player's buckets, in pots.  An outer layer
subtracts half of the sum of both players' values from all values, so that the game is zero-sum.  A hand has the value
of its bucket: see :mod:`errai.nets.networks.hand_buckets`.  This network is the baseline for networks that see single
hands.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import comb
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from errai.errors import InputError
from errai.games.game import Game
from errai.nets.networks.architecture import Architecture, Arrays, Shapes, layer_shapes, through_layers
from errai.nets.networks.hand_buckets import BUCKETS, HandBuckets, num_features
from errai.nets.networks.matchups import hands_on
from errai.nets.positions import Floats

if TYPE_CHECKING:
    import torch


@dataclass(frozen=True)
class Bucketed(Architecture):
    """The paper's network; the defaults are the paper's numbers.

    Raises
    ------
    InputError
        If a number is below 1.
    """

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
        """See `Architecture.preparation`."""
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
        found: dict[str, tuple[int, ...]] = {"centroids": (self.buckets, num_features(game, round_index))}
        if round_index == game.num_rounds - 1:
            found["opponents"] = (comb(game.deck.num_cards, game.num_hole_cards),)
        sizes = [2 * self.buckets + 1, *[self.width] * self.layers, 2 * self.buckets]
        return found | dict(layer_shapes(sizes))

    def module(self, game: Game, round_index: int) -> torch.nn.Module:
        """See `Architecture.module`."""
        from errai.nets.networks.modules import BucketedModule

        return BucketedModule(self.shapes(game, round_index))

    def on(self, prepared: Any, weights: Arrays) -> BucketedValues:
        """See `Architecture.on`."""
        return BucketedValues(self, prepared, weights)


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


class BucketedValues:
    """The network's values on one board; a `errai.nets.positions.BoardValues`."""

    def __init__(self, kind: Bucketed, board: BucketedBoard, weights: Arrays) -> None:
        self.hands = board.hands
        self._kind, self._board, self._weights = kind, board, weights

    def values(self, ranges: Floats, stacks: Floats) -> Floats:
        """See `errai.nets.positions.BoardValues`."""
        entering = self._board.inputs(ranges, stacks)["entering"]
        found = through_layers(entering, self._weights, self._kind.layers)
        won = (found * entering[:, :-1]).sum(axis=1, keepdims=True)
        of_buckets = (found - won / 2).reshape(len(ranges), 2, self._kind.buckets)
        return np.ascontiguousarray(of_buckets[:, :, self._board.arrays["buckets"]], dtype=np.float32)


def _round_of(game: Game, cards: int) -> int:
    """Return the round that begins with this many board cards."""
    rounds = [number for number in range(game.num_rounds) if game.board_cards_in(number) == cards]
    if not rounds:
        raise InputError(f"{game.name} has no round with {cards} cards on the board.")
    return rounds[-1]
