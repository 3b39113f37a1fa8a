"""Predictors by name: trained networks, and baselines without training that a network must beat or that replace one."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from errai.engine.leaf_values import LeafValues
from errai.errors import InputError, LeafValuesError
from errai.games.game import Game, Subject
from errai.games.streets import street_name
from errai.nets.below.leaves import NetLeafValues
from errai.nets.network import SHIPPED, LeafPredictor, load_net
from errai.nets.networks.matchups import hands_on, matchups
from errai.nets.positions import BoardValues, ValuesOn, check_has_networks
from errai.running.recent import Recent
from errai.solutions.solution import Solution

REMEMBERED_BOARDS = 64
"""Number of boards that a predictor keeps: those that may follow a flop, about 300 MB with all hands."""


class Untrained(LeafPredictor):
    """Base class of predictors without training, which exist for every round of a game that begins with cards."""

    def __init__(self, game: Game, round: int) -> None:
        self.game = game
        self.round = round
        self.digest = f"{self.name} {round} {game.digest()}"


class CheckDown(Untrained):
    """The values without further betting: every hand's exact result at the showdown, over all boards to come."""

    name = "check-down"

    def __init__(self, game: Game, round: int) -> None:
        super().__init__(game, round)
        self._boards: Recent[tuple[tuple[int, ...], bytes | None], ValuesOn] = Recent(REMEMBERED_BOARDS)

    def on(self, board: tuple[int, ...], among: NDArray[np.int64] | None = None) -> BoardValues:
        """Return the values on a board; raises :class:`~errai.errors.CardsError` for a wrong one."""

        def made() -> ValuesOn:
            found = matchups(self.game, board, among)
            return ValuesOn(found.hands, lambda ranges, stacks: found.check_down(ranges[:, ::-1]))

        return self._boards.get_or_make((tuple(sorted(board)), None if among is None else among.tobytes()), made)


class Zero(Untrained):
    """All values are 0."""

    name = "zero"

    def on(self, board: tuple[int, ...], among: NDArray[np.int64] | None = None) -> BoardValues:
        """Return the values on a board."""
        return ValuesOn(hands_on(self.game, board, among), lambda ranges, stacks: np.zeros_like(ranges))


UNTRAINED: dict[str, type[Untrained]] = {"check-down": CheckDown, "zero": Zero}
"""The predictors without training by name."""


def find_predictor(name: str, game: Game, round: int) -> LeafPredictor:
    """Return a predictor for the beginning of a round of a game, counted from 0, or for the end of round 0.

    Its name is one of :data:`UNTRAINED`, that of a network of the package, or a network's file.  Errors are those of
    :func:`errai.load_net`, and :class:`InputError` if no cards are dealt before the round, or the network is for
    another round or for other cards than the game's.
    """
    if not 0 <= round < game.num_rounds:
        raise InputError(f"A predictor is for a round of {game.name}, from 0 to {game.num_rounds - 1}, not {round}.")
    if name in UNTRAINED:
        return UNTRAINED[name](game, round)
    net = load_net(name)
    if _cards(net.game) != _cards(game):
        raise InputError(f"The network {net.name} is for {net.game.name}, whose cards are not those of {game.name}.")
    if net.round != round:
        raise InputError(
            f"The network {net.name} is for the {street_name(net.game, net.round)} of {net.game.name}, and one for the "
            f"{street_name(game, round)} is needed."
        )
    return net


def is_auxiliary(name: str) -> bool:
    """Whether a name or a file is that of an auxiliary network; errors are those of :func:`errai.load_net`."""
    return name not in UNTRAINED and load_net(name).round == 0


def predictor_after_first_street(name: str, subject: Subject) -> LeafPredictor:
    """Return a predictor over which the first street of a game or spot can be solved.

    It is one for the street after it or, for the first street of a game, an auxiliary network.

    Errors are those of :func:`find_predictor`, and :class:`InputError` if no cards are dealt after the first street,
    the pot is raked, or the game is not a no-limit game.
    """
    game, first = subject.rules, subject.first_round
    if first + 1 == game.num_rounds:
        raise InputError("No cards are dealt after the first street, so there is nothing for a network to estimate.")
    check_has_networks(game, raked=not subject.zero_sum)
    return find_predictor(name, game, 0 if first == 0 and is_auxiliary(name) else first + 1)


def leaf_values_of_solution(solution: Solution, net: str | None = None) -> LeafValues | None:
    """Return the leaf values on which a solution that is cut depends; None if it goes to the end of the game.

    ``net`` is the name or file of the network; by default it is found by its name among those of the package.  Errors
    are those of :func:`predictor_after_first_street`, and :class:`LeafValuesError` if the solution does not depend on a
    network of the package, or not on any.
    """
    if solution.below is None:
        if net is not None:
            raise LeafValuesError("The solution goes to the end of the game; leave the network out.")
        return None
    if net is None and solution.below.name not in (*UNTRAINED, *SHIPPED):
        raise LeafValuesError(
            f"The solution depends on the leaf values {solution.below}, which are not part of the package; give the "
            "network's file."
        )
    return NetLeafValues(predictor_after_first_street(net or solution.below.name, solution.subject))


def _cards(game: Game) -> tuple[object, ...]:
    return game.deck, game.num_hole_cards, game.num_board_cards, game.ranking
