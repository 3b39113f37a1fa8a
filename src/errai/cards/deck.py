"""Decks of every size that a game definition can have, the text of their cards, and arrays of cards."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from errai.errors import CardParseError, CardsError, InputError
from errai.own_code import described

RANKS = "23456789TJQKA"
SUITS = "cdhs"

MAX_RANKS = len(RANKS)
MAX_SUITS = len(SUITS)

_SYMBOLS = str.maketrans("♣♦♥♠♧♢♡♤", SUITS + SUITS)
_VARIATION = "\ufe0f"
"""What some keyboards put after a suit symbol to have it drawn in colour."""

_SEPARATORS = " \t\r\n,"


def suit_letters(text: str) -> str:
    """Return a text with letters in place of the symbols of suits: ``K♠`` becomes ``Ks``.

    Cards, ranges and lines are read through it.  Raises :class:`InputError` for what is no text.
    """
    if not isinstance(text, str):
        raise InputError(f"A text was expected, not {described(text)}.")
    return text if text.isascii() else text.translate(_SYMBOLS).replace(_VARIATION, "")


@dataclass(frozen=True)
class Deck:
    """A deck of ``num_ranks`` ranks in each of ``num_suits`` suits.

    A card is ``rank * num_suits + suit``.  A reduced deck uses the last letters of ``23456789TJQKA`` and ``cdhs``, as
    the dealer of the Annual Computer Poker Competition does: three ranks in one suit are Qs, Ks, As.

    Raises
    ------
    CardsError
        If there are not enough letters: decks have 1 to 13 ranks and 1 to 4 suits.
    """

    num_ranks: int = MAX_RANKS
    num_suits: int = MAX_SUITS

    def __post_init__(self) -> None:
        if not (1 <= self.num_ranks <= MAX_RANKS and 1 <= self.num_suits <= MAX_SUITS):
            raise CardsError(
                f"A deck of {self.num_ranks} ranks and {self.num_suits} suits cannot be made; "
                f"use 1 to {MAX_RANKS} ranks and 1 to {MAX_SUITS} suits."
            )

    @property
    def num_cards(self) -> int:
        """Number of cards in the deck."""
        return self.num_ranks * self.num_suits

    @property
    def ranks(self) -> str:
        """The letters of the ranks, lowest first."""
        return RANKS[MAX_RANKS - self.num_ranks :]

    @property
    def suits(self) -> str:
        """The letters of the suits, in the order of their numbers."""
        return SUITS[MAX_SUITS - self.num_suits :]

    def card_text(self, card: int) -> str:
        """Return the text of a card as rank and suit, such as ``Ah``; raises :class:`CardsError` for one not in it."""
        if not 0 <= card < self.num_cards:
            raise CardsError(f"Card number {card} is not in a deck of {self.num_cards}; use 0 to {self.num_cards - 1}.")
        rank, suit = divmod(int(card), self.num_suits)
        return self.ranks[rank] + self.suits[suit]

    def cards_text(self, cards: Iterable[int]) -> str:
        """Return the text of cards one after another without separators, for example ``AhKd``."""
        return "".join(self.card_text(card) for card in cards)

    def parse_card(self, text: str) -> int:
        """Parse one card such as ``Ah``; letters may have either case, and ``10h`` and ``A♥`` are read as well.

        Raises :class:`CardParseError` if the text is not exactly one card of this deck.
        """
        stripped = suit_letters(text).strip()
        if not stripped:
            raise CardParseError(f"Expected a card such as {self._example()}, found nothing.")
        card, end = self.read_card(stripped, 0)
        if end != len(stripped):
            raise CardParseError(
                f"Expected one card such as {self._example()}, found more: {stripped!r}.", column=end + 1
            )
        return card

    def parse_cards(self, text: str) -> tuple[int, ...]:
        """Parse cards that are written together or separated by spaces or commas, and return them in this order.

        Raises :class:`CardParseError` if something in the text is not a card of this deck (``column`` says where), and
        :class:`CardsError` if a card is written twice.
        """
        cards: list[int] = []
        position, text = 0, suit_letters(text)
        while position < len(text):
            if text[position] in _SEPARATORS:
                position += 1
                continue
            try:
                card, position = self.read_card(text, position)
            except CardParseError as error:
                raise CardParseError(error.message, column=error.column, source=repr(text)) from None
            if card in cards:
                raise CardsError(f"{self.card_text(card)} occurs twice in {text!r}; every card can come once.")
            cards.append(card)
        return tuple(cards)

    def read_card(self, text: str, position: int) -> tuple[int, int]:
        """Read the card that starts at ``position`` and return it with the position after it.

        Raises :class:`CardParseError` if no card of this deck starts there; ``column`` counts from 1.
        """
        rank_text, suit_at = text[position : position + 1].upper(), position + 1
        if text[position : position + 2] == "10":
            rank_text, suit_at = "T", position + 2
        if not rank_text or rank_text not in self.ranks:
            raise CardParseError(
                f"Expected a rank of {self.ranks} as in {self._example()}, found {text[position : position + 1]!r}.",
                column=position + 1,
            )
        suit_text = text[suit_at : suit_at + 1].lower()
        if not suit_text or suit_text not in self.suits:
            found = repr(text[suit_at : suit_at + 1]) if suit_text else "the end of the text"
            raise CardParseError(
                f"Expected a suit of {self.suits} after the rank {rank_text}, found {found}.",
                column=suit_at + 1,
            )
        return self.ranks.index(rank_text) * self.num_suits + self.suits.index(suit_text), suit_at + 1

    def _example(self) -> str:
        return self.card_text(self.num_cards - 1)


FULL_DECK = Deck(MAX_RANKS, MAX_SUITS)


def card_sets(cards: ArrayLike) -> NDArray[np.integer]:
    """Return an array of integers whose last axis runs over the cards of a set; raises :class:`CardsError` if not."""
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
