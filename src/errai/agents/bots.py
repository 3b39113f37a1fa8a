"""The bots of the literature by name: what a text such as ``poki`` or ``vexbot:seed=3`` makes.

Their modules are read when one of them is asked for, and not before.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module

from errai.agents.agent import Agent
from errai.games.hand import Subject

BOTS: dict[str, str] = {
    "poki": "errai.agents.literature.poki.agent:poki",
    "poki-formula": "errai.agents.literature.poki.agent:poki_formula",
    "brplayer": "errai.agents.literature.adaptive.brplayer:make",
    "vexbot": "errai.agents.literature.adaptive.vexbot:make",
    "psopti0": "errai.agents.literature.psopti.strategy:make_psopti0",
    "psopti1": "errai.agents.literature.psopti.strategy:make_psopti1",
    "psopti2": "errai.agents.literature.psopti.strategy:make_psopti2",
    "random-bets": "errai.agents.random_bets:make",
}
"""Name to ``module:function``; the function is given what follows the name and a colon, and the subject."""


def find_bot(text: str) -> Callable[[Subject], Agent] | None:
    """What makes the bot that a text names from a game, or None where it names none."""
    name, _, options = text.strip().partition(":")
    if name not in BOTS:
        return None
    module, _, function = BOTS[name].partition(":")
    make: Callable[[str, Subject], Agent] = getattr(import_module(module), function)
    return lambda subject: make(options, subject)
