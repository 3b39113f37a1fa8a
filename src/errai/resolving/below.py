"""What stands below a lookahead that is cut: the seam between a player who re-solves and whatever values the rest.

Continual re-solving (Moravčík et al., "DeepStack: expert-level artificial intelligence in heads-up no-limit poker",
Science 356, 2017) solves the street that is being played and takes the rest from elsewhere: in DeepStack from value
networks, here from exact solves, continuations of a blueprint, or networks.  Two questions are asked.  While the
lookahead is solved: what are its leaves worth, given what both players bring there?  And when the cards have been
dealt: what are the opponent's hands worth on this very board, so that he can be held to it?
"""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from errai.engine.leaf_values import LeafValues
from errai.games.hand import PublicState
from errai.games.lookahead import Lookahead

Ranges = tuple[NDArray[np.float64], NDArray[np.float64]]
"""float64[H] by seat, over all hands of the deck in hand-index order: weights of any scale, 0 for dead hands."""


class Below(Protocol):
    """Whoever says what the rest of the game is worth below a lookahead that is cut at the end of a street."""

    name: str
    """Whose values they are, for people and files."""

    def leaf_values(self, lookahead: Lookahead) -> LeafValues:
        """What stands below the leaves of a lookahead; made anew for each, so that it may learn with its trunk."""

    def values(self, state: PublicState, ranges: Ranges, player: int) -> NDArray[np.float64]:
        """float64[H]: a player's counterfactual values on a new street, where the cards are dealt and nobody has acted.

        Net chips over the whole hand (half of a spot's pot counts as put in), summed over the other player's hands
        that share no card with the own one and weighted by the other one's range as it is given, never normalised:
        scaling that range by c scales the values by c.  0 for hands that hold a card of the board.
        """
