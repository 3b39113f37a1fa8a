"""Make agents from their names; :mod:`errai.strategies.names` has the grammar."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from errai.abstraction.translation import Translation
from errai.agents.agent import Agent
from errai.agents.bots import BOTS, find_bot
from errai.agents.own import read_own_agent
from errai.agents.solved import SolvedAgent
from errai.agents.strategies import BlindAgent, StrategyAgent
from errai.blueprints.shipped import SHIPPED
from errai.errors import UnknownStrategyError
from errai.games.game import Game
from errai.games.hand import Subject
from errai.solutions.artefact import load_solution
from errai.strategies.blind import BlindStrategy
from errai.strategies.names import Name, read_name
from errai.strategies.reader import file_of, read_strategy
from errai.strategies.strategy import require_same

KNOWN = (
    "always-fold, always-call, always-raise, uniform, a mixture such as fold=0.1,call=0.4,raise=0.5, by-strength or "
    "by-strength:20, solution:FILE, blueprint:FILE, store:FOLDER, resolver, resolver:AGENT, continual, "
    "continual:from=ROUND:AGENT, deepstack, deepstack:AGENT, python:package.module:Class"
    + "".join(f", {name}" for name in (*SHIPPED, *BOTS))
)
"""The names that can be read, for messages and help texts."""


def read_agent(text: str, subject: Subject, *, more: dict[str, Callable[[str, Subject], Agent]] | None = None) -> Agent:
    """Make the agent that a text names.

    Parameters
    ----------
    text:
        One of ``KNOWN``, written as :mod:`errai.strategies.names` describes.  For solutions, stores and blueprints the
        option ``translation`` chooses how bets that their trees lack are translated
        (:mod:`errai.abstraction.translation`).
    subject:
        The game or spot that will be played.
    more:
        Further kinds, which take no options: maps a kind to a function of the text after the colon and the subject.

    Raises
    ------
    StrategyError
        If the text names no agent, or one that is not available or cannot play the subject.
    ArtefactError
        If a solution cannot be used.
    """
    name = read_name(text)
    if more is not None and name.kind in more:
        name.read(source="SOURCE")
        return more[name.kind](name.source, subject)
    make = find_bot(name.kind) or _KINDS.get(name.kind)
    if make is not None:
        return make(name, subject)
    try:
        strategy = read_strategy(text, subject if isinstance(subject, Game) else subject.game)
    except UnknownStrategyError:
        known = KNOWN + "".join(f", {kind}:..." for kind in more or {})
        raise UnknownStrategyError(f"{text!r} names no agent; write {known}.") from None
    if isinstance(strategy, BlindStrategy):
        return BlindAgent(strategy)
    return StrategyAgent(strategy, subject)


def _solution(name: Name, subject: Subject) -> Agent:
    translation = _translation(name, "FILE")
    return _solved(load_solution(file_of(name)), subject, name.text, translation)


def _store(name: Name, subject: Subject) -> Agent:
    from errai.cluster.reading import open_run

    translation = _translation(name, "FOLDER")
    return _solved(open_run(name.source), subject, name.text, translation)


def _blueprint(name: Name, subject: Subject) -> Agent:
    from errai.agents.blueprint import read_blueprint_agent

    return read_blueprint_agent(name, subject, _translation(name, "[FILE]" if name.kind == "blueprint" else ""))


def _resolver(name: Name, subject: Subject) -> Agent:
    from errai.agents.resolver import read_resolver

    return read_resolver(name, subject, read_agent)


def _continual(name: Name, subject: Subject) -> Agent:
    from errai.agents.continual import read_continual

    return read_continual(name, subject, read_agent)


def _deepstack(name: Name, subject: Subject) -> Agent:
    from errai.agents.deepstack import read_deepstack

    return read_deepstack(name, subject, read_agent)


def _resolve(name: Name, subject: Subject) -> Agent:
    from errai.agents.resolver import moved

    return moved(name, subject)


_KINDS: dict[str, Callable[[Name, Subject], Agent]] = {
    "solution": _solution,
    "store": _store,
    **dict.fromkeys(SHIPPED, _blueprint),
    "resolver": _resolver,
    "continual": _continual,
    "deepstack": _deepstack,
    "resolve": _resolve,
    "python": read_own_agent,
}


def _translation(name: Name, source: str) -> Translation:
    chosen = name.read(words={"translation": tuple(Translation)}, source=source)
    return Translation(chosen.get("translation", Translation.PSEUDO_HARMONIC))


def _solved(solution: Any, subject: Subject, name: str, translation: Translation) -> SolvedAgent:
    agent = SolvedAgent(solution, name, translation)
    require_same(solution.subject, subject, name)
    return agent
