"""The methods that a kernel backend offers, what they check, and the state that they work on."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import chain
from typing import Any, ClassVar, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from errai.errors import BackendError
from errai.kernels.checks import check_tree
from errai.kernels.layout import BEST, FIXED, LEARNS, Roles, TreeArrays

Arrays = list[list[NDArray[Any]]]
"""Flat arrays indexed ``[street][player]``; :mod:`errai.kernels.layout` describes their blocks."""

LeafArrays = list[NDArray[Any]]
"""Per street, one flat array of ``[num_leaves, H_b]`` blocks in board order."""

Values = NDArray[np.float64]

RootReach = tuple[NDArray[np.float64], NDArray[np.float64]]
"""Both players' reach at the root street, float64[num_entries * S_p] each: a block
``[num_entries, H_b]`` for each of its boards in order.
"""

COEFFICIENTS = ("positive", "negative", "average", "weight", "prediction", "share", "foresight", "dither")
"""Columns of a coefficient table.

- ``positive``, ``negative``: factors on regrets above 0 and below 0, applied after the new regrets were added.
- ``average``: factor on the strategy sum, applied before the new strategy is added.
- ``weight``: weight of the new strategy in the strategy sum.
- ``prediction``: weight of the last regret in a prediction.
- ``share``: share of the new strategy in the average if reach does not weight it; averages in steps move by it.
- ``foresight``: share, in the value that a node passes up to its parent, of the value of the strategy that its new
  regrets will play; the rest is the value of the strategy just played.
- ``dither``: what is added to averages in steps before they are rounded."""

REGRET_STEPS = 32767
"""The largest regret at a decision in a 16-bit state."""

NO_BEST_IN_16_BITS = "hands that respond best cannot be learnt in 16 bits; take float32"


def one_in(dtype: np.dtype | type) -> float:
    """Return the number that stands for probability 1: the greatest one of an integer type, and 1 of others."""
    return float(np.iinfo(dtype).max) if np.issubdtype(dtype, np.integer) else 1.0


class Elsewhere(Protocol):
    """A kernel's own copy of a state, in memory that NumPy cannot access."""

    def pull(self) -> None:
        """Copy the kernel's data into the state's arrays."""

    def freeze(self) -> None:
        """Do what :meth:`State.freeze` does, on the copy."""


@dataclass
class State:
    """Everything that an iteration reads and writes.  Python owns the arrays, kernels borrow them.

    A state has one of two forms.  In the first, ``regrets`` and ``sums`` are floating (float32 for speed, float64 for
    the definition).  In the second they have 16 bits: regrets are int16 in units of ``scales``, one for each decision
    on each board, and ``sums`` holds the average strategy itself, uint16 in steps of 1/65535 or uint8 in steps of 1/255
    (:func:`one_in`).  Only predictive variants have ``predicted``, the regrets from which the next strategy is made.
    """

    regrets: Arrays
    sums: Arrays
    predicted: Arrays | None = None
    frozen: Arrays | None = field(default=None, repr=False)
    """Scratch memory for simultaneous updates: a copy of the strategy's source from the start of the iteration."""
    scales: Arrays | None = None
    """float32[B * decisions] by street and player, for 16-bit regrets: the size of a step at each of the player's
    decision nodes, in the order of the nodes, board by board.
    """
    elsewhere: Elsewhere | None = field(default=None, repr=False, compare=False)
    """The copy of a kernel that holds the state.  Meanwhile the arrays are as old as the last call of ``arrays()``."""

    @classmethod
    def zeros(
        cls,
        tree: TreeArrays,
        dtype: np.dtype | type,
        *,
        predictive: bool,
        simultaneous: bool,
        averages: np.dtype | type = np.uint16,
    ) -> State:
        """Return the initial state.

        ``dtype`` is that of the regrets: float32, float64 or int16, for which ``averages`` is uint16 or uint8.
        """
        if np.dtype(dtype) == np.int16:
            if predictive or simultaneous:
                raise ValueError("16-bit states are for alternating updates without prediction")
            scales = [[np.zeros(s.num_boards * s.num_decisions(p), np.float32) for p in (0, 1)] for s in tree.streets]
            return cls(tree.zeros(np.int16), tree.zeros(averages), scales=scales)
        return cls(
            tree.zeros(dtype),
            tree.zeros(dtype),
            tree.zeros(dtype) if predictive else None,
            tree.zeros(dtype) if simultaneous else None,
        )

    def claim(self) -> None:
        """Write zeros to all arrays, so that the operating system allocates their memory now.

        Page by page, this is several times faster in one thread than in threads that touch the memory during the first
        iteration (docs/log.md).
        """
        for array in self.arrays().values():
            array.fill(0)

    @property
    def source(self) -> Arrays:
        """The regrets from which the current strategy follows by regret matching."""
        return self.regrets if self.predicted is None else self.predicted

    def freeze(self) -> None:
        """Copy the strategy's source for an iteration with simultaneous updates; do nothing if they alternate."""
        if self.elsewhere is not None:
            self.elsewhere.freeze()
        elif self.frozen is not None:
            for copy, array in zip(chain(*self.frozen), chain(*self.source), strict=True):
                copy[...] = array

    @property
    def played(self) -> Arrays:
        """The regrets that this iteration's strategy follows from: the frozen ones if updates are simultaneous."""
        return self.source if self.frozen is None else self.frozen

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return all arrays of the state by name and up to date, without ``frozen``, which is scratch memory."""
        if self.elsewhere is not None:
            self.elsewhere.pull()
        return {f"{name}/{s}/{p}": array for name, s, pair in self._pairs() for p, array in enumerate(pair)}

    def adopt(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Continue with other arrays of the same names, types and sizes as ``arrays()``, without copying them."""
        for name, s, pair in self._pairs():
            pair[:] = [arrays[f"{name}/{s}/{p}"] for p in range(len(pair))]

    def _pairs(self) -> Iterator[tuple[str, int, list[NDArray[Any]]]]:
        """Yield both players' arrays with their name and street."""
        for name in ("regrets", "sums", "predicted", "scales"):
            for s, pair in enumerate(getattr(self, name) or ()):
                yield name, s, pair


class Aim(NamedTuple):
    """The target of a run whose exploitability the kernel measures itself, and how it is measured."""

    target_chips: float | None
    """Exploitability at which to stop."""
    exact_chips: float
    """If the last exploitability was at most this, the next is summed in float64."""
    pair_weight: float
    """Sum of the weights of all compatible pairs of hands.  A player's total value is divided by it."""
    current: bool
    """Whether the current strategy is measured instead of the average."""
    zero_sum: bool
    """Whether both players' values under a strategy sum to 0, so that the strategy's own value need not be measured."""
    iteration: int
    """The number of iterations that have been run."""
    curve: Sequence[tuple[int, float, float]]
    """The measurements so far: iteration, seconds, exploitability in chips."""


class TargetRun(NamedTuple):
    """The result of :meth:`Kernel.run_to_target`."""

    iterations: int
    iterating_seconds: float
    points: list[tuple[int, float, float]]
    """New measurements: iteration, seconds since the call, exploitability in chips."""


class Setting(NamedTuple):
    """What a walk is given for one player at the edges of the tree and at its decisions, after it was checked."""

    player: int
    roles: NDArray[np.uint8]
    """uint8[streets]: the role of the player's hands."""
    leaves: list[NDArray[np.float64]]
    """The player's counterfactual values at the leaves by street; empty if none are given."""
    reach: list[NDArray[np.float64]]
    """Both players' reach at the root; the kernel's ``_reach`` if it is the tree's own."""


class Kernel(ABC):
    """One backend bound to one tree.

    A strategy is given as non-negative weights per (node, action, hand) of any scale; rows that sum to 0 mean the
    uniform strategy.  Regret matching is the same operation on the positive part, so regrets and strategies are read
    alike.  Counterfactual values are in chips, weighted by the reach of chance and of the opponent's hands that share
    no card with the own hand.

    Raises :class:`InputError` if the tree's locks or matrices do not fit it; the methods raise ValueError for arrays
    and roles that do not fit the tree.
    """

    runs_to_target: ClassVar[bool] = False
    """Whether the backend can iterate and measure in one call, see :meth:`run_to_target`."""

    def __init__(self, tree: TreeArrays) -> None:
        check_tree(tree)
        self.tree = tree
        self._shapes = [(street.state_size(player),) for street in tree.streets for player in (0, 1)]
        self._reach = checked_reach(tree, None)

    def claim(self, state: State) -> None:
        """Allocate the memory of a new state, and of the kernel where it can, before the first iteration."""
        state.claim()

    def hold(self, state: State) -> AbstractContextManager[None]:
        """Return a context in which a backend that has memory of its own keeps the state there; others do nothing.

        Inside it, read the state through ``state.arrays()``, or pass its arrays to the same kernel.
        """
        return nullcontext()

    def run_to_target(self, state: State, coefficients: Values, aim: Aim, *, weighted: bool = True) -> TargetRun:
        """Iterate and measure in one call, as :meth:`errai.engine.loop.Solver.run` does step by step.

        Runs one iteration per row of ``coefficients`` but returns early after a measurement that meets the target or
        shows a stall.
        """
        raise BackendError(f"{type(self).__name__} cannot iterate and measure in one call.")

    def iterate(self, state: State, coefficients: NDArray[np.float64], *, weighted: bool = True) -> None:
        """Run one iteration per row of ``coefficients`` (float64[n, 8], columns as in ``COEFFICIENTS``).

        Changes ``state``.  Updates are simultaneous if ``state.frozen`` exists.  Otherwise player 0 updates first and
        player 1 updates against the new strategy.  ``weighted`` multiplies a strategy by the player's own reach before
        it enters the average.
        """
        self._iterate(state, _checked_table(coefficients), weighted)

    @abstractmethod
    def _iterate(self, state: State, table: Values, weighted: bool) -> None:
        """Do what :meth:`iterate` does."""

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
        """Run one player's half of an iteration.

        Parameters
        ----------
        state:
            The state, which is changed.
        player:
            The player whose strategy is updated.
        coefficients:
            One row of float64[8], columns as in ``COEFFICIENTS``.
        role:
            The role of the player's hands.  Hands with the role BEST learn regrets that match to their best action
            alone.  On streets with the role FIXED, hands follow the strategy as it is and learn nothing.
        weighted:
            As for :meth:`iterate`.
        leaf_values:
            The player's counterfactual values at the leaves.
        reach:
            The reach at the root, in place of ``tree.root_reach``.

        Returns
        -------
        The player's counterfactual values at the entries of the root street under the old strategy, foresight included,
        in blocks as in :data:`RootReach`.
        """
        roles = checked_roles(self.tree, role, learning=True)
        if state.scales is not None and ((roles == BEST).any() or self.tree.responds_best):
            raise ValueError(NO_BEST_IN_16_BITS)
        setting = Setting(player, roles, self._leaves(player, leaf_values), self._entering(reach))
        return self._update(state, _checked_table(coefficients)[:1], weighted, setting)

    @abstractmethod
    def _update(self, state: State, table: Values, weighted: bool, setting: Setting) -> Values:
        """Do what :meth:`update` does; ``table`` is float64[1, 8]."""

    def leaf_reach(
        self, source: Arrays, *, tied: bool = True, reach: RootReach | None = None
    ) -> tuple[LeafArrays, LeafArrays]:
        """Return both players' reach at every leaf under the strategy that follows from ``source`` by regret matching.

        ``reach`` replaces ``tree.root_reach``.  With ``tied``, ``source`` is read as an iteration reads regrets: those
        up to the tree's tie count as 0.  Without it, ``source`` is a strategy that is evaluated, in float64.
        """
        return self._leaf_reach(source, tied, self._entering(reach))

    @abstractmethod
    def _leaf_reach(self, source: Arrays, tied: bool, reach: LeafArrays) -> tuple[LeafArrays, LeafArrays]:
        """Do what :meth:`leaf_reach` does."""

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
        """Return the player's counterfactual values at the root, with the strategy FIXED or as a BEST response.

        The result is float64[H], or blocks as in :data:`RootReach` if the root street has several boards or entries.
        ``reach`` replaces ``tree.root_reach``.  With ``exact`` the values are summed in float64, as certificates
        require.  ``exact=False`` lets a backend sum in float32 unless the strategy is in float64, which is precise
        enough to decide when an exact measurement is worth its time.
        """
        roles = checked_roles(self.tree, role, learning=False)
        setting = Setting(player, roles, self._leaves(player, leaf_values), self._entering(reach))
        return self._root_values(strategy, exact, setting)

    @abstractmethod
    def _root_values(self, strategy: Arrays, exact: bool, setting: Setting) -> Values:
        """Do what :meth:`root_values` does."""

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
        """Return float64[n, H]: the player's counterfactual values at all nodes of a board.

        ``reach`` is float64[num_entries, H_opponent], the opponent's reach at each entry node.  ``role`` and
        ``leaf_values`` are as for :meth:`root_values`.
        """
        level = self.tree.streets[street]
        start = level.hands[1 - player].start
        wanted = level.num_entries, int(start[board + 1] - start[board])
        entering = np.ascontiguousarray(reach, dtype=np.float64)
        if entering.shape != wanted:
            raise ValueError(f"reach has shape {entering.shape}, not {wanted}")
        roles = checked_roles(self.tree, role, learning=False)
        setting = Setting(player, roles, self._leaves(player, leaf_values), self._reach)
        return self._board_values(strategy, street, board, entering, setting)

    @abstractmethod
    def _board_values(self, strategy: Arrays, street: int, board: int, entering: Values, setting: Setting) -> Values:
        """Do what :meth:`board_values` does; ``entering`` is the opponent's reach."""

    def _leaves(self, player: int, leaf_values: LeafArrays | None) -> LeafArrays:
        if leaf_values is None:
            return []
        if [a.size for a in leaf_values] != [s.num_leaves * int(s.hands[player].start[-1]) for s in self.tree.streets]:
            raise ValueError("the leaf values do not belong to this tree")
        return [np.ascontiguousarray(a, dtype=np.float64) for a in leaf_values]

    def _entering(self, reach: RootReach | None) -> LeafArrays:
        return self._reach if reach is None else checked_reach(self.tree, reach)

    def _flat(self, arrays: Arrays) -> list[NDArray[Any]]:
        """Return a strategy or arrays of a state, indexed by street * 2 + player.

        Raises ValueError unless they fit the tree and have one type.
        """
        flat = [array for pair in arrays for array in pair]
        if [a.shape for a in flat] != self._shapes or any(a.dtype != flat[0].dtype for a in flat):
            raise ValueError("the arrays do not belong to this tree")
        if not all(a.flags.c_contiguous for a in flat):
            raise ValueError("the arrays must be contiguous")
        return flat


def checked_roles(tree: TreeArrays, role: Roles, *, learning: bool) -> NDArray[np.uint8]:
    """Return the role of a player's hands on every street, uint8[streets].

    Raises ValueError for an unknown role, a wrong number of streets, or the role LEARNS in a walk that only evaluates.
    """
    return _roles(role if isinstance(role, int) else tuple(role), len(tree.streets), learning)


@lru_cache(maxsize=64)  # A walk of a small tree takes microseconds.
def _roles(role: int | tuple[int, ...], count: int, learning: bool) -> NDArray[np.uint8]:
    roles = (role,) * count if isinstance(role, int) else role
    known = (LEARNS, FIXED, BEST) if learning else (FIXED, BEST)
    if len(roles) != count or any(r not in known for r in roles):
        raise ValueError(f"roles must be of {known}, one for all streets or for each of {count}, not {role!r}")
    return np.array(roles, dtype=np.uint8)


def _checked_table(coefficients: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the coefficients as float64[n, 8].  Raises ValueError for another number of columns."""
    table = np.ascontiguousarray(coefficients, dtype=np.float64)
    if table.shape[-1] != len(COEFFICIENTS):
        raise ValueError(f"coefficients have {table.shape[-1]} columns, not {len(COEFFICIENTS)}")
    return table.reshape(-1, len(COEFFICIENTS))


def checked_reach(tree: TreeArrays, reach: RootReach | None) -> list[NDArray[np.float64]]:
    """Return both players' reach at the root, the tree's own for None.

    Raises ValueError unless the sizes are right.
    """
    root = tree.streets[0]
    given = [np.ascontiguousarray(r, dtype=np.float64) for r in (tree.root_reach if reach is None else reach)]
    if [r.shape for r in given] != [(root.num_entries * int(h.start[-1]),) for h in root.hands]:
        raise ValueError("the reach at the root does not belong to this tree")
    return given


def matched(source: NDArray[Any], tie: float = 0.0) -> NDArray[np.float64]:
    """Regret matching along the first axis: values above ``tie`` divided by their sum, or uniform if there are none."""
    positive = np.where(source > tie, source, np.float64(0.0))
    total = positive.sum(axis=0)
    return np.divide(positive, total, out=np.full(positive.shape, 1.0 / len(source)), where=total > 0.0)
