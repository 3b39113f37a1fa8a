"""Buckets told apart by what the board is like: for an opponent who looks at it.

Imperfect-recall buckets by what hands win forget the board.  Somebody who remembers it can respond to how a strategy
over such buckets happens to be composed there.  The *texture* of a board is how many cards of a suit and of a rank lie
there, how high the highest is, and how many ranks lie within five that follow each other.
"""

from __future__ import annotations

import hashlib

import numpy as np
from numpy.typing import NDArray

from errai.abstraction.deals import Deals
from errai.blueprints.abstractions import Abstraction

Texture = tuple[tuple[int, ...], tuple[int, ...], int, int]

_STRAIGHT = 5


def texture(board: tuple[int, ...], num_suits: int, num_ranks: int) -> Texture:
    """Cards of each suit and of each rank, most first; how far the highest rank is from the top, on a scale of powers
    of two; and the most ranks within five in a row, the highest of the deck being low as well."""
    suits = [card % num_suits for card in board]
    ranks = [card // num_suits for card in board]
    held = {*ranks, *(-1 for rank in ranks if rank == num_ranks - 1)}
    together = max((sum(low <= rank < low + _STRAIGHT for rank in held) for low in held), default=0)
    return (_counts(suits), _counts(ranks), (num_ranks - 1 - max(ranks, default=0)).bit_length(), together)


def _counts(values: list[int]) -> tuple[int, ...]:
    return tuple(sorted((values.count(value) for value in set(values)), reverse=True))


class ByTexture:
    """Each bucket of another abstraction is divided by the texture of the board."""

    def __init__(self, inner: Abstraction) -> None:
        self.inner = inner
        self.game = inner.game
        self._textures: dict[int, dict[Texture, int]] = {}

    def _of_round(self, round: int) -> dict[Texture, int]:
        """All textures that the boards of a round have, numbered."""
        if round not in self._textures:
            boards = Deals(self.game).boards(round)[0].tolist() if self.game.board_cards_in(round) else [[]]
            every = sorted({self._texture(tuple(board)) for board in boards})
            self._textures[round] = {one: i for i, one in enumerate(every)}
        return self._textures[round]

    def num_textures(self, round: int) -> int:
        """How many textures the boards of a round have."""
        return len(self._of_round(round))

    def num_buckets(self, round: int) -> int:
        """See :meth:`Abstraction.num_buckets`."""
        return self.num_textures(round) * self.inner.num_buckets(round)

    def buckets(self, board: tuple[int, ...], round: int) -> NDArray[np.int32]:
        """See :meth:`Abstraction.buckets`."""
        found = self.inner.buckets(board, round)
        first = self._of_round(round)[self._texture(board)] * self.inner.num_buckets(round)
        return np.where(found < 0, found, found + np.int32(first))

    def digest(self) -> str:
        """See :meth:`Abstraction.digest`."""
        return hashlib.sha256(f"{self.inner.digest()}|by texture".encode()).hexdigest()

    def _texture(self, board: tuple[int, ...]) -> Texture:
        return texture(board, self.game.deck.num_suits, self.game.deck.num_ranks)
