"""The solve loop: batches, measurements, limits, and stop tokens."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest
from small_subjects import spot_text
from stopwatch import Stopwatch

from errai.engine.loop import BATCH_ITERATIONS, Progress, Solver
from errai.engine.resources import SMALL_TREE_ENTRIES
from errai.engine.schedules import SCHEDULES, find_schedule
from errai.errors import BackendError, SolverOptionError
from errai.games.catalogue import load_game
from errai.games.spot import parse_spot
from errai.kernels.protocol import State
from errai.running.stopping import StopToken
from errai.tree.public_tree import PublicTree, build_public_tree

river = partial(spot_text, "Qs Jh 2c 8d 3s", bet="50%, a", stack=300)


@pytest.fixture(scope="module")
def leduc() -> PublicTree:
    return build_public_tree(load_game("leduc"))


def solver(tree: PublicTree, algorithm: str = "dcfr4", **options) -> Solver:  # type: ignore[no-untyped-def]
    return Solver(tree, find_schedule(algorithm), **options)


def same_state(first: Solver, second: Solver) -> bool:
    arrays, others = first.state.arrays(), second.state.arrays()
    return arrays.keys() == others.keys() and all(np.array_equal(arrays[k], others[k]) for k in arrays)


@pytest.mark.parametrize("algorithm", SCHEDULES)
@pytest.mark.parametrize("simultaneous", [False, True])
def test_iterations_may_come_in_any_batches(leduc: PublicTree, algorithm: str, simultaneous: bool) -> None:
    schedule = find_schedule(algorithm, simultaneous=simultaneous)
    whole, pieces = Solver(leduc, schedule), Solver(leduc, schedule)
    whole.iterate(20)
    for count in (1, 7, 2, 10):
        pieces.iterate(count)
    assert pieces.iteration == whole.iteration == 20
    assert same_state(whole, pieces)


@pytest.mark.parametrize("algorithm", SCHEDULES)
@pytest.mark.parametrize("simultaneous", [False, True])
def test_every_variant_converges_on_leduc(leduc: PublicTree, algorithm: str, simultaneous: bool) -> None:
    found = Solver(leduc, find_schedule(algorithm, simultaneous=simultaneous))
    found.iterate(400)
    # From 2.37; alternating updates are faster for every variant.
    assert found.measure().chips < (0.15 if simultaneous else 0.04)


def test_the_state_that_a_variant_needs(leduc: PublicTree) -> None:
    plain = solver(leduc).state
    assert plain.predicted is None
    assert plain.frozen is None
    assert plain.source is plain.regrets
    predictive = solver(leduc, "pcfr+").state
    assert predictive.source is predictive.predicted
    assert set(predictive.arrays()) == {
        f"{name}/{s}/{p}" for name in ("regrets", "sums", "predicted") for s in (0, 1) for p in (0, 1)
    }
    assert Solver(leduc, find_schedule("cfr", simultaneous=True)).state.frozen is not None


@pytest.mark.parametrize(
    ("precision", "expected"), [("float32", "float32"), ("float64", "float64"), ("auto", "float64")]
)
def test_precision_of_small_trees(leduc: PublicTree, precision: str, expected: str) -> None:
    found = solver(leduc, precision=precision)
    assert found.precision == expected
    assert {a.dtype for a in found.state.arrays().values()} == {np.dtype(expected)}


def test_large_trees_are_solved_in_single_precision() -> None:
    tree = build_public_tree(parse_spot(river("22+, A2s+", "22+, A2s+, K9s+, 54s, AJo+, KTo+, Q9o+, T8o+")))
    assert tree.entries < SMALL_TREE_ENTRIES
    assert solver(tree).precision == "float64"
    larger = build_public_tree(parse_spot(river("random", "random")))
    assert larger.entries > SMALL_TREE_ENTRIES
    assert solver(larger).precision == "float32"
    assert solver(larger, backend="reference").precision == "float64"


def test_a_state_that_is_going_to_be_replaced_takes_no_memory(
    leduc: PublicTree, monkeypatch: pytest.MonkeyPatch
) -> None:
    claimed: list[State] = []
    monkeypatch.setattr(State, "claim", lambda state: claimed.append(state))
    fresh, other = solver(leduc), solver(leduc, fresh=False)
    assert len(claimed) == 1
    assert claimed[0] is fresh.state
    fresh.iterate(3)
    other.iterate(3)
    assert same_state(fresh, other)


def test_claiming_memory_leaves_zeros(leduc: PublicTree) -> None:
    state = State.zeros(leduc.arrays, np.int16, predictive=False, simultaneous=False)
    state.claim()
    assert len(state.arrays()) == 12
    assert not any(array.any() for array in state.arrays().values())


def test_wrong_options_are_named(leduc: PublicTree) -> None:
    with pytest.raises(SolverOptionError, match="auto, float32, float64, fixed16"):
        solver(leduc, precision="float16")
    with pytest.raises(BackendError, match="cpu, reference"):
        solver(leduc, backend="gpu")


# --- run -------------------------------------------------------------------------------------------------------------


def test_a_run_stops_at_its_iterations(leduc: PublicTree) -> None:
    found = solver(leduc)
    assert found.run(max_iterations=33) == "iteration limit"
    assert found.iteration == 33
    assert found.curve[-1][0] == 33
    # It can go on from there, to the same numbers as in one go.
    assert found.run(max_iterations=50) == "iteration limit"
    whole = solver(leduc)
    whole.run(max_iterations=50)
    assert same_state(found, whole)
    assert found.run(max_iterations=50) == "iteration limit"
    assert found.iteration == 50


def test_a_run_stops_at_its_target_as_soon_as_it_is_measured(leduc: PublicTree) -> None:
    found = solver(leduc)
    assert found.run(target_chips=0.01) == "target met"
    assert found.has_met(0.01)
    assert not found.has_met(1e-9)
    *before, last = [point[2] for point in found.curve]
    assert last <= 0.01 < min(before)
    assert found.newest is not None
    assert found.newest.chips == last


def test_a_run_stops_at_its_time(leduc: PublicTree) -> None:
    found = solver(leduc)
    with Stopwatch() as took:
        assert found.run(max_seconds=0.2) == "time limit"
    assert found.seconds >= 0.2
    assert took.seconds <= 2.0
    assert found.curve[-1][0] == found.iteration


def test_a_target_that_is_met_at_the_limit_is_met(leduc: PublicTree) -> None:
    found = solver(leduc)
    assert found.run(target_chips=2.0, max_iterations=3) == "target met"
    assert found.iteration == 3


def test_curves_ascend_in_iterations_and_time(leduc: PublicTree) -> None:
    found = solver(leduc)
    found.run(target_chips=1e-4)
    iterations, seconds, values = np.array(found.curve).T
    assert iterations[0] == 8
    assert (np.diff(iterations) > 0).all()
    assert (np.diff(seconds) > 0).all()
    assert (values > 0).all()
    # Measuring costs about an iteration, so it must stay rare.
    assert len(iterations) < 0.3 * iterations[-1]


def test_measurements_depend_on_the_curve_alone(leduc: PublicTree) -> None:
    first, second = solver(leduc), solver(leduc)
    first.run(target_chips=1e-3)
    second.run(target_chips=1e-3, max_iterations=20)
    if second.unplanned:
        second.curve.pop()  # as resuming does
    second.run(target_chips=1e-3)
    assert [p[0] for p in first.curve] == [p[0] for p in second.curve]
    assert [p[2] for p in first.curve] == [p[2] for p in second.curve]


def test_progress_is_told_after_every_batch_and_at_the_end(leduc: PublicTree) -> None:
    seen: list[Progress] = []
    saved: list[int] = []
    found = solver(leduc)
    found.run(
        target_chips=1e-3, max_iterations=300, progress=seen.append, between=lambda: saved.append(found.iteration)
    )
    assert seen[-1].iteration == found.iteration
    assert [p.iteration for p in seen] == sorted(p.iteration for p in seen)
    assert all(p.target_chips == 1e-3 and p.max_iterations == 300 and p.max_seconds is None for p in seen)
    assert seen[0].iteration == BATCH_ITERATIONS, "a small game comes past its first measurements in one call"
    assert seen[0].measured_at == max(i for i, _, _ in found.curve if i <= BATCH_ITERATIONS) > 8
    for told in seen:
        if told.exploitability is not None:
            assert told.exploitability.chips == {i: v for i, _, v in found.curve}[told.measured_at]
    assert set(saved) <= {p.iteration for p in seen}


def test_an_error_in_a_callback_comes_through_and_the_state_stays(leduc: PublicTree) -> None:
    def fail(progress: Progress) -> None:
        raise RuntimeError("the callback's own")

    found = solver(leduc)
    with pytest.raises(RuntimeError, match="own"):
        found.run(max_iterations=30, progress=fail)
    found.run(max_iterations=30)
    whole = solver(leduc)
    whole.run(max_iterations=30)
    assert same_state(found, whole)


# --- stopping --------------------------------------------------------------------------------------------------------


def test_a_token_ends_the_run_and_nothing_is_lost(leduc: PublicTree) -> None:
    def ask(progress: Progress) -> None:
        if progress.iteration >= 15 and not stop.is_set():
            stop.set()
            at.append(progress.iteration)

    stop, at = StopToken(), list[int]()
    found = solver(leduc)
    assert found.run(max_iterations=10_000, stop=stop, progress=ask) == "interrupted"
    assert found.iteration == at[0] < 10_000
    assert found.curve[-1][0] == found.iteration
    assert found.run(max_iterations=10_000, stop=stop) == "interrupted"
    assert found.iteration == at[0], "a token stays set"
    found.run(max_iterations=found.iteration + 10, stop=StopToken())
    whole = solver(leduc)
    whole.iterate(found.iteration)
    assert same_state(found, whole)


def test_a_token_that_is_set_before_leaves_the_uniform_strategy(leduc: PublicTree) -> None:
    stop = StopToken()
    stop.set()
    found = solver(leduc)
    assert found.run(target_chips=1e-3, stop=stop) == "interrupted"
    assert [point[0] for point in found.curve] == [found.iteration] == [0]
    assert found.newest is not None
    assert found.newest.chips == pytest.approx(2.373611, abs=5e-7), "that of uniform play, as published"
