"""Converting arrays of cards for the native code, and explaining what is wrong with them."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from errai.cards.deck import Deck
from errai.errors import CardsError


def card_sets(cards: ArrayLike) -> NDArray[np.integer]:
    """Return an array of integers whose last axis runs over the cards of a set.

    Raises
    ------
    CardsError
        If the cards are not such an array.
    """
    array = np.asarray(cards)
    if array.ndim == 0 or not np.issubdtype(array.dtype, np.integer):
        raise CardsError("Cards must be an array of integers whose last axis runs over the cards of a set.")
    return array


def native_rows(array: NDArray[np.integer]) -> NDArray[np.integer]:
    """Return a contiguous matrix with one set per row, of a type that the native code reads, with unchanged values."""
    if array.dtype not in (np.int16, np.int32, np.int64):
        array = array.astype(np.int16 if array.dtype.itemsize == 1 else np.int64)
    return np.ascontiguousarray(array).reshape(-1, array.shape[-1])


def explain(row: NDArray[np.integer], deck: Deck) -> str:
    """Return why a row is not a set of different cards of the deck."""
    outside = [int(card) for card in row if not 0 <= card < deck.num_cards]
    if outside:
        return f"{row.tolist()}, holds {outside[0]}, which is not in a deck of {deck.num_cards} cards."
    return f"{deck.cards_text(row.tolist())}, holds a card twice; every card can come once."
