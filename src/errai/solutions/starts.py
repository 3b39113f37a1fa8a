"""A solution board by board, and the beginnings of its streets as arrays: ranges and counterfactual values.

A node of a solution (:mod:`errai.solutions.node`) evaluates one line on one board.  Here all boards of the tree are
visited once.  One walk for each player gives the values at all nodes of a board, and only the boards on the way from
the root are in memory.  Models such as value networks can be trained on the arrays.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import islice

import numpy as np
from numpy.typing import DTypeLike, NDArray

from errai.engine.strategy import node_strategy
from errai.errors import InputError
from errai.games.game import Subject
from errai.games.streets import street_name
from errai.kernels.layout import CHANCE, DECISION
from errai.solutions.node_board import MemoryBoard
from errai.solutions.solution import Solution

BOARDS_AT_ONCE = 100
"""Number of boards in a batch."""


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
        solution, leaves = self.solution, self.solution.leaves
        if solution.below is not None and leaves is None:
            return np.full(self.reach[0].shape, np.nan), np.full(self.reach[1].shape, np.nan)
        entries = solution.tree.arrays.streets[self.street].num_entries
        found = []
        for p in (0, 1):
            at = p, self.street, self.index, np.ascontiguousarray(self.reach[1 - p][:entries])
            at_leaves = None if leaves is None else leaves.values[p]
            found.append(solution.kernel.board_values(solution.strategy, *at, leaf_values=at_leaves))
        return found[0], found[1]

    def spread(self, rows: NDArray[np.float64], player: int, fill: float = 0.0) -> NDArray[np.float64]:
        """Expand rows [.., H_b] of classes to all hands of the deck; those that cannot be held get ``fill``."""
        members, class_of = self.hands(player)
        found = np.full((*rows.shape[:-1], len(self.solution.tree.root.hands)), fill)
        found[..., members] = rows[..., class_of]
        return found


def solved_boards(solution: Solution, streets: int | None = None) -> Iterator[SolvedBoard]:
    """Yield all boards of a solution, or those of its first ``streets``, each before later boards that extend it.

    Raises :class:`InputError` if ``solution`` is not a solution in memory, or its tree does not have that many streets.
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


@dataclass(frozen=True, eq=False)
class StreetStarts:
    """The beginning of a street in a solution.

    Axes: B boards, L lines that lead to the street, P = 2 players, H all hands of the deck in hand-index order.
    """

    subject: Subject
    """The game, spot or lookahead that was solved."""
    round: int
    """The round of the game that begins, counted from 0."""
    first_player: int
    """The player who acts first in the round, 0 or 1."""
    exploitability_chips: float
    """The exploitability of the solution, as its certificate states it."""
    lines: tuple[str, ...]
    """The actions that lead to the street, without the cards, such as ``check bet 120 call``; axis L."""
    nodes: NDArray[np.int64]
    """int64[L]: the node of the betting tree with which the street begins."""
    pot_chips: NDArray[np.float64]
    """float64[L]: chips in the pot."""
    stacks_chips: NDArray[np.float64]
    """float64[L, P]: chips that each player has behind; infinite in games without a limit on stacks."""
    boards: NDArray[np.int8]
    """int8[B, n]: the cards of the board; those of each street ascend."""
    counts: NDArray[np.int64]
    """int64[B]: the number of boards that each one represents, suits distinguished."""
    ranges: NDArray[np.floating]
    """float[B, L, P, H]: weight in the root's range times the probability of the player's own actions; 0 for hands that
    cannot be held."""
    values: NDArray[np.floating]
    """float[B, L, P, H]: counterfactual values, in net chips over the whole hand (half of a spot's pot counts as put
    in), summed over the opponent's hands that share no card, weighted by the opponent's range; 0 for hands that cannot
    be held."""

    def __len__(self) -> int:
        return len(self.boards)


def street_starts(solution: Solution, street: int | str, *, dtype: DTypeLike = np.float64) -> StreetStarts:
    """Return the ranges and counterfactual values of both players at the start of a street, on all boards and lines.

    Parameters
    ----------
    solution:
        A solution in memory, such as :func:`errai.solve` or :func:`errai.load_solution` returns.
    street:
        The name of the street, such as ``turn``, or the number of the round of the game from 0.
    dtype:
        Type of ranges and values: float64 or float32.  They are computed in float64.

    Returns
    -------
    StreetStarts
        Boards that are equal up to suits occur once.  Two arrays of B times L times 2 times H numbers are held in
        memory; :func:`street_start_batches` needs less.

    Raises
    ------
    InputError
        If ``solution`` is not a solution in memory, its tree does not have the street, or it was read from a file whose
        tree is cut, which does not hold the values at the leaves.

    Examples
    --------
    >>> import errai
    >>> solution = errai.solve(errai.load_game("leduc"), max_iterations=10)
    >>> starts = street_starts(solution, 1)
    >>> starts.lines[0], starts.ranges.shape
    ('check check', (3, 5, 2, 6))
    """
    return next(street_start_batches(solution, street, boards=None, dtype=dtype))


def street_start_batches(
    solution: Solution, street: int | str, *, boards: int | None = BOARDS_AT_ONCE, dtype: DTypeLike = np.float64
) -> Iterator[StreetStarts]:
    """Yield the arrays of :func:`street_starts` with at most ``boards`` boards at a time; None means all boards.

    Parameters and errors are those of :func:`street_starts`; ``boards`` below 1 is an :class:`InputError` too.
    """
    number = _street_of(solution, street)
    if boards is not None and boards < 1:
        raise InputError("A batch must have at least one board; give `boards` as 1 or more.")
    if solution.below is not None and solution.leaves is None:
        raise InputError(f"The values of the solution depend on {solution.below}, which are not in the file.")
    return _batches(solution, number, boards, np.dtype(dtype))


def _street_of(solution: Solution, street: int | str) -> int:
    """Return the number of a street in the tree, counted from the root."""
    solved_boards(solution)  # Raises InputError if `solution` is not a solution in memory.
    game, first = solution.subject.rules, solution.subject.first_round
    rounds = range(first, first + len(solution.tree.arrays.streets))
    names = [street_name(game, number) for number in rounds]
    if isinstance(street, str) and street in names:
        return names.index(street)
    if isinstance(street, int) and street in rounds:
        return street - first
    raise InputError(
        f"The tree of {solution.title} has no street {street!r}; choose one of {', '.join(names)}, or its number from "
        f"{rounds[0]} to {rounds[-1]}."
    )


def _batches(solution: Solution, street: int, size: int | None, dtype: np.dtype) -> Iterator[StreetStarts]:
    boards = (board for board in solved_boards(solution, street + 1) if board.street == street)
    while held := list(islice(boards, size)):
        yield _arrays(solution, street, held, dtype)


def _arrays(solution: Solution, street: int, boards: list[SolvedBoard], dtype: np.dtype) -> StreetStarts:
    betting, arrays = solution.tree.betting, solution.tree.arrays.streets[street]
    entries, subject = arrays.num_entries, solution.subject
    nodes = np.arange(entries, dtype=np.int64) + int(betting.street_start[street])
    round_index = subject.first_round + street
    shape = len(boards), entries, 2, len(solution.tree.root.hands)
    ranges, values = np.zeros(shape, dtype=dtype), np.zeros(shape, dtype=dtype)
    for b, board in enumerate(boards):
        for p in (0, 1):
            ranges[b, :, p] = board.spread(board.reach[p][:entries], p)
            values[b, :, p] = board.spread(board.values[p][:entries], p)
    spent = betting.contributions[nodes] - subject.dead_chips
    return StreetStarts(
        subject=subject,
        round=round_index,
        first_player=int(subject.rules.first_player[round_index]),
        exploitability_chips=solution.exploitability.chips,
        lines=tuple(" ".join(betting.path(node)) for node in nodes.tolist()),
        nodes=nodes,
        pot_chips=np.array([betting.pot(node) for node in nodes.tolist()], dtype=np.float64),
        stacks_chips=subject.stacks_chips - spent,
        boards=solution.tree.deal.streets[street].boards[[board.index for board in boards]],
        counts=np.array([board.count for board in boards], dtype=np.int64),
        ranges=ranges,
        values=values,
    )
