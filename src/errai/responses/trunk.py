"""The first street: the opponent's reach at its leaves, and the best response once the leaves have values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from errai.kernels.backends import make_kernel
from errai.kernels.layout import LEAF
from errai.responses.boards import Boards
from errai.responses.lines import decisions_of, raise_values, tree_on
from errai.responses.suits import SuitCheck
from errai.strategies.strategy import BatchedStrategy, checked_rows
from errai.tree.betting_tree import BettingTree
from errai.tree.public_tree import PublicTree
from errai.tree.street_lines import street_lines

Choices = dict[int, NDArray[np.int64]]
"""Maps each decision of the responder to the action that each hand takes, int64[S]."""


@dataclass(eq=False)
class Trunk:
    """The first street of a game, and one strategy on it.

    Parameters
    ----------
    tree:
        The public tree of the first street alone.
    betting:
        The betting tree of all streets.
    strategy:
        The opponent's strategy.
    suits:
        Checks that the strategy is symmetric in the suits; None for no check.
    """

    tree: PublicTree
    betting: BettingTree
    strategy: BatchedStrategy
    suits: SuitCheck | None = None

    def __post_init__(self) -> None:
        self.lines = street_lines(self.betting, [0], cut=True)
        self.decisions = decisions_of(self.betting, self.lines)
        self.boards = Boards.of(0, self.tree.deal.streets[0], self.tree.root.hands.astype(np.uint8))
        arrays = tree_on(self.lines, self.boards.hands, self.tree.root.deck.num_cards, self.tree.arrays.root_reach)
        kernel = make_kernel("cpu", arrays)
        profile = [self._rows(p) for p in (0, 1)]
        leaves = kernel.leaf_reach([profile], tied=False)
        self.leaf_reach = tuple(leaves[p][0].reshape(self.lines.num_leaves, self.boards.size(p)) for p in (0, 1))
        """float64[leaves, S_p] for both players: the reach of a player who follows the strategy."""
        self._terminals = [
            kernel.board_values([profile], p, 0, 0, arrays.root_reach[1 - p].reshape(1, -1)) for p in (0, 1)
        ]

    @property
    def states(self) -> int:
        """Number of public states of the first street at which the strategy was queried."""
        return sum(len(decisions) for decisions in self.decisions)

    def _rows(self, player: int) -> NDArray[np.float64]:
        decisions = self.decisions[player]
        rows, hands = self.lines.num_rows[player], self.boards.size(player)
        result = np.zeros((rows, hands))
        if decisions:
            deals = self.boards.deals(player)
            result[...] = answer = checked_rows(self.strategy, decisions, deals)
            if self.suits is not None:
                for _ in self.suits.root.symmetries[1:]:
                    self.suits.look(self.strategy, decisions, deals, answer)
        return result.ravel()

    def best(self, player: int, leaf_values: NDArray[np.float64] | None) -> tuple[float, Choices]:
        """Return the net chips per hand of a best response, and its choices; ``leaf_values`` is float64[leaves, S]."""
        choices: Choices = {}

        def choose(node: int, values: NDArray[Any]) -> NDArray[Any]:
            choices[node] = values.argmax(axis=0)
            return np.asarray(values.max(axis=0))

        values = self._filled(player, leaf_values)
        raise_values(self.lines, values, player, choose)
        return self.tree.chips(values[0], player), choices

    def follow(self, player: int, choices: Choices, leaf_values: NDArray[np.float64] | None) -> float:
        """Return the net chips per hand of a player who makes the given choices."""

        def choose(node: int, values: NDArray[Any]) -> NDArray[Any]:
            return np.asarray(np.take_along_axis(values, choices[node][None, :], axis=0)[0])

        values = self._filled(player, leaf_values)
        raise_values(self.lines, values, player, choose)
        return self.tree.chips(values[0], player)

    def _filled(self, player: int, leaf_values: NDArray[np.float64] | None) -> NDArray[np.float64]:
        values = self._terminals[player].copy()
        if leaf_values is not None:
            values[self.lines.kind == LEAF] = leaf_values
        return values
