"""Agents that play a strategy by formula, over buckets, or of a user's own; and one that bets at random."""

from __future__ import annotations

from errai.abstraction.translation import Translation
from errai.agents.agent import Agent, MatchStart, StrategicAgent, number_of_hand, random_key, random_number
from errai.games.betting import BettingState
from errai.games.hand import CALL, FOLD, Action, Observation, PublicState, raise_to
from errai.games.subject import Subject
from errai.running.recent import Recent
from errai.strategies.blind import BlindStrategy
from errai.strategies.names import Name
from errai.strategies.of_tree import TreeStrategy
from errai.strategies.strategy import BatchedStrategy, Choices
from errai.tree.betting_tree import BettingTree

REMEMBERED_DECISIONS = 50_000
"""The most decisions for which an agent keeps its action probabilities."""


FOLDS, RAISES = 0.1, 0.4
"""Probability of folding to a bet, and of betting or raising where that is allowed."""


class BlindAgent(StrategicAgent):
    """Plays a strategy that ignores its cards, in any game."""

    suits_alike = True

    def __init__(self, strategy: BlindStrategy) -> None:
        self.mixture = strategy
        self.name = strategy.description
        self._known: Recent[int, tuple[BettingState, tuple[Action, ...], list[float]]] = Recent(REMEMBERED_DECISIONS)

    def strategy(self, state: PublicState) -> Choices:
        """See :meth:`StrategicAgent.strategy`."""
        return self.mixture.strategy(state)

    def act(self, observation: Observation) -> Action:
        """As :meth:`StrategicAgent.act`, for the hand that is held only."""
        state = observation.state
        key = id(state.betting)
        known = self._known.get(key)
        # Hands of a match share the objects of their betting states, so the object's id is the key.  The state is kept
        # with what was computed for it, so that no other object can get the same id.
        if known is None or known[0] is not state.betting:
            known = self._known.put(key, (state.betting, *self.mixture.mixture(state)))
        return self.draw(known[1], known[2], observation)


class StrategyAgent(TreeStrategy, StrategicAgent):
    """Plays a strategy that is queried at the decisions of a betting tree, such as a strategy over buckets.

    Parameters and errors are those of :class:`~errai.strategies.of_tree.TreeStrategy`.
    """

    def __init__(
        self,
        strategy: BatchedStrategy,
        subject: Subject,
        betting: BettingTree | None = None,
        translation: Translation | str = Translation.PSEUDO_HARMONIC,
    ) -> None:
        super().__init__(strategy, subject, betting, translation)
        self._drawn: Recent[tuple[object, ...], tuple[tuple[Action, ...], list[float]]] = Recent(REMEMBERED_DECISIONS)

    def start_match(self, start: MatchStart) -> None:
        """See :meth:`Agent.start_match`."""
        self.require(start.subject)
        super().start_match(start)

    def act(self, observation: Observation) -> Action:
        """As :meth:`StrategicAgent.act`, querying the strategy for the hand that is held only."""
        state = observation.state
        key = (state.actions, state.board, observation.cards)
        known = self._drawn.get(key)
        if known is None:
            known = self._drawn.put(key, self.with_hand(state, number_of_hand(observation.cards)))
        return self.draw(*known, observation)


class RandomBetsAgent(Agent):
    """Folds to one bet in ten, bets or raises at two decisions in five, and otherwise checks or calls.

    Its opponents in no-limit games thus face bets that their trees lack.
    The amount above the bet it faces lies between the smallest raise and all-in, with its logarithm uniformly
    distributed, so that small and large bets are equally frequent.
    """

    name = "random-bets"

    def __init__(self) -> None:
        self._seed, self._hand, self._key, self._drawn = 0, -1, 0, 0

    def start_match(self, start: MatchStart) -> None:
        """Seed the random draws with the match's seed."""
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
