"""A tree, or a batch of trees, on the device: sequences, ends of lines, and boards in blocks."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from errai.errors import BackendError
from errai.kernels.batch import TreeBatch
from errai.kernels.cuda.boards import Hands, Lists, Rise, hands_of, lists_of, rise_of
from errai.kernels.cuda.sequences import Sequences, ToDevice, rounds, sequences_of
from errai.kernels.layout import (
    CHANCE,
    DECISION,
    FIXED,
    FOLD,
    LEAF,
    LEARNS,
    SHOWDOWN,
    StreetArrays,
    TreeArrays,
    pair_blocks,
    pair_starts,
)


class Round(NamedTuple):
    """Some ends of a street, no two of which belong to the same own sequence."""

    which: Tensor
    """int32[n]: the rows of the values to add."""
    at: Tensor
    """int32[n]: the own sequences that they are added to."""
    chips: Tensor
    """[n, G]: the chips that they are multiplied by."""
    node: Tensor
    """int32[n]: the nodes of the ends."""


MAX_PLACES = 2**31 - 1
"""Largest index of 32 bits."""


@dataclass(frozen=True)
class Ends:
    """The ends of one player's lines on a street, and the opponent's sequences whose reach they need."""

    reached: Tensor
    """int32[U]: the opponent's sequences at terminals, those with folds first and those with showdowns last."""
    num_folds: int
    """Number of ``reached`` with folds; they come first."""
    num_showdowns: int
    """Number of ``reached`` with showdowns; they come last."""
    folds: list[Round]
    """Multiply the reach of all compatible hands."""
    showdowns: list[Round]
    """Multiply the reach of the weaker hands minus that of the stronger ones."""
    fits: list[Round]
    """Multiply the reach of all compatible hands, at showdowns whose loss is not the opposite of a win."""
    ties: list[Round]
    """Multiply the reach of hands that tie, at showdowns that do not pay the mean of a win and a loss for a tie."""
    pairs: tuple[tuple[list[Round], list[Round]], ...]
    """For each matrix of pairs of hands, the ends that use its margins and those that use its ties."""
    exits: list[tuple[Tensor, Tensor]]
    """(Numbers of the exits, own sequences) in rounds."""
    leaves: list[tuple[Tensor, Tensor]]
    exit_sequences: Tensor
    """int32[num_exits]: the own sequence at each exit."""
    leaf_sequences: Tensor


def ends_of(
    street: StreetArrays,
    paid: NDArray[np.float64],
    player: int,
    own: Sequences,
    other: Sequences,
    to_device: ToDevice,
) -> Ends:
    """Group a street's ends by the player's sequences; ``paid`` is float64[G, n, 3], as in ``StreetArrays.ends``."""
    folds, showdowns = (np.flatnonzero(street.kind == kind) for kind in (FOLD, SHOWDOWN))
    exits, leaves = (np.flatnonzero(street.kind == kind) for kind in (CHANCE, LEAF))
    fold_reach, showdown_reach = np.unique(other.at[folds]), np.unique(other.at[showdowns])
    both = np.intersect1d(fold_reach, showdown_reach)
    reached = np.concatenate([np.setdiff1d(fold_reach, both), both, np.setdiff1d(showdown_reach, both)])
    place = np.full(other.num_sequences, -1)
    place[reached] = np.arange(len(reached))
    win, tie, lose = np.moveaxis(paid, 2, 0)
    middle = (win + lose) / 2.0
    spread, skew = (win - lose) / 2.0, tie - middle
    shown = len(reached) - len(showdown_reach)
    matrix = np.full(len(street.kind), -1) if street.matrix is None else street.matrix
    ordered = showdowns[matrix[showdowns] < 0]

    def rounds_of(nodes: NDArray[np.int64], first: int, amount: NDArray[np.float64]) -> list[Round]:
        nodes = nodes[(amount[:, nodes] != 0.0).any(axis=0)]
        found = []
        for part in rounds(own.at[nodes]):
            at = nodes[part]
            chips = to_device(np.ascontiguousarray(amount[:, at].T))
            found.append(Round(to_device(place[other.at[at]] - first), to_device(own.at[at]), chips, to_device(at)))
        return found

    def pairs_of(number: int) -> tuple[list[Round], list[Round]]:
        nodes = showdowns[matrix[showdowns] == number]
        known = street.matrices[number].tie is not None
        return rounds_of(nodes, shown, spread), rounds_of(nodes, shown, skew) if known else []

    def plain(nodes: NDArray[np.int64]) -> list[tuple[Tensor, Tensor]]:
        return [(to_device(part), to_device(own.at[nodes[part]])) for part in rounds(own.at[nodes])]

    return Ends(
        reached=to_device(reached),
        num_folds=len(fold_reach),
        num_showdowns=len(showdown_reach),
        folds=rounds_of(folds, 0, np.where(street.actor == player, lose, win)),
        showdowns=rounds_of(ordered, shown, spread),
        fits=rounds_of(showdowns, shown, middle),
        ties=rounds_of(ordered, shown, skew),
        pairs=tuple(pairs_of(number) for number in range(len(street.matrices))),
        exits=plain(exits),
        leaves=plain(leaves),
        exit_sequences=to_device(own.at[exits]),
        leaf_sequences=to_device(own.at[leaves]),
    )


@dataclass(frozen=True)
class Block:
    """Boards of a street that are walked together."""

    boards: tuple[int, int]
    classes: tuple[slice, slice]
    """Each player's columns in the street's arrays."""
    lists: tuple[Lists | None, Lists | None]
    """By the player whose values are computed; None on streets without terminals."""
    rises: tuple[Rise, Rise] | None
    """None on the first street."""
    games: tuple[Tensor, Tensor] | None
    """int32[S] for each player: the game of each class, in a batch whose games have different payoffs."""

    def to(self, dtype: torch.dtype) -> Block:
        """Return the block with its factors in another precision; indices are shared."""
        lists = [None if own is None else replace(own, has_twin=own.has_twin.to(dtype)) for own in self.lists]
        rises = None
        if self.rises is not None:
            first, second = (replace(r, weight=r.weight.to(dtype)) for r in self.rises)
            rises = (first, second)
        return replace(self, lists=(lists[0], lists[1]), rises=rises)


@dataclass(frozen=True)
class DeviceLocks:
    """The locks at a player's decisions on a street."""

    role: Tensor
    """uint8[D, S]: the locked roles, and LEARNS for hands without a lock."""
    fixed: Tensor
    """bool[R, S]: where ``given`` replaces the strategy."""
    given: Tensor
    """[R, S]"""

    def does(self, others: int, columns: slice) -> Tensor:
        """Return uint8[D, S]: the roles of all hands, with ``others`` for hands that are not locked."""
        role = self.role[:, columns]
        return role.masked_fill(role == LEARNS, others)

    def to(self, dtype: torch.dtype) -> DeviceLocks:
        """Return the same in another precision."""
        return replace(self, given=self.given.to(dtype))


def locks_of(street: StreetArrays, player: int, own: Sequences, to_device: ToDevice) -> DeviceLocks | None:
    """Return a player's locks on a street, decision by decision, or None."""
    locks, start = street.locks[player], street.hands[player].start
    if locks is None:
        return None
    nodes = np.flatnonzero((street.kind == DECISION) & (street.actor == player))
    role = np.zeros((len(nodes), int(start[-1])), np.uint8)
    given = np.zeros((own.num_rows, int(start[-1])))
    fixed = np.zeros(given.shape, bool)
    for b, i in np.argwhere(locks.at.reshape(street.num_boards, len(nodes)) >= 0).tolist():
        number, columns = int(locks.at[b * len(nodes) + i]), slice(int(start[b]), int(start[b + 1]))
        rows = slice(int(street.row[nodes[i]]), int(street.row[nodes[i]] + street.num_children[nodes[i]]))
        here = locks.role[locks.role_start[number] : locks.role_start[number + 1]]
        told = locks.strategy[locks.strategy_start[number] : locks.strategy_start[number + 1]]
        role[own.decision[nodes[i]], columns] = here
        fixed[rows, columns] = here == FIXED
        given[rows, columns] = told.reshape(rows.stop - rows.start, len(here))
    return DeviceLocks(to_device(role), to_device(fixed[own.row]), to_device(given[own.row]))


Products = tuple[list[Tensor], list[Tensor]]
"""By board [H_own, H_opponent]: margins and ties of a matrix of pairs of hands; ties are empty if they are unknown."""


def products_of(street: StreetArrays, player: int, to_device: ToDevice) -> list[Products]:
    """Return the matrices of a street for one player's values."""
    starts = pair_starts(street)

    def blocks(pair: tuple[NDArray[np.float64], NDArray[np.float64]] | None) -> list[Tensor]:
        return [] if pair is None else [to_device(b) for b in pair_blocks(street, pair[player], player, starts)]

    return [(blocks(matrix.margin), blocks(matrix.tie)) for matrix in street.matrices]


@dataclass(frozen=True)
class DeviceStreet:
    """One street."""

    arrays: StreetArrays
    sequences: tuple[Sequences, Sequences]
    ends: tuple[Ends, Ends]
    hands: tuple[Hands, Hands]
    locks: tuple[DeviceLocks | None, ...]
    products: tuple[list[Products], ...]
    blocks: tuple[Block, ...]
    """One block on every street but the last, which may have several that are walked one after another."""


class DeviceTree:
    """A tree on a device, in float64 for all numbers that are not indices.

    Parameters
    ----------
    tree:
        One tree or a batch of trees.
    device:
        The device of the tensors.
    scratch_bytes:
        Approximate memory that one block of boards of the last street may take besides the state; None means all boards
        at once.
    """

    def __init__(self, tree: TreeArrays | TreeBatch, device: torch.device, scratch_bytes: int | None) -> None:
        self.batch = tree if isinstance(tree, TreeBatch) else None
        self.arrays = tree if isinstance(tree, TreeArrays) else tree.arrays
        self.device = device
        if self.arrays.hole_cards > 2:
            raise BackendError("The cuda backend takes games of one or two private cards; use 'reference'.")
        self.streets: list[DeviceStreet] = []
        for s in range(len(self.arrays.streets)):
            self.streets.append(self._street(s, scratch_bytes))
        self.root_reach = tuple(self._by_entry(r, p) for p, r in enumerate(self.arrays.root_reach))
        ties = np.array([self.arrays.tie]) if self.batch is None else self.batch.tie
        self.tie = self.to_device(ties)

    def to_device(self, array: NDArray[Any]) -> Tensor:
        """Copy an array to the device.  Integers of 64 bits become 32 bits if they fit, as indices do."""
        if array.dtype == np.int64 and (array.size == 0 or int(np.abs(array).max()) <= MAX_PLACES):
            array = array.astype(np.int32)
        return torch.from_numpy(np.array(array)).to(self.device)

    def _by_entry(self, reach: NDArray[Any], player: int) -> Tensor:
        """Return [E, S] from the blocks [E, H_b] of the boards of the root street."""
        root = self.arrays.streets[0]
        blocks = np.split(reach, root.num_entries * root.hands[player].start[1:-1])
        return self.to_device(np.concatenate([b.reshape(root.num_entries, -1) for b in blocks], axis=1))

    def _street(self, s: int, scratch_bytes: int | None) -> DeviceStreet:
        level = self.arrays.streets[s]
        above = self.arrays.streets[s - 1] if s else None
        own = tuple(sequences_of(level, p, self.to_device) for p in (0, 1))
        paid = level.ends[None] if self.batch is None else self.batch.ends[s]
        if (paid == paid[0]).all():
            paid = paid[:1]
        ends = tuple(ends_of(level, paid[:, :, p], p, own[p], own[1 - p], self.to_device) for p in (0, 1))
        locks = tuple(locks_of(level, p, own[p], self.to_device) for p in (0, 1))
        products = tuple(products_of(level, p, self.to_device) for p in (0, 1))
        hands = tuple(hands_of(level, above, p, self.to_device) for p in (0, 1))
        games = None
        if self.batch is not None and len(paid) > 1:
            of_board = self.to_device(self.batch.game_of_board(s))
            games = [of_board[h.board].int() for h in hands]
        last = s == len(self.arrays.streets) - 1
        size = level.num_boards
        if last:
            size = boards_at_once(level, own, ends, self.arrays.hole_cards, scratch_bytes)
        blocks = []
        for first in range(0, level.num_boards, size):
            boards = (first, min(first + size, level.num_boards))
            classes = tuple(slice(int(h.start[boards[0]]), int(h.start[boards[1]])) for h in level.hands)
            lists: list[Lists | None] = [None, None]
            rises = None
            for p in (0, 1):
                if len(ends[p].reached):
                    lists[p] = lists_of(
                        hands[p], hands[1 - p], boards, self.arrays.num_cards, ends[p].num_showdowns > 0, torch.float64
                    )
            if s:
                parents = (int(level.parent_board[boards[0]]), int(level.parent_board[boards[1] - 1]) + 1)
                upper = self.streets[s - 1].hands
                up = [rise_of(hands[p], upper[p], boards, parents, torch.float64) for p in (0, 1)]
                rises = (up[0], up[1])
            own_games = None if games is None else (games[0][classes[0]], games[1][classes[1]])
            blocks.append(Block(boards, (classes[0], classes[1]), (lists[0], lists[1]), rises, own_games))
        return DeviceStreet(
            level, (own[0], own[1]), (ends[0], ends[1]), (hands[0], hands[1]), locks, products, tuple(blocks)
        )


def boards_at_once(
    street: StreetArrays,
    sequences: tuple[Sequences, ...],
    ends: tuple[Ends, ...],
    hole_cards: int,
    scratch_bytes: int | None,
) -> int:
    """Return the number of boards of the last street that fit in the scratch memory in float64; at least one."""
    largest = [int(h.start[1:].max(initial=0) and (h.start[1:] - h.start[:-1]).max()) for h in street.hands]
    members = [int((h.member_start[h.start[1:]] - h.member_start[h.start[:-1]]).max(initial=0)) for h in street.hands]
    lengths = [1 + (1 + hole_cards) * members[p] for p in (0, 1)]
    limit = max(1, MAX_PLACES // max(lengths))
    if scratch_bytes is None:
        return min(limit, max(1, street.num_boards))
    numbers = max(
        # Strategies and reach of both players, the player's values, prefix sums before and after, values at terminals.
        sum((2 * sequences[q].num_rows + sequences[q].num_entries) * largest[q] for q in (0, 1))
        + 2 * sequences[p].num_sequences * largest[p]
        + 2 * len(ends[p].reached) * lengths[1 - p]
        + 4 * len(ends[p].reached) * largest[p]
        for p in (0, 1)
    )
    return min(limit, max(1, street.num_boards), max(1, scratch_bytes // max(1, 8 * numbers)))
