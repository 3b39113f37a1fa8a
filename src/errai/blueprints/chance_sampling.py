"""Public chance sampling: every iteration walks a few sampled boards with all hands.

Johanson, Bard, Lanctot, Gibson & Bowling, "Efficient Nash equilibrium approximation through Monte Carlo counterfactual
regret minimization" (AAMAS 2012).  With one board on each street, no regret that a walk changes is read again on
another board.  Regrets can therefore be updated in place, and the cost of an iteration depends on its boards and not on
the size of the tables.

The average contains the strategy that the other player faces, so walks need no own reach, and lines that a player never
takes can be skipped.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from errai.blueprints.abstractions import Abstraction
from errai.blueprints.boards import BoardSampler
from errai.blueprints.full import make_bucket_kernel
from errai.blueprints.solver import SampledSolver, Weights
from errai.errors import SolverOptionError
from errai.kernels.buckets import BucketKernel, Learning
from errai.tree.public_tree import TreePlan


class ChanceSampling(SampledSolver):
    """A solver with public chance sampling; see the module.

    Parameters
    ----------
    plan, abstraction, weights, seed, average_from, dtype:
        As for :class:`~errai.blueprints.solver.SampledSolver`.
    average_every:
        Strategies enter the average only in every ``average_every``-th iteration, which saves up to a fifth of the
        time.  The average is over evenly spread iterations.
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
        average_every: int = 1,
        average_from: int = 1,
        dtype: type[np.floating] = np.float32,
        backend: str = "cpu",
        threads: int = 1,
    ) -> None:
        if average_every < 1:
            raise SolverOptionError(f"average_every must be at least 1, not {average_every}.")
        self.average_every = average_every
        self.sampler = BoardSampler(plan, abstraction, seed)
        super().__init__(plan, abstraction, weights, seed, dtype, average_from)
        self.kernel: BucketKernel = make_bucket_kernel(backend, self.sampler.draw(0), threads)

    @property
    def identity(self) -> dict[str, Any]:
        """See :attr:`BucketSolver.identity`."""
        # Earlier versions could sample several boards.
        shape = [1] * len(self.plan.root.new_cards)
        return {**super().identity, "shape": shape, "average_every": self.average_every}

    def sample(self, t: int, regret_weight: float, sum_weight: float) -> None:
        """See :meth:`SampledSolver.sample`."""
        self.kernel.deal(self.sampler.draw(t))
        enters = bool(sum_weight) and t % self.average_every == 0
        for player in (0, 1):
            learning = Learning(
                [pair[player] for pair in self.regrets],
                [pair[1 - player] for pair in self.sums] if enters else None,
                others_average=True,
                regret_weight=regret_weight,
                sum_weight=sum_weight,
                floor=self.weights.floor,
            )
            self.kernel.learn(self.regrets, player, learning)
