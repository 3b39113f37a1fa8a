"""The native backend where the conformance kit does not look: odd shapes, every board, threads of every sort."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from awkward_trees import (
    assert_close,
    by_reference,
    compare_on_boards,
    exact,
    iterated,
    schedules_on,
    settings_on,
    spot,
    tree,
)
from drawn_arrays import random_arrays
from odd_trees import with_locks, with_matrices

from errai.engine.schedules import find_schedule
from errai.errors import UnsupportedGameError
from errai.games.catalogue import load_game
from errai.kernels import cpu
from errai.kernels.cpu import MAX_ACTIONS, CpuKernel
from errai.kernels.layout import BEST, FIXED, SHOWDOWN
from errai.kernels.protocol import State
from errai.kernels.reference import ReferenceKernel
from errai.tree.public_tree import PublicTree, build_public_tree

NAMES = (
    "ranges that die",
    "one hand each",
    "the same hands",
    "many lanes",
    "seventeen hands",
    "everybody ties",
    "leduc",
)


@pytest.fixture(params=cpu.instruction_sets())
def instruction_set(request: pytest.FixtureRequest) -> Iterator[str]:
    before = cpu.instruction_set()
    cpu.use_instruction_set(request.param)
    yield request.param
    cpu.use_instruction_set(before)


def test_a_state_that_is_given_other_arrays_learns_in_them() -> None:
    public = tree("leduc")
    kernel, table = CpuKernel(public.arrays), find_schedule("dcfr").coefficients(1, 4)
    states = [State.zeros(public.arrays, np.float64, predictive=False, simultaneous=False) for _ in range(2)]
    kernel.iterate(states[0], table[:2])
    before = {name: array.copy() for name, array in states[0].arrays().items()}
    old = states[0].arrays()
    states[0].adopt({name: array.copy() for name, array in before.items()})
    kernel.iterate(states[0], table[2:])
    kernel.iterate(states[1], table)
    assert all(np.array_equal(old[name], array) for name, array in before.items())
    after = states[0].arrays()
    assert all(np.array_equal(after[name], array) for name, array in states[1].arrays().items())
    assert any(not np.array_equal(after[name], array) for name, array in before.items())


def test_a_range_dies_on_some_boards() -> None:
    """Otherwise the test below would not test what it claims."""
    hands = tree("ranges that die").deal.streets[1].hands
    sizes = [np.diff(h.start) for h in hands]
    assert min(sizes[0]) == 0
    assert min(sizes[1]) == 1
    sizes = [np.diff(h.start) for h in tree("one hand each").deal.streets[1].hands]
    assert [min(s) for s in sizes] == [0, 0]


@pytest.mark.parametrize("name", NAMES)
def test_values_on_every_board_equal_the_reference(name: str, instruction_set: str) -> None:
    public = tree(name)
    compare_on_boards(CpuKernel(public.arrays), public, random_arrays(public.arrays, 1), 60)


@pytest.mark.parametrize("name", NAMES, scope="module")
@pytest.mark.parametrize("simultaneous", [False, True])
def test_iterations_from_any_state_equal_the_reference(name: str, simultaneous: bool, instruction_set: str) -> None:
    kernel = CpuKernel(tree(name).arrays)
    for algorithm, weighted in settings_on(name, simultaneous):
        here = iterated(kernel, name, algorithm, simultaneous, weighted)
        assert_close(here, by_reference(name, algorithm, simultaneous, weighted), 1e-11, f"{algorithm}, {weighted}")


def once(kernel: CpuKernel | ReferenceKernel, name: str, algorithm: str, dtype: type) -> dict[str, np.ndarray]:
    """The state after one iteration from random regrets that single precision can hold."""
    public, schedule = tree(name), find_schedule(algorithm)
    start = [random_arrays(public.arrays, seed, low) for seed, low in ((3, -100.0), (4, 0.0), (5, 0.0))]
    groups = [[[a.astype(np.float32).astype(dtype) for a in pair] for pair in group] for group in start]
    state = State(groups[0], groups[1], groups[2] if schedule.predictive else None)
    kernel.iterate(state, schedule.coefficients(7, 1))
    return state.arrays()


@cache
def rounded(name: str, algorithm: str) -> dict[str, np.ndarray]:
    """The same by the reference in double precision, once for all instruction sets."""
    return once(exact(name), name, algorithm, np.float64)


@pytest.mark.parametrize("name", NAMES, scope="module")
def test_single_precision_rounds_and_does_nothing_else(name: str, instruction_set: str) -> None:
    """One iteration from random regrets: after more, rounding decides between actions that are equally good."""
    kernel = CpuKernel(tree(name).arrays)
    for algorithm in schedules_on(name):
        assert_close(once(kernel, name, algorithm, np.float32), rounded(name, algorithm), 1e-5, algorithm)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_reach_at_leaves_equals_the_reference(dtype: type, instruction_set: str) -> None:
    for subject, last in (
        (load_game("leduc.nolimit"), 0),
        (load_game("rhode-island"), 1),
        (spot("Td 9d 6d", "TT, AKs:0.5", "99, AcKd", bet="50%", raises="a"), 1),
    ):
        trunk = build_public_tree(subject, last_street=last)
        source = random_arrays(trunk.arrays, 6, low=-50.0)
        source = [[a.astype(dtype) for a in pair] for pair in source]
        here, there = (k(trunk.arrays).leaf_reach(source) for k in (CpuKernel, ReferenceKernel))
        for mine, theirs in zip(here, there, strict=True):
            for a, b in zip(mine, theirs, strict=True):
                assert a.dtype == np.float64
                np.testing.assert_allclose(a, b, rtol=0, atol=1e-13 if dtype is np.float64 else 1e-6)


def large() -> PublicTree:
    public = build_public_tree(
        spot("Qs Jh 2c 8d", "22+, A2s+, K2s+, QTs+, ATo+", "22+, A2s+, KTs+", 100, "60%, a", "a")
    )
    assert public.entries > 100_000, "the tree must be large enough for the kernel to start threads"
    return public


def large_river() -> PublicTree:
    public = build_public_tree(
        spot("Qs Jh 2c 8d 3s", "66+, A9s+, KTs+", "22+, ATs+", 2000, "33%, 60%, 100%, a", "2.5x, 4x, a")
    )
    street = public.arrays.streets[0]
    assert (street.kind == SHOWDOWN).sum() > 128, "one board, divided among threads only if it has many lanes"
    assert public.entries > 20_000
    return public


@pytest.mark.parametrize("make_tree", [large, large_river])
@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int16])
@pytest.mark.parametrize("algorithm", ["dcfr-foresight", "pcfr+"])
def test_threads_change_no_bit_on_any_instruction_set(
    algorithm: str, dtype: type, make_tree: Callable[[], PublicTree], instruction_set: str
) -> None:
    if dtype == np.int16 and algorithm == "pcfr+":
        pytest.skip("16 bits are for alternating updates without prediction")
    public = make_tree()
    schedule = find_schedule(algorithm, simultaneous=algorithm == "pcfr+")
    found = []
    for threads in (1, 2, 3, 40):
        kernel = CpuKernel(public.arrays, threads)
        state = State.zeros(public.arrays, dtype, predictive=schedule.predictive, simultaneous=schedule.simultaneous)
        kernel.iterate(state, schedule.coefficients(1, 4))
        values = {f"{p} {role}": kernel.root_values(state.sums, p, role=role) for p in (0, 1) for role in (FIXED, BEST)}
        found.append({**state.arrays(), **values})
    for other in found[1:]:
        assert all(np.array_equal(found[0][key], other[key]) for key in found[0])


@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_process_that_was_forked_does_the_work_alone() -> None:
    """Threads do not survive a fork; the child must neither wait for them nor for their end."""
    public = large_river()
    kernel = CpuKernel(public.arrays, 2)
    strategy = random_arrays(public.arrays, 8)
    expected = kernel.root_values(strategy, 0, role=BEST)
    child = os.fork()
    if child == 0:
        same = np.array_equal(kernel.root_values(strategy, 0, role=BEST), expected)
        del kernel
        os._exit(0 if same else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def test_python_threads_may_share_a_kernel() -> None:
    public = tree("many lanes")
    kernel = CpuKernel(public.arrays)
    strategies = [random_arrays(public.arrays, seed) for seed in range(8)]
    expected = [kernel.root_values(s, 0, role=BEST) for s in strategies]
    found: dict[int, list[np.ndarray]] = {}

    def work(number: int) -> None:
        found[number] = [kernel.root_values(strategies[number], 0, role=BEST) for _ in range(50)]

    workers = [threading.Thread(target=work, args=(n,)) for n in range(8)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    for number, values in found.items():
        assert all(np.array_equal(v, expected[number]) for v in values)
    assert len(found) == 8


def test_the_kernel_lets_other_python_threads_run() -> None:
    public = large()
    kernel = CpuKernel(public.arrays)
    state = State.zeros(public.arrays, np.float32, predictive=False, simultaneous=False)
    table = find_schedule("dcfr").coefficients(1, 60)
    worker = threading.Thread(target=lambda: kernel.iterate(state, table))
    ticks = 0
    worker.start()
    while worker.is_alive():
        ticks += 1
        worker.join(0.001)
    assert ticks > 5


def test_the_widest_node_that_the_kernel_takes() -> None:
    def wide(sizes: int) -> PublicTree:
        menu = ", ".join(f"{10 + i}c" for i in range(sizes))
        return build_public_tree(spot("Qs Jh 2c 8d 3s", "AA, KTs", "QJs, TT", 400, menu))

    most = wide(MAX_ACTIONS - 1)
    assert int(most.arrays.streets[0].num_children.max()) == MAX_ACTIONS
    strategy = random_arrays(most.arrays, 9)
    here, there = (k(most.arrays).root_values(strategy, 0) for k in (CpuKernel, ReferenceKernel))
    np.testing.assert_allclose(here, there, atol=1e-9 * np.abs(there).max())
    with pytest.raises(UnsupportedGameError, match=f"{MAX_ACTIONS + 1} actions; the cpu backend takes {MAX_ACTIONS}"):
        CpuKernel(wide(MAX_ACTIONS).arrays)
    # The reference takes any number.
    ReferenceKernel(wide(MAX_ACTIONS).arrays).root_values(random_arrays(wide(MAX_ACTIONS).arrays, 9), 0, role=BEST)


def test_instruction_sets_are_named_the_best_first() -> None:
    names = cpu.instruction_sets()
    assert cpu.instruction_set() == names[0]
    assert names[-1] == "baseline"


def test_locks_and_matrices_of_other_sizes_are_refused() -> None:
    plain = tree("leduc").arrays
    locked, paired = with_locks(plain), with_matrices(plain)
    street = locked.streets[1]
    locks = street.locks[0]
    assert locks is not None
    last = int(locks.at.max())
    for wrong in (
        replace(locks, at=locks.at[1:]),
        replace(locks, at=np.where(locks.at == last, last + 1, locks.at).astype(np.int32)),
        replace(locks, at=locks.at.astype(np.int64)),
        replace(locks, role=locks.role[:-1]),
        replace(locks, role=np.full_like(locks.role, 3)),
        replace(locks, strategy=locks.strategy[:-1]),
        replace(locks, strategy_start=locks.strategy_start + 1),
        replace(locks, role_start=locks.role_start[:-1]),
    ):
        streets = locked.streets[0], replace(street, locks=(wrong, None))
        with pytest.raises(ValueError, match="locks do not belong"):
            CpuKernel(replace(locked, streets=streets))
    street = paired.streets[1]
    matrix = street.matrices[0]
    assert street.matrix is not None
    for changed in (
        {"matrices": (replace(matrix, margin=(matrix.margin[0], matrix.margin[1][1:])), matrix)},
        {"matrices": (replace(matrix, tie=(matrix.margin[0][1:], matrix.margin[1])), matrix)},
        {"matrices": (matrix,)},
        {"matrix": np.zeros_like(street.matrix)},
        {"matrix": street.matrix[:-1]},
    ):
        streets = paired.streets[0], replace(street, **changed)
        with pytest.raises(ValueError, match="matrices of pairs do not belong"):
            CpuKernel(replace(paired, streets=streets))


def test_hands_of_a_class_must_be_equivalent() -> None:
    arrays = tree("leduc").arrays
    first = arrays.streets[0]
    hands = first.hands[0]
    assert np.diff(hands.member_start).max() == 2
    # Of the jacks one is said to be a queen, which another class holds too.
    wrong = replace(
        hands, member_cards=np.where(np.arange(len(hands.member_cards))[:, None] == 1, 2, hands.member_cards)
    )
    streets = replace(first, hands=(wrong, wrong)), *arrays.streets[1:]
    with pytest.raises(ValueError, match="are not equivalent"):
        CpuKernel(replace(arrays, streets=streets))
