"""Some betting lines of one street of a betting tree, as the kernels take them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from errai.kernels.layout import CHANCE, DECISION, FOLD, LEAF, LOSE, SHOWDOWN, TIE, WIN, StreetLines
from errai.tree.betting_tree import BettingTree


@dataclass(frozen=True, eq=False)
class TreeLines(StreetLines):
    """Lines of one street, with their place in the betting tree."""

    nodes: NDArray[np.int64]
    """int64[n]: their numbers in the betting tree."""
    next_entries: NDArray[np.int64]
    """int64[closed]: the entry to which each node that closes the street leads; -1 at the edge of the tree."""

    @classmethod
    def at(
        cls, betting: BettingTree, nodes: NDArray[np.int64], parent: NDArray[np.int64], *, cut: bool = False
    ) -> TreeLines:
        """Return the lines of some nodes; see :func:`street_lines` for ``cut``."""
        kind, actor = betting.kind[nodes], betting.actor[nodes]
        closed = np.isin(kind, (CHANCE, LEAF))
        rake = None if betting.rake_chips is None else betting.rake_chips[nodes]
        return cls.of(
            np.where(closed, LEAF, kind) if cut else kind,
            actor,
            parent,
            end_payoffs(kind, actor, betting.contributions[nodes], rake),
            nodes=nodes,
            next_entries=np.where(kind == CHANCE, betting.first_child[nodes], -1)[closed].astype(np.int64),
        )

    @property
    def stakes(self) -> NDArray[np.float64]:
        """float64[n]: chips that the winner wins at an end."""
        return np.ascontiguousarray(self.ends[:, :, WIN].max(axis=1))


def street_lines(
    betting: BettingTree,
    entries: Sequence[int] | NDArray[np.integer],
    kept: NDArray[np.bool_] | None = None,
    *,
    cut: bool = False,
) -> TreeLines:
    """Return all lines of a street that follow some entries.

    Parameters
    ----------
    betting:
        The whole betting tree.
    entries:
        The nodes of one street with which the lines begin, in any order.
    kept:
        bool[N]: which nodes of the tree are kept below the entries; by default all.
    cut:
        Whether the street is the last one, so that nodes with cards to come are leaves.
    """
    level = np.asarray(entries, dtype=np.int64)
    nodes, parents, size = [level], [np.full(len(level), -1, np.int64)], 0
    while len(level):
        counts = np.where(betting.kind[level] == DECISION, betting.num_children[level], 0).astype(np.int64)
        place = np.arange(size, size + len(level))
        size += len(level)
        above = np.repeat(place, counts)
        level = np.repeat(betting.first_child[level] - (np.cumsum(counts) - counts), counts) + np.arange(len(above))
        if kept is not None:
            above, level = above[kept[level]], level[kept[level]]
        nodes.append(level)
        parents.append(above)
    return TreeLines.at(betting, np.concatenate(nodes), np.concatenate(parents), cut=cut)


def end_payoffs(
    kind: NDArray[np.int8],
    actor: NDArray[np.int8],
    contributions: NDArray[np.float64],
    rake: NDArray[np.float64] | None = None,
) -> NDArray[np.float64]:
    """Return float64[n, 2, 3]: net chips of each player at the ends among some nodes, as in ``StreetArrays.ends``.

    ``contributions`` (float64[n, 2]) are the chips that each player has put in, and ``rake`` (float64[n]) is what the
    house takes of the pot: the winner pays it, and players who tie pay half of it each.
    """
    loser = np.where(kind == FOLD, actor, 0)
    stake = np.where(np.isin(kind, (FOLD, SHOWDOWN)), contributions[np.arange(len(kind)), loser], 0.0)
    ends = np.zeros((len(kind), 2, 3))
    for p in (0, 1):
        folds, wins = (kind == FOLD) & (actor == p), (kind == FOLD) & (actor != p)
        ends[~folds, p, WIN] = stake[~folds]
        ends[~wins, p, LOSE] = -stake[~wins]
        if rake is not None:
            ends[~folds, p, WIN] -= rake[~folds]
            ends[kind == SHOWDOWN, p, TIE] -= rake[kind == SHOWDOWN] / 2.0
    return ends
