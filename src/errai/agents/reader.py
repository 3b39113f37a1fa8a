"""Agents from text: a kind, and where it comes from."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from errai.abstraction.translation import Translation
from errai.agents.agent import Agent
from errai.agents.bots import BOTS, find_bot
from errai.agents.solved import SolvedAgent
from errai.agents.strategies import BlindAgent, StrategyAgent
from errai.blueprints.shipped import SHIPPED
from errai.errors import AgentError, StrategyError, UnknownStrategyError
from errai.games.game import Game
from errai.games.hand import Action, Observation, Subject
from errai.solutions.artefact import load_solution
from errai.strategies.blind import BlindStrategy
from errai.strategies.reader import named_object, read_strategy
from errai.strategies.strategy import require_same
from errai.strategies.tree_walk import split_translation

KNOWN = (
    "always-fold, always-call, always-raise, uniform, a mixture such as fold=0.1,call=0.4,raise=0.5, by-strength or "
    "by-strength:20, solution:FILE, blueprint:FILE, store:FOLDER, resolve:STREET:AGENT, python:package.module:Class"
    + "".join(f", {name}" for name in (*SHIPPED, *BOTS))
)
"""What can be read here, for messages and help."""


class OwnAgent(Agent):
    """Something with a method ``act(observation)``, and ``learns`` if it does, as an agent."""

    def __init__(self, actor: Any, name: str) -> None:
        self.actor = actor
        self.name = name
        self.learns = bool(getattr(actor, "learns", False))

    def act(self, observation: Observation) -> Action:
        """Ask it."""
        answer = self.actor.act(observation)
        if not isinstance(answer, Action):
            raise AgentError(f"{self.name} answered {answer!r}, which is no Action.")
        return answer


def read_agent(text: str, subject: Subject, *, more: dict[str, Callable[[str, Subject], Agent]] | None = None) -> Agent:
    """Make the agent that a text names.

    Parameters
    ----------
    text:
        One of ``KNOWN``.  Behind solution:FILE, blueprint:FILE and store:FOLDER ``,translation=NAME`` chooses what bets
        that they do not have are taken for (:mod:`errai.abstraction.translation`).  A class of one's own is called with
        the game or spot if it takes an argument; it needs a method ``act(observation)``.
    subject:
        What will be played.
    more:
        Other kinds: name to a function of what follows the colon, and the subject.

    Raises
    ------
    StrategyError
        The text names no agent, or one that cannot be had or cannot play the subject.
    ArtefactError
        A solution cannot be used.
    """
    kind, colon, source = text.strip().partition(":")
    if colon and more is not None and kind in more:
        return more[kind](source, subject)
    bot = find_bot(text)
    if bot is not None:
        return bot(subject)
    if colon and kind == "solution":
        path, translation = split_translation(source)
        if not Path(path).is_file():
            raise StrategyError(f"There is no file {path!r}; check the path of the solution.")
        return _solved(load_solution(path), subject, text, translation)
    if colon and kind == "store":
        from errai.cluster.reading import open_run

        folder, translation = split_translation(source)
        return _solved(open_run(folder), subject, text, translation)
    if (colon and kind == "blueprint") or kind.partition(",")[0] in SHIPPED:
        from errai.agents.blueprint import read_blueprint_agent

        return read_blueprint_agent(text, subject)
    if colon and kind == "resolve":
        from errai.agents.resolving import make

        return make(source, subject)
    if colon and kind == "python":
        return _own(source, subject, text)
    try:
        strategy = read_strategy(text, subject if isinstance(subject, Game) else subject.game)
    except UnknownStrategyError:
        known = KNOWN + "".join(f", {name}:..." for name in more or {})
        raise UnknownStrategyError(f"{text!r} names no agent; write {known}.") from None
    if isinstance(strategy, BlindStrategy):
        return BlindAgent(strategy)
    return StrategyAgent(strategy, subject)


def _solved(solution: Any, subject: Subject, name: str, translation: Translation) -> SolvedAgent:
    agent = SolvedAgent(solution, name, translation)
    require_same(solution.subject, subject, name)
    return agent


def _own(source: str, subject: Subject, text: str) -> Agent:
    module, colon, name = source.partition(":")
    if not colon:
        raise StrategyError(f"{text!r} names no class; write python:package.module:Class.")
    made = named_object(module, name)
    if (callable(made) and not hasattr(made, "act")) or isinstance(made, type):
        try:
            made = made(subject)
        except TypeError:
            made = made()
    if isinstance(made, Agent):
        made.name = text if made.name == Agent.name else made.name
        return made
    if not callable(getattr(made, "act", None)):
        raise StrategyError(f"{text!r} has no method act(observation), so it cannot play.")
    return OwnAgent(made, text)
