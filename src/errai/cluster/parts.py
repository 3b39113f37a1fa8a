"""The tree below one node of a stored run, built and evaluated on its own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from errai.cluster.shares import Rows, Share, rows_of
from errai.kernels.backends import make_kernel
from errai.kernels.layout import BEST, FIXED, LEAF, TreeArrays
from errai.kernels.protocol import Arrays, Kernel, LeafArrays
from errai.tree.deal_path import PathBoard
from errai.tree.public_tree import street_arrays, tie
from errai.tree.subgame import nodes_from


@dataclass(frozen=True)
class Part:
    """The tree below a node in its share: it begins with a decision's children, else with the node itself."""

    tree: TreeArrays
    kernel: Kernel
    strategy: Arrays
    leaves: Mapping[int, tuple[LeafArrays, LeafArrays]]
    """The values of a trunk's leaves for each player, by the role of that player, FIXED or BEST; else empty."""

    def values(self, player: int, reach: NDArray[np.float64], *, best: bool = False) -> NDArray[np.float64]:
        """Return float64[E, H_b]: the player's counterfactual values at the E nodes with which the part begins.

        ``reach``, float64[E, H_b], is the opponent's reach at each of them.  With ``best`` the player responds best.
        """
        street = self.tree.streets[0]
        own = np.ones(street.num_entries * int(street.hands[player].start[-1]))
        both = (own, reach.ravel()) if player == 0 else (reach.ravel(), own)
        role = BEST if best else FIXED
        leaves = self.leaves[role][player] if self.leaves else None
        found = self.kernel.root_values(self.strategy, player, role=role, leaf_values=leaves, reach=both)
        return found.reshape(street.num_entries, -1)


def part_entries(share: Share, board: PathBoard, node: int) -> int:
    """Return the pairs of information set and action below a node on a board, in its share."""
    total = 0
    for i, nodes in enumerate(nodes_from(share.betting, [node], share.last_street)):
        classes = share.paths.classes_below(board, board.street + i)
        total += sum(rows_of(share.betting, nodes, p).count * int(classes[p]) for p in (0, 1))
    return total


def make_part(
    share: Share,
    board: PathBoard,
    node: int,
    leaf_values: Mapping[int, tuple[NDArray[np.float64], NDArray[np.float64]]],
    threads: int,
) -> Part:
    """Build the tree below a node on a board, and read its strategy.

    ``leaf_values`` are the values of all leaves of the trunk's last street for each player, by role, for a node of the
    trunk; else empty.
    """
    betting, root = share.betting, share.paths.root
    deal = share.paths.below(board, share.last_street)
    nodes = nodes_from(betting, betting.children(node) if betting.actions(node) else [node], share.last_street)
    cards = root.hands.astype(np.uint8)
    streets = tuple(street_arrays(betting, n, level, cards) for n, level in zip(nodes, deal.streets, strict=True))
    reach = tuple(np.ones(streets[0].num_entries * int(h.start[-1])) for h in streets[0].hands)
    tree = TreeArrays(streets, root.deck.num_cards, tie(betting, root), (reach[0], reach[1]))
    strategy: Arrays = []
    for i, street in enumerate(streets):
        pair = [
            _rows_of_boards(share, board, board.street + i, p, rows_of(betting, nodes[i], p), street.hands[p].start)
            for p in (0, 1)
        ]
        strategy.append(pair)
    leaves = {
        role: (
            _leaf_part(share, board, nodes[-1], tree, first, 0),
            _leaf_part(share, board, nodes[-1], tree, second, 1),
        )
        for role, (first, second) in leaf_values.items()
    }
    return Part(tree, make_kernel("cpu", tree, threads), strategy, leaves)


def _rows_of_boards(
    share: Share, board: PathBoard, street: int, player: int, rows: Rows, start: NDArray[np.int64]
) -> NDArray[Any]:
    """Return some rows of all boards of a street below a board, board after board."""
    whole, before = share.rows(street, player), int(share.before(board, street)[player])
    if rows.count == whole.count:
        return np.ascontiguousarray(
            share.elements(street, player, whole.count * before, whole.count * (before + int(start[-1])))
        )
    runs = _runs([whole.of(int(node)) for node in rows.nodes])
    pieces = [
        share.elements(street, player, begin + run.start * hands, begin + run.stop * hands)
        for first, last in pairwise(start.tolist())
        for begin, hands in ((whole.count * (before + first), last - first),)
        for run in runs
    ]
    return np.concatenate(pieces) if pieces else share.elements(street, player, 0, 0)


def _runs(slices: Sequence[slice]) -> list[slice]:
    """Join neighbouring slices of an ordered sequence."""
    runs: list[slice] = []
    for part in slices:
        if runs and runs[-1].stop == part.start:
            runs[-1] = slice(runs[-1].start, part.stop)
        else:
            runs.append(part)
    return runs


def _leaf_part(
    share: Share,
    board: PathBoard,
    nodes: NDArray[np.int64],
    tree: TreeArrays,
    values: NDArray[np.float64],
    player: int,
) -> LeafArrays:
    """Return the values of the leaves below a node, taken from those of the whole trunk."""
    street = share.last_street
    every, mine = (n[share.betting.kind[n] == LEAF] for n in (share.nodes(street), nodes))
    taken = np.searchsorted(every, mine)
    before = int(share.before(board, street)[player])
    pieces = [
        values[len(every) * (before + first) : len(every) * (before + last)].reshape(len(every), -1)[taken].reshape(-1)
        for first, last in pairwise(tree.streets[-1].hands[player].start.tolist())
    ]
    zeros = [np.zeros(0) for _ in tree.streets[:-1]]
    return [*zeros, np.concatenate(pieces)]
