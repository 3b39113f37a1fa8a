"""Solve bucket games by the sequence-form linear program.

Koller, Megiddo & von Stengel (1994), as in PsOpti.  A sequence of a player is an action of the betting tree together
with the player's history of buckets; its weight in a realization plan is the product of the player's own probabilities
up to it.  :mod:`errai.judges.sequence_form` does the same for games with real cards.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.optimize import OptimizeWarning, linprog

from errai.agents.literature.psopti.bucket_game import BucketGame, Floats
from errai.errors import LinearProgramError, TreeTooLargeError
from errai.games.betting import ActionKind
from errai.tree.betting_tree import NodeKind

Integers = NDArray[np.int64]
Tables = list[list[Floats]]
"""Probabilities by ``[street][player]``: float64[rows of the betting tree, histories]."""

MAX_ENTRIES = 100_000_000
"""The most payoff entries of a program: about 3 GB."""

NEVER = 1e-7
"""Below this weight a plan counts as not reaching an information set: what an interior point leaves there is noise."""


class BucketForm:
    """The sequence form of a bucket game.

    Attributes
    ----------
    num_sequences:
        By player, including the empty sequence, which has the number 0.
    num_information_sets:
        By player.

    Raises
    ------
    TreeTooLargeError
        If there would be more than ``max_entries`` payoff entries.
    """

    def __init__(self, game: BucketGame, *, max_entries: int = MAX_ENTRIES) -> None:
        self.game = game
        betting = game.betting
        entries = sum(game.joint[int(betting.street[node])].size for node in self.ends())
        if entries > max_entries:
            raise TreeTooLargeError(
                f"The program needs {entries:,} payoff entries, and max_entries is {max_entries:,}; use fewer buckets."
            )
        self._first: list[list[int]] = []
        count = [1, 1]
        for s in range(betting.num_streets):
            self._first.append(list(count))
            for p in (0, 1):
                count[p] += betting.num_rows(s, p) * game.histories(s, p)
        self.num_sequences = (count[0], count[1])
        sets = [
            sum(len(betting.decision_nodes(s, p)) * game.histories(s, p) for s in range(betting.num_streets))
            for p in (0, 1)
        ]
        self.num_information_sets = (sets[0], sets[1])
        self._last = self._last_actions()

    def ends(self) -> list[int]:
        """Return the nodes at which the betting tree ends."""
        kind = self.game.betting.kind
        return np.flatnonzero((kind != NodeKind.DECISION) & (kind != NodeKind.CHANCE)).tolist()

    def _last_actions(self) -> list[list[tuple[int, int] | None]]:
        """Return for each player and node the street and row of the player's last action before the node."""
        betting = self.game.betting
        found: list[list[tuple[int, int] | None]] = [[None] * len(betting) for _ in range(2)]
        for node in range(1, len(betting)):
            parent = int(betting.parent[node])
            for p in (0, 1):
                found[p][node] = found[p][parent]
            if betting.kind[parent] == NodeKind.DECISION:
                row = int(betting.row_start[parent]) + node - int(betting.first_child[parent])
                found[int(betting.actor[parent])][node] = (int(betting.street[parent]), row)
        return found

    def sequences(self, player: int, node: int) -> Integers:
        """Return int64[actions, U]: numbers of the sequences that end with the actions of a decision node."""
        betting = self.game.betting
        street = int(betting.street[node])
        size = self.game.histories(street, player)
        rows = int(betting.row_start[node]) + np.arange(int(betting.num_children[node]), dtype=np.int64)
        return self._first[street][player] + rows[:, None] * size + np.arange(size)

    def leading(self, player: int, node: int) -> Integers:
        """Return int64[U]: the player's last sequence before a node, for every history of the node's round."""
        street = int(self.game.betting.street[node])
        histories = np.arange(self.game.histories(street, player), dtype=np.int64)
        last = self._last[player][node]
        if last is None:
            return np.zeros(len(histories), dtype=np.int64)
        size = self.game.histories(last[0], player)
        return self._first[last[0]][player] + last[1] * size + histories // (len(histories) // size)

    @cached_property
    def payoffs(self) -> sparse.csr_matrix:
        """Sparse float64[S0, S1]: what player 0 wins in chips, times the probability of both histories."""
        rows, columns, values = [], [], []
        for node in self.ends():
            joint = self.game.joint[int(self.game.betting.street[node])]
            u, v = np.nonzero(joint)
            rows.append(self.leading(0, node)[u])
            columns.append(self.leading(1, node)[v])
            values.append((joint * self.game.worth(node))[u, v])
        entries = (np.concatenate(values), (np.concatenate(rows), np.concatenate(columns)))
        return sparse.coo_matrix(entries, shape=self.num_sequences).tocsr()

    def decisions(self, player: int) -> list[int]:
        """Return a player's decisions in the betting tree, ascending."""
        betting = self.game.betting
        return np.flatnonzero((betting.kind == NodeKind.DECISION) & (betting.actor == player)).tolist()

    def constraints(self, player: int) -> sparse.csr_matrix:
        """Return sparse float64[1 + information sets, S]: the empty sequence has weight 1, actions that of their parent
        sequence.
        """
        rows, columns, values = [np.zeros(1, np.int64)], [np.zeros(1, np.int64)], [np.ones(1)]
        count = 1
        for node in self.decisions(player):
            leading, sequences = self.leading(player, node), self.sequences(player, node)
            sets = count + np.arange(len(leading))
            count += len(leading)
            rows += [sets, np.tile(sets, len(sequences))]
            columns += [leading, sequences.ravel()]
            values += [np.full(len(leading), -1.0), np.ones(sequences.size)]
        entries = (np.concatenate(values), (np.concatenate(rows), np.concatenate(columns)))
        return sparse.coo_matrix(entries, shape=(count, self.num_sequences[player])).tocsr()

    def plan(self, player: int, tables: Tables) -> Floats:
        """Return a strategy as the player's realization plan, float64[S]."""
        weights = np.zeros(self.num_sequences[player])
        weights[0] = 1.0
        for node, table in self._each(player, tables):
            weights[self.sequences(player, node)] = table * weights[self.leading(player, node)]
        return weights

    def _each(self, player: int, tables: Tables) -> Iterator[tuple[int, Floats]]:
        betting = self.game.betting
        for node in self.decisions(player):
            first = int(betting.row_start[node])
            yield node, tables[int(betting.street[node])][player][first : first + int(betting.num_children[node])]

    def empty_tables(self) -> Tables:
        """Return tables of the right shapes, all 0."""
        betting, game = self.game.betting, self.game
        return [
            [np.zeros((betting.num_rows(s, p), game.histories(s, p))) for p in (0, 1)]
            for s in range(betting.num_streets)
        ]

    def fill(self, player: int, plan: Floats, tables: Tables) -> None:
        """Enter the probabilities of a realization plan into tables; where the plan does not lead, the player calls."""
        betting = self.game.betting
        for node, table in self._each(player, tables):
            weights = np.maximum(plan[self.sequences(player, node)], 0.0)
            total = weights.sum(axis=0)
            led = total > NEVER
            calls = [betting.action_kind[child] == ActionKind.CALL for child in betting.children(node)]
            table[:] = np.where(led, weights / np.where(led, total, 1.0), np.array(calls, dtype=np.float64)[:, None])

    def value(self, first: Floats, second: Floats) -> float:
        """Return the chips that player 0 wins if the players follow these plans."""
        return float(first @ (self.payoffs @ second))

    def best_response_value(self, player: int, opponent_plan: Floats) -> float:
        """Return the chips that a player wins with a best response to the opponent's plan."""
        worth = self.payoffs @ opponent_plan if player == 0 else -(self.payoffs.T @ opponent_plan)
        for node in reversed(self.decisions(player)):
            np.add.at(worth, self.leading(player, node), worth[self.sequences(player, node)].max(axis=0))
        return float(worth[0])


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


def solve_bucket_game(
    game: BucketGame, *, vertex: bool = False, tolerance: float = 1e-8, max_entries: int = MAX_ENTRIES
) -> BucketSolution:
    """Solve a bucket game by the sequence-form linear program, with HiGHS's interior-point method on one thread.

    Player 0's plan x maximises the first entry of q subject to ``F' q <= A' x``, ``E x = e``, ``x >= 0``; player 1's
    plan is the dual solution.  The gap is computed from the tables by best responses, independently of HiGHS.

    Parameters
    ----------
    vertex:
        Whether to move to a vertex after the interior point; without, all equilibrium actions keep some weight.
    tolerance:
        Relative tolerance of the interior point.
    max_entries:
        Raise an error for programs with more payoff entries.

    Raises
    ------
    TreeTooLargeError
        If there are more than ``max_entries`` payoff entries.
    LinearProgramError
        If HiGHS stopped without an optimum.
    """
    form = BucketForm(game, max_entries=max_entries)
    own, other = form.constraints(0), form.constraints(1)
    (s0, s1), rows0, rows1 = form.num_sequences, own.shape[0], other.shape[0]
    # Payoffs include the probability of the buckets and can be tiny, but tolerances are absolute, so scale them up.
    scale = float(np.abs(form.payoffs.data).mean()) or 1.0
    with warnings.catch_warnings():
        # SciPy warns about options that it passes on to HiGHS.
        warnings.simplefilter("ignore", OptimizeWarning)
        result = linprog(
            c=np.concatenate([np.zeros(s0), [-1.0], np.zeros(rows1 - 1)]),
            A_ub=sparse.hstack([-form.payoffs.T / scale, other.T], format="csc"),
            b_ub=np.zeros(s1),
            A_eq=sparse.hstack([own, sparse.csr_matrix((rows0, rows1))], format="csc"),
            b_eq=np.concatenate([[1.0], np.zeros(rows0 - 1)]),
            bounds=[(0, None)] * s0 + [(None, None)] * rows1,
            method="highs-ipm",
            options={
                "ipm_optimality_tolerance": tolerance,
                "run_crossover": "on" if vertex else "off",
                "threads": 1,
            },
        )
    if result.x is None or result.ineqlin.marginals is None:
        raise LinearProgramError(f"HiGHS found no optimum of the bucket game: {result.message}")
    tables = form.empty_tables()
    form.fill(0, result.x[:s0], tables)
    form.fill(1, -result.ineqlin.marginals, tables)
    plans = form.plan(0, tables), form.plan(1, tables)
    gap = form.best_response_value(0, plans[1]) + form.best_response_value(1, plans[0])
    return BucketSolution(form.value(*plans), tables, gap, form)


def values_by_start(solution: BucketSolution) -> Floats:
    """Return float64[K, L]: chips that player 0 wins from each first pair of buckets, 0 for pairs that do not occur."""
    form, game = solution.form, solution.form.game
    first, second = form.plan(0, solution.tables), form.plan(1, solution.tables)
    found = np.zeros_like(game.start)
    k, m = found.shape
    for node in form.ends():
        joint = game.joint[int(game.betting.street[node])]
        reach = np.outer(first[form.leading(0, node)], second[form.leading(1, node)])
        u, v = joint.shape
        found += (joint * game.worth(node) * reach).reshape(k, u // k, m, v // m).sum(axis=(1, 3))
    return np.divide(found, game.start, out=np.zeros_like(found), where=game.start > 0)
