"""What a node needs to know of what holds its strategy: the seam between a node and a solution in memory or on disk."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import numpy as np
from numpy.typing import NDArray

from errai.cards.deck import Deck
from errai.engine.strategy import node_strategy
from errai.games.game import Game
from errai.games.spot import Spot
from errai.kernels.layout import BEST, FIXED
from errai.kernels.protocol import Arrays, Kernel
from errai.tree.betting_tree import BettingTree
from errai.tree.deal_root import DealRoot
from errai.tree.public_tree import PublicTree

if TYPE_CHECKING:
    from errai.engine.leaf_values import LeafMeasurement
    from errai.tree.locks import NodeLocks


class TreeView(Protocol):
    """A public tree, whether or not its boards have been made."""

    @property
    def betting(self) -> BettingTree:
        """All lines of bets."""

    @property
    def root(self) -> DealRoot:
        """Cards, ranges and board at the root."""

    @property
    def locks(self) -> NodeLocks | None:
        """What some hands do, given and not learnt."""


class NodeSource(Protocol):
    """What holds the strategy that nodes show."""

    @property
    def subject(self) -> Game | Spot:
        """The game or spot that was solved."""

    @property
    def deck(self) -> Deck:
        """The cards."""

    @property
    def board(self) -> tuple[int, ...]:
        """Cards on the table at the root, in the order of the spot."""

    @property
    def tree(self) -> TreeView:
        """The public tree."""

    @property
    def root_board(self) -> NodeBoard:
        """The board at the root."""

    @property
    def root_ranges(self) -> NDArray[np.float64]:
        """float64[2, H]: what both players bring to the root."""

    @property
    def root_gains(self) -> tuple[float, float] | None:
        """Chips that each player would gain by a best response, as certified; None where nothing is."""


@dataclass(frozen=True)
class NodeReach:
    """What a player brings to a node, in the classes of hands of its board."""

    entry: int
    """The node with which the street began."""
    entering: NDArray[np.float64]
    """float64[H_b] at that node."""
    here: NDArray[np.float64]
    """float64[H_b] at the node itself."""


class NodeBoard(Protocol):
    """A representative board with the strategy of all nodes on it; hands are its classes, ``H_b`` for each player."""

    def child(self, cards: tuple[int, ...]) -> tuple[NodeBoard, NDArray[np.int64]]:
        """The board that new cards lead to, and the map of the cards onto it; see ``DealTree.find``."""

    def members(self, player: int) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
        """The player's live hands by hand index, class by class, and the class of each."""

    def strategy(self, node: int) -> NDArray[np.float64]:
        """float64[A, H_b]: probabilities of the actions at a decision of the board's street."""

    def why_no_values(self, node: int) -> str:
        """Why :meth:`values` would not say what a node is worth, as a sentence; '' where it does."""

    def values(self, player: int, node: int, opponent: NodeReach, *, best: bool = False) -> NDArray[np.float64]:
        """float64[.., H_b]: the player's counterfactual values at a node against what the opponent brings there.

        One row; where the player acts at the node, after it one for each action.  ``best`` has the player respond best
        from the node on, to the strategy of the other one; raises :class:`InputError` where that is not known.
        """


class HeldInMemory(Protocol):
    """A solution with its whole tree in memory, as its boards see it."""

    @property
    def tree(self) -> PublicTree:
        """The public tree."""

    @property
    def strategy(self) -> Arrays:
        """Probabilities, laid out as the tree's state."""

    @property
    def kernel(self) -> Kernel:
        """The kernel that evaluates nodes."""

    @property
    def below(self) -> object | None:
        """Whose values stand below a tree that is cut, in words; None where the tree goes to the end."""

    @property
    def leaves(self) -> LeafMeasurement | None:
        """What the leaves of a tree that is cut are worth under the strategy; None where that is not known."""


@dataclass(frozen=True)
class MemoryBoard:
    """A board of a tree in memory; see :class:`NodeBoard`."""

    solution: HeldInMemory
    street: int
    index: int
    """Its number on the street."""

    def child(self, cards: tuple[int, ...]) -> tuple[NodeBoard, NDArray[np.int64]]:
        """See :meth:`NodeBoard.child`."""
        index, card_map = self.solution.tree.deal.find(self.street + 1, self.index, cards)
        return MemoryBoard(self.solution, self.street + 1, index), card_map

    def members(self, player: int) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
        """See :meth:`NodeBoard.members`."""
        hands = self.solution.tree.deal.streets[self.street].hands[player]
        first, last = int(hands.start[self.index]), int(hands.start[self.index + 1])
        members = hands.member[hands.member_start[first] : hands.member_start[last]]
        return members, np.repeat(np.arange(last - first), np.diff(hands.member_start[first : last + 1]))

    def strategy(self, node: int) -> NDArray[np.float64]:
        """See :meth:`NodeBoard.strategy`."""
        tree = self.solution.tree
        local = node - int(tree.betting.street_start[self.street])
        return node_strategy(tree, self.solution.strategy, self.street, self.index, local)

    def why_no_values(self, node: int) -> str:
        """See :meth:`NodeBoard.why_no_values`: a file does not have what the leaves of a tree that is cut are worth."""
        known = self.solution.below is None or self.solution.leaves is not None
        return "" if known else f"The tree is cut; below it is {self.solution.below}, which is not in the file."

    def values(self, player: int, node: int, opponent: NodeReach, *, best: bool = False) -> NDArray[np.float64]:
        """See :meth:`NodeBoard.values`."""
        leaves = self.solution.leaves
        at_leaves = None if leaves is None else (leaves.best if best else leaves.values)[player]
        tree = self.solution.tree
        after = tree.betting.children(node) if tree.betting.actor[node] == player else ()
        start = int(tree.betting.street_start[self.street])
        entering = np.zeros((tree.arrays.streets[self.street].num_entries, len(opponent.entering)))
        entering[opponent.entry - start] = opponent.entering
        values = self.solution.kernel.board_values(
            self.solution.strategy,
            player,
            self.street,
            self.index,
            entering,
            role=BEST if best else FIXED,
            leaf_values=at_leaves,
        )
        return values[np.array([node, *after]) - start]
