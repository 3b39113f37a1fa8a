"""Betting by formula: probabilities to fold, call and raise, computed from an evaluation of the hand.

Before the flop an expert's rules on income rates choose how far a hand goes (Papp 1998, section 6.1 and appendix B:
Make0, Call1, Call2, Make2, Make4, with thresholds base + increment x position).  After it (sections 6.2 to 6.6):

- a hand whose EHS' is at least ``MAKE1`` bets if there is no bet yet, and calls one bet;
- at least ``MAKE2``: it raises a bet; at least ``MAKE4``: it raises again, as the strongest hands do before the flop;
- a *semi-bluff* bets if there is no bet yet and PPot would pay for the bet and the call of a raise;
- *pot odds*: it calls if PPot (HS on the last round) is above the call's share of the pot;
- *showdown odds*: it calls if EHS is above the share of the pot at the showdown that the calls until then cost.

As in Pena (MSc thesis, Alberta 1999), section 4.2, each rule is a ramp around its threshold instead of a step, so that
play near a threshold is mixed.

All functions work on many nodes at once; axis n.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from errai.agents.literature.poki.lines import BetLines

MAKE1, MAKE2, MAKE4 = 0.50, 0.85, 0.95
"""EHS' from which a hand bets, raises, and raises again; the first two are the papers'."""

WIDTH1, WIDTH2, WIDTH4 = 0.08, 0.06, 0.03
"""Half the width of the ramps at these thresholds."""

ODDS_WIDTH = 0.04
"""Half the width of the ramps at odds."""

BETS_PER_ROUND = 0.5
"""Bets that a call is expected to cost in each later round: an opponent bets about half of the time."""

PREFLOP_MAKE4, PREFLOP_MAKE2, PREFLOP_CALL2, PREFLOP_CALL1, PREFLOP_CALL_HALF = 0.24, 0.04, -0.16, -0.20, -0.24
"""Least income rates for raising to the cap, raising once, calling two raises, calling a raise, and calling half a bet.
"""

PREFLOP_POSITION = 0.04
"""How much lower the thresholds are for the player who acts last after the flop."""

PREFLOP_WIDTH = 0.03


class Worth(NamedTuple):
    """Evaluations of hands, one number for each node; float64[n]."""

    strength: NDArray[np.float64]
    positive: NDArray[np.float64]
    effective: NDArray[np.float64]
    winning: NDArray[np.float64]
    income: NDArray[np.float64]

    def at(self, rows: NDArray[np.integer]) -> Worth:
        """Select some of the nodes."""
        return Worth(*(part[rows] for part in self))


def ramp(x: NDArray[np.float64], middle: NDArray[np.float64] | float, width: float) -> NDArray[np.float64]:
    """Rise linearly from 0 at ``middle - width`` to 1 at ``middle + width``."""
    return np.asarray(np.clip((x - middle + width) / (2.0 * width), 0.0, 1.0))


def triples(lines: BetLines, nodes: NDArray[np.integer], worth: Worth, *, last_to_act: bool) -> NDArray[np.float64]:
    """Return the probabilities to fold, call and raise.

    Parameters
    ----------
    nodes:
        integers[n]: nodes at which the player acts.
    worth:
        Evaluation of the player's hand at each node; before the flop only ``income`` is used.
    last_to_act:
        Whether the player acts last after the flop.

    Returns
    -------
    float64[n, 3]: rows sum to 1, and actions that the rules do not allow have 0.
    """
    before = lines.tree.street[nodes] == 0
    continues, raises = np.empty(len(nodes)), np.empty(len(nodes))
    for rows, rule in ((np.flatnonzero(before), _before_flop), (np.flatnonzero(~before), _after_flop)):
        if len(rows):
            continues[rows], raises[rows] = rule(lines, nodes[rows], worth.at(rows), last_to_act)
    raises = np.where(lines.can_raise[nodes], raises, 0.0)
    continues = np.where(lines.to_call[nodes] > 0, np.maximum(continues, raises), 1.0)
    return np.stack([1.0 - continues, continues - raises, raises], axis=1)


def _before_flop(
    lines: BetLines, nodes: NDArray[np.integer], worth: Worth, last_to_act: bool
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    rate = worth.income + (PREFLOP_POSITION if last_to_act else 0.0)
    bets, half = lines.bets[nodes], lines.to_call[nodes] < lines.bet[nodes]
    raises = ramp(rate, np.where(bets <= 1, PREFLOP_MAKE2, PREFLOP_MAKE4), PREFLOP_WIDTH)
    least = np.where(half, PREFLOP_CALL_HALF, np.where(bets <= 2, PREFLOP_CALL1, PREFLOP_CALL2))
    return ramp(rate, least, PREFLOP_WIDTH), raises


def _after_flop(
    lines: BetLines, nodes: NDArray[np.integer], worth: Worth, last_to_act: bool
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    bets, bet, pot, cost = lines.bets[nodes], lines.bet[nodes], lines.pot[nodes], lines.to_call[nodes]
    make1 = ramp(worth.effective, MAKE1, WIDTH1)
    again = np.where(bets == 1, ramp(worth.effective, MAKE2, WIDTH2), ramp(worth.effective, MAKE4, WIDTH4))
    semi_bluff = ramp(worth.positive, semi_bluff_odds(pot, bet), ODDS_WIDTH) * ~lines.is_last[nodes]
    raises = np.where(bets == 0, np.maximum(make1, semi_bluff), again)
    chance = np.where(lines.is_last[nodes], worth.strength, worth.positive)
    calls = np.maximum(
        ramp(chance, pot_odds(pot, cost), ODDS_WIDTH),
        ramp(worth.winning, showdown_odds(pot, cost, BETS_PER_ROUND * lines.bets_to_come[nodes]), ODDS_WIDTH),
    )
    return np.where(bets <= 1, np.maximum(calls, make1), calls), raises


def pot_odds(pot: NDArray[np.float64], cost: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the share of the pot, including the call, that a call costs."""
    return np.asarray(cost / (pot + cost))


def showdown_odds(
    pot: NDArray[np.float64], cost: NDArray[np.float64], to_come: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return the share of the pot at the showdown that the call and the bets to come cost; both pay these bets."""
    return np.asarray((cost + to_come) / (pot + cost + 2.0 * to_come))


def semi_bluff_odds(pot: NDArray[np.float64], bet: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the share of the pot that a bet and the call of a raise cost."""
    return np.asarray(2.0 * bet / (pot + 4.0 * bet))
