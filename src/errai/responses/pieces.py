"""The public tree of a game in pieces that a kernel can hold: boards and betting lines, and the pass up a piece.

A *unit* is one board of the second street with everything below it; in hold'em, one of the 1,755 flops up to suits with
all its turns and rivers.  Work is divided into units, checkpoints count them, and sampling draws them.

A *piece* has some of the entries of a street and all nodes that follow them until the street is closed.  Where more
cards are dealt, closing the street is a leaf; a piece of the next street follows a run of leaves.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from errai.kernels.batch import hands_on_boards
from errai.kernels.layout import DECISION, HandArrays, StreetLines, TreeArrays
from errai.strategies.strategy import Deals, Decision
from errai.tree.betting_tree import BettingTree
from errai.tree.deal_root import DealRoot
from errai.tree.deal_tree import DealStreet, build_deal_forest, deal_boards
from errai.tree.public_tree import hand_arrays
from errai.tree.street_lines import TreeLines, street_lines

NODES_OF_A_PIECE = 300
"""About how many betting nodes a piece has: their rows of hands should stay in a core's cache."""

Choices = dict[int, NDArray[np.int64]]
"""Maps each decision of the responder to the action that each hand takes, int64[S]."""


@dataclass(frozen=True, eq=False)
class Boards:
    """Some boards of a street with both players' hands; ``S_p`` are the hand classes of player p on all of them."""

    street: int
    boards: NDArray[np.int8]
    """int8[B, n]"""
    child_start: NDArray[np.int32]
    """int32[B+1]: where each board's children begin among all boards of the unit on the next street."""
    hands: tuple[HandArrays, HandArrays]
    hand: tuple[NDArray[np.int32], NDArray[np.int32]]
    """int32[S_p]: hand indices."""

    @classmethod
    def of(cls, street: int, level: DealStreet, cards: NDArray[np.uint8]) -> Boards:
        """Take all boards of a street of a deal tree; ``cards`` are the cards of every hand, uint8[H, k]."""
        # Players with the same live hands share one list.
        first = hand_arrays(level.hands[0], cards)
        hands = first, first if level.hands[1] is level.hands[0] else hand_arrays(level.hands[1], cards)
        hand = level.hands[0].hand, level.hands[1].hand
        return cls(street, level.boards, level.child_start, hands, hand)

    @property
    def num_boards(self) -> int:
        """Number of boards in this selection."""
        return len(self.boards)

    def size(self, player: int) -> int:
        """Return the number of hand classes of a player over all boards."""
        return int(self.hands[player].start[-1])

    def select(self, first: int, last: int) -> Boards:
        """Return boards ``first`` to ``last - 1``, as views."""
        hand = [index[int(h.start[first]) : int(h.start[last])] for h, index in zip(self.hands, self.hand, strict=True)]
        return Boards(
            self.street,
            self.boards[first:last],
            self.child_start[first : last + 1],
            (hands_on_boards(self.hands[0], first, last), hands_on_boards(self.hands[1], first, last)),
            (hand[0], hand[1]),
        )

    def deals(self, player: int, board: int | None = None) -> Deals:
        """Return the boards and a player's hands as they are passed to a strategy, or only those of one board."""
        h, (first, last) = self.hands[player], (0, self.num_boards) if board is None else (board, board + 1)
        part = slice(int(h.start[first]), int(h.start[last]))
        start = h.start[first : last + 1] - part.start
        return Deals(self.street, self.boards[first:last], start, self.hand[player][part], h.cards[part])

    def up(self, player: int, classes: int, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Sum values of a player's hand classes, float64[n, S_p], by the weights of chance into the parent's classes.

        Returns float64[n, classes].
        """
        h = self.hands[player]
        sums = np.empty((len(values), classes))
        for row, weighted in zip(sums, values * h.up_weight, strict=True):
            row[:] = np.bincount(h.parent, weighted, classes)
        return sums


class Units:
    """The boards of the second street of a game; everything below one of them is built on demand."""

    def __init__(self, root: DealRoot, showdown: bool) -> None:
        self.root = root
        self.showdown = showdown
        self.multiplicity = deal_boards(root, 1).multiplicity
        """int64[U]: how many real boards each unit represents."""

    def __len__(self) -> int:
        return len(self.multiplicity)

    def below(self, unit: int) -> list[Boards]:
        """Build a unit's boards, street by street from the second, whose parents are classes of the trunk."""
        forest = build_deal_forest(self.root, 1, range(unit, unit + 1), showdown=self.showdown)
        cards = self.root.hands.astype(np.uint8)
        return [Boards.of(s, level, cards) for s, level in enumerate(forest.streets[1:], start=1)]


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
    lines: StreetLines, values: NDArray[np.float64], player: int, choices: Choices | None = None
) -> NDArray[np.float64]:
    """Compute the values of a piece's decisions from those of its terminal nodes and leaves.

    ``values``, float64[n, S], are the responder's values of all nodes; those of decisions are written in place.
    ``choices`` say what the responder does, and the best actions are added where they have nothing.
    """
    for node in np.flatnonzero(lines.kind == DECISION)[::-1].tolist():
        below = values[lines.first_child[node] : lines.first_child[node] + lines.num_children[node]]
        if lines.actor[node] != player:
            np.add.reduce(below, axis=0, out=values[node])
        elif choices is None:
            np.maximum.reduce(below, axis=0, out=values[node])
        else:
            if node not in choices:
                choices[node] = below.argmax(axis=0)
            values[node] = np.take_along_axis(below, choices[node][None, :], axis=0)[0]
    return values
