"""Local best responses as jobs: a lower bound on the exploitability of an agent."""

from __future__ import annotations

import shlex
from functools import partial
from typing import Literal

from pydantic import Field

from errai.agents.agent import StrategicAgent
from errai.arena.lbr.measure import FEWEST_DEALS, LbrProgress, lbr
from errai.arena.lbr.settings import read_setting
from errai.engine.status import Outcome
from errai.errors import MatchError
from errai.games.subject import Subject
from errai.web.agents import Agents
from errai.web.job_files import Asked, Ended, Work
from errai.web.jobs import NewJob
from errai.web.kinds.match import (
    CHECKPOINT_SECONDS,
    MOST_HANDS,
    AgentName,
    bounds,
    point,
    unit_of,
)
from errai.web.library import Library
from errai.web.models import Body
from errai.web.subjects import GivenSubject, option_words
from errai.web.thinking import playing_bytes
from errai.web.workspace import Workspace


class LbrSettings(Body):
    """How an agent is measured."""

    setting: str | None = Field(default=None, min_length=1, max_length=200)
    """The actions of the responder, as `errai lbr --settings` lists them; by default limit or fcpa."""
    hands: int = Field(default=20_000, ge=2 * FEWEST_DEALS, le=MOST_HANDS)
    seed: int = Field(default=0, ge=0, le=1 << 53)


class LbrRequest(Body):
    """A local best response to an agent."""

    kind: Literal["lbr"]
    subject: GivenSubject
    agent: AgentName
    settings: LbrSettings = LbrSettings()
    title: str | None = Field(default=None, max_length=200)

    def prepare(self, workspace: Workspace) -> NewJob:
        """Check the request.

        Raises :class:`InputError` or :class:`StrategyError` if the setting is none, or the agent may not be chosen
        here, cannot play the game or spot, or does not give its strategy for every hand; :class:`ArtefactError` if a
        solution cannot be used.
        """
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


def run(work: Work) -> Ended:
    """Measure, and return what the local best response won so far."""
    asked = work.request(AskedLbr)
    subject, settings = work.subject(asked), asked.settings
    checkpoint = work.folder / "checkpoint"
    unit, scale = unit_of(subject)

    def progress(now: LbrProgress) -> None:
        means = {"lbr": bounds(now.mean_chips, now.error_chips, now.done // 2, scale)}
        left = (now.total - now.done) * now.seconds / now.done
        work.point(point(now.done, now.total, now.seconds, left, unit, means), always=now.done == now.total)

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
