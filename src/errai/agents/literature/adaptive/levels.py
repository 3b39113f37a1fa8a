"""Betting histories, and the coarser and coarser classes into which an opponent model groups them.

Data about one exact sequence of bets come slowly: in limit hold'em 5,103 sequences end in a showdown.  So every
observation counts at several *levels* at once, from the sequence itself to classes of similar sequences:

======== ============================================== ==============================================
level    decisions of the opponent                      showdowns
======== ============================================== ==============================================
exact    the sequence of all actions                    the sequence of all actions
rounds   bets and raises of each player in each round   bets and raises of each player in each round
totals   the round; those of each player in all         bets and raises of each player in all
pot      (not used)                                     the final pot
coarse   whether a bet is faced, and may be raised      all showdowns
======== ============================================== ==============================================

Decisions of one class always have the same kinds of actions.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from errai.games.betting import ActionKind
from errai.tree.betting_tree import BettingTree, NodeKind

LEVELS = ("exact", "rounds", "totals", "pot", "coarse")
"""Levels from the finest; ``exact`` and ``rounds`` are always used."""


@dataclass(frozen=True, eq=False)
class Classes:
    """The items that are modelled (decisions or showdowns), and the class of each at every level.

    Attributes
    ----------
    nodes: int[n]
        Nodes of the betting tree, ascending.
    number: int[N]
        Which of ``nodes`` a node of the tree is, or -1.
    of: tuple of int[n]
        Classes from the finest level to the coarsest; those of a level count from 0.
    opponent_bets: int[n]
        How often the opponent has bet or raised in all.
    """

    nodes: NDArray[np.int64]
    number: NDArray[np.int64]
    of: tuple[NDArray[np.int64], ...]
    opponent_bets: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.nodes)


@dataclass(frozen=True, eq=False)
class Histories:
    """The decisions of a player and the showdowns of a betting tree, by level."""

    decisions: Classes
    showdowns: Classes
    child: NDArray[np.int64]
    """int[n decisions, 3]: the node to which fold, call and raise lead, -1 where that is not legal."""


@lru_cache(maxsize=8)
def histories(tree: BettingTree, player: int, levels: tuple[str, ...] = LEVELS) -> Histories:
    """Group the decisions of a player and all showdowns into classes.

    Parameters
    ----------
    player:
        The seat that is modelled.
    levels:
        Some of ``LEVELS``, in that order; ``exact`` and ``rounds`` first.
    """
    bets = _bets(tree)
    child = tree.children_by_kind()
    own, others = bets[:, :, player].sum(axis=1), bets[:, :, 1 - player].sum(axis=1)
    decisions = np.flatnonzero((tree.kind == NodeKind.DECISION) & (tree.actor == player))
    legal = (child[decisions] >= 0) @ np.array([1, 2, 4])
    street = tree.street[decisions].astype(np.int64)
    here = bets[decisions].reshape(len(decisions), -1)
    decision_keys = {
        "exact": [decisions],
        "rounds": [street, legal, *here.T],
        "totals": [street, legal, own[decisions], others[decisions]],
        "coarse": [legal],
    }
    ends = np.flatnonzero(tree.kind == NodeKind.SHOWDOWN)
    # Two lines may lead to the same pot by other bets in other rounds, so the pot is a class of its own.
    pots = np.unique(tree.contributions[ends].sum(axis=1), return_inverse=True)[1].reshape(-1)
    showdown_keys = {
        "exact": [ends],
        "rounds": [*bets[ends].reshape(len(ends), -1).T],
        "totals": [own[ends], others[ends]],
        "pot": [pots],
        "coarse": [np.zeros(len(ends), dtype=np.int64)],
    }
    return Histories(
        _classes(tree, decisions, decision_keys, levels, own[decisions]),
        _classes(tree, ends, showdown_keys, levels, own[ends]),
        child[decisions],
    )


def _bets(tree: BettingTree) -> NDArray[np.int64]:
    """Return int64[N, streets, 2]: how often each player has bet or raised on the way to a node."""
    bets = np.zeros((tree.num_nodes, tree.num_streets * 2), dtype=np.int64)
    raised = np.flatnonzero(tree.action_kind == ActionKind.RAISE)
    before = tree.parent[raised]
    bets[raised, 2 * tree.street[before] + tree.actor[before]] = 1
    for node, parent in enumerate(tree.parent.tolist()):
        # Parents come first, so their counts are complete.
        if parent >= 0:
            bets[node] += bets[parent]
    return bets.reshape(tree.num_nodes, tree.num_streets, 2)


def _classes(
    tree: BettingTree,
    nodes: NDArray[np.intp],
    keys: dict[str, list[NDArray[np.int64]]],
    levels: tuple[str, ...],
    opponent_bets: NDArray[np.int64],
) -> Classes:
    number = np.full(tree.num_nodes, -1, dtype=np.int64)
    number[nodes] = np.arange(len(nodes))
    of = []
    for level in levels:
        if level in keys:
            rows = np.column_stack(keys[level]) if len(nodes) else np.zeros((0, 1), dtype=np.int64)
            of.append(np.unique(rows, axis=0, return_inverse=True)[1].reshape(-1).astype(np.int64))
    return Classes(nodes.astype(np.int64), number, tuple(of), opponent_bets)
