"""Streamed subgames as leaf values: the blocks below the trunk of a game that does not fit into memory."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from errai.cluster.partition import Partition
from errai.cluster.worker import Flat, Result, Runner, Task
from errai.engine.leaf_values import HalfIteration, LeafMeasurement, LeafValues, Pair
from errai.errors import ErraiError
from errai.kernels.layout import BEST, FIXED
from errai.kernels.protocol import COEFFICIENTS, LeafArrays
from errai.tree.deal_tree import deal_boards
from errai.tree.public_tree import PublicTree, TreePlan

MOST_REPAIRS = 3
"""The most files of a block that are recomputed for one task; both players' files may be damaged."""


@dataclass(eq=False)
class StreamedSubgames(LeafValues):
    """Blocks below a trunk, walked by a runner."""

    plan: TreePlan
    """The whole game."""
    partition: Partition
    runner: Runner
    averages: bool = True
    """Whether the blocks keep averages."""
    iteration: int = 0
    """Complete iterations of the blocks when this begins."""
    earlier: Callable[[int, int], HalfIteration] | None = None
    """Maps (iteration, player) of a complete iteration to what the blocks were given in it, so that a damaged block can
    be recomputed; this object remembers it for the current iteration.  Without it a damaged block is an error."""
    on_block: Callable[[int, int], None] | None = None
    """Called with (blocks done, blocks) after each block of a pass."""
    on_repair: Callable[[str], None] | None = None
    """Called with a sentence about each block that is recomputed."""
    whole: bool = False
    """Whether measuring computes the checksums of all arrays of the blocks' files, also of those that it leaves out."""
    seconds: NDArray[np.float64] = field(default_factory=lambda: np.zeros(3))
    """Seconds of all workers reading, walking and writing."""
    _given: dict[tuple[int, int], HalfIteration] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.learnt = self.iteration, self.iteration
        parent = deal_boards(self.plan.root, self.partition.street).parent
        ends = [parent[[b.boards[0], b.boards[-1]]].tolist() for b in self.partition.blocks]
        self._edges = [range(first, last + 1) for first, last in ends]

    def values(self, trunk: PublicTree, reach: Pair, player: int) -> LeafArrays:
        return self._measured(trunk, reach, ((player, FIXED),), exact=True)[0]

    def learn(self, trunk: PublicTree, half: HalfIteration) -> LeafArrays:
        player, iteration = half.player, half.learnt[half.player] + 1
        # A damaged block is recomputed from what either player's half of this iteration was given.
        self._given = {key: given for key, given in self._given.items() if key[0] >= iteration}
        self._given[iteration, player] = half
        values = [np.zeros_like(a) for a in half.reach[player]]
        for result in self._results(trunk, lambda number: self._learning(trunk, number, half)):
            self._add(trunk, result.block, player, result.values[0], values)
        self.learnt = (iteration, half.learnt[1]) if player == 0 else (half.learnt[0], iteration)
        return values

    def measure(self, trunk: PublicTree, reach: Pair, *, exact: bool = True) -> LeafMeasurement:
        """Return values and best responses in all blocks.

        Without ``exact`` only the best responses are computed, and also returned as the values, which cancel.
        """
        asked = tuple((p, role) for role in ((FIXED, BEST) if exact else (BEST,)) for p in (0, 1))
        found = self._measured(trunk, reach, asked, exact=exact)
        return LeafMeasurement(values=(found[0], found[1]), best=(found[-2], found[-1]))

    # --- tasks -----------------------------------------------------------------------------------------------------

    def _learning(self, trunk: PublicTree, number: int, half: HalfIteration) -> Task:
        """Return a block's task: it has the trunk's coefficients, without those of averages if none are kept."""
        row = dict(zip(COEFFICIENTS, np.asarray(half.coefficients).tolist(), strict=True))
        if not self.averages:
            row |= {"average": 1.0, "weight": 0.0, "share": 0.0, "dither": 0.0}
        entering = self._entering(trunk, number, half.reach)
        return Task(number, half.learnt, entering, half.player, tuple(row.values()), half.weighted)

    def _measured(
        self, trunk: PublicTree, reach: Pair, asked: tuple[tuple[int, int], ...], *, exact: bool
    ) -> list[LeafArrays]:
        """Return leaf arrays for what is asked, as in :attr:`Task.asked`."""
        found = [[np.zeros_like(a) for a in reach[p]] for p, _ in asked]
        for result in self._results(
            trunk,
            lambda n: Task(n, self.learnt, self._entering(trunk, n, reach), asked=asked, exact=exact, whole=self.whole),
        ):
            for (p, _), values, to in zip(asked, result.values, found, strict=True):
                self._add(trunk, result.block, p, values, to)
        return found

    def _results(self, trunk: PublicTree, task: Callable[[int], Task]) -> Iterator[Result]:
        """Yield a result for every block, in the order of the blocks, so that sums are the same in every run."""
        blocks = range(len(self.partition.blocks))
        results = self.runner.run(task(number) for number in blocks)
        for first in results:
            # The runner must be free before it can recompute something.
            for result in (first,) if first.error is None else (first, *results):
                mended = self._mended(trunk, task, result)
                self.seconds += mended.seconds
                yield mended
                if self.on_block is not None:
                    self.on_block(result.block + 1, len(blocks))

    def _mended(self, trunk: PublicTree, task: Callable[[int], Task], result: Result) -> Result:
        """Return the result of a block after its damaged files have been recomputed from the iteration before.

        The same task gives the same bits.
        """
        for _ in range(MOST_REPAIRS):
            if result.error is None or result.damaged is None:
                break
            player, iteration = result.damaged
            half = self._given.get((iteration, player))
            if half is None and self.earlier is not None:
                try:
                    half = self.earlier(iteration, player)
                except ErraiError as error:
                    raise result.error from error
            if half is None:
                break
            if self.on_repair is not None:
                self.on_repair(f"{result.error} Recomputing it from the iteration before.")
            again = next(iter(self.runner.run([self._learning(trunk, result.block, half)])))
            if again.error is not None:
                raise again.error from result.error
            result = next(iter(self.runner.run([task(result.block)])))
        if result.error is not None:
            raise result.error
        return result

    # --- between the trunk's leaves and blocks -----------------------------------------------------------------------

    def _slices(self, trunk: PublicTree, number: int, player: int) -> list[slice]:
        """Return where a block's part of a leaf array of the trunk's last street lies: a slice for each edge board."""
        edge = trunk.arrays.streets[-1]
        start, leaves = edge.hands[player].start, edge.num_leaves
        lines = self.partition.blocks[number].entries
        boards = self._edges[number]
        if len(lines) == leaves:
            return [slice(leaves * int(start[boards.start]), leaves * int(start[boards.stop]))]
        found = []
        for b in boards:
            first, size = int(start[b]), int(start[b + 1] - start[b])
            found.append(slice(leaves * first + lines.start * size, leaves * first + lines.stop * size))
        return found

    def _entering(self, trunk: PublicTree, number: int, reach: Pair) -> tuple[Flat, Flat]:
        both = [np.concatenate([reach[p][-1][s] for s in self._slices(trunk, number, p)]) for p in (0, 1)]
        return both[0], both[1]

    def _add(self, trunk: PublicTree, number: int, player: int, values: Flat, to: LeafArrays) -> None:
        first = 0
        for s in self._slices(trunk, number, player):
            to[-1][s] += values[first : first + s.stop - s.start]
            first += s.stop - s.start
