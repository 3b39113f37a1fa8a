"""Income rates: the value of a starting hand, from roll-outs.

Papp (1998), section 5.1 and appendix A; Billings et al. (2002), section 5.1.  A roll-out deals both hands and the whole
board and has no bets after the first.  In the first round of roll-outs no hand folds; in each later one, hands fold
that won less in the round before than folding costs.

With two players and only the blinds to win, the price of playing decides which hands play: here it is ``PRICE`` bets of
the first round, a raise and its call, and folding costs the blind.  Rates are returns: net winnings for each chip put
in, so that a rate of the first round is twice the probability to win, minus one.

Boards are drawn once with a fixed seed, and all pairs of hands are rolled out on each: the table is the same
everywhere.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from errai.abstraction.deals import DealIndexer
from errai.abstraction.features import Wanted, board_sums
from errai.cards.hands import class_of_hand
from errai.games.catalogue import load_game

PRICE = 2.0
"""Price of playing a hand, in bets of the first round."""

BLINDS = (1.0, 0.5)
"""The big and the small blind, in bets of the first round."""

BOARDS = 4_096
"""Number of boards of the roll-outs."""

ROUNDS = 4
"""Rounds of roll-outs; the hands that play no longer change after fewer."""

CLASSES = 169

_AT_ONCE = 256


@lru_cache(maxsize=8)
def income_rates(rounds: int = ROUNDS, boards: int = BOARDS, seed: int = 0) -> NDArray[np.float64]:
    """Return what every hand wins when it is played, for each chip that it puts in.

    Parameters
    ----------
    rounds:
        Rounds of roll-outs; 1 means "always call".
    boards, seed:
        Number of boards to draw, and the seed.

    Returns
    -------
    float64[2, 1326], read-only: rates as the big and as the small blind, in hand-index order.
    """
    plays = np.ones((2, 1326), dtype=np.bool_)
    for _ in range(rounds):
        rates = _one_round(plays, boards, seed)
        played = rates >= -np.array(BLINDS)[:, None] / PRICE
        if (played == plays).all():
            break
        plays = played
    rates.setflags(write=False)
    return rates


def _one_round(plays: NDArray[np.bool_], boards: int, seed: int) -> NDArray[np.float64]:
    """Return float64[2, 1326]: rates against the hands that each seat plays, bool[2, 1326]."""
    won, possible = _showdowns((plays[0] + 2 * plays[1]).astype(np.int8), boards, seed)
    rates = np.empty((2, 1326))
    for seat in (0, 1):
        # Bit 1 - seat of the cluster says whether the other seat plays.
        faced = np.array([(cluster >> (1 - seat)) & 1 for cluster in range(4)], dtype=np.float64)
        called, all_ = possible @ faced, possible.sum(axis=1)
        # A hand that meets a fold wins the blind, for the price that it would have paid.
        rates[seat] = (2.0 * won @ faced - called + (all_ - called) * BLINDS[1 - seat] / PRICE) / all_
    return rates


def _showdowns(cluster: NDArray[np.int8], boards: int, seed: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return showdowns won and showdowns played against each of four clusters of hands: two float64[1326, 4].

    Hands of a class get equal numbers.
    """
    deals = DealIndexer(load_game("holdem.limit.2p"))
    rng = np.random.default_rng([seed, boards])
    drawn = np.sort(rng.random((boards, 52)).argpartition(5, axis=1)[:, :5], axis=1).astype(np.int16)
    total = np.zeros((1326, 2, 4))
    for first in range(0, boards, _AT_ONCE):
        sums = board_sums(deals, drawn[first : first + _AT_ONCE], Wanted(moments=False, cluster=cluster))
        total += sums.clusters[..., :4].sum(axis=0, dtype=np.float64)
    classes = class_of_hand()
    grouped = np.zeros((CLASSES, 2, 4))
    np.add.at(grouped, classes, total)
    # Both are counted twice, so that a tie is a whole number.
    return grouped[classes, 0] / 2.0, grouped[classes, 1] / 2.0
