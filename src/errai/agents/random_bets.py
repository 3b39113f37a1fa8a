"""An agent that bets random amounts, so that its opponents in no-limit games face bets that their trees lack."""

from __future__ import annotations

from errai.agents.agent import Agent, MatchStart, random_key, random_number
from errai.games.game import Subject
from errai.games.hand import CALL, FOLD, Action, Observation, raise_to
from errai.strategies.names import Name

FOLDS, RAISES = 0.1, 0.4
"""Probability of folding to a bet, and of betting or raising where that is allowed; otherwise it checks or calls."""


class RandomBetsAgent(Agent):
    """Bets amounts between the smallest raise and all-in whose logarithm is uniform: small and large ones alike."""

    name = "random-bets"

    def __init__(self) -> None:
        self._seed, self._hand, self._key, self._drawn = 0, -1, 0, 0

    def start_match(self, start: MatchStart) -> None:
        self._seed, self._hand = start.seed, -1

    def act(self, observation: Observation) -> Action:
        """See :meth:`Agent.act`; the same seed and number of the hand give the same draws."""
        if observation.hand_number != self._hand:
            self._hand = observation.hand_number
            self._key, self._drawn = random_key(self._seed, self._hand), 0
        betting = observation.state.betting
        legal = betting.legal()
        draw = self._draw()
        if legal.fold and draw < FOLDS:
            return FOLD
        if legal.raise_range is None or draw < 1.0 - RAISES:
            return CALL
        faced = max(betting.spent)
        least, most = (total - faced for total in legal.raise_range)
        return raise_to(faced + min(round(least * (most / least) ** self._draw()), most))

    def _draw(self) -> float:
        self._drawn += 1
        return random_number(self._key, self._drawn)


def read_random_bets(name: Name, subject: Subject) -> RandomBetsAgent:
    """Make the agent ``random-bets``.  Raises :class:`StrategyError` for any option: it has none."""
    name.read()
    return RandomBetsAgent()
