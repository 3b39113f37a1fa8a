"""Hand strength at the showdown: one integer for up to seven cards, greater is better.

The bits from 20 up hold the category of the hand, and the bits below hold the ranks that decide within it, four bits
each.  Only strengths of the same ranking and the same number of cards may be compared.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum

import numpy as np
from numpy.typing import ArrayLike, NDArray

from errai.cards import _cards
from errai.cards.deck import FULL_DECK, Deck, card_sets, explain, native_rows
from errai.errors import CardsError

MAX_CARDS = 7


class HandRanking(StrEnum):
    """The rules that compare hands at the showdown."""

    STANDARD = "standard"
    """The best five cards count; with fewer than five, pairs, three and four of a kind and high cards still count."""
    THREE_CARD = "three-card"
    """Rhode Island hold'em's order of exactly three cards, in which a straight beats a flush."""


_CATEGORY_NAMES = {
    0: "high card",
    1: "pair",
    2: "two pair",
    3: "three of a kind",
    4: "straight",
    5: "flush",
    6: "full house",
    7: "four of a kind",
    8: "straight flush",
    # Categories of three cards have numbers of their own, so that a strength names its category without the ranking.
    16: "high card",
    17: "pair",
    18: "flush",
    19: "straight",
    20: "three of a kind",
    21: "straight flush",
}


def strength(
    cards: ArrayLike, deck: Deck = FULL_DECK, ranking: HandRanking = HandRanking.STANDARD
) -> NDArray[np.int32]:
    """Return the strength of sets of cards; greater is better.

    The rules are those of the dealer of the Annual Computer Poker Competition: the best of at most five cards counts,
    straights and flushes need five cards, and A2345 is a straight where the deck has those ranks, which are the top
    ones in a reduced deck.  Three cards are ranked as in Shi and Littman, "Abstraction methods for game theoretic
    poker" (2001).

    ``cards`` is integers[..., n], n from 1 to 7, exactly 3 for ``HandRanking.THREE_CARD``; the strengths, int32[...],
    can be compared between sets of the same size.  Raises :class:`CardsError` if a card is not in the deck or repeated,
    or their number is wrong; the message names the first such set.
    """
    array = card_sets(cards)
    n = array.shape[-1]
    check_number_of_cards(n, ranking)
    rows = native_rows(array)
    result = np.empty(len(rows), dtype=np.int32)
    bad = _cards.evaluate(rows, deck.num_ranks, deck.num_suits, ranking is HandRanking.THREE_CARD, result)
    if bad >= 0:
        raise CardsError(f"Set number {bad}, {explain(rows[bad], deck)}")
    return result.reshape(array.shape[:-1])


def strengths_on_boards(
    boards: ArrayLike,
    hands: ArrayLike,
    deck: Deck = FULL_DECK,
    ranking: HandRanking = HandRanking.STANDARD,
) -> NDArray[np.int32]:
    """Return int32[B, H]: the strength of every hand together with every board, -1 if they share a card.

    ``boards`` and ``hands`` are integers[B, m] and integers[H, k], m + k from 1 to 7.  Raises :class:`CardsError` if
    one of them repeats a card or has one that is not in the deck, or the number of cards is wrong.
    """
    board_rows, hand_rows = _rows(boards, "Boards"), _rows(hands, "Hands")
    check_number_of_cards(board_rows.shape[1] + hand_rows.shape[1], ranking)
    result = np.empty((len(board_rows), len(hand_rows)), dtype=np.int32)
    bad_board, bad_hand = _cards.evaluate_boards(
        board_rows, hand_rows, deck.num_ranks, deck.num_suits, ranking is HandRanking.THREE_CARD, result
    )
    if bad_board >= 0:
        raise CardsError(f"Board number {bad_board}, {explain(board_rows[bad_board], deck)}")
    if bad_hand >= 0:
        raise CardsError(f"Hand number {bad_hand}, {explain(hand_rows[bad_hand], deck)}")
    return result


def strengths_on_board(
    board: Sequence[int],
    hands: ArrayLike,
    deck: Deck = FULL_DECK,
    ranking: HandRanking = HandRanking.STANDARD,
) -> NDArray[np.int32]:
    """Return int32[H]: the strength of every hand on one board, as `strengths_on_boards` does for many boards."""
    return np.asarray(strengths_on_boards(np.array(board, dtype=np.int64).reshape(1, -1), hands, deck, ranking)[0])


def category(strength: int) -> str:
    """Return the category of a strength, such as ``full house``; raises :class:`CardsError` if no hand has it."""
    code = int(strength) >> _cards.CATEGORY_SHIFT
    if code not in _CATEGORY_NAMES:
        raise CardsError(f"{strength} is not the strength of a hand; -1 marks a hand that the board blocks.")
    return _CATEGORY_NAMES[code]


def category_counts(
    num_drawn: int, deck: Deck = FULL_DECK, ranking: HandRanking = HandRanking.STANDARD
) -> dict[str, int]:
    """Count how many sets of ``num_drawn`` cards fall into each category, by evaluating all of them.

    The 133,784,560 sets of seven cards from a full deck take about a second.  Raises :class:`CardsError` if the deck
    has fewer cards, or sets of that size cannot be ranked.
    """
    check_number_of_cards(num_drawn, ranking)
    if num_drawn > deck.num_cards:
        raise CardsError(f"{num_drawn} cards cannot be drawn from a deck of {deck.num_cards}.")
    three_card = ranking is HandRanking.THREE_CARD
    counts = np.zeros(_cards.CATEGORIES, dtype=np.int64)
    _cards.count_categories(deck.num_ranks, deck.num_suits, num_drawn, three_card, counts)
    return {name: int(counts[code]) for code, name in reversed(_CATEGORY_NAMES.items()) if (code >= 16) is three_card}


def check_number_of_cards(n: int, ranking: HandRanking) -> None:
    """Raise :class:`CardsError` unless sets of ``n`` cards can be ranked."""
    if ranking is HandRanking.THREE_CARD and n != 3:
        raise CardsError(f"The three-card ranking compares exactly 3 cards, not {n}.")
    if not 1 <= n <= MAX_CARDS:
        raise CardsError(f"Sets of {n} cards have no strength; use 1 to {MAX_CARDS} cards.")


def _rows(cards: ArrayLike, what: str) -> NDArray[np.int16]:
    array = np.asarray(cards)
    if array.ndim != 2 or not (np.issubdtype(array.dtype, np.integer) or array.size == 0):
        raise CardsError(f"{what} must be a two-dimensional array of integers, one row of cards each.")
    if array.size and (array.min() < 0 or array.max() > np.iinfo(np.int16).max):
        raise CardsError(f"{what} hold {array.min()} to {array.max()}, which are not all numbers of cards.")
    return np.ascontiguousarray(array, dtype=np.int16)
