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

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import chain, combinations
from math import comb
from typing import Any

import numpy as np
from numpy.typing import NDArray

from errai.cards.deck import Deck
from errai.cards.strength import strengths_on_boards
from errai.errors import CardsError
from errai.tree.deal_root import DealRoot

STRENGTHS_AT_ONCE = 4_000_000
"""Number of pairs of hand and board whose strengths are computed in one call."""

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
    """int32[M]: hand indices, class by class."""


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
    """Per board, the ``DealRoot.symmetries`` that leave it unchanged; empty for boards
    merged as strategically equivalent.
    """
    hands: tuple[DealHands, DealHands]


@dataclass(frozen=True)
class DealTree:
    """Boards and hands of all streets, without bets."""

    root: DealRoot
    streets: tuple[DealStreet, ...]

    @cached_property
    def _found(self) -> dict[tuple[int, int], dict[tuple[int, ...], int]]:
        """By (street, parent): the boards that the parent's new cards lead to, cached for
        the first parents that are used.
        """
        return {}

    def find(self, street: int, parent: int, cards: tuple[int, ...]) -> tuple[int, NDArray[np.int64]]:
        """Return the board of ``street`` below board ``parent`` that new cards lead to, and the map of the cards.

        ``cards`` are cards on the *representative* parent board.  The map (int64[cards of the deck]) is a symmetry that
        leaves the parent board unchanged and takes ``cards`` to the new cards of the returned board.  If boards were
        merged as strategically equivalent, it takes every live hand to an equivalent one.  Raises :class:`CardsError`
        if the cards cannot come.
        """
        if self.root.equivalence is not None:
            board = int(self.root.equivalence.board_of[cards[0]])
            if board >= 0:
                return board, self.root.equivalence.maps[cards[0]]
        elif (found := self._by_symmetry(street, parent, cards)) is not None:
            return found
        raise CardsError(f"{self.root.deck.cards_text(cards)} cannot come here; they are on the table already.")

    def _by_symmetry(self, street: int, parent: int, cards: tuple[int, ...]) -> tuple[int, NDArray[np.int64]] | None:
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
        return None


def build_deal_tree(root: DealRoot, *, showdown: bool = True, step: Callable[[], Any] | None = None) -> DealTree:
    """Build the deal tree below a root.

    Parameters
    ----------
    root:
        Cards, ranges, board and symmetries.
    showdown:
        Whether the last street ends in a showdown, so that its hands are sorted by strength.
    step:
        Called once for each board when its child boards are dealt, and again when its hands are listed, so that a
        caller who counts or times the work is never more than moments behind.  An exception that it raises ends the
        work.
    """
    builder = _Builder(root, step)
    levels = builder.levels(len(root.new_cards))
    return DealTree(root, _streets(builder, levels, 0, showdown))


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
    levels = [above[street - 1].part(edge, None), above[street].part(boards, edge.start)]
    for count in root.new_cards[street:]:
        levels.append(builder.deal(levels[-1], count))
    return DealTree(root, _streets(builder, levels, street - 1, showdown))


@dataclass(frozen=True)
class DealBoards:
    """The boards of one street without hands, in the order of the deal tree."""

    cards: NDArray[np.int64]
    """int64[B, n]: all cards dealt so far."""
    parent: NDArray[np.int64]
    """int64[B]: the number of the board above on the previous street."""
    multiplicity: NDArray[np.int64]
    """int64[B]: number of real boards that the board represents in all."""
    stabiliser: list[tuple[int, ...]]
    """Per board, the ``DealRoot.symmetries`` that leave it unchanged."""


def deal_boards(root: DealRoot, street: int) -> DealBoards:
    """Return the boards of a street; they are cached for the forests that are built next."""
    level = _levels_above(root, street)[1][street]
    return DealBoards(level.boards, level.parent, level.multiplicity, level.stabilisers)


@lru_cache(maxsize=2)
def _levels_above(root: DealRoot, street: int) -> tuple[_Builder, list[_Level]]:
    """Return the boards of the streets up to ``street``, without hands, with which many
    forests of a deal tree begin.
    """
    builder = _Builder(root)
    return builder, builder.levels(street)


def _streets(builder: _Builder, levels: list[_Level], first: int, showdown: bool) -> tuple[DealStreet, ...]:
    """List the hands on the boards of all levels, of which the first is street ``first`` of the deal tree."""
    root = builder.deal_root
    deck, hands = root.deck, root.hands
    streets = []
    for s, level in enumerate(levels):
        by_strength = showdown and s == len(levels) - 1
        at_once = max(1, STRENGTHS_AT_ONCE // len(hands))
        chance = 1.0
        if s > 0:
            unseen = deck.num_cards - levels[s - 1].boards.shape[1] - 2 * hands.shape[1]
            chance = 1.0 / comb(unseen, root.new_cards[first + s - 1])
        # Players with the same live hands share one list.
        hands_of = [
            _EndToEnd(len(level.boards), int(live.sum())) for live in builder.live[: 1 if builder.one_list else 2]
        ]
        for b in range(len(level.boards)):
            above = levels[s - 1] if s else None
            if by_strength and b % at_once == 0:
                boards = level.boards[b : b + at_once].astype(np.int16)
                strength = strengths_on_boards(boards, hands.astype(np.int16), deck, root.ranking)
            found = builder.classes(level, above, b, chance, strength[b % at_once] if by_strength else None)
            builder.step()
            for together, classes in zip(hands_of, found, strict=True):
                together.add(classes)
        finished = [together.finish() for together in hands_of]
        children = np.zeros(len(level.boards), dtype=np.int64)
        if s + 1 < len(levels):
            children = np.bincount(levels[s + 1].parent, minlength=len(level.boards))
        streets.append(
            DealStreet(
                boards=level.boards.astype(np.int8),
                parent=level.parent.astype(np.int32),
                orbit=level.orbit.astype(np.int32),
                multiplicity=level.multiplicity,
                child_start=np.concatenate([[0], np.cumsum(children)]).astype(np.int32),
                stabiliser=tuple(level.stabilisers),
                hands=(finished[0], finished[-1]),
            )
        )
    return tuple(streets)


@dataclass
class _Level:
    """Boards of a street while the tree is built."""

    boards: NDArray[np.int64]
    parent: NDArray[np.int64]
    orbit: NDArray[np.int64]
    multiplicity: NDArray[np.int64]
    stabilisers: list[tuple[int, ...]]
    first_equivalent: NDArray[np.int64] | None = None
    """int64[B, H]: for every hand the first hand that it is merged with, if more is merged than by the stabilisers."""

    def part(self, boards: range, first_parent: int | None) -> _Level:
        """Return some boards; parents are counted from ``first_parent``, and are -1 if that is None."""
        taken = slice(boards.start, boards.stop)
        parent = self.parent[taken]
        return _Level(
            self.boards[taken],
            np.full_like(parent, -1) if first_parent is None else parent - first_parent,
            self.orbit[taken],
            self.multiplicity[taken],
            self.stabilisers[taken],
            None if self.first_equivalent is None else self.first_equivalent[taken],
        )


@dataclass
class _Classes:
    """The live hand classes of one player on one board."""

    hand: NDArray[np.int64]
    parent: NDArray[np.int64]
    up_weight: NDArray[np.float64]
    rank: NDArray[np.int32]
    twin: NDArray[np.int64]
    size: NDArray[np.int64]
    member: NDArray[np.int64]


def _bits(cards: NDArray) -> NDArray[np.uint64]:
    """Return uint64: the cards along the last axis as a set of bits."""
    return np.bitwise_or.reduce(np.uint64(1) << cards.astype(np.uint64), axis=-1)


def _ascending(cards: list[NDArray[np.int64]], place: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return int64: sets of cards, given as an array per card, as numbers with the smallest card at the first place
    value.

    There are few cards per set and many sets, so exchanging whole arrays is several times as fast as sorting each set.
    """
    for last in range(len(cards) - 1, 0, -1):
        for i in range(last):
            cards[i], cards[i + 1] = np.minimum(cards[i], cards[i + 1]), np.maximum(cards[i], cards[i + 1])
    return sum((c * p for c, p in zip(cards, place, strict=True)), np.zeros((), np.int64))


def spread_places(deck: Deck, hands: NDArray[np.integer]) -> NDArray[np.int64]:
    """Return int64[H]: positions of hands in an order in which neighbours seldom share a card.

    Hands of equal strength may be in any order.  In this one, sums by card that are accumulated hand by hand seldom
    have to wait for the previous hand.
    """
    low, high = hands[:, 0], hands[:, -1]
    suits = deck.num_suits
    order = np.lexsort((low % suits, low // suits, high // suits, (high - low) % suits))
    places = np.empty(len(order), dtype=np.int64)
    places[order] = np.arange(len(order))
    return places


class _Builder:
    """Builds the levels below one root."""

    def __init__(self, root: DealRoot, step: Callable[[], Any] | None = None) -> None:
        self.deal_root = root
        self.step = step or (lambda: None)
        self.deck = root.deck
        self.hands = root.hands
        self.root_board = root.board
        self.card_maps = root.symmetries
        self.hand_maps = root.hand_maps
        self.hand_bits = _bits(self.hands)
        self._canonical: dict[tuple[int, ...], NDArray[np.int64]] = {}
        self.live = [range_ > 0 for range_ in root.weights]
        self.one_list = np.array_equal(self.live[0], self.live[1])
        self._placed: dict[int, tuple[_Level, int, NDArray[np.int64], NDArray[np.int64]]] = {}
        self._ordered: dict[tuple[tuple[int, ...], bool], NDArray[np.int64]] = {}

    @cached_property
    def spread(self) -> NDArray[np.int64]:
        """int64[H]: the result of :func:`spread_places`."""
        return spread_places(self.deck, self.hands)

    def levels(self, last: int) -> list[_Level]:
        """Return the boards of the streets up to ``last``."""
        levels = [self.root()]
        for count in self.deal_root.new_cards[:last]:
            levels.append(self.deal(levels[-1], count))
        return levels

    def root(self) -> _Level:
        """Return the level of the root board."""
        one = np.ones(1, dtype=np.int64)
        board = np.array([self.root_board], dtype=np.int64).reshape(1, -1)
        equivalence = self.deal_root.equivalence
        merged = None if equivalence is None else equivalence.hands[None, :]
        return _Level(board, -one, one, one, [tuple(range(len(self.card_maps)))], merged)

    def deal(self, above: _Level, count: int) -> _Level:
        """Return all boards with ``count`` more cards, up to each parent's stabiliser or
        up to strategic equivalence.
        """
        equivalence = self.deal_root.equivalence
        if equivalence is not None:
            board = np.repeat(above.boards, len(equivalence.cards), axis=0)
            return _Level(
                np.concatenate([board, equivalence.cards[:, None]], axis=1),
                np.zeros(len(equivalence.cards), dtype=np.int64),
                equivalence.orbit,
                equivalence.orbit,
                [()] * len(equivalence.cards),
                equivalence.below,
            )
        boards, parents, orbits = [], [], []
        stabilisers: list[tuple[int, ...]] = []
        place = self.deck.num_cards ** np.arange(count - 1, -1, -1, dtype=np.int64)
        for b, board in enumerate(above.boards):
            rest = np.delete(np.arange(self.deck.num_cards), board)
            new = np.fromiter(chain.from_iterable(combinations(rest.tolist(), count)), np.int64).reshape(-1, count)
            group = np.asarray(above.stabilisers[b])
            maps = self.card_maps[group]
            images = _ascending([maps[:, column] for column in new.T], place)
            _, first, size = np.unique(images.min(axis=0), return_index=True, return_counts=True)
            fixed = images[:, first] == (new[first] @ place)
            self.step()
            boards.append(np.concatenate([np.repeat(board[None, :], len(first), axis=0), new[first]], axis=1))
            parents.append(np.full(len(first), b))
            orbits.append(size)
            stabilisers.extend(tuple(group[column].tolist()) for column in fixed.T)
        parent, orbit = np.concatenate(parents), np.concatenate(orbits)
        return _Level(np.concatenate(boards), parent, orbit, above.multiplicity[parent] * orbit, stabilisers)

    def canonical(self, level: _Level, b: int) -> NDArray[np.int64]:
        """Return int64[H]: for every hand the smallest hand that is equivalent to it on a board."""
        if level.first_equivalent is not None:
            return level.first_equivalent[b]
        stabiliser = level.stabilisers[b]
        if stabiliser not in self._canonical:
            self._canonical[stabiliser] = self.hand_maps[list(stabiliser)].min(axis=0)
        return self._canonical[stabiliser]

    def ordered(self, level: _Level, b: int, by_strength: bool) -> NDArray[np.int64]:
        """Return int64[H]: all hands, class by class, in the order for classes of equal strength or by hand index."""
        kept = level.stabilisers[b], by_strength
        if level.first_equivalent is None and kept in self._ordered:
            return self._ordered[kept]
        key = self.canonical(level, b)
        place = self.spread[key] if by_strength else key
        order = np.lexsort((np.arange(len(key)), place))
        if level.first_equivalent is None:
            self._ordered[kept] = order
        return order

    def places(self, level: _Level, b: int, player: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return int64[H], the position of each smallest hand's class on a board before
        the last street, and class sizes.
        """
        placed = self._placed.get(player)  # One entry suffices, because children of a board come one after another.
        if placed is None or placed[0] is not level or placed[1] != b:
            free = self.live[player] & ((self.hand_bits & _bits(level.boards[b])) == 0)
            # On streets before the last, classes are in the order of their smallest hands.
            hand, size = np.unique(self.canonical(level, b)[free], return_counts=True)
            place = np.full(len(self.hands), -1, dtype=np.int64)
            place[hand] = np.arange(len(hand))
            placed = self._placed[player] = level, b, place, size
        return placed[2:]

    def classes(
        self,
        level: _Level,
        above: _Level | None,
        b: int,
        chance: float,
        strength: NDArray[np.int32] | None,
    ) -> list[_Classes]:
        """Return the classes on board ``b`` of both players, or one list if both players have the same live hands.

        They are in order of strength if it is given, else of hand index.
        """
        key = self.canonical(level, b)
        ordered = self.ordered(level, b, strength is not None)
        ordered = ordered[(self.hand_bits[ordered] & _bits(level.boards[b])) == 0]
        if strength is not None:
            # Equivalent hands have equal strength, so members of a class stay together in this order.
            ordered = ordered[np.argsort(strength[ordered], kind="stable")]
        found = []
        for player, live in enumerate(self.live[: 1 if self.one_list else 2]):
            order = ordered[live[ordered]]
            keys = key[order]
            first = np.ones(len(order), dtype=bool)
            first[1:] = keys[1:] != keys[:-1]
            starts = np.flatnonzero(first)
            hand = keys[starts]
            size = np.append(starts, len(order))[1:] - starts
            rank = np.zeros(len(hand), dtype=np.int32) if strength is None else strength[hand]
            parent, up = np.zeros(len(hand), dtype=np.int64), np.ones(len(hand))
            if above is not None:
                place, above_size = self.places(above, int(level.parent[b]), player)
                parent = place[self.canonical(above, int(level.parent[b]))[hand]]
                up = level.orbit[b] * size / above_size[parent] * chance
            found.append(_Classes(hand, parent, up, rank, np.arange(len(hand)), size, order))
        if not self.one_list:
            for mine, other in (found, found[::-1]):
                place = np.full(len(self.hands), -1, dtype=np.int64)
                place[other.hand] = np.arange(len(other.hand))
                mine.twin = place[mine.hand]
        return found


class _EndToEnd:
    """One player's classes of all boards of a street, concatenated as they are added.

    Memory is reserved for every hand of the range on every board; pages that are not written to take no memory.
    """

    def __init__(self, boards: int, live: int) -> None:
        room = boards * live
        self.columns: dict[str, NDArray[Any]] = {
            name: np.empty(room, dtype=np.float64 if name == "up_weight" else np.int32)
            for name in ("hand", "parent", "up_weight", "rank", "twin", "size", "member")
        }
        self.ends = [0]
        self.members = 0

    def add(self, classes: _Classes) -> None:
        first = self.ends[-1]
        self.ends.append(first + len(classes.hand))
        for name in ("hand", "parent", "up_weight", "rank", "twin", "size"):
            self.columns[name][first : self.ends[-1]] = getattr(classes, name)
        self.columns["member"][self.members : self.members + len(classes.member)] = classes.member
        self.members += len(classes.member)

    def finish(self) -> DealHands:
        for name, column in self.columns.items():
            column.resize(self.members if name == "member" else self.ends[-1], refcheck=False)
        sizes = self.columns.pop("size")
        return DealHands(
            start=np.array(self.ends, dtype=np.int64),
            member_start=np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64),
            **self.columns,
        )
