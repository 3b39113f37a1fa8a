"""The native backend: C++ with vector instructions and threads, in float32 for solving and float64 for certificates.

The extension borrows the arrays.  This module checks their number, type and length once, since the extension does not.
"""

from __future__ import annotations

from operator import is_not
from typing import Any

import numpy as np
from numpy.typing import NDArray

from errai.errors import BackendError, UnsupportedGameError
from errai.kernels.layout import TreeArrays
from errai.kernels.protocol import (
    NO_BEST_IN_16_BITS,
    Aim,
    Arrays,
    Kernel,
    LeafArrays,
    Setting,
    State,
    TargetRun,
    Values,
)

try:
    from errai.kernels import _cpu
    from errai.kernels._cpu import instruction_set as instruction_set
    from errai.kernels._cpu import instruction_sets as instruction_sets
except ImportError as error:  # pragma: no cover - only on a broken installation
    raise BackendError(
        "The native kernels are not built. Install Errai with `pip install .` (Debian: apt install g++ first), "
        "or choose the backend 'reference'."
    ) from error

MAX_ACTIONS: int = _cpu.MAX_ACTIONS
"""Largest number of actions that a node of the kernel can have."""


def use_instruction_set(name: str) -> None:
    """Use another instruction set from now on.  Raises :class:`BackendError` if the processor lacks it."""
    try:
        _cpu.use_instruction_set(name)
    except ValueError as error:
        raise BackendError(f"{error}; it has {', '.join(instruction_sets())}.") from error


class CpuKernel(Kernel):
    """The native backend; results do not depend on the number of threads."""

    runs_to_target = True

    def __init__(self, tree: TreeArrays, threads: int = 1) -> None:
        refuse_wide(tree)
        super().__init__(tree)
        self._scale_sizes = [street.num_boards * street.num_decisions(p) for street in tree.streets for p in (0, 1)]
        game = list(tree.streets), tree.hole_cards, tree.num_cards, tree.tie
        self._engine = _cpu.Engine(*game, self._reach[0], self._reach[1], threads)
        self._borrowed: tuple[list[NDArray[Any] | None], _cpu.State] | None = None

    def claim(self, state: State) -> None:
        """Allocate all memory, and check and borrow the arrays, which the first iteration would do otherwise."""
        super().claim(state)
        self._engine.reserve(state.regrets[0][0].dtype == np.float64)
        self._state(state)

    def _iterate(self, state: State, table: Values, weighted: bool) -> None:
        self._engine.iterate(self._state(state), table, weighted)

    def run_to_target(self, state: State, coefficients: Values, aim: Aim, *, weighted: bool = True) -> TargetRun:
        target = -1.0 if aim.target_chips is None else aim.target_chips
        return TargetRun(
            *self._engine.run_to_target(
                self._state(state), coefficients, weighted, aim.current, target, aim.exact_chips, aim.pair_weight,
                aim.zero_sum, aim.curve, aim.iteration,
            )
        )  # fmt: skip

    def _update(self, state: State, table: Values, weighted: bool, setting: Setting) -> Values:
        player, roles, leaves, reach = setting
        out = np.empty_like(reach[player])
        self._engine.update(self._state(state), player, roles, table, weighted, leaves, reach, out)
        return out

    def _leaf_reach(self, source: Arrays, tied: bool, reach: LeafArrays) -> tuple[LeafArrays, LeafArrays]:
        streets = range(len(self.tree.streets))
        found = tuple([self.tree.leaf_zeros(s, p, np.float64) for s in streets] for p in (0, 1))
        self._engine.leaf_reach(self._flat(source), tied, reach, *found)
        return found[0], found[1]

    def _root_values(self, strategy: Arrays, exact: bool, setting: Setting) -> Values:
        player, roles, leaves, reach = setting
        out = np.empty_like(reach[player])
        self._engine.root_values(self._flat(strategy), player, roles, exact, leaves, reach, out)
        return out

    def _board_values(self, strategy: Arrays, street: int, board: int, entering: Values, setting: Setting) -> Values:
        player, roles, leaves, _ = setting
        start = self.tree.streets[street].hands[player].start
        out = np.empty((len(self.tree.streets[street].kind), int(start[board + 1] - start[board])))
        self._engine.board_values(self._flat(strategy), player, roles, street, board, leaves, entering, out)
        return out

    def _state(self, state: State) -> _cpu.State:
        """Return the state as the extension takes it, rebuilt only if the arrays are others than in the last call."""
        groups = (state.regrets, state.sums, state.predicted, state.frozen, state.scales)
        arrays = [array for group in groups for pair in group or ((None,),) for array in pair]
        borrowed = self._borrowed
        if borrowed is None or len(arrays) != len(borrowed[0]) or any(map(is_not, arrays, borrowed[0])):
            self._borrowed = borrowed = arrays, self._checked(state)
        return borrowed[1]

    def _checked(self, state: State) -> _cpu.State:
        regrets, sums = self._flat(state.regrets), self._flat(state.sums)
        predicted, frozen = ([] if group is None else self._flat(group) for group in (state.predicted, state.frozen))
        kind, others = regrets[0].dtype, {group[0].dtype for group in (predicted, frozen) if group}
        scales: list[NDArray[Any]] = []
        if state.scales is None:
            fitting = kind in (np.float32, np.float64) and {sums[0].dtype, *others} == {kind}
        else:
            fitting = kind == np.int16 and sums[0].dtype in (np.uint16, np.uint8) and not others
            if self.tree.responds_best:
                raise ValueError(NO_BEST_IN_16_BITS)
            scales = [array for pair in state.scales for array in pair]
            if [(a.size, a.dtype) for a in scales] != [(size, np.dtype(np.float32)) for size in self._scale_sizes]:
                raise ValueError("the scales do not belong to this tree")
        if not fitting:
            raise ValueError(
                "the arrays of a state are all float32, all float64, or int16 with averages in uint16 or uint8, "
                f"not {kind}, {sums[0].dtype}"
            )
        return _cpu.State(regrets, sums, predicted, frozen, scales)


def refuse_wide(tree: TreeArrays) -> None:
    """Raise :class:`UnsupportedGameError` if a node has more actions than the native kernels can handle."""
    widest = max(int(s.num_children.max(initial=0)) for s in tree.streets)
    if widest > MAX_ACTIONS:
        raise UnsupportedGameError(
            f"A node has {widest} actions; the cpu backend takes {MAX_ACTIONS}. Use fewer bet sizes."
        )
