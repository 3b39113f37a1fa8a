"""The precision of a run, its schedule in that precision, and the effect of 16 bits."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from drawn_arrays import same_arrays
from leaf_doubles import FixedContinuation
from small_subjects import spot_text

from errai.engine.loop import Solver
from errai.engine.resources import (
    AVERAGE8_TARGET,
    AVERAGES,
    COARSE_TARGET,
    DTYPES,
    FIXED16_TARGET,
    SMALL_TREE_ENTRIES,
    chosen_precision,
    schedule_in,
    why_not_in_16_bits,
)
from errai.engine.schedules import DEFAULT, SCHEDULES, Schedule, find_schedule
from errai.engine.strategy import FULL_PRECISION_ENTRIES, are_probabilities, board_block, default_encoding, encode
from errai.errors import SolverOptionError, TreeTooLargeError
from errai.games.catalogue import load_game
from errai.games.spot import parse_spot
from errai.kernels.backends import make_kernel
from errai.kernels.protocol import one_in
from errai.solving.solve import solve
from errai.tree.public_tree import PublicTree, build_public_tree

LARGE = FULL_PRECISION_ENTRIES + 1
OWN = Schedule("own", alpha=1.5, beta=0.5, gamma=3.0, weighted=False)
RIVER = spot_text(
    "Qs Jh 2c 8d 3s", "22+,A2s+,K9s+,QTs+,JTs,ATo+,KJo+", "22+,A2s+,K9s+,QTs+,JTs,ATo+,KJo+", bet="50%, a", stack=300
)


@pytest.fixture(scope="module")
def leduc() -> PublicTree:
    return build_public_tree(load_game("leduc"))


@pytest.fixture(scope="module")
def river() -> PublicTree:
    return build_public_tree(parse_spot(RIVER))


# --- what auto stands for --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("entries", "target", "backend", "expected"),
    [
        (1, None, "cpu", "float64"),
        (SMALL_TREE_ENTRIES, None, "cpu", "float64"),
        (SMALL_TREE_ENTRIES, 0.99 * COARSE_TARGET, "cpu", "float64"),
        (SMALL_TREE_ENTRIES, COARSE_TARGET, "cpu", "float32"),
        (SMALL_TREE_ENTRIES + 1, 0.01, "cpu", "float32"),
        (FULL_PRECISION_ENTRIES, 0.01, "cpu", "float32"),
        (LARGE, 0.01, "cpu", "fixed16"),
        (LARGE, FIXED16_TARGET, "cpu", "fixed16"),
        (LARGE, 0.99 * FIXED16_TARGET, "cpu", "float32"),
        (LARGE, None, "cpu", "float32"),
        (LARGE, 0.01, "reference", "float64"),
        (1, None, "cuda", "float64"),
        (1, 0.01, "cuda", "float32"),
        (1, 0.01, "reference", "float64"),
        (LARGE, 0.01, "cuda", "float32"),
    ],
)
def test_auto_looks_at_size_target_and_backend(entries: int, target: float | None, backend: str, expected: str) -> None:
    schedule = find_schedule(DEFAULT)
    found = chosen_precision("auto", schedule, entries=entries, target_pot_fraction=target, backend=backend)
    assert found == expected


@pytest.mark.parametrize("target", [None, 1e-6, 0.99 * AVERAGE8_TARGET])
def test_auto_takes_16_bits_where_nothing_wider_fits(target: float | None) -> None:
    asked: list[str] = []

    def fits(precision: str) -> bool:
        asked.append(precision)
        return False

    schedule = find_schedule(DEFAULT)
    options = {"entries": SMALL_TREE_ENTRIES + 1, "target_pot_fraction": target, "fits": fits}
    assert chosen_precision("auto", schedule, **options) == "fixed16"  # type: ignore[arg-type]
    assert asked == ["float32"]
    # Small trees and the reference are as precise as they can be, and refused elsewhere if that is too much.
    assert chosen_precision("auto", schedule, entries=10, fits=fits) == "float64"
    assert chosen_precision("auto", schedule, entries=LARGE, backend="reference", fits=fits) == "float64"


@pytest.mark.parametrize(
    ("most", "expected"), [("float32", "fixed16"), ("fixed16", "fixed16"), ("average8", "average8")]
)
def test_auto_takes_averages_in_8_bits_only_to_save_memory(most: str, expected: str) -> None:
    names = list(DTYPES)
    found = chosen_precision(
        "auto",
        find_schedule(DEFAULT),
        entries=LARGE,
        target_pot_fraction=AVERAGE8_TARGET,
        fits=lambda precision: names.index(precision) >= names.index(most),
    )
    assert found == expected


@pytest.mark.parametrize(
    ("schedule", "expected"),
    [
        (find_schedule(DEFAULT), "fixed16"),
        (OWN, "fixed16"),
        (replace(OWN, weighted=True), "float32"),
        (replace(OWN, prediction=1.0), "float32"),
        (replace(OWN, simultaneous=True), "float32"),
        (find_schedule(DEFAULT, simultaneous=True), "float32"),
        (find_schedule("cfr+"), "float32"),
        (find_schedule("pcfr+"), "float32"),
    ],
)
def test_auto_takes_16_bits_only_for_schedules_that_lose_nothing_by_it(schedule: Schedule, expected: str) -> None:
    for options in ({"target_pot_fraction": 0.01}, {"fits": lambda precision: precision == "fixed16"}):
        assert chosen_precision("auto", schedule, entries=LARGE, **options) == expected  # type: ignore[arg-type]


@pytest.mark.parametrize("precision", DTYPES)
def test_what_is_asked_for_is_taken(precision: str) -> None:
    for entries in (1, LARGE):
        for target in (None, 1e-9):
            found = chosen_precision(
                precision, find_schedule("cfr"), entries=entries, target_pot_fraction=target, fits=lambda name: False
            )
            assert found == precision


def test_16_bits_are_not_for_the_cuda_backend() -> None:
    schedule = find_schedule(DEFAULT)
    assert chosen_precision("auto", schedule, entries=LARGE, backend="cuda", fits=lambda precision: False) == "float32"
    with pytest.raises(SolverOptionError, match="choose the precision float32, or the backend cpu"):
        chosen_precision("fixed16", schedule, entries=LARGE, backend="cuda")
    with pytest.raises(SolverOptionError, match="choose the precision float32, or the backend cpu"):
        chosen_precision("average8", schedule, entries=LARGE, backend="cuda")


@pytest.mark.parametrize("name", ["float16", "int16", "16", "", "Float32"])
def test_unknown_precisions_are_named(name: str) -> None:
    with pytest.raises(SolverOptionError, match="auto, float32, float64, fixed16"):
        chosen_precision(name, find_schedule(DEFAULT), entries=LARGE)


@pytest.mark.parametrize(
    ("schedule", "reason"),
    [
        (find_schedule("pcfr+"), rf"pcfr\+ predicts .*choose {DEFAULT}, or the precision float32"),
        (find_schedule("cfr+", simultaneous=True), "choose alternating updates, or the precision float32"),
        (replace(OWN, prediction=0.5, simultaneous=True), "own predicts"),
    ],
)
def test_schedules_that_16_bits_cannot_hold_are_refused_with_a_remedy(
    schedule: Schedule, reason: str, leduc: PublicTree
) -> None:
    assert why_not_in_16_bits(schedule) is not None
    with pytest.raises(SolverOptionError, match=reason):
        chosen_precision("fixed16", schedule, entries=LARGE)
    with pytest.raises(SolverOptionError, match=reason):
        Solver(leduc, schedule, precision="fixed16")


# --- solving in 16 bits ----------------------------------------------------------------------------------------------


def test_the_schedule_says_how_it_was_run(leduc: PublicTree) -> None:
    schedule = find_schedule("dcfr")
    assert schedule.weighted
    assert schedule_in("float32", schedule) is schedule
    solver = Solver(leduc, schedule, precision="fixed16")
    assert solver.schedule == replace(schedule, weighted=False) == schedule_in("fixed16", schedule)
    assert Solver(leduc, schedule, precision="float32").schedule == schedule
    assert Solver(leduc, OWN, precision="fixed16").schedule == OWN


@pytest.mark.parametrize("precision", AVERAGES)
@pytest.mark.parametrize(
    ("algorithm", "backend"),
    [
        *((name, "cpu") for name in SCHEDULES if not SCHEDULES[name].predictive),
        # The kit of kernels holds the one backend against the other; here one schedule of each sort is enough.
        *((name, "reference") for name in ("cfr", "dcfr4+", "dcfr-foresight", "hs-dcfr-30")),
    ],
)
def test_every_schedule_that_can_be_run_in_16_bits_converges(
    leduc: PublicTree, algorithm: str, backend: str, precision: str
) -> None:
    solver = Solver(leduc, find_schedule(algorithm), precision=precision, backend=backend)
    assert (solver.precision, solver.schedule.weighted) == (precision, False)
    assert {str(a.dtype) for a in solver.state.arrays().values()} == {
        "int16",
        np.dtype(AVERAGES[precision]).name,
        "float32",
    }
    count = 400 if backend == "cpu" else 60
    solver.iterate(count)
    exact = Solver(leduc, solver.schedule, precision="float64")
    exact.iterate(count)
    # In % of the pot; steps cost most where the average moves slowest, or is one of few iterations, and 8 bits cost
    # more in a game of few hands than in a spot, where the roundings of many hands cancel.
    slow = algorithm in ("cfr", "linear") or algorithm.startswith("hs-")
    lost = (6.0 if slow else 1.0) if precision == "average8" else (2.0 if slow else 0.2)
    assert solver.measure().pot_percent <= exact.measure().pot_percent + lost


@pytest.mark.parametrize("precision", AVERAGES)
def test_both_backends_agree_in_16_bits(river: PublicTree, precision: str) -> None:
    found = []
    for backend in ("cpu", "reference"):
        solver = Solver(river, find_schedule(DEFAULT), precision=precision, backend=backend)
        solver.iterate(3)
        found.append(solver.measure().pot_percent)
    assert found[0] == pytest.approx(found[1], abs=0.01)


@pytest.mark.parametrize(("precision", "target"), [("fixed16", FIXED16_TARGET), ("average8", AVERAGE8_TARGET)])
def test_16_bits_reach_the_target_that_auto_trusts_them_with(river: PublicTree, precision: str, target: float) -> None:
    solver = Solver(river, find_schedule(DEFAULT), precision=precision)
    assert solver.run(target_chips=target * river.initial_pot, max_iterations=2000) == "target met"
    coarser = Solver(river, find_schedule(DEFAULT), precision="float32")
    assert coarser.run(target_chips=target * river.initial_pot, max_iterations=2000) == "target met"
    assert solver.iteration <= 1.5 * coarser.iteration


@pytest.mark.parametrize("backend", ["cpu", "reference"])
def test_leaves_work_in_16_bits(backend: str) -> None:
    whole, trunk = build_public_tree(load_game("leduc")), build_public_tree(load_game("leduc"), last_street=0)
    solved = Solver(whole, find_schedule(DEFAULT))
    solved.iterate(500)
    below = FixedContinuation(whole, make_kernel(backend, whole.arrays), solved.state.sums)
    upper = Solver(trunk, find_schedule(DEFAULT), backend=backend, precision="fixed16", leaf_values=below)
    upper.iterate(50)
    exact = Solver(trunk, replace(find_schedule(DEFAULT), weighted=False), precision="float64", leaf_values=below)
    exact.iterate(50)
    assert upper.measure().chips == pytest.approx(exact.measure().chips, abs=2e-3 * trunk.initial_pot)


# --- the finished strategy -------------------------------------------------------------------------------------------


def largest_error_of_sums(tree: PublicTree, arrays: list[list[np.ndarray]]) -> int:
    """By how many steps the probabilities of a decision miss 1 at most."""
    worst = 0
    for s, street in enumerate(tree.arrays.streets):
        for p in (0, 1):
            for node in np.flatnonzero((street.kind == 0) & (street.actor == p)):
                rows = slice(street.row[node], street.row[node] + street.num_children[node])
                for b in range(street.num_boards):
                    total = board_block(tree, arrays, s, p, b)[rows].sum(axis=0, dtype=np.int64)
                    worst = max(worst, int(np.abs(total - one_in(arrays[s][p].dtype)).max(initial=0)))
    return worst


@pytest.mark.parametrize("precision", AVERAGES)
def test_averages_become_probabilities_where_they_are(river: PublicTree, precision: str) -> None:
    solver = Solver(river, find_schedule(DEFAULT), precision=precision)
    encoding = default_encoding(river.entries, precision)
    solver.iterate(300)
    averages = solver.state.sums
    assert largest_error_of_sums(river, averages) > 1, "the averages as they are need not sum to 1 to the step"
    beside = encode(river, averages, encoding)
    assert largest_error_of_sums(river, beside) <= 1
    assert are_probabilities(river, beside, encoding)
    placed = encode(river, averages, encoding, in_place=True)
    assert placed is averages
    assert same_arrays(placed, beside)


def test_the_current_strategy_comes_from_regrets_in_16_bits(river: PublicTree) -> None:
    solver = Solver(river, find_schedule(DEFAULT), precision="fixed16")
    solver.iterate(50)
    regrets = [[a.copy() for a in pair] for pair in solver.state.regrets]
    current = encode(river, solver.state.source, "uint16")
    assert are_probabilities(river, current, "uint16")
    for before, after, played in zip(regrets, solver.state.regrets, current, strict=True):
        for a, b, c in zip(before, after, played, strict=True):
            assert np.array_equal(a, b)
            assert (c[a > 0] > 0).any()
    shown = solver.measure(solver.state.source)
    assert shown.chips == pytest.approx(solver.measure(current).chips, rel=1e-3)


# --- stalling --------------------------------------------------------------------------------------------------------


def stalled(tree: PublicTree, precision: str, curve: list[tuple[int, float]]) -> bool:
    solver = Solver(tree, find_schedule(DEFAULT), precision=precision)
    solver.curve = [(iteration, 0.0, chips) for iteration, chips in curve]
    solver.iteration = curve[-1][0] if curve else 0
    return solver.has_stalled()


@pytest.mark.parametrize("precision", ["fixed16", "float32", "float64"])
def test_a_run_has_stalled_when_it_had_no_new_low_for_long(leduc: PublicTree, precision: str) -> None:
    assert not stalled(leduc, precision, [])
    assert not stalled(leduc, precision, [(100, 0.5)])
    low = [(50, 0.9), (100, 0.5)]
    assert not stalled(leduc, precision, [*low, (399, 0.7)])
    assert stalled(leduc, precision, [*low, (150, 0.6), (400, 0.5)])
    assert stalled(leduc, precision, [*low, (400, 0.7)])
    assert not stalled(leduc, precision, [*low, (150, 0.49), (400, 0.7)])
    assert not stalled(leduc, precision, [*low, (400, 0.499)])
    # Early on, exploitability may go up for a while.
    assert not stalled(leduc, precision, [(8, 0.1), (99, 0.5)])


def test_only_what_was_measured_at_this_very_iteration_is_judged(leduc: PublicTree) -> None:
    solver = Solver(leduc, find_schedule(DEFAULT), precision="fixed16")
    solver.curve = [(100, 0.0, 0.5), (400, 0.0, 0.6)]
    solver.iteration = 401
    assert not solver.has_stalled()


@pytest.mark.parametrize("precision", ["fixed16", "float32"])
def test_a_target_below_what_the_precision_reaches_ends_the_run_without_any_limit(
    leduc: PublicTree, precision: str
) -> None:
    target = 1e-9 if precision == "fixed16" else 1e-12
    solver = Solver(leduc, find_schedule("dcfr4"), precision=precision)
    assert solver.run(target_chips=target) == "precision limit"
    assert solver.has_stalled()
    # Without a target it goes on.
    iteration = solver.iteration
    assert solver.run(max_iterations=iteration + 10) == "iteration limit"


@pytest.mark.parametrize("algorithm", SCHEDULES)
@pytest.mark.parametrize("simultaneous", [False, True])
def test_runs_in_float64_are_not_taken_for_stalled(leduc: PublicTree, algorithm: str, simultaneous: bool) -> None:
    solver = Solver(leduc, find_schedule(algorithm, simultaneous=simultaneous))
    assert solver.run(target_chips=1e-12, max_iterations=2500) == "iteration limit"


def test_hands_that_respond_best_are_solved_in_float32_where_others_are_in_16_bits(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("errai.engine.resources.FULL_PRECISION_ENTRIES", 0)
    spot = parse_spot(spot_text("Qs Jh 2s 8h", "QQ, T9s, AKo:0.5", "22, AKs"))
    assert solve(spot, "1%pot", locks={"check": {"22": {"check": 1}}}).settings["precision"] == "fixed16"
    found = solve(spot, "1%pot", locks={"check": {"22": "best"}})
    assert found.settings["precision"] == "float32"
    assert found.status.is_success(only_limits=False)
    with pytest.raises(SolverOptionError, match="respond best cannot be kept in 16 bits; choose the precision float32"):
        solve(spot, "1%pot", locks={"check": {"22": "best"}}, precision="fixed16")
    with pytest.raises(TreeTooLargeError, match="Hands that are locked to respond best cannot be kept in 16 bits"):
        solve(spot, "1%pot", locks={"check": {"22": "best"}}, memory=10_000)
