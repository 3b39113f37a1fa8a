"""Local regret minimisers by name: what one decision does in an iteration, as :class:`LocalRule` has it.

A variant of counterfactual regret minimisation is a *schedule* of coefficients and a *rule* at every decision.  The
native kernels have regret matching as their rule and take any schedule; any other rule runs on the reference backend
and over games in extensive form.  All arrays are float64[A, H] (A actions, H hands or information sets), and all rules
minimise the regret of each column on its own.
"""

from __future__ import annotations

from dataclasses import dataclass, is_dataclass

import numpy as np
from numpy.typing import NDArray

from errai.engine.own_schedules import RECORDED, LocalRule
from errai.errors import SolverOptionError
from errai.kernels.protocol import matched
from errai.own_code import number_of

Values = NDArray[np.float64]

SLOWEST = 1e-12
"""The smallest learning rate."""


@dataclass(frozen=True)
class _Rated:
    rate: float
    """The learning rate, per unit of counterfactual value, above 0."""

    def __post_init__(self) -> None:
        number_of(self.rate, f"The rate of {type(self).__name__}", low=SLOWEST, error=SolverOptionError)


@dataclass(frozen=True)
class RegretMatching:
    """Regret matching (Hart and Mas-Colell 2000): probabilities in proportion to the regrets above 0."""

    def strategy(self, state: Values, iteration: int) -> Values:
        """Return the probabilities; uniform where no regret is above 0."""
        return matched(state)

    def update(self, state: Values, values: Values, played: Values, iteration: int) -> Values:
        """Add the regrets of an iteration."""
        return state + values - (played * values).sum(axis=0)


@dataclass(frozen=True)
class RegretMatchingPlus(RegretMatching):
    """Regret matching+ (Tammelin 2014): regrets below 0 are forgotten in every iteration."""

    def update(self, state: Values, values: Values, played: Values, iteration: int) -> Values:
        """Add the regrets of an iteration, and set those below 0 to 0."""
        return np.maximum(super().update(state, values, played, iteration), 0.0)


@dataclass(frozen=True)
class Hedge(_Rated):
    """Hedge, or multiplicative weights (Freund and Schapire 1997), with a constant learning rate.

    For payoffs within an interval of length L the regret after T iterations is at most log(A) / rate + rate T L^2 / 8.
    """

    def strategy(self, state: Values, iteration: int) -> Values:
        """Return weights that grow by exp(rate) for each unit of value."""
        weights = np.exp(self.rate * (state - state.max(axis=0)))
        return np.asarray(weights / weights.sum(axis=0))

    def update(self, state: Values, values: Values, played: Values, iteration: int) -> Values:
        """Add the values of an iteration, less what was won, which changes no probability and keeps numbers small."""
        return state + values - (played * values).sum(axis=0)


@dataclass(frozen=True)
class EuclideanLeader(Hedge):
    """Follow the regularised leader with squared distances, or lazy projected gradient (Zinkevich 2003).

    The probabilities are the point of the simplex that is nearest to ``rate`` times the sum of the values.
    """

    def strategy(self, state: Values, iteration: int) -> Values:
        """Return the projection on the simplex."""
        return on_simplex(self.rate * state)


NAMED = (RegretMatching, RegretMatchingPlus, Hedge, EuclideanLeader)


def on_simplex(points: Values) -> Values:
    """Return the nearest probabilities to each column, by sorting (Held, Wolfe and Crowder 1974)."""
    ordered = -np.sort(-points, axis=0)
    excess = (np.cumsum(ordered, axis=0) - 1.0) / np.arange(1, len(points) + 1)[:, None]
    last = (ordered > excess).sum(axis=0) - 1
    return np.maximum(points - excess[last, np.arange(points.shape[1])], 0.0)


RECORDED.update(NAMED)


def rule_name(rule: LocalRule) -> str:
    """Return the name of a variant that is given as a rule alone: the rule's ``name``, or its class and parameters."""
    name = getattr(rule, "name", None)
    return name if isinstance(name, str) else repr(rule) if is_dataclass(rule) else type(rule).__name__
