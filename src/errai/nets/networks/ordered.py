"""A small network where few kinds of hands differ: both ranges over these kinds, in a few layers.

There are two such places.  Once the last card of a game with one private card is dealt, only a hand's place in the
order of strength matters, so one network serves all boards: every board of Leduc has a pair, a high card and a low one.
DeepStack's authors demonstrate their method on no-limit Leduc with such a network: ranges and pot enter a few layers of
parametric ReLUs, which give counterfactual values, and an outer layer makes the game zero-sum (Moravčík et al. 2017;
theirs has five layers of 50 units).  Theirs gets the board and the card instead, and learns each board separately.

Before any card of the board is dealt, only a hand's class up to a renaming of suits matters, 169 of them in hold'em.
The network is then DeepStack's *auxiliary* network: it gives values at the end of the first street, before the flop is
dealt, and is trained on the mean of another network's values over all flops
(:mod:`errai.nets.examples.over_cards`).

By default the layers learn the difference from the exact value without bets, in units of the opponent's compatible
weight (:mod:`errai.nets.networks.matchups`), and also get the logarithms of the ranges, because a hand with almost no
weight may win many pots.  With ``residual=False`` they learn the values themselves from the ranges alone, as the
authors' network does.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from errai.errors import InputError, UnsupportedGameError
from errai.games.game import Game
from errai.nets.networks.architecture import Architecture, Arrays, Shapes, hands_left, layer_shapes, through_layers
from errai.nets.networks.classes import ClassMatchups, class_matchups
from errai.nets.networks.factorised_values import STACK_KNOTS, stack_places
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
        if not board:
            return self._before(class_matchups(game, among))
        last = game.num_rounds - 1
        places = num_places(game, last)
        every = matchups(game, board)
        strengths, place = np.unique(every.margins.sum(axis=1), return_inverse=True)
        if len(every.board) != game.board_cards_in(last) or len(strengths) != places:
            raise UnsupportedGameError(
                f"The network is for boards on which hands have {places} different strengths, not {len(strengths)}."
            )
        asked = every if among is None else matchups(game, board, among)
        of_hands = place.reshape(-1)[np.searchsorted(every.hands, asked.hands)]
        return OrderedBoard(asked, {"places": of_hands.astype(np.int16)}, places, self.residual)

    def prepare_classes(self, game: Game) -> OrderedBoard:
        return self._before(class_matchups(game).by_class())

    def _before(self, classes: ClassMatchups) -> OrderedBoard:
        places = {"places": classes.class_of.astype(np.int16)}
        return OrderedBoard(classes, places, len(classes.fits), self.residual)

    def shapes(self, game: Game, round_index: int) -> Shapes:
        """See :meth:`Architecture.shapes`: weight, bias and slope of each layer."""
        places = num_places(game, round_index)
        pots = 1 if round_index else len(STACK_KNOTS)
        sizes = [2 * places * (2 if self.residual else 1) + pots, *[self.width] * self.layers, 2 * places]
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


def num_places(game: Game, round_index: int) -> int:
    """Return the number of kinds of hands: classes before the first board card, strengths on the last street.

    Raises :class:`UnsupportedGameError` unless the round is the first, or the last and hands have one card, so that the
    place alone determines a hand.
    """
    hands_left(game, round_index)
    if not game.board_cards_in(round_index):
        return len(class_matchups(game).fits)
    if round_index != game.num_rounds - 1 or game.num_hole_cards != 1:
        raise UnsupportedGameError(
            f"The network is for the end of the first round, and for the last round of games with one private card and "
            f"a board, not for round {round_index} of {game.name}."
        )
    board = tuple(range(game.board_cards_in(round_index)))
    return len(np.unique(matchups(game, board).margins.sum(axis=1)))


@dataclass(frozen=True, eq=False)
class OrderedBoard:
    """Hands and their places, on a board or before it.  Axes: L hands, P = 2 players, K places."""

    matchups: Matchups | ClassMatchups
    arrays: Arrays
    """``places``, int16[L], 0 for the weakest."""
    count: int
    """K."""
    residual: bool

    @property
    def hands(self) -> NDArray[np.int64]:
        """See :attr:`Prepared.hands`."""
        return self.matchups.hands

    @cached_property
    def _members(self) -> Floats:
        """float32[L, K]: 1 for the place of each hand."""
        return np.eye(self.count, dtype=np.float32)[self.arrays["places"]]

    def inputs(self, ranges: Floats, stacks: Floats) -> Arrays:
        """Return the input of the first layer, and what each hand's output is multiplied by and added to.

        ``entering`` is float32[Q, 2 K + 1], or [Q, 4 K + 1] with logarithms: ranges over places, and the pot as a share
        of all chips that both players had.  Before the board, where stacks are deepest, the pot enters as the nine
        numbers of :func:`errai.nets.networks.factorised_values.stack_places`.  ``checked`` and ``fitting`` are
        float32[Q, P, L], ``ranges`` as given.
        """
        if isinstance(self.matchups, ClassMatchups):
            held, pots = self.matchups.sums(ranges), stack_places(stacks)
        else:
            held, pots = ranges @ self._members, (1.0 / (1.0 + 2.0 * stacks))[:, None]
        held = held.reshape(len(ranges), -1)
        parts = [held, pots]
        checked, fitting = np.zeros_like(ranges), np.ones_like(ranges)
        if self.residual:
            parts.append(np.log(held + np.float32(HARDLY)) / np.float32(np.log(HARDLY)))
            checked = self.matchups.check_down(ranges[:, ::-1])
            fitting = self.matchups.fitting(ranges[:, ::-1])
        entering = np.concatenate(parts, axis=1, dtype=np.float32)
        return {"entering": entering, "checked": checked, "fitting": fitting, "ranges": ranges}
