"""Hands as sets of private cards, their index, which orders every vector over hands, and the 169 classes of hold'em.

The index of a hand is the colexicographic rank of its cards: with ``a < b < c`` it is
``C(a, 1) + C(b, 2) + C(c, 3)``.  Two cards of 52 give 1,326 hands, ``b * (b - 1) / 2 + a``; one card
is its own index.  The hands made of the lowest cards come first.
"""

from __future__ import annotations

from collections.abc import Container, Sequence
from functools import cache, lru_cache
from itertools import combinations, permutations, product
from math import comb

import numpy as np
from numpy.typing import ArrayLike, NDArray

from errai.cards.deck import MAX_RANKS, MAX_SUITS, RANKS, Deck
from errai.errors import CardsError

MAX_HAND_CARDS = 7
"""Hands with more cards would need indices wider than 32 bits."""

_LONGEST_SHARED_LIST = 500_000

NUM_HANDS = 1326

SUITED = "s"
OFFSUIT = "o"
ANY_SUITS = ""
"""For two ranks: suited and offsuit together.  It is the only kind for pairs."""

_COLEX = np.array(
    [[comb(card, i + 1) for card in range(MAX_RANKS * MAX_SUITS)] for i in range(MAX_HAND_CARDS)],
    dtype=np.int32,
)


def hand_cards(num_cards: int, k: int) -> NDArray[np.int16]:
    """Return the cards of every hand of ``k`` cards, in the order of the hand index.

    Returns
    -------
    int16[H, k], read-only because short lists are shared between callers; each row ascends.

    Raises
    ------
    CardsError
        If ``k`` cards cannot be drawn.
    """
    if not 1 <= k <= min(num_cards, MAX_HAND_CARDS):
        raise CardsError(
            f"Hands of {k} cards cannot be listed from {num_cards}; use 1 to {min(num_cards, MAX_HAND_CARDS)}."
        )
    if comb(num_cards, k) > _LONGEST_SHARED_LIST:
        return _list_hands(num_cards, k)
    return _shared_hands(num_cards, k)


def _list_hands(num_cards: int, k: int) -> NDArray[np.int16]:
    cards = np.arange(num_cards, dtype=np.int16)[:, None]
    for size in range(2, k + 1):
        # The hands whose highest card is c are the first C(c, size - 1) smaller hands with c added.
        lower = [cards[: comb(top, size - 1)] for top in range(num_cards)]
        tops = np.repeat(np.arange(num_cards, dtype=np.int16), [len(block) for block in lower])
        cards = np.column_stack([np.concatenate(lower), tops])
    cards.setflags(write=False)
    return cards


_shared_hands = lru_cache(maxsize=32)(_list_hands)


def hand_index(cards: ArrayLike) -> NDArray[np.int32]:
    """Return the index of each hand; the order of the cards within a hand does not matter.

    Parameters
    ----------
    cards:
        integers[..., k], k from 1 to 7.

    Returns
    -------
    int32[...]

    Raises
    ------
    CardsError
        If a card is repeated in a hand, is negative, or is above 51.
    """
    array = np.asarray(cards)
    if array.ndim == 0 or not np.issubdtype(array.dtype, np.integer):
        raise CardsError("Hands must be an array of integer cards whose last axis runs over the cards of a hand.")
    k = array.shape[-1]
    if not 1 <= k <= MAX_HAND_CARDS:
        raise CardsError(f"A hand of {k} cards has no index; use 1 to {MAX_HAND_CARDS} cards.")
    if array.size and (array.min() < 0 or array.max() >= _COLEX.shape[1]):
        raise CardsError(f"Card numbers must lie between 0 and {_COLEX.shape[1] - 1}.")
    ordered = np.sort(array, axis=-1).astype(np.intp)
    if (ordered[..., 1:] == ordered[..., :-1]).any():
        raise CardsError("A hand holds the same card twice; every card can come once.")
    total = np.zeros(array.shape[:-1], dtype=np.int32)
    for i in range(k):
        total += _COLEX[i][ordered[..., i]]
    return total


def share_a_card(first: NDArray[np.integer], second: NDArray[np.integer]) -> NDArray[np.bool_]:
    """Return bool[A, B]: whether hands given by their cards, int[A, k] and int[B, k], have a card in common."""
    found = np.zeros((len(first), len(second)), np.bool_)
    # Over whole columns of cards: to reduce two short axes of one large array takes ten times as long.
    for one in first.T:
        for other in second.T:
            found |= one[:, None] == other
    return found


def fitting_weights(hands: NDArray[np.integer], weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return float64[H]: for every hand the total weight of the hands that share no card with it, up to rounding.

    ``hands`` is int[H, k], the cards of all hands of a deck with one or two cards each; ``weights`` has one weight per
    hand.
    """
    per_card = np.zeros(int(hands.max()) + 1)
    np.add.at(per_card, hands, weights[:, None])
    against = weights.sum() - per_card[hands].sum(axis=1)
    # The weight of a two-card hand itself has been subtracted twice.
    return np.asarray(against + weights if hands.shape[1] == 2 else against)


def boards_after(board: Sequence[int], cards: int, num_cards: int, without: Container[int] = ()) -> NDArray[np.int16]:
    """Return int16[B, m + cards]: a board with every set of so many more cards of a deck, except those of ``without``.

    The new cards ascend.
    """
    left = [card for card in range(num_cards) if card not in board and card not in without]
    new = np.array(list(combinations(left, cards)), dtype=np.int16).reshape(comb(len(left), cards), cards)
    return np.concatenate([np.broadcast_to(np.array(board, dtype=np.int16), (len(new), len(board))), new], axis=1)


def hand_text(deck: Deck, index: int, k: int = 2) -> str:
    """Return the text of a hand, highest card first, as ``AhKd``; raises :class:`CardsError` if there is none."""
    if not 0 <= index < comb(deck.num_cards, k):
        raise CardsError(
            f"Hand {index} does not exist; hands of {k} from {deck.num_cards} cards are numbered "
            f"0 to {comb(deck.num_cards, k) - 1}."
        )
    return deck.cards_text(int(card) for card in hand_cards(deck.num_cards, k)[index][::-1])


@lru_cache(maxsize=16)
def hand_texts(deck: Deck, k: int = 2) -> tuple[str, ...]:
    """Return the texts of all hands of a deck, in hand-index order."""
    return tuple(hand_text(deck, index, k) for index in range(comb(deck.num_cards, k)))


def suit_permutations(num_suits: int) -> list[tuple[int, ...]]:
    """Return all renamings of suits; ``perm[s]`` is the new name of suit ``s``, and the identity comes first."""
    return list(permutations(range(num_suits)))


def permute_cards(deck: Deck, cards: ArrayLike, perm: Sequence[int]) -> NDArray[np.int16]:
    """Return ``cards`` (integers[...]) as int16[...] with their suits renamed; ``perm[s]`` is the new suit of ``s``.

    Raises :class:`CardsError` if ``perm`` does not name every suit of the deck once, or a card is not in the deck.
    """
    if sorted(perm) != list(range(deck.num_suits)):
        raise CardsError(f"{tuple(perm)} does not rename {deck.num_suits} suits; name each of them once.")
    array = np.asarray(cards)
    if array.size and (array.min() < 0 or array.max() >= deck.num_cards):
        raise CardsError(f"Card numbers must lie between 0 and {deck.num_cards - 1}.")
    rank, suit = np.divmod(array, deck.num_suits)
    return np.asarray(rank * deck.num_suits + np.asarray(perm)[suit], dtype=np.int16)


@lru_cache(maxsize=256)
def hand_permutation(deck: Deck, k: int, suit_perm: tuple[int, ...]) -> NDArray[np.int32]:
    """Return int32[H], read-only and shared: the index of each hand after every suit ``s`` became ``suit_perm[s]``."""
    result = hand_index(permute_cards(deck, hand_cards(deck.num_cards, k), suit_perm))
    result.setflags(write=False)
    return result


# --- classes of hold'em: pairs, and two different ranks either suited or offsuit ---


def class_text(high: int, low: int, kind: str) -> str:
    """Return the text of a class, for example ``AKs``; ranks count from 0, the deuce."""
    return RANKS[high] + RANKS[low] + kind


def class_of_text(hand: str) -> str:
    """Return the class of a hand's text, for example AKs of ``KhAh`` and 77 of ``7s7d``; of one card, its rank."""
    ranks = "".join(sorted(hand[::2], key=RANKS.index, reverse=True))
    if len(ranks) != 2 or ranks[0] == ranks[1]:
        return ranks
    return ranks + (SUITED if hand[1] == hand[3] else OFFSUIT)


@lru_cache(maxsize=512)
def class_hands(high: int, low: int, kind: str) -> NDArray[np.int32]:
    """Return int32[n], read-only and shared: the hands of a class, ascending; 6 of a pair, 4 suited, 12 offsuit."""
    if high == low:
        suits = list(combinations(range(4), 2))
    else:
        suits = [(a, b) for a, b in product(range(4), repeat=2) if kind == ANY_SUITS or (a == b) is (kind == SUITED)]
    hands = np.sort(hand_index([(high * 4 + a, low * 4 + b) for a, b in suits]))
    hands.setflags(write=False)
    return hands


@cache
def class_of_hand() -> NDArray[np.int16]:
    """Return int16[1326], read-only: the cell of the 13 x 13 grid, row by row, to which each hand belongs."""
    found = np.empty(NUM_HANDS, dtype=np.int16)
    for cell in range(MAX_RANKS * MAX_RANKS):
        found[class_hands(*grid_class(*divmod(cell, MAX_RANKS)))] = cell
    found.setflags(write=False)
    return found


def grid_class(row: int, column: int) -> tuple[int, int, str]:
    """Return the ranks and the kind of a cell of the usual 13 x 13 grid.

    Row and column 0 are the ace and 12 the deuce.  Suited hands are above the diagonal and offsuit hands below.
    """
    high, low = MAX_RANKS - 1 - min(row, column), MAX_RANKS - 1 - max(row, column)
    if row == column:
        return high, low, ANY_SUITS
    return high, low, SUITED if row < column else OFFSUIT
