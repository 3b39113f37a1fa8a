"""Make strategies from their names: by formula, from a file, or from the user's own code."""

from __future__ import annotations

from pathlib import Path

from errai.blueprints.blueprint import SHIPPED, load_blueprint, shipped_blueprint
from errai.errors import StrategyError, UnknownStrategyError
from errai.games.game import Game
from errai.own_code import made_of, own_object
from errai.solutions.artefact import load_solution
from errai.strategies.blind import ALWAYS, Mixture, Uniform
from errai.strategies.buckets import by_strength
from errai.strategies.names import Name, read_name
from errai.strategies.solution import BlueprintStrategy, SolutionStrategy
from errai.strategies.strategy import BatchedStrategy

DEFAULT_BUCKETS = 8
MAX_BUCKETS = 10_000

KNOWN = (
    "always-fold, always-call, always-raise, uniform, a mixture such as fold=0.1,call=0.4,raise=0.5, by-strength or "
    "by-strength:20, blueprint, blueprint-nl, blueprint:FILE, solution:FILE or python:package.module:function"
)
"""The names that can be read, for messages and help texts; :mod:`errai.strategies.names` has the grammar."""


def read_strategy(text: str, game: Game) -> BatchedStrategy:
    """Read a strategy for a game.

    Parameters
    ----------
    text:
        One of ``KNOWN``.  A user's function is called with the game and must return a strategy; an object that is a
        strategy already is used as it is.

    Raises
    ------
    StrategyError
        If the text names no strategy, or one that is not available; the message says what can be written.
    ArtefactError
        If a file cannot be used.
    """
    name = read_name(text)
    if not name.kind and name.options:
        shares = name.read(dict.fromkeys(("fold", "call", "raise"), (0.0, 1.0)))
        return Mixture(shares.get("fold", 0.0), shares.get("call", 0.0), shares.get("raise", 0.0))
    if name.kind in ALWAYS or name.kind == "uniform":
        name.read()
        return ALWAYS.get(name.kind, Uniform())
    if name.kind == "by-strength":
        name.read(source="[BUCKETS]")
        return by_strength(game, _buckets(name))
    if name.kind in SHIPPED and not name.source:
        name.read()
        return BlueprintStrategy(shipped_blueprint(name.kind), name.kind)
    if name.kind == "blueprint":
        name.read(source="FILE")
        return BlueprintStrategy(load_blueprint(file_of(name)), f"blueprint {Path(name.source).name}")
    if name.kind == "solution":
        name.read(source="FILE")
        return SolutionStrategy(load_solution(file_of(name), threads=1))
    if name.kind == "python":
        name.read(source="package.module:function")
        return _own(name.source, game)
    raise UnknownStrategyError(f"{text!r} is not a strategy; write {KNOWN}.")


def file_of(name: Name) -> Path:
    """Return the file that is the source of a name.  Raises :class:`StrategyError` if it does not exist."""
    if not Path(name.source).is_file():
        raise StrategyError(f"There is no file {name.source!r}; check the path of the {name.kind}.")
    return Path(name.source)


def _buckets(name: Name) -> int:
    if not name.source:
        return DEFAULT_BUCKETS
    if not name.source.isascii() or not name.source.isdigit() or not 1 <= int(name.source) <= MAX_BUCKETS:
        raise StrategyError(
            f"{name.text!r} needs a whole number of buckets from 1 to {MAX_BUCKETS:,}, as in by-strength:20."
        )
    return int(name.source)


def _own(source: str, game: Game) -> BatchedStrategy:
    found = own_object(source)
    ready = isinstance(found, BatchedStrategy) and not isinstance(found, type)
    strategy = made_of(found, game, f"python:{source}") if callable(found) and not ready else found
    if not isinstance(strategy, BatchedStrategy):
        raise StrategyError(f"{source} is not a strategy: it has no 'description' and no 'rows(decisions, deals)'.")
    return strategy
