"""The four solvers over buckets: one value, what CFR-BR gains, and runs that can be repeated."""

from __future__ import annotations

from functools import partial
from math import comb

import numpy as np
import pytest
from drawn_arrays import filled
from small_subjects import subject

from errai.blueprints.abstractions import ByStrength, ByTexture, Identity
from errai.blueprints.sampled import BATCH, BoardSampler, ChanceSampling, ExternalSampling, SampledCfrBr
from errai.blueprints.solver import CfrBr, FullWidth, WholeGame, all_boards, find_weights, next_measurement
from errai.errors import SolverOptionError
from errai.kernels.bucket_cpu import BucketCpu
from errai.kernels.buckets import Learning
from errai.tree.public_tree import build_public_tree, plan_public_tree

LEDUC_VALUE = -0.08560642
"""Of player 0 in chips; tests/known_values has it with its sources."""


def whole(name, abstraction):
    tree = build_public_tree(subject(name))
    return WholeGame(tree, all_boards(tree, abstraction))


def flat(tables):
    return np.concatenate([table.ravel() for pair in tables for table in pair])


def test_full_width_with_every_hand_apart_solves_leduc():
    game = subject("leduc")
    solver = FullWidth(build_public_tree(game), Identity(game), "dcfr4", dtype=np.float64)
    assert solver.run(max_iterations=300) == "iteration limit"
    measure = whole("leduc", Identity(game))
    result = measure.exploitability(solver.sums)
    assert result.mbb < 2.0
    assert measure.value(solver.sums) == pytest.approx(LEDUC_VALUE, abs=1e-3)


@pytest.mark.parametrize(
    ("make", "iterations"),
    [
        (lambda plan, abstraction: ChanceSampling(plan, abstraction, weights="linear", seed=3), 1_000),
        (lambda plan, abstraction: ChanceSampling(plan, abstraction, weights="linear", seed=3, average_every=3), 1_000),
        (lambda plan, abstraction: ExternalSampling(plan, abstraction, weights="linear", seed=3), 400),
        (lambda plan, abstraction: SampledCfrBr(plan, abstraction, weights="linear", seed=3), 1_000),
    ],
)
def test_sampled_solvers_come_to_the_same_value(make, iterations):
    game = subject("leduc")
    solver = make(plan_public_tree(game), Identity(game))
    measure = whole("leduc", Identity(game))
    solver.run(max_iterations=iterations, measure=lambda s: measure.exploitability(s.sums))
    assert solver.newest.mbb < 150.0
    assert measure.value(solver.sums) == pytest.approx(LEDUC_VALUE, abs=0.03)
    early = next(chips for iteration, _, chips in solver.curve if iteration >= 18)
    assert solver.curve[-1][2] < early / 2.0


def test_root_values_of_drawn_boards_are_right_in_the_mean():
    """All boards drawn equally often: the mean over every board is the value over all of them."""
    game = subject("leduc")
    plan, abstraction = plan_public_tree(game), ByStrength(game, 3)
    sampler = BoardSampler(plan, abstraction, 0)
    tree = build_public_tree(game)
    exact = BucketCpu(all_boards(tree, abstraction))
    tables = sampler.draw(0).zeros(np.float64)
    random = np.random.default_rng(1)
    filled(tables, random.random)
    seen = {}
    for t in range(200):
        boards = sampler.draw(t)
        cards = frozenset(range(6)) - {int(c[0]) for c in boards.tree.streets[1].hands[0].cards}
        if cards not in seen:
            kernel = BucketCpu(boards)
            seen[cards] = [sampler.root_value(kernel.root_values(tables, p)) for p in (0, 1)]
    assert len(seen) == 6
    for p in (0, 1):
        mean = np.mean([values[p] for values in seen.values()])
        assert mean == pytest.approx(tree.chips(exact.root_values(tables, p), p), abs=1e-12)


@pytest.mark.parametrize("name", ["leduc", "two-cards-short"])
@pytest.mark.parametrize("make", [Identity, lambda game: ByStrength(game, 3)], ids=["identity", "by-strength"])
def test_what_drawn_boards_teach_is_right_in_the_mean(name, make):
    """Every board up to suits, as often as it is drawn: values of the root, and the regrets of every bucket."""
    game = subject(name)
    plan, abstraction, tree = plan_public_tree(game), make(game), build_public_tree(game)
    boards = all_boards(tree, abstraction)
    exact, sampler = BucketCpu(boards), BoardSampler(plan, abstraction, 0)
    tables = boards.zeros(np.float64)
    random = np.random.default_rng(1)
    filled(tables, random.random)
    level = tree.deal.streets[1]
    shares = level.multiplicity / level.multiplicity.sum()
    for p in (0, 1):
        value, learnt, drawn = 0.0, boards.zeros(np.float64), boards.zeros(np.float64)
        for board, share in zip(level.boards, shares, strict=True):
            kernel = BucketCpu(sampler.over([board.astype(np.int64)]))
            one = boards.zeros(np.float64)
            value += share * sampler.root_value(kernel.learn(tables, p, Learning([pair[p] for pair in one])))
            for total, part in zip(drawn, one, strict=True):
                total[p] += share * part[p]
        everywhere = exact.learn(tables, p, Learning([pair[p] for pair in learnt]))
        assert value == pytest.approx(tree.chips(everywhere, p), abs=1e-12)
        for s in range(len(learnt)):
            assert np.abs(drawn[s][p]).max() > 0.0
            # Over all boards a bucket learns the mean of its hands, on drawn boards the sum.
            expected = learnt[s][p] * masses(tree, boards, s, p) / tree.deal.streets[s].multiplicity.sum()
            np.testing.assert_allclose(drawn[s][p], expected, rtol=1e-9, atol=1e-12)


def masses(tree, boards, s, p):
    """How many real hands on real boards of a street a bucket represents."""
    street = tree.deal.streets[s]
    hands = np.diff(street.hands[p].member_start) * np.repeat(street.multiplicity, np.diff(street.hands[p].start))
    return np.bincount(boards.buckets[s][p].bucket, hands, boards.buckets[s][p].count)


@pytest.mark.parametrize("name", ["leduc", "two-cards-short"])
def test_what_drawn_deals_teach_is_right_in_the_mean(name):
    """External sampling in one strategy: how far mean regrets lie from the exact ones, in standard errors."""
    game, batches = subject(name), 600
    abstraction, tree = ByStrength(game, 3), build_public_tree(game)
    boards = all_boards(tree, abstraction)
    solver = ExternalSampling(plan_public_tree(game), abstraction, weights="cfr", seed=4, dtype=np.float64)
    tables = boards.zeros(np.float64)
    random = np.random.default_rng(1)
    # So large that nothing that is learnt changes the strategy.
    filled(tables, partial(random.uniform, 0.0, 1e7))
    learnt = boards.zeros(np.float64)
    for p in (0, 1):
        BucketCpu(boards).learn(tables, p, Learning([pair[p] for pair in learnt]))
    total, square = np.zeros_like(flat(tables)), np.zeros_like(flat(tables))
    for number in range(batches):
        solver.regrets = [[table.copy() for table in pair] for pair in tables]
        solver.iterate(1)
        solver.iteration = number + 1
        new = (flat(solver.regrets) - flat(tables)) / BATCH
        total += new
        square += new**2
    num_cards, hole = game.deck.num_cards, game.num_hole_cards
    deals = comb(num_cards, hole) * comb(num_cards - hole, hole)
    after = [deals, deals * comb(num_cards - 2 * hole, game.num_board_cards[1])]
    expected = flat([[learnt[s][p] * masses(tree, boards, s, p) / after[s] for p in (0, 1)] for s in (0, 1)])
    error = np.sqrt((square / batches - (total / batches) ** 2) / batches)
    away = (total / batches - expected)[error > 0] / error[error > 0]
    assert len(away) > 50
    assert np.abs(expected[error == 0]).max(initial=0.0) < 1e-12
    assert np.abs(away).max() < 4.5
    assert 0.6 < np.mean(away**2) < 1.6


@pytest.mark.parametrize(("name", "buckets"), [("leduc", 2), ("rhode-island-short", 3)])
def test_cfr_br_loses_less_than_cfr_in_a_lossy_abstraction(name, buckets):
    game = subject(name)
    tree, abstraction = build_public_tree(game), ByStrength(game, buckets)
    plain = FullWidth(tree, abstraction, "linear", dtype=np.float64)
    against = CfrBr(tree, abstraction, "linear", dtype=np.float64)
    measure = WholeGame(tree, plain.boards)
    for solver in (plain, against):
        solver.run(max_iterations=200)
    lost = measure.exploitability(plain.sums).chips
    assert measure.exploitability(against.sums).chips < 0.8 * lost
    assert measure.exploitability(against.regrets).chips < 0.9 * lost


@pytest.mark.parametrize(
    ("name", "buckets", "by_texture"), [("leduc", 2, False), ("leduc", 2, True), ("rhode-island-short", 3, True)]
)
def test_responding_on_the_last_street_alone_gains_too(name, buckets, by_texture):
    game = subject(name)
    plan, abstraction = plan_public_tree(game), ByStrength(game, buckets)
    theirs = ByTexture(abstraction) if by_texture else None
    measure = whole(name, abstraction)
    lost = np.zeros(2)
    for seed in (1, 2, 3):  # One run alone says little: its rounding decides ties.
        plain = ChanceSampling(plan, abstraction, weights="linear", seed=seed)
        against = SampledCfrBr(plan, abstraction, weights="linear", seed=seed, opponents=theirs)
        for which, solver in enumerate((plain, against)):
            solver.run(max_iterations=500)
            lost[which] += measure.exploitability(solver.sums).chips
    assert lost[1] < 0.85 * lost[0]


@pytest.mark.parametrize("solver", [SampledCfrBr, ChanceSampling, ExternalSampling])
def test_the_first_iterations_can_be_left_out_of_the_average(solver):
    game = subject("leduc")
    plan, abstraction = plan_public_tree(game), ByStrength(game, 3)
    early, late, whole = (solver(plan, abstraction, seed=4, average_from=n, dtype=np.float64) for n in (1, 41, 1))
    early.run(max_iterations=40)
    late.run(max_iterations=40)
    assert not flat(late.sums).any()
    assert early.averaged
    assert not late.averaged
    assert late.identity != whole.identity
    late.run(max_iterations=90)
    whole.run(max_iterations=90)
    assert late.averaged
    np.testing.assert_array_equal(flat(late.regrets), flat(whole.regrets))
    np.testing.assert_allclose(flat(late.sums), flat(whole.sums) - flat(early.sums), rtol=0, atol=1e-9)


@pytest.mark.parametrize("solver", [FullWidth, CfrBr])
def test_full_width_leaves_the_first_iterations_out_of_the_average(solver):
    game = subject("leduc")
    tree = build_public_tree(game)
    boards = all_boards(tree, ByStrength(game, 3))
    early, late, whole = (
        solver(tree, ByStrength(game, 3), "cfr", average_from=n, dtype=np.float64, boards=boards) for n in (1, 21, 1)
    )
    early.run(max_iterations=20)
    late.run(max_iterations=50)
    whole.run(max_iterations=50)
    np.testing.assert_array_equal(flat(late.regrets), flat(whole.regrets))
    np.testing.assert_allclose(flat(late.sums), flat(whole.sums) - flat(early.sums), rtol=0, atol=1e-9)


def test_opponents_go_on_where_a_run_was_stopped():
    game = subject("rhode-island-short")
    plan, abstraction = plan_public_tree(game), ByStrength(game, 3)

    def make():
        return SampledCfrBr(plan, abstraction, seed=2, opponents=ByTexture(abstraction))

    first, second, through = make(), make(), make()
    first.run(max_iterations=7)
    second.adopt({name: array.copy() for name, array in first.arrays().items()}, 7, 0.0, [])
    second.run(max_iterations=15)
    through.run(max_iterations=15)
    for name, array in through.arrays().items():
        assert np.array_equal(array, second.arrays()[name]), name


@pytest.mark.parametrize("method", ["pcs", "pcs-br", "es", "es pruned", "full", "cfr-br"])
def test_runs_are_repeated_to_the_byte_whatever_the_threads_and_batches(method):
    game = subject("rhode-island-short")
    plan, abstraction = plan_public_tree(game), ByStrength(game, 3)

    def make(threads):
        if method == "pcs":
            return ChanceSampling(plan, abstraction, weights="cfr+", seed=5, threads=threads)
        if method == "pcs-br":
            return SampledCfrBr(plan, abstraction, seed=5, threads=threads, opponents=ByTexture(abstraction))
        if method == "es":
            return ExternalSampling(plan, abstraction, seed=5, threads=threads)
        if method == "es pruned":
            return ExternalSampling(plan, abstraction, seed=5, threads=threads, prune_below_chips=-0.5)
        kind = FullWidth if method == "full" else CfrBr
        return kind(plan.build(), abstraction, "linear", threads=threads)

    one, other = make(1), make(3)
    one.run(max_iterations=20)
    other.run(max_iterations=7, batch_seconds=1e-9)
    resumed = make(2)
    resumed.adopt({name: array.copy() for name, array in other.arrays().items()}, 7, 0.0, [])
    resumed.run(max_iterations=20)
    assert flat(one.regrets).tobytes() == flat(resumed.regrets).tobytes()
    assert flat(one.sums).tobytes() == flat(resumed.sums).tobytes()
    assert flat(one.sums).any()


def test_pruning_visits_fewer_nodes_and_comes_to_the_same():
    game = subject("leduc")
    plan, abstraction = plan_public_tree(game), Identity(game)
    measure = whole("leduc", abstraction)
    visited, found = [], []
    for pruning in (None, -0.01):
        solver = ExternalSampling(plan, abstraction, seed=1, prune_below_chips=pruning)
        solver.run(max_iterations=400)
        visited.append(solver.visited)
        found.append(measure.exploitability(solver.sums).mbb)
    assert visited[1] < 0.9 * visited[0]
    assert max(found) < 150.0


def test_measurements_are_made_at_fixed_iterations():
    assert [next_measurement(i) for i in (0, 7, 8, 12, 18, 100)] == [8, 8, 12, 18, 27, 140]


def test_what_cannot_be_run_is_refused():
    leduc, kuhn = subject("leduc"), subject("kuhn")
    with pytest.raises(SolverOptionError, match="no board"):
        ChanceSampling(plan_public_tree(kuhn), Identity(kuhn))
    with pytest.raises(SolverOptionError, match="cannot be run over buckets"):
        FullWidth(build_public_tree(leduc), Identity(leduc), "dcfr-foresight")
    with pytest.raises(SolverOptionError, match="choose one of"):
        find_weights("dcfr")
    with pytest.raises(SolverOptionError, match="below 0"):
        ExternalSampling(plan_public_tree(kuhn), Identity(kuhn), prune_below_chips=1.0)
    with pytest.raises(SolverOptionError, match="does not support buckets"):
        FullWidth(build_public_tree(leduc), Identity(leduc), backend="cuda")
