"""Measuring with less luck: AIVAT and importance sampling."""

from __future__ import annotations

from errai.agents.agent import Agent, StrategicAgent
from errai.agents.reader import read_agent
from errai.arena.estimator import Chips, Estimator
from errai.arena.luck.aivat import Aivat
from errai.arena.luck.exact_values import ExactValues
from errai.arena.luck.importance import ImportanceSampling
from errai.arena.luck.street_values import StreetValues
from errai.arena.luck.values import Equity, OwnValues, ValueFunction
from errai.errors import MatchError
from errai.games.subject import Subject

__all__ = [
    "KINDS",
    "VALUES",
    "Aivat",
    "Equity",
    "ExactValues",
    "ImportanceSampling",
    "OwnValues",
    "StreetValues",
    "ValueFunction",
    "make_estimator",
    "read_values",
]

KINDS = ("chips", "aivat", "importance", "importance-early-folds")
"""The estimators that :func:`make_estimator` makes."""

VALUES = "equity, agents, an agent such as solution:FILE that plays both seats, or street:AGENT in large games"
"""The texts that :func:`read_values` reads, for messages and help."""

STREET = "street:"
"""How values of :class:`StreetValues` are named."""


def make_estimator(
    kind: str,
    subject: Subject,
    agents: tuple[Agent, Agent],
    values: ValueFunction | tuple[ValueFunction, ValueFunction] | None = None,
    *,
    known: str = "all",
    imagined: str = "auto",
) -> Estimator:
    """Make an estimator for a match.

    Parameters
    ----------
    kind:
        One of ``KINDS``.
    subject:
        The game or spot.
    agents:
        The two agents of the match.  The strategy of a :class:`~errai.agents.agent.StrategicAgent` is known.
    values:
        The value function of AIVAT, equity by default; a pair is for the first agent in seat 0 and in seat 1.
    known:
        'all', or 'first', 'second' or 'none' to use fewer strategies than are known.
    imagined:
        For AIVAT, the agents whose possible hands are all counted: see :class:`Aivat`.

    Raises
    ------
    MatchError
        There is no such estimator, or an agent whose strategy has to be known does not give it.
    """
    if kind == "chips":
        return Chips()
    if kind == "aivat":
        return Aivat(subject, agents, values, known=known, imagined=imagined)
    if kind in ("importance", "importance-early-folds"):
        if values is not None:
            raise MatchError("Importance sampling does not use values; leave them out, or measure with aivat.")
        return ImportanceSampling(subject, agents, known=known, early_folds=kind != "importance")
    raise MatchError(f"There is no estimator {kind!r}; choose one of {', '.join(KINDS)}.")


def read_values(
    text: str, subject: Subject, agents: tuple[Agent, Agent] | None = None
) -> ValueFunction | tuple[ValueFunction, ValueFunction]:
    """Read a value function.

    ``equity``; ``agents``: the exact values of the match's own agents against each other; an agent, such as
    ``solution:leduc.errai``: the exact values of that agent in both seats; or ``street:AGENT``, in games of any size:
    what that agent bets in both seats until the street ends, and equity from there on (:class:`StreetValues`).

    Raises
    ------
    MatchError
        The game is too large for exact values, or an agent does not give its strategy.
    StrategyError, ArtefactError
        The text does not name an agent, or the agent cannot be made.
    """
    if text == "equity":
        return Equity(subject)
    if text == "agents":
        if agents is None:
            raise MatchError("There are no agents here whose values could be used; name a solution.")
        first, second = (_strategic(agent) for agent in agents)
        return ExactValues(subject, (first, second)), ExactValues(subject, (second, first))
    if text.startswith(STREET):
        agent = _strategic(read_agent(text.removeprefix(STREET), subject))
        return StreetValues(subject, (agent, agent), f"values of {text}")
    agent = _strategic(read_agent(text, subject))
    return ExactValues(subject, (agent, agent), f"values of {text}")


def _strategic(agent: Agent) -> StrategicAgent:
    if not isinstance(agent, StrategicAgent):
        raise MatchError(
            f"{agent.name} does not give its strategy for every hand, so it has no exact values; use equity."
        )
    return agent
