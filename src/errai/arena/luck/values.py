"""Value functions of AIVAT: an estimate of the result at a public state, for every pair of hands.

The estimate by AIVAT is unbiased for any values; the closer they are to the truth, the less luck is left.  They have to
obey one law: while board cards are due, the value of two hands is the exact mean, over those cards, of the values
afterwards.  :class:`Equity` and :class:`~errai.arena.luck.exact_values.ExactValues` obey it by construction, and
:class:`OwnValues` computes the mean over all cards itself.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

import numpy as np

from errai.arena.luck.deals import Hands, Pairs, PrivateDeals, mean_over_cards, outcomes_by_round
from errai.errors import MatchError
from errai.games.hand import PublicState, run_outs_of
from errai.games.subject import Subject

MOST_OUTCOMES = 2_000
"""The most cards of a street over which the mean of a user's values is computed; a turn has 48."""


class ValueFunction(Protocol):
    """The value of a public state for each pair of hands."""

    @property
    def name(self) -> str:
        """Such as 'equity'."""

    def pairs(self, state: PublicState, first: Hands, second: Hands) -> Pairs:
        """Return the chips that seat 0 is expected to win in the whole hand, while betting is not over.

        Parameters
        ----------
        state:
            A player is to act, or cards are due; then the values are the exact means over these cards, for every pair.
        first, second:
            int64[F] and int64[S]: indices of hands of seat 0 and 1.

        Returns
        -------
        float64[F, S], finite; entries of pairs that share a card are not used.
        """


BETS_TO_COME = 0.5
"""Bets that :class:`Equity` expects of each player in each later round of a limit game."""


class Equity:
    """The stake, weighted by the probability of winning if no player folds any more.

    The stake is the mean of both players' chips in the pot and, in limit games, half of a bet for each round to come,
    because pots grow and luck before the flop concerns the whole pot.  On the river, the turn and the flop the
    probabilities are computed over all boards that may come; before the flop they are looked up in a table of all pairs
    of hands (:mod:`errai.cards.pair_table`).

    Parameters
    ----------
    subject:
        The game or spot.
    """

    name = "equity"

    def __init__(self, subject: Subject) -> None:
        self._run_outs = run_outs_of(subject)

    def pairs(self, state: PublicState, first: Hands, second: Hands) -> Pairs:
        """See :meth:`ValueFunction.pairs`."""
        betting = state.betting
        # The round does not change while its cards are dealt, so the stake is constant and the mean is exact.
        to_come = BETS_TO_COME * sum(betting.game.raise_sizes[betting.round + 1 :])
        return (0.5 * state.pot_chips + to_come) * self._run_outs.margins(state.board, first, second)


class OwnValues:
    """A user's function, with the mean over cards that are due computed card by card.

    Parameters
    ----------
    function:
        Called with a state at which a player is to act and the indices of hands of seat 0 and 1; returns float64[F, S],
        the chips of seat 0.  The same arguments must always give the same values.
    subject:
        The game or spot.
    name:
        The name of the values in reports.

    Raises
    ------
    MatchError
        A street has too many deals to compute the mean for every hand played, such as hold'em's flop.
    """

    def __init__(
        self, function: Callable[[PublicState, Hands, Hands], Pairs], subject: Subject, name: str = "own values"
    ) -> None:
        self.name = name
        self._function = function
        self._deals = PrivateDeals(subject)
        for round, many in outcomes_by_round(subject).items():
            if many > MOST_OUTCOMES:
                raise MatchError(
                    f"A user's values need their mean over all {many} deals of round {round + 1}, and that is computed "
                    f"for at most {MOST_OUTCOMES}; use equity, or write a class with a method pairs() that knows its "
                    "mean."
                )

    def pairs(self, state: PublicState, first: Hands, second: Hands) -> Pairs:
        """See :meth:`ValueFunction.pairs`."""
        if not state.cards_due:
            return np.asarray(self._function(state, first, second), dtype=np.float64)
        return mean_over_cards(self._deals, state, first, second, lambda after: self.pairs(after, first, second))
