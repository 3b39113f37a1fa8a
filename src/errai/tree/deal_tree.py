"""The deal tree: boards up to suits, street by street, and the hands that are live on each.

Two boards that a symmetry of the deck turns into each other, with the root board and both ranges unchanged, play
alike; one *representative* stands for its whole orbit.  The symmetries are the renamings of suits; in games where no
suit matters at the showdown (Kuhn, Leduc) the suits of every rank may be renamed apart.  On a representative board
the symmetries that are left over (its stabiliser) make hands alike; such hands form one *class*.  A class on a child
board always lies inside one class on the parent board, so going down is a gather and going up is a weighted scatter;
no permutation of hands is ever stored.  The derivation of the weights is in docs/maths.md.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from math import comb

import numpy as np
from numpy.typing import NDArray

from errai.cards.strength import strengths_on_boards
from errai.errors import CardsError
from errai.tree.deal_root import DealRoot


@dataclass(frozen=True)
class DealHands:
    """One player's hand classes on the boards of a street; ``S`` classes and ``M`` hands over all boards."""

    start: NDArray[np.int64]
    """int64[B+1]: classes of board ``b`` are ``start[b]:start[b+1]``."""
    hand: NDArray[np.int32]
    """int32[S]: hand index of the representative."""
    parent: NDArray[np.int32]
    """int32[S]: the class on the parent board, counted inside that board."""
    up_weight: NDArray[np.float64]
    """float64[S]: factor of this class's value in the parent class's, chance's probability included."""
    rank: NDArray[np.int32]
    """int32[S]: strength, ascending inside a board on the last street; 0 on streets before."""
    twin: NDArray[np.int32]
    """int32[S]: the same class in the other player's list of the board, or -1."""
    member_start: NDArray[np.int64]
    """int64[S+1]: members of class ``i`` are ``member[member_start[i]:member_start[i+1]]``."""
    member: NDArray[np.int32]
    """int32[M]: hand indices, class by class."""


@dataclass(frozen=True)
class DealStreet:
    """The boards of one street up to suits."""

    boards: NDArray[np.int8]
    """int8[B, n]: all cards dealt so far; the cards of each street ascending."""
    parent: NDArray[np.int32]
    """int32[B]: board of the previous street, -1 at the root."""
    orbit: NDArray[np.int32]
    """int32[B]: real boards it stands for, given the parent's representative."""
    multiplicity: NDArray[np.int64]
    """int64[B]: real boards it stands for in all."""
    child_start: NDArray[np.int32]
    """int32[B+1]: its boards on the next street."""
    stabiliser: tuple[tuple[int, ...], ...]
    """Per board: which of ``DealRoot.symmetries`` leave it in place."""
    hands: tuple[DealHands, DealHands]


@dataclass(frozen=True)
class DealTree:
    """Boards and hands of all streets, without bets."""

    root: DealRoot
    streets: tuple[DealStreet, ...]

    def find(self, street: int, parent: int, cards: tuple[int, ...]) -> tuple[int, NDArray[np.int64]]:
        """Return the board of ``street`` below board ``parent`` that new cards lead to, and the map of the cards.

        ``cards`` are meant on the *representative* parent board.  The map (int64[cards of the deck]) is a symmetry
        that keeps the parent board and turns them into the new cards of the board returned.  Raises
        :class:`CardsError` where the cards cannot come.
        """
        above = self.streets[street - 1]
        first, last = above.child_start[parent : parent + 2]
        old = above.boards.shape[1]
        table = {tuple(self.streets[street].boards[b, old:].tolist()): b for b in range(first, last)}
        for g in above.stabiliser[parent]:
            image = tuple(sorted(self.root.symmetries[g][list(cards)].tolist()))
            if image in table:
                return int(table[image]), self.root.symmetries[g]
        raise CardsError(f"{self.root.deck.cards_text(cards)} cannot come here; cards on the table are out.")


def build_deal_tree(root: DealRoot, *, showdown: bool = True) -> DealTree:
    """Build the deal tree below a root.

    Parameters
    ----------
    root:
        Cards, ranges, board and symmetries.
    showdown:
        Whether the last street ends in a showdown, so that its hands are sorted by strength.
    """
    deck, hands = root.deck, root.hands
    builder = _Builder(root)
    levels = [builder.root()]
    for count in root.new_cards:
        levels.append(builder.deal(levels[-1], count))
    streets = []
    for s, level in enumerate(levels):
        strength = None
        if showdown and s == len(levels) - 1:
            strength = strengths_on_boards(level.boards.astype(np.int16), hands.astype(np.int16), deck, root.ranking)
        chance = 1.0
        if s > 0:
            unseen = deck.num_cards - levels[s - 1].boards.shape[1] - 2 * hands.shape[1]
            chance = 1.0 / comb(unseen, root.new_cards[s - 1])
        classes = [
            builder.classes(level, levels[s - 1] if s else None, b, chance, None if strength is None else strength[b])
            for b in range(len(level.boards))
        ]
        children = np.zeros(len(classes), dtype=np.int64)
        if s + 1 < len(levels):
            children = np.bincount(levels[s + 1].parent, minlength=len(classes))
        streets.append(
            DealStreet(
                boards=level.boards.astype(np.int8),
                parent=level.parent.astype(np.int32),
                orbit=level.orbit.astype(np.int32),
                multiplicity=level.multiplicity,
                child_start=np.concatenate([[0], np.cumsum(children)]).astype(np.int32),
                stabiliser=tuple(level.stabilisers),
                hands=(_join([pair[0] for pair in classes]), _join([pair[1] for pair in classes])),
            )
        )
    return DealTree(root, tuple(streets))


@dataclass
class _Level:
    """Boards of a street while the tree is being built."""

    boards: NDArray[np.int64]
    parent: NDArray[np.int64]
    orbit: NDArray[np.int64]
    multiplicity: NDArray[np.int64]
    stabilisers: list[tuple[int, ...]]


@dataclass
class _Classes:
    """The live hand classes of one player on one board; those of all boards wait here, so their numbers are narrow."""

    hand: NDArray[np.int32]
    parent: NDArray[np.int32]
    up_weight: NDArray[np.float64]
    rank: NDArray[np.int32]
    twin: NDArray[np.int32]
    size: NDArray[np.int32]
    member: NDArray[np.int32]


class _Builder:
    """Grows the levels below one root."""

    def __init__(self, root: DealRoot) -> None:
        self.deck = root.deck
        self.hands = root.hands
        self.ranges = root.weights
        self.root_board = root.board
        self.card_maps = root.symmetries
        self.hand_maps = root.hand_maps
        self._canonical: dict[tuple[int, ...], NDArray[np.int64]] = {}

    def root(self) -> _Level:
        """The level of the root board."""
        one = np.ones(1, dtype=np.int64)
        board = np.array([self.root_board], dtype=np.int64).reshape(1, -1)
        return _Level(board, -one, one, one, [tuple(range(len(self.card_maps)))])

    def deal(self, above: _Level, count: int) -> _Level:
        """All boards with ``count`` more cards, one for each orbit under the parent's stabiliser."""
        boards, parents, orbits = [], [], []
        stabilisers: list[tuple[int, ...]] = []
        place = self.deck.num_cards ** np.arange(count - 1, -1, -1, dtype=np.int64)
        for b, board in enumerate(above.boards):
            rest = np.setdiff1d(np.arange(self.deck.num_cards), board)
            new = np.array(list(combinations(rest.tolist(), count)), dtype=np.int64).reshape(-1, count)
            group = np.asarray(above.stabilisers[b])
            images = np.sort(self.card_maps[group][:, new], axis=2) @ place
            _, first, size = np.unique(images.min(axis=0), return_index=True, return_counts=True)
            fixed = images[:, first] == (new[first] @ place)
            boards.append(np.concatenate([np.repeat(board[None, :], len(first), axis=0), new[first]], axis=1))
            parents.append(np.full(len(first), b))
            orbits.append(size)
            stabilisers.extend(tuple(group[column].tolist()) for column in fixed.T)
        parent, orbit = np.concatenate(parents), np.concatenate(orbits)
        return _Level(np.concatenate(boards), parent, orbit, above.multiplicity[parent] * orbit, stabilisers)

    def canonical(self, stabiliser: tuple[int, ...]) -> NDArray[np.int64]:
        """int64[H]: for every hand the smallest hand that the stabiliser makes equal to it."""
        if stabiliser not in self._canonical:
            self._canonical[stabiliser] = self.hand_maps[list(stabiliser)].min(axis=0)
        return self._canonical[stabiliser]

    def classes(
        self,
        level: _Level,
        above: _Level | None,
        b: int,
        chance: float,
        strength: NDArray[np.int32] | None,
    ) -> tuple[_Classes, _Classes]:
        """Both players' classes on board ``b``, in order of strength where it is given, else of hand index."""
        free = ~np.isin(self.hands, level.boards[b]).any(axis=1)
        pair = []
        for range_ in self.ranges:
            live = free & (range_ > 0)
            key = self.canonical(level.stabilisers[b])
            order = np.flatnonzero(live)
            rank = np.zeros(len(self.hands), dtype=np.int64)
            if strength is not None:
                rank[:] = strength
            # Equal classes have equal strength, so members of a class stay together under this order.
            order = order[np.lexsort((order, key[order], rank[order]))]
            starts = np.flatnonzero(np.diff(key[order], prepend=-1))
            hand, size = key[order][starts], np.diff(starts, append=len(order))
            parent, up = np.zeros(len(hand), dtype=np.int64), np.ones(len(hand))
            if above is not None:
                board = int(level.parent[b])
                # On streets before the last, classes stand in the order of their smallest hands.
                above_key = self.canonical(above.stabilisers[board])
                above_live = (range_ > 0) & ~np.isin(self.hands, above.boards[board]).any(axis=1)
                above_hand, above_size = np.unique(above_key[above_live], return_counts=True)
                parent = np.searchsorted(above_hand, above_key[hand])
                up = level.orbit[b] * size / above_size[parent] * chance
            narrow = [a.astype(np.int32) for a in (hand, parent, rank[hand], size, order)]
            pair.append(_Classes(narrow[0], narrow[1], up, narrow[2], np.empty(0, np.int32), narrow[3], narrow[4]))
        for mine, other in (pair, pair[::-1]):
            place = np.full(len(self.hands), -1, dtype=np.int32)
            place[other.hand] = np.arange(len(other.hand))
            mine.twin = place[mine.hand]
        return pair[0], pair[1]


def _join(boards: list[_Classes]) -> DealHands:
    """Lay the classes of all boards of a street end to end."""
    start = np.concatenate([[0], np.cumsum([len(c.hand) for c in boards])]).astype(np.int64)
    sizes = np.concatenate([c.size for c in boards])
    return DealHands(
        start=start,
        hand=np.concatenate([c.hand for c in boards]),
        parent=np.concatenate([c.parent for c in boards]),
        up_weight=np.concatenate([c.up_weight for c in boards]),
        rank=np.concatenate([c.rank for c in boards]),
        twin=np.concatenate([c.twin for c in boards]),
        member_start=np.concatenate([[0], np.cumsum(sizes, dtype=np.int64)]).astype(np.int64, copy=False),
        member=np.concatenate([c.member for c in boards]),
    )
