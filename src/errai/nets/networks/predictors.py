"""Predictors without training: baselines that a network must beat, and replacements where there is no network."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import TYPE_CHECKING, ClassVar, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from errai.engine.leaf_values import LeafValues
from errai.errors import InputError
from errai.games.game import Game
from errai.games.hand import first_round_of, rules_of
from errai.games.spot import Spot
from errai.games.streets import street_name
from errai.nets.networks.matchups import Matchups, hands_on, matchups
from errai.nets.positions import BoardValues, Floats
from errai.running.recent import Recent

if TYPE_CHECKING:
    from errai.nets.networks.file import Network

REMEMBERED_BOARDS = 64
"""Number of boards that a predictor keeps: those that may follow a flop, about 300 MB with all hands."""

Made = TypeVar("Made")


class Remembered(Generic[Made]):
    """A cache of results by board and hands; the least recently used is dropped."""

    def __init__(self, count: int = REMEMBERED_BOARDS) -> None:
        self._made: Recent[tuple[tuple[int, ...], bytes | None], Made] = Recent(count)

    def of(self, board: tuple[int, ...], among: NDArray[np.int64] | None, make: Callable[[], Made]) -> Made:
        """The result for a board and a selection of hands; it is computed if it is not cached."""
        key = tuple(sorted(board)), None if among is None else among.tobytes()
        return self._made.get_or_make(key, make)


class Predictor(ABC):
    """Base class of predictors."""

    name: ClassVar[str]

    def __init__(self, game: Game, round: int) -> None:
        self.game = game
        self.round = round
        self.digest = f"{self.name} {round} {game.digest()}"

    def as_leaf_values(self, *, averaged: bool = False, threads: int | None = None) -> LeafValues:
        """The leaf values of a tree that is cut before the network's round; see :func:`errai.solve`.

        ``averaged``: measurements use the mean of the network's outputs over the iterations
        (:mod:`errai.nets.below.averages`).
        """
        from errai.nets.below.leaves import leaf_values_of

        return leaf_values_of(self, averaged=averaged, threads=threads)

    @abstractmethod
    def on(self, board: tuple[int, ...], among: NDArray[np.int64] | None = None) -> BoardValues:
        """See :class:`~errai.nets.positions.ValueNet`; raises :class:`~errai.errors.CardsError` for a wrong board."""


class CheckDown(Predictor):
    """The values without further betting: every hand's exact result at the showdown, over all boards to come.

    It is a :class:`~errai.nets.positions.ValueNet` at the beginning of any round of a game.
    """

    name = "check-down"

    def __init__(self, game: Game, round: int) -> None:
        super().__init__(game, round)
        self._boards: Remembered[BoardValues] = Remembered()

    def on(self, board: tuple[int, ...], among: NDArray[np.int64] | None = None) -> BoardValues:
        """See :class:`~errai.nets.positions.ValueNet`."""
        return self._boards.of(board, among, lambda: CheckedDown(matchups(self.game, board, among)))


class Zero(Predictor):
    """All values are 0."""

    name = "zero"

    def on(self, board: tuple[int, ...], among: NDArray[np.int64] | None = None) -> BoardValues:
        """See :class:`~errai.nets.positions.ValueNet`."""
        return _Nothing(hands_on(self.game, board, among))


class CheckedDown:
    def __init__(self, found: Matchups) -> None:
        self.hands = found.hands
        self.matchups = found

    def values(self, ranges: Floats, stacks: Floats) -> Floats:
        return self.matchups.check_down(ranges[:, ::-1])


class _Nothing:
    def __init__(self, hands: NDArray[np.int64]) -> None:
        self.hands = hands

    def values(self, ranges: Floats, stacks: Floats) -> Floats:
        return np.zeros_like(ranges)


PREDICTORS: dict[str, type[Predictor]] = {"check-down": CheckDown, "zero": Zero}
"""The predictors by name."""


def find_net(name: str, subject: Game | Spot) -> Predictor | Network:
    """A network for the street after the first street of a game or spot: a predictor by its name, or a trained network.

    Raises
    ------
    InputError
        No cards are dealt after the first street, the network is for another street or for other cards than the game's,
        the pot is raked, or the game is not a no-limit game.
    FileAccessError, ForeignFileError, DamagedFileError
        As for :func:`errai.nets.networks.file.load_net`.
    """
    game, first = rules_of(subject), first_round_of(subject)
    if first + 1 == game.num_rounds:
        raise InputError("No cards are dealt after the first street, so there is nothing for a network to estimate.")
    check_has_networks(game, raked=isinstance(subject, Spot) and subject.rake is not None)
    net = net_for(name, game, first + 1)
    if net.round != first + 1:
        raise InputError(
            f"The network {net.name} is for the {street_name(net.game, net.round)} of {net.game.name}, and the street "
            f"after the first one is the {street_name(game, first + 1)}."
        )
    return net


def check_has_networks(game: Game, *, raked: bool) -> None:
    """Raise :class:`~errai.errors.InputError` if no network can value the pots of a game."""
    if game.limit:
        raise InputError("Networks are for no-limit games: their inputs are chips as shares of the pot.")
    if raked:
        raise InputError("Networks know no rake: leave it out, or solve without a network.")


def net_for(name: str, game: Game, round: int) -> Predictor | Network:
    """The same for a round of a game; the caller must check whether a trained network is for that round."""
    if name in PREDICTORS:
        return predictor(name, game, round)
    from errai.nets.networks.file import load_net

    net = load_net(name)
    if _cards(net.game) != _cards(game):
        raise InputError(f"The network {net.name} is for {net.game.name}, whose cards are not those of {game.name}.")
    return net


def _cards(game: Game) -> tuple[object, ...]:
    return game.deck, game.num_hole_cards, game.num_board_cards, game.ranking


def predictor(name: str, game: Game, round: int) -> Predictor:
    """A predictor by its name, for the beginning of a round of a game, counted from 0.

    Raises :class:`~errai.errors.InputError` if there is no predictor of that name, or no such round.
    """
    if name not in PREDICTORS:
        raise InputError(f"There is no predictor {name!r}; choose one of {', '.join(PREDICTORS)}.")
    if not 0 < round < game.num_rounds:
        raise InputError(
            f"{game.name} has rounds 1 to {game.num_rounds - 1} before which cards are dealt, not {round}."
        )
    return PREDICTORS[name](game, round)
