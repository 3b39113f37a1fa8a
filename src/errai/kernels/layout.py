"""The arrays that every kernel backend works on.

A public tree reaches the kernels as one :class:`StreetArrays` per street.  It holds the betting nodes of that street on
every line, which are the same for each board, and the boards of that street with both players' hands.  Kernels know
arrays only; the code that builds the arrays has validated them.

Axes: ``n`` nodes of the street, ``B`` boards of the street, ``S`` sum over boards of live hand classes of a player,
``M`` number of real hands in those classes, ``k`` private cards.  A *class* is a set of hands that are equivalent on a
board by suit symmetry or strategically (:mod:`errai.tree.equivalence`); most boards have classes of one hand.

State (regrets, strategy sums, predictions) and strategies are one flat array per street and player.  Board ``b`` has
the block that starts at ``num_rows[p] * hands[p].start[b]``, of shape ``[num_rows[p], H_b]`` in C order; a row is a
(decision node, action) pair.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

DECISION, FOLD, SHOWDOWN, CHANCE, LEAF = range(5)
"""Kinds of betting nodes, as in ``StreetArrays.kind``."""

WIN, TIE, LOSE = range(3)
"""Indices along the last axis of ``StreetArrays.ends``."""

LEARNS, FIXED, BEST = range(3)
"""What a hand does at a decision: it learns its strategy, follows a fixed one, or plays a best response.

A walk is given one role for all hands of the player it is for, or one role per street.  :class:`Locks` give some hands
a role of their own, which takes precedence.
"""

Roles = int | Sequence[int]
"""A role for all streets, or one for each street."""


@dataclass(frozen=True)
class Locks:
    """Roles of individual hands of a player at some decisions of a street; ``L`` is the number of locks.

    A lock belongs to one decision on one board.  Hands that are not locked there have the role LEARNS.  A hand with the
    role FIXED follows ``strategy`` in every walk, also in one in which its player responds best.  A hand with the role
    BEST responds best in every walk.  The regrets that it learns match to its best action alone, or to the first of
    them if several are equally good up to the tree's tie.
    """

    at: NDArray[np.int32]
    """int32[B * decisions]: the number of the lock at each of the player's decisions, in the order of the nodes, board
    by board; -1 if there is none.
    """
    role_start: NDArray[np.int64]
    """int64[L+1]: lock ``i`` has the roles ``role[role_start[i]:role_start[i+1]]``, one for each class of the board."""
    role: NDArray[np.uint8]
    """uint8: LEARNS, FIXED or BEST."""
    strategy_start: NDArray[np.int64]
    """int64[L+1]: the probabilities of lock ``i`` are
    ``strategy[strategy_start[i]:strategy_start[i+1]]``, a block ``[A, H_b]``.
    """
    strategy: NDArray[np.float64]
    """float64: the strategy of FIXED hands; columns of all other hands are 0."""


@dataclass(frozen=True)
class PairPayoffs:
    """Payoffs of pairs of hands at an end that is not a showdown on its board, such as an all-in with cards to come.

    The arrays hold one block ``[own classes, opponent's classes]`` per board of the street, one after another.  An
    entry sums over all hands of the opponent's class that share no card with a hand of the own class.
    """

    margin: tuple[NDArray[np.float64], NDArray[np.float64]]
    """float64[sum of H_p * H_other] for each player: the probability of winning minus that of losing.

    In games other than poker the entries are arbitrary payoffs, for ends that pay 1 for a win and -1 for a loss.
    """
    tie: tuple[NDArray[np.float64], NDArray[np.float64]] | None = None
    """The probability of a tie in the same layout; None if every end pays the mean of a win and a loss for a tie."""


@dataclass(frozen=True)
class HandArrays:
    """One player's live hand classes on every board of a street."""

    start: NDArray[np.int64]
    """int64[B+1]: classes of board ``b`` are ``start[b]:start[b+1]``."""
    cards: NDArray[np.uint8]
    """uint8[S, k]: the representative hand of each class."""
    parent: NDArray[np.int32]
    """int32[S]: the class on the parent board that contains this one, counted inside that board; 0 at the root."""
    up_weight: NDArray[np.float64]
    """float64[S]: the factor of this class's value in the value of the parent class (see docs/maths.md)."""
    rank: NDArray[np.int32]
    """int32[S]: strength on the last street, ascending inside a board; 0 before."""
    twin: NDArray[np.int32]
    """int32[S]: the same class in the other player's list, counted inside the board, or -1 if it is not there."""
    member_start: NDArray[np.int64]
    """int64[S+1]: the hands of class ``i`` are rows ``member_start[i]:member_start[i+1]`` of ``member_cards``."""
    member_cards: NDArray[np.uint8]
    """uint8[M, k]: the cards of every hand, class by class."""


@dataclass(frozen=True)
class StreetLines:
    """The ``n`` betting nodes of one street: entries first, breadth first, siblings next to each other."""

    kind: NDArray[np.int8]
    """int8[n]: DECISION, FOLD, SHOWDOWN, CHANCE (street closed) or LEAF (closed at the edge of the tree)."""
    actor: NDArray[np.int8]
    """int8[n]: the player who acts at a DECISION or who folded at a FOLD, else -1."""
    parent: NDArray[np.int32]
    """int32[n]: parent inside this street; -1 for entry nodes, which come first."""
    first_child: NDArray[np.int32]
    """int32[n]: the first of the contiguous children inside this street; of CHANCE and LEAF, the number in its kind."""
    num_children: NDArray[np.int32]
    """int32[n]: the number of children of a DECISION, else 0."""
    row: NDArray[np.int32]
    """int32[n]: first row of a DECISION among its actor's rows, else -1."""
    ends: NDArray[np.float64]
    """float64[n, 2, 3]: net chips of each player at a FOLD or SHOWDOWN if the player wins, ties or loses, else 0.

    At a FOLD the actor loses and the other player wins.
    """
    num_entries: int
    num_exits: int
    """Number of CHANCE nodes; each is one entry of the next street."""
    num_leaves: int
    num_rows: tuple[int, int]

    @classmethod
    def of(
        cls, kind: NDArray[Any], actor: NDArray[Any], parent: NDArray[Any], ends: NDArray[np.float64], **more: Any
    ) -> Self:
        """Return the lines of some nodes, with all that follows from their parents; ``more`` are further fields."""
        entries = int((parent < 0).sum())
        num_children = np.bincount(parent[entries:], minlength=len(kind))
        first_child = np.where(num_children, entries + np.cumsum(num_children) - num_children, -1)
        row, num_rows = np.full(len(kind), -1), [0, 0]
        for closed in (CHANCE, LEAF):
            first_child[kind == closed] = np.arange(int((kind == closed).sum()))
        for player in (0, 1):
            own = (kind == DECISION) & (actor == player)
            row[own] = np.cumsum(num_children[own]) - num_children[own]
            num_rows[player] = int(num_children[own].sum())
        return cls(
            kind=np.ascontiguousarray(kind, np.int8),
            actor=np.ascontiguousarray(actor, np.int8),
            parent=parent.astype(np.int32),
            first_child=first_child.astype(np.int32),
            num_children=num_children.astype(np.int32),
            row=row.astype(np.int32),
            ends=ends,
            num_entries=entries,
            num_exits=int((kind == CHANCE).sum()),
            num_leaves=int((kind == LEAF).sum()),
            num_rows=(num_rows[0], num_rows[1]),
            **more,
        )

    def with_boards(self, **boards: Any) -> StreetArrays:
        """Return these lines with the fields that :class:`StreetArrays` has besides."""
        return StreetArrays(**{field.name: getattr(self, field.name) for field in fields(StreetLines)}, **boards)

    def num_decisions(self, player: int) -> int:
        """Return the number of nodes at which a player decides."""
        return int(((self.kind == DECISION) & (self.actor == player)).sum())


@dataclass(frozen=True)
class StreetArrays(StreetLines):
    """The betting nodes and the boards of one street."""

    parent_board: NDArray[np.int32]
    """int32[B]: -1 at the root."""
    child_start: NDArray[np.int32]
    """int32[B+1]: boards of the next street below board ``b``; all 0 on the last street."""
    hands: tuple[HandArrays, HandArrays]
    matrix: NDArray[np.int32] | None = None
    """int32[n]: the number of the matrix in ``matrices`` that gives a SHOWDOWN its probabilities, else -1; None if no
    end of the street uses a matrix.
    """
    matrices: tuple[PairPayoffs, ...] = ()
    locks: tuple[Locks | None, Locks | None] = (None, None)
    """For each player the roles of locked hands; None if all hands learn."""

    @property
    def zero_sum(self) -> bool:
        """Whether at every end the winner gains what the loser loses, and a tie changes nothing."""
        if self.ends[:, :, TIE].any() or not np.array_equal(self.ends[:, :, WIN], -self.ends[:, ::-1, LOSE]):
            return False
        sizes = [np.split(np.diff(h.member_start)[:, None], h.start[1:-1]) for h in self.hands]
        # A block sums over the opponent's hands for one own hand; the comparison needs sums over the hands of both.
        return all(
            np.allclose(first * own, -(second * other).T, rtol=0.0, atol=1e-9)
            for matrix in self.matrices
            for own, other, first, second in zip(
                *(self.pair_blocks(matrix.margin[p], p) for p in (0, 1)), *sizes, strict=True
            )
        )

    @property
    def num_boards(self) -> int:
        """Number of boards of the street, up to suit symmetry."""
        return len(self.parent_board)

    def block(self, array: NDArray[Any], rows: int, player: int, board: int, last: int | None = None) -> NDArray[Any]:
        """Return the part of an array of ``rows`` numbers for each of a player's hand classes on one board, as a view.

        With ``last`` it is that of the boards from ``board`` to ``last - 1``.
        """
        start = self.hands[player].start
        return array[rows * int(start[board]) : rows * int(start[board + 1 if last is None else last])]

    @cached_property
    def pair_starts(self) -> NDArray[np.int64]:
        """int64[B+1]: the offset of each board's block in matrices of pairs of hands, the same for either player."""
        sizes = np.diff(self.hands[0].start) * np.diff(self.hands[1].start)
        return np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)

    def pair_blocks(self, values: NDArray[np.float64], player: int) -> list[NDArray[np.float64]]:
        """Return a player's values by pair of hands as blocks ``[own classes, opponent's classes]``, one per board."""
        shapes = zip(*(np.diff(self.hands[p].start).tolist() for p in (player, 1 - player)), strict=True)
        return [block.reshape(s) for block, s in zip(np.split(values, self.pair_starts[1:-1]), shapes, strict=True)]

    def state_size(self, player: int) -> int:
        """Return the number of entries of one state array of this street and player."""
        return self.num_rows[player] * int(self.hands[player].start[-1])


@dataclass(frozen=True)
class TreeArrays:
    """A public tree for the kernels, with both players' reach at its root."""

    streets: tuple[StreetArrays, ...]
    num_cards: int
    """Number of cards in the deck; card numbers are below it."""
    tie: float
    """Regrets up to this threshold count as 0, so that rounding never decides between actions that are equally good."""
    root_reach: tuple[NDArray[np.float64], NDArray[np.float64]]
    """float64[num_entries * S_p] for each player: the reach at the root street, with a block ``[num_entries, H_b]`` for
    each of its boards in order.

    A tree that starts with a game has one board and one entry; its reach is the weight of each hand class (of one hand,
    not of the class).
    """

    @property
    def hole_cards(self) -> int:
        """Number of private cards of a player."""
        return int(self.streets[0].hands[0].cards.shape[1])

    @property
    def responds_best(self) -> bool:
        """Whether a lock makes some hands respond best, which 16-bit states cannot learn."""
        return any(locks is not None and bool((locks.role == BEST).any()) for s in self.streets for locks in s.locks)

    def zeros(self, dtype: np.dtype[Any] | type) -> list[list[NDArray[Any]]]:
        """Return state arrays of zeros, indexed ``[street][player]``."""
        return [[np.zeros(s.state_size(p), dtype=dtype) for p in (0, 1)] for s in self.streets]

    def leaf_zeros(self, street: int, player: int, dtype: np.dtype[Any] | type) -> NDArray[Any]:
        """Return one zero per (board, leaf, hand class) of a street: blocks ``[num_leaves, H_b]`` in board order."""
        s = self.streets[street]
        return np.zeros(s.num_leaves * int(s.hands[player].start[-1]), dtype=dtype)
