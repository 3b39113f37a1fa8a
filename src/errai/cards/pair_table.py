"""The number of boards on which each hand beats each other hand, before the flop.

Boards that differ only by a renaming of suits are evaluated once: 134,459 of hold'em's 2,598,960.  For each of them the
native evaluator gives the strengths of all hands, and wins are counted for all pairs.  The sums over isomorphic boards
follow by renaming the suits of the hands.  This takes about a minute, so hold'em's table comes with the package, with
one number for each pair of hands up to suits.  ``python -m errai.cards.pair_table FILE`` computes it again.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from functools import cached_property, lru_cache
from math import comb
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from errai.cards import _cards
from errai.cards.deck import FULL_DECK, Deck
from errai.cards.hands import hand_cards, hand_permutation, share_a_card, suit_permutations
from errai.cards.isomorphism import HandIndexer, orbit_sizes
from errai.cards.strength import HandRanking, strengths_on_boards
from errai.data import shipped_file
from errai.errors import DamagedFileError
from errai.store.container import open_container, write_container

SHIPPED = "pair-wins.errai"
"""The file in the package with the wins of two-card hands over all boards of five cards from the full deck."""

SHIPPED_CARDS = (FULL_DECK, 2, 5, HandRanking.STANDARD)
"""Deck, private cards, board cards and ranking of the table that comes with the package."""

KIND = "pair-wins"

_PACKED_BYTES = 3
"""Bytes per number in the file; there are 1,712,304 boards."""
BOARDS_AT_ONCE = 1_200
"""Number of boards whose strengths are made together: hold'em's take 6 MB."""

Hands = NDArray[np.integer]


@dataclass(frozen=True, eq=False)
class PairTable:
    """Wins of every hand against every other one over all boards; ``C`` hands up to suits, ``H`` hands."""

    deck: Deck
    hole_cards: int
    board_cards: int
    rows: NDArray[np.int32]
    """int32[C, H]: the number of boards that the first hand of each class wins against each hand."""

    @property
    def boards(self) -> int:
        """Number of boards that share no card with a given pair of hands."""
        return comb(self.deck.num_cards - 2 * self.hole_cards, self.board_cards)

    @cached_property
    def _suits(self) -> _Suits:
        return _Suits(self.deck, self.hole_cards)

    def wins(self, first: Hands, second: Hands) -> NDArray[np.int32]:
        """Return int32[F, S]: on how many boards the first hands win; meaningless for pairs that share a card.

        ``first`` and ``second``, integers[F] and integers[S], are indices of hands.
        """
        suits = self._suits
        return np.asarray(self.rows[suits.class_of[first][:, None], suits.maps[suits.renaming[first]][:, second]])

    def margins(self, first: Hands, second: Hands) -> NDArray[np.int32]:
        """Return the boards that hands win minus those that they lose; parameters and result as for :meth:`wins`."""
        return np.asarray(self.wins(first, second) - self.wins(second, first).T)


class _Suits:
    """The classes of hands up to suits, and the renamings that map hands to each other."""

    def __init__(self, deck: Deck, hole_cards: int) -> None:
        self.maps = np.stack([hand_permutation(deck, hole_cards, perm) for perm in suit_permutations(deck.num_suits)])
        """int32[G, H]: the renamings of the suits as maps of hands."""
        self.first, self.class_of = np.unique(self.maps.min(axis=0), return_inverse=True)
        """integers[C]: the first hand of each class; integers[H]: the class of each hand."""
        self.renaming = self.maps.argmin(axis=0)
        """integers[H]: the number of the map that takes a hand to the first of its class."""

    def pairs(self, deck: Deck, hole_cards: int) -> tuple[NDArray[np.bool_], NDArray[np.int32]]:
        """Return which pairs [C, H] are stored, and for every pair the second hand of the one that stands for it."""
        bits = (1 << hand_cards(deck.num_cards, hole_cards).astype(np.int64)).sum(axis=1)
        apart = (bits[self.first][:, None] & bits) == 0
        stays = self.maps[:, self.first] == self.first
        smallest = np.empty(apart.shape, dtype=np.int32)
        # Hands of one kind are left unchanged by the same renamings.
        kinds = (1 << np.arange(len(stays))) @ stays
        for kind, example in zip(*np.unique(kinds, return_index=True), strict=True):
            smallest[kinds == kind] = self.maps[stays[:, example]].min(axis=0)
        return apart & (smallest == np.arange(len(bits))), smallest


@lru_cache(maxsize=4)
def pair_table(deck: Deck, hole_cards: int, board_cards: int, ranking: HandRanking) -> PairTable:
    """Return the table for some cards.  Hold'em's is in the package; others are counted and cached in this process.

    Raises :class:`ArtefactError` if the installation is damaged.
    """
    if (deck, hole_cards, board_cards, ranking) != SHIPPED_CARDS:
        return count_pairs(deck, hole_cards, board_cards, ranking)
    packed = open_container(shipped_file(SHIPPED), KIND).read("wins")
    taken, smallest = _Suits(deck, hole_cards).pairs(deck, hole_cards)
    rows = np.zeros(taken.shape, dtype=np.int32)
    if packed.dtype != np.uint8 or packed.shape != (np.count_nonzero(taken), _PACKED_BYTES):
        raise DamagedFileError(f"{SHIPPED} of the package does not hold what it should; install the package again.")
    rows[taken] = packed @ (1 << 8 * np.arange(_PACKED_BYTES))
    return PairTable(deck, hole_cards, board_cards, np.take_along_axis(rows, smallest, axis=1))


@lru_cache(maxsize=1)
def equities_against_random() -> NDArray[np.float64]:
    """Return float64[1326], read-only: the equity of each hold'em hand against a hand dealt at random, before the flop.

    Hands that differ only in suits have the same equity, to the bit.

    Examples
    --------
    >>> bool(round(float(equities_against_random()[-1]), 6) == 0.852037)  # aces
    True
    """
    table = pair_table(*SHIPPED_CARDS)
    suits, cards = table._suits, hand_cards(FULL_DECK.num_cards, 2)
    every = np.arange(len(cards))
    apart = ~share_a_card(cards[suits.first], cards)
    margins = np.where(apart, table.margins(suits.first, every), 0).sum(axis=1, dtype=np.int64)
    found = 0.5 + 0.5 * margins / (table.boards * apart.sum(axis=1))
    equities = np.asarray(found[suits.class_of])
    equities.setflags(write=False)
    return equities


def write_pair_table(path: str | Path, table: PairTable) -> None:
    """Write a table as it is shipped: pairs up to suits that share no card, with three bytes per number."""
    taken, _ = _Suits(table.deck, table.hole_cards).pairs(table.deck, table.hole_cards)
    packed = table.rows[taken].astype("<i4")[:, None].view(np.uint8)[:, :_PACKED_BYTES]
    write_container(path, KIND, {}, {"wins": np.ascontiguousarray(packed)})


def count_pairs(deck: Deck, hole_cards: int, board_cards: int, ranking: HandRanking) -> PairTable:
    """Compute :func:`pair_table` by evaluating all boards up to suits."""
    hands = hand_cards(deck.num_cards, hole_cards)
    indexer = HandIndexer((board_cards,), deck)
    boards = indexer.unindex(np.arange(indexer.size(0)), 0)
    times = orbit_sizes(deck, boards, (board_cards,))
    wins = np.zeros((len(hands), len(hands)), dtype=np.int32)
    for size in np.unique(times).tolist():
        add_wins(wins, size, boards[times == size], hands, deck, ranking)
    suits = _Suits(deck, hole_cards)
    rows = np.zeros((len(suits.first), len(hands)), dtype=np.int64)
    for to in suits.maps:
        rows += wins[to[suits.first][:, None], to]
    return PairTable(deck, hole_cards, board_cards, (rows // len(suits.maps)).astype(np.int32))


def add_wins(
    wins: NDArray[np.int32],
    times: int,
    boards: NDArray[np.int16],
    hands: NDArray[np.int16],
    deck: Deck,
    ranking: HandRanking,
) -> None:
    """Add to ``wins``, int32[H, H], on how many boards hand i beats hand j, each board counted ``times`` times.

    ``boards``, int16[B, n], and ``hands``, int16[H, k], are cards.
    """
    for start in range(0, len(boards), BOARDS_AT_ONCE):
        some = strengths_on_boards(boards[start : start + BOARDS_AT_ONCE], hands, deck, ranking)
        _cards.count_wins(some, times, wins)


if __name__ == "__main__":
    write_pair_table(sys.argv[1], count_pairs(*SHIPPED_CARDS))
