"""A network's mean estimates over a lookahead's iterations, and when it is evaluated."""

from __future__ import annotations

import numpy as np
import pytest

import errai
from errai.errors import InputError
from errai.games.hand import CALL, PublicState, raise_to
from errai.nets.below.averages import AveragedLeafValues
from errai.nets.below.leaves import NetLeafValues
from errai.nets.below.values_below import NetsBelow
from errai.nets.predictors import CheckDown
from errai.resolving.below import leaf_at
from errai.strategies.strategy import live_hands

LEDUC = errai.load_game("leduc.nolimit")
NET = CheckDown(LEDUC, 1)
"""Linear in the opponent's range, so that its mean is what it says of the mean."""

START = errai.lookahead(LEDUC)
CALLED_BET = PublicState.start(LEDUC).after(raise_to(300)).after(CALL)


def _solved(leaf_values):  # type: ignore[no-untyped-def]
    return errai.solve(START, max_iterations=30, leaf_values=leaf_values, precision="float64", threads=1)


def test_of_a_linear_network_the_mean_is_what_it_says_of_the_mean() -> None:
    averaged, plain = (
        AveragedLeafValues(NET, every=1, parts=1, threads=1),
        NetLeafValues(NET, every=1, parts=1, threads=1),
    )
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
    below = NetsBelow(NET, averaged=True, every=1, parts=1, threads=1)
    solution = _solved(below.leaf_values(START))
    dealt = CALLED_BET.dealt((board,))
    node = solution.root.after(raise_to(300))
    assert node is not None
    node = node.after(CALL)
    assert node is not None
    ranges = tuple(np.where(live_hands(dealt), 7.0 * weights, 0.0) for weights in node.ranges)
    for p in (0, 1):
        found = below.values(dealt, (ranges[0], ranges[1]), p, solution)
        alone = NetsBelow(NET).values(dealt, (ranges[0], ranges[1]), p)
        np.testing.assert_allclose(found, alone, rtol=1e-4, atol=1e-3)
        assert np.abs(found).max() > 1.0


def test_elsewhere_the_network_is_asked() -> None:
    """Below another tree, or after a bet that the lookahead lacks."""
    below = NetsBelow(NET, averaged=True, every=1, parts=1, threads=1)
    solution = _solved(below.leaf_values(START))
    dealt = PublicState.start(LEDUC).after(raise_to(250)).after(CALL).dealt((0,))
    live = live_hands(dealt).astype(np.float64)
    alone = NetsBelow(NET).values(dealt, (live, live), 0)
    assert np.array_equal(below.values(dealt, (live, live), 0, solution), alone)
    assert np.array_equal(below.values(dealt, (live, live), 0), alone)
    with pytest.raises(InputError, match="a network for round 0"):
        below.values(PublicState.start(LEDUC), (live, live), 0)


def test_what_has_learnt_nothing_asks_the_network() -> None:
    averaged, plain = (
        AveragedLeafValues(NET, every=1, parts=1, threads=1),
        NetLeafValues(NET, every=1, parts=1, threads=1),
    )
    solution = _solved(plain)
    assert solution.verify(leaf_values=averaged)


def test_a_tree_of_few_lines_is_solved_over_more_boards_at_a_time() -> None:
    """It is solved before the averages would have let go of the first iterations."""
    asked = []
    for menu in ("a", "25%, 50%, 75%, 100%, 150%, a"):
        for parts in (2, 6):
            over = AveragedLeafValues(NET, parts=parts, threads=1)
            start = errai.lookahead(LEDUC, menu=menu)
            errai.solve(start, max_iterations=20, leaf_values=over, precision="float64", threads=1)
            asked.append(over.asked)
    assert asked[0] == asked[1]
    assert asked[3] < 0.6 * asked[2]


@pytest.mark.parametrize(("every", "parts"), [(1, 2), (2, 3), (1, 7)])
def test_asked_about_part_by_part_the_means_are_those_of_what_was_learnt_from(every: int, parts: int) -> None:
    """Of every iteration the leaf values that were learnt from, and on each board the part of them that it had."""
    averaged = AveragedLeafValues(NET, every=every, parts=parts, threads=1)
    seen: tuple[list[float], list[np.ndarray]] = ([], [])
    learn = averaged.learn

    def kept(trunk, half):  # type: ignore[no-untyped-def]
        found = learn(trunk, half)
        if half.player == 0:
            seen[0].append(half.weight)
            for i in range(len(seen[0]) - 1):
                seen[0][i] *= half.kept
            seen[1].append(found[-1].copy())
        return found

    averaged.learn = kept  # type: ignore[method-assign]
    solution = _solved(averaged)
    tree = averaged.averaged
    assert tree is not None
    assert len({values.tobytes() for values in seen[1]}) > 10
    expected = np.average(seen[1], axis=0, weights=seen[0])
    reach = tuple([np.zeros_like(a) for a in seen[1][:1]] for _ in (0, 1))
    found = averaged.measure(tree, (reach[0], reach[1])).values[0][-1]
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-9 * np.abs(expected).max())
    # What is told on each new board, weighted, is what the leaf before it is worth.
    node = solution.root.after(raise_to(300))
    assert node is not None
    called = node.after(CALL)
    assert called is not None
    hands = np.flatnonzero(called.ranges[0] > 0.0)
    total = np.zeros(len(called.ranges[0]))
    for board in range(6):
        dealt = CALLED_BET.dealt((board,))
        own = np.where(live_hands(dealt), 1.0, 0.0)
        values = averaged.on_new_street(dealt, own, 0)
        assert values is not None
        known = averaged._averages
        assert known is not None
        found_there = known.which((board,))
        assert found_there is not None
        line = int(known.not_all_in[: leaf_at(tree, tree.subject.state, dealt)].sum())
        brought = known.below[0][found_there[0]].settle()[1][line]
        total += values * brought / own.sum() / known.weights[0] / 4.0
    leaf = leaf_at(tree, tree.subject.state, CALLED_BET.dealt((0,)))
    at_leaf = expected.reshape(tree.arrays.streets[-1].num_leaves, -1)[leaf]
    classes = tree.deal.streets[0].hands[0]
    class_of = np.repeat(np.arange(len(classes.hand)), np.diff(classes.member_start))
    np.testing.assert_allclose(total[classes.member], at_leaf[class_of], rtol=1e-5, atol=1e-5 * np.abs(expected).max())
    assert len(hands) > 0
