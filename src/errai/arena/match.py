"""Matches: two agents, many hands, one result.

The cards of a deal depend on the match's seed and the number of the deal; the random draws of an agent that does not
learn depend on its own seed and the number of the hand.  So any process can play any deals, and the result is the same
for every number of processes and after every interruption.

With duplicate play (Bowling, 2003, and the competition's rules) every deal is played at two tables with the seats
exchanged; the mean of the pair is free of most of the luck of the cards.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Generator, Mapping
from contextlib import closing
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, Literal, Unpack

import numpy as np
from numpy.typing import NDArray

from errai.agents.agent import Agent
from errai.agents.given import Contestant
from errai.arena.acpc.log import LogFile, Score, log_name, score_line
from errai.arena.boards import BoardTables
from errai.arena.estimator import Estimator
from errai.arena.intervals import Interval, sequential_interval
from errai.arena.luck.fit import misfits, tally_shape
from errai.arena.play import Chunk, EstimatorFactory, MatchSetup, Tables, play_deals
from errai.arena.results import Ending, MatchResult, Measure, describe
from errai.engine.request import checked
from errai.engine.status import Outcome
from errai.errors import AgentError, DamagedFileError, MatchError
from errai.games.betting import ActionKind
from errai.games.game import Subject
from errai.games.hand import PublicState, check_is_played
from errai.games.streets import street_names
from errai.options import MatchOptions, takes
from errai.own_code import whole_number
from errai.running.stopping import StopToken, from_time_to_time
from errai.store.checkpoint import load_checkpoint, save_checkpoint

CHUNK = 100
"""The most deals that a process plays at a time."""

SAVING_SHARE = 0.02
"""Share of the time that checkpoints may take: they hold all deals, and a match may have millions."""

MAX_HANDS = 1_000_000_000


class BrokenMatchError(AgentError):
    """An agent failed and the match ended early; ``result`` is the result of the hands before."""

    def __init__(self, message: str, result: MatchResult) -> None:
        super().__init__(message)
        self.result = result


@dataclass(frozen=True)
class MatchProgress:
    """How far a match has come."""

    hands: int
    hands_wanted: int
    seconds: float
    fresh_hands: int
    """Hands that were played since this run began."""
    mean_chips: float
    """Mean winnings of the first agent per hand."""
    measures: Mapping[str, tuple[float, float]]
    """By the name of each measure, its mean per hand and the standard error of that mean (NaN at first), in chips."""


def luck_estimator(
    kind: Literal["aivat", "importance"], values: str | None = None, imagined: str = "auto"
) -> EstimatorFactory:
    """Return a function that makes an estimator of :mod:`errai.arena.luck`.

    Parameters
    ----------
    kind:
        'aivat' or 'importance'.
    values:
        The value function of AIVAT, as text; by default equity.
    imagined:
        For AIVAT, whose hands are all counted (:class:`errai.arena.luck.estimators.Aivat`); 'each' with common random
        numbers.
    """
    return partial(_make_estimator, kind, values, imagined)


def _make_estimator(
    kind: str, values: str | None, imagined: str, subject: Subject, agents: tuple[Agent, Agent]
) -> Estimator:
    from errai.arena.luck import make_estimator, read_values

    known = None if values is None else read_values(values, subject, agents)
    return make_estimator(kind, subject, agents, values=known, imagined=imagined)


@takes(MatchOptions)
def play_match(
    subject: Subject,
    contestants: tuple[Contestant, Contestant],
    *,
    estimators: Mapping[str, EstimatorFactory] | None = None,
    stop: StopToken | None = None,
    progress: Callable[[MatchProgress], None] | None = None,
    command: str = "",
    **options: Unpack[MatchOptions],
) -> MatchResult:
    """Play a match between two agents.

    Parameters
    ----------
    subject:
        The game or spot.
    contestants:
        The agents, as :func:`~errai.agents.given.as_agent` takes them: objects, functions without arguments that make
        them, names, or strategies such as a function of a public state; with duplicate play an agent that learns has
        to be made twice, by a function.  The winnings of the first one are measured.  They take turns in the seats.
        With several processes they have to be something that can be pickled, such as a name.
    estimators:
        Measures besides the chips that are won: by name, a function that makes the estimator (:func:`luck_estimator`).
    stop:
        A token that any thread may set; the match then ends after the current deal.
    progress:
        Called every ``CHUNK`` deals, or more often.
    command:
        The command that repeats the match, for the result.
    {options}

    With ``common_random_numbers`` both tables play the same line as long as the agents' strategies agree, and the
    winnings cancel out, so that only the luck after their strategies part is left.  The mean stays unbiased, because
    each agent's numbers are uniform and independent of the cards and of the other agent's numbers.  Agents that draw in
    ways of their own are not affected (agents of users, ``poki``, ``vexbot`` and ``brplayer``).  Agents that learn play
    all hands in order, in one process.

    Returns
    -------
    MatchResult
        ``status`` is ``INTERRUPTED`` if the token was set; the hands until then are a valid result.

    Raises
    ------
    MatchError, InputError
        The match cannot be played as specified; no hand was played.
    BrokenMatchError
        An agent failed or broke the rules.  The error names the agent and the hand and has the result so far, which is
        in the checkpoint as well.
    StrategyError
        An agent cannot play the subject.
    ArtefactError
        The checkpoint or the log cannot be read or written.
    """
    check_is_played(subject)
    asked: MatchOptions = checked(options, MatchOptions, error=MatchError)
    hands, duplicate, log, checkpoint = asked["hands"], asked["duplicate"], asked["log"], asked["checkpoint"]
    common_random_numbers, processes, resume = asked["common_random_numbers"], asked["processes"], asked["resume"]
    whole_number(hands, "The number of hands of a match", 1, MAX_HANDS, error=MatchError)
    boards = asked["boards"]
    if boards is not None:
        if estimators or log is not None or common_random_numbers:
            raise MatchError(
                "On boards no hands are played: leave out the log, the measures against luck and the random numbers."
            )
        hands, duplicate = 2 * whole_number(boards, "The number of boards", 1, error=MatchError), True
    confidence = read_confidence(asked["until"])
    if not isinstance(contestants, tuple | list) or len(contestants) != 2:
        raise MatchError(f"A match is between two agents; give both, (first, second), not {contestants!r:.80}.")
    contestants = contestants[0], contestants[1]
    if duplicate and hands % 2:
        raise MatchError(f"Duplicate play needs an even number of hands, not {hands:,}.")
    if common_random_numbers and not duplicate:
        raise MatchError("Common random numbers need duplicate play, because they couple the two tables of a deal.")
    deals = hands // 2 if duplicate else hands
    measured, logged = tuple((estimators or {}).items()), log is not None
    shared = common_random_numbers, boards is not None
    setup = MatchSetup(subject, contestants, deals, duplicate, asked["seed"], measured, logged, *shared)
    if logged and subject.whole_game is None:
        raise MatchError("ACPC logs hold hands of whole games; leave the log out for a spot.")
    make: Callable[[MatchSetup], Tables | BoardTables] = BoardTables if setup.boards else Tables
    with closing(make(setup)) as tables:
        if tables.learning and (checkpoint is not None or resume):
            raise MatchError(
                f"{tables.learning[0]} learns from the hands it plays, so its match cannot be resumed; leave the "
                "checkpoint out."
            )
        record = Record(setup, tables.names, tables.methods, checkpoint, confidence=confidence)
        if resume:
            record.resume()
        if log is not None:
            record.log = LogFile(log, record.log_bytes, record.deals * setup.tables)
        try:
            stream = play_deals(
                tables,
                partial(make, setup),
                record.deals,
                record.deals if record.decided is not None else deals,
                most=CHUNK,
                processes=1 if tables.learning else processes,
                stop=stop,
                advice="Perhaps there is not enough memory for so many copies of the agents; use fewer processes.",
            )
            status, failure = record.fill(stream, progress, asked["checkpoint_seconds"])
        finally:
            record.finish()
    result = record.result(status, failure, command)
    if failure:
        raise BrokenMatchError(failure, result)
    return result


def read_confidence(text: str | None) -> float | None:
    """Return a confidence such as 95% as a number.  Raises :class:`MatchError` unless it is from 50% to 99.999%."""
    if text is None:
        return None
    try:
        found = float(text.removesuffix("%")) / 100.0 if text.endswith("%") else math.nan
    except ValueError:
        found = math.nan
    if not 0.5 <= found <= 0.99999:
        raise MatchError(f"{text!r:.40} is no confidence; write a percentage from 50% to 99.999%, such as 95%.")
    return found


def most_chips(subject: Subject) -> float:
    """Return the most chips that a player can win in a hand: both raise by all they may until the end."""
    betting = PublicState.start(subject).betting
    while betting.actor >= 0:
        limits = betting.legal().raise_range
        kind, total = (ActionKind.CALL, 0) if limits is None else (ActionKind.RAISE, limits[1])
        betting = betting.apply(kind, total)
    return betting.stake_chips / subject.unit


@dataclass(eq=False)
class Record:
    """The deals that have been played: always the first ones of the match, without gaps."""

    setup: MatchSetup
    names: tuple[str, str]
    methods: list[str]
    """The method of each measure."""
    checkpoint: str | Path | None = None
    confidence: float | None = None
    """The match ends once it is decided with this confidence who wins."""
    chunks: list[Chunk] = field(default_factory=list)
    deals: int = 0
    log: LogFile | None = None
    log_bytes: int = 0
    started: float = field(default_factory=time.monotonic)
    total_chips: float = 0.0
    sums: tuple[NDArray[np.float64], ...] = ()
    """float64[E] three times: the first pair by each measure, and the sum and the sum of squares of all pairs less
    that one."""

    tally: NDArray[np.int64] | None = None
    """int64, of :func:`errai.arena.luck.fit.tally_shape`; None without a measure that knows a strategy."""
    unsolved: NDArray[np.int64] = field(default_factory=lambda: np.zeros(2, np.int64))
    """int64[2]: how many states each agent had no time to solve."""

    def fill(
        self,
        stream: Generator[Chunk, None, None],
        progress: Callable[[MatchProgress], None] | None,
        checkpoint_seconds: float,
    ) -> tuple[Outcome, str]:
        """Play, or collect what others play; returns the status, and the message of an agent that failed."""
        before, look = self.deals, from_time_to_time(self.save, checkpoint_seconds, SAVING_SHARE)
        with closing(stream):
            for chunk in stream:
                self._add(chunk)
                if chunk.failure:
                    return Outcome.FAILED, chunk.failure
                if progress is not None:
                    each, seconds = self.setup.tables, time.monotonic() - self.started
                    played, wanted = self.deals * each, self.setup.deals * each
                    mean = self.total_chips / max(played, 1)
                    progress(
                        MatchProgress(played, wanted, seconds, (self.deals - before) * each, mean, self.measures())
                    )
                if self.decided is not None:
                    break
                look()
        whole = self.deals == self.setup.deals or self.decided is not None
        return (Outcome.DONE if whole else Outcome.INTERRUPTED), ""

    @property
    def decided(self) -> Interval | None:
        """The interval that says who wins, by the first measure besides the chips if there is one; None if none does.

        Only a multiple of ``CHUNK`` deals is looked at, so that a match ends after the same hand with any number of
        processes, resumed or not.
        """
        if self.confidence is None or not self.deals or self.deals % CHUNK:
            return None
        mean, error = self.measures()[self.setup.measures[:2][-1]]
        interval = sequential_interval(mean, error, self.deals, most_chips(self.setup.subject), self.confidence)
        return None if 0.0 in interval else interval

    def _add(self, chunk: Chunk) -> None:
        if self.log is not None:
            # Before the deals count: a checkpoint must never be ahead of the log.
            self.log.write("".join(f"{line}\n" for line in chunk.lines))
            chunk.lines = []
        self.chunks.append(chunk)
        self.deals += chunk.endings.shape[1]
        self.total_chips += float(chunk.values[0].sum())
        if chunk.tally is not None:
            self.tally = chunk.tally if self.tally is None else self.tally + chunk.tally
        self.unsolved = self.unsolved + chunk.unsolved
        pairs = chunk.values.mean(axis=1)
        if pairs.size:
            first, total, squares = self.sums or (pairs[:, 0].copy(), 0.0, 0.0)
            shifted = pairs - first[:, None]
            self.sums = first, total + shifted.sum(axis=1), squares + np.square(shifted).sum(axis=1)

    def measures(self) -> dict[str, tuple[float, float]]:
        """Return the mean by each measure so far and its standard error, in chips a hand."""
        if not self.sums:
            return {}
        (first, total, squares), n = self.sums, self.deals
        mean = total / n
        error = np.full_like(mean, math.nan)
        if n > 1:
            error = np.sqrt(np.maximum(squares - n * mean**2, 0.0) / (n - 1) / n)
        return dict(zip(self.setup.measures, zip((first + mean).tolist(), error.tolist(), strict=True), strict=True))

    def _blank(self, deals: int) -> dict[str, NDArray[Any]]:
        """Return ``values``, float64[E, T, n], and ``endings``, uint8[T, n], of some deals."""
        tables = self.setup.tables
        values, endings = np.zeros((len(self.setup.measures), tables, deals)), np.zeros((tables, deals), np.uint8)
        return {"values": values, "endings": endings}

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return the values and endings of all deals, and the tally and the states without a solve if there are any."""
        arrays = {
            name: np.concatenate([empty, *(getattr(chunk, name) for chunk in self.chunks)], axis=-1)
            for name, empty in self._blank(0).items()
        }
        tally = {} if self.tally is None else {"tally": self.tally}
        return {**arrays, **tally, **({"unsolved": self.unsolved} if self.unsolved.any() else {})}

    def save(self) -> None:
        """Write the checkpoint, if the match has one."""
        if self.log is not None:
            self.log_bytes = self.log.settle()
        if self.checkpoint is None:
            return
        metadata = {**self._identity(), "log_bytes": self.log_bytes}
        save_checkpoint(self.checkpoint, metadata, self.arrays())

    def resume(self) -> None:
        """Restore the match from its checkpoint.

        Raises :class:`MismatchError` if the checkpoint is of another match, and :class:`DamagedFileError`,
        :class:`ForeignFileError` or :class:`FileAccessError` if there is no readable checkpoint.
        """
        if self.checkpoint is None:
            raise MatchError("A match can be resumed only from a checkpoint; name its file.")
        found = load_checkpoint(self.checkpoint)
        found.require(self._identity())
        setup, arrays = self.setup, found.arrays
        whole = min(np.size(arrays.get("endings", ())) // setup.tables, setup.deals)
        own = self._blank(whole)
        if "tally" in arrays:
            own["tally"] = np.empty(tally_shape(setup.subject.rules.num_rounds), dtype=np.int64)
        if "unsolved" in arrays:
            own["unsolved"] = self.unsolved
        found.require_arrays(own)
        self.log_bytes = found.metadata["log_bytes"]
        if not isinstance(self.log_bytes, int) or self.log_bytes < 0:
            raise DamagedFileError(f"{found.path} does not say how long the log of this match is.")
        unsolved = arrays.get("unsolved", self.unsolved)
        self._add(Chunk(arrays["values"], arrays["endings"], [], tally=arrays.get("tally"), unsolved=unsolved))

    def _identity(self) -> dict[str, Any]:
        """Return the settings that must agree for two matches to be the same."""
        return {
            "task": "match",
            "subject": self.setup.subject.digest(),
            "players": list(self.names),
            "hands": self.setup.deals * self.setup.tables,
            "duplicate": self.setup.duplicate,
            "seed": self.setup.seed,
            "measures": self.methods,
            "log": self.setup.log,
            **({"common_random_numbers": True} if self.setup.common_random_numbers else {}),
            **({"boards": True} if self.setup.boards else {}),
        }

    def finish(self) -> None:
        """Write everything that is to be kept to the disk."""
        try:
            self.save()
            if self.log is not None and self.deals == self.setup.deals:
                first, second = self.names
                score = Score((self.total_chips, -self.total_chips), (log_name(first), log_name(second)))
                self.log.write(f"{score_line(score)}\n")
                self.log.settle()
        finally:
            if self.log is not None:
                self.log.close()

    def result(self, status: Outcome, failure: str, command: str) -> MatchResult:
        """Sum up."""
        setup, game, arrays = self.setup, self.setup.subject.rules, self.arrays()
        seats, values, codes = setup.seats(self.deals), arrays["values"], arrays["endings"].ravel()
        streets = street_names(game)
        won = np.bincount(codes, values[0].ravel(), minlength=2 * game.num_rounds)
        described = enumerate(zip(setup.measures, self.methods, strict=True))
        return MatchResult(
            **describe(setup.subject),
            players=self.names,
            hands=self.deals * setup.tables,
            hands_wanted=setup.deals * setup.tables,
            status=status,
            error=failure,
            duplicate=setup.duplicate,
            seed=setup.seed,
            measures=tuple(Measure.of(*said, values[e], seats, setup.seed) for e, said in described),
            endings=tuple(
                Ending(streets[code // 2], bool(code % 2), int(n), float(won[code]))
                for code, n in enumerate(np.bincount(codes))
                if n and not setup.boards
            ),
            command=command,
            decided=self.decided,
            common_random_numbers=setup.common_random_numbers,
            boards=setup.boards,
            misfits=() if self.tally is None else misfits(self.tally, self.names, streets),
            unsolved=(int(self.unsolved[0]), int(self.unsolved[1])),
        )
