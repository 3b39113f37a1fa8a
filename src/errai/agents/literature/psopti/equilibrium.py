"""Equilibria of bucket games: their sequence form, CFR+ on it, and the linear program of PsOpti.

Both ways end with the same certificate: what the players could still gain by best responses.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from errai.agents.literature.psopti.bucket_game import BucketGame, Floats
from errai.errors import LinearProgramError, TreeTooLargeError
from errai.games.betting import ActionKind
from errai.judges.sequence_form import Decision, Integers, Sequences

Tables = list[list[Floats]]
"""Probabilities by ``[street][player]``: float64[rows of the betting tree, histories]."""

MAX_ENTRIES = 100_000_000
"""The most payoff entries of a game: about 3 GB."""

MAX_ITERATIONS = 20_000

MEASURED_EVERY = 50
"""CFR+ measures the gap of its average once in so many iterations."""


class BucketForm(Sequences):
    """The sequence form of a bucket game; a place is a history of buckets.

    Raises
    ------
    TreeTooLargeError
        If there would be more than ``max_entries`` payoff entries.
    """

    NEVER = 1e-7
    """Below this weight a plan counts as not reaching an information set: what an interior point leaves is noise."""

    def __init__(self, game: BucketGame, *, max_entries: int = MAX_ENTRIES) -> None:
        self.game = game
        entries = sum(game.joint[int(game.betting.street[node])].size for node in game.ends())
        if entries > max_entries:
            raise TreeTooLargeError(
                f"The game has {entries:,} payoff entries, and max_entries is {max_entries:,}; use fewer buckets."
            )
        numbers = [[np.arange(game.histories(s, p)) for p in (0, 1)] for s in range(game.betting.num_streets)]
        # The last bucket runs fastest in the number of a history.
        before = [
            (own[0] // (len(own[0]) // len(above[0])), own[1] // (len(own[1]) // len(above[1])))
            for above, own in pairwise([numbers[0], *numbers])
        ]
        super().__init__(game.betting, before, self._end)

    def _end(self, node: int) -> tuple[Integers, Integers, Floats]:
        joint = self.game.joint[int(self.betting.street[node])]
        u, v = np.nonzero(joint)
        return u, v, (joint * self.game.worth(node))[u, v]

    def unreached(self, decision: Decision) -> Floats:
        """Return float64[A]: where a plan does not lead, the player calls."""
        return np.array(
            [self.betting.action_kind[child] == ActionKind.CALL for child in self.betting.children(decision.node)],
            dtype=np.float64,
        )

    def plan(self, player: int, tables: Tables) -> Floats:
        """Return a strategy as the player's realization plan, float64[S]."""
        return self.plan_of(player, (tables[s][player][rows] for s, rows in self._rows(player)))

    def tables(self, plans: tuple[Floats, Floats]) -> Tables:
        """Return the probabilities of both players' realization plans; where a plan does not lead, the player calls."""
        found = [
            [np.zeros((self.betting.num_rows(s, p), self.game.histories(s, p))) for p in (0, 1)]
            for s in range(self.betting.num_streets)
        ]
        for p in (0, 1):
            for (s, rows), shares in zip(self._rows(p), self.shares_of(p, plans[p]), strict=True):
                found[s][p][rows] = shares
        return found

    def _rows(self, player: int) -> list[tuple[int, slice]]:
        """Return the street and the rows of the tables of each of a player's decisions."""
        betting = self.betting
        first = [int(betting.row_start[decision.node]) for decision in self.decisions[player]]
        return [
            (int(betting.street[decision.node]), slice(row, row + len(decision.sequences)))
            for row, decision in zip(first, self.decisions[player], strict=True)
        ]

    def gap(self, plans: tuple[Floats, Floats]) -> float:
        """Return what both players together can gain by best responses, in chips."""
        return 2 * self.exploitability(*plans)


@dataclass(frozen=True, eq=False)
class BucketSolution:
    """An equilibrium of a bucket game, with its certificate.

    Attributes
    ----------
    value:
        Chips that player 0 wins.
    tables:
        Both players' probabilities.
    gap:
        What both players together could gain by best responses, in chips; the game's value is within it of ``value``.
    form:
        The sequence form that was solved.
    """

    value: float
    tables: Tables
    gap: float
    form: BucketForm


def by_linear_program(game: BucketGame, *, tolerance: float = 1e-8, max_entries: int = MAX_ENTRIES) -> BucketSolution:
    """Solve a bucket game by the sequence-form linear program, with HiGHS's interior-point method on one thread.

    There is no crossover to a vertex, so that all equilibrium actions keep some weight.

    Parameters
    ----------
    tolerance:
        Relative tolerance of the interior point.
    max_entries:
        Raise an error for games with more payoff entries.

    Raises
    ------
    TreeTooLargeError
        If there are more than ``max_entries`` payoff entries.
    LinearProgramError
        If HiGHS stopped without an optimum.
    """
    form = BucketForm(game, max_entries=max_entries)
    options = {"ipm_optimality_tolerance": tolerance, "run_crossover": "off", "threads": 1}
    return _certified(form, form.solve("highs-ipm", options))


def by_cfr(game: BucketGame, *, gap: float = 1e-3, max_entries: int = MAX_ENTRIES) -> BucketSolution:
    """Solve a bucket game by CFR+ (Tammelin 2014) with averages that weight iterations linearly.

    Parameters
    ----------
    gap:
        In chips: what both players together may still gain by best responses.
    max_entries:
        Raise an error for games with more payoff entries.

    Raises
    ------
    TreeTooLargeError
        If there are more than ``max_entries`` payoff entries.
    LinearProgramError
        If the gap is not reached, because it is too small.
    """
    form = BucketForm(game, max_entries=max_entries)
    payoffs = (form.payoffs, -form.payoffs.T.tocsr())
    groups = (_groups(form, 0), _groups(form, 1))
    regrets = [np.zeros(size) for size in form.num_sequences]
    sums = [np.zeros(size) for size in form.num_sequences]
    plans = [_matched(groups[p], regrets[p]) for p in (0, 1)]
    for iteration in range(1, MAX_ITERATIONS + 1):
        for p in (0, 1):
            worth = payoffs[p] @ plans[1 - p]
            for leading, sequences in reversed(groups[p]):
                here = worth[sequences]
                mean = (_shares(regrets[p][sequences]) * here).sum(axis=0)
                regrets[p][sequences] = np.maximum(regrets[p][sequences] + here - mean, 0.0)
                worth += np.bincount(leading, mean, len(worth))
            plans[p] = _matched(groups[p], regrets[p])
            sums[p] += iteration * plans[p]
        if iteration % MEASURED_EVERY == 0 or iteration == 1:
            average = sums[0] / sums[0][0], sums[1] / sums[1][0]
            now = form.gap(average)
            if now <= gap:
                return _certified(form, average)
    raise LinearProgramError(
        f"CFR+ stopped with a gap of {now:g} chips after {MAX_ITERATIONS:,} iterations, where {gap:g} was asked for; "
        "allow a larger gap."
    )


def _certified(form: BucketForm, found: tuple[Floats, Floats]) -> BucketSolution:
    """Return the solution of two plans; tables and back makes them satisfy their constraints to the last digit."""
    tables = form.tables(found)
    plans = form.plan(0, tables), form.plan(1, tables)
    return BucketSolution(form.value(*plans), tables, form.gap(plans), form)


Groups = list[tuple[Integers, NDArray[np.int64]]]
"""Information sets with equally many own actions before them and at them: the leading sequences, int64[n], and those
of the actions, int64[A, n]; those with fewer actions before them come first."""


def _groups(form: BucketForm, player: int) -> Groups:
    depth = np.zeros(form.num_sequences[player], dtype=np.int64)
    parts: dict[tuple[int, int], list[Decision]] = {}
    for decision in form.decisions[player]:
        before = int(depth[decision.leading[0]])
        depth[decision.sequences] = before + 1
        parts.setdefault((before, len(decision.sequences)), []).append(decision)
    return [
        (np.concatenate([d.leading for d in part]), np.concatenate([d.sequences for d in part], axis=1))
        for _, part in sorted(parts.items())
    ]


def _shares(regrets: Floats) -> Floats:
    total = regrets.sum(axis=0)
    return np.where(total > 0.0, regrets / np.where(total > 0.0, total, 1.0), 1.0 / len(regrets))


def _matched(groups: Groups, regrets: Floats) -> Floats:
    """Return the realization plan of regret matching."""
    plan = np.zeros(len(regrets))
    plan[0] = 1.0
    for leading, sequences in groups:
        plan[sequences] = _shares(regrets[sequences]) * plan[leading]
    return plan


def values_by_start(solution: BucketSolution) -> Floats:
    """Return float64[K, L]: chips that player 0 wins from each first pair of buckets, 0 for pairs that do not occur."""
    form, game = solution.form, solution.form.game
    first, second = form.plan(0, solution.tables), form.plan(1, solution.tables)
    found = np.zeros_like(game.start)
    k, m = found.shape
    for node in game.ends():
        joint = game.joint[int(game.betting.street[node])]
        reach = np.outer(first[form.leading[0][node]], second[form.leading[1][node]])
        u, v = joint.shape
        found += (joint * game.worth(node) * reach).reshape(k, u // k, m, v // m).sum(axis=(1, 3))
    return np.divide(found, game.start, out=np.zeros_like(found), where=game.start > 0)
