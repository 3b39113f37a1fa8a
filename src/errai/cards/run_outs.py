"""All-in equity: hands against hands, over all boards that may still come."""

from __future__ import annotations

import sys
from collections.abc import Callable, Container, Iterator
from functools import lru_cache
from math import comb
from operator import attrgetter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from errai.cards import _cards
from errai.cards.deck import Deck
from errai.cards.hands import boards_after, hand_cards, share_a_card
from errai.cards.pair_table import BOARDS_AT_ONCE, add_wins, pair_table
from errai.cards.strength import HandRanking, strengths_on_boards
from errai.running.recent import Recent

TABLE_FROM = 2_000
"""If more boards than this may come and no card is dealt yet, margins are read from the table of all pairs."""

EXACT_STRENGTHS = 4_000_000
"""Hands times boards up to which :meth:`RunOuts.margin` counts all boards; hold'em has 1.6 million on the flop."""

SAMPLED_BOARDS = 4_000
"""Number of boards sampled if there are too many to count; the probability of winning is then off by about 0.9 %."""

SAMPLE_SEED = 20_170_111
"""Seed of the sample.  It is the same in every run, because the actions of a local best response depend on it."""

REMEMBERED_NUMBERS = 4_000_000
"""Number of cached margins of pairs, for the most recent queries: 32 MB."""

REMEMBERED_BOARDS, REMEMBERED_ROWS = 4, 1_000
"""Number of boards whose strengths are cached, and of cached margins of one hand against all."""

_STRENGTHS_AT_ONCE = 4_000_000
_DEAD = np.iinfo(np.int32).max
"""The strength of the other side's hands that share a card with the board: no hand beats or ties them."""


class RunOuts:
    """Margins at the showdown: the probability of winning minus that of losing.  Recent queries are cached.

    A hand's equity is (1 + margin) / 2.  For two given hands, the mean of the margin over the next card is the margin
    before that card, because both are means over the same boards.  Margins are therefore a martingale, exactly.
    ``num_board_cards`` is the number of board cards at the showdown.
    """

    def __init__(self, deck: Deck, num_hole_cards: int, num_board_cards: int, ranking: HandRanking) -> None:
        self.deck = deck
        self.ranking = ranking
        self.hands = hand_cards(deck.num_cards, num_hole_cards)
        """int16[H, k]: the cards of every hand."""
        self.num_board_cards = num_board_cards
        self._pairs: Recent[tuple[tuple[int, ...], bytes, bytes], NDArray[np.float64]]
        self.forget()
        self._strengths: Recent[tuple[int, ...], NDArray[np.int32]] = Recent(REMEMBERED_BOARDS)
        self._rows: Recent[tuple[tuple[int, ...], int], NDArray[np.float64]] = Recent(REMEMBERED_ROWS)
        # Results of samples are kept for good: hold'em has 1,326 rows, all before the flop, and each takes long.
        self._sample: Recent[tuple[int, ...], NDArray[np.int32]] = Recent(sys.maxsize)
        self._sampled: Recent[tuple[tuple[int, ...], int], NDArray[np.float64]] = Recent(sys.maxsize)

    @classmethod
    @lru_cache(maxsize=4)
    def of(cls, deck: Deck, num_hole_cards: int, num_board_cards: int, ranking: HandRanking) -> RunOuts:
        """Return the instance that all callers with the same cards share, so that nothing is counted twice."""
        return cls(deck, num_hole_cards, num_board_cards, ranking)

    def forget(self) -> None:
        """Clear the cached margins of pairs that were counted for boards; benchmarks need this."""
        self._pairs = Recent(REMEMBERED_NUMBERS, attrgetter("size"))

    def boards_left(self, board: tuple[int, ...]) -> int:
        """Return the number of boards that may come when the present board and two hands are known."""
        cards = self.deck.num_cards - len(board) - 2 * self.hands.shape[1]
        return comb(cards, self.num_board_cards - len(board))

    # --- pairs of hands --------------------------------------------------------------------------------------------

    def margins(
        self, board: tuple[int, ...], first: NDArray[np.int64], second: NDArray[np.int64]
    ) -> NDArray[np.float64]:
        """Return float64[F, S]: the exact margin of each of the first hands against each of the second, read-only.

        ``first`` and ``second`` are indices of hands.  Entries of pairs that share a card with each other or the board
        are meaningless.
        """
        in_order = tuple(sorted(board))
        key = (in_order, first.tobytes(), second.tobytes())
        found = self._pairs.get_or_make(key, lambda: self._count(in_order, first, second))
        found.setflags(write=False)
        return found

    def _count(
        self, board: tuple[int, ...], first: NDArray[np.int64], second: NDArray[np.int64]
    ) -> NDArray[np.float64]:
        each = self.boards_left(board)
        if not board and each > TABLE_FROM:
            table = pair_table(self.deck, self.hands.shape[1], self.num_board_cards, self.ranking)
            return table.margins(first, second) / each
        # If one side has a single hand, boards with its cards cannot come.
        held = {card for hands in (first, second) if len(hands) == 1 for card in self.hands[hands[0]].tolist()}
        boards = self._boards(board, held)
        ahead = np.zeros((len(first), len(second)), dtype=np.int64)
        step = max(1, _STRENGTHS_AT_ONCE // (len(first) + len(second)))
        for start in range(0, len(boards), step):
            some = boards[start : start + step]
            one, other = (strengths_on_boards(some, self.hands[h], self.deck, self.ranking) for h in (first, second))
            ahead += _ahead(one, _dead_ahead(other))
        return np.asarray(ahead / each - 1.0)

    def wins(
        self, board: tuple[int, ...], hands: NDArray[np.integer], step: Callable[[], Any] | None = None
    ) -> NDArray[np.int32]:
        """Return int32[H, H]: on how many of the boards that may come each hand beats each other hand.

        ``hands`` is integers[H], indices; entries of pairs that share a card are meaningless.  ``step`` is called from
        time to time.  Before the flop, :func:`errai.cards.pair_table.pair_table` has these numbers.
        """
        found = np.zeros((len(hands), len(hands)), dtype=np.int32)
        for some in _pieces(self._boards(board)):
            add_wins(found, 1, some, self.hands[hands], self.deck, self.ranking)
            if step is not None:
                step()
        return found

    def ahead(self, board: tuple[int, ...], hands: NDArray[np.integer]) -> NDArray[np.int16] | NDArray[np.int32]:
        """Count on how many of the boards that may come each hand beats each other hand, less on how many it loses.

        ``hands`` is integers[H], indices; returns int16[H, H] if no number can be too large for it, else int32[H, H],
        with 0 for pairs that share a card.
        """
        if not board and self.boards_left(board) > TABLE_FROM:
            table = pair_table(self.deck, self.hands.shape[1], self.num_board_cards, self.ranking)
            cards = self.hands[hands]
            return np.where(share_a_card(cards, cards), np.int32(0), table.margins(hands, hands))
        boards = self._boards(board)
        kind = np.int16 if len(boards) <= np.iinfo(np.int16).max else np.int32
        found = np.zeros((len(hands), len(hands)), dtype=kind)
        for some in _pieces(boards):
            strengths = strengths_on_boards(some, self.hands[hands], self.deck, self.ranking)
            _cards.count_ahead(strengths, self.hands[hands], found)
        return found

    # --- one hand against all --------------------------------------------------------------------------------------

    def fits(self, hand: int, board: tuple[int, ...] = ()) -> NDArray[np.bool_]:
        """Return bool[H]: the hands that share no card with a hand nor with a board."""
        return np.asarray(~np.isin(self.hands, (*self.hands[hand], *board)).any(axis=1))

    def is_exact(self, board: tuple[int, ...]) -> bool:
        """Return whether :meth:`margin` counts every board that may come."""
        boards = comb(self.deck.num_cards - len(board), self.num_board_cards - len(board))
        return boards * len(self.hands) <= EXACT_STRENGTHS

    def margin(self, board: tuple[int, ...], hand: int) -> NDArray[np.float64]:
        """Return float64[H]: the margin of a hand against every hand.

        It is 0 for a hand that shares a card with the first one or with the board.  The first hand must share no card
        with the board.  If :meth:`is_exact` is false, the margins come from a sample of boards.
        """
        in_order, exact = tuple(sorted(board)), self.is_exact(board)

        def found() -> NDArray[np.float64]:
            strengths = self._on_boards(in_order, exact)
            strengths = strengths[strengths[:, hand] != _DEAD]
            # If every board is counted, the number of boards is the same for every compatible hand.
            count = np.int64(self.boards_left(board)) if exact else _per_hand(strengths != _DEAD)
            ahead = _ahead(strengths[:, [hand]], strengths)[0]
            return np.where(self.fits(hand, board), (ahead - count) / np.maximum(count, 1), 0.0)

        return (self._rows if exact else self._sampled).get_or_make((in_order, hand), found)

    def _on_boards(self, board: tuple[int, ...], exact: bool) -> NDArray[np.int32]:
        """Return int32[B, H]: strengths on the boards that may come or a sample; ``_DEAD`` for blocked hands."""

        def found() -> NDArray[np.int32]:
            boards = self._boards(board) if exact else self._drawn_boards(board)
            return _dead_ahead(strengths_on_boards(boards, self.hands, self.deck, self.ranking))

        return (self._strengths if exact else self._sample).get_or_make(board, found)

    # --- boards ----------------------------------------------------------------------------------------------------

    def _boards(self, board: tuple[int, ...], held: Container[int] = ()) -> NDArray[np.int16]:
        """Return int16[B, C]: all boards that may come without the cards in ``held``."""
        return boards_after(board, self.num_board_cards - len(board), self.deck.num_cards, held)

    def _drawn_boards(self, board: tuple[int, ...]) -> NDArray[np.int16]:
        left = np.array([card for card in range(self.deck.num_cards) if card not in board], dtype=np.int16)
        rng = np.random.default_rng([SAMPLE_SEED, *board])
        shuffled = np.argsort(rng.random((SAMPLED_BOARDS, len(left))), axis=1)
        new = left[shuffled[:, : self.num_board_cards - len(board)]]
        return np.concatenate([np.tile(np.array(board, dtype=np.int16), (len(new), 1)), new], axis=1)


def _pieces(boards: NDArray[np.int16]) -> Iterator[NDArray[np.int16]]:
    """Yield boards int16[B, C], as many at a time as are counted in one call."""
    for start in range(0, len(boards), BOARDS_AT_ONCE):
        yield boards[start : start + BOARDS_AT_ONCE]


def _dead_ahead(strengths: NDArray[np.int32]) -> NDArray[np.int32]:
    strengths[strengths < 0] = _DEAD
    return strengths


def _ahead(one: NDArray[np.int32], other: NDArray[np.int32]) -> NDArray[np.int64]:
    """Return int64[F, S]: two for each board on which the first hand wins plus one for each on which the hands tie.

    Strengths are int32[B, F], with the least value for blocked hands, and int32[B, S], with the greatest.
    """
    if one.shape[1] == 1 or other.shape[1] == 1:
        total = _per_hand(one > other) + _per_hand(one >= other)
        return np.asarray(total.reshape(one.shape[1], other.shape[1]), dtype=np.int64)
    pairs = np.zeros((one.shape[1], other.shape[1]), dtype=np.int64)
    for mine, others in zip(one, other, strict=True):
        pairs += mine[:, None] > others[None, :]
        pairs += mine[:, None] >= others[None, :]
    return pairs


def _per_hand(facts: NDArray[np.bool_]) -> NDArray[np.int32]:
    """Return int32[H]: the number of boards on which ``facts``, bool[B, H], holds."""
    # Adding bytes is faster than counting.
    return np.asarray(facts.view(np.int8).sum(axis=0, dtype=np.int32))
