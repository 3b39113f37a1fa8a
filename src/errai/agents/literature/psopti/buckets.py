"""Buckets of hands after the flop: some by hand strength, and one for weak hands of high potential.

Billings et al. (IJCAI 2003), section 4: hands that are about as strong now and about as likely to become strong are
played alike, so each round has n buckets by strength and one more for hands that are weak and may well become good.
Strength is the share of opponents' hands that a hand beats with the board as it lies.  Potential here is what the
next card adds to it: the mean of the rise, falls counting 0, as a share of what is missing to 1.  Where the cuts lie
is our own choice: finer for strong hands, for which more is bet.
"""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from errai.abstraction.deals import Deals
from errai.abstraction.features import strength_now
from errai.errors import InputError

FINENESS = 1.5
"""How much finer the cuts are near the top; 1 makes all buckets as wide."""

REMEMBERED_BOARDS = 20_000
"""Boards whose buckets are kept: 27 MB."""


@dataclass(frozen=True)
class RoundCuts:
    """How the hands of a round are put into buckets.

    Parameters
    ----------
    strengths:
        Cuts of hand strength, ascending; bucket k holds what lies from cut k - 1 to below cut k.
    weak, promising:
        A hand whose strength is below ``weak`` and whose potential is at least ``promising`` goes to the last bucket;
        None where the round has no such bucket.
    """

    strengths: tuple[float, ...]
    weak: float | None = None
    promising: float = 0.0

    @property
    def num_buckets(self) -> int:
        """K."""
        return len(self.strengths) + 1 + (self.weak is not None)


def cuts_of(count: int, *, potential: bool, promising: float, fineness: float = FINENESS) -> RoundCuts:
    """Cuts for ``count`` buckets of a round, one of them for potential where that is asked for.

    Cut i of n lies at 1 - (1 - i/n) ** fineness.  Hands below the second cut from the top count as weak.

    Raises :class:`InputError` for fewer than two buckets by strength.
    """
    n = count - potential
    if n < 2:
        raise InputError(
            f"A round needs at least two buckets by strength{' and one for potential' if potential else ''}, not "
            f"{count} in all."
        )
    strengths = tuple(float(1.0 - (1.0 - i / n) ** fineness) for i in range(1, n))
    if not potential:
        return RoundCuts(strengths)
    return RoundCuts(strengths, strengths[-2] if n > 2 else strengths[-1], promising)


def potential(deals: Deals, board: NDArray[np.int16], round_index: int, now: NDArray[np.float32]) -> NDArray:
    """float64[H]: how much of the missing strength the next card adds on average; NaN where hand and board meet.

    Parameters
    ----------
    now:
        float32[H]: strength on the board.
    """
    then = strength_now(deals, deals.next_cards(board, round_index)).astype(np.float64)
    rise = np.maximum(then - now, 0.0)
    known = ~np.isnan(rise)
    cards = np.maximum(known.sum(axis=0), 1)
    mean = np.where(known, rise, 0.0).sum(axis=0) / cards
    return np.where(np.isnan(now), np.nan, mean / np.maximum(1.0 - now, 1e-3))


class HandBuckets:
    """The buckets of all hands on any board, and histories of them.

    Parameters
    ----------
    deals:
        Of the whole game; round 0 is before the flop.
    cuts:
        Of the rounds after it.
    """

    def __init__(self, deals: Deals, cuts: tuple[RoundCuts, ...]) -> None:
        self.deals = deals
        self.cuts = cuts
        self._known: OrderedDict[tuple[int, ...], NDArray[np.int8]] = OrderedDict()

    def on(self, board: tuple[int, ...]) -> NDArray[np.int8]:
        """int8[H], read-only: bucket of every hand on a board, -1 where they share a card; the order does not matter.

        Raises :class:`InputError` for a board of no round after the flop.
        """
        key = tuple(sorted(board))
        found = self._known.get(key)
        if found is None:
            found = self._find(np.array(key, dtype=np.int16))
            found.setflags(write=False)
            if len(self._known) >= REMEMBERED_BOARDS:
                self._known.popitem(last=False)
            self._known[key] = found
        return found

    def _find(self, board: NDArray[np.int16]) -> NDArray[np.int8]:
        if len(board) not in self.deals.board_cards[1:]:
            raise InputError(f"Buckets are for boards of {self.deals.board_cards[1:]} cards, not {len(board)}.")
        round_index = self.deals.board_cards.index(len(board))
        cuts = self.cuts[round_index - 1]
        now = strength_now(self.deals, board[None])[0]
        found = np.searchsorted(np.array(cuts.strengths), np.where(np.isnan(now), 0.0, now), "right")
        if cuts.weak is not None:
            promising = potential(self.deals, board, round_index, now) >= cuts.promising
            found[promising & (now < cuts.weak)] = cuts.num_buckets - 1
        return np.where(np.isnan(now), -1, found).astype(np.int8)

    def histories(self, board: tuple[int, ...]) -> NDArray[np.int32]:
        """int32[H]: number of the buckets from the flop to a board in the order dealt, the last one fastest; or -1."""
        history = np.zeros(self.deals.num_hands, dtype=np.int32)
        live = np.ones(self.deals.num_hands, dtype=bool)
        for cuts, cards in zip(self.cuts, self.deals.board_cards[1:], strict=True):
            if cards > len(board):
                break
            bucket = self.on(board[:cards])
            live &= bucket >= 0
            history = history * cuts.num_buckets + bucket
        return np.where(live, history, -1).astype(np.int32)
