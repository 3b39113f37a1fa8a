"""Deals of private and of board cards, and what pairs of hands are worth once betting is over."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import combinations
from math import comb

import numpy as np
from numpy.typing import NDArray

from errai.cards.hands import hand_cards
from errai.cards.run_outs import RunOuts
from errai.games.hand import PublicState
from errai.games.subject import Subject

Hands = NDArray[np.int64]
"""Indices of hands of one seat: all possible ones, or the one that is held."""

Pairs = NDArray[np.float64]
"""float64[F, S]: a number for each hand of seat 0 with each hand of seat 1."""


class PrivateDeals:
    """The hands of both seats in a game or spot, and how likely pairs of them are."""

    def __init__(self, subject: Subject) -> None:
        game = subject.rules
        self.subject = subject
        self.game = game
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
        return np.asarray(~np.isin(self.cards[hands], cards).any(axis=1))


def next_cards(state: PublicState) -> Iterator[tuple[int, ...]]:
    """Yield every set of cards that may be dealt at a state, whatever the private cards are."""
    left = [card for card in range(state.subject.rules.deck.num_cards) if card not in state.board]
    return combinations(left, state.cards_due)


def outcomes(state: PublicState) -> int:
    """Return the number of sets of cards that may come for two given hands."""
    game = state.subject.rules
    return comb(game.deck.num_cards - len(state.board) - 2 * game.num_hole_cards, state.cards_due)


def mean_over_cards(
    deals: PrivateDeals, state: PublicState, first: Hands, second: Hands, values: Callable[[PublicState], Pairs]
) -> Pairs:
    """Return float64[F, S]: the exact mean, pair by pair, of values after every set of cards that is due at a state."""
    total = np.zeros((len(first), len(second)))
    for cards in next_cards(state):
        free = deals.free_of(first, cards)[:, None] & deals.free_of(second, cards)
        if free.any():
            total += np.where(free, values(state.with_cards(cards)), 0.0)
    return total / outcomes(state)


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
    betting = state.betting
    stake = betting.stake_chips + state.dead_chips
    if betting.folded >= 0:
        return np.full((len(first), len(second)), stake if betting.folded == 1 else -stake)
    return stake * run_outs.margins(state.board, first, second)
