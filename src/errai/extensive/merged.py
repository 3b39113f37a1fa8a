"""Two-player poker in extensive form with hands and boards merged up to suits, for games too large to be dealt out.

The payoffs of such a game are never listed.  On a board each end is a matrix over both players' hands, and all ends at
which somebody folds share one matrix up to a factor, as do all showdowns; so a gradient is a product of small matrices
for each board (Gilpin, Hoda, Peña and Sandholm 2007 use the same for Rhode Island hold'em and larger games).
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from errai.errors import TreeTooLargeError, UnsupportedGameError
from errai.extensive.game import Decisions, ExtensiveGame, Floats, Integers, in_blocks
from errai.games.game import Subject
from errai.kernels.layout import CHANCE, DECISION, FOLD, LOSE, SHOWDOWN, WIN, TreeArrays
from errai.kernels.protocol import Arrays
from errai.kernels.reference import ReferenceKernel
from errai.solutions.subjects import menu_of, subject_document
from errai.tree.public_tree import plan_public_tree

MAX_ENTRIES = 40_000_000
"""The most sequences of both players that are written out."""


@dataclass(frozen=True, eq=False)
class Ends:
    """Ends of the game on some boards that have equally many classes of hands; all of them fold, or all show down."""

    chips: Floats
    """float64[ends]: what player 0 wins at each end, for 1 in the matrix."""
    matrices: Floats
    """float64[boards, classes of player 0, classes of player 1]: 1 for hands that can be held together, times the
    probability of chance, and at showdowns times 1, 0 or -1."""
    sequences: tuple[Integers, Integers]
    """int64[boards, ends, classes] by player: the last sequence there."""


@dataclass(frozen=True, eq=False, repr=False)
class MergedGame(ExtensiveGame):
    """A zero-sum game of two players whose payoffs are matrices on boards; made by :func:`merged_game`.

    It has no ``ends`` and ``payoffs``, and its information sets have no names.
    """

    on_boards: tuple[Ends, ...] = ()
    arrays: TreeArrays | None = None
    """The public tree that the game was made from."""
    numbers: tuple[tuple[Integers, Integers], ...] = ()
    """By street and player int64: the sequence of each entry of a strategy in the layout of the tree's kernels."""

    def check(self) -> None:
        return

    @property
    def num_ends(self) -> int:
        """The number of ends, pairs of hands told apart."""
        return sum(ends.matrices.size * len(ends.chips) for ends in self.on_boards)

    @cached_property
    def largest(self) -> float:
        return max(float(np.abs(ends.matrices).max() * np.abs(ends.chips).max()) for ends in self.on_boards)

    @property
    def is_zero_sum(self) -> bool:
        return True

    @cached_property
    def scale(self) -> float:
        first, second = (d.plan_of(d.uniform()) for d in self.decisions)
        total = 0.0
        for ends in self.on_boards:
            met = first[ends.sequences[0]] @ np.abs(ends.matrices)
            total += float((np.abs(ends.chips) @ (met * second[ends.sequences[1]]).sum(axis=2).T).sum())
        return total or 1.0

    @property
    def matrices(self) -> Any:
        raise TreeTooLargeError(
            f"{self.title} has {self.num_ends:,} ends, too many for a linear program; take another method."
        )

    @cached_property
    def _places(self) -> tuple[Integers, Integers]:
        """By player int64: the sequences of all of :attr:`on_boards`, one after another."""
        first, second = (np.concatenate([ends.sequences[p].ravel() for ends in self.on_boards]) for p in (0, 1))
        return first, second

    def gradient(self, player: int, plans: Sequence[Floats]) -> Floats:
        other, sign = plans[1 - player], 1.0 if player == 0 else -1.0
        found = np.empty(len(self._places[player]))
        at = 0
        for ends in self.on_boards:
            theirs = other[ends.sequences[1 - player]]
            theirs *= (sign * ends.chips)[:, None]
            matrices = ends.matrices.transpose(0, 2, 1) if player == 0 else ends.matrices
            shape = ends.sequences[player].shape
            size = shape[0] * shape[1] * shape[2]
            np.matmul(theirs, matrices, out=found[at : at + size].reshape(shape))
            at += size
        return np.asarray(np.bincount(self._places[player], found, self.decisions[player].num_sequences), np.float64)

    def values(self, plans: Sequence[Floats]) -> tuple[float, ...]:
        won = float(self.gradient(0, plans) @ plans[0])
        return won, -won

    def digest(self) -> str:
        return hashlib.sha256(repr(dict(self.source)).encode()).hexdigest()

    def kernel_arrays(self, behaviour: Sequence[Floats]) -> Arrays:
        """Return action probabilities in the layout of the tree's kernels, ``[street][player]``."""
        return [[behaviour[p][numbers[p]] for p in (0, 1)] for numbers in self.numbers]


def merged_game(subject: Subject, menu: str | None = None, max_entries: int = MAX_ENTRIES) -> MergedGame:
    """Return a game or a spot in extensive form, with hands and boards merged up to suits.

    Strategies that do not tell such hands apart contain an equilibrium and a best response to each of their own, so
    values and gains are those of the whole game.

    Raises :class:`TreeTooLargeError`, or :class:`UnsupportedGameError` for a game with a rake.
    """
    plan = plan_public_tree(subject, menu=menu_of(subject, menu))
    if plan.entries > max_entries:
        raise TreeTooLargeError(
            f"{subject.label} has {plan.entries:,} sequences even with hands merged up to suits, more than the "
            f"{max_entries:,} that are written out; use fewer hands or bet sizes, or solve it with a variant of CFR."
        )
    tree = plan.build()
    arrays = tree.arrays
    if not all(street.zero_sum for street in arrays.streets):
        raise UnsupportedGameError(
            f"{subject.label} has a rake and too many histories to be dealt out; take a smaller one, or solve it with "
            "a variant of CFR."
        )
    decisions, last, numbers = _sequences(arrays)
    # Player 0's hands carry the weight of all that is dealt, player 1's the reach of their range.
    reach = arrays.root_reach[1]
    kernel, on_boards = ReferenceKernel(arrays), []
    for s, street in enumerate(arrays.streets):
        if s:
            reach = reach[_parents(arrays, s, 1)]
        sizes = np.stack([np.diff(hands.start) for hands in street.hands])
        for size in np.unique(sizes, axis=1).T:
            boards = np.flatnonzero((sizes == size[:, None]).all(axis=0))
            places = [street.hands[p].start[boards][:, None] + np.arange(size[p]) for p in (0, 1)]
            both = tree.class_weights[0][s][places[0]][:, :, None] * reach[places[1]][:, None, :]
            matrices = [kernel.terminal_matrices(s, b, 0) for b in boards.tolist()]
            for number, kind in enumerate((FOLD, SHOWDOWN)):
                nodes = np.flatnonzero(street.kind == kind)
                if len(nodes):
                    lost = (kind == FOLD) & (street.actor[nodes] == 0)
                    chips = np.where(lost, street.ends[nodes, 0, LOSE], street.ends[nodes, 0, WIN])
                    sequences = [last[s][p][nodes][:, places[p]].transpose(1, 0, 2) for p in (0, 1)]
                    weighted = both * np.stack([pair[number] for pair in matrices])
                    on_boards.append(Ends(chips, weighted, (sequences[0], sequences[1])))
    nothing = np.zeros((0, 2))
    return MergedGame(
        subject.label,
        decisions,
        nothing.astype(np.int64),
        nothing,
        source={"merged": subject_document(subject, menu)},
        span=tree.span_chips,
        on_boards=tuple(on_boards),
        arrays=arrays,
        numbers=numbers,
    )


def _parents(arrays: TreeArrays, s: int, player: int) -> Integers:
    """Return int64[classes of the street]: the class of the street above that contains each."""
    street, above = arrays.streets[s], arrays.streets[s - 1]
    start = above.hands[player].start[street.parent_board]
    return np.asarray(np.repeat(start, np.diff(street.hands[player].start)) + street.hands[player].parent, np.int64)


def _sequences(
    arrays: TreeArrays,
) -> tuple[tuple[Decisions, ...], list[list[Integers]], tuple[tuple[Integers, Integers], ...]]:
    """Return the players' decisions, their last sequence at each node, and the sequence of each entry of a strategy.

    The second is int64[nodes, classes] by street and player, the third :attr:`MergedGame.numbers`.
    """
    leading: tuple[list[Integers], list[Integers]] = ([], [])
    num_actions: tuple[list[Integers], list[Integers]] = ([], [])
    last: list[list[Integers]] = []
    rows: list[list[list[Integers]]] = []
    count = [1, 1]
    for s, street in enumerate(arrays.streets):
        classes = [int(hands.start[-1]) for hands in street.hands]
        here = [np.zeros((len(street.kind), n), np.int64) for n in classes]
        if s:
            exits = arrays.streets[s - 1].kind == CHANCE
            for p in (0, 1):
                here[p][: street.num_entries] = last[s - 1][p][exits][:, _parents(arrays, s, p)]
        rows.append([[], []])
        for node in np.flatnonzero(street.kind == DECISION).tolist():
            p, first, actions = int(street.actor[node]), int(street.first_child[node]), int(street.num_children[node])
            leading[p].append(here[p][node])
            num_actions[p].append(np.full(classes[p], actions))
            below = count[p] + np.arange(classes[p]) * actions + np.arange(actions)[:, None]
            count[p] += classes[p] * actions
            here[p][first : first + actions] = below
            here[1 - p][first : first + actions] = here[1 - p][node]
            rows[s][p].append(below)
        last.append(here)
    made = [in_blocks(np.concatenate(leading[p]), np.concatenate(num_actions[p]), "the tree") for p in (0, 1)]
    renumbered = [[made[p][2][here] for p, here in enumerate(street)] for street in last]
    numbers = []
    for s, street in enumerate(arrays.streets):
        flat = []
        for p in (0, 1):
            table = made[p][2][np.concatenate([*rows[s][p], np.zeros((0, int(street.hands[p].start[-1])), np.int64)])]
            cuts = street.hands[p].start[1:-1]
            flat.append(np.concatenate([block.ravel() for block in np.split(table, cuts, axis=1)]))
        numbers.append((flat[0], flat[1]))
    return (made[0][0], made[1][0]), renumbered, tuple(numbers)
