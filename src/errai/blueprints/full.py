"""Full-width solving over buckets: all boards, all hands, any schedule without prediction and foresight."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from errai.blueprints.abstractions import Abstraction
from errai.blueprints.boards import all_boards
from errai.blueprints.solver import BucketSolver
from errai.engine.schedules import Schedule, find_schedule
from errai.engine.units import Exploitability, Units
from errai.errors import SolverOptionError
from errai.kernels.bucket_cpu import BucketCpu
from errai.kernels.buckets import BucketKernel, BucketReference, BucketTree, Learning, Tables
from errai.kernels.layout import BEST
from errai.tree.public_tree import PublicTree, TreePlan


def make_bucket_kernel(name: str, boards: BucketTree, threads: int) -> BucketKernel:
    """Return a backend by name: ``cpu`` or ``reference``.  Raises :class:`SolverOptionError` for any other."""
    if name == "cpu":
        return BucketCpu(boards, threads)
    if name == "reference":
        return BucketReference(boards)
    raise SolverOptionError(f"The backend {name!r} does not support buckets; choose cpu or reference.")


class FullWidth(BucketSolver):
    """Counterfactual regret minimisation in which the hands of a bucket share regrets and strategies.

    Parameters
    ----------
    tree:
        The whole tree of the game.
    abstraction, dtype:
        As for :class:`~errai.blueprints.solver.BucketSolver`.
    schedule:
        How whole tables are discounted at each iteration; updates are alternating.
    average_from:
        The first iteration whose strategy enters the average.
    backend, threads:
        As for :func:`make_bucket_kernel`.
    boards:
        The tree's boards in these buckets, if the caller has them.

    Raises :class:`SolverOptionError` for a schedule that predicts or has foresight.
    """

    method = "full"

    def __init__(
        self,
        tree: PublicTree,
        abstraction: Abstraction,
        schedule: Schedule | str = "dcfr4",
        *,
        average_from: int = 1,
        dtype: type[np.floating] = np.float32,
        backend: str = "cpu",
        threads: int = 1,
        boards: BucketTree | None = None,
    ) -> None:
        plan = TreePlan(tree.subject, tree.betting, tree.root, True)
        super().__init__(plan, abstraction, dtype, average_from)
        self.tree = tree
        self.schedule = find_schedule(schedule, average_from=average_from)
        own = self.schedule.own_code is not None
        if own or self.schedule.prediction or self.schedule.foresight or self.schedule.simultaneous:
            raise SolverOptionError(
                f"The schedule {self.schedule.name!r} cannot be run over buckets; take dcfr4 or cfr+."
            )
        self.boards = all_boards(tree, abstraction) if boards is None else boards
        self.kernel = make_bucket_kernel(backend, self.boards, threads)
        self._learnt: Tables = [[np.zeros_like(table) for table in pair] for pair in self.regrets]

    @property
    def identity(self) -> dict[str, Any]:
        """See :attr:`BucketSolver.identity`."""
        return {**super().identity, "schedule": self.schedule.to_dict()}

    def iterate(self, count: int) -> None:
        """See :meth:`BucketSolver.iterate`."""
        for row in self.schedule.coefficients(self.iteration + 1, count):
            for player in (0, 1):
                self.update(player, row)

    def update(self, player: int, row: NDArray[np.float64], given: list[NDArray[np.uint16]] | None = None) -> None:
        """Run a player's half of an iteration by one row of coefficients, against the tables or a given strategy."""
        positive, negative, average, weight = (float(c) for c in row[:4])
        regrets, learnt, sums = (
            [pair[player] for pair in tables] for tables in (self.regrets, self._learnt, self.sums)
        )
        if average != 1.0:
            for table in sums:
                table *= average
        self.kernel.learn(self.regrets, player, Learning(learnt, sums, sum_weight=weight), given=given)
        for table, new in zip(regrets, learnt, strict=True):
            table += new
            new[...] = 0.0
            if positive != 1.0 or negative != 1.0:
                table *= np.where(table > 0, table.dtype.type(positive), table.dtype.type(negative))


class CfrBr(FullWidth):
    """A solver with CFR-BR; parameters and errors are those of :class:`~errai.blueprints.full.FullWidth`."""

    method = "cfr-br"

    def __init__(self, *arguments: Any, **settings: Any) -> None:
        super().__init__(*arguments, **settings)
        # There is one response at a time, so both seats can share one set of arrays if the sizes are the same.
        streets = self.tree.arrays.streets
        self._choices = [[np.zeros(street.state_size(p), np.uint16) for street in streets] for p in (0, 1)]

    def iterate(self, count: int) -> None:
        """See :meth:`BucketSolver.iterate`."""
        for row in self.schedule.coefficients(self.iteration + 1, count):
            for player in (0, 1):
                choices = self._choices[1 - player]
                self.kernel.root_values(self.regrets, 1 - player, role=BEST, choices=choices)
                self.update(player, row, choices)


class WholeGame:
    """Exact values and best responses of players who see their own cards, over all boards, in float64.

    Parameters
    ----------
    tree:
        The whole tree of the game.
    boards:
        Its boards with their buckets, from :func:`errai.blueprints.boards.all_boards`.
    threads:
        Number of threads.
    """

    def __init__(self, tree: PublicTree, boards: BucketTree, threads: int = 1) -> None:
        self.tree = tree
        # The weights are probabilities here, and even the smallest count.
        self.boards = BucketTree(boards.tree, boards.buckets, 0.0)
        self.kernel = BucketCpu(self.boards, threads)
        self.units = Units.of(tree.subject, tree.initial_pot)

    def exploitability(self, strategy: Tables) -> Exploitability:
        """Return the exploitability of a strategy over buckets: the mean of both players' gains by best responses."""
        tables: list[list[NDArray[Any]]] = [[np.asarray(t, dtype=np.float64) for t in pair] for pair in strategy]
        best = [self.tree.chips(self.kernel.root_values(tables, p, role=BEST), p) for p in (0, 1)]
        value = self.value(tables)
        gains = best[0] - value, best[1] + value
        return Exploitability((gains[0] + gains[1]) / 2.0, self.units, gains)

    def value(self, strategy: Tables) -> float:
        """Return player 0's net chips per hand if both players follow the strategy."""
        if any(t.dtype not in (np.float32, np.float64) for pair in strategy for t in pair):
            raise SolverOptionError("A strategy must be given in float32 or float64, not in whole numbers.")
        return self.tree.chips(self.kernel.root_values(strategy, 0), 0)
