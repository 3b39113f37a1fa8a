"""A game that is not poker: its ends take the winnings of pairs of hands from a matrix; against a linear program.

Coin Toss (Brown and Sandholm 2017): player 0 sees a coin, and sells it or lets player 1 guess it.  The price is drawn
at random here, so that the game has another solution each time.
"""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from errai.engine.schedules import find_schedule
from errai.judges.matrix import solve_matrix_game
from errai.kernels.backends import make_kernel
from errai.kernels.layout import BEST, DECISION, SHOWDOWN, HandArrays, PairPayoffs, StreetArrays, TreeArrays
from errai.kernels.protocol import State, matched

BACKENDS = ["cpu", "reference"]


def hands(*cards: int) -> HandArrays:
    """One player's hands on the only board, each a class of its own."""
    count, card = len(cards), np.array(cards, np.uint8)[:, None]
    none = np.zeros(count, np.int32)
    return HandArrays(np.array([0, count]), card, none, np.ones(count), none, none - 1, np.arange(count + 1), card)


def coin_toss(sale: tuple[float, float], chance: float) -> TreeArrays:
    """The game; ``sale`` is the price of heads and of tails, ``chance`` the probability of heads."""
    kind = np.array([DECISION, SHOWDOWN, DECISION, SHOWDOWN, SHOWDOWN], np.int8)
    pays = [np.array(won) for won in (sale, (-1.0, 1.0), (1.0, -1.0))]
    street = StreetArrays(
        kind=kind,
        actor=np.array([0, -1, 1, -1, -1], np.int8),
        parent=np.array([-1, 0, 0, 2, 2], np.int32),
        first_child=np.array([1, -1, 3, -1, -1], np.int32),
        num_children=np.array([2, 0, 2, 0, 0], np.int32),
        row=np.array([0, -1, 0, -1, -1], np.int32),
        ends=np.where(kind[:, None, None] == SHOWDOWN, np.array([1.0, 0.0, -1.0]), 0.0) * np.ones((5, 2, 3)),
        num_entries=1,
        num_exits=0,
        num_leaves=0,
        num_rows=(2, 2),
        parent_board=np.array([-1], np.int32),
        child_start=np.array([0, 0], np.int32),
        hands=(hands(0, 1), hands(2)),
        matrix=np.array([-1, 0, -1, 1, 2], np.int32),
        matrices=tuple(PairPayoffs((won, -won)) for won in pays),
    )
    return TreeArrays((street,), 3, 0.0, (np.array([chance, 1.0 - chance]), np.ones(1)))


def normal_form(sale: tuple[float, float], chance: float) -> np.ndarray:
    """float64[4, 2]: what player 0 wins by selling or playing with each side, against a guess of heads or tails."""
    weights = chance, 1.0 - chance
    return np.array(
        [
            [
                sum(weights[side] * (sale[side] if sold[side] else (-1.0 if guess == side else 1.0)) for side in (0, 1))
                for guess in (0, 1)
            ]
            for sold in product((True, False), repeat=2)
        ]
    )


@pytest.mark.parametrize("backend", BACKENDS)
@settings(max_examples=12)
@given(st.tuples(st.floats(-1.5, 1.5), st.floats(-1.5, 1.5)), st.floats(0.05, 0.95))
def test_the_value_is_that_of_the_normal_form(backend: str, sale: tuple[float, float], chance: float) -> None:
    tree = coin_toss(sale, chance)
    kernel, schedule = make_kernel(backend, tree), find_schedule("dcfr")
    state = State.zeros(tree, np.float64, predictive=False, simultaneous=False)
    kernel.iterate(state, schedule.coefficients(1, 256))
    best = [float(kernel.root_values(state.sums, p, role=BEST) @ tree.root_reach[p]) for p in (0, 1)]
    exact = solve_matrix_game(normal_form(sale, chance))
    # Each best response is worth at least the value of the game, and both together hardly more.
    assert best[0] >= exact.value - 1e-9
    assert best[1] >= -exact.value - 1e-9
    assert sum(best) < 5e-3
    strategies = [matched(state.sums[0][p].reshape(2, -1)) for p in (0, 1)]
    plans = product((0, 1), repeat=2)  # sell or play, for heads and for tails
    mixture = np.array([strategies[0][heads, 0] * strategies[0][tails, 1] for heads, tails in plans])
    value = float(kernel.root_values(state.sums, 0) @ tree.root_reach[0])
    assert value == pytest.approx(mixture @ normal_form(sale, chance) @ strategies[1][:, 0], abs=1e-12)


@pytest.mark.parametrize("backend", BACKENDS)
def test_the_published_game(backend: str) -> None:
    """Selling at a half either way: player 1 guesses tails three times out of four, and the game's value is 0."""
    tree = coin_toss((0.5, -0.5), 0.5)
    kernel, schedule = make_kernel(backend, tree), find_schedule("dcfr")
    state = State.zeros(tree, np.float64, predictive=False, simultaneous=False)
    kernel.iterate(state, schedule.coefficients(1, 2000))
    guess = matched(state.sums[0][1].reshape(2, 1)).ravel()
    assert guess == pytest.approx([0.25, 0.75], abs=1e-3)
    assert kernel.root_values(state.sums, 0, role=BEST) @ tree.root_reach[0] == pytest.approx(0.0, abs=1e-3)
