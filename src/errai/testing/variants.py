"""What may stand in an iteration: schedules of coefficients, and local rules."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from errai.engine.own_schedules import ROW_SUM_TOLERANCE
from errai.engine.schedules import Schedule, find_schedule
from errai.errors import ContractError
from errai.games.catalogue import load_game
from errai.own_code import numbers_of
from errai.solving.solve import solve
from errai.testing.blame import blamed

ACTIONS, COLUMNS = 3, 5
SHORT, LONG = 400, 6400
"""Steps after which the regret of a rule is measured."""
VANISHES = 0.5
"""The average regret after :data:`LONG` steps is at most this share of the one after :data:`SHORT`, or very small."""
SMALL_REGRET = 0.02
CLOSE = 1e-9


def check_schedule(schedule: Schedule | str, iterations: int = 300) -> None:
    """Check a variant of CFR: its coefficients, and that a small game is solved by it.

    Own code is asked twice for the coefficients of each iteration.  Then Kuhn poker is solved, whose average strategy
    must come near to an equilibrium: plain CFR leaves less than .01 chips after 300 iterations, and .1 is allowed.

    Parameters
    ----------
    schedule:
        A schedule, with exponents or of own code, or the name of a variant.
    iterations:
        How many iterations are asked about and run.

    Raises
    ------
    ContractError
        Coefficients change when they are asked for again, own code answers as it must not, or Kuhn poker is not solved.

    Examples
    --------
    >>> import errai, errai.testing
    >>> errai.testing.check_schedule(errai.Schedule("half", alpha=1.5, beta=0.0, gamma=1.0))
    """
    with blamed(f"The schedule {getattr(schedule, 'name', schedule)!r:.60}"):
        variant = find_schedule(schedule)
        what = f"The schedule {variant.name!r:.60}"
        if variant.own_code is not None:
            # A run remembers what was answered, so the code itself is asked again.
            for t in range(1, iterations + 1):
                if variant.own_code.asked(t) != variant.own_code.asked(t):
                    raise ContractError(f"{what} answers differently when asked again, at iteration {t}.")
        backend: Any = {} if variant.rule is None else {"backend": "reference"}
        found = solve(load_game("kuhn"), max_iterations=iterations, algorithm=variant, **backend)
        if not found.verify():
            raise ContractError(f"{what} leads to a solution whose certificate does not hold.")
        if not found.exploitability.chips < 0.1:
            raise ContractError(
                f"{what} leaves Kuhn poker exploitable by {found.exploitability.chips:.3g} chips after {iterations:,} "
                "iterations; plain CFR comes below .01 in 300."
            )


def check_rule(rule: Any, *, vanishes: bool = True) -> None:
    """Check a local rule: shapes, probabilities, that columns are independent, and that its regret vanishes.

    The rule is asked about values from 0 to 1, for three actions and five hands: random values, and those that are
    worst for what it plays.  With a constant learning rate the average regret need not fall below a number that grows
    with the rate; so give a small rate, or leave the last check out.

    Parameters
    ----------
    rule:
        An object with ``strategy`` and ``update``, see :class:`errai.engine.own_schedules.LocalRule`.
    vanishes:
        Whether the average regret against random and against the worst values must shrink to 0.

    Raises
    ------
    ContractError
        The rule answers with other shapes, with no probabilities, differently for the same arguments, or for one column
        by what stands in others; it changes its arguments; or its average regret does not shrink.

    Examples
    --------
    >>> import errai.testing
    >>> from errai.engine.rules import Hedge
    >>> errai.testing.check_rule(Hedge(0.05))
    """
    name = type(rule).__name__
    with blamed(f"The rule {name}"):
        Schedule.of("checked", rule=rule)  # It is an object with both methods.
        for kind in ("random", "adversarial"):
            rng, regrets = np.random.default_rng(1), []
            state, won, total = np.zeros((ACTIONS, COLUMNS)), np.zeros(COLUMNS), np.zeros((ACTIONS, COLUMNS))
            for t in range(1, (LONG if vanishes else SHORT) + 1):
                played = _probabilities(rule, state, t, name)
                values = rng.random(played.shape)
                if kind == "adversarial":
                    # What the rule plays least wins, and one action is better than the others in the long run.
                    values = 0.7 * (played == played.min(axis=0)) + 0.3 * (np.arange(ACTIONS) == 0)[:, None]
                won += (played * values).sum(axis=0)
                total += values
                following = _following(rule, state, values, played, t, name)
                if t <= 20:
                    if not np.array_equal(following, _following(rule, state, values, played, t, name)):
                        raise ContractError(f"The rule {name} updates differently when asked again, in iteration {t}.")
                    _columns_alone(rule, state, values, played, following, t, name)
                state = following
                if t in (SHORT, LONG):
                    regrets.append(float((total.max(axis=0) - won).max()) / t)
            if vanishes and regrets[1] > max(VANISHES * regrets[0], SMALL_REGRET):
                raise ContractError(
                    f"The average regret of the rule {name} against {kind} values is {regrets[0]:.3g} after {SHORT:,} "
                    f"iterations and {regrets[1]:.3g} after {LONG:,}; a regret minimiser's shrinks to 0."
                )


def _probabilities(rule: Any, state: NDArray[Any], t: int, name: str) -> NDArray[np.float64]:
    given, what = state.copy(), f"The strategies of the rule {name} in iteration {t}"
    answer = rule.strategy(given, t)
    if not np.array_equal(given, state):
        raise ContractError(f"The rule {name} changes the state that it is asked about in iteration {t}.")
    found = numbers_of(answer, what, state.shape, low=0.0, high=1.0 + ROW_SUM_TOLERANCE, error=ContractError).copy()
    if np.abs(found.sum(axis=0) - 1.0).max() > ROW_SUM_TOLERANCE:
        raise ContractError(f"{what} are no probabilities: they sum to {found.sum(axis=0)[0]:g} and not to 1.")
    if not np.array_equal(found, np.asarray(rule.strategy(state.copy(), t))):
        raise ContractError(f"The rule {name} answers differently when asked again, in iteration {t}.")
    return found


def _following(
    rule: Any, state: NDArray[Any], values: NDArray[Any], played: NDArray[Any], t: int, name: str
) -> NDArray[np.float64]:
    given = [state.copy(), values.copy(), played.copy()]
    answer = rule.update(*given, t)
    if not all(map(np.array_equal, given, (state, values, played))):
        raise ContractError(f"The rule {name} changes its arguments in iteration {t}; return a new array.")
    what = f"The states of the rule {name} after iteration {t}"
    return numbers_of(answer, what, state.shape, error=ContractError).copy()


def _columns_alone(rule: Any, *arrays: Any) -> None:
    state, values, played, following, t, name = arrays
    for column in range(COLUMNS):
        one = slice(column, column + 1)
        alone = np.asarray(rule.update(state[:, one].copy(), values[:, one].copy(), played[:, one].copy(), t))
        asked_alone = np.asarray(rule.strategy(following[:, one].copy(), t + 1))
        together = np.asarray(rule.strategy(following.copy(), t + 1))
        if not np.allclose(alone, following[:, one], atol=CLOSE) or not np.allclose(
            asked_alone, together[:, one], atol=CLOSE
        ):
            raise ContractError(f"The rule {name} lets one column depend on others in iteration {t}.")
