"""Values of AIVAT for games too large for exact ones: known betting until the street ends, and equity from there on."""

from __future__ import annotations

import numpy as np

from errai.agents.agent import StrategicAgent
from errai.arena.luck.deals import Hands, Pairs, PrivateDeals, ending, mean_over_cards, outcomes_by_round
from errai.arena.luck.values import Equity, ValueFunction
from errai.games.hand import PublicState, run_outs_of
from errai.games.subject import Subject
from errai.running.recent import Recent
from errai.strategies.strategy import Choices, asked

MOST_STATES = 16_384
"""Decisions whose strategies are remembered: those after every card of a street, for a hand's betting."""

MOST_OUTCOMES = 60
"""Cards of a street up to which its betting is walked for each of them; hold'em's turn and river have fewer."""


class StreetValues:
    """Both players follow given strategies until the street ends; then the pot is shared by equity.

    Equity alone takes a bet for a larger pot, although most bets are made to be folded to.  Here the value of two hands
    after a bet is that of the answers which the strategies give, as in a lookahead that is cut at the end of the
    street.

    Parameters
    ----------
    subject:
        What is played.
    agents:
        The strategies of seat 0 and seat 1.  They need not be those of the match.
    name:
        What reports call the values.
    """

    def __init__(self, subject: Subject, agents: tuple[StrategicAgent, StrategicAgent], name: str) -> None:
        self.name = name
        self._agents = agents
        self._run_outs = run_outs_of(subject)
        self._equity = Equity(subject)
        self._known: Recent[tuple[object, ...], Choices] = Recent(MOST_STATES)
        self.over_cards: ValueFunction = _OverCards(subject, self, self._equity)
        """The values by which the luck of cards is measured."""

    def pairs(self, state: PublicState, first: Hands, second: Hands) -> Pairs:
        """See :meth:`errai.arena.luck.values.ValueFunction.pairs`."""
        if state.betting.is_over:
            return ending(state, first, second, self._run_outs)
        if state.cards_due:
            return self._equity.pairs(state, first, second)
        seat = state.actor
        choices = self._known.get_or_make((state.actions, state.board), lambda: asked(self._agents[seat], state))
        total = np.zeros((len(first), len(second)))
        shares = choices.probabilities[first if seat == 0 else second]
        for action, share in zip(choices.actions, shares.T, strict=True):
            if share.any():
                across = share[:, None] if seat == 0 else share[None, :]
                total += across * self.pairs(state.after(action), first, second)
        return total


class _OverCards:
    """The values of the street that cards begin, in the mean over these cards while they are due.

    A street with too many outcomes, such as hold'em's flop, has equity on both sides of its cards.  Both kinds are
    exact means, so that what is called luck has the mean 0.
    """

    name = "street values over cards"

    def __init__(self, subject: Subject, street: StreetValues, equity: Equity) -> None:
        self._street, self._equity = street, equity
        self._deals = PrivateDeals(subject)
        self._walked = {round: many <= MOST_OUTCOMES for round, many in outcomes_by_round(subject).items()}

    def pairs(self, state: PublicState, first: Hands, second: Hands) -> Pairs:
        """See :meth:`errai.arena.luck.values.ValueFunction.pairs`."""
        if not self._walked[state.betting.round]:
            return self._equity.pairs(state, first, second)
        if not state.cards_due:
            return self._street.pairs(state, first, second)
        return mean_over_cards(
            self._deals, state, first, second, lambda after: self._street.pairs(after, first, second)
        )
