"""A network's mean estimates over a lookahead's iterations, and when it is evaluated."""

from __future__ import annotations

import numpy as np
import pytest

import errai
from errai.errors import InputError
from errai.games.hand import CALL, PublicState, raise_to
from errai.nets.below.averages import AveragedLeafValues
from errai.nets.below.leaves import NetLeafValues, NetLeaves
from errai.nets.networks.predictors import CheckDown
from errai.strategies.strategy import live_hands

LEDUC = errai.load_game("leduc.nolimit")
NET = CheckDown(LEDUC, 1)
"""Linear in the opponent's range, so that its mean is what it says of the mean."""

START = errai.lookahead(LEDUC)
CALLED_BET = PublicState.start(LEDUC).after(raise_to(300)).after(CALL)


def _solved(leaf_values):  # type: ignore[no-untyped-def]
    return errai.solve(START, max_iterations=30, leaf_values=leaf_values, precision="float64", threads=1)


def test_of_a_linear_network_the_mean_is_what_it_says_of_the_mean() -> None:
    averaged, plain = AveragedLeafValues(NET, every=1, threads=1), NetLeafValues(NET, every=1, threads=1)
    first, second = _solved(averaged), _solved(plain)
    for p in (0, 1):
        for best in (False, True):
            np.testing.assert_allclose(
                first.root.counterfactual(p, best=best), second.root.counterfactual(p, best=best), rtol=1e-4, atol=1e-3
            )
    assert first.exploitability.chips == pytest.approx(second.exploitability.chips, rel=1e-3)


@pytest.mark.parametrize("board", range(6))
def test_on_every_board_too(board: int) -> None:
    """Also on boards that are represented by others: suits are renamed."""
    below = NetLeaves(NET, averaged=True, every=1, threads=1)
    solution = _solved(below.leaf_values(START))
    dealt = CALLED_BET.dealt((board,))
    node = solution.root.after(raise_to(300))
    assert node is not None
    node = node.after(CALL)
    assert node is not None
    ranges = tuple(np.where(live_hands(dealt), 7.0 * weights, 0.0) for weights in node.ranges)
    for p in (0, 1):
        found = below.values(dealt, (ranges[0], ranges[1]), p, solution)
        alone = NetLeaves(NET).values(dealt, (ranges[0], ranges[1]), p)
        np.testing.assert_allclose(found, alone, rtol=1e-4, atol=1e-3)
        assert np.abs(found).max() > 1.0


def test_elsewhere_the_network_is_asked() -> None:
    """Below another tree, or after a bet that the lookahead lacks."""
    below = NetLeaves(NET, averaged=True, every=1, threads=1)
    solution = _solved(below.leaf_values(START))
    dealt = PublicState.start(LEDUC).after(raise_to(250)).after(CALL).dealt((0,))
    live = live_hands(dealt).astype(np.float64)
    alone = NetLeaves(NET).values(dealt, (live, live), 0)
    assert np.array_equal(below.values(dealt, (live, live), 0, solution), alone)
    assert np.array_equal(below.values(dealt, (live, live), 0), alone)
    with pytest.raises(InputError, match="none for round 0"):
        below.values(PublicState.start(LEDUC), (live, live), 0)


def test_what_has_learnt_nothing_asks_the_network() -> None:
    averaged, plain = AveragedLeafValues(NET, every=1, threads=1), NetLeafValues(NET, every=1, threads=1)
    solution = _solved(plain)
    assert solution.verify(leaf_values=averaged)
