"""Hand ranks, and the distribution of the opponent's hand ranks at the showdown.

The *hand rank* (HR) of a hand on a final board is the share of the opponent's possible hands that it beats, ties
counting half: 0 is the worst, 1 the best.  A histogram of the opponent's hand ranks at a showdown, in ``CELLS`` cells
of equal width, gives the probability with which any hand wins there.  Inside a cell the hand ranks are taken as
uniformly distributed, so that this probability is linear between the cells' edges, the *knots*.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from errai.cards.hands import hand_cards
from errai.cards.strength import strengths_on_boards
from errai.games.game import Game

CELLS = 20
"""Cells of a histogram, as in the paper."""

KNOTS = CELLS + 1


def cell(rank: float) -> int:
    """Return the cell of a hand rank; the last cell includes 1."""
    return min(int(rank * CELLS), CELLS - 1)


def win_probability(histograms: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the probability to beat the opponent at the knots, float64[..., KNOTS], from float64[..., CELLS]."""
    won = np.zeros((*histograms.shape[:-1], KNOTS))
    np.cumsum(histograms, axis=-1, out=won[..., 1:])
    return won


def knot_weights(ranks: NDArray[np.floating]) -> NDArray[np.float64]:
    """Return float64[KNOTS, n]: the weights of the knots in the value at each hand rank; columns sum to 1."""
    place = np.clip(np.asarray(ranks, dtype=np.float64), 0.0, 1.0) * CELLS
    low = np.minimum(place.astype(np.int64), CELLS - 1)
    weights = np.zeros((KNOTS, len(place)))
    columns = np.arange(len(place))
    weights[low, columns] = 1.0 - (place - low)
    weights[low + 1, columns] = place - low
    return weights


def hand_ranks(game: Game, hole: tuple[int, ...], boards: NDArray[np.integer]) -> NDArray[np.float64]:
    """Return the hand rank of one hand on each of some final boards.

    Parameters
    ----------
    hole:
        The private cards.
    boards:
        integers[B, m]: final boards, none of which has a card of the hand.

    Returns
    -------
    float64[B]: ranks against all hands that share no card with the hand and the board.
    """
    strengths = strengths_on_boards(boards, _own_hand_first(game, tuple(sorted(hole))), game.deck, game.ranking)
    own, others = strengths[:, :1], strengths[:, 1:]
    possible = np.count_nonzero(others >= 0, axis=1)
    # Blocked hands have the strength -1, below any other, and are subtracted again.
    beaten = np.count_nonzero(others < own, axis=1) - (others.shape[1] - possible)
    tied = np.count_nonzero(others == own, axis=1)
    return np.asarray((beaten + 0.5 * tied) / np.maximum(possible, 1))


@lru_cache(maxsize=4_096)
def _own_hand_first(game: Game, hole: tuple[int, ...]) -> NDArray[np.int16]:
    """Return the hand, followed by all hands that share no card with it."""
    hands = hand_cards(game.deck.num_cards, game.num_hole_cards)
    apart = ~np.isin(hands, hole).any(axis=1)
    found = np.concatenate([np.array([hole], dtype=np.int16), hands[apart]])
    found.setflags(write=False)
    return found
