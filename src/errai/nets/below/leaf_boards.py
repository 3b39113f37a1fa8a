"""Boards on which a street ends, boards that may come next, and what both players bring from one to the other."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from errai.engine.resources import default_threads
from errai.nets.networks.matchups import Matchups
from errai.nets.networks.native import NativeValues, add_up, ask
from errai.nets.positions import BoardValues, Floats, ValueNet
from errai.tree.deal_tree import DealHands

HANDS_FOR_THREADS = 600
"""Networks in NumPy are asked about boards on which fewer hands are in question by one thread: calls are then so short
that two threads, waiting for each other in Python, take longer than one."""


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


@dataclass(frozen=True, eq=False)
class NextBoard:
    """A board that may come next.  Axis: K hands."""

    cards: tuple[int, ...]
    """Ascending."""
    said: BoardValues
    places: NDArray[np.int32]
    """int32[K]: the hands that the new cards leave, as places among those on the board before."""
    weight: float
    """Boards it stands for, times the chance of each once two hands are known."""

    @classmethod
    def of(cls, net: ValueNet, cards: tuple[int, ...], union: NDArray[np.int64], weight: float) -> NextBoard:
        """A board among whose hands are those of ``union`` that it leaves."""
        said = net.on(cards, union)
        return cls(tuple(sorted(cards)), said, np.searchsorted(union, said.hands).astype(np.int32), weight)


@dataclass(frozen=True, eq=False)
class Answer:
    """What a network said of a board that may come next.  Axes: Q lines that are not all-in, P = 2 players, K hands."""

    values: Floats
    """float32[Q, P, K]: weighted by what the other player brought here, in pots, for ranges that each summed to 1
    before the cards came."""
    brought: Floats
    """float32[Q, P]: what was left of these ranges here."""
    before: NDArray[np.float64]
    """float64[Q, P]: what both brought before the cards came."""


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

    @property
    def goes_on(self) -> NDArray[np.bool_]:
        """bool[Q]: the lines that are not all-in."""
        return self.stacks > 0.0

    def values(
        self, reach: list[NDArray[np.float64]], answers: list[Answer], which: Sequence[int], threads: int | None
    ) -> list[NDArray[np.float64]]:
        """float64[Q, C_p] of both players, from float64[Q, C_p].

        The network is asked about some of the boards that may come next, whose ``answers`` are replaced; those of the
        others stay.  With no answers it is asked about all of them.
        """
        ranges = np.zeros((len(self.pots), 2, self.hands))
        for i, seat in enumerate(self.seats):
            ranges[:, i, self.members[seat].hands] = np.repeat(reach[seat], self.members[seat].sizes, axis=1)
        brought = ranges.sum(axis=2)
        scaled = shares(ranges).astype(np.float32)
        goes_on = self.goes_on
        chips = np.zeros(ranges.shape)
        if self.shown is not None:
            chips[~goes_on] = self.shown.check_down(scaled[~goes_on][:, ::-1]) * brought[~goes_on, ::-1, None]
        if goes_on.any():
            if not answers:
                which = range(len(self.next))
                answers.extend([None] * len(self.next))  # type: ignore[list-item]
            stacks = (self.stacks / self.pots)[goes_on].astype(np.float32)
            found = _asked([self.next[b] for b in which], scaled[goes_on], stacks, brought[goes_on], threads)
            for b, answer in zip(which, found, strict=True):
                answers[b] = answer
            weights = [after.weight * one.before[:, ::-1] for after, one in zip(self.next, answers, strict=True)]
            places = [after.places for after in self.next]
            chips[goes_on] = add_up([one.values for one in answers], places, weights, self.hands)
        chips *= self.pots[:, None, None]
        values = []
        for seat in (0, 1):
            members = self.members[seat]
            own = chips[:, self.seats.index(seat), members.hands]
            values.append(np.add.reduceat(own, members.starts, axis=1) / members.sizes)
        return values


def _asked(
    boards: list[NextBoard], ranges: Floats, stacks: Floats, before: NDArray[np.float64], threads: int | None
) -> list[Answer]:
    """What is said of some boards; ``ranges`` is float32[Q, 2, U], each summing to 1 before the cards came."""
    if not boards:
        return []
    said = [board.said for board in boards]
    native = [one for one in said if isinstance(one, NativeValues)]
    if len(native) == len(said):
        many = default_threads() if threads is None else threads
        found, brought = ask(native, [board.places for board in boards], ranges, stacks, many)
        return [Answer(*one, before) for one in zip(found, brought, strict=True)]

    def of(board: NextBoard) -> Answer:
        here = ranges[:, :, board.places]
        left = here.sum(axis=2)
        return Answer(board.said.values(shares(here), stacks) * left[:, ::-1, None], left, before)

    few = ranges.shape[2] < HANDS_FOR_THREADS
    with mapping(threads if threads is not None else 1 if few else default_threads()) as each:
        return list(each(of, boards))


def shares(ranges: NDArray[np.floating]) -> NDArray[np.floating]:
    """Ranges scaled to sum to 1.

    Who cannot be here with any hand might be with each: what his hands are worth is asked for all the same.
    """
    sums = ranges.sum(axis=-1, keepdims=True)
    nobody = ~(sums > 0.0)
    if nobody.any():
        ranges, sums = np.where(nobody, 1.0, ranges), np.where(nobody, ranges.shape[-1], sums)
    return ranges / sums


@contextmanager
def mapping(threads: int) -> Iterator[Callable[..., Iterator[Any]]]:
    """``map`` by so many threads."""
    if threads == 1:
        yield map
        return
    with ThreadPoolExecutor(threads) as pool:
        yield pool.map
