"""Subgames: parts of a tree that are built without the whole equal the same parts of the whole."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from errai.errors import InputError
from errai.games.catalogue import load_game
from errai.games.game import Game
from errai.tree.public_tree import TreePlan, build_public_tree, plan_public_tree
from errai.tree.subgame import build_subgame, entry_count

HANDS = ("cards", "parent", "up_weight", "rank", "twin")
NODES = ("kind", "actor", "num_children", "ends")


def game(name: str) -> Game:
    if name == "rhode-island-short":
        return replace(load_game("rhode-island"), name=name, num_ranks=4, num_suits=3)
    if name == "two-cards-short":
        return replace(load_game("holdem-2-4"), name=name, num_ranks=4, num_suits=2)
    return load_game(name)


def plan(name: str) -> TreePlan:
    return plan_public_tree(game(name))


CASES = [("leduc", 1), ("rhode-island-short", 1), ("rhode-island-short", 2), ("two-cards-short", 1)]


@pytest.mark.parametrize(("name", "street"), CASES)
def test_a_subgame_is_the_part_of_the_whole(name: str, street: int) -> None:
    whole = build_public_tree(game(name))
    count = whole.arrays.streets[street].num_boards
    for boards in {range(0, count), range(0, 1), range(count // 2, count), range(count - 1, count)}:
        part = build_subgame(plan(name), street, boards, range(entry_count(whole.betting, street)))
        first, last = boards.start, boards.stop
        assert part.arrays.tie == whole.arrays.tie
        for found, level in zip(part.arrays.streets[1:], whole.arrays.streets[street:], strict=True):
            for field in NODES:
                np.testing.assert_array_equal(getattr(found, field), getattr(level, field))
            np.testing.assert_array_equal(found.row, level.row)
            assert found.num_rows == level.num_rows
            for mine, theirs in zip(found.hands, level.hands, strict=True):
                block = slice(theirs.start[first], theirs.start[last])
                for field in HANDS:
                    np.testing.assert_array_equal(getattr(mine, field), getattr(theirs, field)[block])
            first, last = level.child_start[first], level.child_start[last]
        edge, above = part.arrays.streets[0], whole.arrays.streets[street - 1]
        assert edge.num_rows == (0, 0)
        assert edge.num_entries == edge.num_exits == above.num_exits
        parents = whole.arrays.streets[street].parent_board[boards.start : boards.stop]
        for mine, theirs in zip(edge.hands, above.hands, strict=True):
            block = slice(theirs.start[parents[0]], theirs.start[parents[-1] + 1])
            np.testing.assert_array_equal(mine.cards, theirs.cards[block])


@pytest.mark.parametrize(("name", "street"), CASES)
def test_lines_divide_the_rows_of_a_street(name: str, street: int) -> None:
    whole = plan(name)
    lines = entry_count(whole.betting, street)
    middle = lines // 2
    parts = [build_subgame(whole, street, range(1), e) for e in (range(0, middle), range(middle, lines))]
    one = build_subgame(whole, street, range(1), range(lines))
    for s in range(len(one.nodes)):
        together = np.concatenate([p.nodes[s] for p in parts])
        np.testing.assert_array_equal(np.sort(together), one.nodes[s])
        for player in (0, 1):
            rows = [p.arrays.streets[s].num_rows[player] for p in (*parts, one)]
            assert rows[0] + rows[1] == rows[2]
    for part in parts:
        for level in part.arrays.streets:
            inside = level.first_child[level.kind == 0]
            assert (inside > np.flatnonzero(level.kind == 0)).all()
            assert (level.parent[level.num_entries :] >= 0).all()


@pytest.mark.parametrize(
    ("street", "boards", "entries"),
    [(0, range(1), range(1)), (2, range(1), range(1)), (1, range(3, 9), range(1)), (1, range(0), range(1)),
     (1, range(1), range(2, 99)), (1, range(-1, 1), range(1))],
)  # fmt: skip
def test_parts_that_are_not_there_are_refused(street: int, boards: range, entries: range) -> None:
    with pytest.raises(InputError):
        build_subgame(plan("leduc"), street, boards, entries)
