"""Studies with people: recorded hands against an agent of known strategy, player by player.

AIVAT measures a person from recorded hands as it measures an agent in a match: the strategy of one player and the
cards of the other are enough (Burch et al. 2018).  With it the study of DeepStack (Moravcik et al. 2017, table 2 and
figure 4) says for each of 33 professionals what they won, in how many hands, and whether that is significant.  The
tables here say the same: mean, interval and the two-sided t-test of each player against 0, and the p-value corrected by
Holm's method over all players, so that the more players there are, the fewer are called significant by luck.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import numpy as np
from numpy.typing import NDArray

from errai.agents.agent import Agent, StrategicAgent
from errai.arena.intervals import Histogram, Interval, student_interval
from errai.arena.luck.estimators import Aivat
from errai.arena.luck.fit import Misfit, misfits
from errai.arena.results import CHIPS, METHODS, MatchResult, Measure, describe
from errai.arena.session import SECONDS, Person
from errai.arena.standings import holm
from errai.engine.status import Outcome
from errai.engine.student import student_cdf
from errai.errors import HistoryError, MatchError
from errai.games.game import Subject
from errai.games.hand import PlayedHand
from errai.games.streets import street_names

FEWEST_HANDS = 4
"""A player with fewer hands has no interval and no test."""

AIVAT = "aivat"


@dataclass(frozen=True, eq=False)
class Won:
    """What a player won by one measure, chips a hand."""

    chips: NDArray[np.float64]
    """float64[n]: of each hand."""

    @property
    def histogram(self) -> Histogram:
        """All of them."""
        return Histogram.of(self.chips)

    @property
    def mean(self) -> float:
        """Chips a hand."""
        return float(self.chips.mean())

    @property
    def std(self) -> float:
        """Standard deviation of one hand; NaN for one hand."""
        return float(self.chips.std(ddof=1)) if len(self.chips) > 1 else math.nan

    @property
    def interval(self) -> Interval | None:
        """The 95 % interval of the mean by Student's t; None with fewer than ``FEWEST_HANDS``."""
        n = len(self.chips)
        return None if n < FEWEST_HANDS else student_interval(self.mean, self.std / math.sqrt(n), n)

    @property
    def p_value(self) -> float | None:
        """The two-sided p-value of the t-test that the mean is 0; None with fewer than ``FEWEST_HANDS``."""
        n = len(self.chips)
        if n < FEWEST_HANDS:
            return None
        error = self.std / math.sqrt(n)
        if error == 0.0:
            return 0.0 if self.mean else 1.0
        return 2.0 * student_cdf(n - 1, -abs(self.mean) / error)


@dataclass(frozen=True, eq=False)
class Player:
    """One player's hands against the agent."""

    name: str
    chips: Won
    aivat: Won | None
    """None if a card of the player is not known in some hand: to leave out such hands would bias the mean, since
    whether cards are shown depends on how the hand went."""
    seats: NDArray[np.int8]
    """int8[n]: the player's seat in each hand."""
    unknown_cards: int
    """The number of hands in which the player's cards are not known."""
    seconds: float | None
    """The median of the seconds of the player's decisions; None if none is known."""
    corrected_p_value: float | None = None
    """That of the better measure, corrected by Holm's method over all players; None with too few hands."""

    @property
    def best(self) -> Won:
        """AIVAT if there is one, or else the chips."""
        return self.chips if self.aivat is None else self.aivat


@dataclass(frozen=True, eq=False)
class Study:
    """Recorded hands of people against an agent."""

    subject: Subject
    agent: str
    """The agent's name in the hands."""
    method: str
    """The description of AIVAT."""
    players: tuple[Player, ...]
    """The best first, by the better measure."""
    together: Player
    """All hands as those of one player."""
    left_out: tuple[HistoryError, ...]
    """Hands that are not of this study, with the reason."""
    misfits: tuple[Misfit, ...]
    """Where the agent's actions do not fit the strategy that was named: it is not the one that played."""

    @property
    def unit(self) -> tuple[str, float]:
        """The unit for reports, and how many of it a chip is."""
        blind = self.subject.big_blind
        return ("mbb/g", 1000.0 / blind) if blind else ("chips/hand", 1.0)

    def document(self) -> dict[str, Any]:
        """Return the study as JSON holds it; ``docs/cli.md`` lists the fields."""
        unit, scale = self.unit
        return {
            "game": self.subject.title or self.subject.rules.name,
            "agent": self.agent,
            "unit": unit,
            "aivat": self.method,
            "players": [_document(player, scale) for player in self.players],
            "all": _document(self.together, scale),
            "left_out": [fault.message for fault in self.left_out],
            "misfits": [str(misfit) for misfit in self.misfits],
        }

    def results(self) -> list[MatchResult]:
        """Return a result for each player, as that of a match, for standings and tiers."""
        found = []
        for player in self.players:
            measures = [Measure.of(CHIPS, METHODS[CHIPS], player.chips.chips[None], player.seats[None], 0)]
            if player.aivat is not None:
                measures.append(Measure.of(AIVAT, self.method, player.aivat.chips[None], player.seats[None], 0))
            hands = len(player.chips.chips)
            found.append(
                MatchResult(
                    **describe(self.subject),
                    players=(player.name, self.agent),
                    hands=hands,
                    hands_wanted=hands,
                    status=Outcome.DONE,
                    error="",
                    duplicate=False,
                    seed=0,
                    measures=tuple(measures),
                    endings=(),
                    misfits=self.misfits,
                )
            )
        return found


def measure_people(hands: Sequence[PlayedHand], known: Agent, subject: Subject, *, agent: str | None = None) -> Study:
    """Measure all who played an agent in recorded hands.

    Parameters
    ----------
    hands:
        The hands; those of other games, or without the agent, are left out and named.
    known:
        The agent, which says its strategy; otherwise only the chips are measured.  The chips are those before rake.
    subject:
        The game or spot.
    agent:
        The agent's name in the hands.  By default it is the one player who is in all hands, or the agent's own name.

    Raises
    ------
    MatchError
        Nobody is in all hands, nothing is left to measure, or the agent did what its strategy never does.
    """
    hands = list(hands)
    name = agent or _agent_in(hands, known.name)
    digest, kept, left_out = subject.digest(), list[PlayedHand](), list[HistoryError]()
    for hand in hands:
        why = ""
        if hand.subject.digest() != digest:
            why = f"it is of {hand.subject.title or hand.subject.rules.name}, another game"
        elif name not in hand.players:
            why = f"{name} did not play it"
        elif hand.players[0] == hand.players[1]:
            why = f"both players are called {name}"
        if why:
            left_out.append(HistoryError(f"Hand {hand.number} is left out: {why}."))
        else:
            kept.append(hand)
    if not kept:
        raise MatchError(f"None of the hands was played by {name} in this game.{_first(left_out)}")
    says = isinstance(known, StrategicAgent)
    estimator = Aivat(subject, (known, Person()), known="first" if says else "none")
    by_name: dict[str, list[PlayedHand]] = {}
    for hand in kept:
        by_name.setdefault(hand.players[1 - hand.players.index(name)], []).append(hand)
    players = [_player(who, played, name, estimator if says else None) for who, played in by_name.items()]
    tested = [player for player in players if player.best.p_value is not None]
    corrected = dict(zip((p.name for p in tested), holm([p.best.p_value or 0.0 for p in tested]), strict=True))
    players = [_with(player, corrected_p_value=corrected.get(player.name)) for player in players]
    players.sort(key=lambda player: (-player.best.mean, player.name))
    off = misfits(estimator.fit.tally, (name, "people"), street_names(subject.rules))
    return Study(
        subject, name, f"{METHODS[AIVAT]}: {estimator.name}", tuple(players), _all(players), tuple(left_out), off
    )


def _document(player: Player, scale: float) -> dict[str, Any]:
    def measured(won: Won | None) -> dict[str, Any] | None:
        if won is None:
            return None
        interval, std = won.interval, won.std
        return {
            "mean": won.mean * scale,
            "interval": None if interval is None else [interval.low * scale, interval.high * scale],
            "standard_deviation": None if math.isnan(std) else std * scale,
            "p_value": won.p_value,
        }

    return {
        "player": player.name,
        "hands": len(player.chips.chips),
        "chips": measured(player.chips),
        "aivat": measured(player.aivat),
        "corrected_p_value": player.corrected_p_value,
        "hands_with_unknown_cards": player.unknown_cards,
        "seconds_a_decision": player.seconds,
    }


def _agent_in(hands: Sequence[PlayedHand], own_name: str) -> str:
    """Return the name of the agent: its own, or that of the only player who is in all hands."""
    if any(own_name in hand.players for hand in hands):
        return own_name
    names = set(hands[0].players).intersection(*(hand.players for hand in hands)) if hands else set()
    if len(names) == 1:
        return names.pop()
    raise MatchError(
        f"Nobody in these hands is called {own_name}, and {len(names) or 'no'} players are in all of them; say who the "
        "agent is, by its name in the hands."
    )


def _player(name: str, hands: Sequence[PlayedHand], agent: str, estimator: Aivat | None) -> Player:
    seats = np.array([1 - hand.players.index(agent) for hand in hands], dtype=np.int8)
    chips = np.array([hand.net_chips[seat] for hand, seat in zip(hands, seats, strict=True)])
    unknown = sum(not _is_whole(hand.hole[seat]) for hand, seat in zip(hands, seats, strict=True))
    took = [one for hand, seat in zip(hands, seats, strict=True) for one in _seconds(hand, int(seat))]
    aivat = None
    if estimator is not None and not unknown:
        aivat = Won(
            np.array([-estimator.estimate(hand, 1 - int(seat)) for hand, seat in zip(hands, seats, strict=True)])
        )
    return Player(name, Won(chips), aivat, seats, unknown, float(np.median(took)) if took else None)


def _is_whole(cards: tuple[Any, ...] | None) -> bool:
    return cards is not None and None not in cards


def _seconds(hand: PlayedHand, seat: int) -> list[float]:
    """Return the seconds of a seat's decisions that are known."""
    given = hand.details.get(SECONDS)
    if not isinstance(given, list | tuple) or len(given) != 2 or not isinstance(given[seat], list | tuple):
        return []
    return [float(one) for one in given[seat] if isinstance(one, int | float | Decimal) and 0 <= one < math.inf]


def _all(players: Sequence[Player]) -> Player:
    """Return all hands as those of one player."""
    measured = [player.aivat for player in players if player.aivat is not None]
    return Player(
        "all",
        Won(np.concatenate([player.chips.chips for player in players])),
        Won(np.concatenate([one.chips for one in measured])) if len(measured) == len(players) else None,
        np.concatenate([player.seats for player in players]),
        sum(player.unknown_cards for player in players),
        None,
    )


def _with(player: Player, **changes: Any) -> Player:
    return Player(**{**vars(player), **changes})


def _first(left_out: Sequence[HistoryError]) -> str:
    return f" {left_out[0].message}" if left_out else ""
