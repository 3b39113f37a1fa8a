"""Nodes of a solution that is cut: their values depend on the leaf values."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from leaf_doubles import FixedContinuation

import errai
from errai.errors import DamagedFileError, InputError
from errai.kernels.backends import make_kernel
from errai.tree.public_tree import build_public_tree


@pytest.fixture(scope="module")
def cut() -> tuple[errai.Solution, errai.Solution]:
    """Leduc solved whole, and its first round solved above the second round of that solution."""
    game = errai.load_game("leduc")
    whole = errai.solve(game, max_iterations=200, precision="float64", encoding="float64")
    tree = build_public_tree(game)
    below = FixedContinuation(tree, make_kernel("reference", tree.arrays), whole.strategy)
    return whole, errai.solve(game, max_iterations=200, precision="float64", depth=0, leaf_values=below)


@pytest.mark.parametrize("line", ["", "check", "bet 2", "check bet 2 raise 4"])
def test_values_at_a_node_are_consistent(cut: tuple[errai.Solution, errai.Solution], line: str) -> None:
    node = cut[1].at(line)
    player = node.player
    assert player is not None
    assert node.why_no_ev == ""
    assert (node.strategies * node.action_ev).sum(axis=1) == pytest.approx(node.ev[player], abs=1e-9)
    if not line:
        assert node.ev == pytest.approx(cut[1].root_values.ev, abs=1e-9)
    best = node.counterfactual(player, best=True)
    assert (best >= node.counterfactual(player) - 1e-9).all()
    assert best.max() > 0


def test_above_the_same_strategies_nodes_are_worth_the_same(cut: tuple[errai.Solution, errai.Solution]) -> None:
    """The first round of the whole solution, with its own second round below, is the whole solution."""
    whole, trunk = cut
    tree = build_public_tree(whole.subject)
    below = FixedContinuation(tree, make_kernel("reference", tree.arrays), whole.strategy)
    strategy = [whole.strategy[0]]
    leaves = below.measure(trunk.tree, trunk.kernel.leaf_reach(strategy, tied=False))
    same = replace(trunk, strategy=strategy, leaves=leaves)
    for line in ("", "check", "bet 2", "bet 2 raise 4"):
        assert same.at(line).ev == pytest.approx(whole.at(line).ev, abs=1e-9)


def test_a_file_has_the_values_of_the_leaves(cut: tuple[errai.Solution, errai.Solution], tmp_path: Path) -> None:
    whole, trunk = cut
    trunk.save(tmp_path / "cut.errai")
    loaded = errai.load_solution(tmp_path / "cut.errai")
    for line in ("", "check", "bet 2", "bet 2 raise 4"):
        assert loaded.at(line).why_no_ev == ""
        assert np.array_equal(loaded.at(line).ev, trunk.at(line).ev, equal_nan=True)
        for player in (0, 1):
            best = [one.at(line).counterfactual(player, best=True) for one in (loaded, trunk)]
            assert np.array_equal(*best, equal_nan=True)
    tree = build_public_tree(whole.subject)
    below = FixedContinuation(tree, make_kernel("reference", tree.arrays), whole.strategy)
    assert loaded.verify(leaf_values=below)
    assert loaded.leaves is not None
    loaded.leaves.values[0][-1][3] += 0.01
    wrong = loaded.verify(leaf_values=below)
    assert [one.name for one in wrong.differences] == ["values of the leaves"]


def test_a_file_of_an_older_version_does_not_have_them(
    cut: tuple[errai.Solution, errai.Solution], tmp_path: Path
) -> None:
    replace(cut[1], leaves=None).save(tmp_path / "cut.errai")
    loaded = errai.load_solution(tmp_path / "cut.errai")
    assert "below it" in loaded.root.why_no_ev
    assert np.isnan(loaded.root.ev).all()
    with pytest.raises(InputError, match="not in the file"):
        loaded.root.counterfactual(0)


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_values_of_leaves_that_are_no_numbers_are_damage(
    cut: tuple[errai.Solution, errai.Solution], value: float, tmp_path: Path
) -> None:
    leaves = cut[1].leaves
    assert leaves is not None
    changed = leaves.values[0][-1].copy()
    changed[0] = value
    broken = replace(leaves, values=([*leaves.values[0][:-1], changed], leaves.values[1]))
    replace(cut[1], leaves=broken).save(tmp_path / "cut.errai")
    with pytest.raises(DamagedFileError, match="not finite"):
        errai.load_solution(tmp_path / "cut.errai")
