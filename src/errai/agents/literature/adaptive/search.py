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
from errai.kernels.layout import WIN
from errai.tree.betting_tree import BettingTree, NodeKind
from errai.tree.street_lines import TreeLines, street_lines

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


class SearchStreet:
    """The lines of a street below the root of a search; values have a row for each of their nodes.

    Parameters
    ----------
    lines:
        The betting lines.
    seat:
        The player who searches.
    showdowns:
        int64[N]: the number of each showdown of the betting tree among all of them.
    """

    def __init__(self, lines: TreeLines, seat: int, showdowns: NDArray[np.int64]) -> None:
        self.lines, self.seat = lines, seat
        shown = lines.kind == NodeKind.SHOWDOWN
        self.showdowns = showdowns[lines.nodes[shown]]
        self._stakes = lines.ends[shown, seat, WIN]
        folds = np.flatnonzero(lines.kind == NodeKind.FOLD)
        self._folds, self._fold_chips = folds, lines.ends[folds, seat].sum(axis=1)
        depth = np.zeros(len(lines.nodes), dtype=np.int64)
        for row in range(lines.num_entries, len(depth)):
            depth[row] = depth[lines.parent[row]] + 1
        decisions = np.flatnonzero(lines.kind == NodeKind.DECISION)
        kinds = np.stack([-depth, lines.actor, lines.num_children], axis=1)[decisions]
        self._groups: list[Group] = []
        """The deepest first."""
        for key in np.unique(kinds, axis=0).tolist():
            here = decisions[(kinds == key).all(axis=1)]
            children = lines.first_child[here, None].astype(np.int64) + np.arange(key[2])
            self._groups.append(Group(here, children, lines.nodes[children], key[1] == seat))

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
            float64[exits, L]: values of the next street's entries.
        wins:
            float64[showdowns, L]: the probability to win each showdown.

        Returns
        -------
        float64[n, L] in chips, with the chips put in already subtracted.
        """
        found = np.empty((len(self.lines.nodes), lanes))
        found[self._folds] = self._fold_chips[:, None]
        if len(self.showdowns):
            assert wins is not None
            found[self.lines.kind == NodeKind.SHOWDOWN] = self._stakes[:, None] * (2.0 * wins - 1.0)
        if self.lines.num_exits:
            assert entering is not None
            found[self.lines.kind == NodeKind.CHANCE] = entering
        for group in self._groups:
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
        self._showdowns = np.cumsum(tree.kind == NodeKind.SHOWDOWN) - 1
        self._below: dict[int, tuple[SearchStreet, ...]] = {}

    def below(self, root: int) -> tuple[SearchStreet, ...]:
        """Return the streets from a node on, its own street first; the node has row 0 there."""
        if root not in self._below:
            streets, entries = [], np.array([root])
            for _ in range(int(self.tree.street[root]), self.tree.num_streets):
                lines = street_lines(self.tree, entries)
                streets.append(SearchStreet(lines, self.seat, self._showdowns))
                entries = lines.next_entries
            self._below[root] = tuple(streets)
        return self._below[root]
