"""What one agent wins from another on average, exactly: by going through every deal of a small game."""

from __future__ import annotations

from itertools import combinations, permutations
from math import comb, perm

import numpy as np

from errai.agents.agent import StrategicAgent, number_of_hand
from errai.errors import UnsupportedGameError
from errai.games.game import Game
from errai.games.hand import Action, Hole, PublicState, Subject

MOST_DEALS = 5_000
"""Pairs of hands with orders of the board up to which a game is gone through: Kuhn and Leduc poker are."""


def is_small(subject: Subject) -> bool:
    """Whether :func:`exact_value` goes through a subject: a game of at most ``MOST_DEALS`` deals."""
    if not isinstance(subject, Game):
        return False
    cards, k = subject.deck.num_cards, subject.num_hole_cards
    shown = subject.board_cards_in(subject.num_rounds - 1)
    # More cards would give numbers of deals that take long to count themselves.
    return cards <= 16 and comb(cards, k) * comb(cards - k, k) * perm(cards - 2 * k, shown) <= MOST_DEALS


def exact_value(subject: Subject, agents: tuple[StrategicAgent, StrategicAgent]) -> float:
    """Chips that the first agent wins from the second, a hand, in the mean over both seats.

    Every pair of private hands is followed along every line of bets and every card, with the probabilities that the
    agents' strategies give.

    Raises
    ------
    UnsupportedGameError
        For spots and games that are not small (:func:`is_small`).
    """
    if not isinstance(subject, Game) or not is_small(subject):
        raise UnsupportedGameError(f"Only games of at most {MOST_DEALS:,} deals are gone through deal by deal.")
    return (seat_value(subject, agents) - seat_value(subject, (agents[1], agents[0]))) / 2.0


def seat_value(game: Game, agents: tuple[StrategicAgent, StrategicAgent]) -> float:
    """Chips that the agent in seat 0 wins on average from the one in seat 1, in a small game."""
    cards, k = range(game.deck.num_cards), game.num_hole_cards
    walk = _Walk(agents)
    start = PublicState.start(game)
    values = [
        walk.below(start, (first, second))
        for first in combinations(cards, k)
        for second in combinations([card for card in cards if card not in first], k)
    ]
    return float(np.mean(values))


class _Walk:
    """Follows the hands of a game; strategies are asked once for each public state."""

    def __init__(self, agents: tuple[StrategicAgent, StrategicAgent]) -> None:
        self.agents = agents
        self.asked: dict[tuple[object, ...], tuple[tuple[Action, ...], list[list[float]]]] = {}

    def below(self, state: PublicState, hole: Hole) -> float:
        """What seat 0 wins from a state on, with these private cards."""
        due = state.cards_due
        if due:
            used = {*state.board, *hole[0], *hole[1]}
            left = [card for card in range(state.betting.game.deck.num_cards) if card not in used]
            return float(np.mean([self.below(state.with_cards(new), hole) for new in permutations(left, due)]))
        if state.is_over:
            return state.net_chips(hole)[0]
        key = (state.actions, state.board)
        if key not in self.asked:
            choices = self.agents[state.actor].strategy(state)
            self.asked[key] = choices.actions, choices.probabilities.tolist()
        actions, rows = self.asked[key]
        pairs = zip(actions, rows[number_of_hand(hole[state.actor])], strict=True)
        return sum(p * self.below(state.after(action), hole) for action, p in pairs if p > 0.0)
