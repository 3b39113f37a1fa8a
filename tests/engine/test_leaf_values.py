"""Trees that are cut: with the continuation of a whole tree as leaf values they equal that tree's upper part."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np
import pytest
from drawn_arrays import filled
from leaf_doubles import FixedContinuation, ZeroLeafValues
from small_subjects import subject

from errai.engine.loop import Solver
from errai.engine.schedules import SCHEDULES, find_schedule
from errai.errors import InputError, SolverOptionError
from errai.games.catalogue import load_game
from errai.kernels.backends import make_kernel
from errai.kernels.layout import BEST
from errai.kernels.protocol import Arrays, State
from errai.tree.public_tree import PublicTree, build_public_tree

CUTS = [
    ("leduc", 0),
    ("leduc.nolimit", 0),
    ("rhode-island-short", 0),
    ("rhode-island-short", 1),
    ("two-cards-short", 0),
    ("turn", 0),
]


def random_strategy(tree: PublicTree, seed: int = 11) -> Arrays:
    """Weights far above what counts as a tie."""
    generator = np.random.default_rng(seed)
    return filled(tree.arrays.zeros(np.float64), partial(generator.uniform, 0.1 * tree.initial_pot, tree.initial_pot))


def cut(name: str, last_street: int, backend: str = "cpu") -> tuple[PublicTree, PublicTree, Arrays, FixedContinuation]:
    """Trunk, whole tree, a strategy of the whole, and its part below the trunk."""
    trunk = build_public_tree(subject(name), last_street=last_street)
    whole = build_public_tree(subject(name))
    strategy = random_strategy(whole)
    return trunk, whole, strategy, FixedContinuation(whole, make_kernel(backend, whole.arrays), strategy)


@pytest.mark.parametrize(("name", "last_street"), CUTS)
def test_a_trunk_deals_the_same_boards_and_hands_as_the_whole(name: str, last_street: int) -> None:
    trunk, whole, _, _ = cut(name, last_street)
    assert len(trunk.root.symmetries) == len(whole.root.symmetries)
    for upper, street in zip(trunk.deal.streets, whole.deal.streets, strict=False):
        assert np.array_equal(upper.boards, street.boards)
        for mine, theirs in zip(upper.hands, street.hands, strict=True):
            assert np.array_equal(mine.start, theirs.start)
            assert np.array_equal(mine.hand, theirs.hand)
            assert np.array_equal(mine.up_weight, theirs.up_weight)


@pytest.mark.parametrize("backend", ["cpu", "reference"])
@pytest.mark.parametrize(("name", "last_street"), CUTS)
def test_trunk_and_continuation_are_worth_the_whole(name: str, last_street: int, backend: str) -> None:
    trunk, whole, strategy, below = cut(name, last_street, backend)
    upper, all_of_it = make_kernel(backend, trunk.arrays), make_kernel(backend, whole.arrays)
    above = strategy[: last_street + 1]
    leaves = below.measure(trunk, upper.leaf_reach(above)).values
    for p in (0, 1):
        np.testing.assert_allclose(
            upper.root_values(above, p, leaf_values=leaves[p]),
            all_of_it.root_values(strategy, p),
            atol=1e-10 * trunk.initial_pot,
        )
        # With the streets below given, the best response of the trunk is no better than that of the whole.
        here = trunk.chips(upper.root_values(above, p, role=BEST, leaf_values=leaves[p]), p)
        there = whole.chips(all_of_it.root_values(strategy, p, role=BEST), p)
        value = whole.chips(all_of_it.root_values(strategy, p), p)
        assert value < here < there


def frozen_below(
    whole: PublicTree, strategy: Arrays, streets: int, schedule_name: str, simultaneous: bool, backend: str
) -> State:
    """The whole tree iterated four times, with the lower streets put back to the strategy after every update."""
    schedule = find_schedule(schedule_name, simultaneous=simultaneous)
    kernel = make_kernel(backend, whole.arrays)
    state = State.zeros(whole.arrays, np.float64, predictive=schedule.predictive, simultaneous=simultaneous)

    def put_back() -> None:
        for group in (state.regrets, *([] if state.predicted is None else [state.predicted])):
            for s in range(streets, len(group)):
                for p in (0, 1):
                    group[s][p][...] = strategy[s][p]

    put_back()
    for row in schedule.coefficients(1, 4):
        if state.frozen is not None:
            for s, pair in enumerate(state.source):
                for p, array in enumerate(pair):
                    state.frozen[s][p][...] = array
        for player in (0, 1):
            kernel.update(state, player, row, weighted=schedule.weighted)
            put_back()
    return state


@pytest.mark.parametrize("backend", ["cpu", "reference"])
@pytest.mark.parametrize("simultaneous", [False, True])
@pytest.mark.parametrize("schedule_name", SCHEDULES)
def test_a_trunk_learns_what_the_whole_learns_above_frozen_streets(
    schedule_name: str, simultaneous: bool, backend: str
) -> None:
    if find_schedule(schedule_name).foresight:
        pytest.skip("the whole foresees what its lower streets learn before they are put back")
    trunk, whole, strategy, below = cut("leduc", 0, backend)
    solver = Solver(trunk, find_schedule(schedule_name, simultaneous=simultaneous), backend=backend, leaf_values=below)
    solver.iterate(4)
    assert solver.iteration == 4
    expected = frozen_below(whole, strategy, 1, schedule_name, simultaneous, backend)
    for p in (0, 1):
        for mine, theirs in ((solver.state.regrets, expected.regrets), (solver.state.sums, expected.sums)):
            np.testing.assert_allclose(mine[0][p], theirs[0][p], rtol=1e-9, atol=1e-10)


@pytest.mark.parametrize(("name", "last_street"), CUTS)
def test_backends_agree_on_cut_trees(name: str, last_street: int) -> None:
    found = []
    for backend in ("cpu", "reference"):
        trunk, _, _, below = cut(name, last_street, backend)
        solver = Solver(trunk, find_schedule("dcfr"), backend=backend, precision="float64", leaf_values=below)
        solver.iterate(3)
        found.append((solver.measure(), solver.state.regrets))
    (here, ours), (there, theirs) = found
    assert here.by_player == pytest.approx(there.by_player, abs=1e-9 * here.units.initial_pot_chips)
    for mine, other in zip(ours, theirs, strict=True):
        for p in (0, 1):
            np.testing.assert_allclose(mine[p], other[p], rtol=1e-9, atol=1e-8 * here.units.initial_pot_chips)


def test_the_trunk_of_a_solved_game_has_little_to_gain() -> None:
    whole = build_public_tree(load_game("leduc"))
    solver = Solver(whole, find_schedule("dcfr"))
    solver.iterate(500)
    whole_gain = solver.measure().chips
    trunk = build_public_tree(load_game("leduc"), last_street=0)
    below = FixedContinuation(whole, solver.kernel, solver.state.sums)
    upper = Solver(trunk, find_schedule("dcfr"), leaf_values=below)
    gain = upper.measure(solver.state.sums[:1])
    assert 0 <= gain.chips <= whole_gain < 1e-3


def test_leaves_worth_nothing_leave_the_folds() -> None:
    trunk = build_public_tree(load_game("leduc"), last_street=0)
    solver = Solver(trunk, find_schedule("cfr+"), leaf_values=ZeroLeafValues())
    reach = solver.kernel.leaf_reach(solver.state.regrets)
    zeros = [ZeroLeafValues().values(trunk, reach, p) for p in (0, 1)]
    assert all(
        z.shape == r.shape and z.dtype == np.float64 and not z.any()
        for values, reaches in zip(zeros, reach, strict=True)
        for z, r in zip(values, reaches, strict=True)
    )
    solver.run(max_iterations=200)
    # Nobody who may see a showdown for nothing folds, so nobody wins anything.
    assert solver.curve[-1][2] == pytest.approx(0.0, abs=1e-2)
    values = solver.kernel.root_values(solver.state.sums, 0, leaf_values=zeros[0])
    assert trunk.chips(values, 0) == pytest.approx(0.0, abs=1e-2)


# --- what is refused -------------------------------------------------------------------------------------------------


def test_a_cut_tree_needs_leaf_values() -> None:
    trunk = build_public_tree(load_game("leduc"), last_street=0)
    with pytest.raises(SolverOptionError, match="leaf_values"):
        Solver(trunk, find_schedule("dcfr"))


@pytest.mark.parametrize(
    "other",
    [
        lambda: build_public_tree(load_game("leduc.nolimit"), last_street=0),
        lambda: build_public_tree(load_game("leduc")),
        lambda: build_public_tree(subject("rhode-island-short")),
        # The same bets, but other cards.
        lambda: build_public_tree(replace(load_game("leduc"), num_ranks=4), last_street=0),
    ],
)
def test_another_trees_trunk_is_refused(other) -> None:  # type: ignore[no-untyped-def]
    trunk = other()
    _, _, _, below = cut("leduc", 0)
    reach = make_kernel("cpu", trunk.arrays).leaf_reach(trunk.arrays.zeros(np.float64))
    with pytest.raises(InputError, match="not the upper part"):
        below.values(trunk, reach, 0)
