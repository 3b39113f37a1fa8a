"""The betting of one street, divided into pieces that a kernel can hold, and the pass up such a piece in NumPy.

A piece has some of the entries of a street and all nodes that follow them until the street is closed.  Where more cards
are dealt, closing the street is a leaf; a piece of the next street follows a run of leaves.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from errai.kernels.layout import CHANCE, DECISION, LEAF, WIN, HandArrays, StreetArrays, TreeArrays
from errai.strategies.strategy import Decision
from errai.tree.betting_tree import BettingTree, NodeKind
from errai.tree.public_tree import end_payoffs

NODES_OF_A_PIECE = 300
"""About how many betting nodes a piece has: their rows of hands should stay in a core's cache."""


@dataclass(frozen=True, eq=False)
class Lines:
    """A piece of one street with ``n`` nodes: entries first, breadth first, siblings next to each other."""

    street: int
    nodes: NDArray[np.int32]
    """int32[n]: their numbers in the betting tree."""
    kind: NDArray[np.int8]
    """int8[n]: DECISION, FOLD, SHOWDOWN or LEAF."""
    actor: NDArray[np.int8]
    parent: NDArray[np.int32]
    first_child: NDArray[np.int32]
    """int32[n]: first child inside the piece; of a LEAF its number among the leaves."""
    num_children: NDArray[np.int32]
    row: NDArray[np.int32]
    """int32[n]: first row of a DECISION among its actor's in this piece, else -1."""
    ends: NDArray[np.float64]
    """float64[n, 2, 3]: as in :class:`errai.kernels.layout.StreetArrays`."""
    num_entries: int
    num_rows: tuple[int, int]
    decisions: tuple[tuple[Decision, ...], tuple[Decision, ...]]
    """Each player's decisions, in the order of the rows."""
    next_entries: NDArray[np.int32]
    """int32[leaves]: the node of the next street that each leaf leads to, -1 where there is no next street."""

    @property
    def payoff(self) -> NDArray[np.float64]:
        """float64[n]: chips that change hands at the ends."""
        return np.ascontiguousarray(self.ends[:, :, WIN].max(axis=1))

    @property
    def num_leaves(self) -> int:
        """Number of nodes at which the street is closed with cards to come."""
        return len(self.next_entries)

    @cached_property
    def upwards(self) -> tuple[tuple[int, int, slice], ...]:
        """(node, actor, children) of the decisions, children before parents."""
        nodes = np.flatnonzero(self.kind == DECISION)[::-1]
        return tuple(
            (
                int(node),
                int(self.actor[node]),
                slice(int(self.first_child[node]), int(self.first_child[node] + self.num_children[node])),
            )
            for node in nodes
        )

    def tree(
        self, hands: tuple[HandArrays, HandArrays], num_cards: int, entering: tuple[NDArray, NDArray]
    ) -> TreeArrays:
        """Return the piece on some boards as a tree for the kernels, with nothing above or below it."""
        boards = len(hands[0].start) - 1
        street = StreetArrays(
            kind=self.kind,
            actor=self.actor,
            parent=self.parent,
            first_child=self.first_child,
            num_children=self.num_children,
            row=self.row,
            ends=self.ends,
            num_entries=self.num_entries,
            num_exits=0,
            num_leaves=self.num_leaves,
            num_rows=self.num_rows,
            parent_board=np.full(boards, -1, np.int32),
            child_start=np.zeros(boards + 1, np.int32),
            hands=hands,
        )
        return TreeArrays((street,), num_cards, 0.0, entering)


def street_lines(
    betting: BettingTree,
    street: int,
    entries: Sequence[int],
    wanted: Callable[[int], Sequence[int]] | None = None,
) -> Lines:
    """Return the piece of a street that follows some entries.

    Parameters
    ----------
    betting:
        The whole betting tree.
    street, entries:
        The nodes with which the piece begins.
    wanted:
        Which children of a decision are kept; by default all.
    """
    nodes, parent = [int(entry) for entry in entries], [-1] * len(entries)
    first_child, num_children = [], []
    position = 0
    while position < len(nodes):
        node = nodes[position]
        children: Sequence[int] = ()
        if betting.kind[node] == NodeKind.DECISION:
            children = betting.children(node) if wanted is None else wanted(node)
        first_child.append(len(nodes) if children else 0)
        num_children.append(len(children))
        nodes.extend(int(child) for child in children)
        parent.extend([position] * len(children))
        position += 1
    index = np.array(nodes, dtype=np.int32)
    kind, actor = betting.kind[index].copy(), betting.actor[index].copy()
    # A street that ends in CHANCE is cut there; one at the edge of the tree has leaves already.
    closed = np.isin(kind, (CHANCE, LEAF))
    kind[closed] = LEAF
    inside, count = np.array(first_child, np.int32), np.array(num_children, np.int32)
    inside[closed] = np.arange(int(closed.sum()))
    row, rows = np.full(len(index), -1, np.int32), [0, 0]
    for player in (0, 1):
        mine = np.flatnonzero((kind == DECISION) & (actor == player))
        ends = np.cumsum(count[mine])
        row[mine] = ends - count[mine]
        rows[player] = int(ends[-1]) if len(ends) else 0
    decisions = tuple(
        tuple(Decision.at(betting, int(node)) for node in index[(kind == DECISION) & (actor == player)])
        for player in (0, 1)
    )
    return Lines(
        street=street,
        nodes=index,
        kind=np.ascontiguousarray(kind, np.int8),
        actor=np.ascontiguousarray(actor, np.int8),
        parent=np.array(parent, np.int32),
        first_child=inside,
        num_children=count,
        row=row,
        ends=end_payoffs(kind, actor, betting.contributions[index]),
        num_entries=len(entries),
        num_rows=(rows[0], rows[1]),
        decisions=(decisions[0], decisions[1]),
        next_entries=np.where(betting.kind[index[closed]] == CHANCE, betting.first_child[index[closed]], -1).astype(
            np.int32
        ),
    )


@dataclass(frozen=True, eq=False)
class Piece:
    """A piece of a street, with the pieces of the next street that follow runs of its leaves."""

    lines: Lines
    below: tuple[tuple[slice, Piece], ...]


def cut(betting: BettingTree, lines: Lines) -> Piece:
    """Divide everything below the leaves of a piece into pieces of about ``NODES_OF_A_PIECE`` nodes."""
    entries = lines.next_entries
    if not lines.num_leaves or entries[0] < 0:
        return Piece(lines, ())
    sizes = np.cumsum([len(street_lines(betting, lines.street + 1, [int(e)]).nodes) for e in entries])
    below, first = [], 0
    for last in range(1, len(entries) + 1):
        before = int(sizes[first - 1]) if first else 0
        if last == len(entries) or sizes[last] - before > NODES_OF_A_PIECE:
            next_lines = street_lines(betting, lines.street + 1, [int(e) for e in entries[first:last]])
            below.append((slice(first, last), cut(betting, next_lines)))
            first = last
    return Piece(lines, tuple(below))


def raise_values(
    lines: Lines, values: NDArray[np.float64], player: int, choose: Callable[[int, NDArray], NDArray] | None = None
) -> None:
    """Compute the values of a piece's decisions from those of its terminal nodes and leaves.

    Parameters
    ----------
    values:
        float64[n, S], changed in place: the player's values of all nodes; those of decisions are written.
    player:
        The responder.
    choose:
        Maps (node, values of the actions [A, S]) to the value of the responder's decision [S]; by default the maximum.
    """
    for node, actor, children in lines.upwards:
        if actor != player:
            np.add.reduce(values[children], axis=0, out=values[node])
        elif choose is None:
            np.maximum.reduce(values[children], axis=0, out=values[node])
        else:
            values[node] = choose(node, values[children])
