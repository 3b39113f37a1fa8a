from __future__ import annotations

import numpy as np
import pytest

from errai.cluster.partition import rows_below
from errai.cluster.planning import cuts
from errai.games.catalogue import load_game
from errai.games.streets import street_title
from errai.solutions.subjects import menu_of
from errai.tree.betting_tree import NodeKind
from errai.tree.public_tree import plan_public_tree


@pytest.fixture(scope="module")
def limit():
    return plan_public_tree(load_game("holdem.limit.2p"))


def find(found, street, by):
    return next(cut for cut in found if (cut.street, cut.by) == (street, by))


def test_the_subgames_of_cepheus(limit):
    # Tammelin et al. 2015: pre-flop betting x flop x flop betting = 7 x 1,755 x 9 = 110,565.
    cut = find(cuts(limit), 1, "line, board and line")
    assert cut.factors == (7, 1_755, 9)
    assert cut.subgames == 110_565
    assert cut.trunk_information_sets == 90_076_792
    assert cut.trunk_information_sets + cut.below_information_sets == 13_803_249_787_132
    # A flop without symmetries: 48 turns with 48 choose 2 and so on, for one line of flop bets.
    turn, river = 49 * 48 * 47 // 2, 49 * 48 * 47 * 46 // 2
    assert cut.largest_information_sets == 10 * turn + 90 * river


def test_every_cut_parts_the_whole_game(limit):
    found = cuts(limit)
    assert [(cut.street, cut.by) for cut in found] == [
        (street, by)
        for street in (1, 2, 3)
        for by in ("board", "line and board", "line, board and line")
        if (street, by) != (3, "line, board and line")
    ]
    for cut in found:
        assert cut.trunk_information_sets + cut.below_information_sets == limit.canonical_information_sets
        assert cut.trunk_entries + cut.below_entries == limit.entries
        assert cut.average_information_sets <= cut.largest_information_sets
        assert cut.average_entries <= cut.largest_entries
    assert find(found, 2, "board").subgames == 63_193
    assert find(found, 3, "line and board").factors == (567, 2_554_656)


@pytest.mark.parametrize("name", ["leduc", "rhode-island", "holdem-2-4"])
def test_the_largest_subgame_by_board_is_that_of_the_built_tree(name):
    plan = plan_public_tree(load_game(name))
    tree = plan.build()
    for street in range(1, tree.betting.num_streets):
        of_board = np.zeros(plan.deal_size.boards[street], dtype=np.int64)
        for s in range(street, tree.betting.num_streets):
            level = tree.deal.streets[s]
            ancestor = np.arange(plan.deal_size.boards[s])
            for up in range(s, street, -1):
                ancestor = tree.deal.streets[up].parent[ancestor]
            for p in (0, 1):
                here = np.diff(level.hands[p].start) * len(tree.betting.decision_nodes(s, p))
                np.add.at(of_board, ancestor, here)
        cut = find(cuts(plan), street, "board")
        assert cut.largest_information_sets == of_board.max()
        assert cut.below_information_sets == of_board.sum()


def test_lines_that_go_on_unevenly():
    game = load_game("holdem.nolimit.2p")
    plan = plan_public_tree(game, menu=menu_of(game, None))
    cut = find(cuts(plan), 1, "line, board and line")
    assert len(cut.factors) == 2
    decisions = rows_below(plan.betting, 2).decisions
    decisions = decisions[decisions.any(axis=(1, 2))]
    assert cut.factors == (len(decisions), 1_755)
    # All-in lines enter later streets, but nobody decides there.
    entries = int((plan.betting.kind[: plan.betting.street_start[2]] == NodeKind.CHANCE).sum())
    assert len(decisions) < entries
    total = sum(len(plan.betting.decision_nodes(s, p)) for s in (2, 3) for p in (0, 1))
    assert decisions.sum() == total


def test_names_of_streets():
    assert [street_title(load_game("holdem.limit.2p"), s) for s in range(4)] == ["pre-flop", "flop", "turn", "river"]
    assert street_title(load_game("holdem-2-4"), 1) == "flop"
    assert street_title(load_game("leduc"), 1) == "round 2"


def test_a_game_of_one_street_has_no_cuts():
    assert cuts(plan_public_tree(load_game("kuhn"))) == ()
