"""Two nodes side by side."""

from __future__ import annotations

import numpy as np
import pytest
from plain_walk import solved
from small_subjects import TURN

import errai
from errai.errors import InputError, LineError, LockError, MismatchError
from errai.games.lock_file import load_locks, locks_text
from errai.games.spot import parse_spot
from errai.solutions.comparison import compare_nodes, line_changes
from errai.solutions.solution import Solution
from errai.solutions.strategy_locks import strategy_locks


@pytest.fixture(scope="module")
def free() -> Solution:
    return errai.solve(parse_spot(TURN), max_iterations=30, threads=1)


@pytest.fixture(scope="module")
def smaller() -> Solution:
    return errai.solve(parse_spot(TURN.replace("100%", "50%, 100%")), max_iterations=30, threads=1)


@pytest.mark.parametrize("line", ["", "check", "bet 100", "check check / 2c /"])
def test_each_column_is_that_of_its_node(free: Solution, smaller: Solution, line: str) -> None:
    nodes = free.at(line), smaller.at(line)
    found = compare_nodes(*nodes)
    assert set(found.actions) == {*nodes[0].actions, *nodes[1].actions}
    for i, node in enumerate(nodes):
        assert tuple(action for action in found.actions if action in node.actions) == node.actions
        for a, action in enumerate(found.actions):
            if action in node.actions:
                own = node.actions.index(action)
                np.testing.assert_array_equal(found.strategies[i, :, a], node.strategies[:, own])
                np.testing.assert_array_equal(found.action_ev[i, :, a], node.action_ev[:, own])
                assert found.frequencies[i, a] == node.frequencies[own]
                np.testing.assert_array_equal(found.range_action_ev[i, a], node.range_action_ev[own])
            else:
                live = ~np.isnan(node.strategies).any(axis=1)
                assert (found.strategies[i, live, a] == 0).all()
                assert np.isnan(found.strategies[i, ~live, a]).all()
                assert np.isnan(found.action_ev[i, :, a]).all()
                assert found.frequencies[i, a] == 0
        np.testing.assert_array_equal(found.ev[i], node.ev)
        np.testing.assert_array_equal(found.range_ev[i], node.range_ev)
        np.testing.assert_array_equal(found.range_equity[i], node.range_equity)


def test_what_cannot_be_compared(free: Solution) -> None:
    with pytest.raises(MismatchError, match="different cards"):
        compare_nodes(free.root, solved("leduc").root)
    with pytest.raises(MismatchError, match="boards differ"):
        compare_nodes(free.root, solved("river").root)
    with pytest.raises(MismatchError, match="out of position in the first, in position in the second"):
        compare_nodes(free.root, free.at("check"))


@pytest.mark.parametrize("decimals", [1, 4, 12])
@pytest.mark.parametrize("line", ["", "check", "check check / 2c / check", "bet 100 call / 2h /"])
def test_a_strategy_as_locks(free: Solution, tmp_path, line: str, decimals: int) -> None:
    node = free.at(line)
    path = tmp_path / "locks.toml"
    path.write_text(locks_text(strategy_locks(node, decimals)))
    locked = errai.solve(free.subject, max_iterations=20, threads=1, locks=load_locks(path)).at(line)
    held = node.solution.root_ranges[node.player] > 0
    held &= ~np.isnan(node.strategies).any(axis=1)
    np.testing.assert_allclose(locked.strategies[held], node.strategies[held], atol=len(node.actions) * 0.5**decimals)
    np.testing.assert_allclose(
        locked.strategies[held], np.round(node.strategies[held], decimals), atol=10.0**-decimals + 1e-4
    )
    assert locked.locked


def test_locks_of_a_game(tmp_path) -> None:
    node = solved("leduc").at("check bet 2")
    path = tmp_path / "locks.toml"
    path.write_text(locks_text({**strategy_locks(node), "bet 2": {"Ah, As": "best"}}))
    again = errai.solve(errai.load_game("leduc"), max_iterations=20, locks=load_locks(path))
    np.testing.assert_allclose(again.at("check bet 2").strategies, node.strategies, atol=1e-4)
    assert set(again.at("bet 2").locked.values()) == {"best"}


def test_nothing_to_lock(free: Solution) -> None:
    with pytest.raises(LineError, match="No player acts"):
        strategy_locks(free.at("check check"))
    for decimals in (0, 13):
        with pytest.raises(InputError, match="1 to 12 decimals"):
            strategy_locks(free.root, decimals)


def test_the_text_of_locks_survives_odd_names(tmp_path) -> None:
    tables = {'a "line"': {"A\\K": {"bet 1": 0.25, "check": 0.75}}}
    path = tmp_path / "locks.toml"
    path.write_text(locks_text(tables))
    assert load_locks(path).tables == tables
    path.write_text('["x"]\n"AA" = { check = }\n')
    with pytest.raises(LockError):
        load_locks(path)


def test_hands_are_in_the_order_of_what_has_changed(free: Solution, smaller: Solution) -> None:
    found = compare_nodes(free.root, smaller.root)
    changes = found.hand_changes()
    weights = [c.moved * sum(c.weights) for c in changes]
    assert weights == sorted(weights, reverse=True)
    assert weights[0] > 0.1
    hands = [hand for change in changes for hand in change.hands]
    held = [h for h, w in zip(free.root.hands, free.root.ranges[0], strict=True) if w > 0]
    assert sorted(hands) == sorted(held)
    for change in changes:
        for hand in change.hands:
            for node, row in zip((free.root, smaller.root), change.strategies, strict=True):
                own = node.strategy(hand)
                assert [own.get(a, 0.0) for a in found.actions] == pytest.approx(row, abs=2e-3)
    assert compare_nodes(free.at("check check"), smaller.at("check check")).hand_changes() == []


def test_lines_are_in_the_order_of_what_has_changed(free: Solution) -> None:
    locked = errai.solve(parse_spot(TURN), max_iterations=30, threads=1, locks={"check": {"*": {"check": 1}}})
    changes = line_changes(free.root, locked.root)
    for line in ("", "check", "bet 100", "check bet 100"):
        taken = max(free.at(line).reached, locked.at(line).reached) > 0
        assert (line in {c.line for c in changes}) is taken
    assert changes[0].line == "check"
    assert changes[0].moved == pytest.approx(free.at("check").frequencies[1])
    weights = [c.weight for c in changes]
    assert weights == sorted(weights, reverse=True)


def test_nothing_changes_between_a_solution_and_itself(free: Solution) -> None:
    assert {c.moved for c in line_changes(free.root, free.root)} == {0.0}
    assert {c.moved for c in compare_nodes(free.root, free.root).hand_changes()} == {0.0}
