"""Who wins if nobody bets any more: one hand against every other, over all boards that may still come."""

from __future__ import annotations

from collections import OrderedDict
from itertools import combinations
from math import comb

import numpy as np
from numpy.typing import NDArray

from errai.cards.hands import hand_cards
from errai.cards.strength import strengths_on_boards
from errai.games.hand import Subject, rules_of

EXACT_STRENGTHS = 4_000_000
"""Hands times boards up to which all boards are counted: hold'em's flop has 1.6 million, before the flop 3.4e9."""

SAMPLED_BOARDS = 4_000
"""Boards drawn where they are too many to be counted; the chance to win is then off by about 0.9 %."""

SAMPLE_SEED = 20_170_111
"""The sample is the same in every run: it decides what a local best response does."""

REMEMBERED_BOARDS, REMEMBERED_ROWS = 4, 1_000


class RunOuts:
    """Chances at a showdown, for the cards of one subject; remembers what was asked last."""

    def __init__(self, subject: Subject) -> None:
        game = rules_of(subject)
        self.deck = game.deck
        self.ranking = game.ranking
        self.hands = hand_cards(game.deck.num_cards, game.num_hole_cards)
        self.last = game.board_cards_in(game.num_rounds - 1)
        self._strengths: OrderedDict[tuple[int, ...], NDArray[np.int32]] = OrderedDict()
        self._sample: dict[tuple[int, ...], NDArray[np.int32]] = {}
        self._rows: OrderedDict[tuple[tuple[int, ...], int], NDArray[np.float64]] = OrderedDict()
        self._sampled: dict[tuple[tuple[int, ...], int], NDArray[np.float64]] = {}
        """Rows from a sample: hold'em has 1,326, all before the flop, and each takes a while."""

    def fits(self, hand: int, board: tuple[int, ...] = ()) -> NDArray[np.bool_]:
        """bool[H]: the hands that share no card with a hand, nor with a board."""
        return np.asarray(~np.isin(self.hands, (*self.hands[hand], *board)).any(axis=1))

    def is_exact(self, board: tuple[int, ...]) -> bool:
        """Whether :meth:`margin` counts every board that may come."""
        boards = comb(self.deck.num_cards - len(board), self.last - len(board))
        return boards * len(self.hands) <= EXACT_STRENGTHS

    def margin(self, board: tuple[int, ...], hand: int) -> NDArray[np.float64]:
        """float64[H]: chance to win less chance to lose at the showdown, against every hand.

        0 for a hand that shares a card with the first one or with the board, which must not share one either.  From a
        sample of boards where :meth:`is_exact` says so.
        """
        key = (tuple(sorted(board)), hand)
        found = self._rows.get(key, self._sampled.get(key))
        if found is None:
            strengths = self._on_boards(key[0])
            mine = strengths[:, hand]
            possible = mine >= 0
            theirs, mine = strengths[possible], mine[possible, None]
            # Counting every board, as many leave one hand that fits as another.
            known = comb(self.deck.num_cards - len(board) - 2 * self.hands.shape[1], self.last - len(board))
            count = np.int32(known) if self.is_exact(board) else _per_hand(theirs >= 0)
            # Dead hands have the strength -1, which every hand would beat.
            won = _per_hand(theirs < mine) - (len(mine) - count) - _per_hand(theirs > mine)
            found = np.where(self.fits(hand, board), won / np.maximum(count, 1), 0.0)
            if self.is_exact(board):
                self._rows[key] = found
                if len(self._rows) > REMEMBERED_ROWS:
                    self._rows.popitem(last=False)
            else:
                self._sampled[key] = found
        return found

    def _on_boards(self, board: tuple[int, ...]) -> NDArray[np.int32]:
        """int32[B, H]: strengths of all hands on the boards that may come, -1 for dead ones."""
        found = self._strengths.get(board, self._sample.get(board))
        if found is None:
            left = [card for card in range(self.deck.num_cards) if card not in board]
            due = self.last - len(board)
            if self.is_exact(board):
                new = np.array(list(combinations(left, due)), dtype=np.int16).reshape(comb(len(left), due), due)
            else:
                rng = np.random.default_rng([SAMPLE_SEED, *board])
                shuffled = np.argsort(rng.random((SAMPLED_BOARDS, len(left))), axis=1)[:, :due]
                new = np.array(left, dtype=np.int16)[shuffled]
            boards = np.concatenate([np.tile(np.array(board, dtype=np.int16), (len(new), 1)), new], axis=1)
            found = strengths_on_boards(boards, self.hands, self.deck, self.ranking)
            if not self.is_exact(board):
                self._sample[board] = found
                return found
            self._strengths[board] = found
            while len(self._strengths) > REMEMBERED_BOARDS:
                self._strengths.popitem(last=False)
        return found


def _per_hand(facts: NDArray[np.bool_]) -> NDArray[np.int32]:
    """int32[H]: on how many boards something holds, facts being bool[B, H]; adding bytes is faster than counting."""
    return facts.view(np.int8).sum(axis=0, dtype=np.int32)
