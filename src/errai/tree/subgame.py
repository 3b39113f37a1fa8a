"""Subgames of a public tree: some boards of a street with some of the lines that reach it, and everything below.

A subgame is a tree of its own.  Its first street is the *edge*: the boards above, with no nodes but the exits that lead
down.  The reach that enters it and the values that it returns are therefore arrays over the hands of the boards above.
In a trunk that ends there, these exits are leaves.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from errai.errors import InputError
from errai.kernels.layout import CHANCE, TreeArrays
from errai.tree.betting_tree import BettingTree
from errai.tree.deal_tree import DealTree, build_deal_forest
from errai.tree.public_tree import TreePlan, street_arrays, tie


@dataclass(frozen=True, eq=False)
class Subgame:
    """The part of a tree below some exits of a street on some boards of the next; made by :func:`build_subgame`."""

    betting: BettingTree
    """The betting tree of the whole tree."""
    street: int
    """The street of the whole tree that the subgame begins with; the edge is the street before."""
    nodes: tuple[NDArray[np.int64], ...]
    """The betting nodes on each street of the subgame, the edge first: numbers in the whole tree, ascending."""
    deal: DealTree
    """The edge's boards and those below."""

    @cached_property
    def arrays(self) -> TreeArrays:
        """The subgame as the kernels take it; its root reach is all ones, because callers give the actual reach."""
        cards = self.deal.root.hands.astype(np.uint8)
        streets = tuple(
            street_arrays(self.betting, nodes, level, cards)
            for nodes, level in zip(self.nodes, self.deal.streets, strict=True)
        )
        edge = streets[0]
        reach = tuple(np.ones(edge.num_entries * int(h.start[-1])) for h in edge.hands)
        return TreeArrays(
            streets, self.deal.root.deck.num_cards, tie(self.betting, self.deal.root), (reach[0], reach[1])
        )


def build_subgame(plan: TreePlan, street: int, boards: range, entries: range) -> Subgame:
    """Build a subgame of a tree.

    Parameters
    ----------
    plan:
        The whole tree, whose boards need not be built.
    street:
        The street that the subgame begins with, after the root's.
    boards:
        Boards of that street, by their numbers in the whole deal tree.
    entries:
        Lines that reach the street, by the numbers of its entries, which are those of the exits of the street before.

    Raises
    ------
    InputError
        There is no such street, board or entry.
    """
    if not 0 < street < plan.betting.num_streets:
        raise InputError(f"A subgame begins on a street from 1 to {plan.betting.num_streets - 1}, not {street}.")
    num_boards, num_entries = plan.deal_size.boards[street], entry_count(plan.betting, street)
    for what, part, count in (("boards", boards, num_boards), ("entries", entries, num_entries)):
        if not (0 <= part.start < part.stop <= count and part.step == 1):
            raise InputError(f"The {what} of street {street} are 0 to {count - 1}; {part} is not a range of them.")
    deal = build_deal_forest(plan.root, street, boards, showdown=plan.showdown)
    return Subgame(plan.betting, street, nodes_below(plan.betting, street, entries), deal)


def entry_count(betting: BettingTree, street: int) -> int:
    """Return the number of lines that reach a street."""
    nodes = betting.street_nodes(street)
    return int((betting.parent[nodes.start : nodes.stop] < nodes.start).sum())


def nodes_below(betting: BettingTree, street: int, entries: range) -> tuple[NDArray[np.int64], ...]:
    """Return the exits that lead to some entries of a street, and per street all nodes that follow them, ascending."""
    before = np.asarray(betting.street_nodes(street - 1), dtype=np.int64)
    exits = before[betting.kind[before] == CHANCE][entries.start : entries.stop]
    return (exits, *_followers(betting, exits, street))


def nodes_from(betting: BettingTree, first: Sequence[int], last_street: int) -> tuple[NDArray[np.int64], ...]:
    """Return some nodes of a street with all that follow them, per street up to ``last_street``, ascending."""
    street = int(betting.street[first[0]])
    return _followers(betting, np.asarray(first), street)[: last_street + 1 - street]


def _followers(betting: BettingTree, first: NDArray[np.int64], street: int) -> tuple[NDArray[np.int64], ...]:
    """Return per street from ``street`` on the ``first`` nodes and all that follow them."""
    found = []
    taken = np.zeros(betting.num_nodes + 1, dtype=bool)  # The last entry is for the root's parent, -1.
    taken[first] = True
    for s in range(street, betting.num_streets):
        nodes = np.asarray(betting.street_nodes(s), dtype=np.int64)
        # Parents come before their children, so one pass for each level of the street is enough.
        while True:
            new = nodes[taken[betting.parent[nodes]] & ~taken[nodes]]
            if not len(new):
                break
            taken[new] = True
        found.append(nodes[taken[nodes]])
    return tuple(found)
