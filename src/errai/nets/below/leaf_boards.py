"""Boards on which a street ends, boards that may come next, and what both players bring from one to the other."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from errai.nets.networks.matchups import Matchups
from errai.nets.positions import BoardValues, Floats, ValueNet
from errai.tree.deal_tree import DealHands

PARTS = 8
"""Boards are summed up in so many parts, whoever counts them, so that the sums do not depend on threads."""


@dataclass(frozen=True, eq=False)
class Members:
    """One player's hands on a board, class by class."""

    classes: slice
    """The board's classes among those of the street."""
    hands: NDArray[np.int64]
    """int64[M]: indices into some list of hands."""
    starts: NDArray[np.int64]
    """int64[C]: where the classes begin among the hands."""
    sizes: NDArray[np.int64]
    """int64[C]"""

    @classmethod
    def on(cls, hands: DealHands, board: int) -> Members:
        """Those on a board of a street."""
        first, end = int(hands.start[board]), int(hands.start[board + 1])
        starts = hands.member_start[first : end + 1]
        members = hands.member[starts[0] : starts[-1]].astype(np.int64)
        return cls(slice(first, end), members, starts[:-1] - starts[0], np.diff(starts))

    def among(self, union: NDArray[np.int64]) -> Members:
        """The same with places in a list that has all the hands."""
        return replace(self, hands=np.searchsorted(union, self.hands))


@dataclass(eq=False)
class NextBoard:
    """A board that may come next.  Axes: Q lines that are not all-in, P = 2 players, K hands."""

    cards: tuple[int, ...]
    """Ascending."""
    said: BoardValues
    places: NDArray[np.int64]
    """int64[K]: the hands that the new cards leave, as places among those on the board before."""
    weight: float
    """Boards it stands for, times the chance of each once two hands are known."""
    latest: Floats | None = None
    """float32[Q, P, K]: what was said last, weighted by what the other player brought here, in pots, for ranges that
    each summed to 1 before the cards came."""
    brought: Floats | None = None
    """float32[Q, P]: what was left of these ranges then."""

    @classmethod
    def of(cls, net: ValueNet, cards: tuple[int, ...], union: NDArray[np.int64], weight: float) -> NextBoard:
        """A board among whose hands are those of ``union`` that it leaves."""
        said = net.on(cards, union)
        return cls(tuple(sorted(cards)), said, np.searchsorted(union, said.hands), weight)

    def values(self, ranges: Floats, stacks: Floats) -> Floats:
        """float32[Q, 2, K]: ``latest``, weighted with the board.

        ``ranges`` is float32[Q, 2, U], each summing to 1 before the cards came.
        """
        here = ranges[:, :, self.places]
        brought = here.sum(axis=2, keepdims=True)
        self.latest = self.said.values(shares(here), stacks) * brought[:, ::-1]
        self.brought = brought[:, :, 0]
        return self.latest * np.float32(self.weight)


@dataclass(eq=False)
class LastBoard:
    """A board on which a street ends, with its lines.  Axes: Q lines, P = 2 players, U hands of either player."""

    seats: tuple[int, int]
    """Who acts first where the next street begins, and the other one."""
    hands: int
    """U."""
    classes: tuple[slice, slice]
    members: tuple[Members, Members]
    pots: NDArray[np.float64]
    stacks: NDArray[np.float64]
    """float64[Q]: chips that can still be bet; 0 for lines that are all-in."""
    shown: Matchups | None
    """What hands win where nobody bets any more; None where no line is all-in."""
    next: list[NextBoard]
    brought: NDArray[np.float64] | None = None
    """float64[Q, P]: what both brought when their values were asked for last."""

    @property
    def goes_on(self) -> NDArray[np.bool_]:
        """bool[Q]: the lines that are not all-in."""
        return self.stacks > 0.0

    def values(
        self, reach: list[NDArray[np.float64]], each: Callable[..., Iterable[Floats]]
    ) -> list[NDArray[np.float64]]:
        """float64[Q, C_p] of both players, from float64[Q, C_p]."""
        ranges = np.zeros((len(self.pots), 2, self.hands))
        for i, seat in enumerate(self.seats):
            ranges[:, i, self.members[seat].hands] = np.repeat(reach[seat], self.members[seat].sizes, axis=1)
        brought = ranges.sum(axis=2, keepdims=True)
        self.brought = brought[:, :, 0]
        scaled = shares(ranges).astype(np.float32)
        goes_on = self.goes_on
        won = np.zeros(scaled.shape, dtype=np.float32)
        if self.shown is not None:
            won[~goes_on] = self.shown.check_down(scaled[~goes_on][:, ::-1])
        if goes_on.any():
            asked, stacks = scaled[goes_on], (self.stacks / self.pots)[goes_on].astype(np.float32)
            won[goes_on] = sum(each(lambda some: _summed(some, asked, stacks), self._parts()))
        chips = won * (brought[:, ::-1] * self.pots[:, None, None])
        found = []
        for seat in (0, 1):
            members = self.members[seat]
            own = chips[:, self.seats.index(seat), members.hands]
            found.append(np.add.reduceat(own, members.starts, axis=1) / members.sizes)
        return found

    def _parts(self) -> list[list[NextBoard]]:
        return [part for i in range(PARTS) if (part := self.next[i::PARTS])]


def shares(ranges: NDArray[np.floating]) -> NDArray[np.floating]:
    """Ranges scaled to sum to 1.

    Who cannot be here with any hand might be with each: what his hands are worth is asked for all the same.
    """
    sums = ranges.sum(axis=-1, keepdims=True)
    nobody = ~(sums > 0.0)
    if nobody.any():
        ranges, sums = np.where(nobody, 1.0, ranges), np.where(nobody, ranges.shape[-1], sums)
    return ranges / sums


def _summed(some: list[NextBoard], ranges: Floats, stacks: Floats) -> Floats:
    found = np.zeros_like(ranges)
    for after in some:
        found[:, :, after.places] += after.values(ranges, stacks)
    return found
