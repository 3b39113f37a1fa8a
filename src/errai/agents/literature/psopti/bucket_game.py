"""A game whose cards are buckets: a betting tree, and the transitions of both players' buckets from round to round.

Billings et al., "Approximating game-theoretic optimal strategies for full-scale poker" (IJCAI 2003), section 4: chance
deals a pair of buckets, one to each player, and in every later round a new pair that depends only on the last one.  The
pair changes jointly because the players share the board.  Each player sees and remembers its own buckets.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from errai.errors import InputError
from errai.tree.betting_tree import BettingTree, NodeKind

Floats = NDArray[np.float64]

SLACK = 1e-9
"""How far probabilities may be from summing to 1."""


@dataclass(frozen=True, eq=False)
class BucketGame:
    """A two-player game over buckets.

    A *history* is what a player has seen: its buckets up to a round, numbered with the last one running fastest.  Axes:
    K and L are the buckets of player 0 and 1 in a round, U and V their histories.

    Parameters
    ----------
    betting:
        The betting tree; contributions are chips, and the winner gains what the loser has put in.
    start:
        float64[K, L]: probability of each pair of buckets in the first round.
    moves:
        One float64[K, L, K', L'] for each later round: probability of each next pair, given a pair.  It may be all 0
        for a pair that cannot occur.
    showdown:
        float64[K, L] on the last round: the probability that player 0 wins a showdown minus that of losing it.
    leaves:
        For a tree that ends early: the value of a LEAF node for player 0 in chips, float64[K, L] of its round.

    Raises
    ------
    InputError
        If shapes do not fit the tree or each other, numbers are no probabilities, or a leaf has no values.
    """

    betting: BettingTree
    start: Floats
    moves: tuple[Floats, ...]
    showdown: Floats
    leaves: Mapping[int, Floats] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if len(self.moves) != self.betting.num_streets - 1:
            raise InputError(
                f"{self.betting.num_streets} rounds need {self.betting.num_streets - 1} transition matrices, not "
                f"{len(self.moves)}."
            )
        if self.start.ndim != 2 or (self.start < 0).any() or not abs(self.start.sum() - 1.0) <= SLACK:
            raise InputError("The pairs of buckets of the first round need probabilities that sum to 1.")
        before = self.start
        for number, move in enumerate(self.moves, start=1):
            if move.ndim != 4 or move.shape[:2] != before.shape:
                raise InputError(f"The moves into round {number} have shape {move.shape} after {before.shape} buckets.")
            sums = move.sum(axis=(2, 3))
            if (move < 0).any() or not (np.abs(sums - 1.0) <= SLACK)[before > 0].all():
                raise InputError(f"The moves into round {number} are no probabilities that sum to 1 for every pair.")
            before = np.einsum("kl,klmn->mn", before, move)
        if self.showdown.shape != before.shape or not (np.abs(self.showdown) <= 1 + SLACK).all():
            raise InputError(f"The showdown needs numbers from -1 to 1 for {before.shape} buckets.")
        for node in np.flatnonzero(self.betting.kind == NodeKind.LEAF).tolist():
            if node not in self.leaves or self.leaves[node].shape != self.pairs[int(self.betting.street[node])].shape:
                raise InputError(f"The leaf {node} of the betting tree needs a value for every pair of buckets.")

    @cached_property
    def buckets(self) -> tuple[tuple[int, int], ...]:
        """Numbers of buckets of both players in every round."""
        return tuple((pair.shape[0], pair.shape[1]) for pair in self.pairs)

    @cached_property
    def pairs(self) -> tuple[Floats, ...]:
        """float64[K, L] of every round: the probability of each pair, whatever was bet."""
        found = [self.start]
        for move in self.moves:
            found.append(np.einsum("kl,klmn->mn", found[-1], move))
        return tuple(found)

    def ends(self) -> list[int]:
        """Return the nodes at which the betting tree ends."""
        kind = self.betting.kind
        return np.flatnonzero((kind != NodeKind.DECISION) & (kind != NodeKind.CHANCE)).tolist()

    def histories(self, street: int, player: int) -> int:
        """Return the number of histories of a player in a round."""
        return int(np.prod([self.buckets[s][player] for s in range(street + 1)]))

    @cached_property
    def joint(self) -> tuple[Floats, ...]:
        """float64[U, V] of every round: the probability of each pair of histories, whatever was bet."""
        found = [self.start]
        for move in self.moves:
            old, new = move.shape[:2], move.shape[2:]
            u, v = found[-1].shape
            # The last bucket runs fastest, so it is the remainder of a history's number.
            weights = found[-1].reshape(u // old[0], old[0], v // old[1], old[1])
            found.append(np.einsum("akbl,klmn->akmbln", weights, move).reshape(u * new[0], v * new[1]))
        return tuple(found)

    def worth(self, node: int) -> Floats:
        """Return float64[U, V]: chips that player 0 wins at an end of the betting tree, for every pair of histories."""
        betting = self.betting
        street, kind, chips = int(betting.street[node]), betting.kind[node], betting.contributions[node]
        u, v = self.joint[street].shape
        repeats = tuple(np.array((u, v)) // self.pairs[street].shape)
        if kind == NodeKind.FOLD:
            return np.full((u, v), -chips[0] if betting.actor[node] == 0 else chips[1])
        if kind == NodeKind.SHOWDOWN:
            return np.tile(self.showdown * float(chips[0]), repeats)
        if kind == NodeKind.LEAF:
            return np.tile(self.leaves[node], repeats)
        raise InputError(f"Node {node} of the betting tree is not an end.")
