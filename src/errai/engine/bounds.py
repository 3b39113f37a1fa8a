"""What regrets promise: a bound on the exploitability of the average strategy, from the solver's state alone.

docs/maths.md derives it (section 4).  Certificates do not rest on it; they are computed from the strategies.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from errai.engine.schedules import Schedule

if TYPE_CHECKING:
    from errai.engine.loop import Solver

EQUAL = 1e-9
"""By how much the weights of iterations in regrets and in the average may differ, as a share, and count as the same."""


class Weights(NamedTuple):
    """How the iterations of a run weigh."""

    factor: float
    """A player's weighted average regret is at most this, times the sum over information sets of the largest number in
    the state that is above 0."""
    last: float
    """The share of the last iteration in the average."""


def weights_of(schedule: Schedule, iterations: int) -> Weights | None:
    """Return how the iterations weigh if the regrets of the state bound those of the average; None if they do not.

    They do if regrets and average weigh iterations alike (CFR, linear CFR), and in CFR+, whose regrets are forgotten
    below 0, for every average whose weights never fall.  They do not for predictive variants, foresight, other local
    rules, and averages that reach does not weight.
    """
    if iterations < 1 or not schedule.weighted or schedule.rule is not None:
        return None
    table = schedule.coefficients(1, iterations)
    positive, negative, average, weight, prediction, _, foresight, _ = table.T
    if prediction.any() or foresight.any():
        return None
    # The weight of an iteration: what is left of it at the end.  The first factor never counts.
    kept = np.concatenate([np.cumprod(average[:0:-1])[::-1], [1.0]]) * weight
    total = float(kept.sum())
    if not total > 0.0:
        return None
    last = float(kept[-1]) / total
    if (positive == 1.0).all() and (negative == 0.0).all():
        return Weights(last, last) if (np.diff(kept) >= -EQUAL * kept.max()).all() else None
    if not np.array_equal(positive, negative):
        return None
    # A regret is multiplied in its own iteration too.
    learnt = np.cumprod(positive[::-1])[::-1]
    if not (learnt > 0.0).all():
        return None
    ratio = kept / learnt
    if not (np.abs(ratio - ratio[-1]) <= EQUAL * ratio[-1]).all():
        return None
    return Weights(float(ratio[-1]) / total, last)


def regret_bound_chips(solver: Solver) -> float | None:
    """Return a bound on the exploitability of the average strategy in chips; None if the regrets promise nothing.

    With alternating updates the average of player 0 is one iteration older than what player 1 has learnt against.  This
    costs at most the share of the last iteration times the span of what can be won.
    """
    tree, state = solver.tree, solver.state
    weights = weights_of(solver.schedule, solver.iteration)
    plain = solver.leaf_values is None and solver.root is None and tree.locks is None and tree.values_cancel
    if weights is None or not plain or state.scales is not None:
        return None
    total = 0.0
    for s, street in enumerate(tree.arrays.streets):
        for p in (0, 1):
            nodes = [n for n in range(len(street.kind)) if street.row[n] >= 0 and street.actor[n] == p]
            first = np.array([int(street.row[n]) for n in nodes])
            worth, rows = tree.class_weights[p][s], street.num_rows[p]
            for b in range(street.num_boards if len(first) else 0):
                block = street.block(state.regrets[s][p], rows, p, b).reshape(rows, -1)
                most = np.maximum.reduceat(np.maximum(block, 0.0), first, axis=0).sum(axis=0, dtype=np.float64)
                start = street.hands[p].start
                total += float(most @ worth[start[b] : start[b + 1]])
    late = 0.0 if solver.schedule.simultaneous else tree.span_chips * weights.last
    return (weights.factor * total + late) / 2.0
