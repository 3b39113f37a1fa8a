"""Walks in which hands share their strategy in buckets: what a backend is given, and what it must do.

A strategy over buckets is a table ``[num_rows, K]`` for each street and player: a row for each (decision node,
action) of the betting tree's street, as in :mod:`errai.kernels.layout`, and a column for each bucket, whatever the
board.  The walk is that of exact play; only what stands behind a node's rows differs.  Over buckets as over hands, a
regret is the sum of the regrets of the hands that share it, each counted ``weight`` times.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from errai.kernels.layout import FIXED, LEARNS, Roles, TreeArrays

Tables = list[list[NDArray]]
"""Float[num_rows, K] by ``[street][player]``."""


HandStrategy = Sequence[NDArray[np.uint16] | None]
"""What a player does hand by hand, in steps of 1/65535, by street; None for streets on which it is not told."""


@dataclass(frozen=True, eq=False)
class BucketArrays:
    """The buckets of one player's hand classes on the boards of a street; made by :func:`bucket_arrays`."""

    count: int
    """K, the number of buckets of the street."""
    bucket: NDArray[np.int32]
    """int32[S]: the bucket of every class."""
    weight: NDArray[np.floating] | None
    """Float[S]: what a class counts in the sums of its bucket; None for 1."""
    live_start: NDArray[np.int64]
    """int64[B+1]: where the live buckets of each board begin."""
    live: NDArray[np.int32]
    """int32[...]: per board the buckets that its classes lie in, each once, ascending."""
    place: NDArray[np.int32]
    """int32[S]: at which of its board's live buckets a class is."""


def bucket_arrays(
    start: NDArray[np.int64], bucket: NDArray[np.integer], count: int, weight: NDArray[np.floating] | None = None
) -> BucketArrays:
    """Arrange the buckets of hand classes (int[S], of boards that begin at ``start``, int64[B+1]) by board.

    Raises ValueError for a bucket that is not there.
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
    """What a player's half of an iteration over buckets changes, and how."""

    regrets: list[NDArray]
    """Float[num_rows, K] by street, of the player who learns: regrets are added here.  They may be the tables that
    are read only where every street has one board."""
    sums: list[NDArray] | None = None
    """The same, of the player whose average is made: strategies weighted by reach are added here.  None: no average."""
    others_average: bool = False
    """Whose average: that of the player who learns, or of the other one.  With the other one's a walk needs no own
    reach, and what the other does not reach can be left out exactly."""
    regret_weight: float = 1.0
    sum_weight: float = 1.0
    floor: bool = False
    """Whether regrets below 0 become 0 when they have been added to."""
    choices: HandStrategy | None = None
    """Where best actions go, by street: 65535 for the first of the best actions, else 0."""


@dataclass(eq=False)
class BucketTree:
    """Some boards of a game with their lines, and the buckets of the hands on them."""

    tree: TreeArrays
    buckets: list[list[BucketArrays]]
    """By ``[street][player]``."""
    tie: float = 0.0
    """Summed regrets up to this count as none."""
    single: bool = field(init=False)
    """Whether every street has one board."""

    def __post_init__(self) -> None:
        self.single = all(street.num_boards == 1 for street in self.tree.streets)

    def zeros(self, dtype: np.dtype | type) -> Tables:
        """Tables of zeros."""
        return [
            [np.zeros((street.num_rows[p], pair[p].count), dtype) for p in (0, 1)]
            for street, pair in zip(self.tree.streets, self.buckets, strict=True)
        ]


class BucketKernel(Protocol):
    """One backend for walks over buckets, bound to the lines of one game; boards may change.

    A strategy is given as tables of weights, as to :class:`errai.kernels.protocol.Kernel`; strategies that are not in
    buckets are uint16 by street, laid out like a solver's state of the boards dealt last.
    """

    def deal(self, boards: BucketTree) -> None:
        """Go on with other boards; the lines must be those that the kernel was made with."""

    def learn(
        self,
        source: Tables,
        player: int,
        learning: Learning,
        *,
        role: Roles = LEARNS,
        given: HandStrategy | None = None,
    ) -> NDArray[np.float64]:
        """One player's half of an iteration: regrets and averages grow as ``learning`` says.

        On streets where the player's role is BEST he does not learn, but sees his cards and takes his best actions.
        ``given``: the other player's strategy, hand by hand, in the place of the source's; None for streets on which
        he follows the source.  Returns float64[H], the player's counterfactual values at the root.
        """

    def root_values(
        self, source: Tables, player: int, *, role: Roles = FIXED, choices: HandStrategy | None = None
    ) -> NDArray[np.float64]:
        """float64[H]: a player's counterfactual values at the root.

        He follows his tables where his role is FIXED.  Where it is BEST he sees his cards and responds best, and
        ``choices`` takes what he does: 65535 for the first of the best actions, else 0.
        """


def check_learning(
    boards: BucketTree, source: Tables, player: int, learning: Learning, roles: NDArray[np.uint8]
) -> None:
    """Raise ValueError unless the tables belong together and may be changed as they are read."""
    averaged = 1 - player if learning.others_average else player
    if (roles != LEARNS).any() and not learning.others_average and learning.sums is not None:
        raise ValueError("a player who does not learn on all streets has no average of his own")
    for s, (street, pair) in enumerate(zip(boards.tree.streets, boards.buckets, strict=True)):
        for array, p in (
            (learning.regrets[s], player),
            *(() if learning.sums is None else ((learning.sums[s], averaged),)),
        ):
            if array.shape != (street.num_rows[p], pair[p].count) or not array.flags.c_contiguous:
                raise ValueError("the tables do not belong to these lines and buckets")
        if not boards.single and np.shares_memory(learning.regrets[s], source[s][player]):
            raise ValueError("tables that are read cannot be changed at once where a street has several boards")
