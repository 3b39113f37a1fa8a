"""Make a strategy that best responses can query from any object that can be used as one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from errai.blueprints.blueprint import Blueprint
from errai.cluster.reading import StoredSolution
from errai.errors import StrategyError
from errai.games.hand import PublicState
from errai.games.subject import Subject
from errai.solutions.solution import Solution
from errai.solutions.subjects import menu_of
from errai.strategies.by_state import ByState, HandFunction, StateFunction
from errai.strategies.of_tree import TreeStrategy
from errai.strategies.openspiel import Policy, policy_function, table_function
from errai.strategies.reader import read_strategy
from errai.strategies.solution import AnySolution, BlueprintStrategy, SolutionStrategy
from errai.strategies.strategy import BatchedStrategy, Strategy, require
from errai.tree.betting_tree import build_betting_tree

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
        :func:`~errai.strategies.reader.read_strategy` can read.
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
