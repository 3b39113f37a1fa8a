"""Ranges: a weight from 0 to 1 for each of the 1,326 hold'em hands."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache

import numpy as np
from numpy.typing import ArrayLike, NDArray

from errai.cards.deck import FULL_DECK, MAX_RANKS
from errai.cards.hands import NUM_HANDS, class_hands, grid_class, hand_cards
from errai.cards.range_reader import read_range
from errai.cards.range_writer import write_range
from errai.errors import CardsError, RangeWeightsError


class Range:
    """A weight from 0 to 1 for each of the 1,326 hands of two cards; immutable, and may be empty.

    The weights are in the order of the hand index: the hand with the cards ``a < b`` has index ``b * (b - 1) / 2 + a``,
    and a card is ``rank * 4 + suit`` with ranks ``23456789TJQKA`` and suits ``cdhs``.

    Examples
    --------
    >>> import errai
    >>> opening = errai.Range.parse("77+, A9s+, KQ:0.5")
    >>> opening.num_hands
    76.0
    >>> opening.text()
    '77+,A9s+,KQ:0.5'
    >>> opening.without({51}).num_hands  # somebody else holds the ace of spades
    68.0
    """

    __slots__ = ("_weights",)

    _weights: NDArray[np.float64]

    def __init__(self) -> None:
        """Create the empty range; use `parse` or `from_weights` for others."""
        self._weights = np.zeros(NUM_HANDS)
        self._weights.setflags(write=False)

    @classmethod
    def _of(cls, weights: NDArray[np.float64]) -> Range:
        made = cls()
        made._weights = weights
        weights.setflags(write=False)
        return made

    @classmethod
    def parse(cls, text: str, *, source: str | None = None) -> Range:
        """Parse a range from text; :mod:`errai.cards.range_reader` has the grammar.

        ``source`` is the name of the text's source, for error messages.  Raises :class:`RangeParseError` if the text is
        wrong; ``column`` says where, and the message says what was expected.
        """
        return cls._of(read_range(text, source=source))

    @classmethod
    def from_weights(cls, weights: ArrayLike) -> Range:
        """Return the range with numbers[1326] from 0 to 1, in the order of the hand index; the array is copied.

        Raises :class:`RangeWeightsError` if the number of weights is wrong, or one is not a number from 0 to 1.
        """
        try:
            array = np.array(weights, dtype=np.float64)
        except (TypeError, ValueError) as error:
            raise RangeWeightsError(f"Weights of a range must be {NUM_HANDS} numbers.") from error
        if array.shape != (NUM_HANDS,):
            raise RangeWeightsError(f"A range has {NUM_HANDS} weights in one row; these have the shape {array.shape}.")
        bad = np.flatnonzero(~((array >= 0) & (array <= 1)))
        if len(bad):
            raise RangeWeightsError(f"The weight of hand {bad[0]} is {array[bad[0]]}; use numbers from 0 to 1.")
        return cls._of(array + 0.0)  # turns a negative zero into zero

    @property
    def weights(self) -> NDArray[np.float64]:
        """float64[1326], read-only, in the order of the hand index."""
        return self._weights

    @property
    def num_hands(self) -> float:
        """Sum of the weights of all hands; 0 for an empty range."""
        return float(self._weights.sum())

    def text(self) -> str:
        """Return the range as short text, which `parse` turns back into exactly this range."""
        return write_range(self._weights)

    def without(self, cards: Iterable[int]) -> Range:
        """Return the range without all hands that contain one of these cards, usually the board.

        Raises :class:`CardsError` if a card is not in the deck.
        """
        removed = np.array(list(cards), dtype=np.int64)
        if removed.size and (removed.min() < 0 or removed.max() >= FULL_DECK.num_cards):
            raise CardsError(f"Card numbers must lie between 0 and {FULL_DECK.num_cards - 1}.")
        blocked = np.isin(hand_cards(FULL_DECK.num_cards, 2), removed).any(axis=1)
        return Range._of(np.where(blocked, 0.0, self._weights))

    def grid(self) -> NDArray[np.float64]:
        """Return float64[13, 13]: the mean weight of each class of hands, for pictures.

        Row and column 0 are the ace and 12 the deuce.  Pairs are on the diagonal, suited hands above it (row < column)
        and offsuit hands below.
        """
        cells = np.empty(MAX_RANKS * MAX_RANKS)
        for where, hands in _grid_hands():
            cells[where] = self._weights[hands].mean(axis=1)
        return cells.reshape(MAX_RANKS, MAX_RANKS)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Range):
            return NotImplemented
        return bool((self._weights == other._weights).all())

    def __hash__(self) -> int:
        return hash(self._weights.tobytes())

    def __repr__(self) -> str:
        return f"Range.parse({self.text()!r})"


@cache
def _grid_hands() -> list[tuple[NDArray[np.intp], NDArray[np.int32]]]:
    """Return the cells of the grid by the number of their hands: cells[C], counted row by row, and hands[C, n]."""
    classes = [class_hands(*grid_class(*divmod(cell, MAX_RANKS))) for cell in range(MAX_RANKS * MAX_RANKS)]
    sizes = np.array([len(hands) for hands in classes])
    alike = [np.flatnonzero(sizes == size) for size in np.unique(sizes)]
    return [(cells, np.stack([classes[cell] for cell in cells])) for cells in alike]
