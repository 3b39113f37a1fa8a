"""Values of AIVAT for games too large for exact ones: known betting until the street ends, and equity from there on."""

from __future__ import annotations

import numpy as np

from errai.agents.agent import StrategicAgent
from errai.arena.luck.deals import Hands, Pairs
from errai.arena.luck.endings import ending
from errai.arena.luck.values import Equity
from errai.games.hand import PublicState, Subject, run_outs_of
from errai.strategies.strategy import Choices

MOST_STATES = 4_096
"""Decisions whose strategies are remembered: those of a few streets."""


class StreetValues:
    """Both players follow given strategies until the street ends; then the pot is shared by equity.

    Equity alone takes a bet for a larger pot, although most bets are made to be folded to.  Here the value of two hands
    after a bet is that of the answers which the strategies give, as in a lookahead that is cut at the end of the
    street.  It serves for the luck of choices only: the mean over the cards of a street would take a walk for each of
    them, so the luck of cards is measured by equity (:attr:`over_cards`), which is unbiased as well.

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
        self.over_cards = Equity(subject)
        self._agents = agents
        self._run_outs = run_outs_of(subject)
        self._known: dict[tuple[object, ...], Choices] = {}

    def pairs(self, state: PublicState, first: Hands, second: Hands) -> Pairs:
        """See :meth:`errai.arena.luck.values.ValueFunction.pairs`."""
        if state.betting.is_over:
            return ending(state, first, second, self._run_outs)
        if state.cards_due:
            return self.over_cards.pairs(state, first, second)
        seat = state.actor
        choices = self._choices(state)
        total = np.zeros((len(first), len(second)))
        shares = choices.probabilities[first if seat == 0 else second]
        for action, share in zip(choices.actions, shares.T, strict=True):
            if share.any():
                across = share[:, None] if seat == 0 else share[None, :]
                total += across * self.pairs(state.after(action), first, second)
        return total

    def _choices(self, state: PublicState) -> Choices:
        key = (state.actions, state.board)
        found = self._known.get(key)
        if found is None:
            if len(self._known) >= MOST_STATES:
                self._known.clear()
            found = self._known[key] = self._agents[state.actor].strategy(state)
        return found
