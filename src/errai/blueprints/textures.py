"""Buckets divided by the texture of the board, for an opponent who remembers the board.

Imperfect-recall buckets that depend on the strength of hands forget the board.  An opponent who remembers it can
exploit the mixture of hands that a bucket happens to have there.  The *texture* of a board is the numbers of cards of
equal suit and of equal rank, the height of its highest card, and the largest number of its ranks within five
consecutive ones.
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
    """Return what tells boards apart in play.

    These are the numbers of cards of each suit and of each rank, descending; the distance of the highest rank from the
    top, on a scale of powers of two; and the most ranks within five in a row, with the highest of the deck also low.
    """
    suits = [card % num_suits for card in board]
    ranks = [card // num_suits for card in board]
    held = {*ranks, *(-1 for rank in ranks if rank == num_ranks - 1)}
    together = max((sum(low <= rank < low + _STRAIGHT for rank in held) for low in held), default=0)
    return (_counts(suits), _counts(ranks), (num_ranks - 1 - max(ranks, default=0)).bit_length(), together)


def _counts(values: list[int]) -> tuple[int, ...]:
    return tuple(sorted((values.count(value) for value in set(values)), reverse=True))


class ByTexture:
    """An abstraction that divides each bucket of another one by the texture of the board."""

    def __init__(self, inner: Abstraction) -> None:
        self.inner = inner
        self.game = inner.game
        self._textures: dict[int, dict[Texture, int]] = {}

    def _of_round(self, round: int) -> dict[Texture, int]:
        """Return all textures of the boards of a round, numbered."""
        if round not in self._textures:
            boards = Deals(self.game).boards(round)[0].tolist() if self.game.board_cards_in(round) else [[]]
            every = sorted({self._texture(tuple(board)) for board in boards})
            self._textures[round] = {one: i for i, one in enumerate(every)}
        return self._textures[round]

    def num_textures(self, round: int) -> int:
        """Return the number of textures of the boards of a round."""
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
