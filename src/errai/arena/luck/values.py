"""What pairs of private hands are worth: how likely they are, what they win in the end, and values on the way.

A value function of AIVAT estimates the result at a public state, for every pair of hands.
The estimate by AIVAT is unbiased for any values; the closer they are to the truth, the less luck is left.  They have to
obey one law: while board cards are due, the value of two hands is the exact mean, over those cards, of the values
afterwards.  :class:`Equity`, :class:`ExactValues` and :class:`StreetValues` obey it by construction, and
:class:`OwnValues` computes the mean over all cards itself.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations
from math import comb, perm
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from errai.agents.agent import StrategicAgent
from errai.cards.hands import hand_cards
from errai.cards.run_outs import RunOuts
from errai.errors import MatchError, UnsupportedGameError
from errai.games.game import Game, Subject
from errai.games.hand import PublicState, run_outs_of
from errai.running.recent import Recent
from errai.strategies.of_tree import board_by_street
from errai.strategies.strategy import Choices, asked

Hands = NDArray[np.int64]
"""Indices of hands of one seat: all possible ones, or the one that is held."""

Pairs = NDArray[np.float64]
"""float64[F, S]: a number for each hand of seat 0 with each hand of seat 1."""

PairValues = Callable[[PublicState, Hands, Hands], Pairs]
"""Chips of seat 0 at a public state, for some hands of both seats."""

MOST_OUTCOMES = 2_000
"""The most cards of a street over which the mean of a user's values is computed; a turn has 48."""

MOST_NUMBERS = 50_000_000
"""The most values that are kept; they take 400 MB."""

MOST_DEALS = 5_000
"""The most pairs of hands times orders of the board for which a game is enumerated, as Kuhn and Leduc poker are."""

MOST_STATES = 16_384
"""Decisions whose strategies are remembered: those after every card of a street, for a hand's betting."""

MOST_WALKED = 60
"""Cards of a street up to which its betting is walked for each of them; hold'em's turn and river have fewer."""


class PrivateDeals:
    """The hands of both seats in a game or spot, and how likely pairs of them are."""

    def __init__(self, subject: Subject) -> None:
        self.game = game = subject.rules
        self.cards = hand_cards(game.deck.num_cards, game.num_hole_cards)
        """int16[H, k]: the cards of every hand."""
        ranges = subject.weights
        free = ~np.isin(self.cards, subject.board).any(axis=1)
        self.ranges = (np.where(free, ranges[0], 0.0), np.where(free, ranges[1], 0.0))
        """float64[H] for each seat: weights of the hands, whatever the other seat holds."""

    def possible(self, seat: int) -> Hands:
        """Return int64[n]: the hands that a seat may be dealt."""
        return np.flatnonzero(self.ranges[seat])

    def disjoint(self, first: Hands, second: Hands) -> NDArray[np.bool_]:
        """Return bool[F, S]: whether two hands can be held at the same time."""
        one, other = self.cards[first], self.cards[second]
        meet = np.zeros((len(first), len(second)), dtype=np.bool_)
        for a in range(one.shape[1]):
            for b in range(other.shape[1]):
                meet |= one[:, a, None] == other[None, :, b]
        return ~meet

    def weights(self, first: Hands, second: Hands) -> Pairs:
        """Return float64[F, S]: how likely each pair is to be dealt, not normalised."""
        both = self.ranges[0][first][:, None] * self.ranges[1][second][None, :]
        return np.where(self.disjoint(first, second), both, 0.0)

    def free_of(self, hands: Hands, cards: tuple[int, ...]) -> NDArray[np.bool_]:
        """Return bool[n]: the hands that hold none of some cards."""
        held = self.cards[hands]
        free = np.ones(len(held), dtype=bool)
        for card in cards:
            free &= (held != card).all(axis=1)
        return free


def mean_over_cards(deals: PrivateDeals, state: PublicState, first: Hands, second: Hands, values: PairValues) -> Pairs:
    """Return float64[F, S]: the exact mean, pair by pair, of values after every set of cards that is due at a state."""
    game, due = state.subject.rules, state.cards_due
    left = [card for card in range(game.deck.num_cards) if card not in state.board]
    total = np.zeros((len(first), len(second)))
    for cards in combinations(left, due):
        free = deals.free_of(first, cards)[:, None] & deals.free_of(second, cards)
        if free.any():
            total += np.where(free, values(state.with_cards(cards), first, second), 0.0)
    return total / comb(len(left) - 2 * game.num_hole_cards, due)


def mean_over_choices(choices: Choices, state: PublicState, first: Hands, second: Hands, values: PairValues) -> Pairs:
    """Return float64[F, S]: the mean, pair by pair, of values after each action of the player who acts at a state."""
    total = np.zeros((len(first), len(second)))
    shares = choices.probabilities[first if state.actor == 0 else second]
    for action, share in zip(choices.actions, shares.T, strict=True):
        if share.any():
            across = share[:, None] if state.actor == 0 else share[None, :]
            total += across * values(state.after(action), first, second)
    return total


def outcomes_by_round(subject: Subject) -> dict[int, int]:
    """Return the number of sets of cards that each round may deal."""
    game, start = subject.rules, PublicState.start(subject)
    found, dealt = {}, len(start.board)
    for round in range(start.first_round, game.num_rounds):
        new = game.board_cards_in(round) - dealt
        found[round] = comb(game.deck.num_cards - dealt, new)
        dealt += new
    return found


def ending(state: PublicState, first: Hands, second: Hands, run_outs: RunOuts) -> Pairs:
    """Return float64[F, S]: the chips that seat 0 is expected to win where betting is over, over cards to come."""
    betting, stake = state.betting, state.stake_chips
    if betting.folded >= 0:
        return np.full((len(first), len(second)), stake if betting.folded == 1 else -stake)
    return stake * run_outs.margins(state.board, first, second)


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

        Returns float64[F, S], finite; entries of pairs that share a card are not used.
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
        to_come = BETS_TO_COME * sum(betting.game.raise_sizes[betting.round + 1 :]) / state.subject.unit
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

    Raises :class:`MatchError` if a street has too many deals to compute the mean for every hand played, such as
    hold'em's flop.
    """

    def __init__(self, function: PairValues, subject: Subject, name: str = "own values") -> None:
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
        return mean_over_cards(self._deals, state, first, second, self.pairs)


class StreetValues:
    """Both players follow given strategies until the street ends; then the pot is shared by equity.

    They are for games that are too large for exact values.

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
        self._deals = PrivateDeals(subject)
        self._walked = {round: many <= MOST_WALKED for round, many in outcomes_by_round(subject).items()}

    def pairs(self, state: PublicState, first: Hands, second: Hands) -> Pairs:
        """See :meth:`ValueFunction.pairs`."""
        if state.betting.is_over:
            return ending(state, first, second, self._run_outs)
        if state.cards_due:
            return self._equity.pairs(state, first, second)
        agent = self._agents[state.actor]
        choices = self._known.get_or_make((state.actions, state.board), lambda: asked(agent, state))
        return mean_over_choices(choices, state, first, second, self.pairs)

    def over_cards(self, state: PublicState, first: Hands, second: Hands) -> Pairs:
        """Return the values by which the luck of cards is measured: those of the street that the cards begin.

        While cards are due it is their mean over these.  A street with too many outcomes, such as hold'em's flop, has
        equity on both sides of its cards.  Both are exact means, so that what is called luck has the mean 0.
        """
        if not self._walked[state.betting.round]:
            return self._equity.pairs(state, first, second)
        if not state.cards_due:
            return self.pairs(state, first, second)
        return mean_over_cards(self._deals, state, first, second, self.pairs)


class ExactValues:
    """The values of two strategies against each other, by one recursion over a small game or a late spot.

    Parameters
    ----------
    subject:
        The game or spot.
    agents:
        The agents in seat 0 and 1.  With a solution in both seats these are the values of the solved game.
    name:
        The name of the values in reports.

    Raises :class:`MatchError` if the game has more values than can be kept.
    """

    def __init__(
        self, subject: Subject, agents: tuple[StrategicAgent, StrategicAgent], name: str = "exact values"
    ) -> None:
        self.name = name
        self._agents = agents
        self._deals = PrivateDeals(subject)
        self._run_outs = run_outs_of(subject)
        self._hands = (self._deals.possible(0), self._deals.possible(1))
        self._known: dict[tuple[object, ...], Pairs] = {}
        self._numbers = 0
        # Each board has at least one state; a game with too many boards is refused before any walk.
        game, start = subject.rules, PublicState.start(subject)
        dealt = len(start.board)
        rounds = range(start.first_round, game.num_rounds)
        boards = sum(comb(game.deck.num_cards - dealt, game.board_cards_in(r) - dealt) for r in rounds)
        least = len(self._hands[0]) * len(self._hands[1]) * boards
        if least > MOST_NUMBERS:
            raise self._too_large(f"at least {least:,}")

    def pairs(self, state: PublicState, first: Hands, second: Hands) -> Pairs:
        """See :meth:`ValueFunction.pairs`."""
        rows, columns = (np.searchsorted(held, hands) for held, hands in zip(self._hands, (first, second), strict=True))
        return self._value(state)[rows][:, columns]

    @staticmethod
    def _too_large(count: str) -> MatchError:
        return MatchError(
            f"Exact values need {count} numbers here, and at most {MOST_NUMBERS:,} are kept; use equity as the values."
        )

    def _value(self, state: PublicState, *_: Hands) -> Pairs:
        """Return the values of all pairs of possible hands."""
        key = (state.actions, tuple(board_by_street(state)))
        found = self._known.get(key)
        if found is None:
            if state.betting.is_over:
                found = ending(state, *self._hands, self._run_outs)
            elif state.cards_due:
                found = mean_over_cards(self._deals, state, *self._hands, self._value)
            else:
                found = mean_over_choices(asked(self._agents[state.actor], state), state, *self._hands, self._value)
            self._known[key] = found
            self._numbers += found.size
            if self._numbers > MOST_NUMBERS:
                raise self._too_large(f"more than {MOST_NUMBERS:,}")
        return found


def is_small(subject: Subject) -> bool:
    """Return whether :func:`exact_value` can enumerate a subject: a game of at most ``MOST_DEALS`` deals."""
    game = subject.whole_game
    if game is None:
        return False
    cards, k = game.deck.num_cards, game.num_hole_cards
    shown = game.board_cards_in(game.num_rounds - 1)
    # With more cards even counting the deals would take long.
    return cards <= 16 and comb(cards, k) * comb(cards - k, k) * perm(cards - 2 * k, shown) <= MOST_DEALS


def exact_value(subject: Subject, agents: tuple[StrategicAgent, StrategicAgent]) -> float:
    """Return the expected winnings of the first agent against the second in chips per hand, averaged over both seats.

    Every pair of private hands is followed along every line of bets and every card, with the probabilities that the
    agents' strategies give.

    Raises :class:`UnsupportedGameError` if the subject is a spot, or a game that is not small (:func:`is_small`).
    """
    if subject.whole_game is None or not is_small(subject):
        raise UnsupportedGameError(f"Only games of at most {MOST_DEALS:,} deals can be enumerated.")
    return (seat_value(subject.whole_game, agents) - seat_value(subject.whole_game, (agents[1], agents[0]))) / 2.0


def seat_value(game: Game, agents: tuple[StrategicAgent, StrategicAgent]) -> float:
    """Return the chips that the agent in seat 0 wins on average from the one in seat 1, in a small game."""
    deals = PrivateDeals(game)
    first, second = deals.possible(0), deals.possible(1)
    weight = deals.weights(first, second)
    values = ExactValues(game, agents).pairs(PublicState.start(game), first, second)
    return float((weight * values).sum() / weight.sum())
