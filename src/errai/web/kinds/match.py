"""Matches, whose results are files that `errai standings` reads, and local best responses as jobs."""

from __future__ import annotations

import math
import shlex
from collections.abc import Mapping
from functools import partial
from typing import Annotated, Any, Literal

from pydantic import Field

from errai.agents.agent import StrategicAgent
from errai.arena.intervals import Interval, student_interval
from errai.arena.lbr.measure import FEWEST_BOARDS, LbrProgress, lbr
from errai.arena.lbr.settings import read_setting
from errai.arena.match import BrokenMatchError, MatchProgress, luck_estimator, play_match
from errai.arena.play import EstimatorFactory, MatchSetup, Tables
from errai.arena.results import SUFFIX, MatchResult
from errai.engine.status import Outcome
from errai.errors import AgentError, InputError, MatchError
from errai.games.game import Subject
from errai.options import LbrOptions, MatchOptions, defaults, option_words
from errai.web.agents import LONGEST_NAME, Agents
from errai.web.files import Workspace
from errai.web.job_files import Asked, Ended, Work
from errai.web.jobs import BaseRequest, NewJob
from errai.web.library import Library
from errai.web.models import Body
from errai.web.thinking import playing_bytes

CHECKPOINT_SECONDS = 0.5
"""What a worker that is killed may have to do again."""
MOST_HANDS = 100_000_000
MATCH, LBR = defaults(MatchOptions), defaults(LbrOptions)

AgentName = Annotated[str, Field(min_length=1, max_length=LONGEST_NAME)]
Means = Mapping[str, Mapping[str, float | None]]
STREET = "street:"


class MatchSettings(Body):
    """How a match is played and measured."""

    hands: int = Field(default=MATCH["hands"], ge=1, le=MOST_HANDS)
    duplicate: bool = True
    """Whether every deal is played twice, with the seats exchanged."""
    common_random_numbers: bool = False
    """With `duplicate`: the agent in a seat draws the same random numbers at both tables of a deal."""
    aivat: bool = False
    values: str | None = Field(default=None, min_length=1, max_length=LONGEST_NAME + len(STREET))
    """How AIVAT estimates the values of states: equity, agents, an agent, or street:AGENT."""
    seed: int = Field(default=MATCH["seed"], ge=0, le=1 << 53)


class MatchRequest(BaseRequest):
    """A match of two agents; the winnings of the first one are measured."""

    kind: Literal["match"]
    agents: Annotated[list[AgentName], Field(min_length=2, max_length=2)]
    settings: MatchSettings = MatchSettings()

    def prepare(self, workspace: Workspace) -> NewJob:
        """Check the request, and return the job.

        Raises :class:`InputError` for settings, :class:`StrategyError` for agents, :class:`ArtefactError` for files.
        """
        subject, agents, settings = self.subject.read(), Agents(Library(workspace)), self.settings
        if settings.values is not None and not settings.aivat:
            raise InputError("Only AIVAT uses values: set aivat to true, or leave out values.")
        if settings.duplicate and settings.hands % 2:
            raise InputError(f"Duplicate play needs an even number of hands, not {settings.hands:,}.")
        if settings.common_random_numbers and not settings.duplicate:
            raise InputError("Common random numbers need duplicate play, because they couple the two tables of a deal.")
        for text in self.agents:
            agents.check(text)
        first, second = self.agents
        # What the match itself would find wrong before its first hand is found now.
        estimators = tuple(_estimators(settings, agents).items())
        contestants = (partial(agents.make, first, subject), partial(agents.make, second, subject))
        tables = Tables(MatchSetup(subject, contestants, settings.hands, settings.duplicate, settings.seed, estimators))
        # An agent that does not learn sits at both tables.
        playing = {id(agent): agent for pair in tables.agents for agent in pair}.values()
        needed = sum(playing_bytes(agent) for agent in playing)
        tables.close()
        # Agents that learn cannot go on in the middle; the match is played again, with the same cards and draws.
        starts_again = bool(tables.learning)
        names = map(agents.with_files, self.agents)
        options = option_words({**settings.model_dump(), "values": _values(settings, agents)})
        words = ["errai", "match", *names, "--game"]
        return NewJob(
            kind="match",
            title=self.title or f"{first} against {second}",
            command=lambda folder: shlex.join([*words, self.subject.word(folder), *options]),
            request={"agents": list(self.agents), "settings": settings.model_dump()},
            subject=self.subject,
            memory_bytes=needed,
            starts_again=starts_again,
        )


class AskedMatch(Asked):
    """What ``request.json`` of a match says."""

    agents: Annotated[list[AgentName], Field(min_length=2, max_length=2)]
    settings: MatchSettings


def _values(settings: MatchSettings, agents: Agents) -> str | None:
    """Return what values AIVAT uses, with the paths of files.  Raises :class:`InputError` if they may not be used."""
    text = settings.values
    if text in (None, "equity", "agents"):
        return text
    agent = text.removeprefix(STREET)
    agents.check(agent)
    return text.removesuffix(agent) + agents.with_files(agent)


def _estimators(settings: MatchSettings, agents: Agents) -> Mapping[str, EstimatorFactory]:
    if not settings.aivat:
        return {}
    # As `errai match`: an estimate that treats both agents alike cancels at the two tables of a deal.
    sides = "each" if settings.common_random_numbers else "auto"
    return {"aivat": luck_estimator("aivat", _values(settings, agents), sides)}


class LbrSettings(Body):
    """How an agent is measured."""

    setting: str | None = Field(default=None, min_length=1, max_length=200)
    """The actions of the responder, as `errai lbr --settings` lists them; by default limit or fcpa."""
    hands: int = Field(default=LBR["hands"], ge=2 * FEWEST_BOARDS, le=MOST_HANDS)
    seed: int = Field(default=LBR["seed"], ge=0, le=1 << 53)


class LbrRequest(BaseRequest):
    """A local best response to an agent."""

    kind: Literal["lbr"]
    agent: AgentName
    settings: LbrSettings = LbrSettings()

    def prepare(self, workspace: Workspace) -> NewJob:
        """Check the request, and return the job.  Raises as for a match, and :class:`MatchError` for other agents."""
        subject, agents = self.subject.read(), Agents(Library(workspace))
        setting = self.settings.setting or default_setting(subject)
        read_setting(setting, subject.rules.num_rounds)
        agent = agents.make(self.agent, subject)
        needed = playing_bytes(agent)
        agent.close()
        if not isinstance(agent, StrategicAgent):
            raise MatchError(
                f"{agent.name} does not give its strategy for every hand, which a local best response needs; choose "
                "another agent."
            )
        settings = {**self.settings.model_dump(), "setting": setting}
        words = ["errai", "lbr", agents.with_files(self.agent), *option_words(settings), "--game"]
        return NewJob(
            kind="lbr",
            title=self.title or f"local best response to {self.agent}",
            command=lambda folder: shlex.join([*words, self.subject.word(folder)]),
            request={"agent": self.agent, "settings": settings},
            subject=self.subject,
            memory_bytes=needed,
        )


def default_setting(subject: Subject) -> str:
    """Return the setting that `errai lbr` uses for a game."""
    return "limit" if subject.rules.limit else "fcpa"


class AskedLbr(Asked):
    """What ``request.json`` of a local best response says."""

    agent: AgentName
    settings: LbrSettings


# --- in the worker ---------------------------------------------------------------------------------------------------


def run_match(work: Work) -> Ended:
    """Play the match, and put its result among the matches under the name of the job, as far as it came."""
    asked = work.request(AskedMatch)
    subject, agents, settings = work.subject(asked), Agents(Library(work.workspace)), asked.settings
    first, second = (partial(agents.make, text, subject) for text in asked.agents)
    checkpoint = None if asked.starts_again else work.folder / "checkpoint"
    unit, scale = unit_of(subject)

    def progress(now: MatchProgress) -> None:
        pairs = now.hands // (2 if settings.duplicate else 1)
        means = {name: bounds(mean, error, pairs, scale) for name, (mean, error) in now.measures.items()}
        left = (now.hands_wanted - now.hands) * now.seconds / max(now.fresh_hands, 1)
        _point(work, unit, now.hands, now.hands_wanted, now.seconds, left, means)

    try:
        result = play_match(
            subject,
            (first, second),
            **settings.model_dump(exclude={"aivat", "values"}),
            estimators=_estimators(settings, agents),
            checkpoint=checkpoint,
            resume=checkpoint is not None and checkpoint.exists(),
            checkpoint_seconds=CHECKPOINT_SECONDS,
            stop=work.stop,
            progress=progress,
            command=asked.command,
        )
    except BrokenMatchError as error:
        _save(error.result, work)
        raise AgentError(str(error)) from error
    _save(result, work)
    if result.status is Outcome.INTERRUPTED:
        return Ended("stopped", summary(result))
    work.clear()
    return Ended("done", summary(result))


def _save(result: MatchResult, work: Work) -> None:
    if result.hands:
        result.save(work.workspace.path("matches", work.folder.name, SUFFIX))


def run_lbr(work: Work) -> Ended:
    """Measure, and return what the local best response won so far."""
    asked = work.request(AskedLbr)
    subject, settings = work.subject(asked), asked.settings
    checkpoint = work.folder / "checkpoint"
    unit, scale = unit_of(subject)

    def progress(now: LbrProgress) -> None:
        means = {"lbr": bounds(now.mean_chips, now.error_chips, now.done // 2, scale)}
        left = (now.total - now.done) * now.seconds / now.done
        _point(work, unit, now.done, now.total, now.seconds, left, means)

    try:
        found = lbr(
            subject,
            partial(Agents(Library(work.workspace)).make, asked.agent, subject),
            settings.setting or default_setting(subject),
            hands=settings.hands,
            seed=settings.seed,
            checkpoint=checkpoint,
            resume=checkpoint.exists(),
            checkpoint_seconds=CHECKPOINT_SECONDS,
            stop=work.stop,
            progress=progress,
        )
    except MatchError:
        if not work.stop.is_set():
            raise
        return Ended("stopped")  # before there was anything to tell
    result = found.document() | {"unit": unit}
    if found.status is Outcome.INTERRUPTED:
        return Ended("stopped", result)
    work.clear()
    return Ended("done", result)


def unit_of(subject: Subject) -> tuple[str, float]:
    """Return the unit of results, and how many of it a chip is."""
    return ("mbb/g", 1000.0 / subject.big_blind) if subject.big_blind else ("chips/hand", 1.0)


def _point(work: Work, unit: str, done: int, total: int, seconds: float, left: float, means: Means) -> None:
    """Write a point of progress, with the mean by each measure so far and its interval."""
    point = {
        "hands": done,
        "hands_wanted": total,
        "seconds": round(seconds, 3),
        "seconds_left": round(left, 3),
        "unit": unit,
        "measures": [{"name": name, **found} for name, found in means.items()],
    }
    work.point(point, always=done == total)


def bounds(mean: float, error: float, n: int, scale: float) -> dict[str, float | None]:
    """Return a mean of n numbers and its 95 % interval by Student's t, in units of which a chip is ``scale``."""
    return scaled(mean, None if n < 2 or not math.isfinite(error) else student_interval(mean, error, n), scale)


def scaled(mean: float | None, interval: Interval | None, scale: float) -> dict[str, float | None]:
    """Return a mean in chips and its interval in units of which a chip is ``scale``."""
    low, high = (None, None) if interval is None else (interval.low * scale, interval.high * scale)
    return {"mean": None if mean is None else mean * scale, "low": low, "high": high}


def summary(result: MatchResult) -> dict[str, Any]:
    """Return what a list of matches shows of a result."""
    unit, scale = result.unit
    same = ("hands", "hands_wanted", "error", "duplicate", "common_random_numbers", "seed", "command")
    return {
        "game": result.title,
        "players": list(result.players),
        "status": str(result.status),
        **{name: getattr(result, name) for name in same},
        "unit": unit,
        "measures": [
            {"name": one.name, **scaled(one.mean_chips if result.hands else None, one.interval, scale)}
            for one in result.measures
        ],
    }
