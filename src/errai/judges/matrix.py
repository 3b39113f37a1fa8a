"""Zero-sum games given as one payoff matrix: regret matching, the minimax linear program, exploitability.

These are the smallest games.  They show regret matching without a tree around it, and give exact solutions of small
cases for tests of larger code.  The row player is player 0 and maximises; the column player is player 1 and minimises.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import linprog

from errai.errors import LinearProgramError, MatrixGameError

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


def _numbers(given: ArrayLike) -> Vector:
    array = np.array(given)
    if array.dtype.kind not in "biuf":
        raise TypeError(f"{array.dtype} is no type of real numbers")
    return array.astype(np.float64)


def _payoff_matrix(payoffs: ArrayLike) -> Vector:
    try:
        matrix = _numbers(payoffs)
    except (TypeError, ValueError) as error:
        raise MatrixGameError(
            "The payoffs are not a matrix of numbers; give one list per row, all of the same length."
        ) from error
    if matrix.ndim != 2 or matrix.size == 0:
        raise MatrixGameError(
            f"The payoffs have shape {matrix.shape}; a matrix game needs at least one row and one column."
        )
    if not np.isfinite(matrix).all():
        row, column = (int(i) for i in np.argwhere(~np.isfinite(matrix))[0])
        raise MatrixGameError(
            f"The payoff in row {row}, column {column} is {matrix[row, column]}; every payoff must be a finite number."
        )
    return matrix


def _distribution(strategy: ArrayLike, length: int, owner: str) -> Vector:
    try:
        vector = _numbers(strategy)
    except (TypeError, ValueError) as error:
        raise MatrixGameError(f"The strategy of the {owner} player is not a list of numbers.") from error
    if vector.shape != (length,):
        raise MatrixGameError(
            f"The strategy of the {owner} player has shape {vector.shape}; the payoffs call for ({length},)."
        )
    total = vector.sum()
    if not np.isfinite(total) or vector.min() < 0 or abs(total - 1) > _DISTRIBUTION_TOLERANCE:
        raise MatrixGameError(
            f"The strategy of the {owner} player is not a distribution: its smallest entry is {vector.min():g}"
            f" and its sum {total:g}; probabilities are at least 0 and sum to 1."
        )
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
    """
    matrix = _payoff_matrix(payoffs)
    rows, columns = matrix.shape
    # Payoffs are scaled to [-1, 1] so that the solver's absolute tolerances mean the same for every game.
    scale = float(np.abs(matrix).max()) or 1.0
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


class RegretMatching:
    """Regret matching for one decision: play in proportion to positive regret (Hart & Mas-Colell 2000).

    Attributes
    ----------
    cumulative_regrets:
        float64[actions], in units of the payoffs: how much more each action would have won than what was played.
    """

    def __init__(self, num_actions: int) -> None:
        if num_actions < 1:
            raise MatrixGameError(f"A decision needs at least one action, not {num_actions}.")
        self.cumulative_regrets: Vector = np.zeros(num_actions)
        self._strategy_sum: Vector = np.zeros(num_actions)

    @property
    def strategy(self) -> Vector:
        """The current strategy, float64[actions]: normalised positive regrets, or uniform if there are none."""
        positive = np.maximum(self.cumulative_regrets, 0.0)
        total = positive.sum()
        return positive / total if total > 0 else np.full(len(positive), 1 / len(positive))

    def play(self) -> Vector:
        """Return the current strategy and add it to the average."""
        strategy = self.strategy
        self._strategy_sum += strategy
        return strategy

    def observe(self, utilities: ArrayLike, played: int | None = None) -> None:
        """Add to every action's regret how much more it would have won than what was played.

        Parameters
        ----------
        utilities:
            [actions], the winnings of each action this time.
        played:
            The action that was played.  None compares with the expectation of the current strategy, as CFR does.

        Raises
        ------
        MatrixGameError
            The number of utilities is wrong, a utility is not finite, or the action does not exist.
        """
        values = np.array(utilities, dtype=np.float64)
        if values.shape != self.cumulative_regrets.shape or not np.isfinite(values).all():
            raise MatrixGameError(
                f"Utilities of shape {values.shape} do not fit: {len(self.cumulative_regrets)} finite"
                " numbers, one per action, are needed."
            )
        if played is None:
            baseline = float(self.strategy @ values)
        elif 0 <= played < len(values):
            baseline = float(values[played])
        else:
            raise MatrixGameError(f"Action {played} does not exist; the actions are 0 to {len(values) - 1}.")
        self.cumulative_regrets += values - baseline

    @property
    def average(self) -> Vector:
        """The average of the strategies that :meth:`play` returned, float64[actions]; uniform before the first call."""
        total = self._strategy_sum.sum()
        size = len(self._strategy_sum)
        return self._strategy_sum / total if total > 0 else np.full(size, 1 / size)


def regret_matching(payoffs: ArrayLike, iterations: int) -> tuple[Vector, Vector]:
    """Play regret matching against itself and return both players' average strategies, [rows] and [columns].

    Both players update at the same time, against the expectation of the other player's current strategy.  The
    exploitability of the pair falls at least as fast as ``payoff span * sqrt(actions / iterations)``.

    Raises
    ------
    MatrixGameError
        The payoffs are not a finite matrix, or there is not at least one iteration.
    """
    matrix = _payoff_matrix(payoffs)
    if iterations < 1:
        raise MatrixGameError(f"Regret matching needs at least one iteration, not {iterations}.")
    row, column = RegretMatching(matrix.shape[0]), RegretMatching(matrix.shape[1])
    for _ in range(iterations):
        x, y = row.play(), column.play()
        row.observe(matrix @ y)
        column.observe(-(x @ matrix))
    return row.average, column.average
