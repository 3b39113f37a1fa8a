"""A solution on real boards and with real hands, for the plain walk that merges neither suits nor classes."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from errai.games.spot import Spot
from errai.judges.explicit_game import ProfileEvaluation, evaluate_profile
from errai.solutions.node import SolutionNode
from errai.solutions.solution import Solution
from errai.tree.betting_tree import BettingTree, build_betting_tree


def whole_betting(solution: Solution) -> BettingTree:
    """The lines of bets to the last street, also where the solution's tree ends before; numbers are the same."""
    return build_betting_tree(solution.subject) if isinstance(solution.subject, Spot) else solution.tree.betting


def real_strategy(solution: Solution) -> Any:
    """The solution as probabilities by (betting node, board, hand), read through its nodes and real cards."""
    betting = whole_betting(solution)
    root_cards = len(solution.board)

    @cache
    def node_at(node: int, board: tuple[int, ...]) -> SolutionNode:
        parent = int(betting.parent[node])
        if parent < 0:
            return solution.root
        if betting.action[node]:
            return node_at(parent, board)[betting.action[node]]
        dealt = solution.tree.root.new_cards
        street = int(betting.street[node])
        before = root_cards + sum(dealt[: street - 1])
        return node_at(parent, board[:before])[solution.deck.cards_text(board[before:])]

    @cache
    def table(node: int, board: tuple[int, ...]) -> np.ndarray:
        return node_at(node, board).strategies

    def at(node: int, board: tuple[int, ...], hand: int) -> np.ndarray:
        # A tree that ends where nobody has a choice any more lacks what follows.
        return np.ones(1) if betting.num_children[node] == 1 else table(node, tuple(board))[hand]

    return at


def plain(solution: Solution, **options: Any) -> ProfileEvaluation:
    """Values and best responses of a solution by the walk over real boards and hands; options as the walk takes."""
    subject, strategy = solution.subject, real_strategy(solution)
    if isinstance(subject, Spot):
        options |= {"board": subject.board, "ranges": subject.ranges}
        subject = subject.game
    return evaluate_profile(whole_betting(solution), subject, (strategy, strategy), **options)
