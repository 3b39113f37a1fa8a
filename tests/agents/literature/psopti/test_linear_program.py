"""Linear programs of bucket games, against exact values and against CFR."""

from __future__ import annotations

import numpy as np
import pytest
from bucket_games import kuhn, leduc, random_game

from errai.agents.literature.psopti import bucket_game
from errai.agents.literature.psopti.bucket_game import (
    BucketForm,
    BucketGame,
    BucketSolution,
    Tables,
    by_cfr,
    by_linear_program,
    values_by_start,
)
from errai.errors import InputError, TreeTooLargeError

SOLVERS = {
    "highs": by_linear_program,
    "cfr+": lambda game: by_cfr(game, gap=1e-4),
}
KUHN_VALUE = -1 / 18
LEDUC_VALUE = -0.085606


@pytest.fixture(params=SOLVERS)
def solve(request):
    return SOLVERS[request.param]


def test_kuhn_has_its_exact_value(solve):
    solution = solve(kuhn())
    assert solution.value == pytest.approx(KUHN_VALUE, abs=1e-6 + solution.gap)
    assert 0 <= solution.gap + 1e-12 < 1e-4


def test_leduc_has_its_value(solve):
    solution = solve(leduc())
    assert solution.value == pytest.approx(LEDUC_VALUE, abs=1e-6 + solution.gap)
    assert solution.gap <= 1e-4


@pytest.mark.parametrize("seed", range(2))
def test_games_whose_players_have_different_buckets_have_the_value_that_cfr_finds(seed):
    game = random_game(seed)
    low, high = cfr_bounds(game, 300)
    assert high - low < 0.05
    for solve in SOLVERS.values():
        solution = solve(game)
        assert low - 1e-6 - solution.gap <= solution.value <= high + 1e-6 + solution.gap


@pytest.mark.parametrize("game", [kuhn(), leduc(), random_game(5)])
def test_probabilities_of_every_decision_sum_to_one(game, solve):
    solution = solve(game)
    betting = game.betting
    for s in range(betting.num_streets):
        for p in (0, 1):
            table = solution.tables[s][p]
            for node in betting.decision_nodes(s, p):
                first = int(betting.row_start[node])
                rows = table[first : first + int(betting.num_children[node])]
                assert (rows >= 0).all()
                assert rows.sum(axis=0) == pytest.approx(1.0, abs=1e-12)


def test_a_plan_comes_back_from_its_probabilities():
    form = BucketForm(random_game(1))
    rng = np.random.default_rng(0)
    tables = random_tables(form, rng)
    for player in (0, 1):
        plan = form.plan(player, tables)
        assert (form.constraints[player] @ plan)[1:] == pytest.approx(0.0, abs=1e-15)
        again = form.tables((form.plan(0, tables), form.plan(1, tables)))
        assert form.plan(player, again) == pytest.approx(plan, abs=1e-15)


def test_values_of_starting_pairs_add_up_to_the_games_value():
    game = leduc()
    form = BucketForm(game)
    tables = random_tables(form, np.random.default_rng(3))
    plans = form.plan(0, tables), form.plan(1, tables)
    values = values_by_start(BucketSolution(0.0, tables, 0.0, form))
    assert (values * game.start).sum() == pytest.approx(form.value(*plans), abs=1e-12)


def test_joint_histories_are_probabilities_and_contain_the_pairs():
    game = random_game(2)
    for joint, pairs in zip(game.joint, game.pairs, strict=True):
        assert joint.sum() == pytest.approx(1.0)
        k, m = pairs.shape
        u, v = joint.shape
        assert joint.reshape(u // k, k, v // m, m).sum(axis=(0, 2)) == pytest.approx(pairs)


def test_what_cannot_be_is_refused(monkeypatch):
    good = leduc()
    with pytest.raises(InputError, match="sum to 1"):
        BucketGame(good.betting, good.start * 2, good.moves, good.showdown)
    with pytest.raises(InputError, match="transition matrices"):
        BucketGame(good.betting, good.start, (), good.showdown)
    with pytest.raises(InputError, match="showdown"):
        BucketGame(good.betting, good.start, good.moves, np.zeros((3, 3)))
    monkeypatch.setattr(bucket_game, "MAX_ENTRIES", 100)
    with pytest.raises(TreeTooLargeError, match="fewer buckets"):
        BucketForm(good)


def random_tables(form: BucketForm, rng: np.random.Generator) -> Tables:
    first, second = (np.concatenate([[1.0], rng.random(size - 1) + 0.01]) for size in form.num_sequences)
    return form.tables((first, second))


def cfr_bounds(game: BucketGame, iterations: int) -> tuple[float, float]:
    """Bounds on the value of player 0 from CFR+ with linear weights, written here over sequences."""
    form = BucketForm(game)
    regrets = [np.zeros(n) for n in form.num_sequences]
    sums = [np.zeros(n) for n in form.num_sequences]
    plans = [current(form, p, regrets[p]) for p in (0, 1)]
    for iteration in range(1, iterations + 1):
        for p in (0, 1):
            worth = form.payoffs @ plans[1] if p == 0 else -(form.payoffs.T @ plans[0])
            for decision in reversed(form.decisions[p]):
                sequences = decision.sequences
                mixed = (shares(regrets[p][sequences]) * worth[sequences]).sum(axis=0)
                regrets[p][sequences] = np.maximum(regrets[p][sequences] + worth[sequences] - mixed, 0.0)
                np.add.at(worth, decision.leading, mixed)
            plans[p] = current(form, p, regrets[p])
            sums[p] += iteration * plans[p]
    average = [total / total[0] for total in sums]
    return -form.best_response_value(1, average[0]), form.best_response_value(0, average[1])


def shares(regrets: np.ndarray) -> np.ndarray:
    total = regrets.sum(axis=0)
    return np.where(total > 0, regrets / np.where(total > 0, total, 1.0), 1.0 / len(regrets))


def current(form: BucketForm, player: int, regrets: np.ndarray) -> np.ndarray:
    plan = np.zeros(form.num_sequences[player])
    plan[0] = 1.0
    for decision in form.decisions[player]:
        plan[decision.sequences] = shares(regrets[decision.sequences]) * plan[decision.leading]
    return plan
