"""Kinds of networks: how positions become a network's inputs, and how weights become values.

An *architecture* is a frozen dataclass whose fields are its configuration, all of them numbers and texts.  It knows the
network twice: as a PyTorch module that is trained on positions of many boards at once, and as NumPy that is asked about
many positions of one board.  Between both stand arrays by name: what `Architecture.prepare` computes from the cards,
what `Prepared.inputs` computes from ranges and stacks, and the weights, which are the module's ``state_dict``.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import asdict, fields
from importlib import import_module
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
    """A board, and whatever a network needs of its cards.  Axes: L hands that the board leaves, P = 2 players."""

    @property
    def hands(self) -> NDArray[np.int64]:
        """int64[L]: as in `BoardValues.hands`."""

    @property
    def arrays(self) -> Arrays:
        """What the module takes of the board, small: training keeps it for every board.

        The same names, shapes and dtypes for all boards of a round.
        """

    def inputs(self, ranges: Floats, stacks: Floats) -> Arrays:
        """What the module takes of Q positions on this board; no weights enter, so that training computes it once.

        ``ranges`` is float32[Q, P, L], each summing to 1, and ``stacks`` float32[Q], in pots.  Every array has Q rows,
        and what follows is the same for all boards of a round.
        """


class Architecture(ABC):
    """A kind of network with its configuration; subclasses are frozen dataclasses."""

    name: ClassVar[str]
    """As in `ARCHITECTURES` and in files."""

    def fixed(self, game: Game, round_index: int, seed: int) -> Arrays:
        """Arrays that are computed before training and that training leaves alone, such as centroids of clusters.

        They are kept with the weights, under names that no weight of the module has.
        """
        return {}

    @abstractmethod
    def prepare(
        self, game: Game, board: tuple[int, ...], fixed: Arrays, among: NDArray[np.int64] | None = None
    ) -> Prepared:
        """What the network needs of a board.  ``fixed`` holds the arrays of `fixed`, and may hold others.

        ``among`` are the hands in question as `errai.nets.positions.ValueNet.on` has them; training asks about all.

        Raises
        ------
        CardsError
            The board is none of the game's.
        UnsupportedGameError
            The network is not for this game.
        """

    @abstractmethod
    def shapes(self, game: Game, round_index: int) -> Shapes:
        """Names and shapes of all weights, those of `fixed` among them: what a file must hold."""

    @abstractmethod
    def module(self, game: Game, round_index: int) -> torch.nn.Module:
        """A new PyTorch module, to be trained.

        Its ``forward(board, inputs)`` takes two dicts of tensors with a row for each of B positions: `Prepared.arrays`
        of each one's board, and `Prepared.inputs`; floats of half the precision have been widened.  It returns values
        as `BoardValues.values` does, float32[B, P, L].
        """

    @abstractmethod
    def on(self, prepared: Any, weights: Arrays) -> BoardValues:
        """The network on a board that this architecture has prepared; ``weights`` are float32."""

    def configuration(self) -> dict[str, Any]:
        """The fields by name, as JSON has them."""
        return asdict(self)  # type: ignore[call-overload]

    def preparation(self) -> dict[str, Any]:
        """The part of the configuration that `prepare` and `Prepared.inputs` look at."""
        return self.configuration()


def architecture(name: str, configuration: Mapping[str, Any] | None = None) -> Architecture:
    """An architecture by its name; fields that are not given have their defaults.

    Raises
    ------
    InputError
        There is no such architecture, it has no such field, or a value is none that the field can have.
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


def hands_left(game: Game, round_index: int) -> int:
    """The number of hands that a board leaves at the beginning of a round.

    Raises
    ------
    UnsupportedGameError
        The game has no such round.
    """
    if not 0 <= round_index < game.num_rounds:
        raise UnsupportedGameError(f"{game.name} has {game.num_rounds} rounds; there is no round {round_index}.")
    return comb(game.deck.num_cards - game.board_cards_in(round_index), game.num_hole_cards)
