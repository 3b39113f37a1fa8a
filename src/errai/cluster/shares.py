"""Access to the arrays of a stored run, a few elements at a time: those of the trunk and those of a block.

Both are laid out as the kernels take them: per street and player, board after board ``[rows, H_b]``.  They differ in
the boards and betting nodes that they have, and in the files that hold them.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from errai.cluster.partition import Block
from errai.errors import DamagedFileError
from errai.kernels.layout import DECISION
from errai.kernels.protocol import matched
from errai.store.blocks import BlockFile
from errai.store.container import Container
from errai.tree.betting_tree import BettingTree
from errai.tree.deal_path import DealPaths, PathBoard
from errai.tree.subgame import nodes_below

CHECKED_BYTES = 16 << 20
"""For arrays of the trunk up to this size the checksum is verified when they are first read."""


@dataclass(frozen=True)
class Rows:
    """The rows of one player on one street of a share."""

    nodes: NDArray[np.int64]
    """Decision nodes, ascending, by their numbers in the whole betting tree."""
    first: NDArray[np.int64]
    """The first row of each node, and the number of all rows."""

    @property
    def count(self) -> int:
        """Number of rows in all."""
        return int(self.first[-1])

    def of(self, node: int) -> slice:
        """Return the rows of a decision."""
        place = int(np.searchsorted(self.nodes, node))
        return slice(int(self.first[place]), int(self.first[place + 1]))


def rows_of(betting: BettingTree, nodes: NDArray[np.int64], player: int) -> Rows:
    """Return the rows of a player's decisions among some nodes of a street."""
    own = nodes[(betting.kind[nodes] == DECISION) & (betting.actor[nodes] == player)]
    return Rows(own, np.concatenate([[0], np.cumsum(betting.num_children[own])]))


class Share(ABC):
    """The trunk or a block; streets, boards and nodes are counted as in the whole game."""

    def __init__(self, paths: DealPaths, betting: BettingTree) -> None:
        self.paths = paths
        self.betting = betting
        self._rows: dict[tuple[int, int], Rows] = {}

    @property
    def last_street(self) -> int:
        """The last street of the share."""
        return self.betting.num_streets - 1

    @abstractmethod
    def nodes(self, street: int) -> NDArray[np.int64]:
        """Return the betting nodes of a street in the share, ascending."""

    @abstractmethod
    def before(self, board: PathBoard, street: int) -> NDArray[np.int64]:
        """Return int64[2]: each player's classes on a street, on the share's boards before those below ``board``."""

    @abstractmethod
    def elements(self, street: int, player: int, first: int, last: int) -> NDArray[Any]:
        """Return some elements of the array from which the strategy is computed.  Raises :class:`DamagedFileError`."""

    def rows(self, street: int, player: int) -> Rows:
        """Return a player's rows on a street."""
        if (street, player) not in self._rows:
            self._rows[street, player] = rows_of(self.betting, self.nodes(street), player)
        return self._rows[street, player]

    def strategy(self, board: PathBoard, node: int) -> NDArray[np.float64]:
        """Return float64[A, H_b]: probabilities of the actions at a decision on a board of its street."""
        return matched(self.stored(board, node))

    def stored(self, board: PathBoard, node: int) -> NDArray[Any]:
        """Return [A, H_b]: the stored numbers from which the strategy of a decision is computed."""
        player, street = int(self.betting.actor[node]), board.street
        rows = self.rows(street, player)
        own, hands = rows.of(node), int(self.paths.classes_below(board, street)[player])
        begin = rows.count * int(self.before(board, street)[player])
        found = self.elements(street, player, begin + own.start * hands, begin + own.stop * hands)
        return found.reshape(-1, hands)


class WholeStreets(Share):
    """A share that has all boards and betting nodes of its streets."""

    def nodes(self, street: int) -> NDArray[np.int64]:
        return np.asarray(self.betting.street_nodes(street), dtype=np.int64)

    def before(self, board: PathBoard, street: int) -> NDArray[np.int64]:
        return self.paths.classes_before(board, street)


class TrunkShare(WholeStreets):
    """The streets before the cut, in the run's checkpoint.

    Parameters
    ----------
    paths:
        The boards of the game.
    betting:
        The betting tree that ends at the cut.
    container:
        The checkpoint.
    group:
        ``sums``, or ``regrets`` for the current strategy.
    """

    def __init__(self, paths: DealPaths, betting: BettingTree, container: Container, group: str) -> None:
        super().__init__(paths, betting)
        self.container = container
        self.group = group

    def elements(self, street: int, player: int, first: int, last: int) -> NDArray[Any]:
        """See :class:`Share`; a view of the file."""
        return self.array(street, player)[first:last]

    def array(self, street: int, player: int) -> NDArray[Any]:
        """Return a whole array, mapped to the file."""
        name = f"{self.group}/{street}/{player}"
        size = self.betting.num_rows(street, player) * self.paths.size.classes[street][player]
        arrays = self.container.arrays
        if name not in arrays:
            raise DamagedFileError(f"{self.container.path} lacks the array {name!a}.")
        array = arrays[name]
        if array.shape != (size,) or array.dtype not in (np.float32, np.float64):
            raise DamagedFileError(f"The array {name} of {self.container.path} does not fit the game.")
        if array.nbytes <= CHECKED_BYTES and name not in self._checked:
            arrays.check(name)
            self._checked.add(name)
        return array

    @cached_property
    def _checked(self) -> set[str]:
        return set()


class BlockShare(Share):
    """A block below the cut, in a file for each player.

    Parameters
    ----------
    paths, betting:
        The boards and the betting tree of the game.
    street:
        The street of the cut.
    block:
        The boards and lines of the block.
    open_file:
        Opens a player's file; None before the first iteration.
    group:
        As for :class:`TrunkShare`.
    dtype:
        Type of the group's arrays.
    """

    def __init__(
        self,
        paths: DealPaths,
        betting: BettingTree,
        street: int,
        block: Block,
        open_file: Callable[[int], BlockFile] | None,
        group: str,
        dtype: np.dtype,
    ) -> None:
        super().__init__(paths, betting)
        self.street = street
        self.block = block
        self.open_file = open_file
        self._files: dict[int, BlockFile] = {}
        self.group = group
        self.dtype = dtype

    @cached_property
    def _nodes(self) -> tuple[NDArray[np.int64], ...]:
        return nodes_below(self.betting, self.street, self.block.entries)

    @cached_property
    def _bounds(self) -> NDArray[np.int64]:
        """int64[streets from the cut on, 2, 2]: classes of the whole game before the block's boards and after them."""
        ends = self.block.boards.start, self.block.boards.stop
        return np.array(
            [
                [self.paths.classes_before_number(self.street, end, s) for end in ends]
                for s in range(self.street, self.betting.num_streets)
            ]
        )

    def nodes(self, street: int) -> NDArray[np.int64]:
        return self._nodes[1 + street - self.street]

    def before(self, board: PathBoard, street: int) -> NDArray[np.int64]:
        return np.asarray(self.paths.classes_before(board, street) - self._bounds[street - self.street][0])

    def elements(self, street: int, player: int, first: int, last: int) -> NDArray[Any]:
        """See :class:`Share`; only the chunks that hold the elements are unpacked."""
        if self.open_file is None:
            return np.zeros(last - first, self.dtype)
        before, after = self._bounds[street - self.street]
        size = self.rows(street, player).count * int(after[player] - before[player])
        name = f"{self.group}/{street - self.street + 1}"
        if player not in self._files:
            self._files[player] = self.open_file(player)
        return self._files[player].read_range(name, self.dtype, size, first, last)
