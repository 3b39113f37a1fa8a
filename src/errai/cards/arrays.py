"""Handing arrays of cards to the native part, and explaining what is wrong with them."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from errai.cards.deck import Deck
from errai.errors import CardsError


def card_sets(cards: ArrayLike) -> NDArray[np.integer]:
    """Check that these are integers whose last axis runs over the cards of a set, and make them an array.

    Raises
    ------
    CardsError
        If they are not.
    """
    array = np.asarray(cards)
    if array.ndim == 0 or not np.issubdtype(array.dtype, np.integer):
        raise CardsError("Cards must be an array of integers whose last axis runs over the cards of a set.")
    return array


def native_rows(array: NDArray[np.integer]) -> NDArray[np.integer]:
    """Make a contiguous matrix with one set a row, of a type that the native part reads, values unchanged."""
    if array.dtype not in (np.int16, np.int32, np.int64):
        array = array.astype(np.int16 if array.dtype.itemsize == 1 else np.int64)
    return np.ascontiguousarray(array).reshape(-1, array.shape[-1])


def explain(row: NDArray[np.integer], deck: Deck) -> str:
    """Say why a row is no set of different cards of the deck."""
    outside = [int(card) for card in row if not 0 <= card < deck.num_cards]
    if outside:
        return f"{row.tolist()}, holds {outside[0]}, which is not in a deck of {deck.num_cards} cards."
    return f"{deck.cards_text(row.tolist())}, holds a card twice; every card can come once."
