"""Values and exploitability of strategies over buckets in the whole game, if it is small enough for full walks."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from errai.engine.units import Exploitability, Units
from errai.errors import SolverOptionError
from errai.kernels.bucket_cpu import BucketCpu
from errai.kernels.buckets import BucketTree, Tables
from errai.kernels.layout import BEST
from errai.tree.public_tree import PublicTree


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
            raise SolverOptionError("Strategies are measured as floating-point weights.")
        return self.tree.chips(self.kernel.root_values(strategy, 0), 0)
