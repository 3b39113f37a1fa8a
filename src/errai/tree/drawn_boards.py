"""The public tree over one drawn board of each street, with all hands that are possible on it.

Whole games have too many boards to hold.  Public chance sampling (Johanson et al. 2012) walks one board of each street
at a time instead, over all hands of both players.  Values passed up are weighted by the probability of the real board
divided by the probability of sampling it, so that the value at the root is unbiased if boards are drawn uniformly.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import comb

import numpy as np
from numpy.typing import NDArray

from errai.cards.strength import strengths_on_boards
from errai.kernels.layout import HandArrays, StreetArrays, TreeArrays
from errai.tree.deal_root import deal_root
from errai.tree.deal_tree import DealHands, build_deal_tree, spread_order
from errai.tree.public_tree import TreePlan, hand_arrays, street_arrays, tie


@dataclass(frozen=True, eq=False)
class DrawnTree:
    """The tree over some boards, one for each street but the first."""

    arrays: TreeArrays
    boards: tuple[NDArray[np.int64], ...]
    """int64[n] by street: all cards dealt so far, those of each street ascending; empty on the first street."""
    hand: tuple[NDArray[np.int64], ...]
    """int64[S] by street: hand indices, those of both players; on the first street one of the hands that suits make
    equal represents them all."""


@dataclass(eq=False, repr=False)
class DrawnBoards:
    """Makes the trees over drawn boards of a game."""

    plan: TreePlan
    """The plan of the game's tree, whose boards are never built."""

    def __post_init__(self) -> None:
        plan = self.plan
        self.cards = plan.root.hands.astype(np.uint8)
        """uint8[H, k]: the cards of every hand."""
        self.tie = tie(plan.betting, plan.root)
        self._by_spread = spread_order(plan.root.deck, plan.root.hands)

    @cached_property
    def root(self) -> DealHands:
        """The hand classes before any board, merged by suits; hands on later streets are not merged."""
        root = self.plan.root
        alone = deal_root(root.deck, root.hands.shape[1], (), ranking=root.ranking, later_cards=sum(root.new_cards))
        return build_deal_tree(alone, showdown=False).streets[0].hands[0]

    @cached_property
    def sizes(self) -> NDArray[np.float64]:
        """The number of hands of each of these classes."""
        return np.diff(self.root.member_start).astype(np.float64)

    @cached_property
    def _lines(self) -> list[StreetArrays]:
        """The streets with their lines and no boards."""
        betting, root = self.plan.betting, self.plan.root
        level = build_deal_tree(replace(root, new_cards=()), showdown=False).streets[0]
        return [
            street_arrays(betting, np.asarray(betting.street_nodes(s)), level, self.cards)
            for s in range(betting.num_streets)
        ]

    @cached_property
    def _first(self) -> HandArrays:
        """The hands of the first street."""
        return hand_arrays(self.root, self.cards)

    def over(self, drawn: Sequence[NDArray[np.int64]]) -> DrawnTree:
        """Return the tree over given boards, as in :class:`DrawnTree` without the first street's."""
        root, last = self.plan.root, len(drawn)
        left, hole = root.deck.num_cards, root.hands.shape[1]
        place = np.empty(len(self.cards), dtype=np.int32)
        place[self.root.member] = np.repeat(np.arange(len(self.root.hand)), np.diff(self.root.member_start))
        hands, sizes, parent_board = self._first, self.sizes, -1
        streets, hand = list[StreetArrays](), [np.asarray(self.root.hand, dtype=np.int64)]
        for s, line in enumerate(self._lines):
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
            own = np.ascontiguousarray(self.cards[held])
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
            hand.append(held)
        reach = np.ones(len(self.root.hand))
        arrays = TreeArrays(tuple(streets), root.deck.num_cards, self.tie, (reach, reach))
        return DrawnTree(arrays, (np.zeros(0, dtype=np.int64), *drawn), tuple(hand))

    def root_value(self, values: NDArray[np.float64]) -> float:
        """Return net chips per hand from counterfactual values at the root (float64 by class)."""
        cards, hole = self.plan.root.deck.num_cards, self.cards.shape[1]
        return float(self.sizes @ values) / (comb(cards, hole) * comb(cards - hole, hole))
