"""The bots of the literature by name: what a text such as ``poki`` or ``vexbot:seed=3`` makes.

Their modules are read when one of them is asked for, and not before.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module

from errai.agents.agent import Agent
from errai.errors import StrategyError
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

STRATEGIES: dict[str, str] = {
    name: f"errai.agents.literature.psopti.strategy:{name}" for name in ("psopti0", "psopti1", "psopti2")
}
"""Those that play by a strategy which is the same in every hand, and the function that makes it of a game."""


def find_bot(text: str) -> Callable[[Subject], Agent] | None:
    """What makes the bot that a text names from a game, or None where it names none."""
    name, _, options = text.strip().partition(":")
    if name not in BOTS:
        return None
    module, _, function = BOTS[name].partition(":")
    make: Callable[[str, Subject], Agent] = getattr(import_module(module), function)
    return lambda subject: make(options, subject)


def strategy_text(text: str) -> str:
    """What :func:`~errai.responses.response.best_response` reads for the strategy of a bot; other text as it is.

    Raises
    ------
    StrategyError
        The bot has no strategy that stays as it is, or options are given to one that has.
    """
    name, _, options = text.strip().partition(":")
    if name not in BOTS:
        return text
    if name not in STRATEGIES:
        raise StrategyError(
            f"{name} has no strategy to respond to: it simulates, draws or learns while it plays. Measure it in "
            "matches with `errai match`, or from below with `errai lbr`."
        )
    if options:
        raise StrategyError(f"{name} is responded to as it comes with Errai; write {name} without {options!r}.")
    return STRATEGIES[name]
