"""The ``cuda`` backend, which processes all boards of a street at once as PyTorch tensors.

The same code runs on a GPU and, slowly, on the CPU, where it is tested.  Files: ``sequences`` (betting nodes),
``boards`` (hands), ``device_tree`` (both together), ``steps`` (the arithmetic), ``walk`` (reach down and values up),
``resident`` (a state on the device).  Many games with the same betting tree are one call, see
:mod:`errai.kernels.batch`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import ParamSpec, TypeVar

import numpy as np
from numpy.typing import NDArray

from errai.errors import BackendError, TreeTooLargeError
from errai.kernels import checks
from errai.kernels.batch import TreeBatch, below
from errai.kernels.layout import CHANCE, DECISION, FIXED, LEAF, LEARNS, Roles, TreeArrays
from errai.kernels.protocol import Arrays, Kernel, LeafArrays, RootReach, State

try:
    import torch
except ImportError as error:
    raise BackendError(
        "The backend 'cuda' needs PyTorch, which is not installed here: pip install 'errai[nets]', "
        "or choose the backend 'cpu'."
    ) from error

from errai.kernels.cuda.device_tree import DeviceTree
from errai.kernels.cuda.resident import Mover, ResidentState
from errai.kernels.cuda.steps import Steps, compiled
from errai.kernels.cuda.walk import Flows, Walk, walk_up

DTYPES = {np.dtype(np.float32): torch.float32, np.dtype(np.float64): torch.float64}
"""The NumPy types that a state may have, and the types in which they are computed."""

SCRATCH_SHARE = 0.5
"""The default share of a GPU's free memory that one block of boards of the last street may take."""


Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")


def _on_device(function: Callable[Arguments, Result]) -> Callable[Arguments, Result]:
    """Run a method without gradients, and raise an error of Errai's when the device's memory is full."""

    @wraps(function)
    def wrapped(*arguments: Arguments.args, **named: Arguments.kwargs) -> Result:
        try:
            with torch.no_grad():
                return function(*arguments, **named)
        except torch.cuda.OutOfMemoryError as error:
            raise TreeTooLargeError(
                "The memory of the GPU is full: a state takes its own size and about twice that for strategies, reach "
                "and values. Solve fewer games or boards at once, use the backend 'cpu', or make a CudaKernel with "
                f"fewer scratch_bytes. PyTorch says: {error}"
            ) from error

    return wrapped


class CudaKernel(Kernel):
    """The backend for GPUs; every run on one machine gives the same results.

    A state belongs to Python and lives in NumPy arrays.  Each call copies it to the device and back.  For many calls in
    a row, ``with kernel.hold(state):`` keeps it on the device in between.  Its arrays are then out of date until
    ``state.arrays()`` is called or the block ends, and when methods are given ``state.sums`` or another of these
    arrays, they use the copy on the device.

    Parameters
    ----------
    tree:
        One tree, or a batch of them (:func:`errai.kernels.batch.stack`).  For a batch, root values are those of all
        games one after another.
    device:
        A PyTorch device: ``cuda``, ``cuda:1``, or ``cpu`` to run the same code without a GPU.
    scratch_bytes:
        Approximate memory for one block of boards of the last street.  The default is half of the free memory on a GPU,
        and all boards at once on the CPU.  Results for different values differ by rounding only.
    fused:
        Whether PyTorch compiles the elementwise steps of iterations into fewer kernels.  The first iteration then takes
        about a minute.
    graphs:
        Whether iterations are replayed as CUDA graphs; ignored on the CPU.

    Raises
    ------
    BackendError
        The device does not exist, the game has more than two private cards, or a state is not float32 or float64.
    TreeTooLargeError
        The device's memory is too small; raised by the constructor and by every method.
    """

    @_on_device
    def __init__(
        self,
        tree: TreeArrays | TreeBatch,
        *,
        device: str = "cuda",
        scratch_bytes: int | None = None,
        fused: bool = False,
        graphs: bool = True,
    ) -> None:
        self.device = _device(device)
        if scratch_bytes is None and self.device.type == "cuda":
            scratch_bytes = int(SCRATCH_SHARE * torch.cuda.mem_get_info(self.device)[0])
        self.scratch_bytes = scratch_bytes
        self.fused = fused
        checks.check_tree(tree if isinstance(tree, TreeArrays) else tree.arrays)
        self._device_tree = DeviceTree(tree, self.device, scratch_bytes)
        self.tree = self._device_tree.arrays
        self.batch = self._device_tree.batch
        # Evaluations are few, and compiling their steps would take longer than running them.
        self._steps = (Steps(), compiled() if fused else Steps())
        self._graphs = graphs and self.device.type == "cuda"
        self._shapes = checks.state_shapes(self.tree)
        self._mover = Mover(self._device_tree)
        self._walks: dict[tuple[torch.dtype, bool], Walk] = {}
        self._held: dict[int, ResidentState] = {}

    # --- solving -----------------------------------------------------------------------------------------------

    @_on_device
    def iterate(self, state: State, coefficients: NDArray[np.float64], *, weighted: bool = True) -> None:
        table = checks.checked_table(coefficients)
        resident = self._resident(state)
        resident.iterate(table, weighted)
        self._finish(state, resident)

    @_on_device
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
        row, leaves = checks.checked_table(coefficients)[0], checks.checked_leaves(self.tree, leaf_values, player)
        roles = checks.checked_roles(self.tree, role, learning=True).tolist()
        entering = None if reach is None else checks.checked_reach(self.tree, reach)
        resident = self._resident(state)
        values = resident.update(player, row, roles, weighted, leaves, entering)
        self._finish(state, resident)
        return values

    @contextmanager
    def hold(self, state: State) -> Iterator[None]:
        """Keep a state on the device until the block ends; see the class."""
        if id(state) in self._held:
            raise ValueError("the state is held already")
        resident = self._resident(state)
        self._held[id(state)] = state.elsewhere = resident
        try:
            yield
        finally:
            del self._held[id(state)]
            state.elsewhere = None
            resident.pull()

    # --- evaluating --------------------------------------------------------------------------------------------

    @_on_device
    def leaf_reach(
        self, source: Arrays, *, tied: bool = True, reach: RootReach | None = None
    ) -> tuple[LeafArrays, LeafArrays]:
        entries = None if reach is None else self._mover.entries(checks.checked_reach(self.tree, reach), torch.float64)
        flows = self._flows(source, tied=tied and source[0][0].dtype.kind == "f", entries=entries)
        found: tuple[LeafArrays, LeafArrays] = ([], [])
        for p in (0, 1):
            flows.refresh(p)
            for s, street in enumerate(self._device_tree.streets):
                at = street.ends[p].leaf_sequences
                parts = [flows.of(s, block, p)[1].index_select(0, at) for block in flows.walk.blocks[s] if len(at)]
                flat = self._mover.return_leaves(torch.cat(parts, 1), s, p) if parts else np.zeros(0)
                found[p].append(flat)
        return found

    @_on_device
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
        roles = checks.checked_roles(self.tree, role, learning=False).tolist()
        dtype = torch.float64 if exact or strategy[0][0].dtype == np.float64 else torch.float32
        leaves = self._mover.leaves(checks.checked_leaves(self.tree, leaf_values, player), player, dtype)
        entries = None if reach is None else self._mover.entries(checks.checked_reach(self.tree, reach), dtype)
        flows = self._flows(strategy, tied=False, dtype=dtype, entries=entries)
        flows.refresh(1 - player)
        if FIXED in roles or any(street.locks[player] is not None for street in self.tree.streets):
            flows.refresh(player)
        total, _, _ = walk_up(flows, player, roles=roles, leaves=leaves)
        return self._mover.return_entries(total, player)

    @_on_device
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
        """Return counterfactual values on one board; see :class:`errai.kernels.protocol.Kernel`.

        The tree below the board is built for this call, so the method is meant for single boards and not for many.
        """
        entering = checks.checked_entries(self.tree, player, street, board, reach)
        roles = checks.checked_roles(self.tree, role, learning=False).tolist()[street:]
        leaves = checks.checked_leaves(self.tree, leaf_values, player)
        for held in self._held.values():
            if held.tensors(strategy) is not None:
                held.pull()
        checks.checked_arrays(strategy, self._shapes)
        arrays, boards = below(self.batch or self.tree, street, board)
        part = CudaKernel(arrays, device=str(self.device), scratch_bytes=self.scratch_bytes)
        own = arrays.root_reach[player].reshape(len(entering), -1)
        entries = [own, entering] if player == 0 else [entering, own]
        below_leaves = _leaf_columns(self.tree, leaves, player, street, boards) if leaves else []
        return part._all_values(_columns(self.tree, strategy, street, boards), player, entries, roles, below_leaves)

    def _all_values(
        self,
        strategy: Arrays,
        player: int,
        entries: list[NDArray[np.float64]],
        roles: list[int],
        leaf_values: LeafArrays,
    ) -> NDArray[np.float64]:
        """float64[n, H]: values at all nodes of the root street, given what enters it."""
        street = self._device_tree.streets[0]
        given = [torch.from_numpy(e).to(self.device) for e in entries]
        flows = self._flows(strategy, tied=False, entries=given)
        for p in (0, 1):
            flows.refresh(p)
        leaves = self._mover.leaves(leaf_values, player, torch.float64)
        _, value, exits = walk_up(flows, player, roles=roles, leaves=leaves)
        block = flows.walk.blocks[0][0]
        level, found = street.arrays, np.zeros((len(street.arrays.kind), street.hands[player].size))
        for rounds, ending in flows.walk.terminals(0, block, player, flows.of(0, block, 1 - player)[1]):
            for part in rounds:
                found[part.node.cpu().numpy()] += flows.walk.paid(block, player, part, ending).cpu().numpy()
        for node in reversed(range(len(found))):
            kind, actor = int(level.kind[node]), int(level.actor[node])
            children = slice(int(level.first_child[node]), int(level.first_child[node] + level.num_children[node]))
            if kind == DECISION and actor == player:
                found[node] = value[street.sequences[player].decision[node]].cpu().numpy()
            elif kind == DECISION:
                found[node] = found[children].sum(0)
            elif kind == CHANCE and exits is not None:
                found[node] = exits[int(level.first_child[node])].cpu().numpy()
            elif kind == LEAF and leaves:
                found[node] = leaves[0][int(level.first_child[node])].cpu().numpy()
        return found

    # --- what is on the device ---------------------------------------------------------------------------------

    def _walk(self, dtype: torch.dtype, *, solving: bool) -> Walk:
        key = dtype, solving and self.fused
        if key not in self._walks:
            self._walks[key] = Walk(self._device_tree, dtype, self._steps[solving])
        return self._walks[key]

    def _flows(
        self,
        source: Arrays,
        *,
        tied: bool,
        dtype: torch.dtype = torch.float64,
        entries: list[torch.Tensor] | None = None,
    ) -> Flows:
        """Return strategies and reach for arrays of any type, whether the device holds them or not."""
        tensors = next((found for held in self._held.values() if (found := held.tensors(source)) is not None), None)
        if tensors is None:
            checks.checked_arrays(source, self._shapes)
            tensors = self._mover.states(source)
        return Flows(self._walk(dtype, solving=False), tensors, tied=tied, entries=entries)

    def _finish(self, state: State, resident: ResidentState) -> None:
        """Copy a state back unless it is held; if it is held, wait for the device, so that callers can measure time."""
        if id(state) not in self._held:
            resident.pull()
        elif self.device.type == "cuda":
            torch.cuda.synchronize(self.device)

    def _resident(self, state: State) -> ResidentState:
        if id(state) in self._held:
            return self._held[id(state)]
        groups = [state.regrets, state.sums]
        groups += [g for g in (state.predicted, state.frozen) if g is not None]
        types = {a.dtype for group in groups for a in checks.checked_arrays(group, self._shapes)}
        if len(types) != 1 or not types <= DTYPES.keys():
            names = sorted(str(t) for t in types)
            if state.scales is not None or "int16" in names:
                raise BackendError(
                    "The backend 'cuda' keeps states in float32 or float64; choose one of these precisions, "
                    "or the backend 'cpu' for 16 bits."
                )
            raise ValueError(f"the arrays of a state are all float32 or all float64, not {{{', '.join(names)}}}")
        return ResidentState(self._walk(DTYPES[types.pop()], solving=True), state, self._graphs)


def _device(name: str) -> torch.device:
    try:
        device = torch.device(name)
    except RuntimeError as error:
        raise BackendError(f"There is no device {name!r}; choose cuda, cuda:0, ... or cpu.") from error
    if device.type == "cuda" and not (
        torch.cuda.is_available() and (device.index is None or device.index < torch.cuda.device_count())
    ):
        raise BackendError(
            f"PyTorch finds no GPU for the device {name!r}. It takes an NVIDIA GPU, its driver, and a PyTorch "
            "with CUDA (see pytorch.org); without them choose the backend 'cpu'."
        )
    if device.type not in ("cuda", "cpu"):
        raise BackendError(f"The backend 'cuda' runs on cuda or cpu, not on {device.type!r}.")
    return device


def _columns(tree: TreeArrays, strategy: Arrays, street: int, boards: list[tuple[int, int]]) -> Arrays:
    """Return the part of a strategy on the boards of a part of the tree, as views."""
    found: Arrays = []
    for s, (first, last) in enumerate(boards, start=street):
        level = tree.streets[s]
        found.append(
            [
                strategy[s][p][level.num_rows[p] * int(h.start[first]) : level.num_rows[p] * int(h.start[last])]
                for p, h in enumerate(level.hands)
            ]
        )
    return found


def _leaf_columns(
    tree: TreeArrays, leaves: LeafArrays, player: int, street: int, boards: list[tuple[int, int]]
) -> LeafArrays:
    """Return a player's leaf values on the boards of a part of the tree, as views."""
    return [
        leaves[s][tree.streets[s].num_leaves * int(start[first]) : tree.streets[s].num_leaves * int(start[last])]
        for s, (first, last) in enumerate(boards, start=street)
        for start in (tree.streets[s].hands[player].start,)
    ]
