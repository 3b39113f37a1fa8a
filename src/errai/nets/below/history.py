"""The reach for which a network was evaluated in each iteration of a solve, so that its means can be computed again.

What the opponent is held to on a new street is the mean of the network's outputs over the iterations of the lookahead
before it (:mod:`errai.nets.below.averages`).  Before the flop that would be 1,755 flops times the lines that reach
them, so a saved solution of the first street has the ranges of its iterations instead, a few hundred numbers for each
line and iteration, and the network is evaluated for all of them on the one flop that is dealt.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from errai.engine.leaf_values import HalfIteration, LeafHistory
from errai.games.hand import PublicState
from errai.nets.below.leaf_boards import Members
from errai.resolving.below import leaf_at
from errai.solutions.solution import Solution
from errai.tree.public_tree import PublicTree

LEAST_WEIGHT = 1e-6
"""Evaluations that count less than this in the means of both players are left out."""


class Recorder:
    """Records the reach for which a network is evaluated."""

    def __init__(self) -> None:
        self._trunk: PublicTree | None = None
        self._reach: list[list[NDArray[np.float32]]] = []
        self._weights: list[NDArray[np.float64]] = []
        self._latest: list[NDArray[np.float64]] | None = None
        self._whole = False

    def add(self, trunk: PublicTree, reach: list[NDArray[np.float64]], half: HalfIteration) -> None:
        """Add one player's half of an iteration, whose values were those for ``reach``."""
        if trunk is not self._trunk:
            one_board = trunk.betting.num_streets == 1 and len(trunk.deal.streets[0].boards) == 1
            self._trunk, self._reach, self._weights, self._latest = trunk, [], [], None
            self._whole = one_board and half.learnt == (0, 0)
        if not self._whole:
            return
        if reach is not self._latest:
            leaves = trunk.arrays.streets[0].num_leaves
            self._latest = reach
            self._reach.append([array.reshape(leaves, -1).astype(np.float32) for array in reach])
            self._weights.append(np.zeros(2))
        for weights in self._weights:
            weights[half.player] *= half.kept
        self._weights[-1][half.player] += half.weight

    def found(self) -> LeafHistory | None:
        """All evaluations that count; None if there were others, or if the trunk has several boards."""
        weights = np.array(self._weights).reshape(-1, 2)
        if not self._whole or not (weights.sum(axis=0) > 0.0).all():
            return None
        weights /= weights.sum(axis=0)
        counts = np.flatnonzero(weights.max(axis=1) > LEAST_WEIGHT)
        first, second = (np.stack([self._reach[e][p] for e in counts]) for p in (0, 1))
        return LeafHistory((first, second), weights[counts] / weights[counts].sum(axis=0))


def reach_in_iterations(
    solution: Solution, state: PublicState, player: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]] | None:
    """Return both players' reach in the iterations of a solution, where cards have been dealt after one of its leaves.

    Parameters
    ----------
    state:
        The state on the new street, of a game with the rules of the solution's.
    player:
        The player for whose values the means are.

    Returns
    -------
    float64[E, P, H] over all hands of the deck, and float64[E]: what each counts; or None if the solution has no
    history, or if its tree has no such line.
    """
    leaf = leaf_at(solution.tree, PublicState.start(solution.subject), state)
    if solution.history is None or leaf is None:
        return None
    level = solution.tree.deal.streets[0]
    found = np.zeros((len(solution.history.weights), 2, len(solution.tree.root.hands)))
    for p, (reach, hands) in enumerate(zip(solution.history.reach, level.hands, strict=True)):
        members = Members.on(hands, 0)
        found[:, p, members.hands] = np.repeat(reach[:, leaf], members.sizes, axis=1)
    return found, solution.history.weights[:, player]
