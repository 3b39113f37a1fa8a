"""The reference backend against arithmetic done by hand and pair by pair: it is the definition, so it must be right."""

from __future__ import annotations

import numpy as np
import pytest

from errai.engine.schedules import find_schedule
from errai.engine.strategy import board_block
from errai.games.catalogue import load_game
from errai.games.spot import parse_spot
from errai.kernels.backends import backend_names, make_kernel
from errai.kernels.protocol import State, matched
from errai.kernels.reference import ReferenceKernel
from errai.tree.public_tree import PublicTree, build_public_tree

RIVER = """
board = "Qs Jh 2c 8d 3s"
pot = 100
stack = 100
[ranges]
oop = "QcQd:0.5, AcKc, 7c6c"
ip = "QcQh, JcJd, AcKd:0.25, AdKc"
[bets]
bet = "a"
raise = ""
"""


def kuhn() -> PublicTree:
    return build_public_tree(load_game("kuhn"))


def test_kuhn_with_both_players_uniform() -> None:
    """By hand: check-check wins 1; a called bet 2; a fold 1.  Uniform play: each action 1/2."""
    tree = kuhn()
    kernel = ReferenceKernel(tree.arrays)
    uniform = tree.arrays.zeros(np.float64)
    # Against each other card: check (1/2): check back (1/2) +-1, bet (1/2): fold -1 or call +-2, half each;
    # bet (1/2): fold (1/2) +1, call (1/2) +-2.
    win = 0.5 * (0.5 * 1 + 0.5 * (0.5 * -1 + 0.5 * 2)) + 0.5 * (0.5 * 1 + 0.5 * 2)
    lose = 0.5 * (0.5 * -1 + 0.5 * (0.5 * -1 + 0.5 * -2)) + 0.5 * (0.5 * 1 + 0.5 * -2)
    found = kernel.root_values(uniform, 0, best=False)
    np.testing.assert_allclose(found, [2 * lose, win + lose, 2 * win], atol=1e-15)
    assert tree.pair_weight == 6
    assert tree.chips(found, 0) == pytest.approx((3 * win + 3 * lose) / 6)
    # The best responses to uniform play, by hand as well: the king bets, the jack checks and folds.
    best = kernel.root_values(uniform, 0, best=True)
    assert best[2] == pytest.approx(2 * max(0.5 * 1 + 0.5 * 2, 0.5 * 1 + 0.5 * 2))
    assert best[0] == pytest.approx(2 * max(0.5 * -1 + 0.5 * -1, 0.5 * 1 + 0.5 * -2))


def test_the_first_iteration_on_kuhn_by_hand() -> None:
    tree = kuhn()
    kernel = ReferenceKernel(tree.arrays)
    state = State.zeros(tree.arrays, np.float64, predictive=False, simultaneous=True)
    kernel.iterate(state, find_schedule("cfr").coefficients(1, 1))
    regrets = board_block(tree, state.regrets, 0, 0, 0)
    check, bet = regrets[0], regrets[1]
    # Jack: checking is worth -1/2 + 1/2(-1/2 - 1) = -1.25 a card, betting 1/2 - 1 = -0.5; the mean is played.
    assert check[0] == pytest.approx(2 * (-1.25 + 0.5) / 2)
    assert bet[0] == pytest.approx(-check[0])
    # King: checking 1/2 + 1/2 (-1/2 + 1) = 0.75, betting 1/2 + 1 = 1.5.
    assert bet[2] == pytest.approx(2 * (1.5 - 0.75) / 2)
    sums = board_block(tree, state.sums, 0, 0, 0)
    # The first decision is reached with weight 1, the one after check and bet with the 1/2 of the own check.
    assert (sums[:2] == 0.5).all()
    assert (sums[2:] == 0.25).all()


@pytest.mark.parametrize("foresight", [0.5, 1.0])
def test_foresight_on_kuhn_by_hand(foresight: float) -> None:
    """A jack that has checked will fold to a bet from now on, and a king will call: checking is worth more for it."""
    tree = kuhn()
    state = State.zeros(tree.arrays, np.float64, predictive=False, simultaneous=True)
    schedule = find_schedule("cfr", foresight=foresight)
    ReferenceKernel(tree.arrays).iterate(state, schedule.coefficients(1, 1))
    check, bet, fold, call = board_block(tree, state.regrets, 0, 0, 0)
    # Under the next strategy checking is worth (-1 - 1)/2 with the jack and (1 + 2)/2 with the king.
    jack, king = -1.25 + foresight * 0.25, 0.75 + foresight * 0.75
    assert check[0] == pytest.approx(2 * (jack + 0.5) / 2)
    assert bet[0] == pytest.approx(-check[0])
    assert bet[2] == pytest.approx(2 * (1.5 - king) / 2)
    # The node's own regrets are against the strategy just played, as ever.
    assert (fold[0], call[0]) == pytest.approx((0.5, -0.5))


def test_foresight_sees_nothing_where_no_action_has_regret() -> None:
    tree = kuhn()
    states = []
    for foresight in (0.0, 1.0):
        state = State.zeros(tree.arrays, np.float64, predictive=False, simultaneous=True)
        # Negative factors below 0 and nothing above: after every update all regrets are at most 0.
        row = find_schedule("cfr", foresight=foresight).coefficients(1, 1).copy()
        row[0, 0] = 0.0
        ReferenceKernel(tree.arrays).iterate(state, np.repeat(row, 3, axis=0))
        states.append(state)
    for a, b in zip(states[0].regrets[0], states[1].regrets[0], strict=True):
        assert np.array_equal(a, b)


def test_unweighted_averages_do_not_know_the_own_reach() -> None:
    tree = kuhn()
    state = State.zeros(tree.arrays, np.float64, predictive=False, simultaneous=True)
    ReferenceKernel(tree.arrays).iterate(state, find_schedule("cfr").coefficients(1, 1), weighted=False)
    assert (state.sums[0][0] == 0.5).all()


def test_terminal_values_pair_by_pair() -> None:
    tree = build_public_tree(parse_spot(RIVER), isomorphism=False)
    street = tree.arrays.streets[0]
    kernel = ReferenceKernel(tree.arrays)
    generator = np.random.default_rng(1)
    for p in (0, 1):
        mine, theirs = street.hands[p], street.hands[1 - p]
        reach = generator.random((1, len(theirs.cards)))
        found = kernel.board_values(tree.arrays.zeros(np.float64), p, 0, 0, reach)
        check_down = next(int(n) for n in np.flatnonzero(street.kind == 2) if street.payoff[n] == 50)
        for i, cards in enumerate(mine.cards):
            total = 0.0
            for j, others in enumerate(theirs.cards):
                if not set(cards.tolist()) & set(others.tolist()):
                    total += np.sign(mine.rank[i] - theirs.rank[j]) * reach[0, j]
            # Both play uniformly: the opponent checks with half of what came.
            assert found[check_down, i] == pytest.approx(50 * total / 2, abs=1e-12)


def test_regret_matching() -> None:
    source = np.array([[1.0, -1.0, 0.0, 1e-9], [3.0, 2.0, 0.0, -5.0], [-4.0, 0.0, 0.0, -5.0]])
    np.testing.assert_allclose(matched(source), [[0.25, 0, 1 / 3, 1], [0.75, 1, 1 / 3, 0], [0, 0, 1 / 3, 0]])
    # What counts as a tie is not played; where nothing is left, everything is.
    np.testing.assert_allclose(matched(source, 1e-8)[:, 3], 1 / 3)
    assert matched(np.array([[65535], [0]], dtype=np.uint16)).tolist() == [[1.0], [0.0]]


@pytest.mark.parametrize("name", [name for name in backend_names() if name != "cuda"])
def test_backends_are_made_by_name(name: str) -> None:
    kernel = make_kernel(name, kuhn().arrays)
    assert kernel.root_values(kuhn().arrays.zeros(np.float64), 0, best=True).shape == (3,)


def test_predictions_count_the_newest_regret_twice() -> None:
    tree = kuhn()
    schedule = find_schedule("pcfr+", simultaneous=True)
    state = State.zeros(tree.arrays, np.float64, predictive=True, simultaneous=True)
    ReferenceKernel(tree.arrays).iterate(state, schedule.coefficients(1, 1))
    plain = State.zeros(tree.arrays, np.float64, predictive=False, simultaneous=True)
    ReferenceKernel(tree.arrays).iterate(plain, find_schedule("cfr").coefficients(1, 1))
    assert state.predicted is not None
    for s, pair in enumerate(plain.regrets):
        for p, gain in enumerate(pair):
            np.testing.assert_allclose(state.regrets[s][p], np.maximum(gain, 0), atol=1e-15)
            np.testing.assert_allclose(state.predicted[s][p], np.maximum(gain, 0) + gain, atol=1e-15)
