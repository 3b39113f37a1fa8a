"""Boards with their hands in buckets, as the kernels take them: all boards of a game up to suits, or sampled ones."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, replace
from functools import cached_property
from math import comb, factorial

import numpy as np
from numpy.typing import NDArray

from errai.blueprints.abstractions import Abstraction
from errai.cards.strength import strengths_on_boards
from errai.errors import InputError, SolverOptionError
from errai.kernels.buckets import BucketArrays, BucketTree, bucket_arrays
from errai.kernels.layout import HandArrays, StreetArrays, TreeArrays
from errai.tree.deal_root import deal_root
from errai.tree.deal_tree import DealHands, build_deal_tree, spread_places
from errai.tree.public_tree import PublicTree, TreePlan, hand_arrays, street_arrays, tie

CHECKED_BOARDS = 60
"""Number of boards of each street on which an abstraction is checked for invariance under suits."""


def all_boards(tree: PublicTree, abstraction: Abstraction) -> BucketTree:
    """Return all boards of a tree with the buckets of their hands.

    The weight of a class in its bucket is the number of hands that it represents, on all the boards that its board
    represents, as a share of all hands in the bucket.  A bucket therefore learns the mean over its hands, and a bucket
    with a single hand learns exactly what that hand would learn.

    Raises :class:`InputError` if suit-equivalent hands are in different buckets.
    """
    buckets: list[list[BucketArrays]] = []
    for s, level in enumerate(tree.deal.streets):
        pair: list[BucketArrays] = []
        for p in (0, 1):
            hands = level.hands[p]
            if p and hands is level.hands[0]:
                pair.append(pair[0])
                continue
            found = np.empty(len(hands.hand), dtype=np.int32)
            checked = set(np.linspace(0, len(level.boards) - 1, CHECKED_BOARDS).astype(int).tolist())
            for b, board in enumerate(level.boards.tolist()):
                of_hand = _checked(abstraction.buckets(tuple(board), s), abstraction, s)
                if b in checked:
                    _check_suits(tree, abstraction, s, tuple(board), of_hand)
                found[hands.start[b] : hands.start[b + 1]] = of_hand[hands.hand[hands.start[b] : hands.start[b + 1]]]
            sizes = np.diff(hands.member_start).astype(np.float64)
            counts = sizes * np.repeat(level.multiplicity, np.diff(hands.start))
            total = np.bincount(found, counts, abstraction.num_buckets(s))
            pair.append(bucket_arrays(hands.start, found, abstraction.num_buckets(s), counts / total[found]))
        buckets.append(pair)
    return BucketTree(tree.arrays, buckets, tree.arrays.tie)


def whole_game(plan: TreePlan, abstraction: Abstraction) -> tuple[PublicTree, BucketTree]:
    """Return a game's tree, and its boards with buckets.

    If no suit can matter at the showdown (Leduc), a tree merges more hands than renamings of suits do.  An abstraction
    that distinguishes merged hands gets a tree that merges none.  Raises :class:`InputError` if the abstraction is not
    invariant under suits.
    """
    tree = plan.build()
    try:
        return tree, all_boards(tree, abstraction)
    except InputError:
        if len(plan.root.symmetries) <= factorial(plan.root.deck.num_suits):
            raise
    root = deal_root(
        plan.root.deck, plan.root.hands.shape[1], plan.root.new_cards, ranking=plan.root.ranking, isomorphism=False
    )
    tree = replace(plan, root=root).build()
    return tree, all_boards(tree, abstraction)


def _checked(buckets: NDArray[np.int32], abstraction: Abstraction, round: int) -> NDArray[np.int32]:
    if buckets.max(initial=-1) >= abstraction.num_buckets(round):
        raise InputError(f"The abstraction puts hands of round {round} into buckets that it does not have.")
    return buckets


def _check_suits(
    tree: PublicTree, abstraction: Abstraction, s: int, board: tuple[int, ...], of_hand: NDArray[np.int32]
) -> None:
    """Raise InputError unless every symmetry of the deck leads to the same buckets."""
    new = (0, *tree.root.new_cards[:s])
    ends = np.cumsum(new)
    which = range(len(tree.root.symmetries))
    for g in which if len(which) <= 24 else np.random.default_rng(len(board)).choice(len(which), 24):
        card_map, hand_map = tree.root.symmetries[g], tree.root.hand_maps[g]
        image = tuple(
            card
            for first, last in itertools.pairwise(ends)
            for card in sorted(card_map[list(board[first:last])].tolist())
        )
        if not np.array_equal(abstraction.buckets(image, s)[hand_map], of_hand):
            raise InputError(
                "The abstraction puts hands that suits make equal into different buckets on "
                f"{tree.root.deck.cards_text(board) or 'the first round'}."
            )


@dataclass(frozen=True)
class Shape:
    """The number of boards that an iteration samples: on the second street, and on every later one below each board.

    If this is the number of all boards, each is used once; fewer boards are sampled with repetition.
    """

    boards: tuple[int, ...]

    @property
    def single(self) -> bool:
        """Whether every street has one board."""
        return all(count == 1 for count in self.boards)


class BoardSampler:
    """Samples boards uniformly, with all hands that are possible on each.

    Values passed up are weighted by the probability of each real board divided by the probability of sampling it, so
    that root values are unbiased.  All boards of a street are sampled equally often, so hands learn with equal weight
    on them.

    Parameters
    ----------
    plan:
        The plan of the game's tree, whose boards are never built.
    abstraction:
        The buckets.
    seed:
        The seed.  Samples depend only on it and on the number of the iteration.
    opponents:
        Other buckets for player 1.

    Raises :class:`SolverOptionError` for a game without boards, or a shape that does not fit it.
    """

    def __init__(
        self,
        plan: TreePlan,
        abstraction: Abstraction,
        seed: int,
        shape: Shape | None = None,
        *,
        opponents: Abstraction | None = None,
    ) -> None:
        self.plan = plan
        self.abstractions = (abstraction,) if opponents is None else (abstraction, opponents)
        self.seed = seed
        streets = plan.betting.num_streets
        self.shape = Shape((1,) * (streets - 1)) if shape is None else shape
        if streets == 1:
            raise SolverOptionError("The game deals no board, so there is none to sample; use the method 'full'.")
        if len(self.shape.boards) != streets - 1 or min(self.shape.boards) < 1:
            raise SolverOptionError(
                f"shape must have a number of boards for each of {streets - 1} streets, not {self.shape.boards}."
            )
        self._cards = plan.root.hands.astype(np.uint8)
        self._tie = tie(plan.betting, plan.root)
        self._by_spread = np.argsort(spread_places(plan.root.deck, plan.root.hands))

    @cached_property
    def _root(self) -> DealHands:
        """The hand classes before any board, merged by suits; hands on later streets are not merged."""
        root = self.plan.root
        alone = deal_root(root.deck, root.hands.shape[1], (), ranking=root.ranking, later_cards=sum(root.new_cards))
        return build_deal_tree(alone, showdown=False).streets[0].hands[0]

    @cached_property
    def _template(self) -> tuple[list[StreetArrays], list[BucketArrays]]:
        """The streets with their lines and no boards, and both players' buckets of the first street."""
        betting, hands = self.plan.betting, self._root
        root = self.plan.root
        level = build_deal_tree(replace(root, new_cards=()), showdown=False).streets[0]
        lines = [
            street_arrays(betting, np.asarray(betting.street_nodes(s)), level, self._cards)
            for s in range(betting.num_streets)
        ]
        sizes = np.diff(hands.member_start).astype(np.float64)
        first = []
        for abstraction in self.abstractions:
            of_hand = _checked(abstraction.buckets((), 0), abstraction, 0)
            first.append(bucket_arrays(hands.start, of_hand[hands.hand], abstraction.num_buckets(0), sizes))
            if (of_hand[hands.member] != np.repeat(of_hand[hands.hand], sizes.astype(int))).any():
                raise InputError(
                    "The abstraction puts hands that suits make equal into different buckets before the flop."
                )
        return lines, [first[0], first[-1]]

    @cached_property
    def _first_hands(self) -> HandArrays:
        return hand_arrays(self._root, self._cards)

    def draw(self, iteration: int) -> BucketTree:
        """Return the boards of an iteration, as the kernels take them."""
        return self.over(self.boards(iteration))

    def boards(self, iteration: int) -> list[list[NDArray[np.int64]]]:
        """Return the boards of an iteration on each street but the first; boards below the same board are contiguous.

        A board has all cards dealt so far, those of each street ascending.
        """
        root = self.plan.root
        random = np.random.Generator(np.random.Philox(key=[self.seed & 0xFFFFFFFFFFFFFFFF, iteration]))
        streets: list[list[NDArray[np.int64]]] = []
        above: list[NDArray[np.int64]] = [np.zeros(0, dtype=np.int64)]
        for new, count in zip(root.new_cards, self.shape.boards, strict=True):
            below: list[NDArray[np.int64]] = []
            for board in above:
                rest = np.setdiff1d(np.arange(root.deck.num_cards), board, assume_unique=True)
                if count == comb(len(rest), new):
                    below.extend(np.concatenate([board, cards]) for cards in itertools.combinations(rest, new))
                    continue
                below.extend(
                    np.concatenate([board, np.sort(random.choice(rest, new, replace=False, shuffle=False))])
                    for _ in range(count)
                )
            streets.append(below)
            above = below
        return streets

    def over(self, drawn: list[list[NDArray[np.int64]]]) -> BucketTree:
        """Return given boards, in the form of :meth:`boards`, as the kernels take them."""
        root = self.plan.root
        lines, first = self._template
        num_cards, hole = root.deck.num_cards, root.hands.shape[1]
        streets, buckets = [], [first]
        boards: list[NDArray[np.int64]] = [np.zeros(0, dtype=np.int64)]
        place = np.empty(len(self._cards), dtype=np.int32)
        place[self._root.member] = np.repeat(np.arange(len(self._root.hand)), np.diff(self._root.member_start))
        places = [place]
        sizes = np.diff(self._root.member_start).astype(np.float64)
        parent_board = np.array([-1], dtype=np.int32)
        hands = self._first_hands
        last = len(lines) - 1
        for s, line in enumerate(lines):
            count = self.shape.boards[s] if s < last else 0
            child_start = (np.arange(len(boards) + 1) * count).astype(np.int32)
            streets.append(replace(line, parent_board=parent_board, child_start=child_start, hands=(hands, hands)))
            if s == last:
                break
            new, dealt = root.new_cards[s], len(boards[0])
            chance = comb(num_cards - dealt, new) / comb(num_cards - dealt - 2 * hole, new) / count
            below = drawn[s]
            lists, maps = [], []
            rank = None
            if s + 1 == last:
                rank = strengths_on_boards(
                    np.stack(below).astype(np.int16), root.hands.astype(np.int16), root.deck, root.ranking
                )
            for b, board in enumerate(below):
                free: NDArray[np.bool_] = np.asarray(~np.isin(root.hands, board).any(axis=1))
                if rank is None:
                    held = np.flatnonzero(free)
                else:
                    held = self._by_spread[free[self._by_spread]]
                    held = held[np.argsort(rank[b][held], kind="stable")]
                lists.append(held)
                mine = np.full(len(free), -1, dtype=np.int32)
                mine[held] = np.arange(len(held))
                maps.append(mine)
            parent_board = np.repeat(np.arange(len(boards)), count).astype(np.int32)
            parents = [places[b][held] for b, held in zip(parent_board, lists, strict=True)]
            together, parent = np.concatenate(lists), np.concatenate(parents)
            up = np.full(len(together), chance) if s else chance / sizes[parent]
            start = np.concatenate([[0], np.cumsum([len(held) for held in lists])]).astype(np.int64)
            cards = np.ascontiguousarray(self._cards[together])
            hands = HandArrays(
                start=start,
                cards=cards,
                parent=parent.astype(np.int32),
                up_weight=up,
                rank=np.zeros(len(together), np.int32)
                if rank is None
                else np.concatenate([rank[b][held] for b, held in enumerate(lists)]).astype(np.int32),
                twin=np.concatenate([np.arange(len(held)) for held in lists]).astype(np.int32),
                member_start=np.arange(len(together) + 1, dtype=np.int64),
                member_cards=cards,
            )
            of_street = []
            for abstraction in self.abstractions:
                found = [abstraction.buckets(tuple(b.tolist()), s + 1)[h] for b, h in zip(below, lists, strict=True)]
                of_street.append(bucket_arrays(start, np.concatenate(found), abstraction.num_buckets(s + 1)))
            buckets.append([of_street[0], of_street[-1]])
            boards, places = below, maps
        reach = np.ones(len(self._root.hand))
        return BucketTree(TreeArrays(tuple(streets), num_cards, self._tie, (reach, reach)), buckets, self._tie)

    def root_value(self, values: NDArray[np.float64]) -> float:
        """Return net chips per hand from counterfactual values at the root (float64 by class)."""
        sizes = np.diff(self._root.member_start)
        cards, hole = self.plan.root.deck.num_cards, self._cards.shape[1]
        return float(sizes @ values) / (comb(cards, hole) * comb(cards - hole, hole))
