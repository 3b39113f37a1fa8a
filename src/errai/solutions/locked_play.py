"""A solution in which some hands play as locks say, while everything else stays as it was solved."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from errai.engine.certificate import StrategyProfile
from errai.engine.strategy import board_block
from errai.errors import InputError, LockError
from errai.games.lock_file import LockTables
from errai.kernels.layout import FIXED
from errai.kernels.protocol import one_in
from errai.solutions.line_patterns import decisions
from errai.solutions.node import SolutionNode
from errai.solutions.node_board import MemoryBoard, classes_of
from errai.solutions.solution import Solution, profile_values
from errai.solutions.strategy_locks import dealt_at
from errai.tree.locks import NodeLocks, read_locks


def with_locks(solution: Solution, locks: Mapping[str, Any] | LockTables) -> Solution:
    """Return a solution in which hands play as locks say; nothing else is changed, and nothing is solved again.

    Its certificate is that of this strategy, in which the locks are no rules: a best response of the player who is
    locked may leave them.  :func:`errai.solutions.exploit.exploit` then says what the other player gains by responding.

    Parameters
    ----------
    solution:
        A solution in memory, which stays as it is.
    locks:
        Frequencies by line and hands, as :func:`errai.solve` takes them.

    Raises
    ------
    LockError
        As for :func:`errai.solve`; and for hands that are to respond best, which must be solved, and for locks that
        distinguish hands or boards that the solution has merged.
    InputError
        The tree of the solution is cut, so its values below would not fit.

    Examples
    --------
    >>> import errai
    >>> kuhn = errai.solve(errai.load_game("kuhn"), "0.1mbb")
    >>> folds = with_locks(kuhn, {"bet": {"fold": 1}})
    >>> gains = folds.exploitability.by_player
    >>> gains[0] > 0.5, kuhn.exploitability.by_player[0] < 0.001
    (True, True)
    """
    if solution.below is not None or solution.entering is not None:
        raise InputError(
            "The values below this tree, or above it, are those of its own strategy; nothing can be locked."
        )
    tree = solution.tree
    found = read_locks(locks, solution.subject, tree.betting)
    if found is None:
        return solution
    if found.has_best:
        raise LockError("Hands that respond best have to be solved with the locks; give frequencies here.")
    strategy = [[array.copy() for array in pair] for pair in solution.strategy]
    changed = replace(solution, strategy=strategy)
    for places in _places(solution, found).values():
        _put(changed, found, places)
    profile = StrategyProfile(tree, changed.kernel, strategy)
    exploitability, net = profile.certificate(solution.units)
    return replace(changed, exploitability=exploitability, values=profile_values(tree, net))


def _places(solution: Solution, locks: NodeLocks) -> dict[tuple[int, int], list[SolutionNode]]:
    """Return the real boards of every locked decision, by its number and that of the board that represents them."""
    found: dict[tuple[int, int], list[SolutionNode]] = {}
    seen = set()
    for lock in locks.locks:
        for node in decisions(solution, locks.line(lock)):
            assert isinstance(node.where, MemoryBoard)
            if (node.node, node.board) not in seen:
                seen.add((node.node, node.board))
                found.setdefault((node.node, node.where.index), []).append(node)
    return found


def _put(solution: Solution, locks: NodeLocks, nodes: list[SolutionNode]) -> None:
    """Write the locks of a decision, on the real boards that one board represents, to the strategy of a solution."""
    tree, first = solution.tree, nodes[0]
    street, player, board = first.street, first.player, first.where
    assert player is not None
    assert isinstance(board, MemoryBoard)
    row = int(tree.arrays.streets[street].row[first.node - int(tree.betting.street_start[street])])
    rows = board_block(tree, solution.strategy, street, player, board.index)[row : row + len(first.actions)]
    told: NDArray[np.float64] | None = None
    for node in nodes:
        own = _by_class(locks, node, rows.shape[1])
        if told is not None and not np.array_equal(told, own, equal_nan=True):
            raise _distinguished(node)
        told = own
    assert told is not None
    fixed = ~np.isnan(told[0])
    if fixed.any() and len(nodes) < int(tree.deal.streets[street].multiplicity[board.index]):
        raise _distinguished(first)
    one = one_in(rows.dtype)
    rows[:, fixed] = np.rint(one * told[:, fixed]) if one > 1.0 else told[:, fixed]


def _by_class(locks: NodeLocks, node: SolutionNode, classes: int) -> NDArray[np.float64]:
    """Return float64[A, C]: the locked strategy of every class of hands on a real board; NaN if it is not locked."""
    assert node.player is not None
    class_of = classes_of(node.where, node.player, node.to_representative, node.solution.tree.root.hands)
    lock = locks.at(node.node, dealt_at(node))
    found = np.full((len(node.actions), classes), np.nan)
    if lock is None:
        return found
    live = np.flatnonzero(class_of >= 0)
    own = np.where(lock.role == FIXED, lock.strategy, np.nan)[:, live]
    found[:, class_of[live]] = own
    if not np.array_equal(found[:, class_of[live]], own, equal_nan=True):
        raise _distinguished(node)
    return found


def _distinguished(node: SolutionNode) -> LockError:
    where = f"after '{node.line}'" if node.line else "at the first decision"
    return LockError(
        f"The locks {where} distinguish hands or boards that the solution has merged, because they were equal in it; "
        "solve with the locks instead."
    )
