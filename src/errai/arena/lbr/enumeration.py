"""The exact expected winnings of a local best response, over every deal and every line of a small game."""

from __future__ import annotations

from itertools import combinations
from math import comb

import numpy as np
from numpy.typing import NDArray

from errai.agents.agent import MatchStart, StrategicAgent
from errai.arena.lbr.responder import Responder
from errai.arena.lbr.settings import Setting
from errai.errors import UnsupportedGameError
from errai.games.hand import Action, PublicState
from errai.games.subject import Subject
from errai.strategies.strategy import asked

MAX_BOARDS = 20_000
"""The most boards, over all rounds, that are enumerated."""


def enumerate_lbr(agent: StrategicAgent, subject: Subject, setting: Setting) -> tuple[float, float]:
    """Return the exact net chips per hand that a local best response wins from an agent, in seat 0 and in seat 1.

    One walk over the public tree with a vector of all hands of both players; the responder's hands are separated where
    they act differently.  It is the expectation of what :func:`errai.arena.lbr.lbr` samples.

    Raises
    ------
    UnsupportedGameError
        The game has more than ``MAX_BOARDS`` boards.
    """
    agent.start_match(MatchStart(subject, 0))
    boards = _number_of_boards(subject)
    if boards > MAX_BOARDS:
        raise UnsupportedGameError(
            f"There are {boards:,} boards, too many to enumerate (at most {MAX_BOARDS:,}); sample hands instead."
        )
    walk = _Walk(Responder(agent, subject, setting))
    return walk.seat_value(0), walk.seat_value(1)


def _number_of_boards(subject: Subject) -> int:
    """Return the number of boards over all rounds, without regard to the order of the cards of a round."""
    game, start = subject.rules, PublicState.start(subject)
    left, boards, total = game.deck.num_cards - len(start.board), 1, 0
    for round in range(game.num_rounds):
        new = max(game.board_cards_in(round) - max(len(start.board), game.board_cards_in(round - 1)), 0)
        boards, left = boards * comb(left, new), left - new
        total += boards
    return total


class _Walk:
    """One walk; ``mine`` and ``theirs``, float64[H], are weights of the hands of the responder and of the agent."""

    def __init__(self, responder: Responder) -> None:
        self.responder = responder
        self.subject = responder.subject
        self.margins: dict[tuple[int, ...], NDArray[np.float64]] = {}

    def seat_value(self, seat: int) -> float:
        """Net chips per hand in a seat."""
        self.seat = seat
        mine, theirs = self.responder.start_range(seat), self.responder.start_range(1 - seat)
        self.held = np.flatnonzero(mine)
        self.fits = np.array([self.responder.fits(hand) for hand in self.held.tolist()], dtype=np.float64)
        self.margins.clear()
        return self.value(PublicState.start(self.subject), mine, theirs) / self._pairs(mine, theirs)

    def value(self, state: PublicState, mine: NDArray[np.float64], theirs: NDArray[np.float64]) -> float:
        """Net chips of the responder, summed over all pairs of hands that reach a state."""
        if not mine.any() or not theirs.any():
            return 0.0
        betting, stake = state.betting, state.betting.stake_chips + state.dead_chips
        if betting.folded >= 0:
            return (-stake if betting.folded == self.seat else stake) * self._pairs(mine, theirs)
        if betting.showdown and self.responder.run_outs.is_exact(state.board):
            return stake * float(mine[self.held] @ (self._margin(state.board) @ theirs))
        if state.cards_due:
            return self._deal(state, mine, theirs)
        if state.actor == self.seat:
            return self._respond(state, mine, theirs)
        choices = asked(self.responder.agent, state)
        return sum(
            self.value(state.after(action), mine, theirs * choices.probabilities[:, i])
            for i, action in enumerate(choices.actions)
        )

    def _deal(self, state: PublicState, mine: NDArray[np.float64], theirs: NDArray[np.float64]) -> float:
        """Average over the next cards, equally likely for every pair of hands that leaves them in the deck."""
        game, deck = state.betting.game, self.subject.deck
        due = next(n for r in range(game.num_rounds) if (n := game.board_cards_in(r) - len(state.board)) > 0)
        left = [card for card in range(deck.num_cards) if card not in state.board]
        ways = comb(len(left) - 2 * game.num_hole_cards, due)
        without = self.responder.without
        total = sum(
            self.value(state.with_cards(cards), without(mine, cards), without(theirs, cards))
            for cards in combinations(left, due)
        )
        return total / ways

    def _respond(self, state: PublicState, mine: NDArray[np.float64], theirs: NDArray[np.float64]) -> float:
        """Continue the walk for each group of hands that takes the same action."""
        groups: dict[Action, NDArray[np.float64]] = {}
        for hand in np.flatnonzero(mine).tolist():
            if not theirs @ self.responder.fits(hand) > 0.0:
                continue
            action = self.responder.choose(state, hand, theirs)
            groups.setdefault(action, np.zeros_like(mine))[hand] = mine[hand]
        return sum(self.value(state.after(action), group, theirs) for action, group in groups.items())

    def _pairs(self, mine: NDArray[np.float64], theirs: NDArray[np.float64]) -> float:
        """Weight of all pairs of hands that share no card."""
        return float(mine[self.held] @ (self.fits @ theirs))

    def _margin(self, board: tuple[int, ...]) -> NDArray[np.float64]:
        """Return float64[held, H]: probability of winning less that of losing, 0 where the hands share a card."""
        if board not in self.margins:
            self.margins.clear()
            live = self.responder.without(np.ones(len(self.responder.run_outs.hands)), board) > 0.0
            found = np.zeros(self.fits.shape)
            for row, hand in enumerate(self.held.tolist()):
                if live[hand]:
                    found[row] = self.responder.run_outs.margin(board, hand)
            self.margins[board] = found
        return self.margins[board]
