"""Division of a tree into a trunk and parts; a part has some of the lines with all that follows, on the same boards.

Rows keep the numbers that they have in the whole tree, and no two parts share one.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from errai.kernels.layout import CHANCE, LEAF, StreetArrays, StreetLines, TreeArrays

MOST_NODES = 400
"""Approximate number of betting nodes of a part: its data on one board then stay in one core's own cache."""

FEWEST_PARTS = 24
"""Least number of parts that the lines are divided into, where possible, so that threads can share them."""


@dataclass(frozen=True, eq=False)
class Parts:
    """Streets of the trunk and of every part.

    A part's first street is the one before the cut, with nothing but exits.
    """

    cut: int
    """The street that the parts begin with; 0 if the trunk is the whole tree."""
    trunk: list[StreetArrays]
    parts: list[list[StreetArrays]]


def divide(tree: TreeArrays) -> Parts:
    """Cut a tree before its last two streets, or before the last of two, and divide what follows by lines.

    The same tree is always divided in the same way, whatever the number of threads.
    """
    streets = list(tree.streets)
    if len(streets) == 1:
        return Parts(0, streets, [])
    cut = max(1, len(streets) - 2)
    closed = streets[cut - 1]
    exits = closed.kind == CHANCE
    edge = replace(
        closed,
        kind=np.where(exits, np.int8(LEAF), closed.kind).astype(np.int8),
        num_exits=0,
        num_leaves=closed.num_exits,
    )
    owners = _owners(streets, cut)
    sizes = sum(np.bincount(owner, minlength=closed.num_exits) for owner in owners)
    assert not isinstance(sizes, int)
    target = min(MOST_NODES, int(sizes.sum()) / FEWEST_PARTS)
    groups: list[list[int]] = []
    held = target
    for x, size in enumerate(sizes.tolist()):
        if held >= target:
            groups.append([])
            held = 0
        groups[-1].append(x)
        held += size
    return Parts(cut, [*streets[: cut - 1], edge], [_part(streets, cut, owners, group) for group in groups])


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


def _part(
    streets: list[StreetArrays], cut: int, owners: list[NDArray[np.int64]], exits: list[int]
) -> list[StreetArrays]:
    closed = streets[cut - 1]
    first, last = exits[0], exits[-1]
    nodes = [np.flatnonzero((first <= owner) & (owner <= last)) for owner in owners]
    edge = _only(closed, np.flatnonzero(closed.kind == CHANCE)[exits])
    return [edge, *(_only(street, found) for street, found in zip(streets[cut:], nodes, strict=True))]


def _only(street: StreetArrays, nodes: NDArray[np.int64]) -> StreetArrays:
    """Return a street with only some of its nodes, which ascend and include all children; rows keep their numbers."""
    number = np.full(len(street.kind) + 1, -1, dtype=np.int64)
    number[nodes] = np.arange(len(nodes))
    lines = StreetLines.of(street.kind[nodes], street.actor[nodes], number[street.parent[nodes]], street.ends[nodes])
    return replace(street, **vars(lines) | {"row": street.row[nodes], "num_rows": street.num_rows, "num_leaves": 0})
