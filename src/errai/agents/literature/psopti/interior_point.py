"""Solve the linear program of a bucket game by an interior-point method that uses the game's structure.

Mehrotra, "On the implementation of a primal-dual interior point method" (1992): a predictor and a corrector in each
iteration, from a start that satisfies all constraints.  With x, y the realization plans and r, s what the players lose
by each sequence against the other's plan, the optimum has x r = 0 and y s = 0; here both products are kept near a
target that goes to 0.  The gap of the two plans is x r + y s; at the end it is recomputed by best responses.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from errai.agents.literature.psopti.bucket_game import BucketGame, Floats
from errai.agents.literature.psopti.elimination import Elimination
from errai.agents.literature.psopti.linear_program import MAX_ENTRIES, BucketForm, BucketSolution
from errai.errors import LinearProgramError

MAX_ITERATIONS = 150
START = 1.0
"""The least loss of each action at the start, as a share of the chips at stake."""
STEP = 0.995
"""Share of the way to the boundary that a step may go."""


def interior_point(
    game: BucketGame,
    *,
    gap: float = 1e-3,
    max_entries: int = MAX_ENTRIES,
    report: Callable[[int, float], None] | None = None,
) -> BucketSolution:
    """Solve a bucket game by its linear program.

    Parameters
    ----------
    gap:
        In chips: what both players together may still gain by best responses.
    max_entries:
        Raise an error for games with more payoff entries.
    report:
        Called with the number of the iteration and the gap.

    Raises
    ------
    TreeTooLargeError
        If there are more than ``max_entries`` payoff entries.
    LinearProgramError
        If the method does not converge, because the gap is too small for the numbers' precision.
    """
    form = BucketForm(game, max_entries=max_entries)
    equations = Elimination(form)
    payoffs = form.payoffs
    back = payoffs.T.tocsr()
    x, y = _even_plan(form, 0), _even_plan(form, 1)
    # Gains are stored for player 0 and, negated, for player 1; both lose r, s >= 0 by each sequence.
    r = _losses(form, 0, payoffs @ y)
    s = _losses(form, 1, -(back @ x))
    count = len(x) + len(y) - 2
    for iteration in range(MAX_ITERATIONS):
        now = float(x[1:] @ r[1:] + y[1:] @ s[1:])
        if report is not None:
            report(iteration, now)
        if now <= gap:
            return _finished(form, x, y)
        mu = now / count
        equations.factor(_ratio(r, x), _ratio(s, y))
        lack = r + payoffs @ y, s - back @ x
        dx, dy = equations.solve(lack[0] - r, lack[1] - s)
        dr, ds = -r - _ratio(r, x) * dx, -s - _ratio(s, y) * dy
        primal, dual = min(_way(x, dx), _way(s, ds)), min(_way(y, dy), _way(r, dr))
        after = (x + primal * dx)[1:] @ (r + dual * dr)[1:] + (y + dual * dy)[1:] @ (s + primal * ds)[1:]
        target = mu * min(1.0, float(after) / now) ** 3
        cx, cy = target - x * r - dx * dr, target - y * s - dy * ds
        dx, dy = equations.solve(lack[0] + cx / x, lack[1] + cy / y)
        dr, ds = cx / x - _ratio(r, x) * dx, cy / y - _ratio(s, y) * dy
        primal = min(1.0, STEP * min(_way(x, dx), _way(s, ds)))
        dual = min(1.0, STEP * min(_way(y, dy), _way(r, dr)))
        if not min(primal, dual) > 1e-8:
            break
        x, s = x + primal * dx, s + primal * ds
        y, r = y + dual * dy, r + dual * dr
        x[0] = y[0] = 1.0
        r[0] = s[0] = 1.0
    raise LinearProgramError(
        f"The interior point stopped with a gap of {now:g} chips, where {gap:g} was asked for; allow a larger gap."
    )


def _finished(form: BucketForm, x: Floats, y: Floats) -> BucketSolution:
    tables = form.empty_tables()
    form.fill(0, x, tables)
    form.fill(1, y, tables)
    plans = form.plan(0, tables), form.plan(1, tables)
    found = form.best_response_value(0, plans[1]) + form.best_response_value(1, plans[0])
    return BucketSolution(form.value(*plans), tables, found, form)


def _ratio(above: Floats, below: Floats) -> Floats:
    return above / below


def _way(at: Floats, step: Floats) -> float:
    """Return how far a step may go before a number gets 0, ignoring the empty sequence; infinite if none decreases."""
    falling = step[1:] < 0
    if not falling.any():
        return 1e300
    return float((-at[1:][falling] / step[1:][falling]).min())


def _even_plan(form: BucketForm, player: int) -> Floats:
    """Return the plan in which all actions are equally likely."""
    plan = np.zeros(form.num_sequences[player])
    plan[0] = 1.0
    for node in form.decisions(player):
        sequences = form.sequences(player, node)
        plan[sequences] = plan[form.leading(player, node)] / len(sequences)
    return plan


def _losses(form: BucketForm, player: int, gains: Floats) -> Floats:
    """Return what a player loses by each sequence compared with the best, plus a little so that it is positive
    everywhere.

    Parameters
    ----------
    gains:
        float64[S]: what each sequence wins at the ends that it leads to.
    """
    worth = gains.copy()
    losses = np.ones_like(gains)
    betting = form.game.betting
    joint = form.game.joint
    for node in reversed(form.decisions(player)):
        sequences = form.sequences(player, node)
        mass = joint[int(betting.street[node])].sum(axis=1 - player)
        chips = float(betting.contributions[node].max())
        best = worth[sequences].max(axis=0) + START * chips * (mass + 1e-3 / len(mass))
        losses[sequences] = best - worth[sequences]
        np.add.at(worth, form.leading(player, node), best)
    return losses
