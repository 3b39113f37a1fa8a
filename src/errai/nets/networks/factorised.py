"""Errai's own network: a hand's value is computed from both ranges and the hand's results against the opponent's range.

Once for each board, features of every hand (`errai.nets.networks.features`) become an embedding of the hand.

For each position, every player's range becomes a sum of embeddings and a histogram over its hands' results without
further betting.  Together with the opponent's, the stacks and a flag for the seat they are joined into a context.  The
opponent's range is divided by strength into a few soft groups, and each hand gets its exact result against each group
and the exact weight of each group that is compatible with it.  This is the only step in which all pairs of hands meet,
and it is one matrix product.

    value of a hand = check-down + fitting weight · d(stack) · u(context) · relu(P hand + x · S(context))

Here x holds the hand's numbers against these groups, its rank in its own range, and 1; d falls to 0 with the stack,
because with nothing left to bet the check-down value is exact.  Counterfactual values are thus the exact values without
bets plus a learnt rest.  The compatible weight of the opponent is exact, and the remaining sum of both players' values
is subtracted from both.  The seats share the weights.  The network is invariant under a renaming of suits, because all
its inputs are.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from errai.errors import InputError, UnsupportedGameError
from errai.games.game import Game
from errai.nets.networks.architecture import Architecture, Arrays, Shapes, hands_left
from errai.nets.networks.factorised_values import (
    PUBLIC_SIZE,
    FactorisedValues,
    PreparedBoard,
    classes_of,
    numbers_of_a_hand,
)
from errai.nets.networks.features import board_features, num_features
from errai.nets.networks.matchups import matchups
from errai.nets.networks.native import NativeValues, is_native
from errai.nets.positions import BoardValues

if TYPE_CHECKING:
    import torch


@dataclass(frozen=True)
class Factorised(Architecture):
    """The network's configuration: sizes, and dropout for training."""

    name: ClassVar[str] = "factorised"

    width: int = 96
    """Units of the layer between features and embedding."""
    embedding: int = 64
    join: int = 128
    """Units of both layers of the context."""
    readout: int = 64
    """K, the terms of a hand's value."""
    groups: int = 5
    """Groups of the opponent's range."""
    dropout: float = 0.0
    """Dropout of the context, in training."""

    def __post_init__(self) -> None:
        if min(self.width, self.embedding, self.join, self.readout) < 1 or self.groups < 2:
            raise InputError("width, embedding, join and readout must be at least 1, and groups at least 2.")
        if not 0.0 <= self.dropout < 1.0:
            raise InputError(f"The dropout must be at least 0 and less than 1, not {self.dropout}.")

    def preparation(self) -> dict[str, Any]:
        return {"groups": self.groups}

    def prepare(
        self, game: Game, board: tuple[int, ...], fixed: Arrays, among: NDArray[np.int64] | None = None
    ) -> PreparedBoard:
        found = board_features(game, board)
        of_board = np.broadcast_to(found.of_board, (len(found.hands), len(found.of_board)))
        features = np.concatenate([found.of_hands, of_board], axis=1).astype(np.float16)
        met = matchups(game, board, among)
        rows = np.searchsorted(found.hands, met.hands)
        return PreparedBoard(met, {"features": features}, rows, *classes_of(found.of_hands[rows, 1]), self.groups)

    def shapes(self, game: Game, round_index: int) -> Shapes:
        of_hand, of_board = num_features(game)
        layers = {
            "hand1": (self.width, of_hand + of_board),
            "hand2": (self.embedding, self.width),
            "join1": (self.join, 3 * self.embedding + PUBLIC_SIZE),
            "join2": (self.join, self.join),
            "slopes": (self.readout * numbers_of_a_hand(self.groups), self.join),
            "readout": (self.readout, self.join),
        }
        shapes: dict[str, tuple[int, ...]] = {"terms.weight": (self.readout, self.embedding)}
        for name, (out, into) in layers.items():
            shapes[f"{name}.weight"], shapes[f"{name}.bias"] = (out, into), (out,)
        return shapes

    def module(self, game: Game, round_index: int) -> torch.nn.Module:
        from errai.nets.networks.modules import FactorisedModule

        hands_left(game, round_index)
        if game.board_cards_in(round_index) == 0:
            raise UnsupportedGameError(
                f"The factorised network needs cards on the board; round {round_index} of {game.name} has none."
            )
        return FactorisedModule(self.shapes(game, round_index), self.dropout)

    def on(self, prepared: Any, weights: Arrays) -> BoardValues:
        """See :meth:`Architecture.on`; uses the native core wherever it can be used."""
        defined = FactorisedValues(prepared, weights)
        return NativeValues(prepared, weights, defined) if is_native(prepared) else defined
