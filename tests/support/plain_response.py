"""A best response by a recursion over the nodes of a solution, which takes only the values of ends from it."""

from __future__ import annotations

from typing import Any

import numpy as np


def best_sums(node: Any, player: int) -> np.ndarray:
    """float64[H]: a best response's counterfactual values at a node."""
    if node.kind == "chance":
        left = node.solution.deck.num_cards - 2 * node.solution.tree.root.hands.shape[1] - len(node.board)
        return sum(np.nan_to_num(best_sums(node[card], player)) for card in node.children) / left
    if node.player is None:
        return np.nan_to_num(node.counterfactual(player))
    after = np.stack([best_sums(node[action], player) for action in node.actions])
    return after.max(axis=0) if node.player == player else after.sum(axis=0)
