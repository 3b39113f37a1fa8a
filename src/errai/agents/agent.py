"""The agent protocol: what plays, and what can also say how it would play every hand.

``act`` is enough to play.  An agent whose ``strategy`` answers for all hands at once can be measured with less luck
(AIVAT, importance sampling), by local best response and, where the game allows it, by an exact best response.
"""

from __future__ import annotations

import random
from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from errai.cards.hands import hand_index
from errai.errors import StrategyError
from errai.games.hand import Action, Observation, PublicState, Subject

PROBABILITY_SLACK = 1e-6
"""How far the probabilities of an agent's strategy may be from summing to 1."""


@dataclass(frozen=True)
class MatchStart:
    """What an agent is told before the first hand."""

    subject: Subject
    seed: int
    """What the agent draws at random depends on nothing but this and the number of the hand."""
    hands: int | None = None
    """How many hands will be played, if that is known."""


class Agent(ABC):
    """Somebody who plays.

    A match calls :meth:`start_match` once, then for every hand :meth:`act` whenever it is the agent's turn and
    :meth:`end_hand` when the hand is over, and at the end :meth:`close`.
    """

    name: str = "agent"

    def start_match(self, start: MatchStart) -> None:  # noqa: B027 - most agents need nothing
        """A match begins.  Raises :class:`StrategyError` where the agent cannot play this game."""

    @abstractmethod
    def act(self, observation: Observation) -> Action:
        """Choose one of the legal actions."""

    def end_hand(self, observation: Observation, net_chips: float) -> None:  # noqa: B027 - most agents do not learn
        """A hand is over; ``net_chips`` is what the agent won, and ``observation`` what it got to see."""

    def close(self) -> None:  # noqa: B027 - most agents hold nothing
        """The match is over; give back what is held."""


@dataclass(frozen=True, eq=False)
class Choices:
    """What an agent does at a public state, with every hand.

    Axes: H all hands of the deck in hand-index order, A actions.
    """

    actions: tuple[Action, ...]
    """Legal actions, each once."""
    probabilities: NDArray[np.float64]
    """float64[H, A]; rows sum to 1, or are 0 for hands that cannot be held here."""


class StrategicAgent(Agent):
    """An agent that says how it would play every hand; what it does is drawn from that."""

    _seed = 0
    _hand = -1
    _random: random.Random | None = None

    def start_match(self, start: MatchStart) -> None:
        """Start drawing from the match's seed."""
        self._seed, self._hand, self._random = start.seed, -1, None

    @abstractmethod
    def strategy(self, state: PublicState) -> Choices:
        """Probabilities of the actions of the player who acts at ``state``, for every hand."""

    def act(self, observation: Observation) -> Action:
        """Draw an action for the hand held; the same seed and number of the hand draw the same."""
        choices = self.strategy(observation.state)
        row = choices.probabilities[int(hand_index(observation.cards))]
        total = float(row.sum())
        if not abs(total - 1.0) <= PROBABILITY_SLACK:
            raise StrategyError(f"{self.name} has no strategy for its cards: probabilities sum to {total:g}.")
        if self._random is None or observation.hand_number != self._hand:
            self._hand = observation.hand_number
            self._random = random.Random((self._seed << 64) + self._hand)
        drawn = self._random.random() * total
        for action, probability in zip(choices.actions, row.tolist(), strict=True):
            drawn -= probability
            if drawn < 0.0:
                return action
        return choices.actions[int(np.flatnonzero(row)[-1])]


def merged_choices(actions: list[Action], probabilities: NDArray[np.float64]) -> Choices:
    """Choices in which actions that came out the same are one; ``probabilities`` is float64[H, len(actions)]."""
    distinct = list(dict.fromkeys(actions))
    if len(distinct) == len(actions):
        return Choices(tuple(actions), probabilities)
    merged = np.zeros((len(probabilities), len(distinct)))
    for i, action in enumerate(actions):
        merged[:, distinct.index(action)] += probabilities[:, i]
    return Choices(tuple(distinct), merged)
