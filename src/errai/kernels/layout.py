"""The arrays that a kernel works on: what every backend is given, and nothing else.

A public tree reaches the kernels as one :class:`StreetArrays` per street: the betting nodes of that street on every
line (the same for each board) and the boards of that street with both players' hands.  Kernels know arrays only;
whoever builds them has validated them.

Axes: ``n`` nodes of the street, ``B`` boards of the street, ``S`` sum over boards of live hand classes of a player,
``M`` number of real hands in those classes, ``k`` private cards.  *Class* means the hands of a board that suits make
equal, or that play alike (:mod:`errai.tree.alike`); most boards have classes of one hand.

State (regrets, strategy sums, predictions) and strategies are one flat array per street and player.  Board ``b`` has
the block that starts at ``num_rows[p] * hands[p].start[b]``, of shape ``[num_rows[p], H_b]`` in C order; a row is a
(decision node, action) pair.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

DECISION, FOLD, SHOWDOWN, CHANCE, LEAF = range(5)
"""Kinds of betting nodes, as in ``StreetArrays.kind``."""

WIN, TIE, LOSE = range(3)
"""Places along the last axis of ``StreetArrays.ends``."""

LEARNS, FIXED, BEST = range(3)
"""What a hand does at a decision: its strategy is learnt, is given, or is a best response to the opponent's.

A walk is told one role for all hands of the player walked for, or one for each street; :class:`Locks` say it for some
hands, whose role goes before."""

Roles = int | Sequence[int]
"""A role for all streets, or one for each street."""


@dataclass(frozen=True)
class Locks:
    """What some hands of a player do at some decisions of a street, whatever all others learn; ``L`` locks.

    A lock is of one decision on one board.  Hands that are not locked there have the role LEARNS.  A hand with the role
    FIXED follows ``strategy`` in every walk, also where its player responds best; one with the role BEST responds best
    in every walk, and what it learns is that: regrets that are matched to its best action alone, the first where
    several are equally good give or take the tree's tie.
    """

    at: NDArray[np.int32]
    """int32[B * decisions]: the number of the lock at each of the player's decisions, in the order of the nodes, board
    by board; -1 where there is none."""
    role_start: NDArray[np.int64]
    """int64[L+1]: roles of lock ``i`` are ``role[role_start[i]:role_start[i+1]]``, one for each class of the board."""
    role: NDArray[np.uint8]
    """uint8: LEARNS, FIXED or BEST."""
    strategy_start: NDArray[np.int64]
    """int64[L+1]: probabilities of lock ``i`` are ``strategy[strategy_start[i]:strategy_start[i+1]]``, a block
    ``[A, H_b]``."""
    strategy: NDArray[np.float64]
    """float64: what FIXED hands do; columns of the others are 0."""


@dataclass(frozen=True)
class PairPayoffs:
    """What pairs of hands are worth at an end that is no showdown on its board, such as an all-in with cards to come.

    Blocks ``[own classes, opponent's classes]`` end to end, one for each board of the street.  An entry counts all
    hands of the opponent's class that fit with a hand of the own class.
    """

    margin: tuple[NDArray[np.float64], NDArray[np.float64]]
    """float64[sum of H_p * H_other] for each player: the chance to win less the chance to lose.  In games that are no
    poker these are payoffs of any kind, for ends that pay 1 for a win and -1 for a loss."""
    tie: tuple[NDArray[np.float64], NDArray[np.float64]] | None = None
    """The same of the chance to tie; None where no end pays for a tie other than the mean of a win and a loss."""


@dataclass(frozen=True)
class HandArrays:
    """One player's live hand classes on every board of a street."""

    start: NDArray[np.int64]
    """int64[B+1]: classes of board ``b`` are ``start[b]:start[b+1]``."""
    cards: NDArray[np.uint8]
    """uint8[S, k]: the representative hand of each class."""
    parent: NDArray[np.int32]
    """int32[S]: the class on the parent board that holds this one, counted inside that board; 0 at the root."""
    up_weight: NDArray[np.float64]
    """float64[S]: factor with which this class's value enters the parent class's (see docs/maths.md)."""
    rank: NDArray[np.int32]
    """int32[S]: strength on the last street, ascending inside a board; 0 before."""
    twin: NDArray[np.int32]
    """int32[S]: the same class in the other player's list, counted inside the board, or -1."""
    member_start: NDArray[np.int64]
    """int64[S+1]: the hands of class ``i`` are ``member_start[i]:member_start[i+1]``."""
    member_cards: NDArray[np.uint8]
    """uint8[M, k]: the cards of every hand, class by class."""


@dataclass(frozen=True)
class StreetArrays:
    """The betting nodes and the boards of one street."""

    kind: NDArray[np.int8]
    """int8[n]: DECISION, FOLD, SHOWDOWN, CHANCE (street closed) or LEAF (closed at the edge of the tree)."""
    actor: NDArray[np.int8]
    """int8[n]: who acts at a DECISION, who folded at a FOLD, else -1."""
    parent: NDArray[np.int32]
    """int32[n]: parent inside this street; -1 for entry nodes, which come first."""
    first_child: NDArray[np.int32]
    """int32[n]: first of the contiguous children inside this street; CHANCE and LEAF: its number among its kind."""
    num_children: NDArray[np.int32]
    """int32[n]: children of a DECISION, else 0."""
    row: NDArray[np.int32]
    """int32[n]: first row of a DECISION among its actor's rows, else -1."""
    ends: NDArray[np.float64]
    """float64[n, 2, 3]: net chips of each player at a FOLD or SHOWDOWN where he wins, ties and loses, else 0.  At a
    FOLD the actor loses and the other player wins."""
    num_entries: int
    num_exits: int
    """CHANCE nodes; each is one entry of the next street."""
    num_leaves: int
    num_rows: tuple[int, int]
    parent_board: NDArray[np.int32]
    """int32[B]: -1 at the root."""
    child_start: NDArray[np.int32]
    """int32[B+1]: boards of the next street below board ``b``; all 0 on the last street."""
    hands: tuple[HandArrays, HandArrays]
    matrix: NDArray[np.int32] | None = None
    """int32[n]: at a SHOWDOWN that takes its chances from a matrix the number of the matrix, else -1; None where no end
    does."""
    matrices: tuple[PairPayoffs, ...] = ()
    locks: tuple[Locks | None, Locks | None] = (None, None)
    """For each player what some of his hands do; None where all learn."""

    @property
    def zero_sum(self) -> bool:
        """Whether at every end the winner gains what the loser loses, and a tie changes nothing."""
        if self.ends[:, :, TIE].any() or not np.array_equal(self.ends[:, :, WIN], -self.ends[:, ::-1, LOSE]):
            return False
        starts = pair_starts(self)
        sizes = [np.split(np.diff(h.member_start)[:, None], h.start[1:-1]) for h in self.hands]
        # A block counts the opponent's hands against one own hand; what both sides win counts all of both.
        return all(
            np.allclose(first * own, -(second * other).T, rtol=0.0, atol=1e-9)
            for matrix in self.matrices
            for own, other, first, second in zip(
                *(pair_blocks(self, matrix.margin[p], p, starts) for p in (0, 1)), *sizes, strict=True
            )
        )

    @property
    def num_boards(self) -> int:
        """Boards of the street, up to suits."""
        return len(self.parent_board)

    def num_decisions(self, player: int) -> int:
        """Nodes at which a player decides."""
        return int(((self.kind == DECISION) & (self.actor == player)).sum())

    def state_size(self, player: int) -> int:
        """Entries of one state array of this street and player."""
        return self.num_rows[player] * int(self.hands[player].start[-1])


@dataclass(frozen=True)
class TreeArrays:
    """A public tree for the kernels, with what enters at its root."""

    streets: tuple[StreetArrays, ...]
    num_cards: int
    """Cards of the deck; card numbers are below it."""
    tie: float
    """Regrets up to this count as none, so that rounding never decides between actions that are equally good."""
    root_reach: tuple[NDArray[np.float64], NDArray[np.float64]]
    """float64[num_entries * S_p] each: what the players bring to the root street, for each of its boards in order a
    block ``[num_entries, H_b]``.  A tree that starts with a game has one board and one entry: the weight of each hand
    class (of one hand, not of the class)."""

    @property
    def hole_cards(self) -> int:
        """Private cards of a player."""
        return int(self.streets[0].hands[0].cards.shape[1])

    @property
    def responds_best(self) -> bool:
        """Whether a lock lets some hands respond best, which states of 16 bits cannot learn."""
        return any(locks is not None and bool((locks.role == BEST).any()) for s in self.streets for locks in s.locks)

    def zeros(self, dtype: np.dtype | type) -> list[list[NDArray]]:
        """State arrays of zeros, indexed ``[street][player]``."""
        return [[np.zeros(s.state_size(p), dtype=dtype) for p in (0, 1)] for s in self.streets]

    def leaf_zeros(self, street: int, player: int, dtype: np.dtype | type) -> NDArray:
        """One zero per (board, leaf, hand class) of a street: blocks ``[num_leaves, H_b]`` in board order."""
        s = self.streets[street]
        return np.zeros(s.num_leaves * int(s.hands[player].start[-1]), dtype=dtype)


def pair_starts(street: StreetArrays) -> NDArray[np.int64]:
    """int64[B+1]: where the block of each board begins in matrices of pairs of hands, for either player."""
    sizes = np.diff(street.hands[0].start) * np.diff(street.hands[1].start)
    return np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)


def pair_blocks(
    street: StreetArrays, values: NDArray[np.float64], player: int, starts: NDArray[np.int64]
) -> list[NDArray[np.float64]]:
    """A player's values by pair of hands as blocks ``[own classes, opponent's classes]``, one for each board."""
    shapes = zip(*(np.diff(street.hands[p].start).tolist() for p in (player, 1 - player)), strict=True)
    return [values[a:b].reshape(shape) for a, b, shape in zip(starts[:-1], starts[1:], shapes, strict=True)]
