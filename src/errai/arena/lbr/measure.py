"""Measuring by local best response: random deals, both seats of each, and a mean with its interval."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Unpack

import numpy as np
from numpy.typing import NDArray

from errai.agents.agent import MatchStart, StrategicAgent
from errai.agents.given import Contestant, as_agent
from errai.arena.acpc.client import read_entrant
from errai.arena.lbr.responder import Responder, play_seat
from errai.arena.lbr.settings import Setting, read_setting
from errai.arena.play import play_deals
from errai.engine.request import checked
from errai.engine.status import Outcome
from errai.engine.units import Measurement, Units
from errai.errors import DamagedFileError, MatchError
from errai.games.game import Subject
from errai.games.hand import PublicState, Shuffle
from errai.options import LbrOptions, takes
from errai.running.stopping import StopToken, from_time_to_time, stops
from errai.store.checkpoint import load_checkpoint, save_checkpoint

NORMAL_95 = 1.959963984540054
"""Half the width of a normal 95 % interval in standard errors."""

FEWEST_BOARDS = 2
FEWEST_ASKED = 3
SAVING_SHARE = 0.02
"""Share of the time that checkpoints may take."""

DEALS_AT_A_TIME = 8
"""The most deals that a process plays at a time."""


@dataclass(frozen=True)
class LbrProgress:
    """The progress of a run."""

    done: int
    """Hands that have been played."""
    total: int
    seconds: float
    mean_chips: float
    """Mean winnings per hand so far."""
    error_chips: float
    """Its standard error; infinite after one deal."""


@dataclass(frozen=True, eq=False)
class LbrResult:
    """The winnings of a local best response against an agent.

    The expectation of ``won`` is at most the agent's exploitability, because no strategy wins more than a best
    response.  The measured mean varies around it with the luck of the sample; the interval says by how much.
    """

    game: str
    agent: str
    setting: str
    status: Outcome
    """``DONE`` or ``INTERRUPTED``."""
    hands: int
    """Hands played: two for every deal."""
    hands_wanted: int
    won: Measurement
    """Mean per hand over both seats."""
    interval: tuple[Measurement, Measurement]
    """The 95 % interval, by the normal distribution over deals."""
    by_seat_chips: tuple[float, float]
    """Mean per hand with the responder in seat 0 and in seat 1."""
    by_seat_error_chips: tuple[float, float]
    """Half the width of their 95 % intervals."""
    seed: int
    seconds: float
    unsolved: int
    """States that the agent had no time to solve in this run, where its blueprint played."""
    deals: NDArray[np.float64]
    """float64[deals, 2]: chips won in every deal, by seat."""

    @property
    def hands_per_second(self) -> float:
        """Hands per second."""
        return self.hands / self.seconds if self.seconds > 0 else math.inf

    def document(self) -> dict[str, Any]:
        """Return the result as JSON holds it; ``docs/lbr.md`` lists the fields."""
        low, high = (measured_document(end) for end in self.interval)
        return {
            "game": self.game,
            "agent": self.agent,
            "setting": self.setting,
            "status": self.status,
            "kind": "estimate of a lower bound",
            "hands": {"done": self.hands, "wanted": self.hands_wanted},
            "won": measured_document(self.won),
            "interval": {"confidence": 0.95, "low": low, "high": high},
            "by_seat_chips": [
                {"mean": mean, "half_width": half}
                for mean, half in zip(self.by_seat_chips, self.by_seat_error_chips, strict=True)
            ],
            "seed": self.seed,
            "seconds": self.seconds,
            "unsolved": self.unsolved,
            "hands_per_second": self.hands_per_second,
        }


def measured_document(measured: Measurement) -> dict[str, float | None]:
    """Return a measurement as JSON holds it, in chips and, where there is a big blind, in thousandths of it."""
    return {"chips": float(measured.chips), "mbb": measured.mbb}


@takes(LbrOptions)
def lbr(
    subject: Subject,
    agent: Contestant,
    setting: Setting | str = "fcpa",
    *,
    stop: StopToken | None = None,
    progress: Callable[[LbrProgress], None] | None = None,
    **options: Unpack[LbrOptions],
) -> LbrResult:
    """Measure a lower bound on the exploitability of an agent by local best response.

    Method: Lisy & Bowling (2017), with the settings of DeepStack's table 3, and with less variance than a match: see
    :mod:`errai.arena.lbr.responder`.  The responder's actions depend on its own cards and the public state only, so in
    expectation it wins at most what a best response wins.

    Parameters
    ----------
    subject:
        A game or a spot.
    agent:
        An agent that has a strategy for every hand, or a strategy of any form, such as a function of a public state, or
        of a public state and a hand (:func:`~errai.agents.given.as_agent`); or a text as
        :func:`~errai.arena.acpc.client.read_entrant` takes it.  It needs to be a text where there is more than one
        process.
    setting:
        The actions of the responder; a text as :func:`~errai.arena.lbr.settings.read_setting` takes it.
    stop:
        A token that any thread may set; the run then ends after the current deal.
    progress:
        Called after every chunk of deals.
    {options}

    Raises
    ------
    MatchError
        The setting or a number is not valid, or the agent does not give its strategy.
    StrategyError
        The agent cannot play the subject.
    ArtefactError
        The checkpoint cannot be read or written, or is of another run.
    """
    asked: LbrOptions = checked(options, LbrOptions, error=MatchError)
    of_a_board, bets_asked = asked["of_a_board"], asked["bets_asked"]
    hands, seed, processes, checkpoint = asked["hands"], asked["seed"], asked["processes"], asked["checkpoint"]
    rounds = PublicState.start(subject).betting.game.num_rounds
    chosen = read_setting(setting, rounds) if isinstance(setting, str) else setting
    deals = (hands + 1) // 2
    if deals < FEWEST_BOARDS * of_a_board:
        raise MatchError(f"{hands} hands are too few for an interval; play at least {2 * FEWEST_BOARDS * of_a_board}.")
    if bets_asked is not None and bets_asked < FEWEST_ASKED:
        raise MatchError(f"The agent must be asked about {FEWEST_ASKED} bets at least, not {bets_asked}.")
    if processes > 1 and not isinstance(agent, str):
        raise MatchError("Each process makes the agent itself; give the agent as a text, or use one process.")
    make = partial(_Work, subject, agent, chosen, seed, of_a_board, bets_asked)
    work = make()
    identity = {
        "task": "lbr",
        "subject": subject.digest(),
        "agent": work.responder.agent.name,
        "setting": [menu.text for menu in chosen.menus],
        "deals": deals,
        "seed": seed,
        "of_a_board": of_a_board,
        "bets_asked": bets_asked,
    }
    before, seconds_before = (np.zeros((0, 2)), 0.0) if not asked["resume"] else _resumed(checkpoint, identity, deals)
    started = time.monotonic() - seconds_before
    stream = play_deals(work, make, len(before), deals, most=DEALS_AT_A_TIME, processes=processes, stop=stop)
    found: list[NDArray[np.float64]] = [before]
    unsolved = 0

    def save() -> None:
        if checkpoint is not None:
            metadata = {**identity, "seconds": time.monotonic() - started}
            save_checkpoint(checkpoint, metadata, {"won": np.concatenate(found)})

    look = from_time_to_time(save, asked["checkpoint_seconds"], SAVING_SHARE)
    with closing(stream):
        for values, not_solved in stream:
            found.append(values)
            unsolved += not_solved
            look()
            if progress is not None and len(values):
                mean, error = _mean(np.concatenate(found).mean(axis=1), of_a_board)
                done = 2 * sum(map(len, found))
                progress(LbrProgress(done, 2 * deals, time.monotonic() - started, mean, error))
    save()
    return _result(work, np.concatenate(found), deals, time.monotonic() - started, unsolved)


def _resumed(
    checkpoint: str | Path | None, identity: dict[str, object], deals: int
) -> tuple[NDArray[np.float64], float]:
    """Return float64[n, 2], the deals of a checkpoint, and the seconds that they took."""
    if checkpoint is None:
        raise MatchError("A measurement can be resumed only from a checkpoint; name its file.")
    found = load_checkpoint(checkpoint)
    found.require(identity)
    whole = min(np.size(found.arrays.get("won", ())) // 2, deals)
    found.require_arrays({"won": np.empty((whole, 2))})
    seconds = found.metadata.get("seconds")
    if not isinstance(seconds, float):
        raise DamagedFileError(f"{found.path} does not say how long its deals took.")
    return found.arrays["won"], seconds


def _result(work: _Work, won: NDArray[np.float64], deals: int, seconds: float, unsolved: int) -> LbrResult:
    if len(won) < FEWEST_BOARDS * work.of_a_board:
        raise MatchError("The run was interrupted before the first result.")
    subject, responder = work.responder.subject, work.responder
    units = Units.of(subject, max(PublicState.start(subject).pot_chips, 1.0))
    mean, error = _mean(won.mean(axis=1), work.of_a_board)
    seats = [_mean(won[:, seat], work.of_a_board) for seat in (0, 1)]
    half = NORMAL_95 * error
    return LbrResult(
        game=getattr(subject, "name", "") or getattr(subject, "title", "") or "spot",
        agent=responder.agent.name,
        setting=responder.setting.name,
        status=Outcome.DONE if len(won) == deals else Outcome.INTERRUPTED,
        hands=2 * len(won),
        hands_wanted=2 * deals,
        won=Measurement(mean, units),
        interval=(Measurement(mean - half, units), Measurement(mean + half, units)),
        by_seat_chips=(seats[0][0], seats[1][0]),
        by_seat_error_chips=(NORMAL_95 * seats[0][1], NORMAL_95 * seats[1][1]),
        seed=work.seed,
        seconds=seconds,
        unsolved=unsolved,
        deals=won,
    )


def _mean(values: NDArray[np.float64], of_a_board: int) -> tuple[float, float]:
    """Return the mean of deals and its standard error; the deals of a board are not independent of each other."""
    mean, starts = float(values.mean()), np.arange(0, len(values), of_a_board)
    boards = len(starts)
    if boards < FEWEST_BOARDS:
        return mean, math.inf
    sums = np.add.reduceat(values - mean, starts)
    return mean, math.sqrt(boards / (boards - 1) * float(sums @ sums)) / len(values)


class _Work:
    """A responder and the agent that it measures; each process makes its own."""

    def __init__(
        self,
        subject: Subject,
        agent: Contestant,
        setting: Setting,
        seed: int,
        of_a_board: int,
        bets_asked: int | None,
    ) -> None:
        self.seed, self.of_a_board = seed, of_a_board
        made = read_entrant(agent, subject) if isinstance(agent, str) else as_agent(agent, subject)
        if not isinstance(made, StrategicAgent):
            raise MatchError(
                f"{made.name} does not give its strategy for every hand, which a local best response needs; only "
                "agents with a method strategy(state) can be measured this way."
            )
        made.start_match(MatchStart(subject, seed))
        self.responder = Responder(made, subject, setting, bets_asked)
        self.shuffle = Shuffle(subject)

    def play(self, begin: int, end: int, stop: StopToken | None = None) -> tuple[NDArray[np.float64], int]:
        """Return the net chips of the responder in some deals, and how many states its agent had no time to solve.

        The chips are float64[deals, 2], in both seats of each deal; the deals are fewer if a token is set.
        """
        before = self.responder.agent.unsolved
        result = np.empty((end - begin, 2))
        for deal in range(begin, end):
            if stops(stop):
                result = result[: deal - begin]
                break
            dealt = self.shuffle.numbered(self.seed, deal, self.of_a_board)
            for seat in (0, 1):
                rng = np.random.default_rng([self.seed, deal, 1 + seat])
                result[deal - begin, seat] = play_seat(self.responder, dealt, seat, rng)
        return result, self.responder.agent.unsolved - before
