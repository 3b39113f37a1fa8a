"""Partitions: every information set is in the trunk or in exactly one block, and no block is too large."""

from __future__ import annotations

import numpy as np
import pytest
from small_subjects import subject

from errai.cluster.partition import Budget, Partition, board_sizes, lay_out, make_partition, rows_below
from errai.errors import DamagedFileError, SolverOptionError, TreeTooLargeError
from errai.games.catalogue import load_game
from errai.tree.public_tree import build_public_tree, plan_public_tree
from errai.tree.subgame import build_subgame


@pytest.mark.parametrize(
    ("name", "kilobytes", "street"),
    [("leduc", 0.2, 1), ("leduc", 100, 1), ("rhode-island", 2000, 1), ("rhode-island", 60, 2), ("holdem-2-1", 9000, 1),
     ("holdem-2-4", 400, 1)],
)  # fmt: skip
def test_blocks_make_up_the_game(name: str, kilobytes: float, street: int) -> None:
    plan = plan_public_tree(load_game(name))
    partition = make_partition(plan, street, 4, kilobytes * 1024)
    assert partition.street == street
    assert all(b.strategy_entries * 4 <= kilobytes * 1024 for b in partition.blocks)
    in_blocks = sum(b.information_sets for b in partition.blocks)
    seats = [(s, p) for s in range(street) for p in (0, 1)]
    in_trunk = sum(len(plan.betting.decision_nodes(s, p)) * plan.deal_size.classes[s][p] for s, p in seats)
    assert in_blocks + in_trunk == plan.canonical_information_sets
    boards, lines = plan.deal_size.boards[street], len(rows_below(plan.betting, street).actions)
    covered = np.zeros((boards, lines), dtype=int)
    for block in partition.blocks:
        covered[block.boards.start : block.boards.stop, block.entries.start : block.entries.stop] += 1
    assert (covered == 1).all()
    assert Partition.from_dict(partition.to_dict(), plan) == partition


def test_counts_are_those_of_the_trees_that_are_built() -> None:
    plan = plan_public_tree(load_game("rhode-island"))
    for street in (1, 2):
        blocks = make_partition(plan, street, 4, 2**19).blocks
        for block in (blocks[0], blocks[len(blocks) // 2], blocks[-1]):
            arrays = build_subgame(plan, street, block.boards, block.entries).arrays
            assert block.strategy_entries == sum(s.state_size(p) for s in arrays.streets for p in (0, 1))
            assert block.classes == sum(int(h.start[-1]) for s in arrays.streets[1:] for h in s.hands)
            sets = sum(s.num_decisions(p) * int(s.hands[p].start[-1]) for s in arrays.streets for p in (0, 1))
            assert block.information_sets == sets


def test_ranges_that_are_not_uniform_are_counted_board_by_board() -> None:
    spot = subject("turn")
    tree = build_public_tree(spot)
    sizes = board_sizes(plan_public_tree(spot), 1)
    for p in (0, 1):
        np.testing.assert_array_equal(sizes[:, 0, p], np.diff(tree.arrays.streets[1].hands[p].start))


def test_the_whole_of_limit_holdem_is_counted_in_seconds() -> None:
    plan = plan_public_tree(load_game("holdem.limit.2p"))
    sizes = board_sizes(plan, 1)
    assert sizes.sum(axis=0).tolist() == [list(c) for c in plan.deal_size.classes[1:]]
    assert sizes.shape[0] == 1755


def test_what_cannot_be_cut_is_refused() -> None:
    def cut(name: str, memory: int | None, street: int | None = None) -> None:
        lay_out(Budget(plan_public_tree(load_game(name)), "fixed16", 2, memory), street)

    with pytest.raises(SolverOptionError, match="one street"):
        cut("kuhn", memory=None)
    with pytest.raises(SolverOptionError, match="street 1 to 2"):
        cut("rhode-island", memory=None, street=3)
    with pytest.raises(TreeTooLargeError, match=r"not enough.*trunk and 2 processes alone.*--processes, 2 now"):
        cut("leduc", memory=10**8)
    with pytest.raises(TreeTooLargeError, match="smallest part"):
        make_partition(plan_public_tree(load_game("leduc")), 1, 4, 10)


def test_a_smaller_budget_makes_smaller_blocks_and_more_workers_do_not_unless_they_must() -> None:
    plan = plan_public_tree(load_game("holdem-2-4"))
    roomy = [lay_out(Budget(plan, "fixed16", n, 8 << 30)).partition for n in (1, 2, 8)]
    assert roomy[0] == roomy[1] == roomy[2]
    tight = lay_out(Budget(plan, "fixed16", 2, 400 << 20))
    assert len(tight.partition.blocks) > len(roomy[0].blocks)
    assert tight.memory_bytes <= 400 << 20


@pytest.mark.parametrize(
    "change",
    [
        lambda d: d.pop("street"),
        lambda d: d.update(street=7),
        lambda d: d.update(blocks=3),
        lambda d: d["blocks"].pop(),
        lambda d: d["blocks"][0].pop(),
        lambda d: d["blocks"][0].__setitem__(1, 10**6),
        lambda d: d["blocks"][0].__setitem__(0, -1),
        lambda d: d["blocks"][0].__setitem__(0, "x"),
    ],
)
def test_partitions_that_make_no_sense_are_damaged(change) -> None:  # type: ignore[no-untyped-def]
    plan = plan_public_tree(load_game("leduc"))
    document = make_partition(plan, 1, 4, 1000).to_dict()
    change(document)
    with pytest.raises(DamagedFileError):
        Partition.from_dict(document, plan)
