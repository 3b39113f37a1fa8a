"""The short cut for an opponent whose strategy ignores the cards.

All hands of such an opponent reach a betting node with the same probability.  Two things follow.  First, lines from
which the rest of the hand is the same - same chips, same actions left, same action probabilities - have values that
differ only by that probability, so they are *merged*: the 567 lines that reach hold'em's river become at most 16.
Second, at a terminal node the value of a hand depends on one whole number, its *margin*: how many of the hands that the
opponent may hold it beats, less those that beat it.  On the last street the best response is therefore computed once
for every possible margin, as a table; on each board it remains to find the margins, which is one showdown in the
kernel, and to look them up.  Branches that the opponent never takes are left out.  docs/maths.md has the derivation.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import comb
from typing import Any

import numpy as np
from numpy.typing import NDArray

from errai.kernels.backends import make_kernel
from errai.kernels.layout import CHANCE, DECISION, FOLD, LEAF, SHOWDOWN, StreetLines
from errai.responses.pieces import Boards, raise_values, tree_on
from errai.strategies.blind import BlindStrategy
from errai.strategies.strategy import Decision
from errai.tree.betting_tree import BettingTree
from errai.tree.deal_root import DealRoot
from errai.tree.street_lines import TreeLines, street_lines


@dataclass(frozen=True, eq=False)
class MergedStreet:
    """The lines of one street that differ for the responder."""

    lines: TreeLines
    reach: NDArray[np.float64]
    """float64[n]: the opponent's probability of reaching a node from its entry."""
    leads_to: NDArray[np.int64]
    """int64[leaves]: the entry of the next merged street."""


@dataclass(frozen=True, eq=False)
class MergedLines:
    """All streets after the first, merged, for one seat of the responder."""

    player: int
    streets: tuple[MergedStreet, ...]
    """The second street of the game first."""
    trunk_leaf: NDArray[np.int64]
    """int64[leaves of the trunk]: the entry of the first merged street, -1 where the opponent never gets there."""


def merge_lines(betting: BettingTree, strategy: BlindStrategy, player: int, trunk: TreeLines) -> MergedLines:
    """Merge the lines that are equivalent for the responder ``player`` against a strategy that ignores its cards."""
    mixes = {
        int(node): strategy.mix(Decision.at(betting, int(node)))
        for node in np.flatnonzero((betting.kind == DECISION) & (betting.actor == 1 - player))
    }
    alike = _alike(betting, mixes)

    kept = np.ones(betting.num_nodes, dtype=np.bool_)
    for node, mix in mixes.items():
        kept[betting.children(node)] = mix > 0

    leaf_reach = _reach(betting, trunk, mixes)[trunk.kind == LEAF]
    entries, trunk_leaf = _distinct(alike, np.where(leaf_reach > 0, trunk.next_entries, -1))
    streets = []
    while len(entries):
        lines = street_lines(betting, entries, kept, cut=True)
        entries, leads_to = _distinct(alike, lines.next_entries)
        streets.append(MergedStreet(lines, _reach(betting, lines, mixes), leads_to))
    return MergedLines(player, tuple(streets), trunk_leaf)


def _alike(betting: BettingTree, mixes: dict[int, NDArray[np.float64]]) -> NDArray[np.int64]:
    """Return int64[N]: equal numbers for nodes from which everything that matters to the responder is the same."""
    numbers: dict[tuple[Any, ...], int] = {}
    alike = np.zeros(betting.num_nodes, dtype=np.int64)
    for node in range(betting.num_nodes - 1, -1, -1):
        kind = int(betting.kind[node])
        key: tuple[Any, ...]
        if kind == CHANCE:
            key = (kind, alike[betting.first_child[node]])
        elif node in mixes:
            parts = zip(mixes[node].tolist(), betting.children(node), strict=True)
            key = (kind, 1, *((p, alike[child]) for p, child in parts if p > 0))
        elif kind == DECISION:
            key = (kind, 0, *(alike[child] for child in betting.children(node)))
        else:
            loser = max(int(betting.actor[node]), 0)
            key = (kind, int(betting.actor[node]), float(betting.contributions[node, loser]))
        alike[node] = numbers.setdefault(key, len(numbers))
    return alike


def _distinct(alike: NDArray[np.int64], nodes: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return one node of each kind, and for each of ``nodes`` the position of its kind; -1 for nodes that are -1."""
    there, result = nodes >= 0, np.full(len(nodes), -1, dtype=np.int64)
    _, first, result[there] = np.unique(alike[nodes[there]], return_index=True, return_inverse=True)
    return nodes[there][first], result


def _reach(betting: BettingTree, lines: TreeLines, mixes: dict[int, NDArray[np.float64]]) -> NDArray[np.float64]:
    """Return float64[n]: the opponent's probability of reaching each node of a piece from its entry."""
    reach = np.ones(len(lines.nodes))
    for position in range(lines.num_entries, len(lines.nodes)):
        above = int(lines.nodes[lines.parent[position]])
        reach[position] = reach[lines.parent[position]]
        if above in mixes:
            reach[position] *= mixes[above][int(lines.nodes[position]) - int(betting.first_child[above])]
    return reach


class MergedWalk:
    """Computes the best responses to one strategy that ignores its cards, from both seats.

    ``trunk`` has the lines of the first street, ``root`` the cards; both players may hold any hand.
    """

    def __init__(self, betting: BettingTree, strategy: BlindStrategy, trunk: TreeLines, root: DealRoot) -> None:
        self.merged = tuple(merge_lines(betting, strategy, p, trunk) for p in (0, 1))
        """The merged lines of either seat."""
        self.root = root
        self.last = max(len(m.streets) for m in self.merged)
        held, left = root.hands.shape[1], root.deck.num_cards - root.hands.shape[1]
        # By street, how many hands the opponent may hold, given one's own hand and the board.
        self._pairs = [comb(left - sum(root.new_cards[:s]), held) for s in range(self.last + 1)]
        self._tables: NDArray[np.float64] | None = None
        if self.last == len(root.new_cards):
            # Values on the last street by margin, float64[2 * pairs + 1, entries of both seats].
            margins = np.arange(-self._pairs[-1], self._pairs[-1] + 1, dtype=np.float64)
            ends = [self._street_values(m, self.last - 1, margins) for m in self.merged if len(m.streets) == self.last]
            self._tables = np.ascontiguousarray(np.concatenate(ends, axis=0).T)

    def unit(self, streets: Sequence[Boards]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return values at the merged entries of a unit, float64[entries, S] by seat, for an opponent's reach of 1."""
        if not self.last:
            empty = np.zeros((0, streets[0].size(0)))
            return empty, empty
        both = self._values(streets, streets[0]).T
        split = self._entries(0, 0)
        return both[:split], both[split:]

    def _entries(self, player: int, street: int) -> int:
        streets = self.merged[player].streets
        return streets[street].lines.num_entries if street < len(streets) else 0

    def _values(self, streets: Sequence[Boards], boards: Boards) -> NDArray[np.float64]:
        """Return float64[S, entries of both seats]: values on some boards of a street."""
        if boards.street == self.last and self._tables is not None:
            # A hand's margin is how many hands it beats, less those that beat it: one showdown for one chip.
            tree = tree_on(SHOWDOWN_ALONE, boards.hands, self.root.deck.num_cards, (np.ones(boards.size(0)),) * 2)
            margins = make_kernel("cpu", tree).root_values([[np.zeros(0)] * 2], 0)
            return self._tables[np.rint(margins).astype(np.int64) + self._pairs[boards.street]]
        result = []
        for b in range(boards.num_boards):
            below = streets[boards.street].select(int(boards.child_start[b]), int(boards.child_start[b + 1]))
            classes = int(boards.hands[0].start[b + 1] - boards.hands[0].start[b])
            leaves = below.up(0, classes, self._values(streets, below).T)
            split = self._entries(0, boards.street)
            values = [
                self._street_values(m, boards.street - 1, below=part)
                for m, part in zip(self.merged, (leaves[:split], leaves[split:]), strict=True)
                if boards.street <= len(m.streets)
            ]
            result.append(np.concatenate(values).T)
        return np.concatenate(result)

    def _street_values(
        self,
        merged: MergedLines,
        street: int,
        margins: NDArray[np.float64] | None = None,
        below: NDArray[np.float64] | None = None,
    ) -> NDArray[np.float64]:
        """Return float64[entries, S]: values at the entries of a merged street (0 is the game's second).

        On the last street they are those of hands with some margins, before it those of hands with the values ``below``
        at the entries of the next.
        """
        part = merged.streets[street]
        lines, stake = part.lines, part.lines.stakes * part.reach
        columns = margins if margins is not None else below
        assert columns is not None
        values = np.zeros((len(lines.kind), columns.shape[-1]))
        folds = lines.kind == FOLD
        sign = np.where(lines.actor[folds] == merged.player, -1.0, 1.0)
        values[folds] = (sign * stake[folds] * self._pairs[street + 1])[:, None]
        if margins is not None:
            shown = lines.kind == SHOWDOWN
            values[shown] = stake[shown, None] * margins
        if below is not None:
            leaves = lines.kind == LEAF
            values[leaves] = part.reach[leaves, None] * below[part.leads_to]
        return raise_values(lines, values, merged.player)[: lines.num_entries]


SHOWDOWN_ALONE = StreetLines.of(
    np.array([SHOWDOWN]), np.array([-1]), np.array([-1]), np.array([[[1.0, 0.0, -1.0]] * 2])
)
"""A street that consists of a showdown for one chip."""
