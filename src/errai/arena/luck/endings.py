"""The exact value of a hand once betting is over, over the boards that may still come."""

from __future__ import annotations

import numpy as np

from errai.arena.luck.deals import Hands, Pairs
from errai.cards.run_outs import RunOuts
from errai.games.hand import PublicState


def ending(state: PublicState, first: Hands, second: Hands, run_outs: RunOuts) -> Pairs:
    """float64[F, S]: chips that seat 0 is expected to win where betting is over: a fold, a showdown, or all-in."""
    betting = state.betting
    stake = betting.stake_chips + state.dead_chips
    if betting.folded >= 0:
        return np.full((len(first), len(second)), stake if betting.folded == 1 else -stake)
    return stake * run_outs.margins(state.board, first, second)
