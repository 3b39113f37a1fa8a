"""The benchmark's spots against postflop-solver: the exploitability of playing every action equally often.

It depends on every card, bet and payoff of the tree, so equal numbers mean equal trees.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from errai.engine.loop import Solver
from errai.engine.schedules import DEFAULT, find_schedule
from errai.games.spot import load_spot
from errai.tree.public_tree import build_public_tree

SPOTS = Path(__file__).parents[2] / "benchmarks" / "spots"

# Exploitability in % of the pot before the first iteration, as postflop-solver (commit 9d1509f) gives it.
BEFORE = {
    "held-out/flop-paired-half-pot": 26.5953,
    "held-out/flop-two-suits-3bet": 57.4951,
    "held-out/river-deep-geometric": 239.4080,
    "held-out/river-flush-on-board": 66.7313,
    "held-out/river-full-house-on-board": 101.7500,
    "held-out/river-weighted-tight": 38.3668,
    "held-out/river-wide-against-3bet": 61.0679,
    "held-out/turn-ace-high-3bet": 79.8657,
    "held-out/turn-four-straight-leads": 105.3407,
    "held-out/turn-paired-top-weighted": 81.1936,
    "held-out/turn-random-against-4bet": 37.4141,
    "held-out/turn-two-flush-draws": 108.3031,
    "set/flop-connected-4bet": 32.8100,
    "set/flop-dry-3bet": 59.8803,
    "set/flop-leads-weighted": 55.1664,
    "set/flop-monotone-3bet": 68.7661,
    "set/flop-paired-single-raised": 59.8088,
    "set/flop-trips-wide": 45.6872,
    "set/river-4bet": 31.0520,
    "set/river-any-two-against-tight": 56.2316,
    "set/river-any-two-four-sizes": 110.5482,
    "set/river-broadway-on-board": 25.0000,
    "set/river-deep-raises": 310.0973,
    "set/river-four-flush": 47.7740,
    "set/river-four-straight": 71.4280,
    "set/river-half-pot-behind": 20.3983,
    "set/river-paired-single-raised": 57.1986,
    "set/river-polar": 31.5860,
    "set/river-quads-on-board": 71.5824,
    "set/river-weighted": 71.2193,
    "set/turn-any-two": 78.3520,
    "set/turn-deep-geometric": 360.4765,
    "set/turn-dry-single-raised": 144.8170,
    "set/turn-four-flush": 68.8299,
    "set/turn-half-pot-behind": 20.4455,
    "set/turn-monotone-single-raised": 88.9620,
    "set/turn-paired-3bet": 65.7837,
    "set/turn-river-leads": 89.8826,
    "set/turn-straight-3bet": 38.5763,
    "set/turn-three-sizes": 125.0414,
    "set/turn-tight-against-wide": 90.2206,
    "set/turn-trips-limped": 135.4588,
    "set/turn-two-pairs-4bet": 30.6037,
    "set/turn-weighted": 82.2404,
}


def test_every_spot_is_here():
    folders = ("set", "held-out")
    assert sorted(BEFORE) == sorted(f"{f}/{path.stem}" for f in folders for path in (SPOTS / f).glob("*.toml"))


@pytest.mark.parametrize("name", BEFORE)
def test_before_the_first_iteration(name):
    tree = build_public_tree(load_spot(SPOTS / f"{name}.toml"))
    solver = Solver(tree, find_schedule(DEFAULT), threads=1)
    assert solver.measure().pot_percent == pytest.approx(BEFORE[name], rel=1e-5)
