"""Counts by level, and the distributions computed from them."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest

from errai.agents.literature.adaptive.chances import CELLS, KNOTS, cell
from errai.agents.literature.adaptive.model import (
    Classes,
    LevelTable,
    OpponentModel,
    exponential_credit,
    histories,
    pseudo_count_credit,
)
from errai.games.betting import ActionKind
from errai.games.catalogue import load_game
from errai.tree.betting_tree import NodeKind, build_betting_tree


def _classes(*of: list[int]) -> Classes:
    n = len(of[0])
    return Classes(np.arange(n), np.arange(n), tuple(np.array(level) for level in of), np.zeros(n, dtype=np.int64))


def test_exponential_credit_is_that_of_the_paper() -> None:
    """m = 0.95: 20 observations take 0.64 of the weight, 75 at the next level 0.98 of the rest."""
    shares = exponential_credit(0.95, np.array([0.0, 20.0, 75.0]))
    np.testing.assert_allclose(shares, [0.0, 0.64, 0.98], atol=0.005)


@pytest.mark.parametrize("credit", [partial(exponential_credit, 0.95), partial(pseudo_count_credit, 10.0)])
def test_levels_are_mixed_from_the_coarsest_to_the_finest(credit) -> None:  # type: ignore[no-untyped-def]
    # Items 0 and 1 share a class, item 2 meets them only at the last level, and 3 is alone with the prior.
    prior = np.array([[0.5, 0.5], [0.5, 0.5], [0.9, 0.1], [0.2, 0.8]])
    table = LevelTable(_classes([0, 1, 2, 3], [0, 0, 1, 2], [0, 0, 0, 1]), prior, credit)
    for item, column, times in [(0, 0, 6), (1, 1, 2), (2, 1, 4)]:
        for _ in range(times):
            table.add(item, column)
    last = np.array([6.0, 6.0]) / 12.0
    expected = []
    for item, (own, shared) in enumerate(
        [((6.0, 0.0), (6.0, 2.0)), ((0.0, 2.0), (6.0, 2.0)), ((0.0, 4.0), (0.0, 4.0)), (None, None)]
    ):
        if own is None or shared is None:
            expected.append(prior[item])
            continue
        row = prior[item]
        for counts in (last * 12.0, np.array(shared), np.array(own)):
            share = float(credit(np.array([counts.sum()]))[0])
            row = share * counts / counts.sum() + (1.0 - share) * row
        expected.append(row)
    np.testing.assert_allclose(table.mixed(), expected, atol=1e-12)


def test_decay_counts_earlier_observations_less() -> None:
    table = LevelTable(_classes([0], [0]), np.array([[0.5, 0.5]]), partial(exponential_credit, 0.95), decay=0.9)
    for column in (0, 0, 1):
        table.add(0, column)
    np.testing.assert_allclose(table.counts[0], [[0.9 * 0.9 + 0.9, 1.0]])


@pytest.mark.parametrize("name", ["holdem.limit.2p", "leduc"])
def test_levels_get_coarser_and_decisions_of_a_class_have_the_same_actions(name: str) -> None:
    tree = build_betting_tree(load_game(name))
    for seat in (0, 1):
        known = histories(tree, seat)
        assert (tree.actor[known.decisions.nodes] == seat).all()
        assert len(known.showdowns) == (tree.kind == NodeKind.SHOWDOWN).sum()
        for classes in (known.decisions, known.showdowns):
            sizes = [int(of.max()) + 1 for of in classes.of]
            assert sizes == sorted(sizes, reverse=True)
            assert sizes[0] == len(classes)
            # Every level is a function of the second.
            for of in classes.of[2:]:
                pairs = np.unique(np.column_stack([classes.of[1], of]), axis=0)
                assert len(pairs) == sizes[1]
        legal = known.child >= 0
        for of in known.decisions.of:
            patterns = np.unique(np.column_stack([of, legal]), axis=0)
            assert len(patterns) == of.max() + 1


def test_every_action_of_a_limit_game_has_its_place() -> None:
    tree = build_betting_tree(load_game("leduc"))
    child = tree.children_by_kind()
    for node in range(tree.num_nodes):
        kinds = {int(tree.action_kind[c]): c for c in tree.children(node) if tree.action_kind[c] >= 0}
        assert {kind: c for kind, c in enumerate(child[node].tolist()) if c >= 0} == kinds


def test_a_model_that_knows_nothing_gives_distributions_everywhere() -> None:
    tree = build_betting_tree(load_game("holdem.limit.2p"))
    model = OpponentModel(tree, 1, partial(exponential_credit, 0.95))
    shares, wins = model.shares(), model.wins()
    for node in np.flatnonzero((tree.kind == NodeKind.DECISION) & (tree.actor == 1)).tolist():
        assert shares[list(tree.children(node))].sum() == pytest.approx(1.0)
    assert wins.shape == (5103, KNOTS)
    assert (np.diff(wins, axis=1) >= 0.0).all()
    np.testing.assert_allclose(wins[:, [0, -1]], np.broadcast_to([0.0, 1.0], (5103, 2)), atol=1e-12)
    # An opponent who has never bet may hold anything; one who has bet often holds more.
    bets = histories(tree, 1).showdowns.opponent_bets
    np.testing.assert_allclose(wins[bets == 0], np.broadcast_to(np.linspace(0, 1, KNOTS), wins[bets == 0].shape))
    middle = wins[:, CELLS // 2]
    assert middle[bets == bets.max()].max() < middle[bets == 1].min()


def test_many_observations_make_the_model_what_was_observed() -> None:
    tree = build_betting_tree(load_game("holdem.limit.2p"))
    model = OpponentModel(tree, 0, partial(exponential_credit, 0.95))
    node = tree.find("call")
    end = tree.find("call check / check check / check check / check check")
    for i in range(400):
        model.saw_action(node, ActionKind.RAISE if i % 4 == 0 else ActionKind.CALL)
        model.saw_showdown(end, 0.99 if i % 2 else 0.01)
    shares = model.shares()
    np.testing.assert_allclose(shares[list(tree.children(node))], [0.75, 0.25], atol=1e-6)
    number = int(model.showdowns.classes.number[end])
    np.testing.assert_allclose(model.wins()[number, 1:-1], 0.5, atol=1e-6)


def test_cells_are_closed_at_the_top() -> None:
    assert [cell(0.0), cell(0.05), cell(0.999), cell(1.0)] == [0, 1, CELLS - 1, CELLS - 1]
