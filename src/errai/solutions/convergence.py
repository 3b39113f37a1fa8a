"""How often a node of a solution is reached, and how far from an equilibrium the solution is there.

An exploitability bounds the gain over the whole game.  A line that is hardly ever played adds almost nothing to it even
where half of the pot is lost, so the strategy there may be poor; these two numbers show it.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from errai.cards.hands import fitting_weights

if TYPE_CHECKING:
    from errai.solutions.node import SolutionNode


def reached(node: SolutionNode) -> float:
    """Return :attr:`SolutionNode.reached <errai.solutions.node.SolutionNode.reached>`.

    It is the weight of all pairs of hands that get there over that of all pairs at the root, times the probability of
    the cards: after each street one of the sets that the deck leaves without both hands and the board.
    """
    hands = node.solution.tree.root.hands
    before, here = (pair_weight(hands, ranges) for ranges in (node.solution.root_ranges, node.ranges))
    return here / before * dealt_chance(node) if before > 0.0 else 0.0


def dealt_chance(node: SolutionNode) -> float:
    """Return the probability that exactly the cards on a node's board are dealt to two hands that they leave."""
    solution = node.solution
    hole_cards, dealt, chance = solution.tree.root.hands.shape[1], len(solution.board), 1.0
    for count in solution.tree.root.new_cards[: node.street]:
        chance /= math.comb(solution.deck.num_cards - 2 * hole_cards - dealt, count)
        dealt += count
    return chance


def line_reached(node: SolutionNode) -> float:
    """Return the probability that both players take the line to a node, given that exactly its cards are dealt.

    Unlike :func:`reached`, it does not include the probability of the cards.
    """
    solution = node.solution
    hands = solution.tree.root.hands
    free = ~np.isin(hands, np.asarray(node.board, dtype=hands.dtype)).any(axis=1)
    before = pair_weight(hands, np.asarray(solution.root_ranges, dtype=np.float64) * free)
    return pair_weight(hands, node.ranges) / before if before > 0.0 else 0.0


def unconverged(node: SolutionNode) -> float:
    """Return :attr:`SolutionNode.unconverged <errai.solutions.node.SolutionNode.unconverged>`."""
    certified = node.solution.root_gains if node.node == 0 else None
    if certified is not None:
        return max(0.0, sum(certified)) / 2.0 / node.pot_chips
    pairs = pair_weight(node.solution.tree.root.hands, node.ranges)
    if node.why_no_ev or pairs <= 0.0:
        return math.nan
    gains = 0.0
    for p in (0, 1):
        gain = node.counterfactual(p, best=True) - node.counterfactual(p)
        gains += float(node.ranges[p] @ np.nan_to_num(gain))
    return max(0.0, gains) / 2.0 / pairs / node.pot_chips


def pair_weight(hands: np.ndarray, ranges: np.ndarray) -> float:
    """Return the weight of all pairs of hands that share no card."""
    return float(ranges[0] @ np.maximum(fitting_weights(hands, ranges[1]), 0.0))
