"""The conformance kit of walks over buckets.

With a bucket for each hand they play exactly, so their updates must equal those of the exact kernels.  In any other
abstraction the reference is the definition, and the native backend must equal it, on every instruction set, with any
number of threads.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import numpy as np
import pytest
from small_subjects import subject

from errai.blueprints.abstractions import ByStrength, Identity, OneBucket
from errai.blueprints.sampled import BoardSampler
from errai.blueprints.solver import all_boards
from errai.engine.schedules import find_schedule
from errai.engine.strategy import board_block
from errai.games.game import Game
from errai.kernels import cpu
from errai.kernels.backends import make_kernel
from errai.kernels.bucket_cpu import BucketCpu
from errai.kernels.buckets import BucketKernel, BucketReference, BucketTree, Learning, Tables
from errai.kernels.layout import BEST, FIXED, LEARNS
from errai.kernels.protocol import State
from errai.tree.public_tree import PublicTree, build_public_tree, plan_public_tree

GAMES = ("kuhn", "leduc", "rhode-island-short", "two-cards-short")
ABSTRACTIONS = {"identity": Identity, "one-bucket": OneBucket, "by-strength:3": lambda game: ByStrength(game, 3)}
ITERATIONS = 6


def game_of(name: str) -> Game:
    found = subject(name)
    assert isinstance(found, Game)
    return found


@cache
def tree(name: str) -> PublicTree:
    return build_public_tree(game_of(name))


@cache
def boards(name: str, abstraction: str) -> BucketTree:
    return all_boards(tree(name), ABSTRACTIONS[abstraction](game_of(name)))


def run(
    make: Callable[[BucketTree], BucketKernel],
    boards: BucketTree,
    *,
    dtype: type = np.float64,
    others_average: bool = False,
    iterations: int = ITERATIONS,
) -> tuple[Tables, Tables, list[np.ndarray]]:
    """Regrets, sums and root values of some iterations of CFR with alternating updates."""
    kernel, regrets, sums, roots = make(boards), boards.zeros(dtype), boards.zeros(dtype), []
    for t in range(1, iterations + 1):
        for p in (0, 1):
            learnt = [np.zeros_like(pair[p]) for pair in regrets]
            averaged = [pair[1 - p if others_average else p] for pair in sums]
            learning = Learning(learnt, averaged, others_average, regret_weight=1.0, sum_weight=float(t))
            roots.append(kernel.learn(regrets, p, learning))
            for pair, new in zip(regrets, learnt, strict=True):
                pair[p] += new
    return regrets, sums, roots


def flat(tables: Tables) -> np.ndarray:
    return np.concatenate([table.ravel() for pair in tables for table in pair])


def assert_close(found: Tables, wanted: Tables, relative: float) -> None:
    wanted_numbers = flat(wanted)
    np.testing.assert_allclose(flat(found), wanted_numbers, rtol=0, atol=relative * np.abs(wanted_numbers).max())


@pytest.mark.parametrize("make", [BucketCpu, BucketReference])
@pytest.mark.parametrize("name", GAMES)
def test_a_bucket_for_each_hand_is_exact_play(name, make):
    whole, buckets = tree(name), boards(name, "identity")
    state = State.zeros(whole.arrays, np.float64, predictive=False, simultaneous=False)
    table = find_schedule("cfr").coefficients(1, ITERATIONS).copy()
    table[:, 3] = np.arange(1, ITERATIONS + 1)
    make_kernel("reference", whole.arrays).iterate(state, table)
    regrets, sums, _ = run(make, buckets)
    for arrays, tables in ((state.regrets, regrets), (state.sums, sums)):
        for s, level in enumerate(whole.arrays.streets):
            for p in (0, 1):
                most = max(1.0, np.abs(arrays[s][p]).max(initial=0.0))
                start = level.hands[p].start
                for b in range(level.num_boards):
                    found = tables[s][p][:, buckets.buckets[s][p].bucket[start[b] : start[b + 1]]]
                    np.testing.assert_allclose(found, board_block(whole, arrays, s, p, b), rtol=0, atol=1e-12 * most)


@cache
def reference_run(name, abstraction, **options):
    """What the reference computes, once for all instruction sets."""
    return run(BucketReference, boards(name, abstraction), **options)


@pytest.mark.parametrize("set_", cpu.instruction_sets())
@pytest.mark.parametrize("abstraction", ABSTRACTIONS)
@pytest.mark.parametrize("name", GAMES)
def test_the_native_backend_equals_the_reference(name, abstraction, set_):
    buckets = boards(name, abstraction)
    before = cpu.instruction_set()
    cpu.use_instruction_set(set_)
    try:
        for others_average in (False, True):
            wanted = reference_run(name, abstraction, others_average=others_average)
            found = run(BucketCpu, buckets, others_average=others_average)
            for one, other in zip(found[:2], wanted[:2], strict=True):
                assert_close(one, other, 1e-12)
            for one, other in zip(found[2], wanted[2], strict=True):
                np.testing.assert_allclose(one, other, rtol=0, atol=1e-12 * max(1.0, np.abs(other).max()))
        # One iteration: where the hands of a bucket cancel exactly, rounding to float32 decides what comes next.
        single = run(BucketCpu, buckets, dtype=np.float32, iterations=1)
        assert_close(single[0], reference_run(name, abstraction, iterations=1)[0], 1e-5)
    finally:
        cpu.use_instruction_set(before)


@pytest.mark.parametrize("name", GAMES)
def test_responses_and_values_equal_the_reference(name):
    buckets = boards(name, "by-strength:3")
    _, sums, _ = run(BucketReference, buckets)
    native, reference = BucketCpu(buckets), BucketReference(buckets)
    for p in (0, 1):
        choices = [[np.zeros(street.state_size(p), np.uint16) for street in buckets.tree.streets] for _ in range(2)]
        found, wanted = (
            kernel.root_values(sums, p, role=BEST, choices=taken)
            for kernel, taken in zip((native, reference), choices, strict=True)
        )
        np.testing.assert_allclose(found, wanted, rtol=0, atol=1e-11)
        np.testing.assert_allclose(native.root_values(sums, p), reference.root_values(sums, p), rtol=0, atol=1e-11)
        # Where actions are equally good either may be taken, but a response that is written must be worth its value.
        for kernel, taken in ((native, choices[0]), (reference, choices[1])):
            worth = against_value(kernel, sums, 1 - p, taken, buckets)
            assert worth == pytest.approx(-tree(name).chips(wanted, p), abs=1e-10)
            for street, rows in zip(buckets.tree.streets, taken, strict=True):
                assert set(np.unique(rows)) <= {0, 65535}
                assert (rows == 65535).sum() == street.num_decisions(p) * street.hands[p].start[-1]


@pytest.mark.parametrize("name", GAMES)
def test_players_who_respond_best_from_a_street_on_equal_the_reference(name):
    """From the last street on, and from the one before; on earlier streets they follow the source, or learn."""
    buckets = boards(name, "by-strength:3")
    streets = buckets.tree.streets
    _, sums, _ = run(BucketReference, buckets)
    native, reference = BucketCpu(buckets), BucketReference(buckets)
    for p in (0, 1):
        for first in range(len(streets)):
            later = [BEST] * (len(streets) - first)
            found, wanted = (
                kernel.root_values(sums, p, role=[*[FIXED] * first, *later]) for kernel in (native, reference)
            )
            np.testing.assert_allclose(found, wanted, rtol=0, atol=1e-11)
            # The later he begins, the less he wins; who never begins has the value of his table.
            assert tree(name).chips(found, p) >= tree(name).chips(native.root_values(sums, p), p) - 1e-12
            results, taken = [], None
            for kernel in (reference, native):
                learnt = [np.zeros_like(pair[p]) for pair in sums]
                averaged = [np.zeros_like(pair[1 - p]) for pair in sums]
                choices = [
                    np.full(s.state_size(p), 7, np.uint16) if i >= first else None for i, s in enumerate(streets)
                ]
                what = Learning(learnt, averaged, True, choices=choices)
                root = kernel.learn(sums, p, what, role=[*[LEARNS] * first, *later])
                # The other player learns against that, and against the table before it.  Where actions are equally good
                # rounding decides which is taken, so both meet what the reference took.
                theirs = [np.zeros_like(pair[1 - p]) for pair in sums]
                taken = choices if taken is None else taken
                back = kernel.learn(sums, 1 - p, Learning(theirs), given=taken)
                results.append((root, back, *learnt, *averaged, *theirs))
                assert all(not table.any() for table in learnt[first:])
            for one, other in zip(*results, strict=True):
                np.testing.assert_allclose(one, other, rtol=0, atol=1e-11 * max(1.0, np.abs(other).max(initial=0)))


def test_a_player_who_does_not_always_learn_has_no_average_of_his_own():
    buckets = boards("kuhn", "identity")
    sums = buckets.zeros(np.float64)
    for kernel in (BucketCpu(buckets), BucketReference(buckets)):
        with pytest.raises(ValueError, match="average"):
            kernel.learn(sums, 0, Learning([pair[0] for pair in sums], [pair[0] for pair in sums]), role=BEST)


def against_value(
    kernel: BucketKernel, sums: Tables, player: int, choices: list[np.ndarray], buckets: BucketTree
) -> float:
    """The value of a player's table against a strategy hand by hand: the value of an update that is thrown away."""
    scratch = [np.zeros_like(pair[player]) for pair in sums]
    root = kernel.learn(sums, player, Learning(scratch), given=choices)
    name = next(n for n in GAMES if tree(n).arrays is buckets.tree)
    return tree(name).chips(root, player)


@pytest.mark.parametrize("name", ["leduc", "rhode-island-short", "two-cards-short"])
def test_learning_against_a_strategy_by_hand_equals_the_reference(name):
    buckets = boards(name, "by-strength:3")
    regrets, _, _ = run(BucketReference, buckets)
    reference, native = BucketReference(buckets), BucketCpu(buckets, 2)
    choices = [np.zeros(street.state_size(1), np.uint16) for street in buckets.tree.streets]
    reference.root_values(regrets, 1, role=BEST, choices=choices)
    results = []
    for kernel in (reference, native):
        learnt, sums = ([np.zeros_like(pair[0]) for pair in regrets] for _ in range(2))
        kernel.learn(regrets, 0, Learning(learnt, sums), given=choices)
        results.append(np.concatenate([table.ravel() for table in (*learnt, *sums)]))
    np.testing.assert_allclose(results[1], results[0], rtol=0, atol=1e-12 * np.abs(results[0]).max())
    assert np.abs(results[0]).max() > 0


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("name", ["leduc", "rhode-island-short", "two-cards-four-bets"])
def test_results_do_not_depend_on_threads(name, dtype):
    buckets = all_boards(build_public_tree(game_of(name)), ByStrength(game_of(name), 3))
    alone = run(lambda given: BucketCpu(given, 1), buckets, dtype=dtype)
    for threads in (2, 5):
        together = run(lambda given, threads=threads: BucketCpu(given, threads), buckets, dtype=dtype)
        for one, other in zip(alone[:2], together[:2], strict=True):
            assert flat(one).tobytes() == flat(other).tobytes()


@pytest.mark.parametrize("name", ["leduc", "rhode-island-short", "two-cards-short"])
def test_drawn_boards_equal_the_reference(name):
    game = game_of(name)
    sampler = BoardSampler(plan_public_tree(game), ByStrength(game, 3), 7)
    kernels = BucketReference(sampler.draw(0)), BucketCpu(sampler.draw(0), 2)
    results = []
    for kernel in kernels:
        first = sampler.draw(0)
        regrets, sums = first.zeros(np.float64), first.zeros(np.float64)
        for t in range(1, 8):
            kernel.deal(sampler.draw(t))
            for p in (0, 1):
                learnt = [np.zeros_like(pair[p]) for pair in regrets]
                averaged = [pair[1 - p] for pair in sums]
                kernel.learn(regrets, p, Learning(learnt, averaged, True, regret_weight=float(t)))
                for pair, new in zip(regrets, learnt, strict=True):
                    pair[p] += new
        results.append((regrets, sums))
    for found, wanted in zip(results[1], results[0], strict=True):
        assert_close(found, wanted, 1e-12)


def test_learning_in_place_is_the_same_on_one_board():
    game = game_of("two-cards-short")
    sampler = BoardSampler(plan_public_tree(game), ByStrength(game, 4), 3)
    results = []
    for in_place, floor in ((True, False), (False, False), (True, True)):
        kernel = BucketCpu(sampler.draw(0))
        regrets = sampler.draw(0).zeros(np.float64)
        for t in range(20):
            kernel.deal(sampler.draw(t))
            for p in (0, 1):
                target = [pair[p] if in_place else np.zeros_like(pair[p]) for pair in regrets]
                kernel.learn(regrets, p, Learning(target, floor=floor))
                if not in_place:
                    for pair, new in zip(regrets, target, strict=True):
                        pair[p] += new
        results.append(flat(regrets))
    np.testing.assert_allclose(results[0], results[1], rtol=0, atol=1e-10)
    assert results[0].min() < 0 <= results[2].min()


def test_lines_that_are_not_reached_may_be_left_out():
    game = game_of("two-cards-four-bets")
    sampler = BoardSampler(plan_public_tree(game), ByStrength(game, 3), 3)
    results = []
    for prune in (False, True):
        kernel = BucketCpu(sampler.draw(0), prune=prune)
        regrets, sums = sampler.draw(0).zeros(np.float64), sampler.draw(0).zeros(np.float64)
        for t in range(60):
            kernel.deal(sampler.draw(t))
            for p in (0, 1):
                kernel.learn(regrets, p, Learning([r[p] for r in regrets], [s[1 - p] for s in sums], True))
        results.append((flat(regrets).tobytes(), flat(sums).tobytes()))
        assert (kernel.pruned > 0) is prune
    assert results[0] == results[1]


class TestRefusals:
    """What does not belong together is refused before anything is changed."""

    def test_tables_that_are_read_and_changed_at_once(self):
        buckets = boards("leduc", "by-strength:3")
        regrets = buckets.zeros(np.float64)
        for kernel in (BucketCpu(buckets), BucketReference(buckets)):
            with pytest.raises(ValueError, match="several boards"):
                kernel.learn(regrets, 0, Learning([pair[0] for pair in regrets]))

    def test_tables_of_other_buckets(self):
        buckets, other = boards("leduc", "by-strength:3"), boards("leduc", "identity")
        with pytest.raises(ValueError, match="do not belong"):
            BucketCpu(buckets).root_values(other.zeros(np.float64), 0)
        with pytest.raises(ValueError, match="do not belong"):
            BucketCpu(buckets).learn(buckets.zeros(np.float64), 0, Learning([p[0] for p in other.zeros(np.float64)]))

    def test_tables_of_mixed_types(self):
        buckets = boards("leduc", "by-strength:3")
        mixed = buckets.zeros(np.float64)
        mixed[1][1] = mixed[1][1].astype(np.float32)
        with pytest.raises(ValueError, match="all float32, or all float64"):
            BucketCpu(buckets).root_values(mixed, 0)
        learnt = [pair[0] for pair in buckets.zeros(np.float32)]
        with pytest.raises(ValueError, match="of the type"):
            BucketCpu(buckets).learn(buckets.zeros(np.float64), 0, Learning(learnt))

    def test_hands_of_other_boards(self):
        buckets = boards("leduc", "by-strength:3")
        with pytest.raises(ValueError, match="hand by hand"):
            BucketCpu(buckets).root_values(
                buckets.zeros(np.float64), 0, role=BEST, choices=[np.zeros(3, np.uint16)] * 2
            )
