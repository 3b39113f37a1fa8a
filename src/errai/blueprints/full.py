"""Full-width solving over buckets: all boards, all hands, any schedule without prediction and foresight."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from errai.blueprints.abstractions import Abstraction
from errai.blueprints.boards import all_boards
from errai.blueprints.solver import BucketSolver
from errai.engine.schedules import Schedule, find_schedule
from errai.errors import SolverOptionError
from errai.kernels.bucket_cpu import BucketCpu
from errai.kernels.bucket_reference import BucketReference
from errai.kernels.buckets import BucketKernel, BucketTree, Learning, Tables
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
