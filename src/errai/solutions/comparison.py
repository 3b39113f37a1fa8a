"""Two nodes side by side: how often each hand takes each action in both, and what it is worth."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from errai.errors import MismatchError
from errai.solutions.node import SolutionNode


@dataclass(frozen=True, eq=False)
class Comparison:
    """Two nodes on one board, with the same player to act; made by :func:`compare_nodes`.

    Axes: 2 nodes, the first and the second; A actions of either of them; H hands; 2 players.
    """

    first: SolutionNode
    second: SolutionNode
    actions: tuple[str, ...]
    """The actions of both nodes: those of the first, then those that only the second has."""
    strategies: NDArray[np.float64]
    """float64[2, H, A]: probability of every action; 0 for an action that a node does not have, NaN as in a node."""
    frequencies: NDArray[np.float64]
    """float64[2, A]: how often each action is taken, over all pairs of hands; 0 for one that a node does not have."""
    action_ev: NDArray[np.float64]
    """float64[2, H, A]: EV of each action with every hand; NaN for an action that a node does not have."""
    range_action_ev: NDArray[np.float64]
    """float64[2, A]: EV of each action over the hands that take it; NaN for an action that a node does not have."""

    @property
    def ev(self) -> NDArray[np.float64]:
        """float64[2, 2, H]: EV of every hand by node and player."""
        return np.stack([self.first.ev, self.second.ev])

    @property
    def range_ev(self) -> NDArray[np.float64]:
        """float64[2, 2]: EV of both ranges by node and player."""
        return np.stack([self.first.range_ev, self.second.range_ev])

    @property
    def range_equity(self) -> NDArray[np.float64]:
        """float64[2, 2]: equity of both ranges by node and player."""
        return np.stack([self.first.range_equity, self.second.range_equity])


def compare_nodes(first: SolutionNode, second: SolutionNode) -> Comparison:
    """Put two nodes side by side; they may be of different solutions, with different bets, ranges and stacks.

    Raises
    ------
    MismatchError
        The nodes have different decks, hands or boards, or another player acts.

    Examples
    --------
    >>> import errai
    >>> game = errai.load_game("kuhn")
    >>> locked = errai.solve(game, "1mbb", locks={"": {"bet 1": 1}})
    >>> found = compare_nodes(errai.solve(game, "1mbb").root, locked.root)
    >>> found.actions, found.frequencies[1].tolist()
    (('check', 'bet 1'), [0.0, 1.0])
    """
    if first.hands != second.hands:
        raise MismatchError("These solutions are of games with different cards, so their hands cannot be compared.")
    if sorted(first.board) != sorted(second.board):
        boards = [node.board_text or "no card" for node in (first, second)]
        raise MismatchError(
            f"The boards differ: {boards[0]} in the first, {boards[1]} in the second. Choose lines that lead to the "
            "same cards."
        )
    if first.player != second.player:
        acting = [node.player_name or "nobody" for node in (first, second)]
        raise MismatchError(
            f"Different players act: {acting[0]} in the first, {acting[1]} in the second. Choose lines on which the "
            "same one does."
        )
    actions = tuple(dict.fromkeys((*first.actions, *second.actions)))
    nodes = (first, second)
    # What a hand that cannot be held does is not known.
    missing = [np.where(np.isnan(node.strategies).any(axis=1), np.nan, 0.0) for node in nodes]
    strategies = [_columns(n.strategies.T, n, actions, m).T for n, m in zip(nodes, missing, strict=True)]
    return Comparison(
        first,
        second,
        actions,
        np.stack(strategies),
        np.stack([_columns(node.frequencies, node, actions, 0.0) for node in nodes]),
        np.stack([_columns(node.action_ev.T, node, actions, np.nan).T for node in nodes]),
        np.stack([_columns(node.range_action_ev, node, actions, np.nan) for node in nodes]),
    )


def _columns(
    values: NDArray[np.float64], node: SolutionNode, actions: tuple[str, ...], missing: float | NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return the values [A, ..] of a node's actions in the order of ``actions``, with ``missing`` for others."""
    found = np.empty((len(actions), *values.shape[1:]))
    found[:] = missing
    for label, row in zip(node.actions, values, strict=True):
        found[actions.index(label)] = row
    return found
