"""Boards found one by one against the same boards of the whole deal tree."""

from __future__ import annotations

import numpy as np
import pytest
from small_subjects import spot_text, subject

from errai.errors import CardsError
from errai.games.spot import parse_spot
from errai.tree.deal_path import DealPaths
from errai.tree.public_tree import TreePlan, plan_public_tree

FLOP = spot_text("Qs Jh 2s", "QQ, T9s, AKo:0.5", "22, AKs", raises="")


def planned(name: str) -> TreePlan:
    if name == "flop":
        return plan_public_tree(parse_spot(FLOP))
    return plan_public_tree(subject(name))


@pytest.mark.parametrize("name", ["leduc", "rhode-island", "two-cards-short", "flop"])
def test_boards_numbers_hands_and_counts_are_those_of_the_tree(name: str) -> None:
    plan = planned(name)
    deal = plan.build().deal
    paths = DealPaths(plan.root, showdown=plan.showdown)
    generator = np.random.default_rng(1)
    for s, level in enumerate(deal.streets):
        count = len(level.parent)
        for b in range(count) if count < 60 else generator.integers(0, count, 60).tolist():
            board = paths.at(s, b)
            assert paths.number(board) == b
            assert board.cards == tuple(level.boards[b].tolist())
            for p, hands in enumerate(level.hands):
                alone, own = board.alone.hands[p], slice(hands.start[b], hands.start[b + 1])
                assert np.array_equal(alone.hand, hands.hand[own])
                assert np.array_equal(alone.rank, hands.rank[own])
                members = slice(hands.member_start[own.start], hands.member_start[own.stop])
                assert np.array_equal(alone.member, hands.member[members])
                assert paths.classes_before(board, s)[p] == own.start
                assert paths.classes_below(board, s)[p] == own.stop - own.start
            if s + 1 == len(deal.streets):
                continue
            below = deal.streets[s + 1]
            for p, hands in enumerate(below.hands):
                assert paths.classes_before(board, s + 1)[p] == hands.start[level.child_start[b]]
            left = [c for c in range(plan.root.deck.num_cards) if c not in board.cards]
            for _ in range(5):
                cards = tuple(sorted(generator.choice(left, plan.root.new_cards[s], replace=False).tolist()))
                (found, card_map), (index, same_map) = board.find(cards), deal.find(s + 1, b, cards)
                assert paths.number(found) == index
                assert np.array_equal(card_map, same_map)
        after = paths.classes_before_number(s, count, s)
        assert after.tolist() == [int(h.start[-1]) for h in level.hands]


def test_what_is_below_a_board_is_that_part_of_the_tree() -> None:
    plan = planned("rhode-island")
    deal = plan.build().deal
    paths = DealPaths(plan.root, showdown=plan.showdown)
    board = paths.at(1, 5)
    part = paths.below(board, 2)
    first, last = deal.streets[1].child_start[5:7]
    assert np.array_equal(part.streets[1].boards, deal.streets[2].boards[first:last])
    for mine, theirs in zip(part.streets[1].hands, deal.streets[2].hands, strict=True):
        own = slice(theirs.start[first], theirs.start[last])
        assert np.array_equal(mine.hand, theirs.hand[own])
        assert np.array_equal(mine.parent, theirs.parent[own])
        assert np.array_equal(mine.up_weight, theirs.up_weight[own])


def test_cards_that_cannot_come() -> None:
    paths = DealPaths(planned("rhode-island").root)
    board, _ = paths.first.find((7,))
    with pytest.raises(CardsError, match="cannot come here"):
        board.find((board.cards[0],))
