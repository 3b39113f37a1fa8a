"""A strategy profile on disk, examined node by node: what solutions in a file and runs in a folder have in common.

No board is built beforehand.  A node's board is found among the children of the boards on its line, and its strategy is
a range of one array; the values of hands are computed on the tree that follows the node, if that is small.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Hashable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from errai.cluster.parts import Part, make_part, part_entries
from errai.cluster.shares import Share
from errai.engine.resources import default_threads
from errai.running.recent import Recent
from errai.solutions.node_board import NodeBoard, NodeReach
from errai.solutions.solution import Profile
from errai.tree.deal_path import DealPaths, PathBoard
from errai.tree.public_tree import TreePlan

MOST_EVALUATED = 4_000_000
"""The most pairs of information set and action below a node that are read to compute its hands' values."""

KEPT_PARTS = 2

LeafVectors = Mapping[int, tuple[NDArray[np.float64], NDArray[np.float64]]]
"""Values of the leaves of a share's last street for each player, by the role of that player; may be empty."""


@dataclass(frozen=True)
class StoredBoard(NodeBoard):
    """A board of a profile on disk; see :class:`errai.solutions.node_board.NodeBoard`."""

    solution: StoredProfile
    board: PathBoard

    @property
    def key(self) -> Hashable:
        return self.board.cards

    def child(self, cards: tuple[int, ...]) -> tuple[StoredBoard, NDArray[np.int64]]:
        found, card_map = self.board.find(cards)
        return StoredBoard(self.solution, found), card_map

    def members(self, player: int) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
        hands = self.board.alone.hands[player]
        return hands.member, np.repeat(np.arange(len(hands.hand)), np.diff(hands.member_start))

    def strategy(self, node: int) -> NDArray[np.float64]:
        return self.solution.share(self.board, node).strategy(self.board, node)

    def why_no_values(self, node: int) -> str:
        return self.solution.why_no_values(self.board, node)

    def values(self, player: int, node: int, opponent: NodeReach, *, best: bool = False) -> NDArray[np.float64]:
        betting, part = self.solution.plan.betting, self.solution.part(self.board, node)
        if not betting.actions(node):
            return part.values(player, opponent.here[None, :], best=best)
        strategy = self.strategy(node)
        if betting.actor[node] != player:
            return np.asarray(part.values(player, strategy * opponent.here, best=best).sum(axis=0, keepdims=True))
        after = part.values(player, np.tile(opponent.here, (len(strategy), 1)), best=best)
        here = after.max(axis=0, keepdims=True) if best else (strategy * after).sum(axis=0, keepdims=True)
        return np.concatenate([here, after])


class StoredProfile(Profile):
    """A profile on disk whose nodes are read one by one."""

    remedy = ""
    """A sentence, after a space, that says how to get the values of hands everywhere."""

    def __init__(self, plan: TreePlan) -> None:
        self.plan = plan
        self.tree = plan  # its boards are not built
        self.threads = default_threads()
        self.paths = DealPaths(plan.root, showdown=plan.showdown)
        self._parts: Recent[tuple[tuple[int, ...], int], Part] = Recent(KEPT_PARTS)

    @property
    def root_board(self) -> StoredBoard:
        """The board at the root, as nodes see it."""
        return StoredBoard(self, self.paths.first)

    @abstractmethod
    def share(self, board: PathBoard, node: int) -> Share:
        """Return the arrays that hold a node on a board."""

    def leaf_vectors(self, share: Share) -> LeafVectors:
        """Return the values of the leaves of a share; empty if it has none."""
        return {}

    def why_no_values(self, board: PathBoard, node: int) -> str:
        """Return a sentence that says why a node's values are not computed; '' if they are."""
        entries = part_entries(self.share(board, node), board, node)
        if entries <= MOST_EVALUATED:
            return ""
        return (
            f"Values of hands are not computed here, because {entries:,} numbers of the strategy follow and at most "
            f"{MOST_EVALUATED:,} are read.{self.remedy}"
        )

    def part(self, board: PathBoard, node: int) -> Part:
        """Return the tree below a node, in memory; the most recent ones are kept."""

        def made() -> Part:
            share = self.share(board, node)
            return make_part(share, board, node, self.leaf_vectors(share), self.threads)

        return self._parts.get_or_make((board.cards, node), made)
