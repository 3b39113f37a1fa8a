"""What a kernel backend offers, and the state it works on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from errai.kernels.layout import FIXED, LEARNS, Roles, TreeArrays

Arrays = list[list[NDArray]]
"""Flat arrays indexed ``[street][player]``; their blocks are described in :mod:`errai.kernels.layout`."""

LeafArrays = list[NDArray]
"""Per street, one flat array of ``[num_leaves, H_b]`` blocks in board order."""

RootReach = tuple[NDArray[np.float64], NDArray[np.float64]]
"""What the players bring to the root street, float64[num_entries * S_p] each: for each of its boards in order a block
``[num_entries, H_b]``."""

COEFFICIENTS = ("positive", "negative", "average", "weight", "prediction", "share", "foresight", "dither")
"""Columns of a coefficient table: factor on regrets above 0 and below 0 after they were added to, factor on the
strategy sum before it is added to, weight of the new strategy in it, weight of the last regret in a prediction,
the share that the new strategy has in the average when reach does not weight it (what 16-bit averages move by), and
foresight: how much of the value that a node hands up to its parent is that of the strategy its new regrets will play,
the rest being that of the strategy just played; and what is added to 16-bit averages, in steps, before
they are rounded."""

REGRET_STEPS = 32767
"""The largest regret of a decision in a 16-bit state."""

AVERAGE_STEPS = 65535
"""Probability 1 in the average of a 16-bit state."""


class Elsewhere(Protocol):
    """A kernel's own copy of a state, in memory that NumPy does not reach."""

    def pull(self) -> None:
        """Bring the state's arrays up to date."""

    def freeze(self) -> None:
        """As :meth:`State.freeze`, on the copy."""


@dataclass
class State:
    """Everything that an iteration reads and writes; Python owns it, kernels borrow it.

    ``regrets`` and ``sums`` are floating (float32 for speed, float64 for the definition), or of 16 bits: regrets int16
    in steps of ``scales``, one for each decision on each board, and the average strategy itself, uint16 in steps of
    1/``AVERAGE_STEPS``, in the place of sums.  ``predicted`` is there for predictive variants only: the regrets from
    which the next strategy is made.
    """

    regrets: Arrays
    sums: Arrays
    predicted: Arrays | None = None
    frozen: Arrays | None = field(default=None, repr=False)
    """Scratch for simultaneous updates: the strategy's source as it was when the iteration began."""
    scales: Arrays | None = None
    """float32[B * decisions] by street and player, for regrets of 16 bits: what a step is worth at each of the player's
    decision nodes, in the order of the nodes, board by board."""
    elsewhere: Elsewhere | None = field(default=None, repr=False, compare=False)
    """Where a kernel keeps the state while it is held; the arrays are then as old as the last ``arrays()``."""

    @classmethod
    def zeros(cls, tree: TreeArrays, dtype: np.dtype | type, *, predictive: bool, simultaneous: bool) -> State:
        """A state in which nothing has been learnt; ``dtype`` is that of the regrets: float32, float64 or int16."""
        if np.dtype(dtype) == np.int16:
            if predictive or simultaneous:
                raise ValueError("16-bit states are for alternating updates without prediction")
            scales = [[np.zeros(s.num_boards * s.num_decisions(p), np.float32) for p in (0, 1)] for s in tree.streets]
            return cls(tree.zeros(np.int16), tree.zeros(np.uint16), scales=scales)
        return cls(
            tree.zeros(dtype),
            tree.zeros(dtype),
            tree.zeros(dtype) if predictive else None,
            tree.zeros(dtype) if simultaneous else None,
        )

    def claim(self) -> None:
        """Write zeros to all arrays, so that the system hands out their memory now.

        It does so page by page, several times as fast to one thread as to threads that ask for it in the first
        iteration (docs/log.md).
        """
        for array in self.arrays().values():
            array.fill(0)

    @property
    def source(self) -> Arrays:
        """The regrets that the current strategy is matched to."""
        return self.regrets if self.predicted is None else self.predicted

    def freeze(self) -> None:
        """Copy the strategy's source for an iteration of simultaneous updates; nothing where they alternate."""
        if self.elsewhere is not None:
            self.elsewhere.freeze()
        elif self.frozen is not None:
            for kept, pair in zip(self.frozen, self.source, strict=True):
                for copy, array in zip(kept, pair, strict=True):
                    copy[...] = array

    @property
    def played(self) -> Arrays:
        """The regrets that the strategy of this iteration is matched to: frozen ones where updates are simultaneous."""
        return self.source if self.frozen is None else self.frozen

    def arrays(self) -> dict[str, NDArray]:
        """All arrays that make up the state, by name and up to date; ``frozen`` is scratch and left out."""
        if self.elsewhere is not None:
            self.elsewhere.pull()
        return {
            f"{name}/{s}/{p}": array
            for name, group in self._groups().items()
            for s, pair in enumerate(group)
            for p, array in enumerate(pair)
        }

    def adopt(self, arrays: Mapping[str, NDArray]) -> None:
        """Go on in other arrays, of the same names, types and sizes as ``arrays()``; they are not copied."""
        for name, group in self._groups().items():
            for s, pair in enumerate(group):
                pair[:] = [arrays[f"{name}/{s}/{p}"] for p in range(len(pair))]

    def _groups(self) -> dict[str, Arrays]:
        groups = {"regrets": self.regrets, "sums": self.sums}
        if self.predicted is not None:
            groups["predicted"] = self.predicted
        if self.scales is not None:
            groups["scales"] = self.scales
        return groups


class Aim(NamedTuple):
    """What a run that a kernel measures by itself is to come down to."""

    target_chips: float | None
    """Exploitability at which to stop."""
    exact_chips: float
    """Where the last exploitability was at most this, the next is summed in float64."""
    pair_weight: float
    """Weight of all pairs of hands that fit together; what a player's hands win in all is divided by it."""
    current: bool
    """Whether the current strategy is measured, and not the average."""
    zero_sum: bool
    """Whether what both players win under a strategy adds up to nothing, so that it need not be measured."""


class Pursued(NamedTuple):
    """What came of a pursuit."""

    iterations: int
    iterating_seconds: float
    points: list[tuple[int, float, float]]
    """New measurements: iteration, seconds since the call, exploitability in chips."""


class Kernel(Protocol):
    """One backend bound to one tree.

    A strategy is given as non-negative weights per (node, action, hand) of any scale; rows that sum to 0 mean the
    uniform strategy.  Regret matching is the same operation on the positive part, so one reading serves both.
    Counterfactual values are in chips, weighted by the opponent's reach (of the opponent's hands that fit) and by
    chance's.

    A backend may have three methods more: ``claim``, if it works in memory that it can take beforehand, ``hold``, if it
    keeps states in memory of its own (:func:`errai.kernels.backends.held`), and ``pursue``, if it can iterate and
    measure in one call (:class:`errai.kernels.cpu.CpuKernel`).
    """

    tree: TreeArrays

    def iterate(
        self,
        state: State,
        coefficients: NDArray[np.float64],
        *,
        weighted: bool = True,
    ) -> None:
        """Run one iteration per row of ``coefficients`` (float64[n, 8], columns as in ``COEFFICIENTS``).

        Changes ``state``.  Updates are simultaneous where ``state.frozen`` exists, else player 0's come first and
        player 1 answers the new strategy.  ``weighted`` multiplies a strategy by the player's own reach before it
        enters the average.
        """

    def update(
        self,
        state: State,
        player: int,
        coefficients: NDArray[np.float64],
        *,
        role: Roles = LEARNS,
        weighted: bool = True,
        leaf_values: LeafArrays | None = None,
        reach: RootReach | None = None,
    ) -> NDArray[np.float64]:
        """Run one player's half of an iteration; ``coefficients`` is one row; leaves take ``leaf_values``.

        ``role`` is that of the player's hands.  Those that respond best learn regrets that are matched to their best
        action alone; on streets where hands are FIXED they follow the strategy as it is, and nothing is learnt.
        ``reach`` takes the place of ``tree.root_reach``.  Returns what the entries of the root street were worth to the
        player while the strategy was still the old one, foresight included: blocks as in :data:`RootReach`.
        """

    def leaf_reach(
        self, source: Arrays, *, tied: bool = True, reach: RootReach | None = None
    ) -> tuple[LeafArrays, LeafArrays]:
        """Both players' reach at every leaf under the strategy matched to ``source``.

        ``reach`` takes the place of ``tree.root_reach``.  ``tied`` reads regrets as an iteration does: those up to the
        tree's tie count as none.  Without, ``source`` is a strategy that is evaluated, in float64.
        """

    def root_values(
        self,
        strategy: Arrays,
        player: int,
        *,
        role: Roles = FIXED,
        exact: bool = True,
        leaf_values: LeafArrays | None = None,
        reach: RootReach | None = None,
    ) -> NDArray[np.float64]:
        """The player's counterfactual values at the root, where his hands are FIXED to the strategy or respond BEST.

        float64[H], or for a root street of several boards or entries blocks as in :data:`RootReach`; ``reach`` takes
        the place of ``tree.root_reach``.
        What is claimed is summed in float64.  ``exact=False`` lets a backend sum in float32 unless the strategy is
        in float64: enough to tell when measuring is worth while.
        """

    def board_values(
        self,
        strategy: Arrays,
        player: int,
        street: int,
        board: int,
        reach: NDArray[np.float64],
        *,
        role: Roles = FIXED,
        leaf_values: LeafArrays | None = None,
    ) -> NDArray[np.float64]:
        """float64[n, H]: the player's counterfactual values at all nodes of a board.

        ``reach`` is float64[num_entries, H_opponent], what the opponent brings to each entry node; ``role`` and
        ``leaf_values`` are as for :meth:`root_values`.
        """


def matched(source: NDArray, tie: float = 0.0) -> NDArray[np.float64]:
    """Regret matching along the first axis: what is above ``tie`` over its sum, uniform where nothing is."""
    positive = np.where(source > tie, source, 0).astype(np.float64)
    total = positive.sum(axis=0, keepdims=True)
    uniform = 1.0 / source.shape[0]
    return np.where(total > 0.0, positive / np.where(total > 0.0, total, 1.0), uniform)
