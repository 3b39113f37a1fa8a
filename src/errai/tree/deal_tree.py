"""The deal tree: boards up to suit symmetry, street by street, and the hands that are live on each.

Two boards are equivalent if a symmetry of the deck maps one to the other and leaves the root board and both ranges
unchanged.  One *representative* stands for its whole orbit.  The symmetries are the renamings of suits.  In games in
which no suit matters at the showdown (Kuhn, Leduc), the suits of every rank may be renamed independently.  On a
representative board, the symmetries that leave the board unchanged (its stabiliser) make hands equivalent, and
equivalent hands form one *class*.  A class on a child board always lies inside one class on the parent board, so reach
goes down by a gather and values come up by a weighted scatter.  No permutation of hands is ever stored.  The weights
are derived in docs/maths.md.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import chain, combinations
from math import comb
from typing import Any

import numpy as np
from numpy.typing import NDArray

from errai.cards import _cards
from errai.cards.deck import Deck
from errai.cards.strength import HandRanking, check_number_of_cards
from errai.errors import CardsError
from errai.tree.deal_root import DealRoot

HANDS_AT_ONCE = 4_000_000
"""Number of pairs of hand and board that are listed in one call, which takes some hundredths of a second."""

KNOWN_PARENTS = 5_000
"""Number of boards whose children :meth:`DealTree.find` caches: listing them takes longer than searching the list."""


@dataclass(frozen=True)
class DealHands:
    """One player's hand classes on the boards of a street; ``S`` classes and ``M`` hands over all boards."""

    start: NDArray[np.int64]
    """int64[B+1]: classes of board ``b`` are ``start[b]:start[b+1]``."""
    hand: NDArray[np.int32]
    """int32[S]: hand index of the representative."""
    parent: NDArray[np.int32]
    """int32[S]: the class on the parent board that contains this class, counted inside that board."""
    up_weight: NDArray[np.float64]
    """float64[S]: the factor of this class's value in the parent class's value, including chance's probability."""
    rank: NDArray[np.int32]
    """int32[S]: strength, ascending inside a board on the last street; 0 on earlier streets."""
    twin: NDArray[np.int32]
    """int32[S]: the same class in the other player's list of the board, or -1 if it is not there."""
    member_start: NDArray[np.int64]
    """int64[S+1]: members of class ``i`` are ``member[member_start[i]:member_start[i+1]]``."""
    member: NDArray[np.int32]
    """int32[M]: hand indices, class by class; the same array as ``hand`` if every class has one hand."""


@dataclass(frozen=True)
class DealStreet:
    """The boards of one street up to symmetry."""

    boards: NDArray[np.int8]
    """int8[B, n]: all cards dealt so far; the cards of each street ascend."""
    parent: NDArray[np.int32]
    """int32[B]: board of the previous street, -1 at the root."""
    orbit: NDArray[np.int32]
    """int32[B]: number of real boards that the board represents, given the parent's representative."""
    multiplicity: NDArray[np.int64]
    """int64[B]: number of real boards that the board represents in all."""
    child_start: NDArray[np.int32]
    """int32[B+1]: the range of its child boards on the next street."""
    stabiliser: tuple[tuple[int, ...], ...]
    """Per board, the ``DealRoot.symmetries`` that leave it unchanged; empty for boards merged as equivalent."""
    hands: tuple[DealHands, DealHands]


@dataclass(frozen=True)
class DealTree:
    """Boards and hands of all streets, without bets."""

    root: DealRoot
    streets: tuple[DealStreet, ...]
    _found: dict[tuple[int, int], dict[tuple[int, ...], int]] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )
    """The boards that new cards lead to, by (street, parent), for the first parents that are used."""

    def find(self, street: int, parent: int, cards: tuple[int, ...]) -> tuple[int, NDArray[np.int64]]:
        """Return the board of ``street`` below board ``parent`` that new cards lead to, and the map of the cards.

        ``cards`` are cards on the *representative* parent board.  The map (int64[cards of the deck]) is a symmetry that
        leaves the parent board unchanged and takes ``cards`` to the new cards of the returned board.  If boards were
        merged as strategically equivalent, it takes every live hand to an equivalent one.  Raises :class:`CardsError`
        if the cards cannot come.
        """
        if self.root.equivalence is not None:
            board = int(self.root.equivalence.board_of[cards[0]])
            if board < 0:
                raise on_the_table(self.root, cards)
            return board, self.root.equivalence.maps[cards[0]]
        above = self.streets[street - 1]
        table = self._found.get((street, parent))
        if table is None:
            first, last = above.child_start[parent : parent + 2]
            new = self.streets[street].boards[first:last, above.boards.shape[1] :].tolist()
            table = {tuple(cards): b for b, cards in enumerate(new, start=int(first))}
            if len(self._found) < KNOWN_PARENTS:
                self._found[street, parent] = table
        for g in above.stabiliser[parent]:
            image = tuple(sorted(self.root.symmetries[g][list(cards)].tolist()))
            if image in table:
                return table[image], self.root.symmetries[g]
        raise on_the_table(self.root, cards)


def on_the_table(root: DealRoot, cards: tuple[int, ...]) -> CardsError:
    """Return the error for cards that have been dealt already."""
    return CardsError(f"{root.deck.cards_text(cards)} cannot come here; they are on the table already.")


def build_deal_tree(
    root: DealRoot, *, showdown: bool = True, step: Callable[[int], Any] | None = None, threads: int = 1
) -> DealTree:
    """Build the deal tree below a root.

    Parameters
    ----------
    root:
        Cards, ranges, board and symmetries.
    showdown:
        Whether the last street ends in a showdown, so that its hands are sorted by strength.
    step:
        Called with the number of boards whose child boards have been dealt, or whose hands have been listed, since the
        last call, so that a caller who counts or times the work is never more than moments behind.  An exception that
        it raises ends the work.
    threads:
        Threads that list hands; the result does not depend on their number.
    """
    builder = DealBuilder(root, step, threads)
    return DealTree(root, builder.streets(builder.followed([builder.root()], root.new_cards), 0, showdown))


def build_deal_forest(root: DealRoot, street: int, boards: range, *, showdown: bool = True) -> DealTree:
    """Build the subtrees below some boards of a street of the deal tree, and the boards above them.

    Parameters
    ----------
    root:
        Cards, ranges, board and symmetries of the whole deal tree.
    street:
        A street after the root's.
    boards:
        Boards of that street, by their numbers in the whole deal tree; at least one.
    showdown:
        As in :func:`build_deal_tree`.

    Returns
    -------
    DealTree
        The first street has the parents of the boards, without their other children; the second street has the boards;
        the following streets have everything below them.  Boards and classes are in the order of the whole deal tree.
    """
    builder, above = _levels_above(root, street)
    parents = above[street].parent[boards.start : boards.stop]
    edge = range(int(parents[0]), int(parents[-1]) + 1)
    levels = builder.followed(
        [above[street - 1].part(edge, None), above[street].part(boards, edge.start)], root.new_cards[street:]
    )
    return DealTree(root, builder.streets(levels, street - 1, showdown))


@dataclass(frozen=True)
class DealBoards:
    """The boards of one street without hands, in the order of the deal tree."""

    cards: NDArray[np.int64]
    """int64[B, n]: all cards dealt so far."""
    parent: NDArray[np.int64]
    """int64[B]: the number of the board above on the previous street."""
    orbit: NDArray[np.int64]
    """int64[B]: number of real boards that the board represents, given the parent's representative."""
    multiplicity: NDArray[np.int64]
    """int64[B]: number of real boards that the board represents in all."""
    stabiliser: list[tuple[int, ...]]
    """Per board, the ``DealRoot.symmetries`` that leave it unchanged."""
    first_equivalent: NDArray[np.int64] | None = None
    """int64[B, H]: for every hand the first hand that it is merged with, if more is merged than by the stabilisers."""

    def part(self, boards: range, first_parent: int | None) -> DealBoards:
        """Return some boards; parents are counted from ``first_parent``, and are -1 if that is None."""
        taken = slice(boards.start, boards.stop)
        parent = self.parent[taken]
        return DealBoards(
            self.cards[taken],
            np.full_like(parent, -1) if first_parent is None else parent - first_parent,
            self.orbit[taken],
            self.multiplicity[taken],
            self.stabiliser[taken],
            None if self.first_equivalent is None else self.first_equivalent[taken],
        )


def deal_boards(root: DealRoot, street: int) -> DealBoards:
    """Return the boards of a street; they are cached for the forests that are built next."""
    return _levels_above(root, street)[1][street]


@lru_cache(maxsize=2)
def _levels_above(root: DealRoot, street: int) -> tuple[DealBuilder, list[DealBoards]]:
    """Return the boards of the streets up to ``street``, without hands; many forests begin with them."""
    builder = DealBuilder(root)
    return builder, builder.followed([builder.root()], root.new_cards[:street])


@dataclass(frozen=True)
class _Deals:
    """What may be dealt on boards that the same symmetries leave unchanged, one of each orbit, if no card is taken."""

    cards: NDArray[np.int64]
    """int64[D, n]: the first deal of each orbit."""
    orbit: NDArray[np.int64]
    """int64[D]: the number of deals in the orbit."""
    stabilisers: list[tuple[int, ...]]
    """Per deal, the symmetries that leave it unchanged too."""


def sums_before(counts: NDArray[np.int64], axis: int = -1) -> NDArray[np.int64]:
    """Return the sums of all counts along an axis before each, and the sum of all."""
    return np.insert(np.cumsum(counts, axis=axis), 0, 0, axis=axis)


def _ascending(cards: list[NDArray[np.int64]], place: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return int64: sets of cards, an array per card, as numbers whose first digit is the smallest card.

    There are few cards per set and many sets, so exchanging whole arrays is several times as fast as sorting each set.
    """
    for last in range(len(cards) - 1, 0, -1):
        for i in range(last):
            cards[i], cards[i + 1] = np.minimum(cards[i], cards[i + 1]), np.maximum(cards[i], cards[i + 1])
    return sum((c * p for c, p in zip(cards, place, strict=True)), np.zeros((), np.int64))


def spread_order(deck: Deck, hands: NDArray[np.integer]) -> NDArray[np.int64]:
    """Return int64[H]: the places of hands in an order in which neighbours seldom share a card.

    Hands of equal strength may be in any order.  In this one, sums by card that are accumulated hand by hand seldom
    have to wait for the previous hand.
    """
    low, high = hands[:, 0].astype(np.int64), hands[:, -1].astype(np.int64)
    suits, ranks = deck.num_suits, deck.num_ranks
    difference = (high - low) % suits
    # Both ranks, the lower card's suit and the difference of suits name the hand, so no two hands have one number.
    return np.argsort(((difference * ranks + high // suits) * ranks + low // suits) * suits + low % suits)


class DealBuilder:
    """Builds the levels below one root."""

    def __init__(self, root: DealRoot, step: Callable[[int], Any] | None = None, threads: int = 1) -> None:
        self.deal_root = root
        self.step = step or (lambda boards: None)
        self.threads = threads
        self.live = np.stack([range_ > 0 for range_ in root.weights])
        if np.array_equal(self.live[0], self.live[1]):
            self.live = self.live[:1]  # Players with the same live hands share one list.
        self._merged: dict[tuple[int, ...], NDArray[np.int32]] = {}
        self._deals: dict[tuple[tuple[int, ...], int], _Deals] = {}

    def followed(self, levels: list[DealBoards], new_cards: Sequence[int]) -> list[DealBoards]:
        """Return boards street by street, and after them all boards of the streets on which ``new_cards`` are dealt."""
        for count in new_cards:
            levels = [*levels, self.deal(levels[-1], count)]
        return levels

    def root(self) -> DealBoards:
        """Return the level of the root board."""
        one = np.ones(1, dtype=np.int64)
        board = np.array([self.deal_root.board], dtype=np.int64).reshape(1, -1)
        equivalence = self.deal_root.equivalence
        merged = None if equivalence is None else equivalence.hands[None, :]
        return DealBoards(board, -one, one, one, [tuple(range(len(self.deal_root.symmetries)))], merged)

    def deal(self, above: DealBoards, count: int) -> DealBoards:
        """Return all boards with ``count`` more cards, up to each parent's symmetries or strategic equivalence."""
        equivalence = self.deal_root.equivalence
        if equivalence is not None:
            board = np.repeat(above.cards, len(equivalence.cards), axis=0)
            return DealBoards(
                np.concatenate([board, equivalence.cards[:, None]], axis=1),
                np.zeros(len(equivalence.cards), dtype=np.int64),
                equivalence.orbit,
                equivalence.orbit,
                [()] * len(equivalence.cards),
                equivalence.below,
            )
        boards, parents, orbits = [], [], []
        stabilisers: list[tuple[int, ...]] = []
        taken = np.zeros(self.deal_root.deck.num_cards, dtype=bool)
        for b, board in enumerate(above.cards):
            deals = self.deals(above.stabiliser[b], count)
            taken[board] = True
            # Symmetries leave the board's cards in place as a set, so an orbit of deals is free or taken as a whole.
            free = np.flatnonzero(~taken[deals.cards].any(axis=1))
            taken[board] = False
            self.step(1)
            boards.append(np.concatenate([np.repeat(board[None, :], len(free), axis=0), deals.cards[free]], axis=1))
            parents.append(np.full(len(free), b))
            orbits.append(deals.orbit[free])
            stabilisers += [deals.stabilisers[i] for i in free.tolist()]
        parent, orbit = np.concatenate(parents), np.concatenate(orbits)
        return DealBoards(np.concatenate(boards), parent, orbit, above.multiplicity[parent] * orbit, stabilisers)

    def deals(self, stabiliser: tuple[int, ...], count: int) -> _Deals:
        """Return what may be dealt on the boards that these symmetries leave unchanged."""
        if (stabiliser, count) not in self._deals:
            deck, group = self.deal_root.deck, np.asarray(stabiliser)
            every = chain.from_iterable(combinations(range(deck.num_cards), count))
            cards = np.fromiter(every, np.int64).reshape(-1, count)
            place = deck.num_cards ** np.arange(count - 1, -1, -1, dtype=np.int64)
            maps = self.deal_root.symmetries[group]
            images = _ascending([maps[:, column] for column in cards.T], place)
            least, own = images.min(axis=0), cards @ place
            first = np.flatnonzero(least == own)
            fixed = images[:, first] == own[first]
            self._deals[stabiliser, count] = _Deals(
                cards[first],
                len(group) // fixed.sum(axis=0),
                [tuple(group[column].tolist()) for column in fixed.T],
            )
        return self._deals[stabiliser, count]

    def merged(self, stabiliser: tuple[int, ...]) -> NDArray[np.int32]:
        """Return int32[H]: for every hand the first hand that some symmetries make equal to it."""
        if stabiliser not in self._merged:
            self._merged[stabiliser] = self.deal_root.hand_maps[list(stabiliser)].min(axis=0).astype(np.int32)
        return self._merged[stabiliser]

    def streets(self, levels: list[DealBoards], first: int, showdown: bool) -> tuple[DealStreet, ...]:
        """List the hands on the boards of all levels, of which the first is street ``first`` of the deal tree."""
        root = self.deal_root
        streets: list[DealStreet] = []
        for s, level in enumerate(levels):
            chance = 1.0
            if s > 0:
                unseen = root.deck.num_cards - levels[s - 1].cards.shape[1] - 2 * root.hands.shape[1]
                chance = 1.0 / comb(unseen, root.new_cards[first + s - 1])
            above = streets[-1].hands if streets else None
            hands = self.hands_on(level, above, chance, by_strength=showdown and s == len(levels) - 1)
            children = np.zeros(len(level.cards), dtype=np.int64)
            if s + 1 < len(levels):
                children = np.bincount(levels[s + 1].parent, minlength=len(level.cards))
            streets.append(
                DealStreet(
                    boards=level.cards.astype(np.int8),
                    parent=level.parent.astype(np.int32),
                    orbit=level.orbit.astype(np.int32),
                    multiplicity=level.multiplicity,
                    child_start=sums_before(children).astype(np.int32),
                    stabiliser=tuple(level.stabiliser),
                    hands=hands,
                )
            )
        return tuple(streets)

    def hands_on(
        self, level: DealBoards, above: tuple[DealHands, DealHands] | None, chance: float, *, by_strength: bool
    ) -> tuple[DealHands, DealHands]:
        """Return both players' classes on the boards of a level.

        On each board they are in order of their first hands, or of strength and, where that is equal, of
        :func:`spread_order`.  ``above`` has the classes on the level before, and ``chance`` is the probability with
        which one of its boards leads to a real board of this level.
        """
        root = self.deal_root
        deck, boards = root.deck, len(level.cards)
        if level.first_equivalent is not None:
            grouping, keys = np.arange(boards, dtype=np.int32), level.first_equivalent.astype(np.int32)
        else:
            numbers: dict[tuple[int, ...], int] = {}
            found = (numbers.setdefault(stabiliser, len(numbers)) for stabiliser in level.stabiliser)
            grouping = np.fromiter(found, np.int32, boards)
            keys = np.stack([self.merged(stabiliser) for stabiliser in numbers])
        if by_strength:
            check_number_of_cards(level.cards.shape[1] + root.hands.shape[1], root.ranking)
        order = spread_order(deck, root.hands) if by_strength else np.arange(len(root.hands))
        lists = _cards.HandLists(keys, self.live, root.hands.astype(np.int16), order, deck.num_ranks, deck.num_suits)
        at_once = max(1, HANDS_AT_ONCE // len(root.hands))
        pieces = [(first, min(first + at_once, boards)) for first in range(0, boards, at_once)]
        counts = np.empty((len(self.live), 2, boards), dtype=np.int64)
        for first, last in pieces:
            lists.count(first, last, level.cards, grouping, self.threads, counts)
            self.step(0)
        starts = sums_before(counts)
        members = np.ascontiguousarray(starts[:, 1])
        hands = [_unfilled(start, int(before[-1])) for start, before in starts]
        over = [] if above is None else list(above[: len(hands)])
        for first, last in pieces:
            lists.list(
                first,
                last,
                level.cards,
                grouping,
                level.parent,
                level.orbit,
                chance,
                by_strength,
                root.ranking is HandRanking.THREE_CARD,
                members,
                over,
                hands,
                self.threads,
            )
            self.step(last - first)
        return hands[0], hands[-1]


def _unfilled(start: NDArray[np.int64], members: int) -> DealHands:
    """Return lists of the right lengths for :meth:`DealBuilder.hands_on` to fill."""
    classes = int(start[-1])
    hand = np.empty(classes, dtype=np.int32)
    member_start = np.empty(classes + 1, dtype=np.int64)
    member_start[-1] = members
    return DealHands(
        start=start,
        hand=hand,
        parent=np.empty(classes, dtype=np.int32),
        up_weight=np.empty(classes),
        rank=np.empty(classes, dtype=np.int32),
        twin=np.empty(classes, dtype=np.int32),
        member_start=member_start,
        member=hand if members == classes else np.empty(members, dtype=np.int32),
    )
