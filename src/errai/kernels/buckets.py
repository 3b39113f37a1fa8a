"""Walks in which hands of one bucket share their strategy: the arrays of a backend, and its methods.

A strategy over buckets is a table ``[num_rows, K]`` for each street and player.  It has a row for each (decision node,
action) of the betting tree's street, as in :mod:`errai.kernels.layout`, and a column for each bucket, whatever the
board.  The walk is the same as over hands, only the meaning of a node's columns differs.  The regret of a bucket is the
sum of the regrets of its hands, each counted ``weight`` times.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from errai.kernels.layout import FIXED, LEARNS, Roles, TreeArrays

Tables = list[list[NDArray[Any]]]
"""Floating [num_rows, K], indexed ``[street][player]``."""


HandStrategy = Sequence[NDArray[np.uint16] | None]
"""A player's strategy hand by hand, in steps of 1/65535, by street; None for streets on which it is not given."""


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
    single: bool = field(init=False)
    """Whether every street has one board."""

    def __post_init__(self) -> None:
        self.single = all(street.num_boards == 1 for street in self.tree.streets)

    def zeros(self, dtype: np.dtype | type) -> Tables:
        """Return tables of zeros."""
        return [
            [np.zeros((street.num_rows[p], pair[p].count), dtype) for p in (0, 1)]
            for street, pair in zip(self.tree.streets, self.buckets, strict=True)
        ]


class BucketKernel(Protocol):
    """One backend for walks over buckets, bound to the betting lines of one game; the boards may change.

    A strategy is given as tables of weights, as to :class:`errai.kernels.protocol.Kernel`.  A strategy that is not over
    buckets is uint16 by street, in the layout of a solver's state on the boards that were dealt last.
    """

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
        """

    def root_values(
        self, source: Tables, player: int, *, role: Roles = FIXED, choices: HandStrategy | None = None
    ) -> NDArray[np.float64]:
        """Return float64[H]: a player's counterfactual values at the root.

        The player follows the tables on streets with the role FIXED.  On streets with the role BEST the player sees the
        own cards and responds best, and these actions are written to ``choices``: 65535 for the first best action, else
        0.
        """


def check_learning(
    boards: BucketTree, source: Tables, player: int, learning: Learning, roles: NDArray[np.uint8]
) -> None:
    """Raise ValueError unless the tables fit together and may be changed while they are read."""
    averaged = 1 - player if learning.others_average else player
    if (roles != LEARNS).any() and not learning.others_average and learning.sums is not None:
        raise ValueError("only a player who learns on all streets has an average; leave sums out")
    for s, (street, pair) in enumerate(zip(boards.tree.streets, boards.buckets, strict=True)):
        for array, p in (
            (learning.regrets[s], player),
            *(() if learning.sums is None else ((learning.sums[s], averaged),)),
        ):
            if array.shape != (street.num_rows[p], pair[p].count) or not array.flags.c_contiguous:
                raise ValueError("the tables do not belong to these lines and buckets")
        if not boards.single and np.shares_memory(learning.regrets[s], source[s][player]):
            raise ValueError("where a street has several boards, regrets must not be the tables that are read")
