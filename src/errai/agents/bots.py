"""The bots of the literature by name: what a text such as ``poki`` or ``vexbot:seed=3`` makes.

Their modules are read when one of them is asked for, and not before.
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
"""Kind to ``module:function``; the function is given the name and the subject."""


def find_bot(kind: str) -> Callable[[Name, Subject], Agent] | None:
    """What makes the bots of a kind, or None where no bot is called so."""
    if kind not in BOTS:
        return None
    module, _, function = BOTS[kind].partition(":")
    made: Callable[[Name, Subject], Agent] = getattr(import_module(module), function)
    return made
