"""Inputs and outputs of networks: public states at the beginning of a street, with both players' ranges there.

A *position* is a board, the two ranges, and the ratio of the chips left to bet to the pot.  All quantities are relative
to the pot and by the order of acting, so that one network serves every blind, seat and stack:

- player 0 of a position is the one who acts first on the street, in any seat, and player 1 is the other one;
- each player has put half of the pot in; ``stack`` is what each player can still bet, in pots;
- ranges are weights over all hands of the deck in hand-index order that sum to 1, 0 for hands that hold a card of the
  board;
- values are counterfactual values in pots: net chips over the whole hand divided by the pot (half of the pot counts as
  put in by each), summed over the opponent's hands that share no card with the player's hand, weighted by the
  opponent's range.  They are 0 for hands that hold a card of the board.

With these units the values of both players, each weighted by the player's own range, sum to 0, and the bets so far do
not matter.  DeepStack's unit is what one player has put in, half a pot, so its losses are those of values that are
twice as large.
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
    """A network's values on one board, for which everything that depends on the cards alone has been computed."""

    hands: NDArray[np.int64]
    """int64[L]: the selected hands that hold no card of the board, ascending, as indices into all of the deck."""

    def values(self, ranges: Floats, stacks: Floats) -> Floats:
        """Counterfactual values in pots, float32[Q, P, L], for Q positions on this board.

        ``ranges`` is float32[Q, P, L], each summing to 1, and ``stacks`` float32[Q], in pots.
        """


class ValueNet(Protocol):
    """A network, or anything else that estimates the values of one game's positions."""

    @property
    def name(self) -> str:
        """Its name, for messages and files."""

    @property
    def digest(self) -> str:
        """A digest that distinguishes it from others of the same name."""

    @property
    def round(self) -> int:
        """The round of the game at whose beginning it gives values, counted from 0."""

    def on(self, board: tuple[int, ...], among: NDArray[np.int64] | None = None) -> BoardValues:
        """Its values on a board, whose cards may come in any order.

        ``among``, int64[M] and ascending, selects hands: all other hands have weight 0 in both ranges, and their values
        are not needed.  None selects all hands.  A hand's value does not depend on which other hands are selected.
        """
