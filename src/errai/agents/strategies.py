"""Agents that play a strategy: one by formula, one over buckets, one of a solution, or one of the user's own."""

from __future__ import annotations

from errai.abstraction.translation import Translation
from errai.agents.agent import MatchStart, StrategicAgent, number_of_hand
from errai.games.betting import BettingState
from errai.games.game import Subject
from errai.games.hand import Action, Observation, PublicState
from errai.running.recent import Recent
from errai.strategies.blind import BlindStrategy
from errai.strategies.of_tree import TreeStrategy
from errai.strategies.strategy import BatchedStrategy, Choices
from errai.tree.betting_tree import BettingTree

REMEMBERED_DECISIONS = 50_000
"""The most decisions for which an agent keeps its action probabilities."""


class BlindAgent(StrategicAgent):
    """Plays a strategy that ignores its cards, in any game."""

    suits_alike = True

    def __init__(self, strategy: BlindStrategy) -> None:
        self.mixture = strategy
        self.name = strategy.description
        self._known: Recent[int, tuple[BettingState, tuple[Action, ...], list[float]]] = Recent(REMEMBERED_DECISIONS)

    def strategy(self, state: PublicState) -> Choices:
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
