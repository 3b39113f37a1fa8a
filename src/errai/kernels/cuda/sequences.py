"""A street's betting nodes in the order that suits tensors: by a player's own sequences of actions.

Inside a street a player's reach changes only at own actions, and values are added without weights between one own
decision and the next.  So neither reach nor values are kept per node but per *sequence* (the sequence form of von
Stengel 1996, street by street): first the entries of the street, then one sequence for each row, that is each (own
decision, own action).  Terminals and exits belong to one sequence of each player.

Rows are renumbered: decisions with the same number of actions are together, ordered by depth, so that every operation
on all decisions of a kind works on one contiguous slice ``[D, A, S]``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from errai.kernels.layout import DECISION, StreetArrays

ToDevice = Callable[[NDArray[Any]], torch.Tensor]


@dataclass(frozen=True)
class Group:
    """Decisions of one player with the same number of actions and of own decisions before them on the street."""

    actions: int
    depth: int
    rows: slice
    """Rows of the group; the sequences that its actions lead to are ``num_entries`` higher."""
    decisions: slice
    row_sequences: torch.Tensor
    """int32[D * A]: the sequence of the row's decision."""
    rounds: list[tuple[torch.Tensor, torch.Tensor]]
    """(Positions in the group, their sequences).

    No sequence occurs twice in a round, so adding round after round gives the same sums in every run.
    """


@dataclass(frozen=True)
class Sequences:
    """One player's sequences on one street."""

    num_entries: int
    num_rows: int
    num_decisions: int
    row: NDArray[np.int64]
    """int64[R]: the row of the protocol's arrays for each row here."""
    at: NDArray[np.int64]
    """int64[n]: the sequence of each node."""
    decision: NDArray[np.int64]
    """int64[n]: the number of an own decision in this order, else -1."""
    groups: tuple[Group, ...]
    """The groups by depth, the shallowest first."""
    kinds: tuple[tuple[int, slice, slice], ...]
    """(Actions, rows, decisions) of all decisions with the same number of actions, whatever their depth."""

    @property
    def num_sequences(self) -> int:
        """Number of entries and rows together."""
        return self.num_entries + self.num_rows


def rounds(targets: NDArray[Any]) -> list[NDArray[np.int64]]:
    """Divide the positions of ``targets`` into as few parts as possible such that no target occurs twice in a part."""
    order = np.argsort(targets, kind="stable")
    ordered = targets[order]
    new = np.concatenate([[True], ordered[1:] != ordered[:-1]]) if len(targets) else np.zeros(0, bool)
    first = np.flatnonzero(new)
    nth = np.arange(len(targets)) - np.repeat(first, np.diff([*first, len(targets)]))
    return [np.sort(order[nth == k]) for k in range(int(nth.max(initial=-1)) + 1)]


def sequences_of(street: StreetArrays, player: int, to_device: ToDevice) -> Sequences:
    """Return the sequences of a player on a street, numbered; ``to_device`` makes the index tensors."""
    own = (street.kind == DECISION) & (street.actor == player)
    depth = np.zeros(len(street.kind), dtype=np.int64)
    for node in range(street.num_entries, len(depth)):
        above = street.parent[node]
        depth[node] = depth[above] + own[above]
    nodes = np.flatnonzero(own)
    actions = street.num_children[nodes].astype(np.int64)
    order = np.lexsort((nodes, depth[nodes], actions))
    nodes, actions = nodes[order], actions[order]
    first_row = np.concatenate([[0], np.cumsum(actions)]).astype(np.int64)
    decision = np.full(len(depth), -1)
    decision[nodes] = np.arange(len(nodes))
    at = np.zeros(len(depth), dtype=np.int64)
    at[: street.num_entries] = np.arange(street.num_entries)
    for node in range(street.num_entries, len(depth)):
        above = int(street.parent[node])
        action = node - int(street.first_child[above])
        at[node] = street.num_entries + first_row[decision[above]] + action if own[above] else at[above]
    row = np.concatenate(
        [np.zeros(0, np.int64)] + [street.row[n] + np.arange(a) for n, a in zip(nodes, actions, strict=True)]
    )

    def slices(chosen: NDArray[np.bool_]) -> tuple[int, slice, slice]:
        where = np.flatnonzero(chosen)
        first, last = int(where[0]), int(where[-1]) + 1
        return int(actions[first]), slice(int(first_row[first]), int(first_row[last])), slice(first, last)

    groups = []
    for level, count in sorted({(int(depth[n]), int(a)) for n, a in zip(nodes, actions, strict=True)}):
        width, rows, decisions = slices((depth[nodes] == level) & (actions == count))
        places = at[nodes[decisions]]
        parts = [(to_device(part), to_device(places[part])) for part in rounds(places)]
        groups.append(Group(width, level, rows, decisions, to_device(np.repeat(places, width)), parts))
    return Sequences(
        num_entries=street.num_entries,
        num_rows=street.num_rows[player],
        num_decisions=len(nodes),
        row=row.astype(np.int64),
        at=at,
        decision=decision,
        groups=tuple(groups),
        kinds=tuple(slices(actions == count) for count in np.unique(actions)),
    )
