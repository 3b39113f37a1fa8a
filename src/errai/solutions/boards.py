"""A solution board by board: the reach and the counterfactual values of both players at all nodes of a street.

A node of a solution (:mod:`errai.solutions.node`) evaluates one line on one board.  Here all boards of the tree are
visited once.  One walk for each player gives the values at all nodes of a board, and only the boards on the way from
the root are in memory.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from errai.engine.strategy import node_strategy
from errai.errors import InputError
from errai.kernels.layout import CHANCE, DECISION
from errai.solutions.node_board import MemoryBoard
from errai.solutions.solution import Solution


@dataclass(frozen=True, eq=False)
class SolvedBoard:
    """A board of the tree with all betting nodes of its street; it represents all boards that equal it up to suits.

    Axes: N nodes of the street in the order of the betting tree, H_b hand classes of a player on the board.
    """

    solution: Solution
    street: int
    """Number of the street, counted from the root."""
    index: int
    """Number of the board on the street."""
    reach: tuple[NDArray[np.float64], NDArray[np.float64]]
    """float64[N, H_b] for each player: for one hand of a class, the weight in the root's range times the probability of
    the player's own actions."""

    @property
    def cards(self) -> tuple[int, ...]:
        """The board: the cards of the root in the order of the spot, then those of each street, ascending."""
        dealt = self.solution.tree.deal.streets[self.street].boards[self.index].tolist()
        return (*self.solution.board, *dealt[len(self.solution.board) :])

    @property
    def count(self) -> int:
        """The number of boards that this one represents, suits distinguished."""
        return int(self.solution.tree.deal.streets[self.street].multiplicity[self.index])

    @property
    def nodes(self) -> range:
        """The numbers of the street's nodes in the betting tree; axis N."""
        return self.solution.tree.betting.street_nodes(self.street)

    def hands(self, player: int) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
        """Return the player's live hands by hand index, ascending, and the class of each."""
        members, class_of = MemoryBoard(self.solution, self.street, self.index).members(player)
        order = np.argsort(members, kind="stable")
        return members[order], class_of[order]

    def strategy(self, node: int) -> NDArray[np.float64]:
        """Return float64[A, H_b]: the strategy at a decision node, given by its number in the betting tree."""
        return MemoryBoard(self.solution, self.street, self.index).strategy(node)

    @cached_property
    def values(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """float64[N, H_b] for each player: counterfactual values.

        They are defined as in :meth:`SolutionNode.counterfactual <errai.solutions.node.SolutionNode.counterfactual>`;
        NaN for a solution whose tree is cut, from a file that does not have the values of the leaves.
        """
        return self._values(0), self._values(1)

    def _values(self, player: int) -> NDArray[np.float64]:
        solution, leaves = self.solution, self.solution.leaves
        if solution.below is not None and leaves is None:
            return np.full(self.reach[player].shape, np.nan)
        entries = solution.tree.arrays.streets[self.street].num_entries
        reach = np.ascontiguousarray(self.reach[1 - player][:entries])
        at_leaves = None if leaves is None else leaves.values[player]
        at = player, self.street, self.index
        return solution.kernel.board_values(solution.strategy, *at, reach, leaf_values=at_leaves)

    def spread(self, rows: NDArray[np.float64], player: int, fill: float = 0.0) -> NDArray[np.float64]:
        """Expand rows [.., H_b] of classes to all hands of the deck; those that cannot be held get ``fill``."""
        members, class_of = self.hands(player)
        found = np.full((*rows.shape[:-1], len(self.solution.tree.root.hands)), fill)
        found[..., members] = rows[..., class_of]
        return found


def solved_boards(solution: Solution, streets: int | None = None) -> Iterator[SolvedBoard]:
    """Yield all boards of a solution, each before the boards of later streets that extend it.

    Parameters
    ----------
    solution:
        A solution in memory, such as :func:`errai.solve` or :func:`errai.load_solution` returns.
    streets:
        The number of streets whose boards are yielded; by default all.

    Raises
    ------
    InputError
        If ``solution`` is not a solution in memory, or its tree does not have that many streets.
    """
    if not isinstance(solution, Solution):
        raise InputError(f"A solution in memory is needed, as errai.load_solution returns it, not {solution!r:.80}.")
    most = len(solution.tree.arrays.streets)
    if streets is not None and not 1 <= streets <= most:
        raise InputError(f"The tree of {solution.title} has 1 to {most} streets, not {streets}.")
    return _boards(solution, most if streets is None else streets)


def _boards(solution: Solution, streets: int) -> Iterator[SolvedBoard]:
    arrays = solution.tree.arrays
    entering = arrays.root_reach if solution.entering is None else solution.entering.reach
    # Boards still to visit, the next one last: street, number, and the reach of both players at its first nodes.
    start = tuple(reach.reshape(arrays.streets[0].num_entries, -1) for reach in entering)
    waiting = [(0, 0, start)]
    while waiting:
        s, b, entries = waiting.pop()
        level = arrays.streets[s]
        reach = [np.zeros((len(level.kind), brought.shape[1])) for brought in entries]
        for p in (0, 1):
            reach[p][: level.num_entries] = entries[p]
        for node in np.flatnonzero(level.kind == DECISION).tolist():
            children = slice(int(level.first_child[node]), int(level.first_child[node] + level.num_children[node]))
            for p in (0, 1):
                reach[p][children] = reach[p][node]
            strategy = node_strategy(solution.tree, solution.strategy, s, b, node)
            reach[int(level.actor[node])][children] *= strategy
        yield SolvedBoard(solution, s, b, (reach[0], reach[1]))
        if s + 1 < streets:
            exits, below = level.kind == CHANCE, arrays.streets[s + 1].hands
            going = [brought[exits] for brought in reach]
            for child in range(int(level.child_start[b + 1]) - 1, int(level.child_start[b]) - 1, -1):
                parents = [h.parent[h.start[child] : h.start[child + 1]] for h in below]
                waiting.append((s + 1, child, tuple(going[p][:, parents[p]] for p in (0, 1))))
