"""Games whose cards are buckets, and their equilibria: a betting tree, and how buckets change from round to round.

Billings et al., "Approximating game-theoretic optimal strategies for full-scale poker" (IJCAI 2003), section 4: chance
deals a pair of buckets, one to each player, and in every later round a new pair that depends only on the last one.  The
pair changes jointly because the players share the board.  Each player sees and remembers its own buckets.

A game is solved in its sequence form, by CFR+ or by the linear program of PsOpti.  Both ways end with the same
certificate: what the players could still gain by best responses.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from errai.errors import InputError, LinearProgramError, TreeTooLargeError
from errai.games.betting import ActionKind
from errai.judges.sequence_form import Decision, Integers, Sequences
from errai.tree.betting_tree import BettingTree, NodeKind

Floats = NDArray[np.float64]

Tables = list[list[Floats]]
"""Probabilities by ``[street][player]``: float64[rows of the betting tree, histories]."""

MAX_ENTRIES = 100_000_000
"""The most payoff entries of a game: about 3 GB."""

MAX_ITERATIONS = 20_000

MEASURED_EVERY = 50
"""CFR+ measures the gap of its average once in so many iterations."""

SLACK = 1e-9
"""How far probabilities may be from summing to 1."""


@dataclass(frozen=True, eq=False)
class BucketGame:
    """A two-player game over buckets.

    A *history* is what a player has seen: its buckets up to a round, numbered with the last one running fastest.  Axes:
    K and L are the buckets of player 0 and 1 in a round, U and V their histories.

    Raises :class:`InputError` if shapes do not fit the tree or each other, numbers are no probabilities, or a leaf has
    no values.
    """

    betting: BettingTree
    """Contributions are chips, and the winner gains what the loser has put in."""
    start: Floats
    """float64[K, L]: probability of each pair of buckets in the first round."""
    moves: tuple[Floats, ...]
    """One float64[K, L, K', L'] for each later round: probability of each next pair, given a pair.  It may be all 0 for
    a pair that cannot occur."""
    showdown: Floats
    """float64[K, L] on the last round: the probability that player 0 wins a showdown minus that of losing it."""
    leaves: Mapping[int, Floats] = field(default_factory=dict)
    """For a tree that ends early: the value of a LEAF node for player 0 in chips, float64[K, L] of its round."""

    def __post_init__(self) -> None:
        if len(self.moves) != self.betting.num_streets - 1:
            raise InputError(
                f"{self.betting.num_streets} rounds need {self.betting.num_streets - 1} transition matrices, not "
                f"{len(self.moves)}."
            )
        if self.start.ndim != 2 or (self.start < 0).any() or not abs(self.start.sum() - 1.0) <= SLACK:
            raise InputError("The pairs of buckets of the first round need probabilities that sum to 1.")
        before = self.start
        for number, move in enumerate(self.moves, start=1):
            if move.ndim != 4 or move.shape[:2] != before.shape:
                raise InputError(f"The moves into round {number} have shape {move.shape} after {before.shape} buckets.")
            sums = move.sum(axis=(2, 3))
            if (move < 0).any() or not (np.abs(sums - 1.0) <= SLACK)[before > 0].all():
                raise InputError(f"The moves into round {number} are no probabilities that sum to 1 for every pair.")
            before = np.einsum("kl,klmn->mn", before, move)
        if self.showdown.shape != before.shape or not (np.abs(self.showdown) <= 1 + SLACK).all():
            raise InputError(f"The showdown needs numbers from -1 to 1 for {before.shape} buckets.")
        for node in np.flatnonzero(self.betting.kind == NodeKind.LEAF).tolist():
            if node not in self.leaves or self.leaves[node].shape != self.pairs[int(self.betting.street[node])].shape:
                raise InputError(f"The leaf {node} of the betting tree needs a value for every pair of buckets.")

    @cached_property
    def buckets(self) -> tuple[tuple[int, int], ...]:
        """Numbers of buckets of both players in every round."""
        return tuple((pair.shape[0], pair.shape[1]) for pair in self.pairs)

    @cached_property
    def pairs(self) -> tuple[Floats, ...]:
        """float64[K, L] of every round: the probability of each pair, whatever was bet."""
        found = [self.start]
        for move in self.moves:
            found.append(np.einsum("kl,klmn->mn", found[-1], move))
        return tuple(found)

    def ends(self) -> list[int]:
        """Return the nodes at which the betting tree ends."""
        kind = self.betting.kind
        return np.flatnonzero((kind != NodeKind.DECISION) & (kind != NodeKind.CHANCE)).tolist()

    def histories(self, street: int, player: int) -> int:
        """Return the number of histories of a player in a round."""
        return int(np.prod([self.buckets[s][player] for s in range(street + 1)]))

    @cached_property
    def joint(self) -> tuple[Floats, ...]:
        """float64[U, V] of every round: the probability of each pair of histories, whatever was bet."""
        found = [self.start]
        for move in self.moves:
            old, new = move.shape[:2], move.shape[2:]
            u, v = found[-1].shape
            # The last bucket runs fastest, so it is the remainder of a history's number.
            weights = found[-1].reshape(u // old[0], old[0], v // old[1], old[1])
            found.append(np.einsum("akbl,klmn->akmbln", weights, move).reshape(u * new[0], v * new[1]))
        return tuple(found)

    def worth(self, node: int) -> Floats:
        """Return float64[U, V]: chips that player 0 wins at an end of the betting tree, for every pair of histories."""
        betting = self.betting
        street, kind, chips = int(betting.street[node]), betting.kind[node], betting.contributions[node]
        u, v = self.joint[street].shape
        repeats = tuple(np.array((u, v)) // self.pairs[street].shape)
        if kind == NodeKind.FOLD:
            return np.full((u, v), -chips[0] if betting.actor[node] == 0 else chips[1])
        if kind == NodeKind.SHOWDOWN:
            return np.tile(self.showdown * float(chips[0]), repeats)
        if kind == NodeKind.LEAF:
            return np.tile(self.leaves[node], repeats)
        raise InputError(f"Node {node} of the betting tree is not an end.")


class BucketForm(Sequences):
    """The sequence form of a bucket game; a place is a history of buckets.

    Raises :class:`TreeTooLargeError` if there would be more than ``MAX_ENTRIES`` payoff entries.
    """

    NEVER = 1e-7
    """Below this weight a plan counts as not reaching an information set: what an interior point leaves is noise."""

    def __init__(self, game: BucketGame) -> None:
        self.game = game
        entries = sum(game.joint[int(game.betting.street[node])].size for node in game.ends())
        if entries > MAX_ENTRIES:
            raise TreeTooLargeError(
                f"The game has {entries:,} payoff entries, and at most {MAX_ENTRIES:,} are allowed; use fewer buckets."
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


@dataclass(frozen=True, eq=False)
class BucketSolution:
    """An equilibrium of a bucket game, with its certificate."""

    value: float
    """Chips that player 0 wins."""
    tables: Tables
    gap: float
    """What both players together could gain by best responses, in chips; the game's value is within it of ``value``."""
    form: BucketForm


def by_linear_program(game: BucketGame) -> BucketSolution:
    """Solve a bucket game by the sequence-form linear program, with HiGHS's interior-point method on one thread.

    There is no crossover to a vertex, so that all equilibrium actions keep some weight.  Raises
    :class:`LinearProgramError` if HiGHS stops without an optimum.
    """
    form = BucketForm(game)
    options = {"ipm_optimality_tolerance": 1e-8, "run_crossover": "off", "threads": 1}
    return _certified(form, form.solve("highs-ipm", options))


def by_cfr(game: BucketGame, *, gap: float = 1e-3) -> BucketSolution:
    """Solve a bucket game by CFR+ (Tammelin 2014) with averages that weight iterations linearly.

    ``gap`` is in chips: what both players together may still gain by best responses.  Raises
    :class:`LinearProgramError` if it is too small to be reached.
    """
    form = BucketForm(game)
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
            now = 2 * form.exploitability(*average)
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
    return BucketSolution(form.value(*plans), tables, 2 * form.exploitability(*plans), form)


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
