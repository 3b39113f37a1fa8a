"""Exact numbers of boards and hand classes of a deal tree, without building it.

By Burnside's lemma the number of orbits is the mean, over the symmetries, of the number of objects that each leaves
unchanged.  A symmetry leaves a board unchanged if every street of it is a union of cycles of the symmetry, and a hand
on it if the hand is such a union too.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from math import comb
from typing import Any

import numpy as np
from numpy.typing import NDArray

from errai.tree.deal_root import DealRoot


@dataclass(frozen=True)
class DealSize:
    """Counts per street."""

    boards: tuple[int, ...]
    """Number of boards up to the symmetries."""
    classes: tuple[tuple[int, int], ...]
    """Number of hand classes summed over the boards, for each player."""


def deal_size(root: DealRoot) -> DealSize:
    """Count the boards and hand classes that ``build_deal_tree`` would make."""
    if root.equivalence is not None:
        first, second = (root.equivalence.counts(weights > 0) for weights in root.weights)
        return DealSize((1, len(root.equivalence.cards))[: len(first)], tuple(zip(first, second, strict=True)))
    streets = range(len(root.new_cards) + 1)
    boards = [0 for _ in streets]
    classes = [[0, 0] for _ in streets]
    on_board = np.zeros(root.deck.num_cards, dtype=bool)
    on_board[list(root.board)] = True
    every = np.arange(len(root.hands))
    lives = [weights > 0 for weights in root.weights]
    same = np.array_equal(lives[0], lives[1])
    for card_map, hand_map in zip(root.symmetries, root.hand_maps, strict=True):
        lengths = _cycle_lengths(card_map)
        free = _count_cycles(lengths[~on_board])
        for s in streets:
            boards[s] += _invariant_deals(free, root.new_cards[:s])
        for p in (0,) if same else (0, 1):
            live = root.hands[(hand_map == every) & lives[p]]
            # The cards of an unchanged hand fill whole cycles, and the remaining cycles determine the boards.
            for removed, count in _removed_cycles(lengths, live):
                rest = _without(free, removed)
                for s in streets:
                    classes[s][p] += count * _invariant_deals(rest, root.new_cards[:s])
    order = len(root.symmetries)
    both = ((c[0] // order, c[0 if same else 1] // order) for c in classes)
    return DealSize(tuple(b // order for b in boards), tuple(both))


@dataclass(frozen=True)
class SizesBelow:
    """Sizes of the subtrees below some boards of a street; B boards, S streets from theirs on, 2 players."""

    boards: NDArray[np.int64]
    """int64[B, S]."""
    classes: NDArray[np.int64]
    """int64[B, S, 2]: hand classes of each player."""


def sizes_below(
    root: DealRoot,
    street: int,
    cards: NDArray[np.int64],
    stabilisers: Sequence[tuple[int, ...]],
    *,
    known: dict[Any, DealSize] | None = None,
) -> SizesBelow:
    """Count the boards and hand classes below each of some boards exactly, without building them.

    If the ranges are uniform, the counts depend only on the symmetries that leave a board unchanged and on the position
    of its cards in their cycles.  They are computed once for each kind of board.

    Parameters
    ----------
    root:
        The root of the whole deal tree.
    street:
        The boards' street, counted from the root's.
    cards:
        int64[B, n]: all cards of each board.
    stabilisers:
        Per board, the indices of the ``root.symmetries`` that leave it unchanged.
    known:
        Counts from earlier calls, by kind; new ones are added.
    """
    uniform = all((w == w.max()).all() for w in root.weights) and not root.board
    known = {} if known is None else known
    cycles = np.stack([_cycle_lengths(card_map) for card_map in root.symmetries])
    members: dict[tuple[int, ...], list[int]] = {}
    for b, stabiliser in enumerate(stabilisers):
        members.setdefault(stabiliser, []).append(b)
    streets = len(root.new_cards) + 1 - street
    sizes = SizesBelow(np.empty((len(cards), streets), np.int64), np.empty((len(cards), streets, 2), np.int64))
    for stabiliser, some in members.items():
        boards = cards[some]
        kinds = boards
        if uniform:
            # The array [symmetries, boards, cards] becomes one row per board.
            places = np.sort(cycles[list(stabiliser)][:, boards], axis=2)
            kinds = places.transpose(1, 0, 2).reshape(len(some), -1)
        _, examples, kind_of = np.unique(kinds, axis=0, return_index=True, return_inverse=True)
        for kind, example in enumerate(examples):
            key = street, stabiliser, kinds[example].tobytes()
            if key not in known:
                known[key] = _size_below(root, street, boards[example], list(stabiliser))
            alike = np.asarray(some)[kind_of.reshape(-1) == kind]
            sizes.boards[alike], sizes.classes[alike] = known[key].boards, known[key].classes
    return sizes


def _size_below(root: DealRoot, street: int, cards: NDArray[np.int64], group: list[int]) -> DealSize:
    taken = np.isin(root.hands, cards).any(axis=1)
    below = replace(
        root,
        board=tuple(sorted(cards.tolist())),
        weights=(np.where(taken, 0.0, root.weights[0]), np.where(taken, 0.0, root.weights[1])),
        new_cards=root.new_cards[street:],
        symmetries=root.symmetries[group],
        hand_maps=root.hand_maps[group],
    )
    return deal_size(below)


Cycles = tuple[tuple[int, int], ...]
"""Pairs (length, number of cycles of that length), ascending."""


def _cycle_lengths(card_map: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return for every card the length of the cycle that contains it."""
    length = np.zeros(len(card_map), dtype=np.int64)
    current = np.arange(len(card_map))
    step = 0
    while (length == 0).any():
        current = card_map[current]
        step += 1
        length[(current == np.arange(len(card_map))) & (length == 0)] = step
    return length


def _count_cycles(lengths: NDArray[np.int64]) -> Cycles:
    values, counts = np.unique(lengths, return_counts=True)
    return tuple((int(v), int(c) // int(v)) for v, c in zip(values, counts, strict=True))


def _removed_cycles(lengths: NDArray[np.int64], hands: NDArray[np.int64]) -> list[tuple[Cycles, int]]:
    """Return the cycles that each kind of hand fills, with the number of such hands."""
    if not len(hands):
        return []
    kinds, counts = np.unique(np.sort(lengths[hands], axis=1), axis=0, return_counts=True)
    return [(_count_cycles(kind), int(count)) for kind, count in zip(kinds, counts, strict=True)]


def _without(free: Cycles, removed: Cycles) -> Cycles:
    gone = dict(removed)
    return tuple((length, count - gone.get(length, 0)) for length, count in free)


@lru_cache(maxsize=4096)
def _invariant_deals(free: Cycles, deals: tuple[int, ...]) -> int:
    """Count the ways to deal sets of these sizes one after another, such that each is a union of cycles."""
    if not deals:
        return 1
    total = 0
    for used in _partitions(free, deals[0]):
        ways = 1
        for (_, count), take in zip(free, used, strict=True):
            ways *= comb(count, take)
        rest = tuple((length, count - take) for (length, count), take in zip(free, used, strict=True))
        total += ways * _invariant_deals(rest, deals[1:])
    return total


def _partitions(free: Cycles, cards: int) -> list[tuple[int, ...]]:
    """Return the numbers of cycles of each length whose cards add up to ``cards``."""
    if not free:
        return [()] if cards == 0 else []
    length, count = free[0]
    return [
        (take, *rest)
        for take in range(min(count, cards // length) + 1)
        for rest in _partitions(free[1:], cards - take * length)
    ]
