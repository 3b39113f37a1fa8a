"""The root of a deal tree: the cards, both ranges, the board, and the symmetries that leave all of these unchanged.

The numbers of boards and hand classes below it are counted exactly, without building the tree.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import permutations, product
from math import comb
from typing import Any

import numpy as np
from numpy.typing import NDArray

from errai.cards.deck import Deck
from errai.cards.hands import hand_cards, hand_index, hand_text
from errai.cards.strength import HandRanking, strengths_on_board, strengths_on_boards
from errai.errors import InputError, UnsupportedGameError
from errai.tree.equivalence import Equivalence, distinguished_hands, equivalent_at_showdown, equivalent_before_last_card

WORTH_MERGING = 8.0
"""If the rows of the last street's betting tree times the share of hands merged exceed this, merging pays."""

MAX_SYMMETRIES = 1_000
"""Largest number of symmetries that are listed one by one; only very small decks have more than renamings of suits."""


@dataclass(frozen=True, eq=False)
class DealRoot:
    """The data from which boards and hands are derived; made by :func:`deal_root`."""

    deck: Deck
    hands: NDArray[np.int64]
    """int64[H, k]: all hands of the deck, in hand-index order."""
    weights: tuple[NDArray[np.float64], NDArray[np.float64]]
    """float64[H] each: the ranges, without hands that share a card with the root board."""
    board: tuple[int, ...]
    new_cards: tuple[int, ...]
    """Number of cards dealt at the start of each street after the root's."""
    ranking: HandRanking
    symmetries: NDArray[np.int64]
    """int64[G, cards]: maps of the cards that leave the rules, the board and the ranges unchanged."""
    hand_maps: NDArray[np.int64]
    """int64[G, H]: the same as maps of hand indices."""
    apart: tuple[NDArray[np.float64], ...] = ()
    """float64[H] each: values in which merged hands must agree besides their weights."""
    equivalence: Equivalence | None = None
    """The strategic equivalence, which merges more than the symmetries do; see :func:`merge_equivalent`."""

    def hand_text(self, hand: int) -> str:
        """Return the cards of a hand of the deck."""
        return hand_text(self.deck, hand, self.hands.shape[1])

    def place_text(self, board: Sequence[int] | NDArray[np.integer], line: str, hand: int | None = None) -> str:
        """Return the board, a line and maybe a hand, in words for messages."""
        where = f"on the board {self.deck.cards_text(tuple(map(int, board)))} " if len(board) else ""
        where += f"after {line!r}" if line else "at the beginning"
        return where if hand is None else f"{where} for {self.hand_text(hand)}"


def deal_root(
    deck: Deck,
    hole_cards: int,
    new_cards: tuple[int, ...],
    *,
    board: tuple[int, ...] = (),
    weights: tuple[NDArray[np.float64], NDArray[np.float64]] | None = None,
    ranking: HandRanking = HandRanking.STANDARD,
    later_cards: int = 0,
    isomorphism: bool = True,
    apart: Sequence[NDArray[np.float64]] = (),
    kept: Callable[[NDArray[np.int64], NDArray[np.int64]], bool] | None = None,
) -> DealRoot:
    """Remove the board's cards from the ranges and find the symmetries.

    Parameters
    ----------
    deck, hole_cards:
        The deck, and the number of private cards per player, which is one or two.
    new_cards:
        Number of cards dealt at the start of each street after the root's street.
    board:
        Cards on the table at the root.
    weights:
        float64[H] per player over all hands of the deck, in hand-index order; None means any hand.
    ranking:
        The ranking of hands at the showdown.
    later_cards:
        Number of cards that come after the last street of a depth-limited tree; the showdown still depends on them.
    isomorphism:
        Whether to look for symmetries.  Without them the values are the same and the tree is larger.
    apart:
        float64[H] each: values that distinguish hands at the root besides their weights, such as the payoffs of
        alternatives to playing, or locks.  Symmetries must leave them unchanged, and :func:`merge_equivalent` merges
        only hands that agree in them.
    kept:
        A function of a symmetry's card map and hand map.  It returns whether the symmetry leaves unchanged what later
        streets add to the rules, such as locks that name cards.

    Raises
    ------
    UnsupportedGameError
        More than two private cards.
    InputError
        A range has no live hand.
    """
    if hole_cards not in (1, 2):
        raise UnsupportedGameError(f"Hands of {hole_cards} private cards cannot be solved; one or two can.")
    hands = hand_cards(deck.num_cards, hole_cards).astype(np.int64)
    blocked = np.isin(hands, np.asarray(board, dtype=np.int64)).any(axis=1)
    given = weights if weights is not None else (np.ones(len(hands)), np.ones(len(hands)))
    ranges = (np.where(blocked, 0.0, given[0]), np.where(blocked, 0.0, given[1]))
    for p, range_ in enumerate(ranges):
        if not (range_ > 0).any():
            raise InputError(f"The range of player {p} has no hand that is possible on this board.")
    maps = np.arange(deck.num_cards)[None, :]
    if isomorphism:
        maps = _symmetries(deck, ranking, hole_cards + len(board) + sum(new_cards) + later_cards)
    columns = (*ranges, *apart)
    card_maps, hand_maps = [], []
    for card_map in maps:
        if {int(card_map[c]) for c in board} != set(board):
            continue
        hand_map = hand_index(np.sort(card_map[hands], axis=1)).astype(np.int64)
        if all(np.array_equal(c[hand_map], c) for c in columns) and (kept is None or kept(card_map, hand_map)):
            card_maps.append(card_map)
            hand_maps.append(hand_map)
    return DealRoot(
        deck,
        hands,
        ranges,
        tuple(sorted(board)),
        new_cards,
        ranking,
        np.stack(card_maps),
        np.stack(hand_maps),
        tuple(apart),
    )


def merge_equivalent(root: DealRoot, rows: int | None = None, apart_below: NDArray[np.int64] | None = None) -> DealRoot:
    """Merge strategically equivalent hands and boards, if at most one card is to come before the showdown.

    Parameters
    ----------
    root:
        The root of the deal tree.  With more than one card to come it is returned unchanged.
    rows:
        Number of rows of the last street's betting tree.  With a card to come, merging takes 10 to 30 ms and is skipped
        if it would save less.  With None it is always done.
    apart_below:
        int64[cards left, H] from 0, with a card to come: on the boards with each card that is left, only hands of one
        number are merged.
    """
    if root.new_cards not in ((), (1,)):
        return root
    deck, hands = root.deck, root.hands.astype(np.int16)
    if not root.new_cards:
        strength = strengths_on_board(root.board, hands, deck, root.ranking)
        return replace(
            root, equivalence=equivalent_at_showdown(root.hands, deck.num_cards, strength, root.weights, root.apart)
        )
    # What tells cards apart with one to come: ranks, and suits with two on the board.
    cards = np.arange(deck.num_cards)
    suits, ranks = cards % deck.num_suits, cards // deck.num_suits
    flushes = np.bincount(suits[list(root.board)], minlength=deck.num_suits) >= 2
    labels = np.where(flushes[suits], cards, deck.num_cards + ranks)
    apart = distinguished_hands(root.hands, labels, root.weights, root.apart)
    if rows is not None:
        smallest = root.hand_maps.min(axis=0) == np.arange(len(hands))
        before = int(np.count_nonzero(smallest & (apart >= 0)))
        if (1.0 - (apart.max() + 1) / before) * rows < WORTH_MERGING:
            return root
    new = np.delete(cards, root.board)
    boards = np.concatenate([np.tile(root.board, (len(new), 1)), new[:, None]], axis=1).astype(np.int16)
    strength = strengths_on_boards(boards, hands, deck, root.ranking)
    found = equivalent_before_last_card(root.hands, deck.num_cards, root.board, strength, apart, apart_below)
    return root if found is None else replace(root, equivalence=found)


def _symmetries(deck: Deck, ranking: HandRanking, most_cards: int) -> NDArray[np.int64]:
    """Return int64[G, cards]: the maps of the cards under which the rules stay the same.

    With fewer than five cards at the showdown of the standard ranking there is no flush, so the suits of each rank may
    be permuted independently.  That larger group is used if it is small enough to be listed.
    """
    suits = deck.num_suits
    perms = np.array(list(permutations(range(suits))), dtype=np.int64)
    ranks = np.arange(deck.num_ranks)[:, None] * suits
    apart = ranking is HandRanking.STANDARD and most_cards < 5
    if apart and len(perms) ** deck.num_ranks <= MAX_SYMMETRIES:
        choices = product(range(len(perms)), repeat=deck.num_ranks)
        return np.array([(ranks + perms[list(choice)]).ravel() for choice in choices])
    return np.array([(ranks + perm).ravel() for perm in perms])


# --- how many boards and hand classes there are below ---
#
# By Burnside's lemma the number of orbits is the mean, over the symmetries, of the number of objects that each leaves
# unchanged.  A symmetry leaves a board unchanged if every street of it is a union of cycles of the symmetry, and a hand
# on it if the hand is such a union too.


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
                gone = dict(removed)
                rest = tuple((length, number - gone.get(length, 0)) for length, number in free)
                for s in streets:
                    classes[s][p] += count * _invariant_deals(rest, root.new_cards[:s])
    order = len(root.symmetries)
    both = ((c[0] // order, c[0 if same else 1] // order) for c in classes)
    return DealSize(tuple(b // order for b in boards), tuple(both))


def sizes_below(
    root: DealRoot,
    street: int,
    cards: NDArray[np.int64],
    stabilisers: Sequence[tuple[int, ...]],
    *,
    known: dict[Any, DealSize] | None = None,
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Count the boards and hand classes below each of some boards exactly, without building them.

    Returns int64[B, S], the boards on the S streets from theirs on, and int64[B, S, 2], each player's hand classes.

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
    all_boards, classes = np.empty((len(cards), streets), np.int64), np.empty((len(cards), streets, 2), np.int64)
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
            all_boards[alike], classes[alike] = known[key].boards, known[key].classes
    return all_boards, classes


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
