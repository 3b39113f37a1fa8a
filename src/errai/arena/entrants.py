"""The contestants that can be named for a match: the agents that can be read anywhere, and ACPC programs."""

from __future__ import annotations

from errai.agents.agent import Agent
from errai.agents.reader import read_agent
from errai.arena.acpc.program import ProgramAgent
from errai.games.subject import Subject


def read_entrant(text: str, subject: Subject) -> Agent:
    """Make an agent as :func:`errai.agents.reader.read_agent`; ``acpc:command line`` runs a program."""
    return read_agent(text, subject, more={"acpc": ProgramAgent})
