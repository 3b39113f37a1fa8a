"""The native backend: C++ over lanes and threads, in float32 for solving and float64 where sums are certified.

The extension borrows the arrays; this module checks their number, type and length once, since nothing below does.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from errai.errors import BackendError, UnsupportedGameError
from errai.kernels.layout import TreeArrays
from errai.kernels.protocol import COEFFICIENTS, Arrays, LeafArrays, State

try:
    from errai.kernels import _cpu
except ImportError as error:  # pragma: no cover - only on a broken installation
    raise BackendError(
        "The native kernels are not built. Install Errai with `pip install .` (Debian: apt install g++ first), "
        "or choose the backend 'reference'."
    ) from error

MAX_ACTIONS = 64
"""Actions of a node that the kernel has room for."""


def instruction_set() -> str:
    """Name of the instruction set in use: avx512, avx2 or baseline."""
    return str(_cpu.instruction_set())


def instruction_sets() -> list[str]:
    """Names of the instruction sets that this processor can run, the fastest first."""
    return list(_cpu.instruction_sets())


def use_instruction_set(name: str) -> None:
    """Run on another instruction set from now on.  Raises :class:`BackendError` if the processor lacks it."""
    try:
        _cpu.use_instruction_set(name)
    except ValueError as error:
        raise BackendError(f"{error}; it has {', '.join(instruction_sets())}.") from error


class CpuKernel:
    """See :class:`errai.kernels.protocol.Kernel`; results do not depend on the number of threads."""

    def __init__(self, tree: TreeArrays, threads: int = 1) -> None:
        widest = max(int(s.num_children.max(initial=0)) for s in tree.streets)
        if widest > MAX_ACTIONS:
            raise UnsupportedGameError(
                f"A node has {widest} actions; the cpu backend takes {MAX_ACTIONS}. Use fewer bet sizes."
            )
        self.tree = tree
        self.threads = threads
        both = [(street, player) for street in tree.streets for player in (0, 1)]
        self._shapes = [(street.state_size(player),) for street, player in both]
        self._scale_sizes = [street.num_boards * street.num_decisions(player) for street, player in both]
        self._engine = _cpu.Engine(
            list(tree.streets), tree.hole_cards, tree.num_cards, tree.tie, *tree.root_reach, threads
        )

    def iterate(self, state: State, coefficients: NDArray[np.float64], *, weighted: bool = True) -> None:
        """One iteration a row; see :class:`errai.kernels.protocol.Kernel`."""
        self._engine.iterate(*self._state(state), _table(coefficients), weighted)

    def update(
        self,
        state: State,
        player: int,
        coefficients: NDArray[np.float64],
        *,
        weighted: bool = True,
        leaf_values: LeafArrays | None = None,
    ) -> None:
        """One player's half of an iteration; see :class:`errai.kernels.protocol.Kernel`."""
        leaves = self._leaves(leaf_values, player)
        self._engine.update(*self._state(state), player, _table(coefficients)[:1], weighted, leaves)

    def leaf_reach(self, source: Arrays) -> tuple[LeafArrays, LeafArrays]:
        """Both players' reach at the leaves; see :class:`errai.kernels.protocol.Kernel`."""
        streets = range(len(self.tree.streets))
        reach = tuple([self.tree.leaf_zeros(s, p, np.float64) for s in streets] for p in (0, 1))
        self._engine.leaf_reach(self._flat(source), *reach)
        return reach[0], reach[1]

    def root_values(
        self, strategy: Arrays, player: int, *, best: bool, exact: bool = True, leaf_values: LeafArrays | None = None
    ) -> NDArray[np.float64]:
        """Counterfactual values at the root; see :class:`errai.kernels.protocol.Kernel`."""
        out = np.empty(len(self.tree.root_reach[player]))
        self._engine.root_values(self._flat(strategy), player, best, exact, self._leaves(leaf_values, player), out)
        return out

    def board_values(
        self, strategy: Arrays, player: int, street: int, board: int, reach: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """Counterfactual values on one board; see :class:`errai.kernels.protocol.Kernel`."""
        level = self.tree.streets[street]
        hands = [int(h.start[board + 1] - h.start[board]) for h in level.hands]
        entering = np.ascontiguousarray(reach, dtype=np.float64)
        if entering.shape != (level.num_entries, hands[1 - player]):
            raise ValueError(f"reach has shape {entering.shape}, not {(level.num_entries, hands[1 - player])}")
        out = np.empty((len(level.kind), hands[player]))
        self._engine.board_values(self._flat(strategy), player, street, board, entering, out)
        return out

    def _state(self, state: State) -> tuple[list[NDArray], ...]:
        groups = (state.regrets, state.sums, state.predicted, state.frozen)
        flat = tuple([] if group is None else self._flat(group) for group in groups)
        regrets, sums, *others = (group[0].dtype if group else None for group in flat)
        scales: list[NDArray] = []
        if state.scales is None:
            fitting = regrets in (np.float32, np.float64) and {regrets, sums, *others} <= {regrets, None}
        else:
            fitting = regrets == np.int16 and sums == np.uint16 and others == [None, None]
            scales = [array for pair in state.scales for array in pair]
            if [(a.size, a.dtype) for a in scales] != [(size, np.float32) for size in self._scale_sizes]:
                raise ValueError("the scales do not belong to this tree")
        if not fitting:
            raise ValueError(f"the arrays of a state are all float32, all float64, or 16 bits, not {regrets}, {sums}")
        return *flat, scales

    def _flat(self, arrays: Arrays) -> list[NDArray]:
        """The arrays by street * 2 + player, checked for what the engine takes on trust."""
        flat = [array for pair in arrays for array in pair]
        if [a.shape for a in flat] != self._shapes or any(a.dtype != flat[0].dtype for a in flat):
            raise ValueError("the arrays do not belong to this tree")
        if not all(a.flags.c_contiguous for a in flat):
            raise ValueError("the arrays must be contiguous")
        return flat

    def _leaves(self, leaf_values: LeafArrays | None, player: int) -> list[NDArray]:
        if leaf_values is None:
            return []
        sizes = [s.num_leaves * int(s.hands[player].start[-1]) for s in self.tree.streets]
        if [a.size for a in leaf_values] != sizes:
            raise ValueError("the leaf values do not belong to this tree")
        return [np.ascontiguousarray(a, dtype=np.float64) for a in leaf_values]


def _table(coefficients: NDArray[np.float64]) -> NDArray[np.float64]:
    table = np.ascontiguousarray(np.atleast_2d(coefficients), dtype=np.float64)
    if table.shape[1] != len(COEFFICIENTS):
        raise ValueError(f"coefficients have {table.shape[1]} columns, not {len(COEFFICIENTS)}")
    return table
