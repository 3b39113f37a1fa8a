"""The agent protocol: what plays, and what can also say how it would play every hand.

``act`` is enough to play.  An agent whose ``strategy`` answers for all hands at once can be measured with less luck
(AIVAT, importance sampling), by local best response and, where the game allows it, by an exact best response.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import comb

from errai.errors import StrategyError
from errai.games.hand import Action, Observation, PublicState, Subject
from errai.strategies.strategy import Choices

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
    learns: bool = False
    """Whether what it does may depend on earlier hands of the match; such an agent plays all hands in their order."""

    def start_match(self, start: MatchStart) -> None:  # noqa: B027 - most agents need nothing
        """A match begins.  Raises :class:`StrategyError` where the agent cannot play this game."""

    @abstractmethod
    def act(self, observation: Observation) -> Action:
        """Choose one of the legal actions."""

    def end_hand(self, observation: Observation, net_chips: float) -> None:  # noqa: B027 - most agents do not learn
        """A hand is over; ``net_chips`` is what the agent won, and ``observation`` what it got to see."""

    def close(self) -> None:  # noqa: B027 - most agents hold nothing
        """The match is over; give back what is held."""


class StrategicAgent(Agent):
    """An agent that is a :class:`~errai.strategies.strategy.Strategy`: what it does is drawn from that."""

    _seed = 0
    _hand = -1
    _key = 0
    """What the numbers of the hand are drawn with."""
    _decisions = 0
    """Of the hand so far, and so numbers that it has taken."""

    def start_match(self, start: MatchStart) -> None:
        """Start drawing from the match's seed."""
        self._seed, self._hand = start.seed, -1

    def require(self, subject: Subject) -> None:
        """Raise :class:`StrategyError` where the agent cannot play this game."""
        self.start_match(MatchStart(subject, self._seed))

    @abstractmethod
    def strategy(self, state: PublicState) -> Choices:
        """Probabilities of the actions of the player who acts at ``state``, for every hand."""

    def act(self, observation: Observation) -> Action:
        """Draw an action for the hand held; the same seed and number of the hand draw the same."""
        choices = self.strategy(observation.state)
        row = choices.probabilities[number_of_hand(observation.cards)]
        return self.draw(choices.actions, row.tolist(), observation.hand_number)

    def draw(self, actions: Sequence[Action], probabilities: Iterable[float], hand_number: int) -> Action:
        """Choose one of the actions at the next decision of a hand.

        Raises :class:`StrategyError` where the probabilities do not sum to 1.
        """
        if hand_number != self._hand:
            self._hand, self._key, self._decisions = hand_number, random_key(self._seed, hand_number), 0
        self._decisions += 1
        row = list(probabilities)
        total = sum(row)
        if not abs(total - 1.0) <= PROBABILITY_SLACK:
            raise StrategyError(f"{self.name} has no strategy for its cards: probabilities sum to {total:g}.")
        if total in row:
            # The same as drawing: nothing else can come out.
            return actions[row.index(total)]
        left = random_number(self._key, self._decisions) * total
        for action, probability in zip(actions, row, strict=True):
            left -= probability
            if left < 0.0:
                return action
        # What rounding leaves over falls to the last that is possible.
        return next(action for action, p in zip(reversed(actions), reversed(row), strict=True) if p)


_BITS = (1 << 64) - 1
_STEP = 0x9E3779B97F4A7C15


def random_key(seed: int, hand_number: int) -> int:
    """64 bits that depend on a seed and the number of a hand alone, for :func:`random_number`."""
    key = 0
    while True:  # seeds may be of any size
        key = _mix((key ^ (seed & _BITS)) + _STEP)
        seed >>= 64
        if seed in (0, -1):
            return _mix((key ^ (hand_number & _BITS)) + _STEP)


def random_number(key: int, place: int) -> float:
    """The number from 0 to below 1 that belongs to a place, counted from 1, of the sequence of a key.

    SplitMix64 (Steele, Lea & Flood, "Fast splittable pseudorandom number generators", 2014), whose sequences start
    anywhere at no cost.  A generator with a large state would have to be set up anew for every hand, which takes longer
    than all decisions of a hand together.
    """
    return (_mix(key + place * _STEP) >> 11) * 2.0**-53


def _mix(z: int) -> int:
    z &= _BITS
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & _BITS
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & _BITS
    return z ^ (z >> 31)


def number_of_hand(cards: tuple[int, ...]) -> int:
    """The hand index of one hand: as :func:`errai.cards.hands.hand_index`, for a tuple of valid cards."""
    if len(cards) == 2:
        a, b = cards
        return b * (b - 1) // 2 + a if a < b else a * (a - 1) // 2 + b
    return sum(comb(card, i) for i, card in enumerate(sorted(cards), start=1))
