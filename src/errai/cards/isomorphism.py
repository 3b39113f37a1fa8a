"""Suit isomorphism: the number of deals up to a renaming of suits, and a gapless index for them.

A deal is a sequence of rounds, each a set of cards: for hold'em the hand, the flop, the turn and the river.  Two deals
are isomorphic if one renaming of suits maps every round of one to that of the other.  Rounds are distinguished: a card
of the hand is not a card of the flop, and the turn is not the river.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from math import factorial, prod

import numpy as np
from numpy.typing import ArrayLike, NDArray

from errai.cards import _cards
from errai.cards.deck import FULL_DECK, Deck, card_sets, explain, native_rows
from errai.cards.hands import permute_cards, suit_permutations
from errai.errors import CardsError

_MAX_SIZE = 2**58
_MAX_SHAPES = 2**22


def canonical_count(num_ranks: int, num_suits: int, cards_per_round: Sequence[int]) -> list[int]:
    """Return the exact number of deals up to a renaming of suits, after each round of some cards, such as (2, 3, 1, 1).

    By Burnside's lemma this is the mean, over all renamings, of the number of deals that a renaming leaves unchanged.
    Such a deal has all cards of one rank in a cycle of suits in the same round or in none.  Their number is therefore
    the coefficient of x1^n1 x2^n2 ... in the product of (1 + x1^c + x2^c + ...) over ranks and cycles of length c.

    Raises :class:`CardsError` if a number of cards is negative, or the deck does not have so many.
    """
    rounds = tuple(int(cards) for cards in cards_per_round)
    if num_ranks < 1 or num_suits < 1 or any(cards < 0 for cards in rounds):
        raise CardsError("A deal needs at least one rank and one suit, and no negative number of cards.")
    if sum(rounds) > num_ranks * num_suits:
        raise CardsError(f"{sum(rounds)} cards cannot be dealt from a deck of {num_ranks * num_suits}.")
    return [_orbits(num_ranks, num_suits, rounds[: last + 1]) for last in range(len(rounds))]


@lru_cache(maxsize=256)
def _orbits(num_ranks: int, num_suits: int, rounds: tuple[int, ...]) -> int:
    fixed: dict[tuple[int, ...], int] = {}
    total = 0
    for perm in suit_permutations(num_suits):
        cycles = _cycle_lengths(perm)
        if cycles not in fixed:
            fixed[cycles] = _fixed_deals(num_ranks, cycles, rounds)
        total += fixed[cycles]
    return total // factorial(num_suits)


def _cycle_lengths(perm: Sequence[int]) -> tuple[int, ...]:
    lengths = []
    left = set(range(len(perm)))
    while left:
        first = suit = left.pop()
        length = 1
        while perm[suit] != first:
            suit = perm[suit]
            left.remove(suit)
            length += 1
        lengths.append(length)
    return tuple(sorted(lengths))


def _fixed_deals(num_ranks: int, cycles: tuple[int, ...], rounds: tuple[int, ...]) -> int:
    """Return the number of deals that a renaming with these cycle lengths leaves unchanged."""
    ways = {rounds: 1}  # cards still missing in each round -> ways to have come there
    for length in cycles:
        for _ in range(num_ranks):
            after = dict(ways)
            for missing, count in ways.items():
                for i, cards in enumerate(missing):
                    if cards >= length:
                        less = (*missing[:i], cards - length, *missing[i + 1 :])
                        after[less] = after.get(less, 0) + count
            ways = after
    return ways.get((0,) * len(rounds), 0)


def orbit_sizes(deck: Deck, deals: NDArray[np.integer], rounds: Sequence[int]) -> NDArray[np.int64]:
    """Return int64[n]: how many different deals renamings of the suits make of each deal, integers[n, cards]."""
    # The size of an orbit is the number of renamings divided by the number of those that leave the deal unchanged.
    ends = np.cumsum(rounds)[:-1]

    def in_order(cards: NDArray[np.integer]) -> NDArray[np.integer]:
        return np.concatenate([np.sort(part, axis=1) for part in np.split(cards, ends, axis=1)], axis=1)

    ordered = in_order(deals)
    renamings = suit_permutations(deck.num_suits)
    same = np.zeros(len(deals), dtype=np.int64)
    for perm in renamings:
        same += (in_order(permute_cards(deck, deals, perm)) == ordered).all(axis=1)
    return np.asarray(len(renamings) // same)


class HandIndexer:
    """Maps deals up to a renaming of suits to gapless numbers, and back.

    The method is Waugh's ("A fast and optimal hand isomorphism algorithm", 2013).  For hold'em, rounds (2, 3, 1, 1),
    the sizes are 169; 1,286,792; 55,190,538; 2,428,287,420.  Rounds are counted from 0; the index after a round covers
    all cards dealt so far.  Raises :class:`CardsError` if a round has no card, the deck is too small, or the game is
    too large to be indexed.
    """

    def __init__(self, rounds: Sequence[int] = (2, 3, 1, 1), deck: Deck = FULL_DECK) -> None:
        self.rounds = tuple(int(cards) for cards in rounds)
        self.deck = deck
        if not self.rounds or min(self.rounds) < 1:
            raise CardsError(f"Rounds of {self.rounds} cards cannot be indexed; deal at least one card in each.")
        sizes = canonical_count(deck.num_ranks, deck.num_suits, self.rounds)
        shapes = prod(cards + 1 for cards in self.rounds)
        if max(sizes) >= _MAX_SIZE or shapes >= 2**15 or shapes ** (deck.num_suits - 1) > _MAX_SHAPES:
            raise CardsError(
                f"Rounds of {self.rounds} cards make {max(sizes)} deals up to suits, which is too many to index; "
                "index fewer cards or rounds."
            )
        self._cards_dealt = tuple(sum(self.rounds[: last + 1]) for last in range(len(self.rounds)))
        self._native = _cards.Indexer(deck.num_ranks, deck.num_suits, list(self.rounds))

    def size(self, round: int) -> int:
        """Return the number of deals up to suits after a round; raises :class:`CardsError` if there is none."""
        if not 0 <= round < len(self.rounds):
            raise CardsError(f"There is no round {round}; rounds are numbered 0 to {len(self.rounds) - 1}.")
        return self._native.size(round)

    def index(self, cards: ArrayLike) -> NDArray[np.int64]:
        """Return int64[...]: the number of each deal, from 0 to ``size(round) - 1``.

        ``cards`` is integers[..., n]: the cards of round 0, then those of round 1 and so on, those of a round in any
        order; n says after which round.  Raises :class:`CardsError` if n does not end a round, or a deal repeats a card
        or has one that is not in the deck.
        """
        array = card_sets(cards)
        if array.shape[-1] not in self._cards_dealt:
            raise CardsError(f"{array.shape[-1]} cards do not end a round; expected one of {self._cards_dealt}.")
        rows = native_rows(array)
        result = np.empty(len(rows), dtype=np.int64)
        bad = self._native.index(self._cards_dealt.index(array.shape[-1]), rows, result)
        if bad >= 0:
            raise CardsError(f"Deal number {bad}, {explain(rows[bad], self.deck)}")
        return result.reshape(array.shape[:-1])

    def index_hands(
        self, boards: NDArray[np.int16], hands: NDArray[np.int16], *, threads: int = 1
    ) -> NDArray[np.int64]:
        """Return int64[B, H]: the number of every hand with every board, as many calls of `index` would.

        ``hands`` is int16[H, k], the cards of round 0, and ``boards`` int16[B, m], those of the other rounds in their
        order.  The number is -1 if a hand and a board share a card, or one of them is not a set of different cards of
        the deck.  Raises :class:`CardsError` if k + m does not end a round, or round 0 has not k cards.
        """
        dealt = hands.shape[1] + boards.shape[1]
        if hands.shape[1] != self.rounds[0] or dealt not in self._cards_dealt:
            raise CardsError(f"{dealt} cards do not end a round; expected one of {self._cards_dealt}.")
        out = np.empty((len(boards), len(hands)), dtype=np.int64)
        board_rows, hand_rows = (np.ascontiguousarray(cards, dtype=np.int16) for cards in (boards, hands))
        self._native.index_hands(self._cards_dealt.index(dealt), board_rows, hand_rows, threads, out)
        return out

    def unindex(self, indices: ArrayLike, round: int) -> NDArray[np.int16]:
        """Return a deal for each number, integers[...]; `index` maps it back to that number.

        The deals are int16[..., n]: the cards of round 0, then those of round 1 and so on, ascending within a round.
        Raises :class:`CardsError` if there is no such round, or a number is out of bounds.
        """
        size = self.size(round)
        array = np.asarray(indices)
        if not np.issubdtype(array.dtype, np.integer):
            raise CardsError("The numbers of deals must be integers.")
        if array.size and (array.min() < 0 or array.max() >= size):
            raise CardsError(f"After round {round}, deals are numbered 0 to {size - 1}.")
        flat = np.ascontiguousarray(array, dtype=np.int64).reshape(-1)
        cards = np.empty((len(flat), self._cards_dealt[round]), dtype=np.int16)
        self._native.unindex(round, flat, cards)
        return cards.reshape(*array.shape, -1)
