"""Zero-sum games given as one payoff matrix: the minimax linear program, and exploitability.

The row player is player 0 and maximises; the column player is player 1 and minimises.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from errai.errors import LinearProgramError, MatrixGameError, needs_extra
from errai.own_code import numbers_of

Vector = NDArray[np.float64]

_DISTRIBUTION_TOLERANCE = 1e-6


@dataclass(frozen=True)
class MatrixSolution:
    """An equilibrium of a matrix game with its proof.

    Attributes
    ----------
    value:
        The row player's average winnings if both play the strategies below, in units of the payoffs.
    row_strategy, column_strategy:
        float64[rows] and float64[columns], probabilities.
    duality_gap:
        The sum of both players' gains from a best response (nash_conv), in units of the payoffs; 0 up to rounding.
    """

    value: float
    row_strategy: Vector
    column_strategy: Vector
    duality_gap: float


def _payoff_matrix(payoffs: ArrayLike) -> Vector:
    try:
        matrix = np.array(payoffs)
    except ValueError:  # Rows of different lengths.
        matrix = np.empty(0, dtype=object)
    if matrix.dtype.kind not in "biuf":
        raise MatrixGameError("The payoffs are no matrix of numbers; give one list per row, all of the same length.")
    if matrix.ndim != 2 or matrix.size == 0:
        raise MatrixGameError(
            f"The payoffs have shape {matrix.shape}; a matrix game needs at least one row and one column."
        )
    place = "in row {}, column {}".format
    return numbers_of(matrix, "The payoffs", matrix.shape, place=place, error=MatrixGameError)


def _distribution(strategy: ArrayLike, length: int, owner: str) -> Vector:
    what = f"The probabilities of the {owner} player"
    vector = numbers_of(strategy, what, (length,), low=0.0, error=MatrixGameError)
    if abs(vector.sum() - 1) > _DISTRIBUTION_TOLERANCE:
        raise MatrixGameError(f"{what} sum to {vector.sum():g}; they must sum to 1.")
    return vector


def solve_matrix_game(payoffs: ArrayLike) -> MatrixSolution:
    """Solve a zero-sum matrix game exactly by linear programming.

    The minimax program (von Neumann 1928; Dantzig 1951) is: maximise v subject to ``x @ payoffs >= v`` for a
    distribution x over the rows.  The column player's strategy is the dual solution, so one program gives both; HiGHS
    solves it.

    Parameters
    ----------
    payoffs:
        [rows, columns], the row player's winnings, which the column player loses.  The array is not changed.

    Raises
    ------
    MatrixGameError
        The payoffs are not a finite matrix with at least one row and one column.
    LinearProgramError
        HiGHS stopped without an optimum.

    Examples
    --------
    >>> from errai.judges import solve_matrix_game
    >>> solution = solve_matrix_game([[3, -1], [-1, 2]])  # matching pennies with unequal stakes
    >>> round(solution.value, 6), solution.row_strategy.round(6).tolist()
    (0.714286, [0.428571, 0.571429])
    """
    matrix = _payoff_matrix(payoffs)
    rows, columns = matrix.shape
    # Payoffs are scaled to [-1, 1] so that the solver's absolute tolerances mean the same for every game.
    scale = float(np.abs(matrix).max()) or 1.0
    with needs_extra("scipy", "A linear program"):
        from scipy.optimize import linprog
    result = linprog(
        c=np.append(np.zeros(rows), -1.0),
        A_ub=np.hstack([-matrix.T / scale, np.ones((columns, 1))]),
        b_ub=np.zeros(columns),
        A_eq=np.append(np.ones(rows), 0.0)[None, :],
        b_eq=[1.0],
        bounds=[(0, None)] * rows + [(None, None)],
        method="highs",
    )
    if result.status != 0:
        raise LinearProgramError(f"HiGHS found no optimum of a {rows} x {columns} matrix game: {result.message}")
    row = np.maximum(result.x[:rows], 0.0)
    column = np.maximum(-result.ineqlin.marginals, 0.0)
    row /= row.sum()
    column /= column.sum()
    return MatrixSolution(float(row @ matrix @ column), row, column, 2 * matrix_exploitability(matrix, row, column))


def matrix_exploitability(payoffs: ArrayLike, row_strategy: ArrayLike, column_strategy: ArrayLike) -> float:
    """Return the exploitability of a pair of strategies: half the sum of both players' gains by a best response.

    Parameters
    ----------
    payoffs:
        [rows, columns], the row player's winnings.
    row_strategy, column_strategy:
        [rows] and [columns], probabilities.

    Raises
    ------
    MatrixGameError
        The payoffs are not a finite matrix, or a strategy is not a distribution of the right length.
    """
    matrix = _payoff_matrix(payoffs)
    row = _distribution(row_strategy, matrix.shape[0], "row")
    column = _distribution(column_strategy, matrix.shape[1], "column")
    return float((matrix @ column).max() - (row @ matrix).min()) / 2
