"""What a strategy over buckets is worth in the whole game, where the game is small enough to be walked in full."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from errai.engine.units import Exploitability, Units
from errai.errors import SolverOptionError
from errai.kernels.bucket_cpu import BucketCpu
from errai.kernels.buckets import BucketTree, Tables
from errai.kernels.layout import BEST
from errai.tree.public_tree import PublicTree


class WholeGame:
    """Exact values and best responses of players who see their cards, over all boards, in float64.

    Parameters
    ----------
    tree:
        All of the game.
    boards:
        Its boards with their buckets, from :func:`errai.blueprints.boards.all_boards`.
    threads:
        Threads to use.
    """

    def __init__(self, tree: PublicTree, boards: BucketTree, threads: int = 1) -> None:
        self.tree = tree
        # Weights are probabilities here, and even the least counts.
        self.boards = BucketTree(boards.tree, boards.buckets, 0.0)
        self.kernel = BucketCpu(self.boards, threads)
        self.units = Units.of(tree.subject, tree.initial_pot)

    def exploitability(self, strategy: Tables) -> Exploitability:
        """The mean of what both players' best responses win from a strategy over buckets."""
        tables: list[list[NDArray]] = [[np.asarray(t, dtype=np.float64) for t in pair] for pair in strategy]
        best = [self.tree.chips(self.kernel.root_values(tables, p, role=BEST), p) for p in (0, 1)]
        value = self.value(tables)
        gains = best[0] - value, best[1] + value
        return Exploitability((gains[0] + gains[1]) / 2.0, self.units, gains)

    def value(self, strategy: Tables) -> float:
        """Player 0's net chips per hand when both follow the strategy."""
        if any(t.dtype not in (np.float32, np.float64) for pair in strategy for t in pair):
            raise SolverOptionError("Strategies are measured as floating-point weights.")
        return self.tree.chips(self.kernel.root_values(strategy, 0), 0)
