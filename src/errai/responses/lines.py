"""The betting of one street, divided into pieces that a kernel can hold, and the pass up such a piece in NumPy.

A piece has some of the entries of a street and all nodes that follow them until the street is closed.  Where more cards
are dealt, closing the street is a leaf; a piece of the next street follows a run of leaves.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from errai.kernels.layout import DECISION, HandArrays, StreetLines, TreeArrays
from errai.strategies.strategy import Decision
from errai.tree.betting_tree import BettingTree
from errai.tree.street_lines import TreeLines, street_lines

NODES_OF_A_PIECE = 300
"""About how many betting nodes a piece has: their rows of hands should stay in a core's cache."""


def tree_on(
    lines: StreetLines,
    hands: tuple[HandArrays, HandArrays],
    num_cards: int,
    entering: tuple[NDArray[Any], NDArray[Any]],
) -> TreeArrays:
    """Return some lines on some boards as a tree for the kernels, with nothing above or below it."""
    boards = len(hands[0].start) - 1
    street = lines.with_boards(
        parent_board=np.full(boards, -1, np.int32), child_start=np.zeros(boards + 1, np.int32), hands=hands
    )
    return TreeArrays((street,), num_cards, 0.0, entering)


def decisions_of(betting: BettingTree, lines: TreeLines) -> tuple[tuple[Decision, ...], tuple[Decision, ...]]:
    """Return each player's decisions, in the order of the rows."""
    first, second = (
        tuple(Decision.at(betting, int(node)) for node in lines.nodes[(lines.kind == DECISION) & (lines.actor == p)])
        for p in (0, 1)
    )
    return first, second


@dataclass(frozen=True, eq=False)
class Piece:
    """A piece of a street, with the pieces of the next street that follow runs of its leaves."""

    lines: TreeLines
    decisions: tuple[tuple[Decision, ...], tuple[Decision, ...]]
    below: tuple[tuple[slice, Piece], ...]


def cut(betting: BettingTree, lines: TreeLines) -> Piece:
    """Divide everything below the leaves of a piece into pieces of about ``NODES_OF_A_PIECE`` nodes."""
    entries, decisions = lines.next_entries, decisions_of(betting, lines)
    if not lines.num_leaves or entries[0] < 0:
        return Piece(lines, decisions, ())
    sizes = np.cumsum([len(street_lines(betting, [entry]).nodes) for entry in entries])
    below, first = [], 0
    for last in range(1, len(entries) + 1):
        before = int(sizes[first - 1]) if first else 0
        if last == len(entries) or sizes[last] - before > NODES_OF_A_PIECE:
            below.append((slice(first, last), cut(betting, street_lines(betting, entries[first:last], cut=True))))
            first = last
    return Piece(lines, decisions, tuple(below))


def raise_values(
    lines: StreetLines,
    values: NDArray[np.float64],
    player: int,
    choose: Callable[[int, NDArray[Any]], NDArray[Any]] | None = None,
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
    for node in np.flatnonzero(lines.kind == DECISION)[::-1].tolist():
        children = slice(lines.first_child[node], lines.first_child[node] + lines.num_children[node])
        if lines.actor[node] != player:
            np.add.reduce(values[children], axis=0, out=values[node])
        elif choose is None:
            np.maximum.reduce(values[children], axis=0, out=values[node])
        else:
            values[node] = choose(node, values[children])
