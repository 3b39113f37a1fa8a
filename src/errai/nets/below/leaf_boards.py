"""Boards on which a street ends, boards that may come next, and both players' reach from one to the other."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from errai.cards.hands import hand_text
from errai.engine.resources import default_threads
from errai.errors import InputError
from errai.games.game import Game
from errai.nets.networks.classes import ClassMatchups
from errai.nets.networks.matchups import Matchups
from errai.nets.networks.native import NativeValues, add_up, ask
from errai.nets.positions import BoardValues, Floats, said_by
from errai.own_code import is_users
from errai.tree.deal_tree import DealHands

HANDS_FOR_THREADS = 600
"""With fewer hands than this, one thread evaluates a NumPy network on the boards: the calls are then so short that two
threads, waiting for each other in Python, take longer than one."""


@dataclass(frozen=True, eq=False)
class Members:
    """One player's hands on a board, class by class."""

    classes: slice
    """The board's classes among those of the street."""
    hands: NDArray[np.int64]
    """int64[M]: indices into a list of hands."""
    starts: NDArray[np.int64]
    """int64[C]: index of the first hand of each class."""
    sizes: NDArray[np.int64]
    """int64[C]"""

    @classmethod
    def on(cls, hands: DealHands, board: int) -> Members:
        """Return the hands on a board of a street."""
        first, end = int(hands.start[board]), int(hands.start[board + 1])
        starts = hands.member_start[first : end + 1]
        members = hands.member[starts[0] : starts[-1]].astype(np.int64)
        return cls(slice(first, end), members, starts[:-1] - starts[0], np.diff(starts))

    def of_classes(self, class_of: NDArray[np.int64]) -> Members:
        """Return classes in place of hands, each of which must be a class of the game's hands as a whole.

        ``class_of``, int64[H], are these.  Raises :class:`InputError` if the hands' classes here are others.
        """
        found = class_of[self.hands[self.starts]]
        if len(np.unique(found)) < len(found) or (np.repeat(found, self.sizes) != class_of[self.hands]).any():
            raise InputError(
                "A network for the end of the first street knows only ranges in which hands that are equal up to a "
                "renaming of suits have equal weights; use a network for the street after it."
            )
        one = np.ones(len(found), dtype=np.int64)
        return replace(self, hands=found, starts=np.arange(len(found)), sizes=one)

    def among(self, union: NDArray[np.int64]) -> Members:
        """Return the same hands as indices into a list that contains them all."""
        return replace(self, hands=np.searchsorted(union, self.hands))


@dataclass(frozen=True, eq=False)
class NextBoard:
    """A board that may come next.  Axis: K hands."""

    cards: tuple[int, ...]
    """Ascending."""
    said: BoardValues
    places: NDArray[np.int32]
    """int32[K]: the hands that the new cards leave, as indices into the hands of the previous board."""
    weight: float
    """The number of boards that this one represents, times the chance of each once two hands are known."""


@dataclass(frozen=True, eq=False)
class Answer:
    """A network's values on a board that may come next.  Axes: Q lines that are not all-in, P = 2 players, K hands."""

    values: Floats
    """float32[Q, P, K]: values in pots, weighted by the other player's reach here, for ranges that each summed to 1
    before the cards were dealt."""
    brought: Floats
    """float32[Q, P]: the part of these ranges that remains here."""
    before: NDArray[np.float64]
    """float64[Q, P]: the reach of both players before the cards were dealt."""


@dataclass(eq=False)
class LastBoard:
    """A board on which a street ends, with its lines.  Axes: Q lines, P = 2 players, U hands of either player."""

    seats: tuple[int, int]
    """The player who acts first on the next street, and the other one."""
    hands: int
    """U."""
    classes: tuple[slice, slice]
    members: tuple[Members, Members]
    pots: NDArray[np.float64]
    stacks: NDArray[np.float64]
    """float64[Q]: chips that can still be bet; 0 for lines that are all-in."""
    shown: Matchups | ClassMatchups | None
    """The hands' results if there is no more betting; None where no line is all-in."""
    next: list[NextBoard]
    lines: tuple[str, ...]
    """Q texts: the actions from the root."""
    net: str
    """The network's name."""
    game: Game
    sizes: NDArray[np.int64] | None = None
    """int64[U]: where the U are classes of hands, before the board, the number of hands in each."""

    @property
    def not_all_in(self) -> NDArray[np.bool_]:
        """bool[Q]: the lines that are not all-in."""
        return self.stacks > 0.0

    def ranges(self, reach: list[NDArray[np.float64]]) -> NDArray[np.float64]:
        """float64[Q, 2, U]: the reach of the player who acts first on the next street, and of the other one."""
        found = np.zeros((len(self.pots), 2, self.hands))
        for i, seat in enumerate(self.seats):
            found[:, i, self.members[seat].hands] = np.repeat(reach[seat], self.members[seat].sizes, axis=1)
        if self.sizes is not None:
            found *= self.sizes
        return found

    def values(
        self, reach: list[NDArray[np.float64]], answers: list[Answer], which: Sequence[int], threads: int | None
    ) -> list[NDArray[np.float64]]:
        """Values float64[Q, C_p] of both players, from their reach float64[Q, C_p].

        The network is evaluated on some of the boards that may come next, and their ``answers`` are replaced; the
        answers of the other boards stay.  Without answers it is evaluated on all of them.
        """
        ranges = self.ranges(reach)
        brought = ranges.sum(axis=2)
        scaled = shares(ranges).astype(np.float32)
        not_all_in = self.not_all_in
        chips = np.zeros(ranges.shape)
        if self.shown is not None:
            chips[~not_all_in] = self.shown.check_down(scaled[~not_all_in][:, ::-1]) * brought[~not_all_in, ::-1, None]
        if not_all_in.any():
            if not answers:
                which = range(len(self.next))
                answers.extend([None] * len(self.next))  # type: ignore[list-item]
            stacks = (self.stacks / self.pots)[not_all_in].astype(np.float32)
            found = self._asked([self.next[b] for b in which], scaled[not_all_in], stacks, brought[not_all_in], threads)
            for b, answer in zip(which, found, strict=True):
                answers[b] = answer
            weights = [after.weight * one.before[:, ::-1] for after, one in zip(self.next, answers, strict=True)]
            places = [after.places for after in self.next]
            chips[not_all_in] = add_up([one.values for one in answers], places, weights, self.hands)
        chips *= self.pots[:, None, None]
        values = []
        for seat in (0, 1):
            members = self.members[seat]
            own = chips[:, self.seats.index(seat), members.hands]
            values.append(np.add.reduceat(own, members.starts, axis=1) / members.sizes)
        return values

    def _asked(
        self, boards: list[NextBoard], ranges: Floats, stacks: Floats, before: NDArray[np.float64], threads: int | None
    ) -> list[Answer]:
        """Return the network's values on some boards; ``ranges``, float32[Q, 2, U], summed to 1 before the deal."""
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
            if is_users(board.said):
                said = said_by(board.said, shares(here), stacks, what, partial(self._place, board))
            else:
                said = board.said.values(shares(here), stacks)
            return Answer(said * left[:, ::-1, None], left, before)

        what = f"The values of the network {self.net!r}"
        few = ranges.shape[2] < HANDS_FOR_THREADS
        with mapping(threads if threads is not None else 1 if few else default_threads()) as each:
            return list(each(of, boards))

    def _place(self, board: NextBoard, position: int, player: int, hand: int) -> str:
        """Return where a number of a network's answer on a board stands, in words."""
        deck, line = self.game.deck, np.array(self.lines)[self.not_all_in][position]
        own = hand_text(deck, int(board.said.hands[hand]), self.game.num_hole_cards)
        first = "first" if player == 0 else "second"
        return (
            f"on the board {deck.cards_text(board.cards)} after {str(line)!r} for {own} of the player who acts {first}"
        )


def shares(ranges: NDArray[np.floating]) -> NDArray[np.floating]:
    """Return ranges scaled to sum to 1.

    A player who reaches this state with no hand gets a uniform range, because the values of the hands are needed
    anyway.
    """
    sums = ranges.sum(axis=-1, keepdims=True)
    nobody = ~(sums > 0.0)
    if nobody.any():
        ranges, sums = np.where(nobody, 1.0, ranges), np.where(nobody, ranges.shape[-1], sums)
    return np.asarray(ranges / sums)


@contextmanager
def mapping(threads: int) -> Iterator[Callable[..., Iterator[Any]]]:
    """Yield ``map`` on this number of threads."""
    if threads == 1:
        yield map
        return
    with ThreadPoolExecutor(threads) as pool:
        try:
            yield pool.map
        except BaseException:
            # What has not begun is not waited for.
            pool.shutdown(wait=False, cancel_futures=True)
            raise
