"""The root of a deal tree: the cards, both ranges, the board, and the symmetries that leave all of these unchanged."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import permutations, product

import numpy as np
from numpy.typing import NDArray

from errai.cards.deck import Deck
from errai.cards.hands import hand_cards, hand_index, hand_text
from errai.cards.strength import HandRanking, strengths_on_board, strengths_on_boards
from errai.errors import InputError, UnsupportedGameError
from errai.tree.equivalence import Equivalence, distinguished_hands, equivalent_at_showdown, equivalent_before_last_card

WORTH_MERGING = 8.0
"""If the rows of the last street's betting tree times the share of hands merged exceed
this, merging pays in a short solve.
"""

MAX_SYMMETRIES = 1_000
"""Largest number of symmetries that are listed one by one; only very small decks have more than renamings of suits."""


@dataclass(frozen=True, eq=False)
class DealRoot:
    """The data from which boards and hands are derived; made by :func:`deal_root`."""

    deck: Deck
    hands: NDArray[np.int64]
    """int64[H, k]: all hands of the deck, in hand-index order."""
    weights: tuple[NDArray[np.float64], NDArray[np.float64]]
    """float64[H] each: the ranges, without hands that share a card with the root board."""
    board: tuple[int, ...]
    new_cards: tuple[int, ...]
    """Number of cards dealt at the start of each street after the root's."""
    ranking: HandRanking
    symmetries: NDArray[np.int64]
    """int64[G, cards]: maps of the cards that leave the rules, the board and the ranges unchanged."""
    hand_maps: NDArray[np.int64]
    """int64[G, H]: the same as maps of hand indices."""
    apart: tuple[NDArray[np.float64], ...] = ()
    """float64[H] each: values in which merged hands must agree besides their weights."""
    equivalence: Equivalence | None = None
    """The strategic equivalence, which merges more than the symmetries do; see :func:`merge_equivalent`."""

    def hand_text(self, hand: int) -> str:
        """Return the cards of a hand of the deck."""
        return hand_text(self.deck, hand, self.hands.shape[1])

    def place_text(self, board: Sequence[int] | NDArray[np.integer], line: str, hand: int | None = None) -> str:
        """Return the board, a line and maybe a hand, in words for messages."""
        where = f"on the board {self.deck.cards_text(tuple(map(int, board)))} " if len(board) else ""
        where += f"after {line!r}" if line else "at the beginning"
        return where if hand is None else f"{where} for {self.hand_text(hand)}"


def deal_root(
    deck: Deck,
    hole_cards: int,
    new_cards: tuple[int, ...],
    *,
    board: tuple[int, ...] = (),
    weights: tuple[NDArray[np.float64], NDArray[np.float64]] | None = None,
    ranking: HandRanking = HandRanking.STANDARD,
    later_cards: int = 0,
    isomorphism: bool = True,
    apart: Sequence[NDArray[np.float64]] = (),
    kept: Callable[[NDArray[np.int64], NDArray[np.int64]], bool] | None = None,
) -> DealRoot:
    """Remove the board's cards from the ranges and find the symmetries.

    Parameters
    ----------
    deck, hole_cards:
        The deck, and the number of private cards per player, which is one or two.
    new_cards:
        Number of cards dealt at the start of each street after the root's street.
    board:
        Cards on the table at the root.
    weights:
        float64[H] per player over all hands of the deck, in hand-index order; None means any hand.
    ranking:
        The ranking of hands at the showdown.
    later_cards:
        Number of cards that come after the last street of a depth-limited tree; the showdown still depends on them.
    isomorphism:
        Whether to look for symmetries.  Without them the values are the same and the tree is larger.
    apart:
        float64[H] each: values that distinguish hands at the root besides their weights, such as the payoffs of
        alternatives to playing, or locks.  Symmetries must leave them unchanged, and :func:`merge_equivalent` merges
        only hands that agree in them.
    kept:
        A function of a symmetry's card map and hand map.  It returns whether the symmetry leaves unchanged what later
        streets add to the rules, such as locks that name cards.

    Raises
    ------
    UnsupportedGameError
        More than two private cards.
    InputError
        A range has no live hand.
    """
    if hole_cards not in (1, 2):
        raise UnsupportedGameError(f"Hands of {hole_cards} private cards cannot be solved; one or two can.")
    hands = hand_cards(deck.num_cards, hole_cards).astype(np.int64)
    blocked = np.isin(hands, np.asarray(board, dtype=np.int64)).any(axis=1)
    given = weights if weights is not None else (np.ones(len(hands)), np.ones(len(hands)))
    ranges = (np.where(blocked, 0.0, given[0]), np.where(blocked, 0.0, given[1]))
    for p, range_ in enumerate(ranges):
        if not (range_ > 0).any():
            raise InputError(f"The range of player {p} has no hand that is possible on this board.")
    maps = np.arange(deck.num_cards)[None, :]
    if isomorphism:
        maps = _symmetries(deck, ranking, hole_cards + len(board) + sum(new_cards) + later_cards)
    columns = (*ranges, *apart)
    card_maps, hand_maps = [], []
    for card_map in maps:
        if {int(card_map[c]) for c in board} != set(board):
            continue
        hand_map = hand_index(np.sort(card_map[hands], axis=1)).astype(np.int64)
        if all(np.array_equal(c[hand_map], c) for c in columns) and (kept is None or kept(card_map, hand_map)):
            card_maps.append(card_map)
            hand_maps.append(hand_map)
    return DealRoot(
        deck,
        hands,
        ranges,
        tuple(sorted(board)),
        new_cards,
        ranking,
        np.stack(card_maps),
        np.stack(hand_maps),
        tuple(apart),
    )


def merge_equivalent(root: DealRoot, rows: int | None = None) -> DealRoot:
    """Merge strategically equivalent hands and boards, if at most one card is to come before the showdown.

    Parameters
    ----------
    root:
        The root of the deal tree.  With more than one card to come it is returned unchanged.
    rows:
        Number of rows of the last street's betting tree.  With a card to come, merging takes 10 to 30 ms and is skipped
        if it would save less.  With None it is always done.
    """
    if root.new_cards not in ((), (1,)):
        return root
    deck, hands = root.deck, root.hands.astype(np.int16)
    if not root.new_cards:
        strength = strengths_on_board(root.board, hands, deck, root.ranking)
        return replace(
            root, equivalence=equivalent_at_showdown(root.hands, deck.num_cards, strength, root.weights, root.apart)
        )
    apart = distinguished_hands(root.hands, _labels(root), root.weights, root.apart)
    if rows is not None:
        smallest = root.hand_maps.min(axis=0) == np.arange(len(hands))
        before = int(np.count_nonzero(smallest & (apart >= 0)))
        if (1.0 - (apart.max() + 1) / before) * rows < WORTH_MERGING:
            return root
    cards = np.delete(np.arange(deck.num_cards), root.board)
    boards = np.concatenate([np.tile(root.board, (len(cards), 1)), cards[:, None]], axis=1).astype(np.int16)
    strength = strengths_on_boards(boards, hands, deck, root.ranking)
    found = equivalent_before_last_card(root.hands, deck.num_cards, root.board, strength, apart)
    return root if found is None else replace(root, equivalence=found)


def _labels(root: DealRoot) -> NDArray[np.int64]:
    """Return int64[cards]: what tells cards apart with one to come: ranks, and suits with two on the board."""
    cards = np.arange(root.deck.num_cards)
    suits = cards % root.deck.num_suits
    flushes = np.bincount(suits[list(root.board)], minlength=root.deck.num_suits) >= 2
    return np.where(flushes[suits], cards, root.deck.num_cards + cards // root.deck.num_suits)


def _symmetries(deck: Deck, ranking: HandRanking, most_cards: int) -> NDArray[np.int64]:
    """Return int64[G, cards]: the maps of the cards under which the rules stay the same.

    With fewer than five cards at the showdown of the standard ranking there is no flush, so the suits of each rank may
    be permuted independently.  That larger group is used if it is small enough to be listed.
    """
    suits = deck.num_suits
    perms = np.array(list(permutations(range(suits))), dtype=np.int64)
    ranks = np.arange(deck.num_ranks)[:, None] * suits
    apart = ranking is HandRanking.STANDARD and most_cards < 5
    if apart and len(perms) ** deck.num_ranks <= MAX_SYMMETRIES:
        choices = product(range(len(perms)), repeat=deck.num_ranks)
        return np.array([(ranks + perms[list(choice)]).ravel() for choice in choices])
    return np.array([(ranks + perm).ravel() for perm in perms])
