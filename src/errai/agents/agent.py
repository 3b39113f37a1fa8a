"""The agent protocol: :class:`Agent` can play, and :class:`StrategicAgent` can also state its strategy for every hand.

A method ``act`` is enough to play.  An agent with a method ``strategy``, which gives the action probabilities of all
hands at once, can also be measured with lower variance (AIVAT, importance sampling), by local best response and, where
the game is small enough, by an exact best response.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import comb

from errai.errors import StrategyError
from errai.games.game import Subject
from errai.games.hand import Action, Observation, PublicState
from errai.strategies.strategy import SLACK, Choices, place_text


@dataclass(frozen=True)
class MatchStart:
    """What an agent is told before the first hand of a match."""

    subject: Subject
    seed: int
    """Seed of the agent's random draws, which depend only on it and on the number of the hand."""
    hands: int | None = None
    """How many hands will be played, if that is known."""
    common_random_numbers: bool = False
    """Whether random draws depend on the deal and the seat, and not on the agent.  In such a match, which is duplicate,
    both agents have the same seed, and ``hands`` is the number of deals at each of the two tables."""

    def key(self, seat: int, hand_number: int) -> int:
        """Return the key of an agent's random draws in one hand, for :func:`random_number`."""
        if not self.common_random_numbers:
            return random_key(self.seed, hand_number)
        if self.hands is None:
            raise StrategyError("Common random numbers need the number of hands of the match.")
        return random_key(self.seed, 2 * (hand_number % self.hands) + seat)


class Agent(ABC):
    """A player.

    A match calls :meth:`start_match` once, then for every hand :meth:`act` whenever it is the agent's turn and
    :meth:`end_hand` when the hand is over, and at the end :meth:`close`.  Where the opponent takes its time, as at a
    table with a person, :meth:`watch` is called too.
    """

    name: str = "agent"
    learns: bool = False
    """Whether the agent's play may depend on earlier hands; if so, it must play all hands of a match in order."""

    @property
    def unsolved(self) -> int:
        """How many states an agent that solves while it plays had no time for, so that something else decided there."""
        return 0

    def start_match(self, start: MatchStart) -> None:  # noqa: B027 - most agents need nothing
        """Prepare for a match.  Raises :class:`StrategyError` if the agent cannot play this game."""

    @abstractmethod
    def act(self, observation: Observation) -> Action:
        """Choose one of the legal actions."""

    def watch(self, observation: Observation) -> None:  # noqa: B027 - most agents do nothing meanwhile
        """Take note that the opponent is thinking; an agent may think ahead meanwhile.  Not every dealer calls it."""

    def end_hand(self, observation: Observation, net_chips: float) -> None:  # noqa: B027 - most agents do not learn
        """Take note that a hand is over: ``net_chips`` is what the agent won, ``observation`` what it has seen."""

    def close(self) -> None:  # noqa: B027 - most agents hold nothing
        """Release what the agent holds; the match is over."""


class StrategicAgent(Agent):
    """An agent that is a :class:`~errai.strategies.strategy.Strategy`: its actions are drawn from its strategy."""

    helpers: tuple[Agent, ...] = ()
    """Agents whose strategies this one plays or starts from; they begin and end their matches with it."""
    _match: MatchStart | None = None
    _hand = -1
    _key = 0
    """Key of the random numbers of the current hand."""
    _decisions = 0
    """Decisions in the hand so far, and so the random numbers used."""

    def start_match(self, start: MatchStart) -> None:
        """Seed the random draws with the match's seed."""
        for helper in self.helpers:
            helper.start_match(start)
        self._match, self._hand = start, -1

    def close(self) -> None:
        for helper in self.helpers:
            helper.close()

    def require(self, subject: Subject) -> None:
        """Raise :class:`StrategyError` if the agent cannot play this game."""
        self.start_match(MatchStart(subject, 0 if self._match is None else self._match.seed))

    @abstractmethod
    def strategy(self, state: PublicState) -> Choices:
        """Return the action probabilities of every hand for the player who acts at ``state``."""

    def act(self, observation: Observation) -> Action:
        """Draw an action for the hand held.  It depends only on the seed, the number of the hand and the strategy."""
        choices = self.strategy(observation.state)
        if not isinstance(choices, Choices):
            raise StrategyError(f"{self.name}: its strategy returned {choices!r:.80}, which is no Choices.")
        row = choices.probabilities[number_of_hand(observation.cards)]
        return self.draw(choices.actions, row.tolist(), observation)

    def draw(self, actions: Sequence[Action], probabilities: Iterable[float], observation: Observation) -> Action:
        """Draw one of the actions, at the next decision of a hand, with the given probabilities.

        Raises :class:`StrategyError` if the probabilities do not sum to 1.
        """
        if observation.hand_number != self._hand:
            start, self._hand, self._decisions = self._match, observation.hand_number, 0
            self._key = random_key(0, self._hand) if start is None else start.key(observation.seat, self._hand)
        self._decisions += 1
        row = list(probabilities)
        total = sum(row)
        if not (abs(total - 1.0) <= SLACK and min(row) >= 0.0):
            state = observation.state
            raise StrategyError(
                f"{self.name} has no strategy for {state.subject.deck.cards_text(observation.cards)} at "
                f"{place_text(state)}: its probabilities are {', '.join(f'{p:g}' for p in row)}; they must be numbers "
                "from 0 to 1 that sum to 1."
            )
        if total in row:
            # One action has all the probability, so no random number is needed.
            return actions[row.index(total)]
        left = random_number(self._key, self._decisions) * total
        for action, probability in zip(actions, row, strict=True):
            left -= probability
            if left < 0.0:
                return action
        # Rounding may leave a remainder; it belongs to the last action that is possible.
        return next(action for action, p in zip(reversed(actions), reversed(row), strict=True) if p)


_BITS = (1 << 64) - 1
_STEP = 0x9E3779B97F4A7C15


def random_key(seed: int, hand_number: int) -> int:
    """Return a 64-bit key for :func:`random_number`; it depends only on a seed and the number of a hand."""
    key = 0
    while True:  # seeds may be of any size
        key = _mix((key ^ (seed & _BITS)) + _STEP)
        seed >>= 64
        if seed in (0, -1):
            return _mix((key ^ (hand_number & _BITS)) + _STEP)


def random_number(key: int, place: int) -> float:
    """Return the number at a position (counted from 1) of a key's random sequence; it is at least 0 and below 1.

    The generator is SplitMix64 (Steele, Lea & Flood, "Fast splittable pseudorandom number generators", 2014), whose
    sequences can be read from any position at no cost.  A generator with a large state would have to be set up for
    every hand, which takes longer than all decisions of the hand together.
    """
    return (_mix(key + place * _STEP) >> 11) * 2.0**-53


def _mix(z: int) -> int:
    z &= _BITS
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & _BITS
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & _BITS
    return z ^ (z >> 31)


def number_of_hand(cards: tuple[int, ...]) -> int:
    """Return the hand index of a hand: like :func:`errai.cards.hands.hand_index`, for one tuple of valid cards."""
    if len(cards) == 2:
        a, b = cards
        return b * (b - 1) // 2 + a if a < b else a * (a - 1) // 2 + b
    return sum(comb(card, i) for i, card in enumerate(sorted(cards), start=1))
