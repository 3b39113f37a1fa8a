"""Follow a line of actions and cards, as users write it, from a node."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from operator import getitem

from errai.errors import LineError
from errai.solutions.node import SolutionNode
from errai.tree.betting_tree import NodeKind
from errai.tree.lines import card_texts, is_deal, steps

Follow = Callable[[SolutionNode, str], SolutionNode]
"""Returns the node after a step from another."""


def walk_line(node: SolutionNode, line: str) -> SolutionNode:
    """Follow a line from a node; see :meth:`errai.solutions.solution.Solution.at`."""
    for _, after in line_nodes(node, line):
        node = after
    return node


def line_nodes(node: SolutionNode, line: str, follow: Follow = getitem) -> Iterator[tuple[str, SolutionNode]]:
    """Yield every step of a line from a node on, and the node after it.

    ``follow`` takes a single step; one that keeps the nodes that it has made saves work where many lines are followed.
    Raises :class:`LineError` where there is no such step.
    """
    for step in steps(line):
        if node.kind == "chance" and not is_deal(step):
            cards = "".join(node.children[-node.solution.tree.root.new_cards[node.street] :])
            raise LineError(
                f"After '{node.line}' the street is closed; name the cards, as in '{node.line} / {cards} / {step}'."
            )
        while step:
            now, step = _next_deal(node, step)
            node = follow(node, now)
            yield now, node


def _next_deal(node: SolutionNode, step: str) -> tuple[str, str]:
    """Return a step, and the rest of it: after an all-in and a call several streets may be dealt in one step."""
    if node.kind == "chance":
        betting, cards = node.solution.tree.betting, card_texts(step)
        count = node.solution.tree.root.new_cards[node.street]
        if len(cards) > count and betting.kind[betting.first_child[node.node]] == NodeKind.CHANCE:
            return "".join(cards[:count]), "".join(cards[count:])
    return step, ""
