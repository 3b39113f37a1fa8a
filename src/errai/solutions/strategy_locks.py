"""The strategy of a node as locks, to be changed and solved again."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from errai.errors import InputError, LineError
from errai.kernels.layout import FIXED, LEARNS
from errai.solutions.node import SolutionNode
from errai.tree.locks import Lock, NodeLocks

if TYPE_CHECKING:
    from errai.solutions.solution import Profile

MOST_DECIMALS = 12


def strategy_locks(node: SolutionNode, decimals: int = 4) -> dict[str, dict[str, Any]]:
    """Return the strategy of all hands at a decision as locks, as :func:`errai.solve` takes them.

    Parameters
    ----------
    node:
        A decision.
    decimals:
        Decimals of the frequencies, 1 to 12; hands whose frequencies are then the same have one entry.

    Raises
    ------
    LineError
        No player acts at the node, or no hand of the player gets there.
    InputError
        So many decimals are not possible.

    Examples
    --------
    >>> import errai
    >>> kuhn = errai.solve(errai.load_game("kuhn"), "0.01mbb")
    >>> strategy_locks(kuhn.at("check bet"), 1)
    {'check bet 1': {'As': {'call': 1.0}, 'Ks': {'fold': 0.5, 'call': 0.5}, 'Qs': {'fold': 1.0}}}
    """
    if not 1 <= decimals <= MOST_DECIMALS:
        raise InputError(f"Frequencies have 1 to {MOST_DECIMALS} decimals here, not {decimals}.")
    if node.player is None:
        raise LineError(f"No player acts after '{node.line}' ({node.kind}), so there is nothing to lock.")
    # Hands that never get here can be locked too, but hands outside the range at the root cannot.
    held = (node.solution.root_ranges[node.player] > 0.0) & ~np.isnan(node.strategies).any(axis=1)
    if not held.any():
        raise LineError(f"{node.player_name.capitalize()} can hold no hand after '{node.line}'.")
    lock = decision_lock(node, held, rounded(np.nan_to_num(node.strategies), decimals))
    return solution_locks(node.solution, [lock]).to_dict()


def decision_lock(node: SolutionNode, locked: NDArray[np.bool_], strategies: NDArray[np.float64]) -> Lock:
    """Return a lock of the hands ``locked`` (bool[H]) at a decision to strategies, float64[H, A]."""
    role = np.where(locked, np.uint8(FIXED), np.uint8(LEARNS))
    return Lock(node.node, dealt_at(node), role, np.where(locked, strategies.T, 0.0))


def dealt_at(node: SolutionNode) -> tuple[tuple[int, ...], ...]:
    """Return the cards of each street after the root's, ascending, as locks name them."""
    count = np.cumsum([0, *node.solution.tree.root.new_cards[: node.street]])
    new = node.board[len(node.solution.board) :]
    return tuple(tuple(sorted(new[a:b])) for a, b in pairwise(count))


def solution_locks(solution: Profile, locks: Sequence[Lock]) -> NodeLocks:
    """Return locks on the tree of a solution."""
    cards = tuple(solution.deck.card_text(card) for card in range(solution.deck.num_cards))
    return NodeLocks(solution.tree.betting, solution.root.hands, cards, tuple(locks))


def rounded(strategies: NDArray[np.float64], decimals: int) -> NDArray[np.float64]:
    """Round probabilities [H, A] such that each row still sums to 1: the largest takes what rounding leaves."""
    steps = 10**decimals
    whole = np.rint(strategies * steps)
    hands, largest = np.arange(len(whole)), whole.argmax(axis=1)
    whole[hands, largest] += steps - whole.sum(axis=1)
    return np.asarray(whole / steps)
