"""Lines of actions and cards as people write them, followed from a node."""

from __future__ import annotations

from errai.errors import LineError
from errai.solutions.node import SolutionNode
from errai.tree.betting_tree import NodeKind
from errai.tree.lines import card_texts, is_deal, steps


def walk_line(node: SolutionNode, line: str) -> SolutionNode:
    """Follow a line from a node; see :meth:`errai.solutions.solution.Solution.at`."""
    for step in steps(line):
        if node.kind == "chance" and not is_deal(step):
            cards = "".join(node.children[-node.solution.tree.root.new_cards[node.street] :])
            raise LineError(
                f"After '{node.line}' the street is closed; name what comes: '{node.line} / {cards} / {step}'."
            )
        while step:
            now, step = _next_deal(node, step)
            node = node[now]
    return node


def _next_deal(node: SolutionNode, step: str) -> tuple[str, str]:
    """A step, and what is left of it: after a called all-in several streets are dealt with nothing between them."""
    if node.kind == "chance":
        betting, cards = node.solution.tree.betting, card_texts(step)
        count = node.solution.tree.root.new_cards[node.street]
        if len(cards) > count and betting.kind[betting.first_child[node.node]] == NodeKind.CHANCE:
            return "".join(cards[:count]), "".join(cards[count:])
    return step, ""
