"""Kinds of networks: how positions become a network's inputs, and how weights become values.

An *architecture* is a frozen dataclass whose fields are its configuration, all of them numbers and texts.  It
implements the network twice: as a PyTorch module, which is trained on positions of many boards at once, and in NumPy,
which evaluates many positions of one board.  Both use the same named arrays: the results of `Architecture.prepare` from
the cards, the results of `Prepared.inputs` from ranges and stacks, and the weights, which are the module's
``state_dict``.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import fields
from importlib import import_module
from itertools import pairwise
from math import comb
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

from errai.errors import InputError, UnsupportedGameError
from errai.games.game import Game
from errai.nets.positions import BoardValues, Floats

if TYPE_CHECKING:
    import torch

Arrays = Mapping[str, NDArray[Any]]
Shapes = Mapping[str, tuple[int, ...]]

ARCHITECTURES: dict[str, str] = {
    "bucketed": "errai.nets.networks.bucketed:Bucketed",
    "factorised": "errai.nets.networks.factorised:Factorised",
    "ordered": "errai.nets.networks.ordered:Ordered",
}
"""By name, the module and the class of each architecture, as in ``"package.module:Class"``."""


class Prepared(Protocol):
    """A board, and what a network needs of its cards.  Axes: L hands that the board leaves, P = 2 players."""

    @property
    def hands(self) -> NDArray[np.int64]:
        """int64[L]: as in `BoardValues.hands`."""

    @property
    def arrays(self) -> Arrays:
        """The module's inputs that depend on the board; they are small, because training keeps them for every board.

        They have the same names, shapes and dtypes for all boards of a round.
        """

    def inputs(self, ranges: Floats, stacks: Floats) -> Arrays:
        """Return the module's inputs for Q positions on this board.

        They do not depend on weights, so training computes them once.

        ``ranges`` is float32[Q, P, L], each summing to 1, and ``stacks`` float32[Q], in pots.  Every array has Q rows,
        and its other axes are the same for all boards of a round.
        """


class Architecture(ABC):
    """A kind of network with its configuration; subclasses are frozen dataclasses."""

    name: ClassVar[str]
    """The name in `ARCHITECTURES` and in files."""

    def fixed(self, game: Game, round_index: int, seed: int) -> Arrays:
        """Arrays that are computed before training and that training does not change, such as centroids of clusters.

        They are kept with the weights, under names that differ from those of the module's weights.
        """
        return {}

    @abstractmethod
    def prepare(
        self, game: Game, board: tuple[int, ...], fixed: Arrays, among: NDArray[np.int64] | None = None
    ) -> Prepared:
        """Compute what the network needs of a board.  ``fixed`` holds the arrays of `fixed`, and may hold others.

        ``among`` selects hands as in `errai.nets.positions.Predictor.on`; training uses all.

        Raises
        ------
        CardsError
            The board is not one of the game's.
        UnsupportedGameError
            The network is not for this game.
        """

    def prepare_classes(self, game: Game) -> Prepared:
        """Prepare the classes of hands before the board, in place of hands, for an auxiliary network.

        Raises
        ------
        UnsupportedGameError
            The architecture has no auxiliary networks.
        """
        raise UnsupportedGameError(f"A network of the architecture {self.name} needs cards on the board.")

    @abstractmethod
    def shapes(self, game: Game, round_index: int) -> Shapes:
        """Names and shapes of all weights, including those of `fixed`: what a file must hold."""

    @abstractmethod
    def module(self, game: Game, round_index: int) -> torch.nn.Module:
        """Return a new PyTorch module, to be trained.

        Its ``forward(board, inputs)`` takes two dicts of tensors with a row for each of B positions: `Prepared.arrays`
        of each position's board, and `Prepared.inputs`; float16 arrays have been converted to float32.  It returns
        values as `BoardValues.values` does, float32[B, P, L].
        """

    @abstractmethod
    def on(self, prepared: Any, weights: Arrays) -> BoardValues:
        """Return the network on a board that this architecture has prepared; ``weights`` are float32."""

    def configuration(self) -> dict[str, Any]:
        """Return the fields by name, as JSON values."""
        return {field.name: getattr(self, field.name) for field in fields(self)}  # type: ignore[arg-type]

    def preparation(self) -> dict[str, Any]:
        """Return the part of the configuration on which `prepare` and `Prepared.inputs` depend."""
        return self.configuration()


def architecture(name: str, configuration: Mapping[str, Any] | None = None) -> Architecture:
    """Return an architecture by its name; fields that are not given have their defaults.

    Raises
    ------
    InputError
        There is no such architecture, it has no such field, or a field cannot have the given value.
    """
    if name not in ARCHITECTURES:
        raise InputError(f"There is no architecture {name!r}; there are {', '.join(sorted(ARCHITECTURES))}.")
    module, kind = ARCHITECTURES[name].split(":")
    made: type[Architecture] = getattr(import_module(module), kind)
    types = {field.name: type(field.default) for field in fields(made)}  # type: ignore[arg-type]
    given = dict(configuration or {})
    for key, value in given.items():
        if key not in types:
            raise InputError(f"The architecture {name} has no {key!r}; it has {', '.join(types) or 'no settings'}.")
        if types[key] is float and type(value) is int:
            given[key] = float(value)
        elif type(value) is not types[key]:
            raise InputError(f"{key} of the architecture {name} is of type {types[key].__name__}, not {value!r}.")
    return made(**given)


def layer_shapes(sizes: Sequence[int]) -> Shapes:
    """Return the shapes of linear layers between vectors of these sizes, with one slope of a ReLU after all but one."""
    found: dict[str, tuple[int, ...]] = {}
    for layer, (into, out) in enumerate(pairwise(sizes)):
        found |= {f"linear.{layer}.weight": (out, into), f"linear.{layer}.bias": (out,)}
    return found | {f"slope.{layer}.weight": (1,) for layer in range(len(sizes) - 2)}


def through_layers(given: Floats, weights: Arrays, layers: int) -> Floats:
    """Return the output of such layers; ``layers`` of them have a ReLU."""
    for layer in range(layers + 1):
        given = given @ weights[f"linear.{layer}.weight"].T + weights[f"linear.{layer}.bias"]
        if layer < layers:
            given = np.where(given > 0, given, weights[f"slope.{layer}.weight"] * given)
    return given


def hands_left(game: Game, round_index: int) -> int:
    """Return the number of hands that a board leaves when a round begins; `UnsupportedGameError` for no such round."""
    if not 0 <= round_index < game.num_rounds:
        raise UnsupportedGameError(f"{game.name} has {game.num_rounds} rounds; there is no round {round_index}.")
    return comb(game.deck.num_cards - game.board_cards_in(round_index), game.num_hole_cards)
