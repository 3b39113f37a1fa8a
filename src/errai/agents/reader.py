"""Make agents from their names; :mod:`errai.strategies.names` has the grammar."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any, cast

from errai.agents.agent import Agent, StrategicAgent
from errai.agents.strategies import BlindAgent, StrategyAgent
from errai.errors import StrategyError, UnknownStrategyError
from errai.games.game import Subject
from errai.games.hand import PublicState
from errai.games.ring import RingGame
from errai.strategies.blind import BlindStrategy
from errai.strategies.given import file_of, read_strategy
from errai.strategies.names import Name, read_name

AGENTS: dict[str, str] = {
    "solution": "errai.agents.solved:read_solution",
    "store": "errai.agents.solved:read_solution",
    "blueprint": "errai.agents.solved:read_blueprint",
    "blueprint-nl": "errai.agents.solved:read_blueprint",
    "resolver": "errai.agents.resolver:read_resolver",
    "continual": "errai.agents.continual:read_continual",
    "deepstack": "errai.agents.deepstack:read_deepstack",
    "improved": "errai.agents.improved:read_improved",
    "libratus": "errai.agents.improved:read_libratus",
    "python": "errai.agents.given:read_own_agent",
    "random-bets": "errai.agents.random_bets:read_random_bets",
    "poki": "errai.agents.literature.poki.agent:read_poki",
    "poki-formula": "errai.agents.literature.poki.agent:read_poki",
    "brplayer": "errai.agents.literature.adaptive.player:read_brplayer",
    "vexbot": "errai.agents.literature.adaptive.player:read_vexbot",
    "polaris": "errai.agents.literature.polaris:read_polaris",
    "psopti0": "errai.agents.literature.psopti.strategy:read_psopti",
    "psopti1": "errai.agents.literature.psopti.strategy:read_psopti",
    "psopti2": "errai.agents.literature.psopti.strategy:read_psopti",
}
"""Maps the kind of a name to ``module:function``; the function takes the name and the subject and returns the agent.
The module is imported when an agent of that kind is made."""

_WRITTEN = {
    "solution": "solution:FILE",
    "store": "store:FOLDER",
    "blueprint": "blueprint, blueprint:FILE",
    "resolver": "resolver, resolver:AGENT",
    "continual": "continual, continual:from=ROUND:AGENT",
    "deepstack": "deepstack, deepstack:AGENT",
    "improved": "improved:FILE",
    "libratus": "libratus, libratus:AGENT",
    "polaris": "polaris, polaris:AGENT+AGENT",
    "python": "python:package.module:Class",
}

KNOWN = (
    "always-fold, always-call, always-raise, uniform, a mixture such as fold=0.1,call=0.4,raise=0.5, by-strength or "
    "by-strength:20, " + ", ".join(_WRITTEN.get(kind, kind) for kind in AGENTS)
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
    if isinstance(subject, RingGame):
        return _ring_agent(name, text, subject)
    if name.kind in AGENTS:
        return _made(name, subject)
    try:
        strategy = read_strategy(text, subject.rules)
    except UnknownStrategyError:
        known = KNOWN + "".join(f", {kind}:..." for kind in more or {})
        raise UnknownStrategyError(f"{text!r} names no agent; write {known}.") from None
    return BlindAgent(strategy) if isinstance(strategy, BlindStrategy) else StrategyAgent(strategy, subject)


def _made(name: Name, subject: Subject) -> Agent:
    module, _, function = AGENTS[name.kind].partition(":")
    made: Agent = getattr(import_module(module), function)(name, subject)
    return made


def _ring_agent(name: Name, text: str, game: RingGame) -> Agent:
    """Make an agent for a table of three and more; raises :class:`StrategyError` for one that plays two alone."""
    if name.kind == "solution":
        from errai.agents.written_out import WrittenOutAgent
        from errai.extensive.solve import load_extensive

        name.read(source="FILE")
        return WrittenOutAgent(load_extensive(file_of(name)), game, text)
    if name.kind == "python":
        return _made(name, cast(Any, game))
    strategy = None if name.kind in AGENTS else read_strategy(text, cast(Any, game))
    if not isinstance(strategy, BlindStrategy):
        raise StrategyError(
            f"{text!r} plays games of two players, and {game.label} is for {game.num_players}; take always-call, "
            "uniform, a mixture, solution:FILE, python:module:Class or acpc:command line."
        )
    return BlindAgent(strategy)


def read_strategic_agent(text: str, subject: Subject) -> StrategicAgent:
    """Make the agent that a text names, where its strategy for every hand is needed.

    Raises :class:`StrategyError` as :func:`read_agent`, and if the agent has no strategy for every hand.
    """
    agent = read_agent(text, PublicState.start(subject).subject)
    if not isinstance(agent, StrategicAgent):
        raise StrategyError(
            f"{text!r} has no strategy for every hand: it simulates, draws or learns while it plays. Choose another "
            "agent, or measure this one in matches with `errai match`."
        )
    return agent
