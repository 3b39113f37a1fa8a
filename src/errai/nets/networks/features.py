"""Features of a hand on a board that do not depend on the naming of suits.

Two hands that a renaming of suits turns into each other, together with their boards, have the same features, so every
network on top of them is invariant under such renamings.  In hold'em a board on the turn takes about 5 ms, one on the
flop 50 ms.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from math import comb
from typing import Any

import numpy as np
from numpy.typing import NDArray

from errai.abstraction.deals import DealIndexer
from errai.abstraction.features import Wanted, board_sums, ochs_of
from errai.cards.strength import strengths_on_board, strengths_on_boards
from errai.errors import UnsupportedGameError
from errai.games.game import Game
from errai.nets.positions import Floats

BINS = 10
"""Bins of the histogram of strengths at the showdown."""

GROUPS = 8
"""Groups of equal size of the opponent's hands, by their current strength."""

CATEGORIES = 9
"""Hand categories, from a high card to a straight flush."""

_CATEGORY_SHIFT = 20
_BLOCKED_SCALE = 4.0
"""A hand blocks up to a quarter of the hands of a group; this factor keeps all features of the order of 1."""


@dataclass(frozen=True, eq=False)
class BoardFeatures:
    """Features of the hands that a board leaves.  Axes: L hands, F features of a hand, T features of the board."""

    hands: NDArray[np.int64]
    """int64[L]: their indices among all hands of the deck, ascending."""
    of_hands: Floats
    """float32[L, F], all between -1 and 1."""
    of_board: Floats
    """float32[T], all between 0 and 1."""


def num_features(game: Game) -> tuple[int, int]:
    """F and T, which are the same for every round."""
    return 3 + BINS + 2 * GROUPS + 2 * CATEGORIES + 14, game.num_suits + 4 + game.board_cards_in(game.num_rounds - 1)


def board_features(game: Game, board: tuple[int, ...]) -> BoardFeatures:
    """Compute the features of a board.

    The features of a hand are, in order,

    - its current strength; E[HS], and the standard deviation of HS, at the showdown; the histogram of HS;
    - its mean result against each group of opponents' hands, grouped by their current strength;
    - the share of each group's hands that it blocks, relative to the share of all hands;
    - its current category, and how often it has each category at the showdown;
    - the ranks of its cards, whether they have the same rank or suit and how far apart they are; for each card, how
      many cards of the board have its rank and how many a higher one; how many have its suit, and, where two or more
      do, the rank of the card among those of its suit that are not on the board.

    The features of the board are the numbers of cards by suit, the greatest first; how often the most frequent rank and
    the next one occur; how many ranks there are; how many of them one straight may use; the ranks, the highest first,
    and 0 for cards that are still to come.

    Raises :class:`CardsError` if the board is not one of the game's, and :class:`UnsupportedGameError` if hands have
    more than two cards, the ranking is that of three cards, or the board is still empty.
    """
    deals = _deals(game)
    if deals.three_card or not board:
        raise UnsupportedGameError(f"Features of hands are for boards on which {game.name} ranks hands.")
    if len(board) not in deals.board_cards:
        deals.checked_board(board, 0)
    table = np.sort(deals.checked_board(board, deals.board_cards.index(len(board))))
    live = np.flatnonzero(~np.isin(deals.hands, table).any(axis=1))
    now = strengths_on_board(table.tolist(), deals.hands[live], deals.deck, game.ranking)
    ranking, kinds = (deals.deck, game.ranking), range(CATEGORIES)
    later = strengths_on_boards(deals.completions(table[None])[0], deals.hands[live], *ranking) >> _CATEGORY_SHIFT
    boards = (later >= 0).sum(axis=0)
    parts = [
        *_strengths(deals, table, live, now),
        *(now >> _CATEGORY_SHIFT == kind for kind in kinds),
        *((later == kind).sum(axis=0) / boards for kind in kinds),
        *_cards(deals, table, live),
    ]
    of_hands = np.column_stack(parts).astype(np.float32)
    return BoardFeatures(live, of_hands, _texture(deals, table))


def _strengths(
    deals: DealIndexer, board: NDArray[np.int16], live: NDArray[np.int64], now: NDArray[np.int32]
) -> list[NDArray[Any]]:
    percentile = _percentiles(now)
    group = np.full(deals.num_hands, -1, dtype=np.int8)
    group[live] = np.minimum(percentile * GROUPS, GROUPS - 1).astype(np.int8)
    sums = board_sums(deals, board[None], Wanted(moments=True, bins=BINS, cluster=group)).select((0, live))
    boards = sums.moments[:, 0].astype(np.float64)
    mean = sums.moments[:, 1] / (boards * 2 * deals.opponents)
    square = sums.moments[:, 2] / (boards * (2 * deals.opponents) ** 2)
    deviation = np.sqrt(np.maximum(square - mean * mean, 0.0))
    # A pair of hands meets on this many boards, and a win on each counts 2.
    meetings = 2.0 * comb(deals.deck.num_cards - len(board) - 2 * deals.hands.shape[1], deals.final - len(board))
    members = np.bincount(group[live], minlength=GROUPS)
    fitting = sums.clusters[:, 1] / meetings
    overall = fitting.sum(axis=1, keepdims=True) / len(live)
    blocked = np.where(members > 0, overall - fitting / np.maximum(members, 1), 0.0)
    return [
        percentile,
        mean,
        2.0 * deviation,
        sums.histogram / boards[:, None],
        ochs_of(sums, GROUPS),
        np.clip(_BLOCKED_SCALE * blocked, -1.0, 1.0),
    ]


def _cards(deals: DealIndexer, board: NDArray[np.int16], live: NDArray[np.int64]) -> list[NDArray[Any]]:
    """Return features of the cards; those of two cards' suits are sorted, as the order of equal ranks means nothing."""
    deck = deals.deck
    ranks, suits = np.divmod(deals.hands[live].astype(np.int64), deck.num_suits)  # [L, k], ranks ascending
    board_ranks, board_suits = np.divmod(board.astype(np.int64), deck.num_suits)
    low, high = ranks[:, 0], ranks[:, -1]
    top = max(deck.num_ranks - 1, 1)
    same = (board_ranks[None, :, None] == ranks[:, None, :]).sum(axis=1) / len(board)
    above = (board_ranks[None, :, None] > ranks[:, None, :]).sum(axis=1) / len(board)
    in_suit = np.bincount(board_suits, minlength=deck.num_suits)
    unseen = np.ones((deck.num_suits, deck.num_ranks), dtype=np.int64)
    unseen[board_suits, board_ranks] = 0
    higher = unseen.sum(axis=1, keepdims=True) - np.cumsum(unseen, axis=1)
    height = np.where(in_suit[suits] >= 2, 1.0 - higher[suits, ranks] / top, 0.0)
    of_suits = np.sort(np.stack([in_suit[suits] / len(board), height]), axis=2)
    return [
        high / top,
        low / top,
        (high - low) / top,
        high == low,
        suits[:, 0] == suits[:, -1],
        np.minimum(high - low, 5) / 5,
        same[:, -1],
        same[:, 0],
        above[:, -1],
        above[:, 0],
        of_suits[0][:, -1],
        of_suits[0][:, 0],
        of_suits[1][:, -1],
        of_suits[1][:, 0],
    ]


def _texture(deals: DealIndexer, board: NDArray[np.int16]) -> Floats:
    deck = deals.deck
    ranks, suits = np.divmod(board.astype(np.int64), deck.num_suits)
    by_suit = np.sort(np.bincount(suits, minlength=deck.num_suits))[::-1]
    by_rank = np.bincount(ranks, minlength=deck.num_ranks)
    often = np.sort(np.append(by_rank, 0))[::-1]
    # An ace also ranks below a two.
    present = np.append(by_rank[-1], by_rank) > 0
    window = min(5, len(present))
    together = np.convolve(present, np.ones(window), "valid").max()
    parts = [*by_suit, often[0], often[1], (by_rank > 0).sum(), together]
    heights = np.sort(ranks)[::-1] / max(deck.num_ranks - 1, 1)
    to_come = np.zeros(deals.final - len(board))
    return np.concatenate([np.array(parts) / len(board), heights, to_come]).astype(np.float32)


def _percentiles(strengths: NDArray[np.int32]) -> NDArray[np.float64]:
    """float64[L]: the share of hands that each hand beats, counting ties half and ignoring blocked cards."""
    _, place, counts = np.unique(strengths, return_inverse=True, return_counts=True)
    below = np.cumsum(counts) - counts
    return np.asarray(((below + counts / 2)[place]) / len(strengths))


@lru_cache(maxsize=8)
def _deals(game: Game) -> DealIndexer:
    return DealIndexer(game)
