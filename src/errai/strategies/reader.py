"""Strategies from text: a name, a mixture, a solution file, or a function of one's own."""

from __future__ import annotations

import math
import re
from importlib import import_module
from pathlib import Path
from typing import Any

from errai.blueprints.blueprint import load_blueprint
from errai.blueprints.shipped import SHIPPED, shipped_blueprint
from errai.errors import ForeignFileError, StrategyError, UnknownStrategyError
from errai.games.game import Game
from errai.solutions.artefact import load_solution
from errai.strategies.blind import ALWAYS, Mixture, Uniform
from errai.strategies.blueprint import BlueprintStrategy
from errai.strategies.buckets import by_strength
from errai.strategies.solution import SolutionStrategy
from errai.strategies.strategy import BatchedStrategy

DEFAULT_BUCKETS = 8
MAX_BUCKETS = 10_000

KNOWN = (
    "always-fold, always-call, always-raise, uniform, a mixture such as fold=0.1,call=0.4,raise=0.5, by-strength or "
    "by-strength:20, blueprint, blueprint-nl, a solution or blueprint (.errai), or package.module:function"
)
"""What can be read, for messages and help."""

_OWN = re.compile(r"([A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*):([A-Za-z_]\w*)")


def read_strategy(text: str, game: Game) -> BatchedStrategy:
    """Read a strategy for a game.

    Parameters
    ----------
    text:
        One of ``KNOWN``.  A function of one's own is called with the game and returns a strategy; something that is
        a strategy already is taken as it is.

    Raises
    ------
    StrategyError
        The text is no strategy, or names one that is not to be had; the message says what can be written.
    ArtefactError
        A solution file cannot be used.
    """
    name = text.strip()
    if name in ALWAYS:
        return ALWAYS[name]
    if name == "uniform":
        return Uniform()
    if name == "by-strength" or name.startswith("by-strength:"):
        return by_strength(game, _buckets(name))
    if name in SHIPPED:
        return BlueprintStrategy(shipped_blueprint(name), name)
    if name.lower().endswith(".errai"):
        if not Path(name).exists():
            raise StrategyError(f"There is no file {name!r}; check the path of the solution.")
        try:
            return BlueprintStrategy(load_blueprint(name), f"blueprint {Path(name).name}")
        except ForeignFileError:
            pass  # A solution then, or nothing: who reads solutions will say so.
        return SolutionStrategy(load_solution(name, threads=1))
    if "=" in name:
        return _mixture(name)
    own = _OWN.fullmatch(name)
    if own is not None:
        return _own(own[1], own[2], game)
    raise UnknownStrategyError(f"{text!r} is no strategy; write {KNOWN}.")


def _buckets(name: str) -> int:
    text = name.partition(":")[2]
    if ":" not in name:
        return DEFAULT_BUCKETS
    if not text.isascii() or not text.isdigit() or not 1 <= int(text) <= MAX_BUCKETS:
        raise StrategyError(
            f"{name!r} needs a whole number of buckets from 1 to {MAX_BUCKETS:,}, as in by-strength:20."
        )
    return int(text)


def _mixture(text: str) -> Mixture:
    shares: dict[str, float] = {}
    for part in text.split(","):
        action, equals, number = (piece.strip() for piece in part.partition("="))
        if not equals or action not in ("fold", "call", "raise"):
            raise StrategyError(
                f"{part.strip()!r} in the strategy {text!r} is not understood; write fold=, call= and raise= with "
                "probabilities, separated by commas."
            )
        if action in shares:
            raise StrategyError(f"The strategy {text!r} says twice how often it plays '{action}'.")
        try:
            shares[action] = float(number)
        except ValueError:
            raise StrategyError(f"{number!r} in the strategy {text!r} is not a number.") from None
        if not math.isfinite(shares[action]):
            raise StrategyError(f"{number!r} in the strategy {text!r} is not a probability.")
    return Mixture(shares.get("fold", 0.0), shares.get("call", 0.0), shares.get("raise", 0.0))


def named_object(module: str, name: str) -> Any:
    """What a module of somebody's calls by a name.  Raises :class:`StrategyError` where it cannot be had."""
    try:
        return getattr(import_module(module), name)
    except ImportError as error:
        raise StrategyError(f"The module {module!r} cannot be imported: {error}.") from error
    except AttributeError:
        raise StrategyError(f"The module {module!r} has nothing called {name!r}.") from None


def _own(module: str, name: str, game: Game) -> BatchedStrategy:
    found = named_object(module, name)
    ready = isinstance(found, BatchedStrategy) and not isinstance(found, type)
    strategy = found(game) if callable(found) and not ready else found
    if not isinstance(strategy, BatchedStrategy):
        raise StrategyError(
            f"{module}:{name} is not a strategy: it has no 'description' and no 'rows(decisions, deals)'."
        )
    return strategy
