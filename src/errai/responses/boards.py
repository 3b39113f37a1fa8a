"""The boards of the later streets, one board of the second street at a time.

A *unit* is one board of the second street with everything below it; in hold'em, one of the 1,755 flops up to suits with
all its turns and rivers.  Work is divided into units, checkpoints count them, and sampling draws them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csc_array

from errai.kernels.batch import hands_on_boards
from errai.kernels.layout import HandArrays
from errai.strategies.strategy import Deals
from errai.tree.deal_root import DealRoot
from errai.tree.deal_tree import DealStreet, build_deal_forest, deal_boards
from errai.tree.public_tree import hand_arrays


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

    def deals(self, player: int) -> Deals:
        """Return the boards and hands as they are passed to a strategy."""
        h = self.hands[player]
        return Deals(self.street, self.boards, h.start, self.hand[player], h.cards)

    def collector(self, player: int, classes: int) -> csc_array:
        """Return a sparse matrix [classes, S_p] that sums values by the weights of chance into the parent's classes."""
        h = self.hands[player]
        size = self.size(player)
        # There is one entry in each column.
        return csc_array((h.up_weight, h.parent, np.arange(size + 1, dtype=np.int32)), shape=(classes, size))


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
