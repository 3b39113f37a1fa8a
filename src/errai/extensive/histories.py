"""The histories of a game in extensive form as a tree, for methods that sample them and for pictures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

CHANCE = -1
"""The player of a history at which chance moves."""
END = -2
"""The player of a history at which the game is over."""


@dataclass(frozen=True, eq=False)
class Histories:
    """All histories, those that are shorter first; the histories after one are next to each other, in order.

    Made by ``errai.extensive_game(what, histories=True)``.
    """

    player: NDArray[np.int8]
    """int8[n]: who moves; ``CHANCE``, or ``END`` where the game is over."""
    parent: NDArray[np.int64]
    """int64[n]: the history before the last move; -1 of the empty one."""
    first_child: NDArray[np.int64]
    num_children: NDArray[np.int64]
    sequence: NDArray[np.int64]
    """int64[n]: the last sequence of the player who made the last move; 0 if that was chance."""
    chance: NDArray[np.float64]
    """float64[n]: the probability of the last move if chance made it, else 1."""
    payoffs: NDArray[np.float64]
    """float64[n, players]: what each player has won; 0 where the game goes on."""
    information: NDArray[np.int64]
    """int64[n]: the information set of the player who moves; -1 for chance and at an end."""
    labels: tuple[str, ...]
    """The last move in words; empty of the first history."""

    @classmethod
    def of(cls, kept: Sequence[tuple[Any, ...]], numbers: Sequence[NDArray[np.int64]], sets: Any) -> Histories:
        """Return the tree of what a walk has kept, in the order of the walk.

        ``kept`` has for each history its parent, the mover and the sequence of its last move by the walk's numbers, the
        probability of that move, its label, who moves next, the information set, and the payoffs.  ``numbers`` and
        ``sets`` give for each player the final numbers of sequences and of information sets.
        """
        parents, movers, sequences, chance, labels, players, information, payoffs = zip(*kept, strict=True)
        parent, depth = np.array(parents), np.zeros(len(kept), dtype=np.int64)
        for here, before in enumerate(parents):
            depth[here] = 0 if before < 0 else depth[before] + 1
        order = np.argsort(depth, kind="stable")
        place = np.empty_like(order)
        place[order] = np.arange(len(order))
        parent = np.where(parent[order] < 0, -1, place[parent[order]])
        count = np.bincount(parent[1:], minlength=len(order))
        mover = np.array(movers)[order]
        sequence, known = np.array(sequences)[order], np.array(information)[order]
        player = np.array(players, dtype=np.int8)[order]
        for p, (number, at) in enumerate(zip(numbers, sets, strict=True)):
            sequence[mover == p] = number[sequence[mover == p]]
            known[player == p] = at[known[player == p]]
        first = np.concatenate([[1], 1 + np.cumsum(count)[:-1]])
        return cls(
            player,
            parent,
            np.where(count > 0, first, -1),
            count,
            np.where(mover >= 0, sequence, 0),
            np.array(chance)[order],
            np.array(payoffs)[order],
            known,
            tuple(labels[i] for i in order),
        )

    def __len__(self) -> int:
        return len(self.player)

    @cached_property
    def depth(self) -> NDArray[np.int64]:
        """int64[n]: the number of moves of each history."""
        found = np.zeros(len(self), dtype=np.int64)
        for number, parent in enumerate(self.parent.tolist()):
            if parent >= 0:
                found[number] = found[parent] + 1
        return found
