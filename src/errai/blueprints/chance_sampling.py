"""Public chance sampling: every iteration walks a few sampled boards with all hands.

Johanson, Bard, Lanctot, Gibson & Bowling, "Efficient Nash equilibrium approximation through Monte Carlo counterfactual
regret minimization" (AAMAS 2012).  With one board on each street, no regret that a walk changes is read again on
another board.  Regrets can therefore be updated in place, and the cost of an iteration depends on its boards and not on
the size of the tables.  If several boards are sampled, their regrets are first collected in tables of their own.

The average contains the strategy that the other player faces, so walks need no own reach, and lines that a player never
takes can be skipped.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from errai.blueprints.abstractions import Abstraction
from errai.blueprints.boards import BoardSampler, Shape
from errai.blueprints.full import make_bucket_kernel
from errai.blueprints.solver import BucketSolver
from errai.blueprints.weights import Weights, find_weights
from errai.errors import SolverOptionError
from errai.kernels.buckets import BucketKernel, Learning, Tables
from errai.tree.public_tree import TreePlan


class ChanceSampling(BucketSolver):
    """A solver with public chance sampling; see the module.

    Parameters
    ----------
    plan, abstraction, dtype:
        As for :class:`~errai.blueprints.solver.BucketSolver`.
    weights:
        The weights of the iterations.
    seed:
        The seed of the boards.  Nothing else is random, and results do not depend on threads.
    shape:
        The number of boards to sample on each street but the first; by default one.
    average_every:
        Strategies enter the average only in every ``average_every``-th iteration, which saves up to a fifth of the
        time.  The average is over evenly spread iterations.
    average_from:
        The first iteration that may enter the average.
    backend, threads:
        As for :func:`~errai.blueprints.full.make_bucket_kernel`.

    Raises :class:`SolverOptionError` for a game without boards, for unknown weights, and if ``average_every`` or
    ``average_from`` is below 1.
    """

    method = "pcs"

    def __init__(
        self,
        plan: TreePlan,
        abstraction: Abstraction,
        weights: Weights | str = "linear",
        *,
        seed: int = 0,
        shape: Shape | None = None,
        average_every: int = 1,
        average_from: int = 1,
        dtype: type[np.floating] = np.float32,
        backend: str = "cpu",
        threads: int = 1,
    ) -> None:
        if average_every < 1:
            raise SolverOptionError(f"The average takes every first or a later iteration, not every {average_every}.")
        self.average_every = average_every
        self.weights = find_weights(weights)
        self.sampler = BoardSampler(plan, abstraction, seed, shape)
        super().__init__(plan, abstraction, dtype, average_from)
        self.seed = seed
        self.kernel: BucketKernel = make_bucket_kernel(backend, self.sampler.draw(0), threads)
        self._learnt: Tables | None = None
        if not self.sampler.shape.single:
            self._learnt = [[np.zeros_like(table) for table in pair] for pair in self.regrets]

    @property
    def identity(self) -> dict[str, Any]:
        """See :attr:`BucketSolver.identity`."""
        shape = list(self.sampler.shape.boards)
        return {
            **super().identity,
            "weights": self.weights.name,
            "seed": self.seed,
            "shape": shape,
            "average_every": self.average_every,
        }

    def iterate(self, count: int) -> None:
        """See :meth:`BucketSolver.iterate`."""
        for t in range(self.iteration + 1, self.iteration + count + 1):
            self.kernel.deal(self.sampler.draw(t))
            regret, average = float(t) ** self.weights.regret, float(t) ** self.weights.average
            enters = t >= self.average_from and t % self.average_every == 0
            for player in (0, 1):
                target = self.regrets if self._learnt is None else self._learnt
                in_place = self._learnt is None
                learning = Learning(
                    [pair[player] for pair in target],
                    [pair[1 - player] for pair in self.sums] if enters else None,
                    others_average=True,
                    regret_weight=regret,
                    sum_weight=average,
                    floor=self.weights.floor and in_place,
                )
                self.kernel.learn(self.regrets, player, learning)
                if self._learnt is not None:
                    for pair, new in zip(self.regrets, self._learnt, strict=True):
                        pair[player] += new[player]
                        new[player][...] = 0.0
                        if self.weights.floor:
                            np.maximum(pair[player], 0.0, out=pair[player])
