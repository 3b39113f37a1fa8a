"""Matrix games: the linear program, regret matching, exploitability, and wrong matrices."""

from __future__ import annotations

import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from regret_matching import RegretMatching, self_play

from errai.errors import MatrixGameError, MissingExtraError
from errai.judges import matrix_exploitability, solve_matrix_game

ROCK_PAPER_SCISSORS = np.array([[0.0, -1.0, 1.0], [1.0, 0.0, -1.0], [-1.0, 1.0, 0.0]])

matrices = st.tuples(st.integers(1, 5), st.integers(1, 5)).flatmap(
    lambda shape: st.lists(
        st.lists(st.integers(-9, 9), min_size=shape[1], max_size=shape[1]),
        min_size=shape[0],
        max_size=shape[0],
    )
)


def test_rock_paper_scissors_is_uniform() -> None:
    solution = solve_matrix_game(ROCK_PAPER_SCISSORS)
    assert solution.value == pytest.approx(0, abs=1e-12)
    assert solution.row_strategy == pytest.approx([1 / 3] * 3)
    assert solution.column_strategy == pytest.approx([1 / 3] * 3)
    assert solution.duality_gap == pytest.approx(0, abs=1e-12)


def test_matching_pennies_with_unequal_stakes() -> None:
    # Row mixes p with 3p - (1 - p) = -p + 2(1 - p), column q with 3q - (1 - q) = -q + 2(1 - q).
    solution = solve_matrix_game([[3, -1], [-1, 2]])
    assert solution.value == pytest.approx(5 / 7)
    assert solution.row_strategy == pytest.approx([3 / 7, 4 / 7])
    assert solution.column_strategy == pytest.approx([3 / 7, 4 / 7])


@settings(max_examples=50)
@given(matrices)
def test_the_solution_proves_itself_and_mirrors(payoffs: list[list[int]]) -> None:
    matrix = np.array(payoffs, dtype=float)
    solution = solve_matrix_game(matrix)
    assert solution.duality_gap == pytest.approx(0, abs=1e-9)
    assert (solution.row_strategy @ matrix).min() == pytest.approx(solution.value, abs=1e-9)
    assert (matrix @ solution.column_strategy).max() == pytest.approx(solution.value, abs=1e-9)
    # Seats exchanged, the other player wins the same.
    assert solve_matrix_game(-matrix.T).value == pytest.approx(-solution.value, abs=1e-9)


@pytest.mark.parametrize("factor", [1e-6, 1e9])
def test_units_do_not_matter(factor: float) -> None:
    matrix = np.array([[3.0, -1.0], [-1.0, 2.0]]) * factor
    solution = solve_matrix_game(matrix)
    assert solution.value / factor == pytest.approx(5 / 7)
    assert solution.duality_gap / factor == pytest.approx(0, abs=1e-9)


def test_exploitability_is_half_of_both_gains() -> None:
    # Against rock, paper wins 1; both players play rock.
    assert matrix_exploitability(ROCK_PAPER_SCISSORS, [1, 0, 0], [1, 0, 0]) == 1
    assert matrix_exploitability(ROCK_PAPER_SCISSORS, [1, 0, 0], [1 / 3] * 3) == pytest.approx(0.5)


def test_self_play_keeps_the_bound() -> None:
    payoffs = np.array([[0.0, -1.0, 2.0], [1.0, 0.0, -1.0], [-2.0, 1.0, 0.0]])
    previous = np.inf
    for iterations in (10, 100, 1000):
        row, column = self_play(payoffs, iterations)
        gap = matrix_exploitability(payoffs, row, column)
        assert gap <= 4 * np.sqrt(3 / iterations)
        assert gap < previous
        previous = gap
    assert previous < 0.05


def test_regret_matching_is_uniform_without_positive_regret() -> None:
    learner = RegretMatching(4)
    assert learner.strategy == pytest.approx([0.25] * 4)
    assert learner.average == pytest.approx([0.25] * 4)
    learner.observe([1, 1, 1, 1])
    assert learner.strategy == pytest.approx([0.25] * 4)


def test_regret_against_the_expectation_has_no_mean() -> None:
    learner = RegretMatching(3)
    for utilities in ([1, 0, -2], [0, 3, 1], [-1, 2, 2]):
        strategy, before = learner.strategy, learner.cumulative_regrets.copy()
        learner.observe(utilities)
        assert strategy @ (learner.cumulative_regrets - before) == pytest.approx(0)


@pytest.mark.parametrize(
    ("payoffs", "complaint"),
    [
        ([], "at least one row"),
        ([1, 2], "shape"),
        ([[]], "at least one row"),
        ([[[1]]], "shape"),
        ([[1, 2], [3]], "same length"),
        ([["a"]], "no matrix of numbers"),
        ([[1, np.nan]], "row 0, column 1"),
        ([[np.inf]], "finite"),
        (None, "shape|finite|numbers"),
    ],
)
def test_wrong_matrices_are_refused(payoffs: object, complaint: str) -> None:
    with pytest.raises(MatrixGameError, match=complaint):
        solve_matrix_game(payoffs)  # type: ignore[arg-type]


@pytest.mark.parametrize("strategy", [[1, 0], [0.5, 0.4, 0], [-1, 1, 1], [np.nan, 1, 0], ["x", 0, 1]])
def test_wrong_strategies_are_refused(strategy: list[float]) -> None:
    with pytest.raises(MatrixGameError, match="row player"):
        matrix_exploitability(ROCK_PAPER_SCISSORS, strategy, [1, 0, 0])


def test_without_scipy_the_command_that_installs_it_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "scipy.optimize", None)
    with pytest.raises(MissingExtraError, match=r"A linear program needs scipy.*: pip install 'errai\[scipy\]'"):
        solve_matrix_game([[1.0]])
