"""The interface between a node and the solution that holds its strategy, in memory or on disk."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import numpy as np
from numpy.typing import NDArray

from errai.cards.hands import hand_index
from errai.engine.strategy import node_strategy
from errai.kernels.layout import BEST, FIXED
from errai.running.recent import Recent

if TYPE_CHECKING:
    from errai.solutions.solution import MemoryProfile


KEPT_VALUES = 8
"""How many arrays of values are kept of each street: those computed last.

A walk of a board gives the values of all nodes of its street at once.  It takes the longer the earlier its street is,
so boards of later streets, of which many are looked at, do not push out those of earlier ones.
"""

MOST_KEPT_BYTES = 4 << 20
"""Larger arrays of values are not kept."""


@dataclass(frozen=True)
class NodeReach:
    """A player's reach at a node, in the hand classes of its board."""

    entry: int
    """The first node of the line on the street."""
    entering: NDArray[np.float64]
    """float64[H_b] at that node."""
    here: NDArray[np.float64]
    """float64[H_b] at the node itself."""


class NodeBoard(Protocol):
    """A representative board with the strategy of all nodes on it; hands are its classes, ``H_b`` for each player."""

    @property
    def key(self) -> Hashable:
        """What distinguishes the board from all others of its street."""

    def child(self, cards: tuple[int, ...]) -> tuple[NodeBoard, NDArray[np.int64]]:
        """Return the board to which new cards lead, and the map of the cards onto it; see ``DealTree.find``."""

    def members(self, player: int) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
        """Return the player's live hands by hand index, class by class, and the class of each."""

    def strategy(self, node: int) -> NDArray[np.float64]:
        """Return float64[A, H_b]: probabilities of the actions at a decision of the board's street."""

    def why_no_values(self, node: int) -> str:
        """Return a sentence that says why :meth:`values` cannot evaluate a node; '' if it can."""

    def values(self, player: int, node: int, opponent: NodeReach, *, best: bool = False) -> NDArray[np.float64]:
        """Return float64[.., H_b]: the player's counterfactual values at a node against the opponent's reach there.

        There is one row and, if the player acts at the node, one more for each action.  With ``best`` the player plays
        a best response from the node on; raises :class:`InputError` if that is not known.
        """


def classes_of(
    board: NodeBoard, player: int, to_representative: NDArray[np.int64], hands: NDArray[np.integer]
) -> NDArray[np.int64]:
    """Return int64[H]: the class of every real hand on a representative board, -1 if the player cannot hold it.

    ``to_representative`` is the map of real cards to those of the board; ``hands`` are the cards of every hand.
    """
    members, of_member = board.members(player)
    class_of = np.full(len(hands), -1, dtype=np.int64)
    class_of[members] = of_member
    return class_of[hand_index(to_representative[hands])]


@dataclass(frozen=True)
class MemoryBoard(NodeBoard):
    """A board of a tree in memory; see :class:`NodeBoard`."""

    solution: MemoryProfile
    street: int
    index: int
    """Its number on the street."""

    @property
    def key(self) -> Hashable:
        return self.index

    def child(self, cards: tuple[int, ...]) -> tuple[NodeBoard, NDArray[np.int64]]:
        index, card_map = self.solution.tree.deal.find(self.street + 1, self.index, cards)
        return MemoryBoard(self.solution, self.street + 1, index), card_map

    def members(self, player: int) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
        hands = self.solution.tree.deal.streets[self.street].hands[player]
        first, last = int(hands.start[self.index]), int(hands.start[self.index + 1])
        members = hands.member[hands.member_start[first] : hands.member_start[last]]
        return members, np.repeat(np.arange(last - first), np.diff(hands.member_start[first : last + 1]))

    def strategy(self, node: int) -> NDArray[np.float64]:
        tree = self.solution.tree
        local = node - int(tree.betting.street_start[self.street])
        return node_strategy(tree, self.solution.strategy, self.street, self.index, local)

    def why_no_values(self, node: int) -> str:
        # Older files do not have the values of a cut tree's leaves.
        below = None if self.solution.leaves is not None else self.solution.below
        return "" if below is None else f"The tree is cut, and the values of {below} below it are not in the file."

    def values(self, player: int, node: int, opponent: NodeReach, *, best: bool = False) -> NDArray[np.float64]:
        leaves = self.solution.leaves
        at_leaves = None if leaves is None else (leaves.best if best else leaves.values)[player]
        tree = self.solution.tree
        if self.street == 0 and self.solution.first_street is not None:
            return self.solution.first_street.at(tree.betting, player, node, best=best)
        after = tree.betting.children(node) if tree.betting.actor[node] == player else ()
        start = int(tree.betting.street_start[self.street])
        entering = np.zeros((tree.arrays.streets[self.street].num_entries, len(opponent.entering)))
        entering[opponent.entry - start] = opponent.entering
        key = self.index, player, best, entering.tobytes()
        kept = self.solution.known_values.setdefault(self.street, Recent(KEPT_VALUES))
        values = kept.get(key)
        if values is None:
            walk = self.solution.strategy, player, self.street, self.index, entering
            role = BEST if best else FIXED
            values = self.solution.kernel.board_values(*walk, role=role, leaf_values=at_leaves)
            if values.nbytes <= MOST_KEPT_BYTES:
                kept.put(key, values)
        return np.asarray(values[np.array([node, *after]) - start])
