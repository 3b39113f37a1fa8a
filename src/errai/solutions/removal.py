"""What a hand takes away from the opponent: the part of the range that it blocks, and how that moves each answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from errai.solutions.node import Floats, SolutionNode


@dataclass(frozen=True, eq=False)
class Responses:
    """How the opponent acts at a node against hands that the other player holds.  Axes: N hands, A actions."""

    node: SolutionNode
    """The node at which the opponent acts."""
    step: str
    """The action that leads there; empty if it is the node that was asked about."""
    with_hand: Floats
    """float64[N, A]: frequencies over the opponent's hands that share no card with the hand; NaN without any."""
    removed: Floats
    """float64[N, A]: the share of the opponent's hands that take the action which the hand removes; NaN without any."""


def removed_shares(node: SolutionNode, player: int, hands: Sequence[int]) -> Floats:
    """Return float64[N]: the share of the other player's range that each hand of a player removes."""
    return _removed(node, player, hands, node.ranges[1 - player][:, None])[:, 0]


def responses(node: SolutionNode, player: int, hands: Sequence[int]) -> list[Responses]:
    """Return how the opponent of a player acts against some of the player's hands, by their indices.

    It is told of the node itself if the opponent acts there, else of the node after each action of the player after
    which the opponent acts.

    Examples
    --------
    >>> import errai
    >>> kuhn = errai.solve(errai.load_game("kuhn"), "1mbb")
    >>> king = kuhn.root.hand_index("Ks")
    >>> [(found.step, found.node.actions) for found in responses(kuhn.root, 0, [king])]
    [('check', ('check', 'bet 1')), ('bet 1', ('fold', 'call'))]
    """
    if node.player == 1 - player:
        return [_responses(node, "", player, hands)]
    steps = node.actions if node.player == player else ()
    after = ((step, node[step]) for step in steps)
    return [_responses(found, step, player, hands) for step, found in after if found.player == 1 - player]


def _responses(node: SolutionNode, step: str, player: int, hands: Sequence[int]) -> Responses:
    weights = node.ranges[1 - player][:, None] * np.nan_to_num(node.strategies)
    left = weights[None] * _apart(node, hands)[:, :, None]
    sums = left.sum(axis=1)
    total = sums.sum(axis=1, keepdims=True)
    with_hand = np.divide(sums, total, out=np.full(sums.shape, np.nan), where=total > 0)
    return Responses(node, step, with_hand, _removed(node, player, hands, weights))


def _removed(node: SolutionNode, player: int, hands: Sequence[int], weights: Floats) -> Floats:
    """Return float64[N, K]: the share of each column of weights [H, K] that a hand removes."""
    total = weights.sum(axis=0)
    gone = (~_apart(node, hands)).astype(np.float64) @ weights
    return np.asarray(np.divide(gone, total, out=np.full(gone.shape, np.nan), where=total > 0))


def _apart(node: SolutionNode, hands: Sequence[int]) -> NDArray[np.bool_]:
    """Return bool[N, H]: which hands share no card with each of some hands."""
    cards = node.solution.tree.root.hands
    return np.stack([~np.isin(cards, cards[hand]).any(axis=1) for hand in hands])
