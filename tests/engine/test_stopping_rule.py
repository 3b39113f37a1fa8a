"""When runs measure and when they give up; the native loop against the reference loop."""

from __future__ import annotations

import random

import numpy as np
import pytest
from small_subjects import spot_text

from errai.engine.loop import Solver, has_stalled, next_measurement
from errai.engine.schedules import DEFAULT, find_schedule
from errai.games.catalogue import load_game
from errai.games.spot import parse_spot
from errai.kernels.cpu import CpuKernel
from errai.tree.public_tree import PublicTree, build_public_tree

TURN = spot_text("Qs Jh 2c 8d", "22+, A9s+, K9s+, AJo+", "66-22, ATs+, QTs+, 76s, AQo+:0.5", bet="60%", stack=150)


@pytest.fixture(scope="module")
def leduc() -> PublicTree:
    return build_public_tree(load_game("leduc"))


@pytest.fixture(scope="module")
def turn() -> PublicTree:
    return build_public_tree(parse_spot(TURN))


@pytest.fixture(scope="module")
def raked() -> PublicTree:
    return build_public_tree(parse_spot("rake = { percent = 5, cap = 3 }" + TURN))


# --- the rule --------------------------------------------------------------------------------------------------------


def test_the_first_measurement_comes_early_and_the_next_ones_near_the_target() -> None:
    assert next_measurement([], 1.0) == 8
    # With a slope of -2.8 a tenth is reached after 2.28 times as many iterations, and the rule goes 0.9 of the way.
    assert next_measurement([(100, 0.0, 10.0)], 1.0) == 100 + 115
    # A curve that falls with slope -1 is believed the more, the longer it was seen.
    short, long = [(90, 0.0, 20.0), (100, 0.0, 18.0)], [(10, 0.0, 180.0), (100, 0.0, 18.0)]
    assert next_measurement(short, 9.0) < next_measurement(long, 9.0)


def test_it_goes_neither_too_far_nor_too_short() -> None:
    assert next_measurement([(100, 0.0, 1e9)], 1e-9) == 230
    assert next_measurement([(100, 0.0, 1.0001)], 1.0) == 102
    assert next_measurement([(2, 0.0, 1.0001)], 1.0) == 3


def test_after_a_rise_it_looks_again_soon() -> None:
    assert next_measurement([(50, 0.0, 4.0), (100, 0.0, 9.0)], 1.0) == 130
    assert next_measurement([(50, 0.0, 9.0), (100, 0.0, 9.0)], 1.0) > 180
    # A lower value counts however long ago it was.
    assert next_measurement([(50, 0.0, 4.0), (80, 0.0, 20.0), (100, 0.0, 9.0)], 1.0) == 130


def test_without_a_target_measurements_become_rarer() -> None:
    assert next_measurement([(100, 0.0, 1.0)], None) == 150
    assert next_measurement([(100, 0.0, 0.0)], 0.5) == 150


def test_past_the_target_it_goes_on_in_small_steps() -> None:
    assert next_measurement([(100, 0.0, 1.0)], 2.0) == 105
    assert next_measurement([(8, 0.0, 1.0)], 2.0) == 9


def test_a_stall_needs_a_low_before_and_none_since() -> None:
    old = 25
    assert not has_stalled([])
    assert not has_stalled([(100, 0.0, 1.0)])
    assert has_stalled([(old, 0.0, 1.0), (100, 0.0, 1.0)])
    assert not has_stalled([(old, 0.0, 1.0), (99, 0.0, 1.0)])
    assert not has_stalled([(old, 0.0, 1.0), (100, 0.0, 0.99)])
    # A low that is not yet four times as far back is no sign: turn-tight-against-wide in 16 bits meets 0.1 % later.
    assert not has_stalled([(8, 0.0, 31.3), (19, 0.0, 6.57), (44, 0.0, 1.201), (102, 0.0, 1.308)])


# --- the native loop -------------------------------------------------------------------------------------------------


def both(
    tree: PublicTree, monkeypatch: pytest.MonkeyPatch, precision: str, **limits: float
) -> tuple[tuple[Solver, str], tuple[Solver, str]]:
    """The same run by the native loop and step by step, and how each ended."""
    native = Solver(tree, find_schedule(DEFAULT), precision=precision)
    ended = native.run(**limits)  # type: ignore[arg-type]
    with monkeypatch.context() as patch:
        patch.setattr(CpuKernel, "runs_to_target", False)
        stepwise = Solver(tree, find_schedule(DEFAULT), precision=precision)
        return (native, ended), (stepwise, stepwise.run(**limits))  # type: ignore[arg-type]


def agree(native: Solver, stepwise: Solver, relative: float) -> None:
    assert native.iteration == stepwise.iteration
    assert [point[0] for point in native.curve] == [point[0] for point in stepwise.curve]
    assert np.allclose([p[2] for p in native.curve], [p[2] for p in stepwise.curve], rtol=relative, atol=0)
    mine, theirs = native.state.arrays(), stepwise.state.arrays()
    assert all(np.array_equal(mine[name], theirs[name]) for name in theirs)
    assert native.newest is not None
    assert native.newest.chips == native.curve[-1][2]


@pytest.mark.parametrize("precision", ["float64", "float32", "fixed16"])
@pytest.mark.parametrize("target", [0.5, 0.02, 0.004])
@pytest.mark.parametrize("spot", ["leduc", "turn", "raked"])
def test_the_native_loop_measures_and_ends_as_the_definition_does(
    spot: str, target: float, precision: str, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    tree = request.getfixturevalue(spot)
    (native, ended), (stepwise, other) = both(tree, monkeypatch, precision, target_chips=target)
    assert ended == other == "target met"
    # Without rake the values from which gains are counted cancel, and are left out; with it they are as large as these.
    agree(native, stepwise, 1e-11 if tree.values_cancel else 1e-8)


def test_it_sums_in_float64_what_is_small(turn: PublicTree, monkeypatch: pytest.MonkeyPatch) -> None:
    (native, ended), (stepwise, other) = both(turn, monkeypatch, "float32", target_chips=0.002)
    assert ended == other == "target met"
    assert min(point[2] for point in native.curve[:-1]) < 0.01, "some were measured after one below the bound"
    agree(native, stepwise, 1e-9)


@pytest.mark.parametrize("precision", ["fixed16", "float32"])
def test_both_see_the_same_stall(leduc: PublicTree, precision: str, monkeypatch: pytest.MonkeyPatch) -> None:
    (native, ended), (stepwise, other) = both(leduc, monkeypatch, precision, target_chips=1e-12)
    assert ended == other == "precision limit"
    agree(native, stepwise, 1e-6)


def test_without_a_target_both_measure_now_and_then(leduc: PublicTree, monkeypatch: pytest.MonkeyPatch) -> None:
    (native, ended), (stepwise, other) = both(leduc, monkeypatch, "float64", max_iterations=700)
    assert ended == other == "iteration limit"
    assert native.iteration == 700
    agree(native, stepwise, 1e-11)


def test_a_run_in_pieces_measures_where_the_whole_run_does(turn: PublicTree) -> None:
    whole = Solver(turn, find_schedule(DEFAULT), precision="float32")
    whole.run(target_chips=0.05)
    pieces = Solver(turn, find_schedule(DEFAULT), precision="float32")
    lengths = random.Random(5)
    while not pieces.has_met(0.05):
        pieces.run(target_chips=0.05, max_iterations=pieces.iteration + lengths.randrange(1, 9))
        if pieces.unplanned:
            pieces.curve.pop()  # As resuming does, also where a piece happens to end just after the target is met.
    assert [p[0] for p in whole.curve] == [p[0] for p in pieces.curve]
    assert [p[2] for p in whole.curve] == [p[2] for p in pieces.curve]


def test_the_native_loop_leaves_room_for_interruptions(turn: PublicTree) -> None:
    seen: list[int] = []
    solver = Solver(turn, find_schedule(DEFAULT), precision="float32")
    solver.run(max_seconds=0.4, progress=lambda progress: seen.append(progress.iteration))
    assert len(seen) >= 4, "a call into the kernel takes a twentieth of a second"
    assert solver.iterating_seconds < solver.seconds


def test_a_slow_backend_is_asked_for_no_more_than_the_first_measurement(leduc: PublicTree) -> None:
    seen: list[int] = []
    solver = Solver(leduc, find_schedule(DEFAULT), backend="reference")
    solver.run(max_iterations=20, progress=lambda progress: seen.append(progress.iteration))
    assert seen[0] == 8, "nothing is known of its speed before"
