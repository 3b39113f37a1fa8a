"""How often play comes to a node of a solution, and how far from an equilibrium the solution is there.

An exploitability bounds what can be gained over the whole game.  A line that is played once in ten thousand hands may
lose half of its pot and add next to nothing to that, so what a solution does there says little; these two numbers tell.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from errai.cards.hands import fitting_weights

if TYPE_CHECKING:
    from errai.solutions.node import SolutionNode


def reached(node: SolutionNode) -> float:
    """Probability that both players take the line to a node and that exactly its cards come.

    The weight of all pairs of hands that get there over that of all pairs at the root, times the chance of the cards:
    after each street one of the sets that the deck has left once both hands and the board are taken out.
    """
    solution = node.solution
    hands, dealt = solution.tree.root.hands, len(solution.board)
    before, here = (_pairs(hands, ranges) for ranges in (solution.root_ranges, node.ranges))
    chance = 1.0
    for count in solution.tree.root.new_cards[: node.street]:
        chance /= math.comb(solution.deck.num_cards - 2 * hands.shape[1] - dealt, count)
        dealt += count
    return here / before * chance if before > 0.0 else 0.0


def line_reached(node: SolutionNode) -> float:
    """Probability that both players take the line to a node, given that exactly its cards come.

    Unlike :func:`reached`, it is not small for the mere reason that cards have been dealt.
    """
    solution = node.solution
    hands = solution.tree.root.hands
    free = ~np.isin(hands, np.asarray(node.board, dtype=hands.dtype)).any(axis=1)
    before = _pairs(hands, np.asarray(solution.root_ranges, dtype=np.float64) * free)
    return _pairs(hands, node.ranges) / before if before > 0.0 else 0.0


def unconverged(node: SolutionNode) -> float:
    """Half of what both players together gain by best responses from a node on, as a fraction of its pot.

    Each responds to the strategy of the other one as it is, and both have the ranges with which they come there; the
    mean is over all pairs of hands that do.  NaN where none does, or where ``why_no_ev`` says why values are not known.
    At the root it is the exploitability that was certified.
    """
    certified = node.solution.root_gains if node.node == 0 else None
    if certified is not None:
        return max(0.0, sum(certified)) / 2.0 / node.pot_chips
    pairs = _pairs(node.solution.tree.root.hands, node.ranges)
    if node.why_no_ev or pairs <= 0.0:
        return math.nan
    gains = 0.0
    for p in (0, 1):
        gain = node.counterfactual(p, best=True) - node.counterfactual(p)
        gains += float(node.ranges[p] @ np.nan_to_num(gain))
    return max(0.0, gains) / 2.0 / pairs / node.pot_chips


def _pairs(hands: np.ndarray, ranges: np.ndarray) -> float:
    """The weight of all pairs of hands that do not collide."""
    return float(ranges[0] @ np.maximum(fitting_weights(hands, ranges[1]), 0.0))
