"""A state on the device: it is copied there, iterated and copied back; iterations are replayed as a CUDA graph."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import Any, NamedTuple

import torch
from torch import Tensor

from errai.kernels.cuda.device_tree import Block
from errai.kernels.cuda.indices import Group
from errai.kernels.cuda.walk import Flows, Up, Walk, walk_up
from errai.kernels.layout import LEARNS
from errai.kernels.protocol import COEFFICIENTS, Arrays, Setting, State, Values

FORESIGHT = COEFFICIENTS.index("foresight")

WORTH_CAPTURING = 4
"""Least number of remaining iterations for which capturing a graph pays, in a state that is not held."""


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
