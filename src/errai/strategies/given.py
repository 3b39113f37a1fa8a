"""Make strategies from their names, or from any object that can be used as one, such as the user's own code."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from errai.blueprints.blueprint import SHIPPED, Blueprint, load_blueprint, shipped_blueprint
from errai.cluster.reading import StoredSolution
from errai.errors import StrategyError, UnknownStrategyError
from errai.games.game import Game, Subject
from errai.games.hand import PublicState
from errai.own_code import made_of, own_object
from errai.solutions.artefact import load_solution
from errai.solutions.solution import Solution
from errai.solutions.subjects import menu_of
from errai.strategies.blind import ALWAYS, Mixture, Uniform
from errai.strategies.buckets import by_strength
from errai.strategies.by_state import ByState, HandFunction, StateFunction
from errai.strategies.names import DEFAULT_BUCKETS, Name, read_name
from errai.strategies.of_tree import TreeStrategy
from errai.strategies.openspiel import Policy, policy_function, table_function
from errai.strategies.solution import AnySolution, BlueprintStrategy, SolutionStrategy
from errai.strategies.strategy import BatchedStrategy, Strategy, require
from errai.tree.betting_tree import build_betting_tree

MAX_BUCKETS = 10_000

KNOWN = (
    "always-fold, always-call, always-raise, uniform, a mixture such as fold=0.1,call=0.4,raise=0.5, by-strength or "
    "by-strength:20, blueprint, blueprint-nl, blueprint:FILE, solution:FILE or python:package.module:function"
)
"""The names that can be read, for messages and help texts; :mod:`errai.strategies.names` has the grammar."""

Given = (
    BatchedStrategy
    | Strategy
    | StateFunction
    | HandFunction
    | AnySolution
    | Blueprint
    | Policy
    | Mapping[str, Any]
    | str
)
"""What :func:`given_strategy` accepts."""


def given_strategy(given: Given, subject: Subject, menu: str | None = None) -> tuple[BatchedStrategy, str | None]:
    """Return a strategy for the betting tree of a subject, and the bet sizes of that tree.

    Parameters
    ----------
    given:
        A strategy of either form, such as an agent; a function of public states, or of a public state and a hand
        (:mod:`errai.strategies.by_state`); a solution, in memory or in the folder of a run; a blueprint; a table or
        policy of OpenSpiel (:mod:`errai.strategies.openspiel`); or a text that
        :func:`read_strategy` can read.
    subject:
        The game or spot, or a lookahead.
    menu:
        Bet sizes of a no-limit game; by default those that the strategy was made with, or the pot and all-in.

    Raises
    ------
    StrategyError
        If it is none of these, is for another game, or was made with other bet sizes.
    """
    strategy = _batched(given, subject, menu)
    require(strategy, subject)
    if menu is None:
        menu = getattr(strategy, "menu", None)
    betting = getattr(strategy, "betting", None)
    if betting is not None and not np.array_equal(
        betting.contributions, build_betting_tree(subject, menu_of(subject, menu)).contributions
    ):
        raise StrategyError(
            f"'{strategy.description}' was made with other bet sizes; leave out the menu, or give the strategy's."
        )
    return strategy, menu


def as_strategy(given: Given, subject: Subject, menu: str | None = None) -> Strategy:
    """Return anything that :func:`given_strategy` accepts as a strategy that is queried one public state at a time.

    Parameters and errors are those of :func:`given_strategy`.  Bets that the strategy's tree lacks are mapped to bets
    that it has (:mod:`errai.strategies.tree_walk`).
    """
    if (
        not isinstance(given, type)
        and isinstance(given, Strategy)
        and not isinstance(given, BatchedStrategy | Solution | StoredSolution | Blueprint)
    ):
        require(given, subject)
        return given
    asked, menu = given_strategy(given, subject, menu)
    return TreeStrategy(asked, subject, build_betting_tree(subject, menu_of(subject, menu)))


def _batched(given: Given, subject: Subject, menu: str | None) -> BatchedStrategy:
    if isinstance(given, type):
        raise StrategyError(
            f"The class {given.__name__} is not a strategy; make an object of it, {given.__name__}(...)."
        )
    if isinstance(given, str):
        given = read_strategy(given, subject.rules)
    if isinstance(given, AnySolution):
        return SolutionStrategy(given)
    if isinstance(given, Blueprint):
        return BlueprintStrategy(given)
    if isinstance(given, BatchedStrategy):
        return given
    if isinstance(given, TreeStrategy):
        betting = build_betting_tree(subject, menu_of(subject, menu))
        if np.array_equal(given.walk.betting.contributions, betting.contributions):
            given.require(subject)
            return given.asked
    if isinstance(given, Mapping):
        return ByState(table_function(given, PublicState.start(subject).subject), subject, menu)
    if isinstance(given, Policy):
        return ByState(policy_function(given, PublicState.start(subject).subject), subject, menu)
    if isinstance(given, Strategy) or callable(given):
        own = getattr(given, "menu", None)
        return ByState(given, subject, own if menu is None and isinstance(own, str) else menu)
    raise StrategyError(
        f"{given!r} is not a strategy: give a function of a public state, an object with strategy(state) or "
        "rows(decisions, deals), a solution, a blueprint, a table, an OpenSpiel policy or a name."
    )


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
