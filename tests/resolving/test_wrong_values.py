"""DeepStack's theorem on one solve: values below that are wrong by at most epsilon cost about that, and no more."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import errai
from errai.engine.leaf_values import LeafValues
from errai.resolving.oracle import ALONGSIDE, ExactLeafValues


def copied(reach: Any) -> Any:
    return tuple([array.copy() for array in arrays] for arrays in reach)


class Wrong(LeafValues):
    """Exact solves below, whose values are off by up to ``error`` chips for each hand of the opponent there."""

    def __init__(self, error: float) -> None:
        self.error, self.inner = error, ExactLeafValues(alongside=ALONGSIDE)

    def values(self, trunk: Any, reach: Any, player: int) -> Any:
        return self._off(self.inner.values(trunk, copied(reach), player), trunk, reach, player)

    def learn(self, trunk: Any, half: Any) -> Any:
        mine = replace(half, reach=copied(half.reach), coefficients=half.coefficients.copy())
        return self._off(self.inner.learn(trunk, mine), trunk, half.reach, half.player)

    def measure(self, trunk: Any, reach: Any, *, exact: bool = True) -> Any:
        return self.inner.measure(trunk, copied(reach), exact=exact)

    def _off(self, given: Any, trunk: Any, reach: Any, player: int) -> Any:
        (street,) = trunk.arrays.streets
        held = reach[1 - player][0].reshape(street.num_leaves, -1) @ np.diff(street.hands[1 - player].member_start)
        noise = np.random.default_rng(player).uniform(-1.0, 1.0, given[0].size)
        return [given[0] + self.error * noise * np.repeat(held, given[0].size // street.num_leaves)]


def exploitability(error: float, iterations: int) -> float:
    """Of the strategy of the whole game that a solve of the first street with exact solves below it gives."""
    rest = errai.lookahead(errai.load_game("leduc.nolimit"), depth="street")
    found = errai.solve(rest, max_iterations=iterations, leaf_values=Wrong(error), precision="float64")
    return found.exploitability.chips


def test_without_an_error_more_iterations_help_without_end() -> None:
    few, many = exploitability(0.0, 50), exploitability(0.0, 400)
    assert many < few / 4.0


@pytest.mark.parametrize("error", [5.0, 20.0])
def test_an_error_costs_about_itself_and_iterations_do_not_help(error: float) -> None:
    few, many = exploitability(error, 200), exploitability(error, 800)
    for found in (few, many):
        assert 0.1 * error < found < 2.0 * error
    assert many > 0.4 * few


def test_the_cost_grows_with_the_error() -> None:
    costs = [exploitability(error, 200) for error in (0.0, 2.0, 10.0, 50.0)]
    assert costs == sorted(costs)
    assert costs[-1] > 5.0 * costs[1]
