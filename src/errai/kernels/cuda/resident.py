"""A state on the device: it is copied there, iterated and copied back; iterations are replayed as a CUDA graph."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from errai.kernels.cuda.device_tree import Block, DeviceTree
from errai.kernels.cuda.sequences import Group
from errai.kernels.cuda.walk import Flows, Walk, walk_up
from errai.kernels.layout import LEARNS
from errai.kernels.protocol import COEFFICIENTS, Arrays, State

FORESIGHT = COEFFICIENTS.index("foresight")

CHUNK = 1 << 24
"""Numbers that are moved between layouts at a time, so that their indices take little memory."""


WORTH_CAPTURING = 4
"""Least number of remaining iterations for which capturing a graph pays, in a state that is not held."""


class Mover:
    """Copies between the protocol's ``[rows, H_b]`` by board and the device's ``[R, S]``, ordered differently."""

    def __init__(self, tree: DeviceTree) -> None:
        self.tree = tree

    def states(self, arrays: Arrays) -> list[list[Tensor]]:
        """Copy state arrays or a strategy to the device.

        Types stay, but uint8 and uint16 become int32, because PyTorch computes with that.
        """
        return [
            [self._arrive(array, s, p, self._row(s, p)) for p, array in enumerate(pair)]
            for s, pair in enumerate(arrays)
        ]

    def return_states(self, tensors: Sequence[Sequence[Tensor]], arrays: Arrays) -> None:
        """Write tensors back into state arrays."""
        for s, pair in enumerate(arrays):
            for p, array in enumerate(pair):
                array[...] = self._leave(tensors[s][p], s, p, self._row(s, p))

    def leaves(self, arrays: Sequence[NDArray[Any]], player: int, dtype: torch.dtype) -> list[Tensor]:
        """Return the leaf arrays of a player as [leaves, S] by street."""
        counts = [street.arrays.num_leaves for street in self.tree.streets]
        return [self._arrive(a, s, player, np.arange(counts[s])).to(dtype) for s, a in enumerate(arrays)]

    def entries(self, reach: Sequence[NDArray[Any]], dtype: torch.dtype) -> list[Tensor]:
        """Return both players' reach at the root street as [E, S]."""
        rows = np.arange(self.tree.streets[0].arrays.num_entries)
        return [self._arrive(r, 0, p, rows).to(dtype) for p, r in enumerate(reach)]

    def return_entries(self, values: Tensor, player: int) -> NDArray[np.float64]:
        """Return flat blocks of the root street's entries from the values [.., S] of its sequences, entries first."""
        rows = np.arange(self.tree.streets[0].arrays.num_entries)
        return self._leave(values[: len(rows)].double(), 0, player, rows)

    def return_leaves(self, tensor: Tensor, s: int, player: int) -> NDArray[Any]:
        """Return a flat leaf array of a street from [leaves, S]."""
        return self._leave(tensor, s, player, np.arange(len(tensor)))

    def _row(self, s: int, player: int) -> NDArray[np.int64]:
        return self.tree.streets[s].sequences[player].row

    def _arrive(self, array: NDArray[Any], s: int, player: int, row: NDArray[np.int64]) -> Tensor:
        plain = array if array.flags.writeable else array.copy()
        if array.dtype == np.uint16:
            flat = torch.from_numpy(plain.view(np.int16)).to(self.tree.device).int() & 0xFFFF
        elif array.dtype == np.uint8:
            flat = torch.from_numpy(plain).to(self.tree.device).int()
        else:
            flat = torch.from_numpy(plain).to(self.tree.device)
        hands = self.tree.streets[s].hands[player]
        out = flat.new_empty(len(row), hands.size)
        for rows, index in self._pieces(s, player, row):
            out[rows] = flat[index]
        return out

    def _leave(self, tensor: Tensor, s: int, player: int, row: NDArray[np.int64]) -> NDArray[Any]:
        flat = tensor.new_empty(tensor.numel())
        for rows, index in self._pieces(s, player, row):
            flat[index] = tensor[rows]
        array: NDArray[Any] = flat.cpu().numpy()
        return array

    def _pieces(self, s: int, player: int, row: NDArray[np.int64]) -> Any:
        """Yield (rows, their indices [rows, S] in the flat array) in pieces of about ``CHUNK`` numbers."""
        hands = self.tree.streets[s].hands[player]
        width = hands.start.diff()[hands.board]
        before = hands.start[hands.board]
        first = len(row) * before + torch.arange(hands.size, device=self.tree.device) - before
        rows = torch.from_numpy(row).to(self.tree.device)
        step = max(1, CHUNK // max(1, hands.size))
        for begin in range(0, len(row), step):
            part = slice(begin, begin + step)
            yield part, first + rows[part].unsqueeze(1) * width


class Manner(NamedTuple):
    """Settings of an iteration that are recorded with it in a graph; everything else is in tensors."""

    weighted: bool
    """Whether reach weights the strategy in the average."""
    foresight: bool
    """Whether nodes pass up values other than those of the strategy just played."""


class ResidentState:
    """A state's arrays on the device, and the iterations that change them there.

    Parameters
    ----------
    walk:
        The tree in the precision of the state.
    state:
        The state that is copied to the device; only :meth:`pull` writes to it.
    graphs:
        Whether repeated iterations are captured and replayed, which saves the cost of launching their kernels.
    """

    def __init__(self, walk: Walk, state: State, graphs: bool) -> None:
        self.walk = walk
        self.state = state
        self.mover = Mover(walk.tree)
        self.regrets = self.mover.states(state.regrets)
        self.sums = self.mover.states(state.sums)
        self.predicted = None if state.predicted is None else self.mover.states(state.predicted)
        self.source = self.regrets if self.predicted is None else self.predicted
        self.frozen = None if state.frozen is None else self.mover.states(state.frozen)
        self.flows = Flows(walk, self.source if self.frozen is None else self.frozen, tied=True)
        self.coefficients = torch.zeros(len(COEFFICIENTS), dtype=walk.dtype, device=walk.tree.device)
        self.changed = False
        self._fresh = [False, False]
        self._graphs: dict[Manner, Any] | None = {} if graphs else None
        self._warm: set[Manner] = set()

    def tensors(self, arrays: Arrays) -> list[list[Tensor]] | None:
        """Return the device's copy of arrays that belong to the state, or None for others."""
        pairs = (
            (self.state.regrets, self.regrets),
            (self.state.sums, self.sums),
            (self.state.predicted, self.predicted),
            (self.state.frozen, self.frozen),
        )
        return next((tensors for own, tensors in pairs if own is arrays), None)

    def pull(self) -> None:
        """Copy the device's data into the state's own arrays."""
        if self.changed:
            self.mover.return_states(self.regrets, self.state.regrets)
            self.mover.return_states(self.sums, self.state.sums)
            if self.predicted is not None and self.state.predicted is not None:
                self.mover.return_states(self.predicted, self.state.predicted)
            self.changed = False

    def freeze(self) -> None:
        """Copy the strategy's source for an iteration with simultaneous updates; do nothing if they alternate."""
        if self.frozen is not None:
            for kept, pair in zip(self.frozen, self.source, strict=True):
                for copy, tensor in zip(kept, pair, strict=True):
                    copy.copy_(tensor)
            self._fresh = [False, False]

    def iterate(self, table: NDArray[np.float64], weighted: bool) -> None:
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

    def update(
        self,
        player: int,
        row: NDArray[np.float64],
        roles: Sequence[int],
        weighted: bool,
        leaves: Sequence[NDArray[Any]] = (),
        entering: Sequence[NDArray[Any]] | None = None,
    ) -> NDArray[np.float64]:
        """Run one player's half of an iteration; return the values at the entries of the root street."""
        self.changed = True
        self.coefficients.copy_(torch.tensor(row))
        manner = Manner(weighted, bool(row[FORESIGHT]))
        given = None if entering is None else self.mover.entries(entering, self.walk.dtype)
        if given is not None or self.flows.entries is not None:
            self.flows.entries = given
            self._fresh = [False, False]
        values = self._update(player, manner, roles, self.mover.leaves(leaves, player, self.walk.dtype))
        if self.flows.entries is not None:
            self.flows.entries = None
            self._fresh = [False, False]
        return self.mover.return_entries(values, player)

    def _iteration(self, manner: Manner) -> None:
        # A graph replays whatever ran when it was captured, so nothing here may depend on what is already up to date,
        # except before the first iteration.
        self.freeze()
        for player in (0, 1):
            self._update(player, manner, [LEARNS] * len(self.walk.tree.streets))
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
            own, columns = self.walk.tree.streets[s].sequences[player], block.classes[player]
            of_actions = values[own.num_entries :]
            played = reach[own.num_entries :] if manner.weighted else strategy
            does, tie = self.walk.does(s, block, player, roles[s]), self._tie(s, player, columns)
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
            tie = self._tie(s, player, columns)
            regrets = self.regrets[s][player][:, columns][group.rows].unflatten(0, (-1, group.actions))
            return self.walk.steps.foresee(values, value, regrets, tie, self.coefficients)

        ahead = foresee if manner.foresight else None
        values, _, _ = walk_up(self.flows, player, roles=roles, leaves=leaves, learn=learn, foresee=ahead)
        if self.frozen is None:
            self._fresh[player] = False
        return values

    def _tie(self, s: int, player: int, columns: slice) -> Tensor:
        """Return [1] or [S]: the largest regrets that count as 0, for some columns."""
        tie = self.flows.ties[s][player]
        return tie if len(tie) == 1 else tie[columns]

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
