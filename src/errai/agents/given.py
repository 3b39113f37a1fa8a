"""A strategy of any form as an agent that can play."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any, cast

from errai.agents.agent import Agent, StrategicAgent
from errai.agents.own import OwnStrategicAgent
from errai.agents.reader import read_agent
from errai.agents.strategies import StrategyAgent
from errai.errors import ErraiError, StrategyError
from errai.games.subject import Subject
from errai.own_code import fault_text
from errai.strategies.given import Given, as_strategy
from errai.strategies.of_tree import TreeStrategy
from errai.strategies.strategy import Strategy

Contestant = Agent | Callable[[], Agent] | Given
"""An agent, a function without arguments that makes one, or a strategy of any form, such as a function of a public
state, or of a public state and a hand."""


def as_agent(given: Contestant, subject: Subject, menu: str | None = None) -> Agent:
    """Return an agent that plays what is given.

    Parameters
    ----------
    given:
        An agent, or the name of one; a class or a function that makes one and needs no argument; or whatever
        :func:`~errai.strategies.given.given_strategy` takes, whose actions are drawn from the strategy.
    subject:
        What is played.
    menu:
        Bet sizes that a function of public states knows in a no-limit game; by default the pot and all-in.  Other bets
        are mapped to these.

    Raises
    ------
    StrategyError
        It is none of these, or plays another game.
    """
    if isinstance(given, Agent):
        return given
    if isinstance(given, str):
        return read_agent(given, subject)
    if isinstance(given, type) and not _needs_nothing(given):
        raise StrategyError(f"The class {given.__name__} is no agent; make an object of it, {given.__name__}(...).")
    if callable(given) and (isinstance(given, type) or not hasattr(given, "strategy")) and _needs_nothing(given):
        made = _call(cast("Callable[[], Any]", given))
        if isinstance(made, Agent):
            return made
        if isinstance(made, type) or not isinstance(made, Strategy):
            name = getattr(given, "__name__", repr(given))
            raise StrategyError(f"{name}() returned {made!r:.80}, which is no agent; it must return an Agent.")
        given = made
    strategy = as_strategy(cast("Given", given), subject, menu)
    if isinstance(strategy, StrategicAgent):
        return strategy
    if isinstance(strategy, TreeStrategy):
        return StrategyAgent(strategy.asked, subject, strategy.walk.betting)
    return OwnStrategicAgent(strategy, type(strategy).__name__)


def _call(function: Callable[[], Any]) -> Any:
    try:
        return function()
    except ErraiError:
        raise
    except Exception as error:
        raise StrategyError(f"{function!r:.80} cannot make an agent: {fault_text(error)}.") from error


def _needs_nothing(function: Callable[..., Any]) -> bool:
    """Return whether a function can be called without arguments."""
    try:
        inspect.signature(function).bind()
    except TypeError:
        return False
    except ValueError:  # What is not written in Python may not say what it takes.
        return True
    return True
