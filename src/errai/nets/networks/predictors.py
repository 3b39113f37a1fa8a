"""Predictors that have learnt nothing: what a network must beat, and what stands in for one where none is at hand."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import OrderedDict
from collections.abc import Callable
from typing import TYPE_CHECKING, ClassVar, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from errai.engine.leaf_values import LeafValues
from errai.errors import InputError
from errai.games.game import Game
from errai.games.hand import first_round_of, rules_of
from errai.games.spot import Spot
from errai.nets.networks.matchups import Matchups, hands_on, matchups
from errai.nets.positions import BoardValues, Floats

if TYPE_CHECKING:
    from errai.nets.networks.file import Network

REMEMBERED_BOARDS = 64
"""Boards that a predictor keeps at hand: those that may follow a flop, about 300 MB where all hands are in question."""

Made = TypeVar("Made")


class Remembered(Generic[Made]):
    """What was made for some boards and hands; those used last stay."""

    def __init__(self, count: int = REMEMBERED_BOARDS) -> None:
        self.count = count
        self._made: OrderedDict[tuple[tuple[int, ...], bytes | None], Made] = OrderedDict()

    def of(self, board: tuple[int, ...], among: NDArray[np.int64] | None, make: Callable[[], Made]) -> Made:
        """What belongs to a board and the hands in question, made if it is not there."""
        key = tuple(sorted(board)), None if among is None else among.tobytes()
        found = self._made.pop(key, None)
        if found is None:
            found = make()
        self._made[key] = found
        while len(self._made) > self.count:
            self._made.popitem(last=False)
        return found


class Predictor(ABC):
    """What predictors have in common."""

    name: ClassVar[str]

    def __init__(self, game: Game, round: int) -> None:
        self.game = game
        self.round = round
        self.digest = f"{self.name} {round} {game.digest()}"

    def as_leaf_values(self, *, averaged: bool = False, threads: int | None = None) -> LeafValues:
        """What stands below a tree that is cut before the network's round; see :func:`errai.solve`.

        ``averaged``: what is measured is what the network said in the mean of the iterations
        (:mod:`errai.nets.below.averages`).
        """
        from errai.nets.below.leaves import leaf_values_of

        return leaf_values_of(self, averaged=averaged, threads=threads)

    @abstractmethod
    def on(self, board: tuple[int, ...], among: NDArray[np.int64] | None = None) -> BoardValues:
        """See :class:`~errai.nets.positions.ValueNet`; raises :class:`~errai.errors.CardsError` for no board."""


class CheckDown(Predictor):
    """Nobody bets any more: every hand is worth what it wins at the showdown, over all boards to come, exactly.

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
    """Everything is worth nothing."""

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
"""By name."""


def find_net(name: str, subject: Game | Spot) -> Predictor | Network:
    """A network for the street after a game's or a spot's first one: a predictor by its name, or a trained one.

    Raises
    ------
    InputError
        The network is for other cards than the game's, or no cards come after the first street.
    FileAccessError, ForeignFileError, DamagedFileError
        As :func:`errai.nets.networks.file.load_net`.
    """
    return net_for(name, rules_of(subject), first_round_of(subject) + 1)


def net_for(name: str, game: Game, round: int) -> Predictor | Network:
    """The same for a round of a game; whether a trained network is for that round is left to who asks it."""
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
    """A predictor by its name, asked at the beginning of a round of a game, counted from 0.

    Raises :class:`~errai.errors.InputError` where there is none of that name, or no such round.
    """
    if name not in PREDICTORS:
        raise InputError(f"There is no predictor {name!r}; choose one of {', '.join(PREDICTORS)}.")
    if not 0 < round < game.num_rounds:
        raise InputError(
            f"{game.name} has rounds 1 to {game.num_rounds - 1} before which cards are dealt, not {round}."
        )
    return PREDICTORS[name](game, round)
