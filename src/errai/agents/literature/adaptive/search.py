"""Miximax and miximix: the value of every action, by a search of the rest of the hand (Billings et al. 2004).

At the player's own decision the value is that of the best action (miximax), or the mean over a mixture in which better
actions are more likely (miximix); at the opponent's decision it is the mean over the modelled frequencies; where cards
are dealt, the mean over them.  A fold is worth the pot, and a showdown follows from the probability to win there.

The opponent's frequencies depend on the bets alone, so the cards matter only by the hand rank with which the player
would reach a showdown.  The betting tree is walked once from below, all nodes of the same depth at a time, with a
*lane* for each way in which the cards of a street may fall.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from errai.errors import UnsupportedGameError
from errai.tree.betting_tree import BettingTree, NodeKind

Rule = Callable[[NDArray[np.float64]], NDArray[np.float64]]
"""Computes the values of the player's own decisions, float64[n, L], from those of their actions, float64[n, A, L]."""


def miximax(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the value of the best action."""
    return np.asarray(values.max(axis=1))


def mixture(values: NDArray[np.float64], temperature: float) -> NDArray[np.float64]:
    """Return probabilities of actions proportional to exp(value / temperature); float64[n, A, L] like the values."""
    weights = np.exp((values - values.max(axis=1, keepdims=True)) / temperature)
    return np.asarray(weights / weights.sum(axis=1, keepdims=True))


def miximix(temperature: float) -> Rule:
    """Return the rule of the mean over :func:`mixture`; ``temperature`` is in chips."""

    def rule(values: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.asarray((mixture(values, temperature) * values).sum(axis=1))

    return rule


@dataclass(frozen=True, eq=False)
class Group:
    """Decisions of one player at the same depth of a street with equally many actions."""

    rows: NDArray[np.int64]
    """Rows of the street."""
    children: NDArray[np.int64]
    """int64[n, A], rows of the street."""
    nodes: NDArray[np.int64]
    """int64[n, A], the children as nodes of the betting tree."""
    own: bool


@dataclass(frozen=True, eq=False)
class Street:
    """The part of a street that lies below the root of a search; it has a row for each node."""

    size: int
    fold_rows: NDArray[np.int64]
    fold_chips: NDArray[np.float64]
    """Chips that the searcher wins."""
    showdown_rows: NDArray[np.int64]
    showdowns: NDArray[np.int64]
    """Their numbers among all showdowns of the tree."""
    stakes: NDArray[np.float64]
    chance_rows: NDArray[np.int64]
    entries: NDArray[np.int64]
    """Row on the next street to which each chance node leads."""
    entry_nodes: NDArray[np.int64]
    """The same as nodes of the betting tree."""
    groups: tuple[Group, ...]
    """The deepest first."""

    def values(
        self,
        lanes: int,
        shares: NDArray[np.float64],
        rule: Rule,
        *,
        entering: NDArray[np.float64] | None = None,
        wins: NDArray[np.float64] | None = None,
    ) -> NDArray[np.float64]:
        """Return the values of every node of the street to the searcher.

        Parameters
        ----------
        lanes:
            L: in how many ways the cards may have fallen.
        shares:
            float64[N]: how often the opponent takes the action to each node.
        rule:
            How values of own decisions are computed.
        entering:
            float64[chance rows, L]: values of the next street, by chance node.
        wins:
            float64[showdowns, L]: the probability to win each showdown.

        Returns
        -------
        float64[size, L] in chips, with the chips put in already subtracted.
        """
        found = np.empty((self.size, lanes))
        found[self.fold_rows] = self.fold_chips[:, None]
        if len(self.showdown_rows):
            assert wins is not None
            found[self.showdown_rows] = self.stakes[:, None] * (2.0 * wins - 1.0)
        if len(self.chance_rows):
            assert entering is not None
            found[self.chance_rows] = entering
        for group in self.groups:
            values = found[group.children]
            if group.own:
                found[group.rows] = rule(values)
            else:
                found[group.rows] = np.einsum("na,nal->nl", shares[group.nodes], values)
        return found


class SearchTree:
    """A betting tree, as one seat searches it.

    Raises :class:`UnsupportedGameError` if hands can end by a showdown before the last street, or if the tree is cut.
    """

    def __init__(self, tree: BettingTree, seat: int) -> None:
        last = tree.num_streets - 1
        if np.any((tree.kind == NodeKind.LEAF) | ((tree.kind == NodeKind.SHOWDOWN) & (tree.street != last))):
            raise UnsupportedGameError("The search needs a whole betting tree with all showdowns on the last street.")
        self.tree, self.seat = tree, seat
        self._showdown_number = np.cumsum(tree.kind == NodeKind.SHOWDOWN) - 1
        self._depth = np.zeros(tree.num_nodes, dtype=np.int64)
        # The depth is counted anew on each street, so that as many nodes as possible have the same depth.
        for node in range(1, tree.num_nodes):
            parent = tree.parent[node]
            self._depth[node] = self._depth[parent] + 1 if tree.street[parent] == tree.street[node] else 0
        self._below: dict[int, tuple[Street, ...]] = {}

    def below(self, root: int) -> tuple[Street, ...]:
        """Return the streets from a node on, its own street first; the node has row 0 there."""
        if root not in self._below:
            self._below[root] = self._streets(root)
        return self._below[root]

    def _streets(self, root: int) -> tuple[Street, ...]:
        tree = self.tree
        first = int(tree.street[root])
        blocks: list[list[NDArray[np.int64]]] = [[] for _ in range(first, tree.num_streets)]
        level = np.array([root], dtype=np.int64)
        while len(level):
            for street in np.unique(tree.street[level]):
                blocks[int(street) - first].append(level[tree.street[level] == street])
            level = self._children(level)
        row = np.full(tree.num_nodes, -1, dtype=np.int64)
        nodes = [np.sort(np.concatenate(block)) if block else np.zeros(0, dtype=np.int64) for block in blocks]
        for of_street in nodes:
            row[of_street] = np.arange(len(of_street))
        return tuple(self._street(of_street, row) for of_street in nodes)

    def _children(self, nodes: NDArray[np.int64]) -> NDArray[np.int64]:
        counts = self.tree.num_children[nodes].astype(np.int64)
        starts = np.repeat(self.tree.first_child[nodes] - (np.cumsum(counts) - counts), counts)
        return np.asarray(starts + np.arange(int(counts.sum())), dtype=np.int64)

    def _street(self, nodes: NDArray[np.int64], row: NDArray[np.int64]) -> Street:
        tree, seat = self.tree, self.seat
        kind = tree.kind[nodes]
        folds = nodes[kind == NodeKind.FOLD]
        ends = nodes[kind == NodeKind.SHOWDOWN]
        dealt = nodes[kind == NodeKind.CHANCE]
        entries = tree.first_child[dealt].astype(np.int64)
        won = np.where(tree.actor[folds] == seat, -1.0, 1.0) * tree.contributions[folds, tree.actor[folds]]
        decisions = nodes[kind == NodeKind.DECISION]
        depth, actor = self._depth[decisions], tree.actor[decisions]
        actions = tree.num_children[decisions]
        groups = []
        for key in sorted(set(zip((-depth).tolist(), actor.tolist(), actions.tolist(), strict=True))):
            here = decisions[(depth == -key[0]) & (actor == key[1]) & (actions == key[2])]
            children = tree.first_child[here, None].astype(np.int64) + np.arange(key[2])
            groups.append(Group(row[here], row[children], children, key[1] == seat))
        return Street(
            size=len(nodes),
            fold_rows=row[folds],
            fold_chips=won,
            showdown_rows=row[ends],
            showdowns=self._showdown_number[ends],
            stakes=tree.contributions[ends, seat],
            chance_rows=row[dealt],
            entries=row[entries],
            entry_nodes=entries,
            groups=tuple(groups),
        )
