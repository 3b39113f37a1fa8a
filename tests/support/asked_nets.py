"""Stand-ins for value networks: one that solves exactly, and one whose values are known in closed form."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from errai.games.betting import BettingState
from errai.games.game import Game
from errai.games.hand import PublicState
from errai.games.spot import Spot
from errai.nets.networks.matchups import Matchups, hands_on, matchups
from errai.nets.positions import BoardValues, Floats
from errai.resolving.below import ExactBelow


class Oracle:
    """A network that solves its positions, of a game or spot, whose chips follow from the stack.

    Chips are whole, so only stacks that can occur are supported.
    """

    name = "oracle"
    digest = "oracle"

    def __init__(self, subject: Game | Spot, round: int, accuracy: float = 1e-4) -> None:
        self.subject = subject
        self.round = round
        self.exact = ExactBelow(accuracy=accuracy, max_iterations=20_000)
        self.solves = 0

    def on(self, board: tuple[int, ...], among: NDArray[np.int64] | None = None) -> BoardValues:
        return _Solved(self, board, hands_on(self.subject.rules, board, among))

    def state(self, board: tuple[int, ...], stack: float) -> PublicState:
        """The state in which a stack is left, in pots."""
        game = self.subject.rules
        dead = 0.0 if isinstance(self.subject, Game) else self.subject.dead_chips
        contribution = (min(game.stacks) + dead) / (1.0 + 2.0 * stack)
        spent = round(contribution - dead)
        assert abs(spent + dead - contribution) < 1e-3
        streets = 1 + self.round - (0 if isinstance(self.subject, Game) else self.subject.first_round)
        first = () if isinstance(self.subject, Game) else self.subject.board
        dealt = (*first, *(card for card in board if card not in first))
        return PublicState(
            self.subject, BettingState.start_at(game, self.round, (spent, spent)), ((),) * streets, dealt
        )


class _Solved:
    def __init__(self, oracle: Oracle, board: tuple[int, ...], hands: NDArray[np.int64]) -> None:
        self.oracle = oracle
        self.board = board
        self.hands = hands

    def values(self, ranges: Floats, stacks: Floats) -> Floats:
        game = self.oracle.subject.rules
        first = game.first_player[self.oracle.round]
        size = len(hands_on(game, ()))
        known = matchups(game, self.board, self.hands)
        # Where no two hands of the ranges fit together anything is a solution, and so is checking.
        found = known.check_down(ranges[:, ::-1])
        meet = (ranges[:, 0] * known.fitting(ranges[:, 1])).sum(axis=1) > 1e-9
        for i in np.flatnonzero(meet):
            state = self.oracle.state(self.board, float(stacks[i]))
            held = [np.zeros(size), np.zeros(size)]
            for p, seat in enumerate((first, 1 - first)):
                held[seat][self.hands] = ranges[i, p]
            for p, seat in enumerate((first, 1 - first)):
                values = self.oracle.exact.values(state, (held[0], held[1]), seat)
                found[i, p] = values[self.hands] / state.pot_chips
            self.oracle.solves += 1
        return found


class Linear:
    """A network by which the first player wins the stack from every hand it meets, and `edge` as a share of the pot."""

    name = "linear"
    digest = "linear"

    def __init__(self, game: Game, round: int, edge: float = 0.25) -> None:
        self.game = game
        self.round = round
        self.edge = edge
        self.positions = 0
        """About how many it was asked."""

    def on(self, board: tuple[int, ...], among: NDArray[np.int64] | None = None) -> BoardValues:
        return _Won(self, matchups(self.game, board, among))


class _Won:
    def __init__(self, net: Linear, found: Matchups) -> None:
        self.net = net
        self.found = found
        self.hands = found.hands

    def values(self, ranges: Floats, stacks: Floats) -> Floats:
        assert ranges.dtype == stacks.dtype == np.float32
        assert np.allclose(ranges.sum(axis=2), 1.0, atol=1e-5)
        self.net.positions += len(ranges)
        won = (stacks + self.net.edge)[:, None, None] * self.found.fitting(ranges[:, ::-1])
        return np.asarray(won * np.array([[[1.0], [-1.0]]]), dtype=np.float32)
