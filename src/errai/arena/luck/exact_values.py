"""The values of two strategies against each other, exact for every pair of hands: for small games and late spots.

In small games the mean over all deals is what one agent wins from the other.
"""

from __future__ import annotations

from math import comb, perm

import numpy as np
from numpy.typing import NDArray

from errai.agents.agent import StrategicAgent
from errai.arena.luck.deals import Hands, Pairs, PrivateDeals, ending, mean_over_cards
from errai.errors import MatchError, UnsupportedGameError
from errai.games.game import Game
from errai.games.hand import PublicState, run_outs_of
from errai.games.subject import Subject
from errai.strategies.of_tree import board_by_street
from errai.strategies.strategy import asked

MOST_NUMBERS = 50_000_000
"""The most values that are kept; they take 400 MB."""

MOST_DEALS = 5_000
"""The most pairs of hands times orders of the board for which a game is enumerated, as Kuhn and Leduc poker are."""


class ExactValues:
    """One recursion over the whole game: at a decision the mean over its actions, at a chance event over its cards.

    Parameters
    ----------
    subject:
        The game or spot.
    agents:
        The agents in seat 0 and 1.  With a solution in both seats these are the values of the solved game.
    name:
        The name of the values in reports.

    Raises
    ------
    MatchError
        The game has more values than can be kept.
    """

    def __init__(
        self, subject: Subject, agents: tuple[StrategicAgent, StrategicAgent], name: str = "exact values"
    ) -> None:
        self.name = name
        self._agents = agents
        self._deals = PrivateDeals(subject)
        self._run_outs = run_outs_of(subject)
        self._hands = (self._deals.possible(0), self._deals.possible(1))
        self._place = tuple(np.full(len(self._deals.cards), 0, dtype=np.int64) for _ in self._hands)
        for place, hands in zip(self._place, self._hands, strict=True):
            place[hands] = np.arange(len(hands))
        self._known: dict[tuple[object, ...], Pairs] = {}
        self._numbers = 0
        self._refuse_large(subject)

    def pairs(self, state: PublicState, first: Hands, second: Hands) -> Pairs:
        """See :meth:`errai.arena.luck.values.ValueFunction.pairs`."""
        return self._value(state)[self._place[0][first]][:, self._place[1][second]]

    def _refuse_large(self, subject: Subject) -> None:
        """Refuse a game by its number of boards, each of which has at least one state, before any walk."""
        game, start = subject.rules, PublicState.start(subject)
        dealt = len(start.board)
        rounds = range(start.first_round, game.num_rounds)
        boards = sum(comb(game.deck.num_cards - dealt, game.board_cards_in(r) - dealt) for r in rounds)
        least = len(self._hands[0]) * len(self._hands[1]) * boards
        if least > MOST_NUMBERS:
            raise self._too_large(f"at least {least:,}")

    @staticmethod
    def _too_large(count: str) -> MatchError:
        return MatchError(
            f"Exact values need {count} numbers here, and at most {MOST_NUMBERS:,} are kept; use equity as the values."
        )

    def _value(self, state: PublicState) -> Pairs:
        key = (state.actions, tuple(board_by_street(state)))
        found = self._known.get(key)
        if found is None:
            found = self._reckon(state)
            self._known[key] = found
            self._numbers += found.size
            if self._numbers > MOST_NUMBERS:
                raise self._too_large(f"more than {MOST_NUMBERS:,}")
        return found

    def _reckon(self, state: PublicState) -> Pairs:
        first, second = self._hands
        if state.betting.is_over:
            return ending(state, first, second, self._run_outs)
        if state.cards_due:
            return mean_over_cards(self._deals, state, first, second, self._value)
        total = np.zeros((len(first), len(second)))
        seat = state.actor
        choices = asked(self._agents[seat], state)
        shares: NDArray[np.float64] = choices.probabilities[self._hands[seat]]
        for action, share in zip(choices.actions, shares.T, strict=True):
            if share.any():
                total += (share[:, None] if seat == 0 else share[None, :]) * self._value(state.after(action))
        return total


def is_small(subject: Subject) -> bool:
    """Return whether :func:`exact_value` can enumerate a subject: a game of at most ``MOST_DEALS`` deals."""
    game = subject.whole_game
    if game is None:
        return False
    cards, k = game.deck.num_cards, game.num_hole_cards
    shown = game.board_cards_in(game.num_rounds - 1)
    # With more cards even counting the deals would take long.
    return cards <= 16 and comb(cards, k) * comb(cards - k, k) * perm(cards - 2 * k, shown) <= MOST_DEALS


def exact_value(subject: Subject, agents: tuple[StrategicAgent, StrategicAgent]) -> float:
    """Return the expected winnings of the first agent against the second in chips per hand, averaged over both seats.

    Every pair of private hands is followed along every line of bets and every card, with the probabilities that the
    agents' strategies give.

    Raises
    ------
    UnsupportedGameError
        The subject is a spot, or a game that is not small (:func:`is_small`).
    """
    if subject.whole_game is None or not is_small(subject):
        raise UnsupportedGameError(f"Only games of at most {MOST_DEALS:,} deals can be enumerated.")
    return (seat_value(subject.whole_game, agents) - seat_value(subject.whole_game, (agents[1], agents[0]))) / 2.0


def seat_value(game: Game, agents: tuple[StrategicAgent, StrategicAgent]) -> float:
    """Return the chips that the agent in seat 0 wins on average from the one in seat 1, in a small game."""
    deals = PrivateDeals(game)
    first, second = deals.possible(0), deals.possible(1)
    weight = deals.weights(first, second)
    values = ExactValues(game, agents).pairs(PublicState.start(game), first, second)
    return float((weight * values).sum() / weight.sum())
