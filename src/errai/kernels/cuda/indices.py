"""A street's betting nodes and its hands on the device, as the lists of indices that tensors are read and added by.

*Lines.*  Inside a street a player's reach changes only at own actions, and values are added without weights between one
own decision and the next.  So neither reach nor values are kept per node but per *sequence* (the sequence form of von
Stengel 1996, street by street): first the entries of the street, then one sequence for each row, that is each (own
decision, own action).  Terminals and exits belong to one sequence of each player.  Rows are renumbered: decisions with
the same number of actions are together, ordered by depth, so that every operation on all decisions of a kind works on
one contiguous slice ``[D, A, S]``.

*Hands.*  They are never padded: an array over hands is ``[rows, S]``, with the hands of one board after those of
another.  Only the lists of terminal nodes are padded, to the longest one of a block.  Each board has one list of the
opponent's hands: first all of them in order of strength, then for every card of the deck the hands that hold it, again
in order of strength.  A terminal node needs the reach of all hands or of those with a given card, of any strength or
below a given one.  All of these are differences of prefix sums along the list.  Because only differences are used, the
entries before and after a board's hands may be anything.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from errai.kernels.layout import DECISION, HandArrays, StreetArrays

ToDevice = Callable[[NDArray[Any]], Tensor]


@dataclass(frozen=True)
class Group:
    """Decisions of one player with the same number of actions and of own decisions before them on the street."""

    actions: int
    depth: int
    rows: slice
    """Rows of the group; the sequences that its actions lead to are ``num_entries`` higher."""
    decisions: slice
    row_sequences: Tensor
    """int32[D * A]: the sequence of the row's decision."""
    rounds: list[tuple[Tensor, Tensor]]
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


@dataclass(frozen=True)
class Hands:
    """One player's hands on all boards of a street, as device tensors."""

    start: Tensor
    """int64[B+1]"""
    cards: Tensor
    """int64[S, k]"""
    parent: Tensor
    """int32[S]: the class on the board above, counted over all boards of the street above."""
    up_weight: Tensor
    rank: Tensor
    """int64[S]"""
    twin: Tensor
    """int64[S]: the same class in the other player's list, counted inside the board, or -1."""
    board: Tensor
    """int64[S]"""
    member_class: Tensor
    """int64[M]: the class of each real hand, counted over all boards."""
    member_cards: Tensor
    """int64[M, k]"""
    member_start: Tensor
    """int64[S+1]"""

    @property
    def size(self) -> int:
        """Number of hand classes on all boards together."""
        return len(self.cards)


def hands_of(street: StreetArrays, above: StreetArrays | None, player: int, to_device: ToDevice) -> Hands:
    """Copy a player's hands to the device; ``above`` is the street before."""
    h: HandArrays = street.hands[player]
    start = to_device(h.start).long()
    board = torch.repeat_interleave(torch.arange(street.num_boards, device=start.device), start.diff())
    parent = to_device(h.parent)
    if above is not None:
        parent = parent + to_device(above.hands[player].start[street.parent_board]).long()[board]
    member_start = to_device(h.member_start).long()
    return Hands(
        start=start,
        cards=to_device(h.cards).long(),
        parent=parent.int(),
        up_weight=to_device(h.up_weight),
        rank=to_device(h.rank).long(),
        twin=to_device(h.twin).long(),
        board=board,
        member_class=torch.repeat_interleave(torch.arange(len(board), device=start.device), member_start.diff()),
        member_cards=to_device(h.member_cards).long(),
        member_start=member_start,
    )


@dataclass(frozen=True)
class Lists:
    """Index lists that the terminal nodes of a block of boards use for one player's values.

    A *pile* is a contiguous part of a board's list: all hands, or the hands with one card.  Only piles that some own
    hand needs are included.
    """

    length: int
    """Positions per board.  The first lies before the board's list, and those after the list are not read."""
    place: Tensor
    """int32[B * length]: the opponent's class at each position."""
    first: Tensor
    """int32[piles]: the position before each pile."""
    last: Tensor
    """int32[piles]: the last position of each pile."""
    pile: Tensor
    """int32[1 + k, S]: the number of the pile of all hands and of those of each own card."""
    twin: Tensor
    """int32[S]: the same hand among the opponent's classes, 0 if there is none."""
    has_twin: Tensor
    """[S]: 1 if the hand has a twin, else 0."""
    weaker: Tensor
    """int32[1 + k, S]: in each of these piles the last position of a weaker hand; empty without showdowns."""
    stronger: Tensor
    """int32[1 + k, S]: the last position of a hand that is not stronger."""


def lists_of(mine: Hands, other: Hands, boards: tuple[int, int], num_cards: int, showdown: bool) -> Lists:
    """Build the lists of one player's values on a range of boards."""
    first, last = boards
    own, others = (slice(int(h.start[first]), int(h.start[last])) for h in (mine, other))
    listed = _Listed(other, boards, num_cards)
    here = mine.board[own] - first
    # The order is pile by pile: all hands, then those with each own card.
    asked = torch.cat([(here * listed.piles + num_cards).unsqueeze(0), (here * listed.piles) + mine.cards[own].T])
    piles, pile = asked.unique(return_inverse=True)
    places = [torch.zeros((0, 0), dtype=torch.int32, device=asked.device)] * 2
    if showdown:
        lowest = min(int(h.rank.min()) if len(h.rank) else 0 for h in (mine, other))
        span = 1 + max(int(h.rank.max()) - lowest if len(h.rank) else 0 for h in (mine, other))
        rank = mine.rank[own] - lowest
        places = [listed.before(here, asked[1:], rank, span, lowest, equals).int() for equals in (False, True)]
    twin = mine.twin[own]
    return Lists(
        length=listed.length,
        place=listed.place(others),
        first=listed.edge(piles, num_cards, behind=False).int(),
        last=listed.edge(piles, num_cards, behind=True).int(),
        pile=pile.int(),
        twin=torch.where(twin >= 0, twin + other.start[mine.board[own]] - others.start, 0).int(),
        has_twin=(twin >= 0).double(),
        weaker=places[0],
        stronger=places[1],
    )


class _Listed:
    """One player's lists on a range of boards: its real hands, followed by *items*, which list each hand once per card.

    Hands are ordered by board and strength, items by board, card and strength.  A pile is numbered ``board * piles +
    card``, with ``num_cards`` as the card for all hands.  The prefix sum of the first ``m`` entries of a board is at
    the position ``base[board] + m``.
    """

    def __init__(self, hands: Hands, boards: tuple[int, int], num_cards: int) -> None:
        first, last = boards
        start, stop = (int(hands.member_start[int(hands.start[b])]) for b in boards)
        self.rank = hands.rank
        self.piles = num_cards + 1
        self.hand = hands.member_class[start:stop]
        self.hand_board = hands.board[self.hand] - first
        cards = hands.member_cards[start:stop]
        item = self.hand.repeat_interleave(cards.shape[1])
        pile = (hands.board[item] - first) * self.piles + cards.flatten()
        self.item_pile, order = torch.sort(pile, stable=True)
        self.item = item[order]
        self.item_board = hands.board[self.item] - first
        count = torch.bincount(self.hand_board, minlength=last - first)
        items = torch.bincount(self.item_board, minlength=last - first)
        self.length = 1 + int((count + items).max())
        self.zero = torch.arange(last - first, device=pile.device) * self.length
        self.count = count
        self.hand_base = self.zero - (count.cumsum(0) - count)
        self.item_base = self.zero + count - (items.cumsum(0) - items)

    def place(self, classes: slice) -> Tensor:
        """Return int32[B * length]: the class at each position, counted from the first of ``classes``."""
        place = torch.zeros(len(self.zero) * self.length, dtype=torch.int32, device=self.zero.device)
        for base, board, what in (
            (self.hand_base, self.hand_board, self.hand),
            (self.item_base, self.item_board, self.item),
        ):
            place[base[board] + 1 + torch.arange(len(what), device=what.device)] = (what - classes.start).int()
        return place

    def edge(self, piles: Tensor, num_cards: int, behind: bool) -> Tensor:
        """Return the position before each pile, or its last position."""
        board = piles.div(self.piles, rounding_mode="floor")
        of_all = self.zero[board] + (self.count[board] if behind else 0)
        of_card = self.item_base[board] + torch.searchsorted(self.item_pile, piles, right=behind)
        return torch.where(piles % self.piles == num_cards, of_all, of_card)

    def before(self, board: Tensor, piles: Tensor, rank: Tensor, span: int, lowest: int, equals: bool) -> Tensor:
        """Return [1 + k, S]: the last position of a weaker (or with ``equals`` not stronger) hand in some piles.

        These are the pile of all hands and, of those of single cards, ``piles`` [k, S].  Ranks are below ``span``.
        """
        hands = self.hand_board * span + self.rank[self.hand] - lowest
        items = self.item_pile * span + self.rank[self.item] - lowest
        of_all = self.hand_base[board] + torch.searchsorted(hands, board * span + rank, right=equals)
        of_card = torch.searchsorted(items, (piles * span + rank).contiguous(), right=equals)
        return torch.cat([of_all.unsqueeze(0), self.item_base[board] + of_card])


@dataclass(frozen=True)
class Rise:
    """How values of a block's boards are added to those of the boards above: in a fixed order, child by child."""

    above: slice
    """The classes of the street above that contain the block's classes."""
    child: Tensor
    """int32[K, above]: the K child classes of each class above, 0 if there are fewer."""
    weight: Tensor
    """[K, above]: the weight of each child class, 0 if there is none."""

    def __call__(self, values: Tensor) -> Tensor:
        """Return [rows, above] from [rows, S]."""
        count, width = self.child.shape
        # A few children are gathered at a time, which takes at most a hundred million numbers.
        step = max(1, 100_000_000 // max(1, values.shape[0] * width))
        total = values.new_zeros(values.shape[0], width)
        for k in range(0, count, step):
            part = values.index_select(1, self.child[k : k + step].flatten()).unflatten(1, (-1, width))
            total += (part * self.weight[k : k + step]).sum(1)
        return total


def rise_of(hands: Hands, above: Hands, boards: tuple[int, int], parents: tuple[int, int]) -> Rise:
    """Return how one player's values on a range of boards are added to the boards ``parents`` of the street above."""
    device = hands.start.device
    block = slice(int(hands.start[boards[0]]), int(hands.start[boards[1]]))
    wide = slice(int(above.start[parents[0]]), int(above.start[parents[1]]))
    parent, order = torch.sort(hands.parent[block].long() - wide.start, stable=True)
    count = torch.bincount(parent, minlength=wide.stop - wide.start)
    nth = torch.arange(len(parent), device=device) - (count.cumsum(0) - count)[parent]
    most = int(count.max()) if len(count) else 0
    child = torch.zeros((most, len(count)), dtype=torch.int32, device=device)
    weight = torch.zeros((most, len(count)), dtype=torch.float64, device=device)
    child[nth, parent] = order.int()
    weight[nth, parent] = hands.up_weight[block][order]
    return Rise(wide, child, weight)
