"""Strategic equivalence of hands and boards that no renaming of suits maps to each other.

If no card is to come, a hand is described by its strength, its weights in the ranges, and the part of the other range
that its cards block.  Hands that agree in these may be merged.  Before the last card, boards that lead to the same
merged hands may be merged too.  The coarsest partition of this kind is found by *colour refinement* (Weisfeiler and
Leman 1968) of the graph whose vertices are cards and whose edges are hands.  For linear programs this is called
fractional symmetry (Grohe, Kersting, Mladenov and Selman 2014).  Regret minimisation that starts with the uniform
strategy never distinguishes merged hands, and an equilibrium of the merged game is one of the original game
(docs/maths.md).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Colours = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Equivalence:
    """The merged hands on the root's board and, with one card to come, on the ``B`` merged boards after it."""

    hands: NDArray[np.int64]
    """int64[H]: for every hand the first that it is merged with on the root's board; itself if nobody holds it."""
    cards: NDArray[np.int64]
    """int64[B]: the card of the board that represents each set of merged boards; empty if no card is to come."""
    orbit: NDArray[np.int64]
    """int64[B]: the number of boards that it represents."""
    below: NDArray[np.int64]
    """int64[B, H]: as ``hands``, on each of these boards; -1 for hands with the board's new card."""
    board_of: NDArray[np.int64]
    """int64[cards of the deck]: the board that a card leads to, -1 for cards on the root's board."""
    maps: NDArray[np.int64]
    """int64[cards, cards of the deck]: for every new card the map of the cards that takes its board to that one."""

    def counts(self, live: NDArray[np.bool_]) -> tuple[int, ...]:
        """Return the number of merged hands per street of a player with the range ``live`` (bool[H])."""
        every = np.arange(len(self.hands))
        root = int(np.count_nonzero((self.hands == every) & live))
        if not len(self.cards):
            return (root,)
        return root, int(np.count_nonzero((self.below == every) & live))


def equivalent_at_showdown(
    hands: NDArray[np.int64],
    num_cards: int,
    strength: NDArray[np.integer],
    weights: tuple[NDArray[np.float64], NDArray[np.float64]],
    apart: tuple[NDArray[np.float64], ...] = (),
) -> Equivalence:
    """Merge hands on a board with no card to come.

    Two hands are merged if they are equally strong, have the same weight in each range, and hold cards of the same
    colours.  Two cards have the same colour if equally many hands of each colour contain them.  Splitting sets that do
    not agree, until none is left, gives the coarsest partition of this kind.

    Parameters
    ----------
    hands:
        int64[H, k], the cards of every hand; k is one or two.
    num_cards:
        Number of cards in the deck.
    strength:
        integers[H] on the board; values of hands that neither player holds do not matter.
    weights:
        float64[H] per player; 0 for hands that share a card with the board.
    apart:
        float64[H] each: further values in which merged hands must agree.
    """
    live = np.flatnonzero((weights[0] > 0) | (weights[1] > 0))
    held, holders = hands[live], _Holders(hands[live], num_cards)
    colour, number = _numbered(*(_numbered(column[live])[0] for column in (strength, *weights, *apart)))
    while True:
        cards, _ = holders.colours(colour)
        finer, parts = _numbered(colour, *np.sort(cards[held], axis=1).T)
        if parts == number:
            break
        colour, number = finer, parts
    none = np.empty(0, dtype=np.int64)
    return Equivalence(
        _firsts(colour, live, len(hands)), none, none, none.reshape(0, len(hands)), none, none.reshape(0, num_cards)
    )


def equivalent_before_last_card(
    hands: NDArray[np.int64],
    num_cards: int,
    board: tuple[int, ...],
    strength: NDArray[np.integer],
    apart: Colours,
    apart_below: Colours | None = None,
) -> Equivalence | None:
    """Merge hands, and boards of the next street, with one card to come.

    On boards of the next street, hands are merged as in :func:`equivalent_at_showdown`, but only if they are merged on
    the root's board.  On the root's board they are merged only if they lead equally often to each set of merged boards
    and hands.  Two boards are merged if they have equally many hands of each colour.  A map of the cards from one board
    to the other is then constructed by matching the cards of each colour in the order of their numbers.

    Parameters
    ----------
    hands, num_cards:
        As in :func:`equivalent_at_showdown`.
    board:
        The cards of the root's board.
    strength:
        integers[cards left, H]: the strengths on the board with each possible card, in order; -1 for hands with that
        card.
    apart:
        The result of :func:`distinguished_hands`: only hands of one colour are merged.
    apart_below:
        int64[cards left, H] from 0: on the boards with each possible card, only hands of one colour are merged, and
        only boards that have equally many hands of each.  None distinguishes no hands.

    Returns
    -------
    Equivalence | None
        None if no map was found, in which case the boards are not merged as equivalent.
    """
    live = np.flatnonzero(apart >= 0)
    held, holders = hands[live], _Holders(hands[live], num_cards)
    new = np.delete(np.arange(num_cards), board)
    colours = np.zeros_like(strength, dtype=np.int64) if apart_below is None else apart_below
    root, below, boards, cards = _refined(held, holders, strength[:, live], apart[live], colours[:, live])
    kept = np.array([boards.tolist().index(b) for b in range(int(boards.max()) + 1)])
    # A card on the board is mapped to itself, and the new card to the new card.
    cards[:, list(board)] = -2 - np.arange(len(board))
    cards[np.arange(len(new)), new] = -1
    maps = _maps(held, below, new, kept[boards], np.argsort(cards, axis=1, kind="stable"))
    if maps is None:
        return None
    board_of = np.full(num_cards, -1, dtype=np.int64)
    board_of[new] = boards
    return Equivalence(
        hands=_firsts(root, live, len(hands)),
        cards=new[kept],
        orbit=np.bincount(boards),
        below=np.stack([_firsts(below[at], live, len(hands)) for at in kept]),
        board_of=board_of,
        maps=maps,
    )


def _refined(
    held: NDArray[np.int64], holders: _Holders, strength: NDArray[np.integer], root: Colours, apart_below: Colours
) -> tuple[Colours, Colours, Colours, Colours]:
    """Split sets of hands that do not agree on the root's board and on those below, until none is left to split.

    The arguments cover live hands only; ``root`` has their first colours and ``apart_below`` those on the boards below,
    where strength distinguishes them too.  Returns their colours on the root's board
    (int64[H]) and on the boards below (int64[boards, H], -1 for hands with the new card), the colours of the boards,
    and those of the cards on every board.
    """
    dealt = np.nonzero(strength >= 0)
    of_hand = dealt[1]
    below = np.full(strength.shape, -1, dtype=np.int64)
    parts = int(root.max()) + 1
    below[dealt], parts_below = _numbered(strength[dealt], root[of_hand], apart_below[dealt])
    while True:
        while True:
            cards_below, _ = holders.colours(below)
            finer, more = _numbered(below[dealt], *np.sort(cards_below[:, held], axis=2)[dealt].T)
            if more == parts_below:
                break
            below[dealt], parts_below = finer, more
        boards, number = _named(np.sort(below, axis=1))
        leads_to, _ = _named(np.sort(np.where(below < 0, -1, below * number + boards[:, None]).T, axis=1))
        cards, _ = holders.colours(root)
        finer, more = _numbered(root, leads_to, *np.sort(cards[held], axis=1).T)
        if more == parts:
            return root, below, boards, cards_below
        root, parts = finer, more
        below[dealt], parts_below = _numbered(below[dealt], root[of_hand])


def _maps(
    held: NDArray[np.int64],
    below: Colours,
    new: NDArray[np.int64],
    to: NDArray[np.int64],
    order: NDArray[np.int64],
) -> NDArray[np.int64] | None:
    """Return int64[cards, cards]: for every new card a map of the cards that keeps the colours of all live hands.

    ``to`` has the representative of each board and ``order`` the cards of each board by colour.  The result is None if
    matching cards of equal colour in their order does not give such a map.
    """
    num_cards = order.shape[1]
    maps = np.full((num_cards, num_cards), -1, dtype=np.int64)
    index = np.full((num_cards,) * held.shape[1], -1)
    index[tuple(held.T)] = index[tuple(held[:, ::-1].T)] = np.arange(len(held))
    for at, card in enumerate(new):
        maps[card, order[at]] = order[to[at]]
        here = below[at] >= 0
        images = index[tuple(maps[card][held[here]].T)]
        if not np.array_equal(np.where(images < 0, -1, below[to[at]][images]), below[at][here]):
            return None
    return maps


def distinguished_hands(
    hands: NDArray[np.int64],
    labels: NDArray[np.int64],
    weights: tuple[NDArray[np.float64], NDArray[np.float64]],
    apart: tuple[NDArray[np.float64], ...] = (),
) -> Colours:
    """Return the colours of hands that weights, blockers, the card ``labels`` (int64[cards]) and ``apart`` distinguish.

    This takes about a millisecond, so it is used to predict how much :func:`equivalent_before_last_card`, which takes
    tens, may merge.  The result is int64[H], from 0 without gaps, and -1 for a hand that neither player holds.
    """
    live = np.flatnonzero((weights[0] > 0) | (weights[1] > 0))
    held, holders = hands[live], _Holders(hands[live], len(labels))
    colour, number = _numbered(*(_numbered(weight[live])[0] for weight in (*weights, *apart)))
    cards, of_cards = _numbered(labels)
    while True:
        colour, parts = _numbered(colour, *np.sort(cards[held], axis=1).T)
        cards, more = _numbered(cards, holders.colours(colour)[0])
        if (parts, more) == (number, of_cards):
            break
        number, of_cards = parts, more
    found = np.full(len(hands), -1, dtype=np.int64)
    found[live] = colour
    return found


class _Holders:
    """The hands that contain each card; it collects the colours of hands by card."""

    def __init__(self, held: NDArray[np.int64], num_cards: int) -> None:
        self.num_cards = num_cards
        by_card = np.argsort(held.ravel(), kind="stable")
        counts = np.bincount(held.ravel(), minlength=num_cards)
        self._most = int(counts.max())
        self._card = held.ravel()[by_card]
        self._slot = np.arange(len(by_card)) - (np.cumsum(counts) - counts)[self._card]
        self._hand = by_card // held.shape[1]

    def colours(self, of_hands: Colours) -> tuple[Colours, int]:
        """Return colours [..., cards] and their number: equal where hands [..., H] of equal colours hold them."""
        table = np.full((*of_hands.shape[:-1], self.num_cards, self._most), -1, dtype=np.int32)
        table[..., self._card, self._slot] = of_hands[..., self._hand]
        table.sort(axis=-1)
        found, number = _named(table.reshape(-1, self._most))
        return found.reshape(table.shape[:-1]), number


def _named(rows: NDArray[Any]) -> tuple[Colours, int]:
    """Return numbers that are equal for equal rows, from 0 in the order of first occurrence, and how many there are."""
    names: dict[bytes, int] = {}
    return np.array([names.setdefault(row.tobytes(), len(names)) for row in rows]), len(names)


def _numbered(*columns: NDArray[Any]) -> tuple[Colours, int]:
    """Return numbers from 0 that are equal where all columns are, and how many.

    Several columns must be integers >= 0.
    """
    key = columns[0]
    for column in columns[1:]:
        more = int(column.max()) + 1
        if int(key.max()) >= 2**62 // more:
            key, _ = _numbered(key)
        key = key * more + column
    order = np.argsort(key)
    ordered = key[order]
    found = np.zeros(len(key), dtype=np.int64)
    found[order[1:]] = np.cumsum(ordered[1:] != ordered[:-1])
    return found, int(found.max()) + 1


def _firsts(colour: Colours, live: NDArray[np.int64], count: int) -> NDArray[np.int64]:
    """Return int64[count]: for every hand the first hand of its colour.

    ``colour`` belongs to the hands ``live``.  All other hands are their own first, and those of colour -1 have -1.
    """
    first = np.arange(count)
    start = np.full(int(colour.max()) + 2, count)  # The last entry is for colour -1.
    np.minimum.at(start, colour, live)
    first[live] = np.where(colour < 0, -1, start[colour])
    return first
