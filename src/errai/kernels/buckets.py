"""Walks in which hands of one bucket share their strategy: the arrays and methods of a backend, and the reference.

A strategy over buckets is a table ``[num_rows, K]`` for each street and player.  It has a row for each (decision node,
action) of the betting tree's street, as in :mod:`errai.kernels.layout`, and a column for each bucket, whatever the
board.  The walk is the same as over hands, only the meaning of a node's columns differs.  The regret of a bucket is the
sum of the regrets of its hands, each counted ``weight`` times.

The reference is the definition.  It expands tables to a strategy for each hand, lets the reference kernel walk over it,
and sums the regrets of the hands by bucket.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from errai.kernels.layout import BEST, CHANCE, DECISION, FIXED, LEARNS, Roles, TreeArrays
from errai.kernels.protocol import Arrays, Values, checked_roles, matched, one_in
from errai.kernels.reference import At, AtOwnNode, ReferenceKernel, Walk, first_best

Tables = list[list[NDArray[Any]]]
"""Floating [num_rows, K], indexed ``[street][player]``."""


HandStrategy = Sequence[NDArray[np.uint16] | None]
"""A player's strategy hand by hand, in steps of 1/65535, by street; None for streets on which it is not given."""


ByStreet = NDArray[np.uint8]
"""uint8[streets]: the role of a player's hands."""


@dataclass(frozen=True, eq=False)
class BucketArrays:
    """The buckets of one player's hand classes on the boards of a street; made by :func:`bucket_arrays`."""

    count: int
    """The number of buckets of the street, K."""
    bucket: NDArray[np.int32]
    """int32[S]: the bucket of every class."""
    weight: NDArray[np.floating] | None
    """Floating [S]: the weight of a class in the sums of its bucket; None means 1."""
    live_start: NDArray[np.int64]
    """int64[B+1]: the offsets of each board's live buckets in ``live``."""
    live: NDArray[np.int32]
    """int32[...]: per board the buckets of its classes, each once, ascending."""
    place: NDArray[np.int32]
    """int32[S]: the position of each class's bucket among the live buckets of its board."""


def bucket_arrays(
    start: NDArray[np.int64], bucket: NDArray[np.integer], count: int, weight: NDArray[np.floating] | None = None
) -> BucketArrays:
    """Arrange the buckets of hand classes (int[S], of boards that begin at ``start``, int64[B+1]) by board.

    Raises ValueError for a bucket that does not exist.
    """
    if len(bucket) != start[-1] or (len(bucket) and not (int(bucket.min()) >= 0 and int(bucket.max()) < count)):
        raise ValueError(f"buckets must be from 0 to {count - 1}, one for each class")
    boards = len(start) - 1
    key = bucket.astype(np.int64)
    if boards > 1:
        key = key + np.repeat(np.arange(boards, dtype=np.int64) * count, np.diff(start))
    found, place = np.unique(key, return_inverse=True)
    live_start = np.searchsorted(found, np.arange(boards + 1, dtype=np.int64) * count)
    place = place.reshape(-1) - np.repeat(live_start[:-1], np.diff(start))
    return BucketArrays(
        count=count,
        bucket=np.ascontiguousarray(bucket, dtype=np.int32),
        weight=weight,
        live_start=live_start.astype(np.int64),
        live=(found % count).astype(np.int32),
        place=place.astype(np.int32),
    )


@dataclass(eq=False)
class Learning:
    """What a player's half of an iteration over buckets changes, and how it does so."""

    regrets: list[NDArray[Any]]
    """Floating [num_rows, K] by street, of the player who learns: regrets are added here.

    They may be the same arrays as the tables that are read only if every street has one board.
    """
    sums: list[NDArray[Any]] | None = None
    """Floating [num_rows, K] by street, of the player whose average is computed; None for no average."""
    others_average: bool = False
    """Whether the average is that of the other player instead of the player who learns.

    A walk then needs no own reach, and lines that the other player does not reach can be pruned exactly.
    """
    regret_weight: float = 1.0
    sum_weight: float = 1.0
    floor: bool = False
    """Whether regrets below 0 are set to 0 after the update."""
    choices: HandStrategy | None = None
    """Receives the best actions by street: 65535 for the first best action, else 0."""


@dataclass(eq=False)
class BucketTree:
    """Some boards of a game with its betting lines, and the buckets of the hands on these boards."""

    tree: TreeArrays
    buckets: list[list[BucketArrays]]
    """Indexed ``[street][player]``."""
    tie: float = 0.0
    """Summed regrets up to this threshold count as 0."""

    @cached_property
    def single(self) -> bool:
        """Whether every street has one board."""
        return all(street.num_boards == 1 for street in self.tree.streets)

    def check_table(self, table: NDArray[Any], street: int, player: int) -> None:
        """Raise ValueError unless a table has the rows and columns of a player on a street."""
        wanted = self.tree.streets[street].num_rows[player], self.buckets[street][player].count
        if table.shape != wanted or not table.flags.c_contiguous:
            raise ValueError("the tables do not belong to these lines and buckets")

    def zeros(self, dtype: np.dtype | type) -> Tables:
        """Return tables of zeros."""
        return [
            [np.zeros((street.num_rows[p], pair[p].count), dtype) for p in (0, 1)]
            for street, pair in zip(self.tree.streets, self.buckets, strict=True)
        ]


class BucketKernel(ABC):
    """One backend for walks over buckets, bound to the betting lines of one game; the boards may change.

    A strategy is given as tables of weights, as to :class:`errai.kernels.protocol.Kernel`.  A strategy that is not over
    buckets is uint16 by street, in the layout of a solver's state on the boards that were dealt last.
    """

    boards: BucketTree

    @abstractmethod
    def deal(self, boards: BucketTree) -> None:
        """Continue with other boards; the lines must be those that the kernel was made with."""

    def learn(
        self,
        source: Tables,
        player: int,
        learning: Learning,
        *,
        role: Roles = LEARNS,
        given: HandStrategy | None = None,
    ) -> NDArray[np.float64]:
        """Run one player's half of an iteration, which updates regrets and averages as ``learning`` says.

        On streets with the role BEST the player does not learn, but sees the own cards and takes the best actions.
        ``given`` is the other player's strategy hand by hand, in place of the source's; it has None for streets on
        which that player follows the source.  Returns float64[H], the player's counterfactual values at the root.

        Raises ValueError unless the tables fit together and may be changed while they are read.
        """
        roles = checked_roles(self.boards.tree, role, learning=True)
        if (roles != LEARNS).any() and not learning.others_average and learning.sums is not None:
            raise ValueError("only a player who learns on all streets has an average; leave sums out")
        averaged = 1 - player if learning.others_average else player
        for s in range(len(self.boards.tree.streets)):
            self.boards.check_table(learning.regrets[s], s, player)
            if learning.sums is not None:
                self.boards.check_table(learning.sums[s], s, averaged)
            if not self.boards.single and np.shares_memory(learning.regrets[s], source[s][player]):
                raise ValueError("where a street has several boards, regrets must not be the tables that are read")
        return self._learn(source, player, learning, roles, given)

    @abstractmethod
    def _learn(
        self, source: Tables, player: int, learning: Learning, roles: ByStreet, given: HandStrategy | None
    ) -> Values:
        """Do what :meth:`learn` does."""

    def root_values(
        self, source: Tables, player: int, *, role: Roles = FIXED, choices: HandStrategy | None = None
    ) -> NDArray[np.float64]:
        """Return float64[H]: a player's counterfactual values at the root.

        The player follows the tables on streets with the role FIXED.  On streets with the role BEST the player sees the
        own cards and responds best, and these actions are written to ``choices``: 65535 for the first best action, else
        0.
        """
        return self._root_values(source, player, checked_roles(self.boards.tree, role, learning=False), choices)

    @abstractmethod
    def _root_values(self, source: Tables, player: int, roles: ByStreet, choices: HandStrategy | None) -> Values:
        """Do what :meth:`root_values` does."""


class BucketReference(BucketKernel):
    """The reference backend, in one thread."""

    def __init__(self, boards: BucketTree) -> None:
        self.deal(boards)

    def deal(self, boards: BucketTree) -> None:
        self.boards = boards
        self._kernel = ReferenceKernel(boards.tree)

    def _learn(
        self, source: Tables, player: int, learning: Learning, roles: ByStreet, given: HandStrategy | None
    ) -> Values:
        arrays = self._spelt_out(source, 1 - player, given)
        regrets = [np.zeros(a.shape) for a in learning.regrets]
        follow = self._reader(roles, learning.choices)

        def own(at: At, strategy: Values, values: Values, reach: Values) -> Values:
            s, b, node = at
            value = follow(at, strategy, values, reach)
            if roles[s] == LEARNS:
                bucket, weight = self._buckets(s, b, player)
                first = int(self.boards.tree.streets[s].row[node])
                for a, gain in enumerate(values - value):
                    np.add.at(regrets[s][first + a], bucket, weight * gain)
            return value

        # A strategy that is given hand by hand is in steps that are larger than the tie.
        result = self._walked(arrays, player, own)
        if learning.sums is not None:
            self._average(source, arrays, 1 - player if learning.others_average else player, learning)
        for table, learnt in zip(learning.regrets, regrets, strict=True):
            table += learning.regret_weight * learnt
            if learning.floor:
                np.maximum(table, 0.0, out=table)
        return result

    def _root_values(self, source: Tables, player: int, roles: ByStreet, choices: HandStrategy | None) -> Values:
        arrays = self._spelt_out(source, player if (roles == BEST).all() else -1, None)
        return self._walked(arrays, player, self._reader(roles, choices))

    def _walked(self, arrays: Arrays, player: int, own: AtOwnNode) -> Values:
        return self._kernel._walk_root(Walk(arrays, player, own, self.boards.tie), self._kernel._reach)

    def _reader(self, roles: NDArray[np.uint8], choices: HandStrategy | None) -> AtOwnNode:
        """Return the value of a node under the player's strategy, or the recorded maximum where hands respond best."""
        taken = [] if choices is None else [[np.zeros(0) if c is None else c] * 2 for c in choices]

        def own(at: At, strategy: Values, values: Values, reach: Values) -> Values:
            if roles[at[0]] != BEST:
                return np.asarray((strategy * values).sum(axis=0))
            if choices is not None:
                self._kernel._rows(taken, *at)[...] = np.where(first_best(values), one_in(np.uint16), 0)
            return np.asarray(values.max(axis=0))

        return own

    def _average(self, source: Tables, arrays: Arrays, player: int, learning: Learning) -> None:
        """Add a player's strategy, weighted by the player's reach, to the sums."""
        tree, tie = self.boards.tree, self.boards.tie
        assert learning.sums is not None

        def visit(s: int, b: int, entries: Values) -> None:
            street = tree.streets[s]
            reach = self._kernel._down(self._kernel._strategies(arrays, s, b, tie), s, b, player, entries)
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
            visit(0, b, self._kernel._entries(self._kernel._reach, b)[player])

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
