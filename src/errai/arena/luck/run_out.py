"""What a showdown is worth to pairs of hands when the rest of the board is dealt and nobody bets any more."""

from __future__ import annotations

from collections import OrderedDict
from functools import lru_cache
from itertools import combinations
from math import comb

import numpy as np
from numpy.typing import NDArray

from errai.arena.luck.deals import Hands, Pairs, PrivateDeals
from errai.cards.pair_table import PairTable, pair_table
from errai.cards.strength import strengths_on_boards
from errai.games.hand import Subject

TABLE_FROM = 2_000
"""With more boards than this left before the first card, margins are counted once for all pairs and kept."""

REMEMBERED_NUMBERS = 4_000_000
"""Margins that are kept for what was asked last: 32 MB."""

_STRENGTHS_AT_ONCE = 4_000_000


class RunOut:
    """Chance to win less chance to lose, over all boards that may still come.

    Given two hands, the mean over the next card of the margin after it is the margin before it, because both are means
    over the same boards: margins are a martingale, exactly.
    """

    def __init__(self, subject: Subject) -> None:
        self.deals = PrivateDeals(subject)
        game = self.deals.game
        self._cards = game.deck.num_cards
        self._board = game.board_cards_in(game.num_rounds - 1)
        self._known: OrderedDict[tuple[tuple[int, ...], bytes, bytes], Pairs] = OrderedDict()
        self._kept = 0

    @classmethod
    def of(cls, subject: Subject) -> RunOut:
        """The one that all estimators of a subject share, so that nothing is counted twice."""
        return _shared(subject)

    def forget(self) -> None:
        """Drop what was counted for boards; for measuring speed."""
        self._known.clear()
        self._kept = 0

    def margins(self, board: tuple[int, ...], first: Hands, second: Hands) -> Pairs:
        """float64[F, S]: the margin of seat 0's hand, from -1 to 1; read-only.

        Pairs that share a card with each other or the board have some number without meaning.
        """
        key = (tuple(sorted(board)), first.tobytes(), second.tobytes())
        found = self._known.get(key)
        if found is None:
            found = self._count(key[0], first, second)
            found.setflags(write=False)
            self._known[key] = found
            self._kept += found.size
            while self._kept > REMEMBERED_NUMBERS and len(self._known) > 1:
                self._kept -= self._known.popitem(last=False)[1].size
        return found

    def _count(self, board: tuple[int, ...], first: Hands, second: Hands) -> Pairs:
        game = self.deals.game
        missing = self._board - len(board)
        each = comb(self._cards - len(board) - 2 * game.num_hole_cards, missing)
        if not board and each > TABLE_FROM:
            return self._pairs.margins(first, second) / each
        taken = set(board)
        for hands in (first, second):
            # Boards with the cards of a hand that is certain to be held cannot come.
            if len(hands) == 1:
                taken.update(self.deals.cards[hands[0]].tolist())
        left = [card for card in range(self._cards) if card not in taken]
        boards = np.array([board + more for more in combinations(left, missing)], dtype=np.int64)
        boards = boards.reshape(len(boards), self._board)
        ahead = np.zeros((len(first), len(second)), dtype=np.int64)
        step = max(1, _STRENGTHS_AT_ONCE // (len(first) + len(second)))
        for start in range(0, len(boards), step):
            ahead += self._ahead(boards[start : start + step], first, second)
        return np.asarray(ahead / each - 1.0)

    @property
    def _pairs(self) -> PairTable:
        game = self.deals.game
        return pair_table(game.deck, game.num_hole_cards, self._board, game.ranking)

    def _ahead(self, boards: NDArray[np.int64], first: Hands, second: Hands) -> NDArray[np.int64]:
        """int64[F, S]: two for each board on which seat 0 wins, one for each on which the hands are equal."""
        game = self.deals.game
        one, other = (
            strengths_on_boards(boards, self.deals.cards[hands], game.deck, game.ranking) for hands in (first, second)
        )
        # On boards that hold one of its cards a hand is neither ahead nor equal.
        other = np.where(other < 0, np.iinfo(np.int32).max, other)
        if len(first) == 1 or len(second) == 1:
            better, equal_too = (one > other).view(np.uint8), (one >= other).view(np.uint8)
            total = better.sum(axis=0, dtype=np.int32) + equal_too.sum(axis=0, dtype=np.int32)
            return np.asarray(total.reshape(len(first), len(second)), dtype=np.int64)
        pairs = np.zeros((len(first), len(second)), dtype=np.int64)
        for mine, others in zip(one, other, strict=True):
            pairs += mine[:, None] > others[None, :]
            pairs += mine[:, None] >= others[None, :]
        return pairs


@lru_cache(maxsize=4)
def _shared(subject: Subject) -> RunOut:
    return RunOut(subject)
