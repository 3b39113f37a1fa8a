"""Random lines through a solution."""

from __future__ import annotations

import numpy as np

from errai.solutions.node import SolutionNode


def random_step(node: SolutionNode, generator: np.random.Generator) -> SolutionNode:
    """The node after random cards, or after a random action other than a fold."""
    if node.kind == "chance":
        count = node.solution.tree.root.new_cards[node.street]
        return node["".join(generator.choice(node.children, count, replace=False))]
    return node[str(generator.choice([a for a in node.actions if a != "fold"]))]
