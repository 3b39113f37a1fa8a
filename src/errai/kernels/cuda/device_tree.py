"""A tree, or a batch of trees, on the device: sequences, ends of lines, and boards in blocks."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, fields, is_dataclass, replace
from typing import Any, NamedTuple, TypeVar

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from errai.errors import BackendError
from errai.kernels.batch import TreeBatch
from errai.kernels.cuda import indices
from errai.kernels.cuda.indices import Hands, Lists, Rise, Sequences, ToDevice
from errai.kernels.layout import CHANCE, DECISION, FIXED, FOLD, LEAF, SHOWDOWN, StreetArrays, TreeArrays
from errai.kernels.protocol import Arrays


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

CHUNK = 1 << 24
"""Numbers that are moved between layouts at a time, so that their indices take little memory."""


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
    street: StreetArrays, paid: NDArray[np.float64], player: int, of: tuple[Sequences, Sequences], to_device: ToDevice
) -> Ends:
    """Group a street's ends by the player's sequences; ``paid`` is float64[G, n, 3], as in ``StreetArrays.ends``."""
    own, other = of[player], of[1 - player]
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
        for part in indices.rounds(own.at[nodes]):
            at = nodes[part]
            chips = to_device(np.ascontiguousarray(amount[:, at].T))
            found.append(Round(to_device(place[other.at[at]] - first), to_device(own.at[at]), chips, to_device(at)))
        return found

    def pairs_of(number: int) -> tuple[list[Round], list[Round]]:
        nodes = showdowns[matrix[showdowns] == number]
        known = street.matrices[number].tie is not None
        return rounds_of(nodes, shown, spread), rounds_of(nodes, shown, skew) if known else []

    def plain(nodes: NDArray[np.int64]) -> list[tuple[Tensor, Tensor]]:
        return [(to_device(part), to_device(own.at[nodes[part]])) for part in indices.rounds(own.at[nodes])]

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
    classes: list[slice]
    """Each player's columns in the street's arrays."""
    lists: list[Lists | None]
    """By the player whose values are computed; None on streets without terminals."""
    rises: list[Rise] | None
    """None on the first street."""
    games: list[Tensor] | None
    """int32[S] for each player: the game of each class, in a batch whose games have different payoffs."""


@dataclass(frozen=True)
class DeviceLocks:
    """The locks at a player's decisions on a street."""

    role: Tensor
    """uint8[D, S]: the locked roles, and LEARNS for hands without a lock."""
    fixed: Tensor
    """bool[R, S]: where ``given`` replaces the strategy."""
    given: Tensor
    """[R, S]"""


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

    def blocks(pair: tuple[NDArray[np.float64], NDArray[np.float64]] | None) -> list[Tensor]:
        return [] if pair is None else [to_device(b) for b in street.pair_blocks(pair[player], player)]

    return [(blocks(matrix.margin), blocks(matrix.tie)) for matrix in street.matrices]


@dataclass(frozen=True)
class DeviceStreet:
    """One street."""

    arrays: StreetArrays
    sequences: tuple[Sequences, Sequences]
    ends: tuple[Ends, ...]
    hands: tuple[Hands, Hands]
    locks: list[DeviceLocks | None]
    products: list[list[Products]]
    blocks: list[Block]
    """One block on every street but the last, which may have several that are walked one after another."""


Parts = TypeVar("Parts")


def in_type(parts: Parts, dtype: torch.dtype) -> Parts:
    """Return a record, a list or a tuple with its numbers in another precision; indices and other things are shared."""
    found: Any = parts
    if isinstance(parts, Tensor):
        found = parts.to(dtype) if parts.is_floating_point() else parts
    elif isinstance(parts, list | tuple):
        items = [in_type(item, dtype) for item in parts]
        found = type(parts)(*items) if hasattr(parts, "_fields") else type(parts)(items)
    elif is_dataclass(parts) and not isinstance(parts, StreetArrays | type):
        found = replace(parts, **{f.name: in_type(getattr(parts, f.name), dtype) for f in fields(parts)})
    return found


class DeviceTree:
    """A tree, or a batch of trees, on a device, in float64 for all numbers that are not indices.

    One block of boards of the last street may take about ``scratch_bytes`` besides the state; None means all boards at
    once.
    """

    def __init__(self, tree: TreeArrays | TreeBatch, device: torch.device, scratch_bytes: int | None) -> None:
        self.batch = tree if isinstance(tree, TreeBatch) else None
        self.arrays = tree if isinstance(tree, TreeArrays) else tree.arrays
        self.device = device
        self.scratch_bytes = scratch_bytes
        if self.arrays.hole_cards > 2:
            raise BackendError("The cuda backend takes games of one or two private cards; use 'reference'.")
        self.streets: list[DeviceStreet] = []
        for s in range(len(self.arrays.streets)):
            self.streets.append(self._street(s))
        self.tie = self.to_device(np.array([self.arrays.tie]) if self.batch is None else self.batch.tie)
        self.root_reach = self.entries(self.arrays.root_reach, torch.float64)

    def to_device(self, array: NDArray[Any]) -> Tensor:
        """Copy an array to the device.  Integers of 64 bits become 32 bits if they fit, as indices do."""
        if array.dtype == np.int64 and (array.size == 0 or int(np.abs(array).max()) <= MAX_PLACES):
            array = array.astype(np.int32)
        return torch.from_numpy(np.array(array)).to(self.device)

    def _street(self, s: int) -> DeviceStreet:
        level, put = self.arrays.streets[s], self.to_device
        above = self.arrays.streets[s - 1] if s else None
        own = indices.sequences_of(level, 0, put), indices.sequences_of(level, 1, put)
        paid = level.ends[None] if self.batch is None else self.batch.ends[s]
        if (paid == paid[0]).all():
            paid = paid[:1]
        ends = tuple(ends_of(level, paid[:, :, p], p, own, put) for p in (0, 1))
        hands = indices.hands_of(level, above, 0, put), indices.hands_of(level, above, 1, put)
        games = None
        if self.batch is not None and len(paid) > 1:
            of_board = put(self.batch.game_of_board(s))
            games = [of_board[h.board].int() for h in hands]
        size = level.num_boards
        if s == len(self.arrays.streets) - 1:
            size = self._boards_at_once(level, own, ends)
        blocks = []
        for first in range(0, level.num_boards, size):
            boards = (first, min(first + size, level.num_boards))
            classes = [slice(int(h.start[boards[0]]), int(h.start[boards[1]])) for h in level.hands]
            lists: list[Lists | None] = [None, None]
            for p in (0, 1):
                if len(ends[p].reached):
                    lists[p] = indices.lists_of(
                        hands[p], hands[1 - p], boards, self.arrays.num_cards, ends[p].num_showdowns > 0
                    )
            rises = None
            if s:
                parents = (int(level.parent_board[boards[0]]), int(level.parent_board[boards[1] - 1]) + 1)
                rises = [indices.rise_of(hands[p], self.streets[s - 1].hands[p], boards, parents) for p in (0, 1)]
            of_block = None if games is None else [game[part] for game, part in zip(games, classes, strict=True)]
            blocks.append(Block(boards, classes, lists, rises, of_block))
        locks = [locks_of(level, p, own[p], put) for p in (0, 1)]
        return DeviceStreet(level, own, ends, hands, locks, [products_of(level, p, put) for p in (0, 1)], blocks)

    def _boards_at_once(self, street: StreetArrays, sequences: tuple[Sequences, ...], ends: tuple[Ends, ...]) -> int:
        """Return the number of boards of the last street that fit in the scratch memory in float64; at least one."""
        largest = [int(np.diff(h.start).max(initial=0)) for h in street.hands]
        members = [int(np.diff(h.member_start[h.start]).max(initial=0)) for h in street.hands]
        lengths = [1 + (1 + self.arrays.hole_cards) * members[p] for p in (0, 1)]
        limit = max(1, MAX_PLACES // max(lengths))
        if self.scratch_bytes is None:
            return min(limit, max(1, street.num_boards))
        numbers = max(
            # Strategies and reach of both players, values of one, prefix sums before and after, values at terminals.
            sum((2 * sequences[q].num_rows + sequences[q].num_entries) * largest[q] for q in (0, 1))
            + 2 * sequences[p].num_sequences * largest[p]
            + 2 * len(ends[p].reached) * lengths[1 - p]
            + 4 * len(ends[p].reached) * largest[p]
            for p in (0, 1)
        )
        return min(limit, max(1, street.num_boards), max(1, self.scratch_bytes // max(1, 8 * numbers)))

    # --- copies, in which the rows have another order: [rows, H_b] by board in NumPy, [R, S] here ---------------------

    def states(self, arrays: Arrays) -> list[list[Tensor]]:
        """Copy state arrays or a strategy to the device.

        Types stay, but uint8 and uint16 become int32, because PyTorch computes with that.
        """
        return [
            [self._arrive(array, s, p, self.streets[s].sequences[p].row) for p, array in enumerate(pair)]
            for s, pair in enumerate(arrays)
        ]

    def return_states(self, tensors: list[list[Tensor]], arrays: Arrays) -> None:
        """Write tensors back into state arrays."""
        for s, pair in enumerate(arrays):
            for p, array in enumerate(pair):
                array[...] = self._leave(tensors[s][p], s, p, self.streets[s].sequences[p].row)

    def leaves(self, arrays: Iterable[NDArray[Any]], player: int, dtype: torch.dtype) -> list[Tensor]:
        """Return the leaf arrays of a player as [leaves, S] by street."""
        counts = [street.arrays.num_leaves for street in self.streets]
        return [self._arrive(a, s, player, np.arange(counts[s])).to(dtype) for s, a in enumerate(arrays)]

    def entries(self, reach: Iterable[NDArray[Any]], dtype: torch.dtype) -> list[Tensor]:
        """Return both players' reach at the root street as [E, S]."""
        rows = np.arange(self.streets[0].arrays.num_entries)
        return [self._arrive(r, 0, p, rows).to(dtype) for p, r in enumerate(reach)]

    def return_rows(self, tensor: Tensor, s: int, player: int) -> NDArray[Any]:
        """Return a flat array of a street's blocks ``[rows, H_b]`` from [rows, S] in the same order of rows."""
        return self._leave(tensor, s, player, np.arange(len(tensor)))

    def _arrive(self, array: NDArray[Any], s: int, player: int, row: NDArray[np.int64]) -> Tensor:
        plain = array if array.flags.writeable else array.copy()
        flat = torch.from_numpy(plain.view(np.int16) if array.dtype == np.uint16 else plain).to(self.device)
        if array.dtype.kind == "u":
            flat = flat.int() & np.iinfo(array.dtype).max
        hands = self.streets[s].hands[player]
        out = flat.new_empty(len(row), hands.size)
        for rows, index in self._pieces(s, player, row):
            out[rows] = flat[index]
        return out

    def _leave(self, tensor: Tensor, s: int, player: int, row: NDArray[np.int64]) -> NDArray[Any]:
        flat = tensor.new_empty(tensor.numel())
        for rows, index in self._pieces(s, player, row):
            flat[index] = tensor[rows]
        array: NDArray[Any] = flat.cpu().numpy()
        return array

    def _pieces(self, s: int, player: int, row: NDArray[np.int64]) -> Any:
        """Yield (rows, their indices [rows, S] in the flat array) in pieces of about ``CHUNK`` numbers."""
        hands = self.streets[s].hands[player]
        width = hands.start.diff()[hands.board]
        before = hands.start[hands.board]
        first = len(row) * before + torch.arange(hands.size, device=self.device) - before
        rows = torch.from_numpy(row).to(self.device)
        step = max(1, CHUNK // max(1, hands.size))
        for begin in range(0, len(row), step):
            part = slice(begin, begin + step)
            yield part, first + rows[part].unsqueeze(1) * width
