"""Value functions: what AIVAT takes a public state to be worth to two hands.

The estimate is unbiased whatever the values are; the nearer they are to the truth, the less luck is left.  One thing
they must keep: while board cards are due, the value of two hands is the exact mean over those cards of the values
afterwards.  :class:`Equity` and :class:`~errai.arena.luck.exact_values.ExactValues` keep it by what they are, and
:class:`OwnValues` takes the mean over every card itself.
"""

from __future__ import annotations

from collections.abc import Callable
from math import comb
from typing import Protocol

import numpy as np

from errai.arena.luck.deals import Hands, Pairs, PrivateDeals, next_cards, outcomes
from errai.errors import MatchError
from errai.games.hand import PublicState, Subject, rules_of, run_outs_of

MOST_OUTCOMES = 2_000
"""Cards of a street over which the mean of one's own values is taken; a turn has 48."""


class ValueFunction(Protocol):
    """Says what a public state is worth."""

    @property
    def name(self) -> str:
        """Such as 'equity'."""

    def pairs(self, state: PublicState, first: Hands, second: Hands) -> Pairs:
        """Chips that seat 0 is expected to win in the whole hand, where betting is not over.

        Parameters
        ----------
        state:
            Somebody acts, or cards are due; then the exact mean over these cards, pair by pair, is asked for.
        first, second:
            int64[F] and int64[S]: indices of hands of seat 0 and 1.

        Returns
        -------
        float64[F, S], finite; what stands at pairs that cannot be held together is never looked at.
        """


BETS_TO_COME = 0.5
"""Bets that :class:`Equity` expects of each player in each later round of a limit game."""


class Equity:
    """What is played for, shared by the chance to win if nobody folds any more.

    What is played for is the mean of both players' chips in the pot and, in limit games, half of a bet for each round
    to come: pots grow, and luck before the flop is luck about the whole pot.  On the river, the turn and the flop the
    chances are counted over all boards that may come; before the flop they are looked up in a table of all pairs of
    hands (:mod:`errai.cards.pair_table`).

    Parameters
    ----------
    subject:
        What is played.
    """

    name = "equity"

    def __init__(self, subject: Subject) -> None:
        self._run_outs = run_outs_of(subject)

    def pairs(self, state: PublicState, first: Hands, second: Hands) -> Pairs:
        """See :meth:`ValueFunction.pairs`."""
        betting = state.betting
        # The round does not change while its cards are dealt, so chips stay what they are and the mean holds.
        to_come = BETS_TO_COME * sum(betting.game.raise_sizes[betting.round + 1 :])
        return (0.5 * state.pot_chips + to_come) * self._run_outs.margins(state.board, first, second)


class OwnValues:
    """A function of one's own, with the mean over cards that are due taken card by card.

    Parameters
    ----------
    function:
        Called with a state at which somebody acts and the indices of hands of seat 0 and 1; returns float64[F, S], the
        chips of seat 0.  The same arguments must always give the same values.
    subject:
        What is played.
    name:
        What reports call the values.

    Raises
    ------
    MatchError
        If a street has more cards to go through than can be gone through for every hand played, such as hold'em's
        flop.
    """

    def __init__(
        self, function: Callable[[PublicState, Hands, Hands], Pairs], subject: Subject, name: str = "own values"
    ) -> None:
        self.name = name
        self._function = function
        self._deals = PrivateDeals(subject)
        game = rules_of(subject)
        start = PublicState.start(subject)
        dealt = len(start.board)
        for round in range(start.first_round, game.num_rounds):
            new = game.board_cards_in(round) - dealt
            many = comb(game.deck.num_cards - dealt, new)
            if many > MOST_OUTCOMES:
                raise MatchError(
                    f"Values of one's own need their mean over all {many} deals of round {round + 1}, and that is done "
                    f"for at most {MOST_OUTCOMES}; use equity, or write a class with a method pairs() that knows its "
                    "mean."
                )
            dealt += new

    def pairs(self, state: PublicState, first: Hands, second: Hands) -> Pairs:
        """See :meth:`ValueFunction.pairs`."""
        if not state.cards_due:
            return np.asarray(self._function(state, first, second), dtype=np.float64)
        total = np.zeros((len(first), len(second)))
        for cards in next_cards(state):
            free = self._deals.free_of(first, cards)[:, None] & self._deals.free_of(second, cards)
            if free.any():
                total += np.where(free, self.pairs(state.with_cards(cards), first, second), 0.0)
        return total / outcomes(state)
