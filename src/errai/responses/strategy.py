"""The best response to a strategy, as a strategy: it can be asked at any public state, played, mixed and measured."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from errai.engine.resources import check_memory
from errai.engine.schedules import find_schedule
from errai.games.game import Subject
from errai.kernels.backends import make_kernel
from errai.kernels.layout import BEST
from errai.kernels.protocol import Arrays, State
from errai.responses.general import SuitCheck, merges_suits
from errai.responses.whole_tree import asked_everywhere
from errai.solutions.solution import MemoryProfile
from errai.solutions.subjects import menu_of
from errai.strategies.of_tree import TreeStrategy
from errai.strategies.solution import SolutionStrategy
from errai.strategies.strategy import BatchedStrategy
from errai.tree.public_tree import PublicTree, plan_public_tree


@dataclass(frozen=True, eq=False)
class Responses(MemoryProfile):
    """In each seat the best response to a strategy in the other one, with all hands on a whole tree."""

    tree: PublicTree
    strategy: Arrays
    """float64, 1 for the action that is taken: of several best ones the first."""
    menu: str | None = None
    threads: int = 1
    below: None = None
    leaves: None = None


def responses_to(
    strategy: BatchedStrategy, subject: Subject, menu: str | None, suits_alike: bool | None = None, threads: int = 1
) -> Responses:
    """Compute the best responses to a strategy, which is held in memory.

    Raises :class:`TreeTooLargeError` if it does not fit, :class:`StrategyError` if the strategy cannot be used, and
    :class:`SuitsError` if it turns out not to be symmetric in the suits.
    """
    bets = menu_of(subject, menu)
    merged, look = merges_suits(strategy, subject, bets, suits_alike)
    plan = plan_public_tree(subject, menu=bets, isomorphism=merged)
    check_memory(plan, 24 * plan.entries + plan.deal_bytes, None, "A best response as a strategy needs all of it. ")
    tree = plan.build()
    given = asked_everywhere(strategy, tree, SuitCheck(tree.root) if look else None)
    kernel, row = make_kernel("cpu", tree.arrays, threads), find_schedule("cfr").coefficients(1, 1)[0]
    found = tree.arrays.zeros(np.float64)
    for player in (0, 1):
        # A walk in which all hands respond best leaves the best action of each as the only regret above 0.
        state = State([[array.copy() for array in pair] for pair in given], tree.arrays.zeros(np.float64))
        kernel.update(state, player, row, role=BEST)
        for street, pair in zip(found, state.regrets, strict=True):
            street[player] = (pair[player] > 0.0).astype(np.float64)
    return Responses(tree, found, menu, threads)


def as_played(profile: Responses) -> TreeStrategy:
    """Return best responses as a strategy of public states; bets that their tree lacks are translated."""
    return TreeStrategy(SolutionStrategy(profile), profile.subject, profile.tree.betting)  # type: ignore[arg-type]
