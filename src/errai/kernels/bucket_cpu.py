"""Walks over buckets on the native core.

Lines are divided into parts (:mod:`errai.kernels.parts`) that threads share.  No two parts learn in the same row of a
table, so results do not depend on the number of threads.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from errai.errors import UnsupportedGameError
from errai.kernels import _cpu
from errai.kernels.buckets import BucketArrays, BucketKernel, BucketTree, HandStrategy, Learning, Tables, check_learning
from errai.kernels.checks import checked_reach, checked_roles, state_shapes
from errai.kernels.cpu import MAX_ACTIONS
from errai.kernels.layout import BEST, FIXED, LEARNS, Roles
from errai.kernels.parts import divide

_NOTHING: NDArray[np.uint16] = np.zeros(0, np.uint16)


@dataclass
class Walk:
    """The arrays of one walk as the extension takes them: by street * 2 + player, empty for none."""

    buckets: list[BucketArrays]
    source: list[NDArray[Any]]
    regrets: list[NDArray[Any]] = field(default_factory=list)
    sums: list[NDArray[Any]] = field(default_factory=list)
    others_average: bool = False
    regret_weight: float = 1.0
    sum_weight: float = 1.0
    floor: bool = False
    given: list[NDArray[np.uint16] | None] = field(default_factory=list)
    choices: list[NDArray[np.uint16]] = field(default_factory=list)


class BucketCpu(BucketKernel):
    """The native backend for walks over buckets, see :class:`errai.kernels.buckets.BucketKernel`.

    Parameters
    ----------
    boards:
        The betting lines of the game, with some boards to begin with.
    threads:
        The number of threads that share the lines.
    prune:
        Whether lines that the other player reaches with no hand are skipped where that changes nothing, which is when
        no average of the learning player is computed.

    Raises :class:`UnsupportedGameError` if a node has more actions than the kernel can handle.
    """

    def __init__(self, boards: BucketTree, threads: int = 1, *, prune: bool = True) -> None:
        tree = boards.tree
        widest = max(int(s.num_children.max(initial=0)) for s in tree.streets)
        if widest > MAX_ACTIONS:
            raise UnsupportedGameError(
                f"A node has {widest} actions; the cpu backend takes {MAX_ACTIONS}. Use fewer bet sizes."
            )
        if any(s.matrix is not None or s.locks != (None, None) for s in tree.streets):
            raise UnsupportedGameError(
                "Walks over buckets take neither locks nor ends with a matrix of pairs of hands."
            )
        parts = divide(tree)
        self.prune = prune
        self._engine = _cpu.PartedEngine(
            parts.trunk, parts.parts, parts.cut, tree.hole_cards, tree.num_cards, max(1, threads)
        )
        self.deal(boards)

    @property
    def pruned(self) -> int:
        """Number of parts that were skipped so far."""
        return int(self._engine.pruned)

    def deal(self, boards: BucketTree) -> None:
        self.boards = boards
        self._cast: dict[np.dtype, list[BucketArrays]] = {}
        self._reach = checked_reach(boards.tree, None)
        self._engine.deal(list(boards.tree.streets))
        self.__dict__.pop("_shapes", None)

    @cached_property
    def _shapes(self) -> list[tuple[int, ...]]:
        return state_shapes(self.boards.tree)

    def learn(
        self,
        source: Tables,
        player: int,
        learning: Learning,
        *,
        role: Roles = LEARNS,
        given: HandStrategy | None = None,
    ) -> NDArray[np.float64]:
        roles = checked_roles(self.boards.tree, role, learning=True)
        check_learning(self.boards, source, player, learning, roles)
        by_hand = given is not None and all(street is not None for street in given)
        walk = self._walk(source, player if by_hand else None)
        dtype = walk.source[0].dtype
        if any(a.dtype != dtype for a in (*learning.regrets, *(learning.sums or ()))):
            raise ValueError(f"all tables are of the type of those that are read, {dtype}")
        if by_hand and learning.others_average and learning.sums is not None:
            raise ValueError("a strategy that is given hand by hand has no average; leave sums out")
        walk.regrets = self._of_both(learning.regrets)
        walk.sums = [] if learning.sums is None else self._of_both(learning.sums)
        walk.others_average = learning.others_average
        walk.regret_weight, walk.sum_weight, walk.floor = (
            learning.regret_weight,
            learning.sum_weight,
            learning.floor,
        )
        if given is not None:
            walk.given = self._hands(given, 1 - player)
        if learning.choices is not None:
            walk.choices = self._written(learning.choices, player, roles)
        return self._run(walk, roles, player, self.prune and (learning.others_average or learning.sums is None))

    def root_values(
        self, source: Tables, player: int, *, role: Roles = FIXED, choices: HandStrategy | None = None
    ) -> NDArray[np.float64]:
        roles = checked_roles(self.boards.tree, role, learning=False)
        walk = self._walk(source, 1 - player if (roles == BEST).all() else None)
        if choices is not None:
            walk.choices = self._written(choices, player, roles)
        return self._run(walk, roles, player, self.prune and not (roles == BEST).any())

    def _walk(self, source: Tables, only: int | None) -> Walk:
        """Return a walk that reads the tables of both players, or only those of player ``only``."""
        flat = [array for pair in source for array in pair]
        dtype = flat[0 if only is None else only].dtype
        for s, (street, pair) in enumerate(zip(self.boards.tree.streets, self.boards.buckets, strict=True)):
            for p in (0, 1) if only is None else (only,):
                table = source[s][p]
                if table.shape != (street.num_rows[p], pair[p].count) or not table.flags.c_contiguous:
                    raise ValueError("the tables do not belong to these lines and buckets")
                if table.dtype != dtype or dtype not in (np.float32, np.float64):
                    raise ValueError("the tables are all float32, or all float64")
        if dtype not in self._cast:
            self._cast[dtype] = [
                b if b.weight is None else replace(b, weight=np.ascontiguousarray(b.weight, dtype=dtype))
                for pair in self.boards.buckets
                for b in pair
            ]
        if only is not None:
            nothing = np.zeros(0, dtype)
            flat = [array if i % 2 == only else nothing for i, array in enumerate(flat)]
        return Walk(self._cast[dtype], flat)

    @staticmethod
    def _of_both(arrays: list[NDArray[Any]]) -> list[NDArray[Any]]:
        """Index arrays by street * 2 + player.  Each array stands in both places; the walk uses that of its player."""
        return [array for array in arrays for _ in (0, 1)]

    def _hands(self, arrays: HandStrategy, player: int) -> list[NDArray[np.uint16] | None]:
        """Return a strategy by hand indexed by street * 2 + player."""
        wanted = [self._shapes[s * 2 + player] for s in range(len(self.boards.tree.streets))]
        if len(arrays) != len(wanted) or any(
            a is not None and (a.shape != shape or a.dtype != np.uint16)
            for a, shape in zip(arrays, wanted, strict=True)
        ):
            raise ValueError("the strategy hand by hand does not belong to these boards")
        return [array for array in arrays for _ in (0, 1)]

    def _written(self, arrays: HandStrategy, player: int, roles: NDArray[np.uint8]) -> list[NDArray[np.uint16]]:
        """Do the same as ``_hands``, and require an array for every street on which the player responds best."""
        if len(arrays) == len(roles) and any(arrays[int(s)] is None for s in np.flatnonzero(roles == BEST)):
            raise ValueError("choices needs an array for every street on which the player responds best")
        return [_NOTHING if array is None else array for array in self._hands(arrays, player)]

    def _run(self, walk: Walk, roles: NDArray[np.uint8], player: int, prune: bool) -> NDArray[np.float64]:
        out = np.empty_like(self._reach[player])
        self._engine.walk(walk, roles, player, self.boards.tie, prune, self._reach[0], self._reach[1], out)
        return out
