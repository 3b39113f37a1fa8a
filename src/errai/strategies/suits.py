"""One query for all boards that are equal up to a renaming of suits."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from errai.games.game import Subject
from errai.games.hand import PublicState
from errai.strategies.strategy import Choices, Strategy, asked, name_of, require_same
from errai.tree.deal_root import deal_root


class SuitsAlike:
    """Queries a strategy on a representative of each board, and renames the suits of the answer.

    A strategy that computes its answers gives equal answers on isomorphic boards only up to rounding, and computes each
    of them; through this class it computes one.  The representative is the smallest of the boards to which a symmetry
    of the game or spot leads, with the cards of every street in ascending order; the symmetries are those that leave a
    spot's ranges in place.  The strategy must be symmetric under those that keep a representative in place.
    """

    suits_alike = True

    def __init__(self, asked: Strategy, subject: Subject) -> None:
        self.asked = asked
        self.subject = subject
        self.name = name_of(asked)
        game = subject.rules
        self._root = deal_root(
            game.deck,
            game.num_hole_cards,
            tuple(game.num_board_cards[subject.first_round + 1 :]),
            board=subject.board,
            weights=subject.given_weights,
            ranking=game.ranking,
        )
        self._given = len(subject.board)
        self._known: dict[tuple[int, ...], tuple[tuple[int, ...], NDArray[np.int64]]] = {}

    def require(self, subject: Subject) -> None:
        """Raise :class:`StrategyError` if another game is played."""
        require_same(self.subject, subject, self.name)

    def strategy(self, state: PublicState) -> Choices:
        """See :meth:`~errai.strategies.strategy.Strategy.strategy`."""
        board, hands = self.representative(state.board)
        choices = asked(self.asked, replace(state, board=board))
        return Choices(choices.actions, choices.probabilities[hands])

    def representative(self, board: tuple[int, ...]) -> tuple[tuple[int, ...], NDArray[np.int64]]:
        """Return the board that is queried, and int64[H]: which hand there corresponds to each hand on this board."""
        if board in self._known:
            return self._known[board]
        images = self._root.symmetries[:, list(board[self._given :])]
        first = 0
        for count in self._root.new_cards:
            images[:, first : first + count].sort(axis=1)
            first += count
        chosen = int(np.lexsort(images.T[::-1])[0]) if images.shape[1] else 0
        cards = (*board[: self._given], *images[chosen].tolist())
        return self._known.setdefault(board, (cards, self._root.hand_maps[chosen]))
