"""Matches as jobs: two agents play each other, and the result is a file that `errai standings` reads."""

from __future__ import annotations

import math
import shlex
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field

from errai.arena.intervals import Interval, student_interval
from errai.arena.match import BrokenMatchError, MatchProgress, luck_estimator, play_match
from errai.arena.results import SUFFIX, MatchResult
from errai.arena.table import EstimatorFactory, MatchSetup, Tables
from errai.engine.status import Outcome
from errai.errors import AgentError, InputError
from errai.games.subject import Subject
from errai.web.agents import LONGEST_NAME, Agents
from errai.web.job_files import Asked, Ended, Work
from errai.web.jobs import NewJob
from errai.web.library import Library
from errai.web.models import Body
from errai.web.subjects import GivenSubject, option_words
from errai.web.thinking import playing_bytes
from errai.web.workspace import Workspace

CHECKPOINT_SECONDS = 0.5
"""What a worker that is killed may have to do again."""
MOST_HANDS = 100_000_000

AgentName = Annotated[str, Field(min_length=1, max_length=LONGEST_NAME)]
STREET = "street:"


class MatchSettings(Body):
    """How a match is played and measured."""

    hands: int = Field(default=10_000, ge=1, le=MOST_HANDS)
    duplicate: bool = True
    """Whether every deal is played twice, with the seats exchanged."""
    common_random_numbers: bool = False
    """With `duplicate`: the agent in a seat draws the same random numbers at both tables of a deal."""
    aivat: bool = False
    """Whether to measure with AIVAT too: less luck, no bias."""
    values: str | None = Field(default=None, min_length=1, max_length=LONGEST_NAME + len(STREET))
    """How AIVAT estimates the values of states: equity, agents, an agent, or street:AGENT."""
    seed: int = Field(default=0, ge=0, le=1 << 53)


class MatchRequest(Body):
    """A match."""

    kind: Literal["match"]
    subject: GivenSubject
    agents: Annotated[list[AgentName], Field(min_length=2, max_length=2)]
    """The names of two agents; the winnings of the first one are measured."""
    settings: MatchSettings = MatchSettings()
    title: str | None = Field(default=None, max_length=200)

    def prepare(self, workspace: Workspace) -> NewJob:
        """Check the request.

        Raises :class:`InputError` or :class:`StrategyError` if a setting is impossible, an agent may not be chosen
        here, or it cannot play the game or spot; :class:`ArtefactError` if a solution cannot be used.
        """
        subject, agents, settings = self.subject.read(), Agents(Library(workspace)), self.settings
        if settings.values is not None and not settings.aivat:
            raise InputError("Only AIVAT uses values: set aivat to true, or leave out values.")
        if settings.duplicate and settings.hands % 2:
            raise InputError(f"Duplicate play needs an even number of hands, not {settings.hands:,}.")
        if settings.common_random_numbers and not settings.duplicate:
            raise InputError("Common random numbers need duplicate play, because they couple the two tables of a deal.")
        if settings.values is not None:
            _check_values(settings.values, agents)
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
        return NewJob(
            kind="match",
            title=self.title or f"{first} against {second}",
            command=lambda folder: command(self, agents, folder),
            request={"agents": list(self.agents), "settings": settings.model_dump()},
            subject=self.subject,
            memory_bytes=needed,
            starts_again=starts_again,
        )


class AskedMatch(Asked):
    """What ``request.json`` of a match says."""

    agents: Annotated[list[AgentName], Field(min_length=2, max_length=2)]
    settings: MatchSettings


def command(request: MatchRequest, agents: Agents, folder: Path) -> str:
    """Return the shell command for a match whose files are in a folder."""
    names, values = map(agents.with_files, request.agents), request.settings.values
    settings = {**request.settings.model_dump(), "values": values and _values_with_files(values, agents)}
    words = ["errai", "match", *names, "--game", request.subject.word(folder), *option_words(settings)]
    return shlex.join(words)


def _check_values(text: str, agents: Agents) -> None:
    if text not in ("equity", "agents"):
        agents.check(text.removeprefix(STREET))


def _values_with_files(text: str, agents: Agents) -> str:
    if text in ("equity", "agents"):
        return text
    start = STREET if text.startswith(STREET) else ""
    return start + agents.with_files(text.removeprefix(STREET))


def _estimators(settings: MatchSettings, agents: Agents) -> Mapping[str, EstimatorFactory]:
    if not settings.aivat:
        return {}
    values = None if settings.values is None else _values_with_files(settings.values, agents)
    # As `errai match`: an estimate that treats both agents alike cancels at the two tables of a deal.
    return {"aivat": luck_estimator("aivat", values, "each" if settings.common_random_numbers else "auto")}


# --- in the worker ---------------------------------------------------------------------------------------------------


def run(work: Work) -> Ended:
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
        at = point(now.hands, now.hands_wanted, now.seconds, left, unit, means)
        work.point(at, always=now.hands == now.hands_wanted)

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
        result.save(work.workspace.path("matches", work.name, SUFFIX))


def unit_of(subject: Subject) -> tuple[str, float]:
    """Return the unit of results, and how many of it a chip is."""
    return ("mbb/g", 1000.0 / subject.big_blind) if subject.big_blind else ("chips/hand", 1.0)


def point(
    hands: int,
    hands_wanted: int,
    seconds: float,
    seconds_left: float,
    unit: str,
    measures: Mapping[str, Mapping[str, float | None]],
) -> dict[str, Any]:
    """Return a point of progress, with the mean by each measure so far and its interval."""
    return {
        "hands": hands,
        "hands_wanted": hands_wanted,
        "seconds": round(seconds, 3),
        "seconds_left": round(seconds_left, 3),
        "unit": unit,
        "measures": [{"name": name, **found} for name, found in measures.items()],
    }


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
