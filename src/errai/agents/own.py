"""Agents written by users; an error in their code is reported with its file and line."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from errai.agents.agent import Agent, MatchStart, StrategicAgent
from errai.errors import AgentError, ErraiError, StrategyError
from errai.games.hand import Action, Observation, PublicState
from errai.games.subject import Subject
from errai.own_code import fault_text, made_of, own_object, place_of
from errai.strategies.names import Name
from errai.strategies.strategy import Choices, Strategy, asked


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
        """See :meth:`Agent.start_match`."""
        self._call_if_there("start_match", start)

    def act(self, observation: Observation) -> Action:
        """Call the object's ``act``, and check that it returns an action."""
        answer = self._call(self.actor.act, observation)
        if not isinstance(answer, Action):
            raise AgentError(f"{answer!r:.80} is no Action{_place(self.actor.act)}.")
        return answer

    def end_hand(self, observation: Observation, net_chips: float) -> None:
        """See :meth:`Agent.end_hand`."""
        if hasattr(self.actor, "end_hand"):
            self._call(self.actor.end_hand, observation, net_chips)

    def close(self) -> None:
        """See :meth:`Agent.close`."""
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
        """See :meth:`Agent.start_match`."""
        StrategicAgent.start_match(self, start)
        self._call_if_there("start_match", start)

    def act(self, observation: Observation) -> Action:
        """See :meth:`Agent.act`."""
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
    a method ``act(observation)``, or ``strategy(state)``, or both.

    Raises
    ------
    StrategyError
        If it cannot be imported or made, or is no agent; the message gives the file and the line of the error.
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
