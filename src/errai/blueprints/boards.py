"""Boards with their hands in buckets, as the kernels take them: all boards of a game up to suits, or sampled ones."""

from __future__ import annotations

import itertools
from dataclasses import replace
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


class BoardSampler:
    """Samples one board on each street but the first, uniformly, with all hands that are possible on it.

    Values passed up are weighted by the probability of the real board divided by the probability of sampling it, so
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

    Raises :class:`SolverOptionError` for a game without boards.
    """

    def __init__(
        self, plan: TreePlan, abstraction: Abstraction, seed: int, *, opponents: Abstraction | None = None
    ) -> None:
        self.plan = plan
        self.abstractions = (abstraction,) if opponents is None else (abstraction, opponents)
        self.seed = seed
        if plan.betting.num_streets == 1:
            raise SolverOptionError("The game deals no board, so there is none to sample; use the method 'full'.")
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

    def boards(self, iteration: int) -> list[NDArray[np.int64]]:
        """Return the boards of an iteration: on each street but the first all cards dealt so far, street by street."""
        root = self.plan.root
        random = np.random.Generator(np.random.Philox(key=[self.seed & 0xFFFFFFFFFFFFFFFF, iteration]))
        found = [np.zeros(0, dtype=np.int64)]
        for new in root.new_cards:
            rest = np.setdiff1d(np.arange(root.deck.num_cards), found[-1], assume_unique=True)
            cards = np.sort(random.choice(rest, new, replace=False, shuffle=False))
            found.append(np.concatenate([found[-1], cards]))
        return found[1:]

    def over(self, drawn: list[NDArray[np.int64]]) -> BucketTree:
        """Return given boards, in the form of :meth:`boards`, as the kernels take them."""
        root, last = self.plan.root, len(drawn)
        lines, first = self._template
        left, hole = root.deck.num_cards, root.hands.shape[1]
        place = np.empty(len(self._cards), dtype=np.int32)
        place[self._root.member] = np.repeat(np.arange(len(self._root.hand)), np.diff(self._root.member_start))
        sizes = np.diff(self._root.member_start).astype(np.float64)
        hands, parent_board = self._first_hands, -1
        streets, buckets = [], [first]
        for s, line in enumerate(lines):
            streets.append(
                replace(
                    line,
                    parent_board=np.array([parent_board], dtype=np.int32),
                    child_start=np.array([0, s < last], dtype=np.int32),
                    hands=(hands, hands),
                )
            )
            if s == last:
                break
            board, new, parent_board = drawn[s], root.new_cards[s], 0
            chance = comb(left, new) / comb(left - 2 * hole, new)
            left -= new
            free: NDArray[np.bool_] = np.asarray(~np.isin(root.hands, board).any(axis=1))
            held = np.flatnonzero(free)
            rank = np.zeros(len(held), np.int32)
            if s + 1 == last:
                cards = board.astype(np.int16)[None]
                strength = strengths_on_boards(cards, root.hands.astype(np.int16), root.deck, root.ranking)[0]
                held = self._by_spread[free[self._by_spread]]
                held = held[np.argsort(strength[held], kind="stable")]
                rank = strength[held].astype(np.int32)
            parent = place[held]
            place = np.full(len(free), -1, dtype=np.int32)
            place[held] = np.arange(len(held))
            own = np.ascontiguousarray(self._cards[held])
            hands = HandArrays(
                start=np.array([0, len(held)], dtype=np.int64),
                cards=own,
                parent=parent,
                up_weight=np.full(len(held), chance) if s else chance / sizes[parent],
                rank=rank,
                twin=np.arange(len(held), dtype=np.int32),
                member_start=np.arange(len(held) + 1, dtype=np.int64),
                member_cards=own,
            )
            of_street = [
                bucket_arrays(hands.start, of.buckets(tuple(board.tolist()), s + 1)[held], of.num_buckets(s + 1))
                for of in self.abstractions
            ]
            buckets.append([of_street[0], of_street[-1]])
        reach = np.ones(len(self._root.hand))
        tree = TreeArrays(tuple(streets), root.deck.num_cards, self._tie, (reach, reach))
        return BucketTree(tree, buckets, self._tie)

    def root_value(self, values: NDArray[np.float64]) -> float:
        """Return net chips per hand from counterfactual values at the root (float64 by class)."""
        sizes = np.diff(self._root.member_start)
        cards, hole = self.plan.root.deck.num_cards, self._cards.shape[1]
        return float(sizes @ values) / (comb(cards, hole) * comb(cards - hole, hole))
