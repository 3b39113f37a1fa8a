"""Games stacked into one tree, and the part of a tree below a board, as arrays: all backends must read them equally."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from odd_trees import with_locks, with_matrices
from small_subjects import spot_text

from errai.errors import InputError
from errai.games.catalogue import load_game
from errai.games.spot import Spot, parse_spot
from errai.kernels.backends import make_kernel
from errai.kernels.batch import below, stack
from errai.kernels.layout import BEST, FIXED, TreeArrays
from errai.tree.public_tree import build_public_tree


def spot(board: str, oop: str, ip: str, pot: int = 40, stack: int = 60) -> Spot:
    return parse_spot(spot_text(board, oop, ip, bet="50%", pot=pot, stack=stack))


def turns() -> list[TreeArrays]:
    spots = (
        spot("Qs Jh 2s 8h", "QQ, T9s, AKo, 77", "22, AKs, JTo"),
        spot("Td 9d 6d 2c", "AA, 87s", "KK:0.5, AdQd", pot=80, stack=120),
        spot("Qs Jh 2s 8h", "AcAd", "AhAd, KcKd"),
    )
    return [build_public_tree(s).arrays for s in spots]


def random_strategy(arrays: TreeArrays) -> list[list[np.ndarray]]:
    generator = np.random.default_rng(1)
    return [[generator.random(a.size) for a in pair] for pair in arrays.zeros(np.float64)]


def test_a_batch_holds_its_games_one_after_another() -> None:
    trees = turns()
    batch = stack(trees)
    assert batch.num_games == 3
    strategy = random_strategy(batch.arrays)
    for g, tree in enumerate(trees):
        own = batch.part(strategy, g)
        assert [[a.size for a in pair] for pair in own] == [[a.size for a in pair] for pair in tree.zeros(np.int8)]
        assert all(np.shares_memory(a, b) for a, b in zip(own[1], strategy[1], strict=True))
    for player in (0, 1):
        values = np.arange(len(batch.arrays.root_reach[player]), dtype=np.float64)
        parts = batch.split(values, player)
        assert [len(p) for p in parts] == [len(t.root_reach[player]) for t in trees]
        assert np.array_equal(np.concatenate(parts), values)
    for s in (0, 1):
        assert np.array_equal(np.bincount(batch.game_of_board(s)), [t.streets[s].num_boards for t in trees])
        for g, tree in enumerate(trees):
            assert np.array_equal(batch.ends[s][g], tree.streets[s].ends)


def test_games_of_a_batch_keep_their_locks_and_their_matrices() -> None:
    trees = [with_matrices(with_locks(tree), tie=g == 1, seed=7) for g, tree in enumerate(turns())]
    free = replace(trees[2], streets=tuple(replace(s, locks=(s.locks[0], None)) for s in trees[2].streets))
    trees[2] = free
    batch = stack(trees)
    kernel, strategy = make_kernel("reference", batch.arrays), random_strategy(batch.arrays)
    for role in (FIXED, BEST):
        for player in (0, 1):
            together = batch.split(kernel.root_values(strategy, player, role=role), player)
            for g, tree in enumerate(trees):
                # Payoffs are those of game 0 in the arrays of all.
                same = replace(
                    tree,
                    streets=tuple(replace(s, ends=z.ends) for s, z in zip(tree.streets, trees[0].streets, strict=True)),
                )
                alone = make_kernel("cpu", same).root_values(batch.part(strategy, g), player, role=role)
                np.testing.assert_allclose(together[g], alone, rtol=0, atol=1e-9 * np.abs(alone).max())
    # And so do the parts below a board.
    last = trees[1].streets[1].num_boards - 1
    part, ranges = below(trees[1], 1, last)
    assert ranges == [(last, last + 1)]
    whole, own = make_kernel("reference", trees[1]), random_strategy(trees[1])
    hands = [np.diff(h.start)[last] for h in trees[1].streets[1].hands]
    rng = np.random.default_rng(2)
    for player in (0, 1):
        reach = rng.random((part.streets[0].num_entries, hands[1 - player]))
        blocks = [
            a[rows * int(h.start[last]) : rows * int(h.start[last + 1])]
            for a, rows, h in zip(own[1], trees[1].streets[1].num_rows, trees[1].streets[1].hands, strict=True)
        ]
        found = make_kernel("cpu", part).board_values([blocks], player, 0, 0, reach)
        expected = whole.board_values(own, player, 1, last, reach)
        np.testing.assert_allclose(found, expected, rtol=0, atol=1e-9 * np.abs(expected).max())


def test_parents_in_a_batch_are_those_of_the_same_game() -> None:
    batch = stack(turns())
    first, second = batch.arrays.streets
    of_board = batch.game_of_board(1)
    assert np.array_equal(batch.game_of_board(0)[second.parent_board], of_board)
    for board in range(first.num_boards):
        children = slice(*first.child_start[board : board + 2])
        assert (second.parent_board[children] == board).all()
    for p in (0, 1):
        upper, lower = first.hands[p], second.hands[p]
        for board in range(second.num_boards):
            classes = slice(*lower.start[board : board + 2])
            above = upper.start[second.parent_board[board]] + lower.parent[classes]
            cards = upper.member_cards[upper.member_start[above]]
            # A class above holds the hands of one below: of the same ranks at least.
            assert np.array_equal(np.sort(cards // 4), np.sort(lower.cards[classes] // 4))


@pytest.mark.parametrize("street", [0, 1])
def test_the_tree_below_a_board_is_worth_what_the_board_is(street: int) -> None:
    tree = build_public_tree(load_game("leduc")).arrays
    strategy = random_strategy(tree)
    whole = make_kernel("reference", tree)
    for board in range(tree.streets[street].num_boards):
        arrays, boards = below(tree, street, board)
        assert boards[0] == (board, board + 1)
        part = make_kernel("reference", arrays)
        level = tree.streets[street]
        own = [
            [
                a[n * h.start[first] : n * h.start[last]]
                for a, n, h in zip(strategy[s], tree.streets[s].num_rows, tree.streets[s].hands, strict=True)
            ]
            for s, (first, last) in enumerate(boards, start=street)
        ]
        for player in (0, 1):
            start = level.hands[1 - player].start
            reach = np.random.default_rng(board).random((level.num_entries, start[board + 1] - start[board]))
            here = part.board_values(own, player, 0, 0, reach)
            np.testing.assert_allclose(here, whole.board_values(strategy, player, street, board, reach), atol=1e-12)


def test_games_that_do_not_belong_together_are_named() -> None:
    first, second, _ = turns()
    with pytest.raises(InputError, match="at least one"):
        stack([])
    with pytest.raises(InputError, match="Game 1 of the batch has another betting tree"):
        stack([first, build_public_tree(spot("Qs Jh 2s 8h", "QQ", "22", stack=15)).arrays])
    with pytest.raises(InputError, match="Game 2 of the batch has another betting tree"):
        stack([first, second, build_public_tree(spot("Qs Jh 2s 8h 3c", "QQ", "22")).arrays])
    with pytest.raises(InputError, match="Game 1 of the batch has another deck"):
        stack([first, replace(second, num_cards=40)])
