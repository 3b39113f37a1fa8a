"""A small network for the last round of games with one private card: both ranges over hands in order of strength.

DeepStack's authors demonstrate their method on no-limit Leduc with such a network: ranges and pot enter a few layers of
parametric ReLUs, which give counterfactual values, and an outer layer makes the game zero-sum (Moravčík et al. 2017;
theirs has five layers of 50 units).  Once the last card is dealt, only a hand's place in the order of strength matters,
so one network serves all boards: every board of Leduc has a pair, a high card and a low one.  The authors' network gets
the board and the card instead, and learns each board separately.

By default the layers learn the difference from the exact value without bets, in units of the opponent's compatible
weight (:mod:`errai.nets.networks.matchups`), and also get the logarithms of the ranges, because a hand with almost no
weight may win many pots.  With ``residual=False`` they learn the values themselves from the ranges alone, as the
authors' network does.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from errai.errors import InputError, UnsupportedGameError
from errai.games.game import Game
from errai.nets.networks.architecture import Architecture, Arrays, Shapes, hands_left, layer_shapes, through_layers
from errai.nets.networks.matchups import Matchups, matchups, zero_sum
from errai.nets.positions import BoardValues, Floats, ValuesOn

if TYPE_CHECKING:
    import torch

HARDLY = 1e-3
"""Added to the weights before the layers' logarithm, so that all weights far below it give the same input."""


@dataclass(frozen=True)
class Ordered(Architecture):
    """The network's configuration; numbers below 1 raise :class:`InputError`."""

    name: ClassVar[str] = "ordered"

    layers: int = 4
    width: int = 64
    residual: bool = True

    def __post_init__(self) -> None:
        if min(self.layers, self.width) < 1:
            raise InputError(f"layers and width must be at least 1, not {self.layers} and {self.width}.")

    def prepare(
        self, game: Game, board: tuple[int, ...], fixed: Arrays, among: NDArray[np.int64] | None = None
    ) -> OrderedBoard:
        last = game.num_rounds - 1
        places = strengths(game, last)
        every = matchups(game, board)
        found, place = np.unique(every.margins.sum(axis=1), return_inverse=True)
        if len(every.board) != game.board_cards_in(last) or len(found) != places:
            raise UnsupportedGameError(
                f"The network is for boards on which hands have {places} different strengths, not {len(found)}."
            )
        asked = every if among is None else matchups(game, board, among)
        of_hands = place.reshape(-1)[np.searchsorted(every.hands, asked.hands)]
        return OrderedBoard(asked, {"places": of_hands.astype(np.int16)}, places, self.residual)

    def shapes(self, game: Game, round_index: int) -> Shapes:
        """See :meth:`Architecture.shapes`: weight, bias and slope of each layer."""
        places = strengths(game, round_index)
        sizes = [2 * places * (2 if self.residual else 1) + 1, *[self.width] * self.layers, 2 * places]
        return layer_shapes(sizes)

    def module(self, game: Game, round_index: int) -> torch.nn.Module:
        from errai.nets.networks.modules import OrderedModule

        return OrderedModule(self.shapes(game, round_index))

    def on(self, prepared: Any, weights: Arrays) -> BoardValues:
        def values(ranges: Floats, stacks: Floats) -> Floats:
            given = prepared.inputs(ranges, stacks)
            of_places = through_layers(given["entering"], weights, self.layers).reshape(len(ranges), 2, -1)
            fitting = given["fitting"]
            of_hands = given["checked"] + fitting * of_places[:, :, prepared.arrays["places"]]
            return np.asarray(zero_sum(of_hands, ranges, fitting), dtype=np.float32)

        return ValuesOn(prepared.hands, values)


def strengths(game: Game, round_index: int) -> int:
    """Return the number of places in the order of strength, which is the same on every board.

    Raises :class:`UnsupportedGameError` unless the round is the last and hands have one card, so that the place alone
    determines a hand.
    """
    hands_left(game, round_index)
    if round_index != game.num_rounds - 1 or game.num_hole_cards != 1 or not game.board_cards_in(round_index):
        raise UnsupportedGameError(
            f"The network is for the last round of games with one private card and a board, not for round "
            f"{round_index} of {game.name}."
        )
    board = tuple(range(game.board_cards_in(round_index)))
    return len(np.unique(matchups(game, board).margins.sum(axis=1)))


@dataclass(frozen=True, eq=False)
class OrderedBoard:
    """A board's hands and their places.  Axes: L hands, P = 2 players, K places."""

    matchups: Matchups
    arrays: Arrays
    """``places``, int16[L], 0 for the weakest."""
    count: int
    """K."""
    residual: bool

    @property
    def hands(self) -> NDArray[np.int64]:
        """See :attr:`Prepared.hands`."""
        return self.matchups.hands

    def inputs(self, ranges: Floats, stacks: Floats) -> Arrays:
        """Return the input of the first layer, and what each hand's output is multiplied by and added to.

        ``entering`` is float32[Q, 2 K + 1], or [Q, 4 K + 1] with logarithms: ranges over places, and the pot as a share
        of all chips that both players had.  ``checked`` and ``fitting`` are float32[Q, P, L], ``ranges`` as given.
        """
        sums = np.eye(self.count, dtype=np.float32)[self.arrays["places"]]
        held = (ranges @ sums).reshape(len(ranges), -1)
        parts = [held, (1.0 / (1.0 + 2.0 * stacks))[:, None]]
        checked, fitting = np.zeros_like(ranges), np.ones_like(ranges)
        if self.residual:
            parts.append(np.log(held + np.float32(HARDLY)) / np.float32(np.log(HARDLY)))
            checked = self.matchups.check_down(ranges[:, ::-1])
            fitting = self.matchups.fitting(ranges[:, ::-1])
        entering = np.concatenate(parts, axis=1, dtype=np.float32)
        return {"entering": entering, "checked": checked, "fitting": fitting, "ranges": ranges}
