"""A session: somebody plays hand after hand against an agent, stops, and goes on another day.

Everything that happens in a session follows from the subject, the opponent, the seed and what was done: the cards of
hand ``n`` are drawn from (seed, n), and so is what the opponent draws at random.  A session that is stopped, even in
the middle of a hand, therefore goes on as if it never had been; :mod:`errai.arena.session_file` keeps it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

import numpy as np

from errai.agents.agent import Agent, MatchStart, StrategicAgent
from errai.arena.estimator import Estimator
from errai.errors import AgentError, ErraiError, IllegalActionError, MatchError
from errai.games.hand import Action, Hand, Observation, PlayedHand, Shuffle, Subject, rules_of

ENOUGH_HANDS = 30
"""With fewer hands than this an interval says nothing."""


class Seating(StrEnum):
    """In which seat the player sits."""

    FIRST = "first"
    """Always where betting begins."""
    SECOND = "second"
    ALTERNATE = "alternate"
    """By turns, first to begin with."""


@dataclass(frozen=True, slots=True)
class Average:
    """A mean of hands."""

    hands: int
    total_chips: float
    half_width_chips: float | None
    """Of the 95 % interval of the chips won a hand, the mean being taken as normal; None with fewer hands than
    ``ENOUGH_HANDS``."""

    @classmethod
    def of(cls, chips: Sequence[float]) -> Average:
        """The average of what was won in some hands."""
        width = None
        if len(chips) >= ENOUGH_HANDS:
            width = 1.959964 * float(np.std(chips, ddof=1)) / math.sqrt(len(chips))
        return cls(len(chips), math.fsum(chips), width)

    @property
    def chips_a_hand(self) -> float:
        """The mean; 0 before the first hand."""
        return self.total_chips / max(self.hands, 1)


@dataclass(frozen=True, slots=True)
class Score:
    """How a session stands for the player."""

    chips: Average
    """What was won."""
    without_luck: Average | None
    """What an estimator says of the same hands; None where there is none."""
    measure: str = ""
    """The estimator's name."""


class Session:
    """Hands of a player against an agent.

    Parameters
    ----------
    subject:
        The game or spot.
    opponent:
        The agent; its match is started here.
    seed:
        Of the cards, and of what the opponent draws.
    player:
        The player's name.
    seating:
        Where the player sits.
    estimator:
        Measures the player with less luck.

    Raises
    ------
    StrategyError
        The opponent cannot play the subject.
    """

    def __init__(
        self,
        subject: Subject,
        opponent: Agent,
        *,
        seed: int,
        player: str = "you",
        seating: Seating = Seating.ALTERNATE,
        estimator: Estimator | None = None,
    ) -> None:
        self.subject = subject
        self.opponent = opponent
        self.seed = seed
        self.player = player
        self.seating = Seating(seating)
        self.estimator = estimator
        self._done: list[PlayedHand] = []
        self._estimates: list[float | None] = []
        self._begun: Hand | None = None
        self._shuffle = Shuffle(subject)
        opponent.start_match(MatchStart(subject, seed))

    @property
    def hands(self) -> Sequence[PlayedHand]:
        """Finished hands, all private cards known."""
        return self._done

    @property
    def estimates(self) -> Sequence[float | None]:
        """What the estimator says of each finished hand; None where nobody has asked it."""
        return self._estimates[: len(self._done)]

    @property
    def hand(self) -> Hand | None:
        """The hand in progress."""
        return self._begun if self._begun is not None and self._begun.number == len(self._done) else None

    def seat_in(self, number: int) -> int:
        """The player's seat in a hand, counted from 0."""
        rules = rules_of(self.subject)
        first = rules.first_player[self._first_round]
        second = self.seating is Seating.SECOND or (self.seating is Seating.ALTERNATE and number % 2 == 1)
        return 1 - first if second else first

    @property
    def _first_round(self) -> int:
        return getattr(self.subject, "first_round", 0)

    @property
    def seat(self) -> int:
        """The player's seat in the hand in progress, or in the next."""
        return self.seat_in(len(self._done))

    @property
    def players_turn(self) -> bool:
        """Whether the player has to act."""
        return self.hand is not None and self.hand.state.actor == self.seat

    def deal(self) -> Hand:
        """Begin the next hand.  Raises :class:`MatchError` while one is in progress."""
        if self.hand is not None:
            raise MatchError(f"Hand {len(self._done) + 1} is not over; finish it before the next is dealt.")
        number = len(self._done)
        self._begun = Hand(self.subject, self._shuffle.numbered(self.seed, number), number)
        return self._begun

    def act(self, action: Action) -> None:
        """The player acts.

        Raises :class:`IllegalActionError` where the rules do not allow it, :class:`MatchError` out of turn; nothing
        has changed then.
        """
        if self.hand is None or not self.players_turn:
            raise MatchError("It is not the player's turn.")
        self.hand.act(action)

    def opponent_acts(self) -> Action:
        """Ask the opponent, and do what it says.

        Raises
        ------
        MatchError
            It is not its turn.
        AgentError
            It fails, or answers what the rules do not allow.
        """
        if self.hand is None or self.hand.state.actor != 1 - self.seat:
            raise MatchError("It is not the opponent's turn.")
        try:
            action = self.opponent.act(self.hand.observation(1 - self.seat))
            self.hand.act(action)
        except (AgentError, IllegalActionError) as error:
            raise AgentError(f"{self.opponent.name}, hand {self.hand.number + 1}: {error}") from error
        return action

    def finish(self, *, estimate: float | None = None, measure: bool = True) -> PlayedHand:
        """Put a hand that is over among the finished ones.

        ``estimate`` is what the estimator has said of it before; without it, it is asked now if ``measure``.  Raises
        :class:`MatchError` while no hand is over.
        """
        hand = self.hand
        if hand is None or not hand.state.is_over:
            raise MatchError("There is no hand that is over.")
        other = 1 - self.seat
        names = (self.player, self.opponent.name)
        played = hand.played(names if self.seat == 0 else names[::-1])
        self.opponent.end_hand(hand.observation(other), played.net_chips[other])
        if estimate is None and measure:
            estimate = self._estimate(played)
        # The last line alone finishes the hand: Ctrl-C finds it in progress or finished, and nothing between.
        self._estimates[len(self._done) :] = [estimate]
        self._done.append(played)
        return played

    def _estimate(self, played: PlayedHand) -> float | None:
        if self.estimator is None:
            return None
        try:
            return float(self.estimator.estimate(played, self.seat_in(played.number)))
        except ErraiError:
            # A measure is no part of the game: what it cannot measure is played all the same.
            self.estimator = None
            return None

    def seen(self, number: int, *, opened: bool = False) -> PlayedHand:
        """A finished hand as the player knows it: without the opponent's cards unless they were shown or ``opened``."""
        played = self._done[number]
        if opened or played.final_state().betting.showdown:
            return played
        seat = self.seat_in(number)
        own = played.hole[seat]
        return replace(played, hole=(own, None) if seat == 0 else (None, own))

    def score(self) -> Score:
        """How the player stands.

        Hands without an estimate, as of sessions that began without an estimator, are estimated now.
        """
        for number, known in enumerate(self.estimates):
            if known is None and self.estimator is not None:
                self._estimates[number] = self._estimate(self._done[number])
        chips = [played.net_chips[self.seat_in(played.number)] for played in self.hands]
        known_all = [estimate for estimate in self.estimates if estimate is not None]
        measured = self.estimator if len(known_all) == len(chips) else None
        if measured is None:
            return Score(Average.of(chips), None)
        return Score(Average.of(chips), Average.of(known_all), measured.name)


def luck_estimator(subject: Subject, opponent: Agent) -> Estimator | None:
    """AIVAT for a player of whom nothing is known against an agent whose strategy is; None where that cannot be."""
    from errai.arena.luck import make_estimator

    if not isinstance(opponent, StrategicAgent):
        return None
    try:
        return make_estimator("aivat", subject, (Person(), opponent))
    except ErraiError:
        return None


class Person(Agent):
    """Somebody whose strategy nobody knows, where agents are listed; never asked to act."""

    name = "person"

    def act(self, observation: Observation) -> Action:
        """Say that a person is asked elsewhere."""
        raise AgentError("A person acts at the terminal, not here.")
