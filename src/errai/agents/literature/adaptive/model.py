"""The model of one opponent in one seat: frequencies of actions, and the hands with which showdowns were reached.

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

Every level holds counts.  A distribution is combined from the finest level to the coarsest: each takes a share of the
remaining weight that grows with its number of observations, and the rest goes to a prior, which is the same for all
opponents:

- *exponential credit* (Vexbot): n observations take the share ``1 - m ** n``, with m = 0.95 in the paper;
- *pseudo-counts* (BRPlayer): they take ``n / (n + k)``, so that the coarser levels count as k observations.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from errai.agents.literature.adaptive.chances import CELLS, cell, win_probability
from errai.games.betting import ActionKind
from errai.tree.betting_tree import BettingTree, NodeKind

LEVELS = ("exact", "rounds", "totals", "pot", "coarse")
"""Levels from the finest; ``exact`` and ``rounds`` are always used."""

Credit = Callable[[NDArray[np.float64]], NDArray[np.float64]]
"""The share of the remaining weight that a class takes, by its number of observations."""

PRIOR_FACING = (0.2, 0.5, 0.3)
"""Probabilities to fold, call and raise of an unknown opponent who faces a bet."""

PRIOR_OPEN = (0.0, 0.5, 0.5)

PRIOR_STRENGTH_PER_BET = 0.35
"""The prior distribution function of hand ranks x at a showdown is x ** (1 + this * the opponent's bets)."""


@dataclass(frozen=True, eq=False)
class Classes:
    """The items that are modelled (decisions or showdowns), and the class of each at every level."""

    nodes: NDArray[np.int64]
    """int[n]: nodes of the betting tree, ascending."""
    number: NDArray[np.int64]
    """int[N]: which of ``nodes`` a node of the tree is, or -1."""
    of: tuple[NDArray[np.int64], ...]
    """int[n] each: classes from the finest level to the coarsest; those of a level count from 0."""
    opponent_bets: NDArray[np.int64]
    """int[n]: how often the opponent has bet or raised in all."""

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
    """Group the decisions of the modelled player and all showdowns into classes, at some of ``LEVELS`` in order."""
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


def exponential_credit(m: float, n: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the credit of the paper, ``1 - m ** n``."""
    return np.asarray(1.0 - m**n)


def pseudo_count_credit(k: float, n: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the credit ``n / (n + k)``: the estimate of the coarser levels counts as k observations."""
    return np.asarray(n / (n + k))


class LevelTable:
    """Counts by class at every level, and the distributions that follow from them.

    Parameters
    ----------
    classes:
        The items and their classes, at two levels or more; items that differ only at the finest must have equal priors.
    prior:
        float64[n, W]; rows sum to 1.
    credit:
        See the module.
    decay:
        Factor of all earlier observations of a class whenever another one is added; 1 for no decay.
    """

    def __init__(self, classes: Classes, prior: NDArray[np.float64], credit: Credit, decay: float = 1.0) -> None:
        self.classes = classes
        self.credit, self.decay = credit, decay
        width = prior.shape[1]
        self.counts = [np.zeros((int(of.max(initial=-1)) + 1, width)) for of in classes.of]
        # All coarser levels are classes of the classes of level 1, of which there are far fewer than items.
        second = classes.of[1]
        one_of_each = np.zeros(len(self.counts[1]), dtype=np.int64)
        one_of_each[second] = np.arange(len(second))
        self._coarser = [of[one_of_each] for of in classes.of]
        self._prior = prior[one_of_each]

    def add(self, item: int, column: int) -> None:
        """Count one observation at every level."""
        for of, counts in zip(self.classes.of, self.counts, strict=True):
            row = counts[of[item]]
            if self.decay != 1.0:
                row *= self.decay
            row[column] += 1.0

    def mixed(self) -> NDArray[np.float64]:
        """Return float64[n, W]: the distribution of every item."""
        found = self._prior.copy()
        for level in range(len(self.counts) - 1, 0, -1):
            share, own = self._shares(level)
            of = self._coarser[level]
            found += share[of, None] * (own[of] - found)
        found = found[self.classes.of[1]]
        share, own = self._shares(0)
        seen = np.flatnonzero(share)
        # At the finest level an item is its own class.
        found[seen] += share[seen, None] * (own[seen] - found[seen])
        return found

    def _shares(self, level: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the share that each class of a level takes, and its own frequencies (0 if nothing was observed)."""
        counts = self.counts[level]
        n = counts.sum(axis=1)
        return self.credit(n), counts / np.where(n > 0.0, n, 1.0)[:, None]


class OpponentModel:
    """The model of an opponent in one seat of a limit game; ``credit`` and ``decay`` are as for :class:`LevelTable`."""

    def __init__(
        self, tree: BettingTree, seat: int, credit: Credit, decay: float = 1.0, levels: tuple[str, ...] = LEVELS
    ) -> None:
        known = histories(tree, seat, levels)
        self.seat = seat
        self.child = known.child
        legal = known.child >= 0
        prior = np.where(legal[:, :1], PRIOR_FACING, PRIOR_OPEN) * legal
        prior /= prior.sum(axis=1, keepdims=True)
        self.decisions = LevelTable(known.decisions, prior, credit, decay)
        edges = np.linspace(0.0, 1.0, CELLS + 1)
        power = 1.0 + PRIOR_STRENGTH_PER_BET * known.showdowns.opponent_bets
        self.showdowns = LevelTable(known.showdowns, np.diff(edges ** power[:, None], axis=1), credit, decay)
        self.version = 0
        """Number of observations so far."""
        self._nodes = tree.num_nodes

    def saw_action(self, node: int, kind: ActionKind) -> None:
        """Add an action of the opponent at a decision node."""
        self.decisions.add(int(self.decisions.classes.number[node]), int(kind))
        self.version += 1

    def saw_showdown(self, node: int, rank: float) -> None:
        """Add a showdown: the hand rank that the opponent showed at the end of a line."""
        self.showdowns.add(int(self.showdowns.classes.number[node]), cell(rank))
        self.version += 1

    def shares(self) -> NDArray[np.float64]:
        """Return float64[N]: how often the opponent takes the action that leads to a node; 0 at other nodes."""
        found = np.zeros(self._nodes)
        legal = self.child >= 0
        found[self.child[legal]] = self.decisions.mixed()[legal]
        return found

    def wins(self) -> NDArray[np.float64]:
        """Return float64[showdowns, KNOTS]: the probability to beat the opponent with a hand rank at each knot."""
        return win_probability(self.showdowns.mixed())
