"""Lines of actions and cards as people write them, followed from a node."""

from __future__ import annotations

import re
from collections.abc import Iterator

from errai.errors import LineError
from errai.solutions.node import SolutionNode
from errai.tree.betting_tree import NodeKind, split_line

_CARD = re.compile(r"(?:[2-9TtJjQqKkAa]|10)[cdhsCDHS]")
_CARDS = re.compile(rf"(?:{_CARD.pattern})+")


def walk_line(node: SolutionNode, line: str) -> SolutionNode:
    """Follow a line from a node; see :meth:`errai.solutions.solution.Solution.at`."""
    for step in _steps(line):
        if node.kind == "chance" and not _CARDS.fullmatch(step.replace(" ", "")):
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
        betting, cards = node.solution.tree.betting, _CARD.findall(step)
        count = node.solution.tree.root.new_cards[node.street]
        if len(cards) > count and betting.kind[betting.first_child[node.node]] == NodeKind.CHANCE:
            return "".join(cards[:count]), "".join(cards[count:])
    return step, ""


def _steps(line: str) -> Iterator[str]:
    """Actions and cards of a line in order; neighbouring cards are one deal."""
    dealt = ""
    actions: list[str] = []
    for word in line.replace("/", " ").replace("|", " ").split():
        if _CARDS.fullmatch(word):
            if actions:
                yield from split_line(" ".join(actions))
                actions = []
            dealt += word
            continue
        if dealt:
            yield dealt
            dealt = ""
        actions.append(word)
    if dealt:
        yield dealt
    yield from split_line(" ".join(actions))
