"""EV of hands and actions, equity and equity realised at nodes, against a plain walk over real hands and boards."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from leaf_doubles import ZeroLeafValues
from plain_walk import ALL, GAMES, RAKED, PlainWalk, chosen, held_by, plain, put_in, solved
from small_subjects import spot_text

import errai
from errai.cards.hands import fitting_weights
from errai.games.spot import parse_spot
from errai.kernels.cpu import CpuKernel
from errai.solutions.node import SolutionNode


@pytest.mark.parametrize("name", ALL)
def test_what_hands_and_actions_are_worth(name: str) -> None:
    walk, seen = plain(name), 0
    for node in chosen(name):
        scale = 1e-9 * node.pot_chips
        for p in (0, 1):
            held = held_by(walk, node, p)
            expected = walk.mean(node, p, walk.won[node.line][p])[held] - put_in(node, p)
            np.testing.assert_allclose(node.ev[p][walk.held][held], expected, atol=scale, rtol=0, err_msg=node.line)
        assert node.action_ev.shape == node.strategies.shape
        if node.player is None:
            continue
        p = node.player
        held = held_by(walk, node, p)
        assert np.isnan(node.action_ev[walk.held][~held]).all()
        for a, action in enumerate(node.actions):
            expected = walk.mean(node, p, walk.after(node, action)[p])[held] - put_in(node, p)
            found = node.action_ev[walk.held][held, a]
            np.testing.assert_allclose(found, expected, atol=scale, rtol=0, err_msg=f"{node.line} {action}")
            seen += int((node.strategies[walk.held][held, a] < 0.01).any())
        mean = (np.nan_to_num(node.strategies) * node.action_ev).sum(axis=1)
        np.testing.assert_allclose(mean, node.ev[p], atol=scale, rtol=0)
    assert seen > 0 or name in GAMES, "no hand was found that hardly takes an action"


@pytest.mark.parametrize("name", ALL)
def test_equity_is_the_share_of_the_pot_over_all_boards_to_come(name: str) -> None:
    walk = plain(name)
    last = sum(solved(name).tree.root.new_cards) + len(solved(name).board)
    for node in chosen(name):
        of_pairs = walk.equity(frozenset(node.board), last - len(node.board))
        for p in (0, 1):
            held = held_by(walk, node, p)
            expected = walk.mean(node, p, of_pairs if p == 0 else 1.0 - of_pairs)[held]
            np.testing.assert_allclose(node.equity[p][walk.held][held], expected, atol=1e-9, rtol=0, err_msg=node.line)
            won = node.ev[p][walk.held][held] + put_in(node, p)
            with np.errstate(divide="ignore", invalid="ignore"):
                realised = np.where(expected > 1e-9, won / (expected * node.pot_chips), np.nan)
            found = node.equity_realised[p][walk.held][held]
            np.testing.assert_allclose(found, realised, rtol=1e-6, atol=1e-9, err_msg=node.line)
        assert np.isnan(node.equity[:, np.isin(node.solution.tree.root.hands, node.board).any(axis=1)]).all()


@pytest.mark.parametrize("name", ALL)
def test_ranges_are_worth_the_mean_over_all_pairs(name: str) -> None:
    walk = plain(name)
    last = sum(solved(name).tree.root.new_cards) + len(solved(name).board)
    for node in chosen(name):
        pairs = walk.pairs(node, 0) * node.ranges[0][walk.held][:, None]
        pairs /= pairs.sum()
        equity = (pairs * walk.equity(frozenset(node.board), last - len(node.board))).sum()
        won = [float((pairs * walk.won[node.line][p]).sum()) for p in (0, 1)]
        if name in RAKED:
            least, most = walk.taken(solved(name).root.pot_chips), RAKED[name][1]
            assert least - 1e-9 <= node.pot_chips - sum(won) <= most + 1e-9
        else:
            assert sum(won) == pytest.approx(node.pot_chips, rel=1e-12)
        np.testing.assert_allclose(node.range_equity, [equity, 1 - equity], atol=1e-9, rtol=0)
        net = [won[p] - put_in(node, p) for p in (0, 1)]
        np.testing.assert_allclose(node.range_ev, net, atol=1e-9 * node.pot_chips, rtol=0)
        with np.errstate(divide="ignore", invalid="ignore"):
            share = np.array([equity, 1 - equity])
            realised = np.where(share > 1e-9, np.array(won) / (share * node.pot_chips), np.nan)
        np.testing.assert_allclose(node.range_equity_realised, realised, rtol=1e-6, atol=1e-9)
        if node.player is None:
            assert node.range_action_ev.shape == (0,)
            continue
        p = node.player
        for a, action in enumerate(node.actions):
            plays = np.nan_to_num(node.strategies[walk.held][:, a])
            taken = pairs * (plays[:, None] if p == 0 else plays[None, :])
            if taken.sum() > 1e-9:
                expected = (taken * walk.after(node, action)[p]).sum() / taken.sum() - put_in(node, p)
                assert node.range_action_ev[a] == pytest.approx(expected, abs=1e-8 * node.pot_chips), node.line
        mean = np.nansum(node.frequencies * node.range_action_ev)
        assert mean == pytest.approx(node.range_ev[p], abs=1e-9 * node.pot_chips)


def test_a_fold_is_worth_nothing_in_a_spot_and_what_was_put_in_in_a_game() -> None:
    facing = solved("river")["bet 50"]
    held = np.isfinite(facing.ev[1])
    assert facing.actions[0] == "fold"
    np.testing.assert_allclose(facing.action_ev[held, 0], 0.0, atol=1e-12)
    assert facing["fold"].ev[1][held] == pytest.approx(0.0, abs=1e-12)
    facing = solved("kuhn")["check"]["bet 1"]
    assert facing.action_ev[:, 0].tolist() == [-1.0] * 3


def test_calling_costs_the_call() -> None:
    facing = solved("river")["bet 50"]
    held = facing.ranges[1] > 0
    # The river's call ends in a showdown for 200, of which 50 are paid now.
    np.testing.assert_allclose(facing.action_ev[held, 1], 200.0 * facing.equity[1][held] - 50.0, atol=1e-9)
    np.testing.assert_allclose(facing["call"].ev[1][held], facing.action_ev[held, 1] + 50.0, atol=1e-9)
    np.testing.assert_allclose(facing["call"].equity_realised[1][held & (facing.equity[1] > 0)], 1.0, rtol=1e-9)


def test_the_equity_of_one_hand_against_another() -> None:
    """On the flop a set against a flush draw."""
    spot = parse_spot(spot_text("Td 9d 6c", "TcTh", "AdKd", bet="a", pot=10, stack=10))
    root = errai.solve(spot, max_iterations=1, threads=1).root
    walk = PlainWalk(root.solution)
    exact = walk.equity(frozenset(root.board), 2)
    i, j = (walk.held.index(root.hand_index(hand)) for hand in ("TcTh", "AdKd"))
    assert root.equity[0][root.hand_index("TcTh")] == pytest.approx(exact[i, j], abs=1e-12)
    assert root.range_equity == pytest.approx([exact[i, j], 1 - exact[i, j]], abs=1e-12)


def test_values_do_not_depend_on_the_line_that_closed_the_street() -> None:
    """The value of a call is the mean, over the cards, of the values of the next street's first node."""
    facing = solved("turn")["bet 60"]
    called = facing["call"]
    for before, after in pairwise([facing, called]):
        held = before.ranges[1] > 0
        cost = after.pot_chips - before.pot_chips
        np.testing.assert_allclose(before.action_ev[held, 1], after.ev[1][held] - cost, atol=1e-9)


def test_equity_before_the_flop() -> None:
    """From the table of pairs: chances against any hand, as published tables of odds have them to four digits."""
    game = errai.load_game("holdem.limit.2p")
    root = errai.solve(game, depth="preflop", leaf_values=ZeroLeafValues(), max_iterations=1, threads=1).root
    assert root.why_no_equity == ""
    found = {hand: float(root.equity[0][root.hand_index(hand)]) for hand in ("AsAh", "AsKs", "7h2c")}
    assert found == pytest.approx({"AsAh": 0.8520, "AsKs": 0.6704, "7h2c": 0.3458}, abs=5.1e-5)
    np.testing.assert_allclose(root.range_equity, [0.5, 0.5], atol=1e-12)
    raised = root[root.actions[-1]]
    ours = raised.ranges[0] * fitting_weights(raised.solution.tree.root.hands, raised.ranges[1])
    theirs = raised.ranges[1] * fitting_weights(raised.solution.tree.root.hands, raised.ranges[0])
    means = [(ours * raised.equity[0]).sum() / ours.sum(), (theirs * raised.equity[1]).sum() / theirs.sum()]
    assert sum(means) == pytest.approx(1.0, abs=1e-12)


def test_boards_of_later_streets_push_out_nothing_of_earlier_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    """A new node on a street that was looked at walks nothing but the check-down against the range that has changed."""
    walks = []
    walked = CpuKernel.board_values

    def counted(self: CpuKernel, *arguments: Any, **more: Any) -> Any:
        walks.append(arguments)
        return walked(self, *arguments, **more)

    def look_at(node: SolutionNode) -> int:
        before = len(walks)
        assert np.isfinite([node.range_ev, node.range_equity]).all()
        assert node.unconverged >= 0
        return len(walks) - before

    monkeypatch.setattr(CpuKernel, "board_values", counted)
    root = errai.solve(solved("turn").subject, max_iterations=10, threads=1).root
    assert look_at(root) > 0
    assert look_at(root["check"]) > 0
    rivers = root["check"]["check"]
    for card in rivers.children[:9]:
        assert look_at(rivers[card]) > 0
    assert look_at(root["bet 60"]) == 1


def test_equity_in_a_tree_that_is_cut() -> None:
    """Boards below the cut need not be in the tree."""
    cut = errai.solve(errai.load_game("leduc"), depth=0, leaf_values=ZeroLeafValues(), max_iterations=1, threads=1).root
    np.testing.assert_array_equal(cut.equity, solved("leduc").root.equity)


def test_equity_that_is_not_known(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("errai.tree.check_down.MOST_STRENGTHS", 10)
    root = SolutionNode.at_root(solved("leduc"))
    assert "at most 10 are evaluated" in root.why_no_equity
    assert np.isnan(root.equity).all()
    assert np.isnan(root.equity_realised).all()
    assert np.isnan(root.range_equity).all()
