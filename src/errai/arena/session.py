"""A session: a user plays hand after hand against an agent, stops, and resumes another day.

Everything in a session follows from the subject, the opponent, the seed and the user's actions: the cards of hand ``n``
and the opponent's random draws in it depend on (seed, n).  A session that is stopped, even in the middle of a hand, is
therefore resumed as if it had never been stopped; :mod:`errai.arena.session_file` saves it.
"""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass, replace
from enum import StrEnum

import numpy as np

from errai.agents.agent import Agent, MatchStart, StrategicAgent
from errai.arena.estimator import Estimator
from errai.errors import AgentError, ErraiError, IllegalActionError, MatchError, StrategyError
from errai.games.game import Subject
from errai.games.hand import Action, Hand, Observation, PlayedHand, Shuffle
from errai.own_code import whole_number

SECONDS = "_seconds"
"""The detail of a hand, and field of PHH, with the seconds of each seat's decisions: -1 where one is not known, and no
numbers for a seat of which none is."""

ENOUGH_HANDS = 30
"""Fewer hands than this give no useful interval."""


class Seating(StrEnum):
    """The seat of the user, who is called the player here."""

    FIRST = "first"
    """Always the seat that acts first."""
    SECOND = "second"
    ALTERNATE = "alternate"
    """Alternating, beginning with the first."""


@dataclass(frozen=True, slots=True)
class Average:
    """A mean over hands."""

    hands: int
    total_chips: float
    half_width_chips: float | None
    """Half the width of the normal 95 % interval of the mean per hand; None with fewer hands than ``ENOUGH_HANDS``."""

    @classmethod
    def of(cls, chips: Sequence[float]) -> Average:
        """Return the average of the winnings in some hands."""
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
    """The player's result in a session."""

    chips: Average
    """What was won."""
    without_luck: Average | None
    """The estimator's result for the same hands; None without an estimator."""
    measure: str = ""
    """The estimator's name."""


@dataclass(eq=False, repr=False)
class Session:
    """Hands of a player against an agent.

    Parameters
    ----------
    subject:
        The game or spot.
    opponent:
        The agent; its match is started here.
    seed:
        The seed of the cards and of the opponent's random draws.
    player:
        The player's name.
    seating:
        Where the player sits.
    estimator:
        Estimates the player's winnings with less luck.

    Raises :class:`StrategyError` if the opponent cannot play the subject.
    """

    subject: Subject
    opponent: Agent
    _: KW_ONLY
    seed: int
    player: str = "you"
    seating: Seating = Seating.ALTERNATE
    estimator: Estimator | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.opponent, Agent):
            raise StrategyError(f"The opponent of a session must be an agent, not {self.opponent!r:.80}; use as_agent.")
        self.seed = whole_number(self.seed, "The seed of a session", 0)
        self.seating = Seating(self.seating)
        self._done: list[PlayedHand] = []
        self._estimates: list[float | None] = []
        self._begun: Hand | None = None
        self._missed: list[Observation] = []
        self._turn_began: float | None = None
        self._seconds: list[float] = []
        """Of the player's decisions in the hand in progress."""
        self._took: list[list[float]] = []
        """The same of each finished hand."""
        self._shuffle = Shuffle(self.subject)
        self.opponent.start_match(MatchStart(self.subject, self.seed))

    @property
    def hands(self) -> Sequence[PlayedHand]:
        """Finished hands, all private cards known."""
        return self._done

    @property
    def estimates(self) -> Sequence[float | None]:
        """The estimate of each finished hand; None where it has not been computed."""
        return self._estimates[: len(self._done)]

    @property
    def seconds(self) -> Sequence[Sequence[float]]:
        """The seconds of the player's decisions in each finished hand; NaN where one is not known."""
        return self._took[: len(self._done)]

    def timed(self, number: int) -> PlayedHand:
        """Return a finished hand whose details have the seconds of the player's decisions, see :data:`SECONDS`."""
        played, took = self._done[number], [-1.0 if math.isnan(one) else one for one in self._took[number]]
        if all(one < 0.0 for one in took):
            return played
        return replace(played, details={SECONDS: [took, []] if self.seat_in(number) == 0 else [[], took]})

    @property
    def hand(self) -> Hand | None:
        """The hand in progress."""
        return self._begun if self._begun is not None and self._begun.number == len(self._done) else None

    def seat_in(self, number: int) -> int:
        """Return the player's seat in a hand, counted from 0."""
        rules = self.subject.rules
        first = rules.first_player[self.subject.first_round]
        second = self.seating is Seating.SECOND or (self.seating is Seating.ALTERNATE and number % 2 == 1)
        return 1 - first if second else first

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
        self._missed.clear()
        self._seconds = []
        self._watch()
        return self._begun

    def act(self, action: Action) -> None:
        """Apply the player's action.

        Raises :class:`IllegalActionError` if the rules do not allow it, and :class:`MatchError` out of turn; nothing is
        changed then.
        """
        if self.hand is None or not self.players_turn:
            raise MatchError("It is not the player's turn.")
        self.hand.act(action)
        self._seconds.append(math.nan if self._turn_began is None else time.monotonic() - self._turn_began)
        self._turn_began = time.monotonic() if self.players_turn else None

    def replay(self, action: Action) -> None:
        """Apply a recorded action of whoever acts.

        Before the opponent next acts in this hand it is asked about its recorded decisions too, so that its random
        draws are those that it would have made.  Raises :class:`IllegalActionError` if the rules do not allow the
        action.
        """
        assert self.hand is not None
        seen = None if self.players_turn else self.hand.observation(1 - self.seat)
        if seen is None:
            self._seconds.append(math.nan)
        self.hand.act(action)
        if seen is not None:
            self._missed.append(seen)

    def opponent_chooses(self) -> Action:
        """Query the opponent, and change nothing; raises like :meth:`opponent_acts`."""
        hand = self._hand_of_the_opponent()
        try:
            while self._missed:
                self.opponent.act(self._missed[0])
                del self._missed[0]
            return self.opponent.act(hand.observation(1 - self.seat))
        except AgentError as error:
            raise self._failure(hand, error) from error

    def opponent_acts(self, chosen: Action | None = None) -> Action:
        """Query the opponent, and apply its action, or apply the one that it has chosen.

        Raises :class:`MatchError` if it is not the opponent's turn, and :class:`AgentError` if the opponent fails or
        breaks the rules.
        """
        action = self.opponent_chooses() if chosen is None else chosen
        hand = self._hand_of_the_opponent()
        try:
            hand.act(action)
        except IllegalActionError as error:
            raise self._failure(hand, error) from error
        self._watch()
        return action

    def _watch(self) -> None:
        """Tell the opponent that the player thinks, and look at the clock."""
        if self.hand is not None and self.players_turn:
            self._turn_began = time.monotonic()
            self.opponent.watch(self.hand.observation(1 - self.seat))

    def _hand_of_the_opponent(self) -> Hand:
        """Return the hand in progress, in which the opponent has to act."""
        if self.hand is None or self.hand.state.actor != 1 - self.seat:
            raise MatchError("It is not the opponent's turn.")
        return self.hand

    def _failure(self, hand: Hand, error: ErraiError) -> AgentError:
        return AgentError(f"{self.opponent.name}, hand {hand.number + 1}: {error}")

    def finish(
        self, *, estimate: float | None = None, measure: bool = True, seconds: Sequence[float] | None = None
    ) -> PlayedHand:
        """Move a hand that is over to the finished ones.

        ``estimate`` is its estimate if that is known; otherwise it is computed now if ``measure`` is true.  ``seconds``
        are those of the player's decisions, NaN where not known, if they were measured before.  Raises
        :class:`MatchError` if no hand is over.
        """
        hand = self.hand
        if hand is None or not hand.state.is_over:
            raise MatchError("The hand in progress is not over.")
        other = 1 - self.seat
        names = (self.player, self.opponent.name)
        took = [round(number, 3) for number in (self._seconds if seconds is None else seconds)]
        played = hand.played(names if self.seat == 0 else names[::-1])
        self.opponent.end_hand(hand.observation(other), played.net_chips[other])
        if estimate is None and measure:
            estimate = self._estimate(played)
        # The last line alone finishes the hand, so that Ctrl-C leaves it either in progress or finished.
        self._estimates[len(self._done) :] = [estimate]
        self._took[len(self._done) :] = [took]
        self._done.append(played)
        return played

    def _estimate(self, played: PlayedHand) -> float | None:
        if self.estimator is None:
            return None
        try:
            return float(self.estimator.estimate(played, self.seat_in(played.number)))
        except ErraiError:
            # The session continues if the estimator cannot measure a hand.
            self.estimator = None
            return None

    def seen(self, number: int, *, opened: bool = False) -> PlayedHand:
        """Return a finished hand as the player saw it: the opponent's cards only if they were shown or ``opened``."""
        played = self.timed(number)
        if opened or played.final_state().betting.showdown:
            return played
        seat = self.seat_in(number)
        own = played.hole[seat]
        return replace(played, hole=(own, None) if seat == 0 else (None, own))

    def measure_next(self) -> bool:
        """Estimate the first finished hand that has no estimate; return False if there is none, or no estimator."""
        number = next((number for number, known in enumerate(self.estimates) if known is None), None)
        if number is None or self.estimator is None:
            return False
        self._estimates[number] = self._estimate(self._done[number])
        return True

    def score(self, *, measure: bool = True) -> Score:
        """Compute the player's result.

        Hands without an estimate, such as those of sessions that began without an estimator, are estimated now.  With
        ``measure`` false they are left as they are, and there is no result without luck until all have one.
        """
        while measure and self.measure_next():
            pass
        chips = [played.net_chips[self.seat_in(played.number)] for played in self.hands]
        known_all = [estimate for estimate in self.estimates if estimate is not None]
        measured = self.estimator if len(known_all) == len(chips) else None
        if measured is None:
            return Score(Average.of(chips), None)
        return Score(Average.of(chips), Average.of(known_all), measured.name)


def luck_estimator(subject: Subject, known: Agent, *, of_known: bool = False) -> Estimator | None:
    """AIVAT for a player of unknown strategy against an agent of known strategy, or with ``of_known`` for the agent.

    None if the agent's strategy is unknown too.
    """
    from errai.arena.luck import make_estimator

    if not isinstance(known, StrategicAgent):
        return None
    try:
        return make_estimator("aivat", subject, (known, Person()) if of_known else (Person(), known))
    except ErraiError:
        return None


class Person(Agent):
    """Stands for the user where a list of agents is needed; it never acts."""

    name = "person"

    def act(self, observation: Observation) -> Action:
        """Raise :class:`AgentError`: the user acts at the terminal."""
        raise AgentError("The user acts at the terminal, not here.")
