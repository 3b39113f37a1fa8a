"""The reference backend for walks over buckets, in NumPy: it is the definition.

Tables are expanded to a strategy for each hand, the reference kernel walks over it, and the regrets of the hands are
summed by bucket.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from errai.kernels.buckets import BucketKernel, BucketTree, HandStrategy, Learning, Tables, check_learning
from errai.kernels.checks import checked_roles
from errai.kernels.layout import BEST, CHANCE, DECISION, FIXED, LEARNS, Roles
from errai.kernels.protocol import Arrays, matched, one_in
from errai.kernels.reference import AtOwnNode, ReferenceKernel, Values, first_best


class BucketReference(BucketKernel):
    """The reference for :class:`errai.kernels.buckets.BucketKernel`, in one thread."""

    def __init__(self, boards: BucketTree) -> None:
        self.deal(boards)

    def deal(self, boards: BucketTree) -> None:
        self.boards = boards
        self._kernel = ReferenceKernel(boards.tree)

    def learn(
        self,
        source: Tables,
        player: int,
        learning: Learning,
        *,
        role: Roles = LEARNS,
        given: HandStrategy | None = None,
    ) -> Values:
        roles = checked_roles(self.boards.tree, role, learning=True)
        check_learning(self.boards, source, player, learning, roles)
        arrays = self._spelt_out(source, 1 - player, given)
        regrets = [np.zeros(a.shape) for a in learning.regrets]
        follow = self._reader(arrays, roles, learning.choices)
        tie = self.boards.tie

        def own(s: int, b: int, node: int, values: Values, reach: Values) -> Values:
            value = follow(s, b, node, values, reach)
            if roles[s] == LEARNS:
                bucket, weight = self._buckets(s, b, player)
                first = int(self.boards.tree.streets[s].row[node])
                for a, gain in enumerate(values - value):
                    np.add.at(regrets[s][first + a], bucket, weight * gain)
            return value

        # A strategy that is given hand by hand is in steps that are larger than the tie.
        result = self._kernel._walk_root(arrays, player, own, None, tie, None)
        if learning.sums is not None:
            self._average(source, arrays, 1 - player if learning.others_average else player, learning)
        for table, learnt in zip(learning.regrets, regrets, strict=True):
            table += learning.regret_weight * learnt
            if learning.floor:
                np.maximum(table, 0.0, out=table)
        return result

    def root_values(
        self, source: Tables, player: int, *, role: Roles = FIXED, choices: HandStrategy | None = None
    ) -> Values:
        roles = checked_roles(self.boards.tree, role, learning=False)
        arrays = self._spelt_out(source, player if (roles == BEST).all() else -1, None)
        own = self._reader(arrays, roles, choices)
        return self._kernel._walk_root(arrays, player, own, None, self.boards.tie, None)

    def _reader(self, arrays: Arrays, roles: NDArray[np.uint8], choices: HandStrategy | None) -> AtOwnNode:
        """Return the value of a node under the player's strategy, or the recorded maximum where hands respond best."""
        taken = [] if choices is None else [[np.zeros(0) if c is None else c] * 2 for c in choices]

        def own(s: int, b: int, node: int, values: Values, reach: Values) -> Values:
            if roles[s] != BEST:
                return np.asarray(
                    (matched(self._kernel._rows(arrays, s, b, node), self.boards.tie) * values).sum(axis=0)
                )
            if choices is not None:
                self._kernel._rows(taken, s, b, node)[...] = np.where(first_best(values), one_in(np.uint16), 0)
            return np.asarray(values.max(axis=0))

        return own

    def _average(self, source: Tables, arrays: Arrays, player: int, learning: Learning) -> None:
        """Add a player's strategy, weighted by the player's reach, to the sums."""
        tree, tie = self.boards.tree, self.boards.tie
        assert learning.sums is not None

        def visit(s: int, b: int, entries: Values) -> None:
            street = tree.streets[s]
            reach = self._kernel._down(arrays, s, b, player, entries, tie)
            bucket, weight = self._buckets(s, b, player)
            for node in np.flatnonzero((street.kind == DECISION) & (street.actor == player)):
                first, count = int(street.row[node]), int(street.num_children[node])
                sums = learning.sums[s]  # type: ignore[index]
                brought = np.bincount(bucket, weight * reach[node], sums.shape[1])
                strategy = matched(source[s][player][first : first + count], tie)
                sums[first : first + count] += learning.sum_weight * strategy * brought
            for child in range(*street.child_start[b : b + 2]):
                below = tree.streets[s + 1].hands[player]
                parent = below.parent[below.start[child] : below.start[child + 1]]
                visit(s + 1, child, reach[street.kind == CHANCE][:, parent])

        for b in range(tree.streets[0].num_boards):
            visit(0, b, self._kernel._entering(tree.root_reach, b, player))

    def _buckets(self, s: int, b: int, player: int) -> tuple[NDArray[np.int32], NDArray[np.floating]]:
        """Return the bucket and weight of every hand class on a board."""
        buckets, start = self.boards.buckets[s][player], self.boards.tree.streets[s].hands[player].start
        part = slice(int(start[b]), int(start[b + 1]))
        weight = np.ones(part.stop - part.start) if buckets.weight is None else buckets.weight[part]
        return buckets.bucket[part], weight

    def _spelt_out(self, source: Tables, by_hand: int, strategy: HandStrategy | None) -> Arrays:
        """Expand the tables to the boards' hands; player ``by_hand`` has ``strategy``, or zeros that are not read."""

        def of(s: int, p: int) -> NDArray[Any]:
            street, told = self.boards.tree.streets[s], None if strategy is None or p != by_hand else strategy[s]
            if told is not None:
                return told
            if p == by_hand and source[s][p].size == 0:
                return np.zeros(street.state_size(p))
            blocks = [source[s][p][:, self._buckets(s, b, p)[0]].ravel() for b in range(street.num_boards)]
            return np.concatenate(blocks)

        return [[of(s, p) for p in (0, 1)] for s in range(len(self.boards.tree.streets))]
