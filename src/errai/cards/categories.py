"""Hands of hold'em as players name them: what a hand has made on a board, and what it can still draw to.

Every hand has made exactly one thing, the strongest that its own cards add to the board; only hands of five cards
and four of a kind count where they lie on the board alone.  A hand may have several draws.  ``docs/studying.md`` has
the definitions in a table.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import numpy as np
from numpy.typing import NDArray

from errai.cards._cards import CATEGORY_SHIFT
from errai.cards.deck import FULL_DECK, MAX_RANKS
from errai.cards.hands import hand_cards
from errai.cards.strength import category, strengths_on_board
from errai.errors import CardsError

MADE_HANDS = (
    "straight flush",
    "quads",
    "full house",
    "flush",
    "straight",
    "set",
    "trips",
    "two pair",
    "overpair",
    "top pair",
    "pocket pair under top pair",
    "second pair",
    "third pair",
    "weak pair",
    "ace high",
    "king high",
    "nothing",
)
"""What a hand can have made, the strongest first."""

DRAWS = (
    "combo draw",
    "nut flush draw",
    "flush draw",
    "open-ended",
    "double gutshot",
    "gutshot",
    "backdoor flush draw",
    "overcards",
)
"""What a hand can draw to on the flop and on the turn."""

_ACE, _KING = MAX_RANKS - 1, MAX_RANKS - 2
_FLUSH, _STRAIGHT = MADE_HANDS.index("flush"), MADE_HANDS.index("straight")
_HIGH_CARD = MADE_HANDS.index("ace high")
_BY_RANK = {
    "straight flush": "straight flush",
    "four of a kind": "quads",
    "full house": "full house",
    "flush": "flush",
    "straight": "straight",
}
"""Categories at the showdown that need no look at what lies on the board."""


def made_hands(board: Sequence[int]) -> NDArray[np.int8]:
    """Return what every hand has made on a board.

    Parameters
    ----------
    board:
        The 3 to 5 cards on the table, of a full deck.

    Returns
    -------
    int8[1326], in hand-index order: the place in :data:`MADE_HANDS`, or -1 for hands that hold a card of the board.

    Raises
    ------
    CardsError
        If the board has other than 3 to 5 cards, repeats one, or has one that is not in the deck.

    Examples
    --------
    >>> from errai.cards.deck import FULL_DECK
    >>> from errai.cards.hands import hand_index
    >>> made = made_hands(FULL_DECK.parse_cards("Kh 8h 3c"))
    >>> MADE_HANDS[made[hand_index(FULL_DECK.parse_cards("Th Td"))]]
    'pocket pair under top pair'
    """
    _check(board)
    cards = hand_cards(FULL_DECK.num_cards, 2)
    strengths = strengths_on_board(board, cards)
    live = np.flatnonzero(strengths >= 0)
    low, high = (cards[live] // FULL_DECK.num_suits).T.astype(np.int64)
    codes, which = np.unique(strengths[live] >> CATEGORY_SHIFT, return_inverse=True)
    kinds = np.array([category(int(code) << CATEGORY_SHIFT) for code in codes])[which]

    on_board = np.bincount(np.asarray(board) // FULL_DECK.num_suits, minlength=MAX_RANKS)
    ranks = np.flatnonzero(on_board)[::-1]
    place = np.full(MAX_RANKS, len(ranks))
    place[ranks] = np.arange(len(ranks))
    pocket = low == high

    made = np.full(len(live), MADE_HANDS.index("nothing"))
    made[high == _KING] = MADE_HANDS.index("king high")
    made[high == _ACE] = MADE_HANDS.index("ace high")

    # Of all pairs the best two count: one that two others beat adds nothing to the hand.
    board_pairs = np.flatnonzero(on_board == 2)
    above_low = (board_pairs[:, None] > low).sum(axis=0)
    above_high = (board_pairs[:, None] > high).sum(axis=0)
    paired_high = (pocket | (on_board[high] == 1)) & (above_high < 2)
    paired_low = ~pocket & (on_board[low] == 1) & (above_low + (on_board[high] == 1) < 2)
    pairs = np.isin(kinds, ("pair", "two pair"))
    paired = np.where(paired_high, high, low)
    second = ranks[1] if len(ranks) > 1 else -1
    of_pocket = np.where(
        paired > ranks[0],
        MADE_HANDS.index("overpair"),
        np.where(paired > second, MADE_HANDS.index("pocket pair under top pair"), MADE_HANDS.index("weak pair")),
    )
    names = ("top pair", "second pair", "third pair", *("weak pair",) * 3)
    of_board = np.array([MADE_HANDS.index(name) for name in names])[place[paired]]
    one = pairs & (paired_high | paired_low)
    made[one] = np.where(pocket, of_pocket, of_board)[one]
    made[pairs & paired_high & paired_low] = MADE_HANDS.index("two pair")

    three = kinds == "three of a kind"
    made[three & pocket & (on_board[high] == 1)] = MADE_HANDS.index("set")
    made[three & ~pocket & ((on_board[high] == 2) | (on_board[low] == 2))] = MADE_HANDS.index("trips")
    for kind, name in _BY_RANK.items():
        made[kinds == kind] = MADE_HANDS.index(name)

    found = np.full(len(cards), -1, dtype=np.int8)
    found[live] = made
    return found


def draws(board: Sequence[int]) -> NDArray[np.bool_]:
    """Return what every hand can draw to on a board.

    A hand draws only to what is stronger than what it has made, and what its own cards take part in: the next card
    does not give as much to the board alone.

    Parameters
    ----------
    board:
        The 3 to 5 cards on the table, of a full deck.

    Returns
    -------
    bool[8, 1326]: whether each hand, in hand-index order, has each draw of :data:`DRAWS`.  It is False for hands that
    hold a card of the board, and everywhere on the river.

    Raises
    ------
    CardsError
        If the board has other than 3 to 5 cards, repeats one, or has one that is not in the deck.

    Examples
    --------
    >>> from errai.cards.deck import FULL_DECK
    >>> from errai.cards.hands import hand_index
    >>> has = draws(FULL_DECK.parse_cards("9h 8h 3c"))[:, hand_index(FULL_DECK.parse_cards("Th 7h"))]
    >>> [name for name, it_has in zip(DRAWS, has) if it_has]
    ['combo draw', 'flush draw', 'open-ended']
    """
    made = made_hands(board)
    cards = hand_cards(FULL_DECK.num_cards, 2)
    found = dict.fromkeys(DRAWS, np.zeros(len(cards), dtype=bool))
    if len(board) < 5:
        _flush_draws(found, board, cards, (made > _FLUSH))
        _straight_draws(found, board, cards, (made > _STRAIGHT))
        found["combo draw"] = found["flush draw"] & (found["open-ended"] | found["double gutshot"] | found["gutshot"])
        highest = max(board) // FULL_DECK.num_suits
        found["overcards"] = (made >= _HIGH_CARD) & (cards // FULL_DECK.num_suits > highest).all(axis=1)
    return np.stack([found[name] for name in DRAWS])


def _flush_draws(
    found: dict[str, NDArray[np.bool_]], board: Sequence[int], cards: NDArray[np.int16], below: NDArray[np.bool_]
) -> None:
    """Find the draws to a flush of the hands ``below`` one."""
    suits = range(FULL_DECK.num_suits)
    for suit in suits:
        on_board = [card for card in board if card % FULL_DECK.num_suits == suit]
        held = (cards % FULL_DECK.num_suits == suit).sum(axis=1)
        drawing = below & (held > 0) & (held + len(on_board) == 4)
        best = max(card for card in range(suit, FULL_DECK.num_cards, len(suits)) if card not in on_board)
        found["flush draw"] = found["flush draw"] | drawing
        found["nut flush draw"] = found["nut flush draw"] | (drawing & (cards == best).any(axis=1))
        if len(board) == 3:
            backdoor = below & (held > 0) & (held + len(on_board) == 3)
            found["backdoor flush draw"] = found["backdoor flush draw"] | backdoor


def _straight_draws(
    found: dict[str, NDArray[np.bool_]], board: Sequence[int], cards: NDArray[np.int16], below: NDArray[np.bool_]
) -> None:
    """Find the draws to a straight of the hands ``below`` one."""
    on_board = np.bitwise_or.reduce(_rank_bits(np.asarray(board)))
    held = on_board | np.bitwise_or.reduce(_rank_bits(cards), axis=1)
    best = _best_straights()
    bits = _rank_bits(np.arange(MAX_RANKS) * FULL_DECK.num_suits)[:, None]
    # A rank that completes a straight that is better than what it gives to the board.
    completes = below & (best[held | bits] > best[on_board | bits])
    count = completes.sum(axis=0)
    open_ended = np.zeros(len(cards), dtype=bool)
    for lowest in range(MAX_RANKS - 4):
        # Bit ``lowest`` is the rank below four in a row; that of the ace is below the deuce as well.
        inner = 0b1111 << lowest + 1
        ends = completes[lowest - 1] & completes[lowest + 4]
        open_ended |= ends & (held & inner == inner)
    found["open-ended"] = open_ended
    found["double gutshot"] = (count > 1) & ~open_ended
    found["gutshot"] = count == 1


def _rank_bits(cards: NDArray[np.integer]) -> NDArray[np.int64]:
    """Return a bit for the rank of each card, from 1 for the deuce to 13 for the ace, which has the bit 0 as well."""
    ranks = cards.astype(np.int64) // FULL_DECK.num_suits
    return (np.int64(1) << (ranks + 1)) | (ranks == _ACE)


@cache
def _best_straights() -> NDArray[np.int8]:
    """Return int8[2**14]: the place of the highest straight in a set of ranks, counted from 1; 0 if there is none."""
    sets = np.arange(1 << MAX_RANKS + 1)
    found = np.zeros(len(sets), dtype=np.int8)
    for lowest in range(MAX_RANKS - 3):
        window = 0b11111 << lowest
        found[sets & window == window] = lowest + 1
    found.setflags(write=False)
    return found


def _check(board: Sequence[int]) -> None:
    if not 3 <= len(board) <= 5:
        raise CardsError(f"Hands have categories on boards of 3 to 5 cards, not of {len(board)}.")
