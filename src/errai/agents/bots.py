"""The bots of the literature by name: what a text such as ``poki`` or ``vexbot:seed=3`` makes.

Their modules are read when one of them is asked for, and not before.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module

from errai.agents.agent import Agent
from errai.errors import StrategyError
from errai.games.hand import Subject
from errai.strategies.names import Name, read_name

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

STRATEGIES = ("psopti0", "psopti1", "psopti2")
"""Those that play by a strategy which is the same in every hand: functions of ``psopti.strategy`` make it of a game."""


def find_bot(kind: str) -> Callable[[Name, Subject], Agent] | None:
    """What makes the bots of a kind, or None where no bot is called so."""
    if kind not in BOTS:
        return None
    module, _, function = BOTS[kind].partition(":")
    made: Callable[[Name, Subject], Agent] = getattr(import_module(module), function)
    return made


def strategy_text(text: str) -> str:
    """What :func:`~errai.responses.response.best_response` reads for the strategy of a bot; other text as it is.

    Raises
    ------
    StrategyError
        The bot has no strategy that stays as it is, or options are given to one that has.
    """
    name = read_name(text)
    if name.kind not in BOTS:
        return text
    if name.kind not in STRATEGIES:
        raise StrategyError(
            f"{name.kind} has no strategy to respond to: it simulates, draws or learns while it plays. Measure it in "
            "matches with `errai match`, or from below with `errai lbr`."
        )
    if name.options or name.source:
        raise StrategyError(f"{name.kind} is responded to as it comes with Errai; write {name.kind} alone.")
    return f"python:errai.agents.literature.psopti.strategy:{name.kind}"
