"""The PyTorch backend where the conformance kit does not look; on the CPU, and on a GPU if there is one."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from awkward_trees import (
    FEW,
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

import errai
from errai.engine import loop
from errai.engine.schedules import find_schedule
from errai.errors import BackendError, TreeTooLargeError
from errai.games.catalogue import load_game
from errai.kernels.backends import make_kernel
from errai.kernels.batch import TreeBatch, stack
from errai.kernels.cpu import CpuKernel
from errai.kernels.layout import BEST, FIXED
from errai.kernels.protocol import COEFFICIENTS, State
from errai.kernels.reference import ReferenceKernel
from errai.tree.public_tree import PublicTree, build_public_tree

torch = pytest.importorskip("torch")

from errai.kernels.cuda import CudaKernel, ResidentState  # noqa: E402
from errai.kernels.cuda.indices import rounds  # noqa: E402

NAMES = ("ranges that die", "one hand each", "the same hands", "many actions", "unlike ranges", "leduc")
DEVICES = [
    "cpu",
    pytest.param("cuda", marks=pytest.mark.skipif(not torch.cuda.is_available(), reason="there is no GPU here")),
]


@pytest.fixture(autouse=True)
def one_thread() -> Iterator[None]:
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


def random_state(arrays: Any, algorithm: str, simultaneous: bool = False, dtype: type = np.float64) -> State:
    """From random regrets no two actions are equally good, so that nothing hangs on a rounding."""
    return State(
        random_arrays(arrays, 3, -100.0, dtype),
        random_arrays(arrays, 4, dtype=dtype),
        random_arrays(arrays, 5, -100.0, dtype) if find_schedule(algorithm).predictive else None,
        arrays.zeros(dtype) if simultaneous else None,
    )


def assert_same_states(here: State, there: State, tolerance: float, case: str = "") -> None:
    assert_close(here.arrays(), there.arrays(), tolerance, case)


# --- against the reference -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("simultaneous", [False, True])
def test_iterations_from_any_state_equal_the_reference(name: str, simultaneous: bool, device: str) -> None:
    arrays = tree(name).arrays
    whole = CudaKernel(arrays, device=device)
    for algorithm, weighted in settings_on(name, simultaneous):
        if algorithm not in FEW:
            continue
        there = by_reference(name, algorithm, simultaneous, weighted)
        # The last street board by board gives the same.
        in_blocks = [CudaKernel(arrays, device=device, scratch_bytes=1)] if algorithm == "pcfr+" else []
        for kernel in (whole, *in_blocks):
            here = iterated(kernel, name, algorithm, simultaneous, weighted)
            assert_close(here, there, 1e-11, f"{algorithm}, {weighted}")


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("name", NAMES)
def test_single_precision_rounds_and_does_nothing_else(name: str, device: str) -> None:
    """Half an iteration: a second half may answer a rounding of the first with another action."""
    arrays = tree(name).arrays
    kernel = CudaKernel(arrays, device=device)
    for algorithm in schedules_on(name):
        row = find_schedule(algorithm).coefficients(7, 1)[0]
        for player in (0, 1):
            state = random_state(arrays, algorithm, dtype=np.float32)
            expected = State(
                *(
                    group and [[a.astype(np.float64) for a in pair] for pair in group]
                    for group in (state.regrets, state.sums, state.predicted)
                )
            )
            kernel.update(state, player, row)
            exact(name).update(expected, player, row)
            assert_same_states(state, expected, 1e-5, algorithm)


@pytest.mark.parametrize("name", NAMES)
def test_values_on_every_board_equal_the_reference(name: str) -> None:
    public = tree(name)
    kernel = CudaKernel(public.arrays, device="cpu")
    compare_on_boards(kernel, public, random_arrays(public.arrays, 1), 12)


@pytest.mark.parametrize("scratch_bytes", [None, 1])
def test_leaves_below_any_street_equal_the_reference(scratch_bytes: int | None) -> None:
    for subject, last in (
        (load_game("leduc.nolimit"), 0),
        (spot("Td 9d 6d", "TT, AKs:0.5", "99, AcKd", bet="50%", raises="a"), 1),
    ):
        arrays = build_public_tree(subject, last_street=last).arrays
        ours, theirs = CudaKernel(arrays, device="cpu", scratch_bytes=scratch_bytes), ReferenceKernel(arrays)
        source = random_arrays(arrays, 6, -50.0)
        for dtype in (np.float64, np.float32, np.int16):
            typed = [[a.astype(dtype) for a in pair] for pair in source]
            for mine, their in zip(ours.leaf_reach(typed), theirs.leaf_reach(typed), strict=True):
                for a, b in zip(mine, their, strict=True):
                    assert a.dtype == np.float64
                    np.testing.assert_allclose(a, b, rtol=0, atol=1e-13)
        generator = np.random.default_rng(8)
        for p in (0, 1):
            leaves = [generator.normal(size=arrays.leaf_zeros(s, p, np.int8).size) for s in range(last + 1)]
            found = [random_state(arrays, "dcfr", simultaneous=True) for _ in range(2)]
            for kernel, state in zip((ours, theirs), found, strict=True):
                state.freeze()
                kernel.update(state, p, find_schedule("dcfr").coefficients(3, 1)[0], leaf_values=leaves)
            assert_same_states(*found, 1e-11)
            here, there = (k.root_values(source, p, role=BEST, leaf_values=leaves) for k in (ours, theirs))
            np.testing.assert_allclose(here, there, rtol=0, atol=1e-10)


# --- blocks and repetition -------------------------------------------------------------------------------------------


def test_little_scratch_memory_means_many_blocks() -> None:
    arrays = tree("unlike ranges").arrays
    whole, boards = CudaKernel(arrays, device="cpu"), CudaKernel(arrays, device="cpu", scratch_bytes=1)
    assert [len(s.blocks) for s in whole._device_tree.streets] == [1, 1]
    assert [len(s.blocks) for s in boards._device_tree.streets] == [1, arrays.streets[1].num_boards]
    some = CudaKernel(arrays, device="cpu", scratch_bytes=200_000)
    assert 2 <= len(some._device_tree.streets[1].blocks) < arrays.streets[1].num_boards
    strategy = random_arrays(arrays, 1)
    for p in (0, 1):
        for role in (FIXED, BEST):
            values = [k.root_values(strategy, p, role=role) for k in (whole, boards, some)]
            np.testing.assert_allclose(values[1], values[0], rtol=0, atol=1e-9)
            np.testing.assert_allclose(values[2], values[0], rtol=0, atol=1e-9)


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("name", ["unlike ranges", "many actions"])
def test_every_run_gives_the_same_bits(name: str, dtype: type, device: str) -> None:
    arrays = tree(name).arrays
    found = []
    for _ in range(3):
        kernel = CudaKernel(arrays, device=device)
        state = random_state(arrays, "pcfr+", dtype=dtype)
        kernel.iterate(state, find_schedule("pcfr+").coefficients(1, 6))
        values = {f"{p}": kernel.root_values(state.sums, p, role=BEST) for p in (0, 1)}
        found.append({**state.arrays(), **values})
    for other in found[1:]:
        assert all(np.array_equal(found[0][key], other[key]) for key in found[0])


def test_no_target_comes_twice_in_a_round() -> None:
    generator = np.random.default_rng(0)
    for size in (0, 1, 7, 40):
        targets = generator.integers(0, 6, size)
        parts = rounds(targets)
        assert sorted(np.concatenate([np.zeros(0, int), *parts])) == list(range(size))
        assert all(len(set(targets[part])) == len(part) for part in parts)
        assert len(parts) == np.bincount(targets, minlength=1).max()


# --- batches ---------------------------------------------------------------------------------------------------------

RANGES = (
    ("AA, KK:0.3, QQ, AQs:0.5, 98s, 54s", "JJ, TT, AJs, QJs, T9s, 65s, A5s"),
    ("AcAd", "KcKd, AhKh"),
    ("22+, AKs:0.2", "A2s+, 76s"),
    ("T9o, 54s", "T9o, 54s"),
)


@cache
def spots(kind: str) -> tuple[PublicTree, ...]:
    """Four spots with the same lines of bets: other boards, ranges, pots and stacks, but the same menu."""
    boards = {
        "river": ("Qs Jh 2c 8d 3s", "Td 9d 6d 2c 5h", "As Ks Qs Js 2d", "7c 7d 7h 2s 2c"),
        "turn": ("Qs Jh 2c 8d", "Td 9d 6d 2c", "As Ks Qs Js", "7c 7d 2h 2s"),
    }[kind]
    return tuple(
        build_public_tree(spot(board, oop, ip, stack=90 * size, bet="50%", raises="a", pot=40 * size))
        for board, (oop, ip), size in zip(boards, RANGES, (1, 3, 1, 10), strict=True)
    )


def batch(kind: str) -> TreeBatch:
    return stack([public.arrays for public in spots(kind)])


@cache
def alone(kind: str, algorithm: str, simultaneous: bool) -> list[tuple[State, dict[tuple[int, int], np.ndarray]]]:
    """The reference on each spot after three iterations, and what its averages are worth by player and role."""
    schedule = find_schedule(algorithm, simultaneous=simultaneous)
    found = []
    for public in spots(kind):
        kernel = ReferenceKernel(public.arrays)
        state = State.zeros(public.arrays, np.float64, predictive=schedule.predictive, simultaneous=simultaneous)
        kernel.iterate(state, schedule.coefficients(1, 3))
        worth = {(p, r): kernel.root_values(state.sums, p, role=r) for p in (0, 1) for r in (FIXED, BEST)}
        found.append((State(state.regrets, state.sums), worth))
    return found


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("scratch_bytes", [None, 1])
@pytest.mark.parametrize("kind", ["river", "turn"])
def test_a_batch_of_spots_is_each_spot_alone(kind: str, scratch_bytes: int | None, device: str) -> None:
    together = batch(kind)
    kernel = CudaKernel(together, device=device, scratch_bytes=scratch_bytes)
    for algorithm, simultaneous in (("dcfr4", False), ("pcfr+", True)):
        schedule = find_schedule(algorithm, simultaneous=simultaneous)
        table = schedule.coefficients(1, 3)
        state = State.zeros(
            together.arrays, np.float64, predictive=schedule.predictive, simultaneous=schedule.simultaneous
        )
        kernel.iterate(state, table)
        values = {
            (p, role): together.split(kernel.root_values(state.sums, p, role=role), p)
            for p in (0, 1)
            for role in (FIXED, BEST)
        }
        for g, (expected, worth) in enumerate(alone(kind, algorithm, simultaneous)):
            own = State(together.part(state.regrets, g), together.part(state.sums, g))
            assert_same_states(own, expected, 1e-8, f"{algorithm}, game {g}")
            for which, there in worth.items():
                atol = 1e-8 * max(1.0, np.abs(there).max())
                np.testing.assert_allclose(values[which][g], there, rtol=0, atol=atol)


def test_values_on_the_boards_of_a_batch() -> None:
    together = batch("turn")
    kernel = CudaKernel(together, device="cpu")
    strategy = random_arrays(together.arrays, 1)
    generator = np.random.default_rng(2)
    for s in (0, 1):
        for g, public in enumerate(spots("turn")):
            street, own = public.arrays.streets[s], together.part(strategy, g)
            board = street.num_boards - 1
            for p in (0, 1):
                start = street.hands[1 - p].start
                reach = generator.random((street.num_entries, int(start[board + 1] - start[board])))
                here = kernel.board_values(strategy, p, s, int(together.boards[s][g]) + board, reach)
                there = ReferenceKernel(public.arrays).board_values(own, p, s, board, reach)
                np.testing.assert_allclose(here, there, rtol=0, atol=1e-10 * max(1.0, np.abs(there).max(initial=0)))


def test_a_batch_of_one_is_the_game() -> None:
    arrays = tree("leduc").arrays
    table = find_schedule("dcfr4").coefficients(1, 5)
    states = [State.zeros(arrays, np.float64, predictive=False, simultaneous=False) for _ in range(2)]
    for subject, state in zip((arrays, stack([arrays])), states, strict=True):
        CudaKernel(subject, device="cpu").iterate(state, table)
    assert_same_states(*states, 0.0)


# --- a state that is held --------------------------------------------------------------------------------------------


def test_a_held_state_is_out_of_date_until_it_is_asked_for() -> None:
    arrays = tree("unlike ranges").arrays
    table = find_schedule("dcfr4").coefficients(1, 8)
    kernel = CudaKernel(arrays, device="cpu")
    plain, state = random_state(arrays, "dcfr4"), random_state(arrays, "dcfr4")
    before = state.sums[1][0].copy()
    kernel.iterate(plain, table)
    with kernel.hold(state):
        kernel.iterate(state, table[:3])
        kernel.iterate(state, table[3:])
        assert np.array_equal(state.sums[1][0], before)
        # The kernel knows better than the arrays.
        for p in (0, 1):
            assert np.array_equal(
                kernel.root_values(state.sums, p, role=BEST), kernel.root_values(plain.sums, p, role=BEST)
            )
        reach = np.ones((1, len(arrays.root_reach[1])))
        assert np.array_equal(
            kernel.board_values(state.sums, 0, 0, 0, reach), kernel.board_values(plain.sums, 0, 0, 0, reach)
        )
        assert np.array_equal(state.arrays()["sums/1/0"], plain.sums[1][0])
        with pytest.raises(ValueError, match="held already"), kernel.hold(state):
            pass
        kernel.iterate(state, table[:1])
    kernel.iterate(plain, table[:1])
    assert state.elsewhere is None
    assert_same_states(state, plain, 0.0)


def test_a_held_state_comes_home_from_an_error() -> None:
    arrays = tree("leduc").arrays
    kernel = CudaKernel(arrays, device="cpu")
    state = State.zeros(arrays, np.float64, predictive=False, simultaneous=False)

    def work() -> None:
        with kernel.hold(state):
            kernel.iterate(state, find_schedule("cfr").coefficients(1, 2))
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        work()
    assert state.sums[0][0].any()


def test_half_iterations_of_a_held_state_play_what_was_frozen() -> None:
    arrays = build_public_tree(load_game("leduc"), last_street=0).arrays
    kernel = CudaKernel(arrays, device="cpu")
    leaves = [[np.random.default_rng(p).normal(size=arrays.leaf_zeros(0, p, np.int8).size)] for p in (0, 1)]
    for simultaneous in (False, True):
        plain, state = (random_state(arrays, "pcfr+", simultaneous) for _ in range(2))

        def run(target: State, kernel: Any = kernel) -> None:
            for row in find_schedule("pcfr+").coefficients(1, 3):
                target.freeze()
                for p in (0, 1):
                    reach = kernel.leaf_reach(target.played)
                    kernel.update(target, p, row, leaf_values=[leaves[p][0] * reach[1 - p][0].sum()])

        run(plain)
        with kernel.hold(state):
            run(state)
        assert_same_states(state, plain, 0.0)


@pytest.mark.parametrize("name", ["leduc", "unlike ranges"])
def test_the_solve_loop_holds_its_state(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    public = tree(name)
    expected = loop.Solver(public, find_schedule("dcfr4"), precision="float64")
    expected.run(max_iterations=60)
    monkeypatch.setattr(loop, "make_kernel", lambda name, arrays, threads, rule: CudaKernel(arrays, device="cpu"))
    monkeypatch.setattr(loop, "BATCH_SECONDS", 0.0)
    solver = loop.Solver(public, find_schedule("dcfr4"), backend="cuda", precision="float64")
    saved: list[dict[str, np.ndarray]] = []

    def between() -> None:
        assert solver.state.elsewhere is not None
        if solver.iteration == 30:
            saved.append({key: array.copy() for key, array in solver.state.arrays().items()})

    assert solver.run(max_iterations=60, between=between) == "iteration limit"
    here, there = ([value for _, _, value in s.curve] for s in (solver, expected))
    # Rounding grows from iteration to iteration where actions are equally good.
    np.testing.assert_allclose(here, there, rtol=1e-4)
    # A run resumed from what was saved half way ends where the whole run did.
    resumed = loop.Solver(public, find_schedule("dcfr4"), backend="cuda", precision="float64")
    resumed.state.adopt(saved[0])
    resumed.iteration = 30
    resumed.run(max_iterations=60)
    assert_same_states(resumed.state, solver.state, 0.0)


def test_a_game_is_solved_and_looked_at(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(loop, "make_kernel", lambda name, arrays, threads, rule: CudaKernel(arrays, device="cpu"))
    checkpoint = tmp_path / "checkpoint"
    solution = errai.solve(
        errai.load_game("leduc"), "0.05chips", backend="cuda", checkpoint=checkpoint, checkpoint_seconds=1e-9
    )
    assert (solution.status, solution.settings["backend"]) == ("target met", "cuda")
    assert solution.exploitability.chips <= 0.05
    assert sum(solution.root.strategy("Ks").values()) == pytest.approx(1.0)
    assert np.isfinite(solution.root.ev).all()
    assert checkpoint.exists()


def test_backends_without_memory_of_their_own_hold_nothing() -> None:
    arrays = tree("leduc").arrays
    state = State.zeros(arrays, np.float64, predictive=False, simultaneous=False)
    with CpuKernel(arrays).hold(state):
        assert state.elsewhere is None


# --- graphs ----------------------------------------------------------------------------------------------------------


class Replayed:
    """In the place of a CUDA graph: replays by running."""

    def __init__(self, state: ResidentState, weighted: bool) -> None:
        self.state, self.weighted, self.count = state, weighted, 0

    def replay(self) -> None:
        self.count += 1
        self.state._iteration(self.weighted)


@pytest.mark.parametrize("refused", [False, True])
def test_iterations_are_counted_alike_with_graphs(refused: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """When to warm up, to capture, to replay and to give up; what CUDA does is tested where there is a GPU."""
    arrays = tree("leduc").arrays
    table = find_schedule("dcfr4").coefficients(1, 9)
    events: list[str] = []

    def warm_up(self: ResidentState, weighted: bool) -> None:
        events.append("warm up")
        self._iteration(weighted)
        self._warm.add(weighted)

    def capture(self: ResidentState, weighted: bool) -> None:
        events.append("capture")
        assert self._graphs is not None
        if refused:
            self._graphs = None
            self._iteration(weighted)
        else:
            self._graphs[weighted] = Replayed(self, weighted)
            self._graphs[weighted].replay()

    monkeypatch.setattr(ResidentState, "_warm_up", warm_up)
    monkeypatch.setattr(ResidentState, "_capture", capture)
    plain, state = (random_state(arrays, "dcfr4") for _ in range(2))
    kernel = CudaKernel(arrays, device="cpu")
    kernel.iterate(plain, table)
    kernel.iterate(plain, table[:2], weighted=False)
    assert events == []
    kernel._graphs = True
    kernel.iterate(state, table)
    assert events == ["warm up", "capture"]
    kernel.iterate(state, table[:2], weighted=False)
    assert events == ["warm up", "capture", "warm up", "warm up"]
    assert_same_states(state, plain, 0.0)


@pytest.mark.skipif(not torch.cuda.is_available(), reason="there is no GPU here")
@pytest.mark.parametrize("simultaneous", [False, True])
@pytest.mark.parametrize("scratch_bytes", [None, 1])
def test_graphs_change_no_bit(simultaneous: bool, scratch_bytes: int | None) -> None:
    arrays = tree("unlike ranges").arrays
    table = find_schedule("dcfr4").coefficients(1, 12)
    states = [random_state(arrays, "dcfr4", simultaneous, np.float32) for _ in range(2)]
    for state, graphs in zip(states, (False, True), strict=True):
        kernel = CudaKernel(arrays, device="cuda", graphs=graphs, scratch_bytes=scratch_bytes)
        with kernel.hold(state):
            for part in np.split(table, (5, 6)):
                kernel.iterate(state, part)
    assert_same_states(*states, 0.0)


# --- what is refused -------------------------------------------------------------------------------------------------


def test_read_only_and_foreign_arrays() -> None:
    arrays = tree("leduc").arrays
    kernel = CudaKernel(arrays, device="cpu")
    strategy = random_arrays(arrays, 1)
    expected = kernel.root_values(strategy, 0, role=BEST)
    for pair in strategy:
        for array in pair:
            array.flags.writeable = False
    assert np.array_equal(kernel.root_values(strategy, 0, role=BEST), expected)
    with pytest.raises(ValueError, match="leaf values do not belong"):
        kernel.root_values(strategy, 0, role=BEST, leaf_values=[np.zeros(3), np.zeros(3)])


def test_16_bit_states_are_refused_with_the_remedy() -> None:
    arrays = tree("leduc").arrays
    state = State.zeros(arrays, np.int16, predictive=False, simultaneous=False)
    with pytest.raises(BackendError, match=r"float32 or float64.*backend 'cpu'"):
        CudaKernel(arrays, device="cpu").iterate(state, np.ones((1, len(COEFFICIENTS))))


@pytest.mark.skipif(torch.cuda.is_available(), reason="there is a GPU here")
def test_a_missing_gpu_is_named_with_the_remedy() -> None:
    for make in (lambda: make_kernel("cuda", tree("leduc").arrays), lambda: CudaKernel(tree("leduc").arrays)):
        with pytest.raises(BackendError, match=r"no GPU for the device 'cuda'.*backend 'cpu'"):
            make()


@pytest.mark.parametrize("device", ["abacus", "meta"])
def test_other_devices_are_refused(device: str) -> None:
    with pytest.raises(BackendError, match=device):
        CudaKernel(tree("leduc").arrays, device=device)


def test_full_memory_is_an_error_of_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*arguments: Any, **named: Any) -> None:
        raise torch.cuda.OutOfMemoryError("out of memory")

    kernel = CudaKernel(tree("leduc").arrays, device="cpu")
    monkeypatch.setattr(ResidentState, "iterate", full)
    state = State.zeros(kernel.tree, np.float64, predictive=False, simultaneous=False)
    with pytest.raises(TreeTooLargeError, match="scratch_bytes"):
        kernel.iterate(state, np.ones((1, len(COEFFICIENTS))))


def test_pytorch_is_imported_only_for_this_backend() -> None:
    program = (
        "import sys; sys.modules['torch'] = None\n"
        "import errai, errai.cli.main\n"
        "from errai.errors import BackendError\n"
        "from errai.kernels.backends import make_kernel\n"
        "from errai.tree.public_tree import build_public_tree\n"
        "tree = build_public_tree(errai.load_game('kuhn')).arrays\n"
        "make_kernel('cpu', tree)\n"
        "try:\n    make_kernel('cuda', tree)\nexcept BackendError as error:\n    print(error)\n"
    )
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=True)
    assert "pip install 'errai[nets]'" in result.stdout


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")  # PyTorch's compiler warns of its own parts.
@pytest.mark.parametrize("device", DEVICES)
def test_fused_steps_compute_the_same(device: str) -> None:
    arrays = tree("unlike ranges").arrays
    table = find_schedule("pcfr+").coefficients(3, 4)
    states = [random_state(arrays, "pcfr+", dtype=np.float32) for _ in range(2)]
    for state, fused in zip(states, (False, True), strict=True):
        CudaKernel(arrays, device=device, fused=fused).iterate(state, table)
    assert_same_states(*states, 1e-5)
