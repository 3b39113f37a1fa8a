"""Random lines through a solution."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from errai.solutions.node import SolutionNode


def random_step(node: SolutionNode, generator: np.random.Generator) -> SolutionNode:
    """The node after random cards, or after a random action other than a fold."""
    if node.kind == "chance":
        count = node.solution.tree.root.new_cards[node.street]
        return node["".join(generator.choice(node.children, count, replace=False))]
    return node[str(generator.choice([a for a in node.actions if a != "fold"]))]


def random_lines(root: SolutionNode, generator: np.random.Generator) -> Iterator[str]:
    """Yield the lines to all nodes of random hands, each once; it ends when there is hardly anything new."""
    seen = {""}
    for _ in range(10_000):
        node = root
        while node.kind in ("decision", "chance"):
            node = random_step(node, generator)
            if node.line not in seen:
                seen.add(node.line)
                yield node.line
