"""What a network is asked: public states at which a street begins, with what both players bring there.

A *position* is a board, the two ranges, and how much is left to bet beside what lies in the pot.  Everything is stated
relative to the pot and by the order of acting, so that one network serves every blind, seat and stack:

- player 0 of a position is who acts first on the street, whatever his seat, and player 1 the other one;
- both have put the same into the pot, half of it each; ``stack`` is what each can still bet, in pots;
- ranges are weights over all hands of the deck in hand-index order that sum to 1, 0 for hands that hold a card of the
  board;
- values are counterfactual values in pots: net chips over the whole hand divided by the pot (half of the pot counts as
  put in by each), summed over the opponent's hands that share no card with the own one, weighted by his range.  They
  are 0 for hands that hold a card of the board.

With these units the values of both players, each weighted by his own range, add up to 0, and what is bet never enters.
DeepStack's unit is what one player has put in, half a pot, so its losses are those of values that are twice as large.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class Positions:
    """Positions of one game at the beginning of one round.  Axes: N positions, P = 2 players, H hands of the deck."""

    boards: NDArray[np.uint8]
    """uint8[N, n]: the cards on the table, ascending."""
    ranges: Floats
    """float32[N, P, H]: each sums to 1."""
    stacks: Floats
    """float32[N]: what each player can still bet, in pots; above 0."""

    def __len__(self) -> int:
        return len(self.boards)


class BoardValues(Protocol):
    """What a network says on one board: whatever depends on the cards alone has been computed."""

    hands: NDArray[np.int64]
    """int64[L]: the hands in question that hold no card of the board, ascending, as indices into all of the deck."""

    def values(self, ranges: Floats, stacks: Floats) -> Floats:
        """Counterfactual values in pots, float32[Q, P, L], for Q positions on this board.

        ``ranges`` is float32[Q, P, L], each summing to 1, and ``stacks`` float32[Q], in pots.
        """


class ValueNet(Protocol):
    """A network, or anything else that says what positions of one game are worth."""

    @property
    def name(self) -> str:
        """For people and files."""

    @property
    def digest(self) -> str:
        """What tells it from others of the same name."""

    @property
    def round(self) -> int:
        """The round of the game at whose beginning it is asked, counted from 0."""

    def on(self, board: tuple[int, ...], among: NDArray[np.int64] | None = None) -> BoardValues:
        """What it says on a board, whose cards may come in any order.

        ``among``, int64[M] and ascending, are the hands in question: nobody holds any other, and the values of others
        are not asked for.  None is all hands.  What a hand is worth does not depend on who else is in question.
        """
