"""Walks over buckets on the native core.

Lines are divided into parts that threads share: some of the lines with all that follows, on the same boards.  Rows keep
the numbers that they have in the whole tree, and no two parts share one, so results do not depend on the number of
threads.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from errai.errors import UnsupportedGameError
from errai.kernels import _cpu
from errai.kernels.buckets import BucketArrays, BucketKernel, BucketTree, ByStreet, HandStrategy, Learning, Tables
from errai.kernels.cpu import refuse_wide
from errai.kernels.layout import BEST, CHANCE, LEAF, StreetArrays, StreetLines, TreeArrays
from errai.kernels.protocol import Values, checked_reach

MOST_NODES = 400
"""Approximate number of betting nodes of a part: its data on one board then stay in one core's own cache."""

FEWEST_PARTS = 24
"""Least number of parts that the lines are divided into, where possible, so that threads can share them."""


@dataclass(eq=False, kw_only=True)
class Walk(Learning):
    """The arrays of one walk as the extension takes them: by street * 2 + player, empty for none."""

    buckets: list[BucketArrays]
    source: list[NDArray[Any]]
    given: list[NDArray[np.uint16] | None] = field(default_factory=list)


class BucketCpu(BucketKernel):
    """The native backend for walks over buckets, see :class:`errai.kernels.buckets.BucketKernel`.

    With ``prune``, lines that the other player reaches with no hand are skipped where that changes nothing, which is
    when no average of the learning player is computed.  Raises :class:`UnsupportedGameError` if a node has more actions
    than the kernel can handle, and for locks and ends with a matrix.
    """

    def __init__(self, boards: BucketTree, threads: int = 1, *, prune: bool = True) -> None:
        tree = boards.tree
        refuse_wide(tree)
        if any(s.matrix is not None or s.locks != (None, None) for s in tree.streets):
            raise UnsupportedGameError(
                "Walks over buckets take neither locks nor ends with a matrix of pairs of hands."
            )
        self.prune = prune
        cut, trunk, parts = divide(tree)
        self._engine = _cpu.PartedEngine(trunk, parts, cut, tree.hole_cards, tree.num_cards, max(1, threads))
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

    def _learn(
        self, source: Tables, player: int, learning: Learning, roles: ByStreet, given: HandStrategy | None
    ) -> Values:
        by_hand = given is not None and all(street is not None for street in given)
        buckets, tables = self._read(source, player if by_hand else None)
        dtype = tables[0].dtype
        if any(a.dtype != dtype for a in (*learning.regrets, *(learning.sums or ()))):
            raise ValueError(f"all tables are of the type of those that are read, {dtype}")
        if by_hand and learning.others_average and learning.sums is not None:
            raise ValueError("a strategy that is given hand by hand has no average; leave sums out")
        arrays = {
            "regrets": _of_both(learning.regrets),
            "sums": _of_both(learning.sums or []),
            "given": [] if given is None else self._hands(given, 1 - player),
            "choices": self._written(learning.choices, player, roles),
        }
        walk = Walk(**vars(learning) | arrays, buckets=buckets, source=tables)
        return self._run(walk, roles, player, self.prune and (learning.others_average or learning.sums is None))

    def _root_values(self, source: Tables, player: int, roles: ByStreet, choices: HandStrategy | None) -> Values:
        buckets, tables = self._read(source, 1 - player if (roles == BEST).all() else None)
        walk = Walk(regrets=[], sums=[], choices=self._written(choices, player, roles), buckets=buckets, source=tables)
        return self._run(walk, roles, player, self.prune and not (roles == BEST).any())

    def _read(self, source: Tables, only: int | None) -> tuple[list[BucketArrays], list[NDArray[Any]]]:
        """Return buckets and tables of both players, or only those of player ``only``, by street * 2 + player."""
        flat = [array for pair in source for array in pair]
        dtype = flat[0 if only is None else only].dtype
        for i, table in enumerate(flat):
            if only is None or i % 2 == only:
                self.boards.check_table(table, *divmod(i, 2))
                if table.dtype != dtype or dtype not in (np.float32, np.float64):
                    raise ValueError("the tables are all float32, or all float64")
        if dtype not in self._cast:
            self._cast[dtype] = [
                b if b.weight is None else replace(b, weight=np.ascontiguousarray(b.weight, dtype=dtype))
                for pair in self.boards.buckets
                for b in pair
            ]
        nothing = np.zeros(0, dtype)
        return self._cast[dtype], [a if only is None or i % 2 == only else nothing for i, a in enumerate(flat)]

    def _hands(self, arrays: HandStrategy, player: int) -> list[NDArray[np.uint16] | None]:
        """Return a strategy by hand indexed by street * 2 + player."""
        wanted = [(street.state_size(player),) for street in self.boards.tree.streets]
        if len(arrays) != len(wanted) or any(
            a is not None and (a.shape != shape or a.dtype != np.uint16)
            for a, shape in zip(arrays, wanted, strict=True)
        ):
            raise ValueError("the strategy hand by hand does not belong to these boards")
        return _of_both(arrays)

    def _written(self, choices: HandStrategy | None, player: int, roles: ByStreet) -> list[NDArray[np.uint16]]:
        """Do the same as ``_hands``, and require an array for every street on which the player responds best."""
        if choices is None:
            return []
        if len(choices) == len(roles) and any(choices[int(s)] is None for s in np.flatnonzero(roles == BEST)):
            raise ValueError("choices needs an array for every street on which the player responds best")
        return [np.zeros(0, np.uint16) if array is None else array for array in self._hands(choices, player)]

    def _run(self, walk: Walk, roles: ByStreet, player: int, prune: bool) -> Values:
        out = np.empty_like(self._reach[player])
        self._engine.walk(walk, roles, player, self.boards.tie, prune, self._reach[0], self._reach[1], out)
        return out


def _of_both(arrays: Sequence[Any]) -> list[Any]:
    """Index arrays by street * 2 + player.  Each array stands in both places; the walk uses that of its player."""
    return [array for array in arrays for _ in (0, 1)]


def divide(tree: TreeArrays) -> tuple[int, list[StreetArrays], list[list[StreetArrays]]]:
    """Cut a tree before its last two streets, or before the last of two, and divide what follows by lines.

    Returns the street that the parts begin with, 0 if there are none, and the streets of the trunk and of every part; a
    part's first street is the one before the cut, with nothing but exits.  The same tree is always divided in the same
    way, whatever the number of threads.
    """
    streets = list(tree.streets)
    if len(streets) == 1:
        return 0, streets, []
    cut = max(1, len(streets) - 2)
    closed = streets[cut - 1]
    exits = np.flatnonzero(closed.kind == CHANCE)
    kind = closed.kind.copy()
    kind[exits] = LEAF
    edge = replace(closed, kind=kind, num_exits=0, num_leaves=closed.num_exits)
    owners = _owners(streets, cut)
    sizes = np.bincount(np.concatenate(owners), minlength=len(exits))
    target = min(MOST_NODES, int(sizes.sum()) / FEWEST_PARTS)
    groups: list[list[int]] = []
    held = target
    for x, size in enumerate(sizes.tolist()):
        if held >= target:
            groups.append([])
            held = 0
        groups[-1].append(x)
        held += size
    parts = []
    for group in groups:
        nodes = [np.flatnonzero((group[0] <= owner) & (owner <= group[-1])) for owner in owners]
        parts.append([_only(s, found) for s, found in zip(streets[cut - 1 :], [exits[group], *nodes], strict=True)])
    return cut, [*streets[: cut - 1], edge], parts


def _owners(streets: list[StreetArrays], cut: int) -> list[NDArray[np.int64]]:
    """Return, per street from the cut on, the exit of the street before the cut below which each node lies."""
    found = []
    above = np.arange(streets[cut - 1].num_exits)
    for street in streets[cut:]:
        owner = list(above.tolist())
        for parent in street.parent[street.num_entries :].tolist():
            owner.append(owner[parent])
        found.append(np.array(owner, dtype=np.int64))
        above = found[-1][street.kind == CHANCE]
    return found


def _only(street: StreetArrays, nodes: NDArray[np.int64]) -> StreetArrays:
    """Return a street with only some of its nodes, which ascend and include all children; rows keep their numbers."""
    number = np.full(len(street.kind) + 1, -1, dtype=np.int64)
    number[nodes] = np.arange(len(nodes))
    lines = StreetLines.of(street.kind[nodes], street.actor[nodes], number[street.parent[nodes]], street.ends[nodes])
    return replace(street, **vars(lines) | {"row": street.row[nodes], "num_rows": street.num_rows, "num_leaves": 0})
