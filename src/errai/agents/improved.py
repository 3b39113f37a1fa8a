"""Agents that play an improved strategy, and Libratus, of which it is one of three parts.

Libratus (Brown and Sandholm, "Superhuman AI for heads-up no-limit poker: Libratus beats top professionals", Science
359, 2018) has a blueprint over buckets and a few bet sizes, solves the rest of the hand again from the turn on, nested
in itself after every bet that its last solution lacks, and improves its blueprint between the days of play by the bets
that opponents used (:mod:`errai.resolving.improve`).
"""

from __future__ import annotations

from errai.agents.agent import MatchStart, StrategicAgent
from errai.agents.reader import read_strategic_agent
from errai.agents.resolver import (
    FIRST_BETS,
    ResolverAgent,
    ResolverOptions,
    check_subject,
    default_blueprint,
    read_solving_options,
)
from errai.games.game import Subject
from errai.games.hand import PublicState
from errai.resolving.improved import Improved, load_improved
from errai.strategies.given import file_of
from errai.strategies.names import Name
from errai.strategies.strategy import Choices
from errai.strategies.suits import SuitsAlike


class ImprovedAgent(StrategicAgent):
    """Plays a strategy with the branches that were added to it."""

    def __init__(self, improved: Improved, name: str = "") -> None:
        self.improved = improved
        self.suits_alike = improved.suits_alike
        self.name = name or improved.name
        self._asked = SuitsAlike(improved, improved.subject) if improved.suits_alike else improved

    def start_match(self, start: MatchStart) -> None:
        self.require(start.subject)
        super().start_match(start)

    def require(self, subject: Subject) -> None:
        """Raise :class:`StrategyError` if another game is played."""
        self.improved.require(subject)

    def strategy(self, state: PublicState) -> Choices:
        return self._asked.strategy(state)


def read_improved(name: Name, subject: Subject) -> ImprovedAgent:
    """Make the agent ``improved:FILE`` of a file that ``errai train --improve`` wrote.

    Raises :class:`StrategyError` if there is no such file or it is of another game, and :class:`ArtefactError` if it
    cannot be used.
    """
    name.read(source="FILE")
    agent = ImprovedAgent(load_improved(file_of(name)), name.text)
    agent.require(subject)
    return agent


def read_libratus(name: Name, subject: Subject) -> ResolverAgent:
    """Make the agent ``libratus``, ``libratus:improved:FILE`` or ``libratus:AGENT``, which names the blueprint.

    Turn and river are solved again where the blueprint leaves the hand, and after every bet that the last solution
    lacks.  The options are those of the agent ``resolver`` without ``from``.  Errors are those of
    :func:`errai.agents.resolver.read_resolver`.
    """
    chosen = {"again": "off-tree", **read_solving_options(name, {"seconds": (1e-3, 1e9)}, None, ("target", FIRST_BETS))}
    options = ResolverOptions(**chosen)
    check_subject(subject)
    blueprint = read_strategic_agent(name.source or default_blueprint(subject, options), subject)
    return ResolverAgent(blueprint, subject, options, name.text)
