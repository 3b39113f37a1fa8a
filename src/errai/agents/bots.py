"""The bots of the literature by name, such as ``poki`` or ``vexbot:seed=3``.

The module of a bot is imported only when that bot is used.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module

from errai.agents.agent import Agent
from errai.games.hand import Subject
from errai.strategies.names import Name

BOTS: dict[str, str] = {
    "poki": "errai.agents.literature.poki.agent:poki",
    "poki-formula": "errai.agents.literature.poki.agent:poki_formula",
    "brplayer": "errai.agents.literature.adaptive.brplayer:make",
    "vexbot": "errai.agents.literature.adaptive.vexbot:make",
    "psopti0": "errai.agents.literature.psopti.strategy:read_psopti",
    "psopti1": "errai.agents.literature.psopti.strategy:read_psopti",
    "psopti2": "errai.agents.literature.psopti.strategy:read_psopti",
    "random-bets": "errai.agents.random_bets:make",
}
"""Maps a kind to ``module:function``; the function takes the name and the subject and returns the agent."""


def find_bot(kind: str) -> Callable[[Name, Subject], Agent] | None:
    """Return the function that makes the bots of a kind, or None if there is no such kind."""
    if kind not in BOTS:
        return None
    module, _, function = BOTS[kind].partition(":")
    made: Callable[[Name, Subject], Agent] = getattr(import_module(module), function)
    return made
