"""The ``cuda`` backend, which processes all boards of a street at once as PyTorch tensors.

The same code runs on a GPU and, slowly, on the CPU, where it is tested.  Files: ``indices`` (lines and hands),
``device_tree`` (both together), ``walk`` (reach down and values up, and their arithmetic); here are also the states on
the device, whose iterations are replayed as a CUDA graph.  Many games with the same betting tree are one call, see
:mod:`errai.kernels.batch`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import chain
from typing import Any, NamedTuple

import numpy as np

from errai.errors import BackendError, TreeTooLargeError
from errai.kernels.batch import TreeBatch, below
from errai.kernels.layout import CHANCE, DECISION, FIXED, LEAF, LEARNS, TreeArrays
from errai.kernels.protocol import COEFFICIENTS, Arrays, Kernel, LeafArrays, Setting, State, Values

try:
    import torch
except ImportError as error:
    raise BackendError(
        "The backend 'cuda' needs PyTorch, which is not installed here: pip install 'errai[nets]', "
        "or choose the backend 'cpu'."
    ) from error

from torch import Tensor

from errai.kernels.cuda.device_tree import Block, DeviceTree
from errai.kernels.cuda.indices import Group
from errai.kernels.cuda.walk import Flows, Up, Walk, steps_of, walk_up

DTYPES = {np.dtype(np.float32): torch.float32, np.dtype(np.float64): torch.float64}
"""The NumPy types that a state may have, and the types in which they are computed."""

SCRATCH_SHARE = 0.5
"""The default share of a GPU's free memory that one block of boards of the last street may take."""

FORESIGHT = COEFFICIENTS.index("foresight")

WORTH_CAPTURING = 4
"""Least number of remaining iterations for which capturing a graph pays, in a state that is not held."""


@contextmanager
def _on_device() -> Iterator[None]:
    """Run what follows without gradients, and raise an error of Errai's when the device's memory is full."""
    try:
        with torch.no_grad():
            yield
    except torch.cuda.OutOfMemoryError as error:
        raise TreeTooLargeError(
            "The memory of the GPU is full: a state takes its own size and about twice that for strategies, reach "
            "and values. Solve fewer games or boards at once, use the backend 'cpu', or make a CudaKernel with "
            f"fewer scratch_bytes. PyTorch says: {error}"
        ) from error


class CudaKernel(Kernel):
    """The backend for GPUs; every run on one machine gives the same results.

    A state belongs to Python and lives in NumPy arrays.  Each call copies it to the device and back.  For many calls in
    a row, ``with kernel.hold(state):`` keeps it on the device in between.  Its arrays are then out of date until
    ``state.arrays()`` is called or the block ends, and when methods are given ``state.sums`` or another of these
    arrays, they use the copy on the device.

    Of a batch of trees (:func:`errai.kernels.batch.stack`), root values are those of all games one after another.  The
    device is one of PyTorch's: ``cuda``, ``cuda:1``, or ``cpu`` to run the same code without a GPU.  ``scratch_bytes``
    is the approximate memory for one block of boards of the last street: by default half of the free memory on a GPU,
    and all boards at once on the CPU; results differ by rounding only.  If ``fused``, PyTorch compiles the elementwise
    steps of iterations into fewer kernels, and the first iteration takes about a minute.  With ``graphs`` iterations
    are replayed as CUDA graphs on a GPU.

    Raises :class:`BackendError` if the device does not exist, the game has more than two private cards, or a state is
    not float32 or float64, and :class:`TreeTooLargeError` from every method if the device's memory is too small.
    """

    @_on_device()
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
        super().__init__(tree if isinstance(tree, TreeArrays) else tree.arrays)
        self._device_tree = DeviceTree(tree, self.device, scratch_bytes)
        self.batch = self._device_tree.batch
        # Evaluations are few, and compiling their steps would take longer than running them.
        self._steps = (steps_of(compiled=False), steps_of(compiled=fused))
        self._graphs = graphs and self.device.type == "cuda"
        self._walks: dict[tuple[torch.dtype, bool], Walk] = {}
        self._held: dict[int, ResidentState] = {}

    # --- solving -----------------------------------------------------------------------------------------------

    @_on_device()
    def _iterate(self, state: State, table: Values, weighted: bool) -> None:
        resident = self._resident(state)
        resident.iterate(table, weighted)
        self._finish(state, resident)

    @_on_device()
    def _update(self, state: State, table: Values, weighted: bool, setting: Setting) -> Values:
        resident = self._resident(state)
        values = resident.update(table[0], weighted, setting, own_reach=setting.reach is self._reach)
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

    @_on_device()
    def _leaf_reach(self, source: Arrays, tied: bool, reach: LeafArrays) -> tuple[LeafArrays, LeafArrays]:
        flows = self._flows(source, reach, tied=tied and source[0][0].dtype.kind == "f")
        found: tuple[LeafArrays, LeafArrays] = ([], [])
        for p in (0, 1):
            flows.refresh(p)
            for s, street in enumerate(self._device_tree.streets):
                at = street.ends[p].leaf_sequences
                parts = [flows.of(s, block, p)[1].index_select(0, at) for block in street.blocks if len(at)]
                found[p].append(self._device_tree.return_rows(torch.cat(parts, 1), s, p) if parts else np.zeros(0))
        return found

    @_on_device()
    def _root_values(self, strategy: Arrays, exact: bool, setting: Setting) -> Values:
        player, roles = setting.player, setting.roles.tolist()
        dtype = torch.float64 if exact or strategy[0][0].dtype == np.float64 else torch.float32
        leaves = self._device_tree.leaves(setting.leaves, player, dtype)
        flows = self._flows(strategy, setting.reach, dtype)
        flows.refresh(1 - player)
        if FIXED in roles or any(street.locks[player] is not None for street in self.tree.streets):
            flows.refresh(player)
        total, _, _ = walk_up(flows, Up(player, roles, leaves))
        return self._device_tree.return_rows(total.double(), 0, player)

    @_on_device()
    def _board_values(self, strategy: Arrays, street: int, board: int, entering: Values, setting: Setting) -> Values:
        # The tree below the board is built for this call, so the method is meant for single boards and not for many.
        player = setting.player
        for held in self._held.values():
            if held.tensors(strategy) is not None:
                held.pull()
        self._flat(strategy)
        arrays, boards = below(self.batch or self.tree, street, board)
        part = CudaKernel(arrays, device=str(self.device), scratch_bytes=self.scratch_bytes)
        columns: Arrays = []
        leaves: LeafArrays = []
        for s, (first, last) in enumerate(boards, start=street):
            level = self.tree.streets[s]
            columns.append([level.block(strategy[s][p], level.num_rows[p], p, first, last) for p in (0, 1)])
            if setting.leaves:
                leaves.append(level.block(setting.leaves[s], level.num_leaves, player, first, last))
        own = arrays.root_reach[player].reshape(len(entering), -1)
        entries = [own, entering] if player == 0 else [entering, own]
        return part._all_values(columns, player, entries, setting.roles.tolist()[street:], leaves)

    def _all_values(
        self, strategy: Arrays, player: int, entries: LeafArrays, roles: list[int], leaf_values: LeafArrays
    ) -> Values:
        """Return float64[n, H]: values at all nodes of the root street's only board, given what enters it."""
        street = self._device_tree.streets[0]
        flows = self._flows(strategy, [e.ravel() for e in entries])
        for p in (0, 1):
            flows.refresh(p)
        leaves = self._device_tree.leaves(leaf_values, player, torch.float64)
        _, value, exits = walk_up(flows, Up(player, roles, leaves))
        block = street.blocks[0]
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
        self, source: Arrays, reach: LeafArrays, dtype: torch.dtype = torch.float64, *, tied: bool = False
    ) -> Flows:
        """Return strategies and reach for arrays of any type, whether the device holds them or not."""
        tensors = next((found for held in self._held.values() if (found := held.tensors(source)) is not None), None)
        if tensors is None:
            self._flat(source)
            tensors = self._device_tree.states(source)
        entries = None if reach is self._reach else self._device_tree.entries(reach, dtype)
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
        groups = (state.regrets, state.sums, state.predicted, state.frozen)
        types = {a.dtype for group in groups if group is not None for a in self._flat(group)}
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


# --- a state on the device ---


class Manner(NamedTuple):
    """Settings of an iteration that are recorded with it in a graph; everything else is in tensors."""

    weighted: bool
    """Whether reach weights the strategy in the average."""
    foresight: bool
    """Whether nodes pass up values other than those of the strategy just played."""


class ResidentState:
    """A state's arrays on the device, and the iterations that change them there; only :meth:`pull` changes the state.

    With ``graphs`` repeated iterations are captured and replayed, which saves the cost of launching their kernels.
    """

    def __init__(self, walk: Walk, state: State, graphs: bool) -> None:
        self.walk = walk
        self.state = state
        groups = {name: getattr(state, name) for name in ("regrets", "sums", "predicted", "frozen")}
        self._groups = {name: self.walk.tree.states(arrays) for name, arrays in groups.items() if arrays is not None}
        self.regrets, self.sums = self._groups["regrets"], self._groups["sums"]
        self.predicted, self.frozen = self._groups.get("predicted"), self._groups.get("frozen")
        self.source = self.predicted or self.regrets
        self.flows = Flows(walk, self.frozen or self.source, tied=True)
        self.coefficients = torch.zeros(len(COEFFICIENTS), dtype=walk.dtype, device=walk.tree.device)
        self.changed = False
        self._fresh = [False, False]
        self._graphs: dict[Manner, Any] | None = {} if graphs else None
        self._warm: set[Manner] = set()

    def tensors(self, arrays: Arrays) -> list[list[Tensor]] | None:
        """Return the device's copy of arrays that belong to the state, or None for others."""
        return next((own for name, own in self._groups.items() if getattr(self.state, name) is arrays), None)

    def pull(self) -> None:
        """Copy the device's data into the state's own arrays."""
        if self.changed:
            for name, tensors in self._groups.items():
                if name != "frozen":  # This is scratch memory.
                    self.walk.tree.return_states(tensors, getattr(self.state, name))
            self.changed = False

    def freeze(self) -> None:
        """Copy the strategy's source for an iteration with simultaneous updates; do nothing if they alternate."""
        if self.frozen is not None:
            for copy, tensor in zip(chain(*self.frozen), chain(*self.source), strict=True):
                copy.copy_(tensor)
            self._fresh = [False, False]

    def iterate(self, table: Values, weighted: bool) -> None:
        """Run one iteration for each row of coefficients."""
        self.changed = True
        manner = Manner(weighted, bool(table[:, FORESIGHT].any()))
        rows = torch.tensor(table, device=self.walk.tree.device, dtype=self.walk.dtype)
        for number, row in enumerate(rows):
            self.coefficients.copy_(row)
            if self._graphs is None:
                self._iteration(manner)
            elif manner in self._graphs:
                self._graphs[manner].replay()
            elif manner in self._warm and (self.state.elsewhere is self or len(rows) - number >= WORTH_CAPTURING):
                self._capture(manner)
            else:
                self._warm_up(manner)

    def update(self, row: Values, weighted: bool, setting: Setting, *, own_reach: bool) -> Values:
        """Run one player's half of an iteration; return the values at the entries of the root street.

        With ``own_reach`` the reach at the root is the tree's own, which is on the device already.
        """
        self.changed = True
        self.coefficients.copy_(torch.tensor(row))
        tree, dtype, player = self.walk.tree, self.walk.dtype, setting.player
        if not own_reach:
            self.flows.entries = tree.entries(setting.reach, dtype)
            self._fresh = [False, False]
        manner, leaves = Manner(weighted, bool(row[FORESIGHT])), tree.leaves(setting.leaves, player, dtype)
        values = self._update(player, manner, setting.roles.tolist(), leaves)
        if not own_reach:
            self.flows.entries = None
            self._fresh = [False, False]
        return tree.return_rows(values.double(), 0, player)

    def _iteration(self, manner: Manner) -> None:
        # A graph replays whatever ran when it was captured, so nothing here may depend on what is already up to date,
        # except before the first iteration.
        self.freeze()
        for player in (0, 1):
            self._update(player, manner, [LEARNS] * len(self.walk.streets))
            if self.frozen is None:
                self._refresh(player)

    def _refresh(self, player: int) -> None:
        if not self._fresh[player]:
            self.flows.refresh(player)
            self._fresh[player] = True

    def _update(self, player: int, manner: Manner, roles: Sequence[int], leaves: Sequence[Tensor] = ()) -> Tensor:
        self._refresh(0)
        self._refresh(1)

        def learn(s: int, block: Block, values: Tensor, value: Tensor, strategy: Tensor, reach: Tensor) -> None:
            own, columns = self.walk.streets[s].sequences[player], block.classes[player]
            of_actions = values[own.num_entries :]
            played = reach[own.num_entries :] if manner.weighted else strategy
            does, tie = self.walk.does(s, block, player, roles[s]), self.flows.tie(s, player, columns)
            for actions, rows, decisions in own.kinds:

                def kind(tensor: Tensor, rows: slice = rows, actions: int = actions) -> Tensor:
                    grouped: torch.Tensor = tensor[rows].unflatten(0, (-1, actions))
                    return grouped

                regrets = kind(self.regrets[s][player][:, columns])
                sums = kind(self.sums[s][player][:, columns])
                gains = kind(of_actions)
                if does is not None:  # A hand that does not learn gets no gain: its actions get the node's value.
                    learns = (does[decisions] == LEARNS).unsqueeze(1)
                    gains = torch.where(learns, gains, value[decisions].unsqueeze(1))
                self.walk.steps.learn(gains, value[decisions], kind(played), regrets, sums, self.coefficients)
                if does is not None:
                    self.walk.steps.respond(kind(of_actions), does[decisions], tie, regrets)
                if self.predicted is not None:
                    predicted = kind(self.predicted[s][player][:, columns])
                    self.walk.steps.predict(gains, regrets, predicted, self.coefficients)

        def foresee(s: int, block: Block, group: Group, values: Tensor, value: Tensor) -> Tensor:
            columns = block.classes[player]
            tie = self.flows.tie(s, player, columns)
            regrets = self.regrets[s][player][:, columns][group.rows].unflatten(0, (-1, group.actions))
            return self.walk.steps.foresee(values, value, regrets, tie, self.coefficients)

        ahead = foresee if manner.foresight else None
        values, _, _ = walk_up(self.flows, Up(player, roles, leaves, learn, ahead))
        if self.frozen is None:
            self._fresh[player] = False
        return values

    # --- CUDA graphs -------------------------------------------------------------------------------------------

    def _warm_up(self, manner: Manner) -> None:
        """Run an iteration on a stream of its own, as PyTorch requires before capturing."""
        device = self.walk.tree.device
        stream = torch.cuda.Stream(device)
        stream.wait_stream(torch.cuda.current_stream(device))
        with torch.cuda.device(device), torch.cuda.stream(stream):
            self._iteration(manner)
        torch.cuda.current_stream(device).wait_stream(stream)
        self._warm.add(manner)

    def _capture(self, manner: Manner) -> None:
        """Capture an iteration and replay it once.  If capturing fails, run it and all later ones without graphs."""
        assert self._graphs is not None
        graph = torch.cuda.CUDAGraph()
        fresh = list(self._fresh)
        try:
            with torch.cuda.device(self.walk.tree.device), torch.cuda.graph(graph):
                self._iteration(manner)
        except RuntimeError:  # Nothing was computed, because capturing only records.
            self._graphs = None
            self._fresh = fresh
            self._iteration(manner)
            return
        self._graphs[manner] = graph
        graph.replay()
