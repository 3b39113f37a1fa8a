"""What users give as agents: objects of their own, whose errors are reported with file and line, and any strategy."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any, cast

from errai.agents.agent import Agent, MatchStart, StrategicAgent
from errai.agents.reader import read_agent
from errai.agents.strategies import StrategyAgent
from errai.errors import AgentError, ErraiError, StrategyError
from errai.games.game import Subject
from errai.games.hand import Action, Observation, PublicState
from errai.own_code import fault_text, faults_named, made_of, own_object, place_of
from errai.strategies.given import Given, as_strategy
from errai.strategies.names import Name
from errai.strategies.of_tree import TreeStrategy
from errai.strategies.strategy import Choices, Strategy, asked

Contestant = Agent | Callable[[], Agent] | Given
"""An agent, a function without arguments that makes one, or a strategy of any form, such as a function of a public
state, or of a public state and a hand."""


def as_agent(given: Contestant, subject: Subject, menu: str | None = None) -> Agent:
    """Return an agent that plays what is given.

    It may be an agent, or the name of one; a class or a function that makes one and needs no argument; or whatever
    :func:`~errai.strategies.given.given_strategy` takes, whose actions are drawn from the strategy.  ``menu`` has the
    bet sizes that a function of public states knows in a no-limit game, by default the pot and all-in; other bets are
    mapped to these.  Raises :class:`StrategyError` for anything else, or if it plays another game.
    """
    if isinstance(given, Agent):
        return given
    if isinstance(given, str):
        return read_agent(given, subject)
    if isinstance(given, type) and not _needs_nothing(given):
        raise StrategyError(f"The class {given.__name__} is no agent; make an object of it, {given.__name__}(...).")
    if callable(given) and (isinstance(given, type) or not hasattr(given, "strategy")) and _needs_nothing(given):
        with faults_named(f"Making an agent by {given!r:.80}", StrategyError):
            made = cast("Callable[[], Any]", given)()
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


def _needs_nothing(function: Callable[..., Any]) -> bool:
    """Return whether a function can be called without arguments."""
    try:
        inspect.signature(function).bind()
    except TypeError:
        return False
    except ValueError:
        pass  # What is not written in Python may not say what it takes.
    return True


class OwnAgent(Agent):
    """Makes an agent of an object with a method ``act(observation)``.

    The object may also have ``learns`` and the other methods of :class:`Agent`; an attribute ``name`` names the agent.
    An exception that it raises becomes an :class:`AgentError` that gives the file and the line.
    """

    def __init__(self, actor: Any, name: str) -> None:
        self.actor = actor
        given = getattr(actor, "name", Agent.name)
        self.name = given if isinstance(given, str) and given != Agent.name else name
        self.learns = bool(getattr(actor, "learns", False))

    def start_match(self, start: MatchStart) -> None:
        self._call_if_there("start_match", start)

    def act(self, observation: Observation) -> Action:
        """Call the object's ``act``, and check that it returns an action."""
        answer = self._call(self.actor.act, observation)
        if not isinstance(answer, Action):
            raise AgentError(f"{answer!r:.80} is no Action{_place(self.actor.act)}.")
        return answer

    def end_hand(self, observation: Observation, net_chips: float) -> None:
        if hasattr(self.actor, "end_hand"):
            self._call(self.actor.end_hand, observation, net_chips)

    def close(self) -> None:
        self._call_if_there("close")

    def _call_if_there(self, method: str, *arguments: Any) -> None:
        if hasattr(self.actor, method):
            self._call(getattr(self.actor, method), *arguments, before=f"{self.name}: ")

    @staticmethod
    def _call(function: Callable[..., Any], *arguments: Any, before: str = "") -> Any:
        """Call a function; ``before`` begins the message of an error, where nothing else names the agent."""
        try:
            return function(*arguments)
        except ErraiError:
            raise
        except (Exception, SystemExit) as error:
            raise AgentError(f"{before}{fault_text(error)}") from error


class OwnStrategicAgent(OwnAgent, StrategicAgent):
    """Makes an agent of an object with a method ``strategy(state)`` that returns the strategy of every hand.

    Its actions are drawn from that strategy, unless the object has a method ``act`` as well.
    """

    def __init__(self, actor: Any, name: str) -> None:
        super().__init__(actor, name)
        if hasattr(actor, "suits_alike"):
            self.suits_alike = actor.suits_alike
        self._times = 0
        """How often the strategy was asked."""

    def start_match(self, start: MatchStart) -> None:
        StrategicAgent.start_match(self, start)
        self._call_if_there("start_match", start)

    def act(self, observation: Observation) -> Action:
        acts = OwnAgent.act if hasattr(self.actor, "act") else StrategicAgent.act
        return acts(self, observation)

    def strategy(self, state: PublicState) -> Choices:
        """See :meth:`StrategicAgent.strategy`; the object's answer is checked."""
        self._times += 1
        try:
            # The first, second, fourth, eighth ... question is asked twice.
            again = self._times & (self._times - 1) == 0
            return asked(self.actor, state, again)
        except StrategyError as error:
            raise AgentError(f"{self.name}{_place(self.actor.strategy)}: {error}") from error


def read_own_agent(name: Name, subject: Subject) -> Agent:
    """Make the agent ``python:package.module:Class``.

    The class or function is called with the game or spot if it takes an argument.  The object that it returns must have
    a method ``act(observation)``, or ``strategy(state)``, or both.  Raises :class:`StrategyError`, with the file and
    the line of the error, if it cannot be imported or made, or is no agent.
    """
    name.read(source="package.module:Class")
    made = own_object(name.source)
    if isinstance(made, type) or (callable(made) and not hasattr(made, "act")):
        made = made_of(made, subject, name.text)
    if isinstance(made, Strategy):
        return OwnStrategicAgent(made, name.text)
    if callable(getattr(made, "act", None)):
        return OwnAgent(made, name.text)
    raise StrategyError(f"{name.text!r} has no method act(observation) and no strategy(state), so it cannot play.")


def _place(function: Callable[..., Any]) -> str:
    place = place_of(function)
    return f" ({place})" if place else ""
