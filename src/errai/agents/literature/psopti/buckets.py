"""Buckets of hands after the flop: some by hand strength, and one for weak hands with high potential.

Billings et al. (IJCAI 2003), section 4: hands that are about equally strong now and about equally likely to become
strong are treated as one, so each round has n buckets by strength and one more for weak hands that may well improve.
Strength is the share of opponents' hands that a hand beats on the current board.  Potential here is what the next card
adds to it: the mean of the rise, falls counting 0, as a share of what is missing to 1.  Where the cuts lie is our own
choice: they are finer for strong hands, with which more is bet.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import comb

import numpy as np
from numpy.typing import NDArray

from errai.abstraction.deals import DealIndexer
from errai.abstraction.features import strength_now
from errai.cards.strength import strengths_on_boards
from errai.errors import InputError
from errai.running.recent import Recent

FINENESS = 1.5
"""How much finer the cuts are near the top; with 1 all buckets have the same width."""

REMEMBERED_BOARDS = 20_000
"""How many boards' buckets are kept: 27 MB."""


@dataclass(frozen=True)
class RoundCuts:
    """How the hands of a round are sorted into buckets."""

    strengths: tuple[float, ...]
    """Cuts of hand strength, ascending; bucket k holds strengths from cut k - 1 to below cut k."""
    weak: float | None = None
    """Hands below this strength whose potential is at least ``promising`` go to the last bucket; None if the round has
    no such bucket."""
    promising: float = 0.0

    @property
    def num_buckets(self) -> int:
        """Number of buckets, K."""
        return len(self.strengths) + 1 + (self.weak is not None)


def cuts_of(count: int, *, potential: bool, promising: float, fineness: float = FINENESS) -> RoundCuts:
    """Return cuts for ``count`` buckets of a round, including one for potential if ``potential`` is set.

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


def beaten(deals: DealIndexer, strengths: NDArray[np.float32], num_cards: int) -> NDArray[np.int64]:
    """Return how many opponents' hands are beaten, doubled so that a tie counts one; a board has ``num_cards``."""
    whole = np.rint(np.nan_to_num(strengths.astype(np.float64)) * (2 * _opponents(deals, num_cards)))
    return whole.astype(np.int64)


def _opponents(deals: DealIndexer, num_cards: int) -> int:
    k = deals.game.num_hole_cards
    return comb(deals.deck.num_cards - num_cards - k, k)


def potential(deals: DealIndexer, board: NDArray[np.int16], round_index: int) -> NDArray[np.float64]:
    """Return float64[H]: the mean share of the missing strength that the next card adds; NaN for blocked hands."""
    now = strength_now(deals, board[None])[0]
    then = strength_now(deals, deals.next_cards(board, round_index))
    return _potential(
        deals,
        board,
        np.isnan(now),
        beaten(deals, now, len(board)),
        ~np.isnan(then),
        beaten(deals, then, len(board) + 1),
    )


def _potential(
    deals: DealIndexer,
    board: NDArray[np.int16],
    dead: NDArray[np.bool_],
    now: NDArray[np.int64],
    live: NDArray[np.bool_],
    then: NDArray[np.int64],
) -> NDArray[np.float64]:
    """Return the potential of H hands from what they beat now, int64[H], and after each card, int64[C, H]."""
    before, after = _opponents(deals, len(board)), _opponents(deals, len(board) + 1)
    # Whole numbers, so that a single hand gets exactly the same result as among all hands.
    rise = np.where(live, np.maximum(then * before - now * after, 0), 0).sum(axis=0)
    missing = np.maximum(2 * before - now, 1) * after * np.maximum(live.sum(axis=0), 1)
    return np.where(dead, np.nan, rise / missing)


class HandBuckets:
    """The buckets of all hands on any board, and histories of them, by the cuts of the rounds after the flop."""

    def __init__(self, deals: DealIndexer, cuts: tuple[RoundCuts, ...]) -> None:
        self.deals = deals
        self.cuts = cuts
        self._known: Recent[tuple[int, ...], NDArray[np.int8]] = Recent(REMEMBERED_BOARDS)

    def on(self, board: tuple[int, ...]) -> NDArray[np.int8]:
        """Return int8[H], read-only: the bucket of every hand on a board in any order, -1 if they share a card.

        Raises :class:`InputError` for a board of no round after the flop.
        """
        key = tuple(sorted(board))
        return self._known.get_or_make(key, lambda: self._find(np.array(key, dtype=np.int16)))

    def _find(self, board: NDArray[np.int16]) -> NDArray[np.int8]:
        round_index = self._round(board)
        cuts = self.cuts[round_index - 1]
        now = strength_now(self.deals, board[None])[0]
        found = self._by_strength(cuts, now)
        if cuts.weak is not None:
            promising = potential(self.deals, board, round_index) >= cuts.promising
            found[promising & (now < cuts.weak)] = cuts.num_buckets - 1
        buckets = np.where(np.isnan(now), -1, found).astype(np.int8)
        buckets.setflags(write=False)
        return buckets

    def _round(self, board: NDArray[np.int16]) -> int:
        if len(board) not in self.deals.board_cards[1:]:
            raise InputError(f"Buckets are for boards of {self.deals.board_cards[1:]} cards, not {len(board)}.")
        return self.deals.board_cards.index(len(board))

    @staticmethod
    def _by_strength(cuts: RoundCuts, now: NDArray[np.float32]) -> NDArray[np.int64]:
        return np.searchsorted(np.array(cuts.strengths), np.nan_to_num(now), "right")

    def of(self, board: tuple[int, ...], hand: int) -> int:
        """Return the bucket of one hand that shares no card with the board: as :meth:`on`, but faster."""
        key = tuple(sorted(board))
        known = self._known.get(key)
        if known is not None:
            return int(known[hand])
        cards = np.array(key, dtype=np.int16)
        round_index = self._round(cards)
        cuts = self.cuts[round_index - 1]
        now = strength_now(self.deals, cards[None])[0][hand : hand + 1]
        if cuts.weak is None or not now[0] < cuts.weak:
            return int(self._by_strength(cuts, now)[0])
        deals = self.deals
        boards = deals.next_cards(cards, round_index)
        mine = deals.hands[hand]
        boards = boards[~np.isin(boards[:, len(cards) :], mine).any(axis=1)]
        others = ~np.isin(deals.hands, mine).any(axis=1)
        strengths = strengths_on_boards(boards, deals.hands, deals.deck, deals.game.ranking)
        own = strengths[:, hand : hand + 1]
        alive = others & (strengths >= 0)
        then = 2 * (alive & (strengths < own)).sum(axis=1) + (alive & (strengths == own)).sum(axis=1)
        promise = _potential(
            deals,
            cards,
            np.zeros(1, dtype=bool),
            beaten(deals, now, len(cards)),
            np.ones((len(boards), 1), dtype=bool),
            then[:, None],
        )
        return cuts.num_buckets - 1 if promise[0] >= cuts.promising else int(self._by_strength(cuts, now)[0])

    def histories(self, board: tuple[int, ...]) -> NDArray[np.int32]:
        """Return int32[H]: the number of the bucket history from the flop to a board (in the order dealt), or -1."""
        history = np.zeros(self.deals.num_hands, dtype=np.int32)
        live = np.ones(self.deals.num_hands, dtype=bool)
        for cuts, cards in zip(self.cuts, self.deals.board_cards[1:], strict=True):
            if cards > len(board):
                break
            bucket = self.on(board[:cards])
            live &= bucket >= 0
            history = history * cuts.num_buckets + bucket
        return np.where(live, history, -1).astype(np.int32)

    def history(self, board: tuple[int, ...], hand: int) -> int:
        """As :meth:`histories`, for one hand that shares no card with the board."""
        found = 0
        for cuts, cards in zip(self.cuts, self.deals.board_cards[1:], strict=True):
            if cards > len(board):
                break
            found = found * cuts.num_buckets + self.of(board[:cards], hand)
        return found
