"""Hands against hands on one board: results without further betting, and which hands are compatible.

Both follow from the cards alone, so a network counts them once for a board.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from errai.cards.hands import hand_cards
from errai.cards.run_outs import RunOuts
from errai.errors import CardsError
from errai.games.game import Game
from errai.nets.positions import Floats

NO_WEIGHT = 1e-6
"""A compatible weight below this is rounding: no hand of the opponent is compatible with the hand."""


@dataclass(frozen=True, eq=False)
class Matchups:
    """The hands that a board leaves, against each other.  Axes: L such hands, C cards of the deck."""

    board: tuple[int, ...]
    """Ascending."""
    hands: NDArray[np.int64]
    """int64[L]: their indices among all hands of the deck, ascending; it may be a selection of hands."""
    run_outs: RunOuts
    """Counts the boards that may come."""
    holds: Floats
    """float32[L, C]: 1 for the cards of each hand."""

    @property
    def boards_left(self) -> int:
        """Number of boards that may come once both hands are known."""
        return self.run_outs.boards_left(self.board)

    def ahead(self, order: NDArray[np.integer] | None = None) -> NDArray[np.int16] | NDArray[np.int32]:
        """Return on how many of the boards that may come the row hand wins, less on how many it loses.

        The result is integers[L, L], with 0 for two hands that share a card, and antisymmetric.  ``order``,
        integers[L], puts the hands into another order.
        """
        return self.run_outs.ahead(self.board, self.hands if order is None else self.hands[order])

    @cached_property
    def margins(self) -> Floats:
        """float32[L, L]: the row hand's chance to win at the showdown less its chance to lose."""
        return np.asarray(self.ahead() / np.float32(self.boards_left), dtype=np.float32)

    def check_down(self, ranges: Floats) -> Floats:
        """Counterfactual values in pots without further betting, for the opponent's weights; float32[..., L] both.

        A hand that beats another wins the opponent's half of the pot.
        """
        return np.asarray(-0.5 * product(ranges, self.margins), dtype=np.float32)

    def fitting(self, ranges: Floats) -> Floats:
        """For each hand the opponent's weight that shares no card with it: the weight in its counterfactual value.

        ``ranges``, float32[..., L], are the opponent's weights, not negative.  The result, float32[..., L], is exact up
        to rounding and never below 0.
        """
        by_card = product(ranges, self.holds)
        fits = ranges.sum(axis=-1, keepdims=True) - product(by_card, self.holds.T)
        if self.holds[0].sum() == 2:
            fits += ranges  # a hand of two cards has been taken out twice by itself
        return np.asarray(np.maximum(fits, 0.0), dtype=np.float32)


def matchups(game: Game, board: tuple[int, ...], among: NDArray[np.int64] | None = None) -> Matchups:
    """Return the matchups of a board over all boards that may follow it; before the first card a table has them.

    The board's cards may come in any order.  ``among``, int64[M] and ascending, selects hands by their indices among
    all hands of the deck; those that hold a card of the board are removed.  Raises :class:`CardsError` if the board is
    not one of the game's, or hands have more than two cards.
    """
    cards = tuple(sorted(int(card) for card in board))
    last = game.board_cards_in(game.num_rounds - 1)
    if len(set(cards)) < len(cards) or any(not 0 <= card < game.deck.num_cards for card in cards):
        raise CardsError(f"{board} is not a board of {game.deck.num_cards} cards: each card can come once.")
    if len(cards) > last:
        raise CardsError(f"The board has {len(cards)} cards, and the game deals only {last}.")
    if game.num_hole_cards > 2:  # see Matchups.fitting
        raise CardsError(f"Hands must have one card or two to be compared, not {game.num_hole_cards}.")
    hands = hands_on(game, cards, among)
    held = hand_cards(game.deck.num_cards, game.num_hole_cards)[hands]
    holds = np.zeros((len(hands), game.deck.num_cards), dtype=np.float32)
    np.put_along_axis(holds, held.astype(np.int64), 1.0, axis=1)
    run_outs = RunOuts.of(game.deck, game.num_hole_cards, last, game.ranking)
    return Matchups(cards, hands, run_outs, holds)


def hands_on(game: Game, board: tuple[int, ...], among: NDArray[np.int64] | None = None) -> NDArray[np.int64]:
    """int64[L], ascending: the hands that hold no card of a board, of all hands of the deck or of some, ascending."""
    every = hand_cards(game.deck.num_cards, game.num_hole_cards)
    some = np.arange(len(every)) if among is None else among
    return some[~np.isin(every[some], board).any(axis=1)]


def zero_sum(values: Floats, ranges: Floats, fitting: Floats) -> Floats:
    """Return the values less the same amount, per compatible opposing hand, for both players, so that they sum to 0.

    float32[Q, P, L] each; modified in place.
    """
    over = (values * ranges).sum(axis=(1, 2))
    meeting = (fitting * ranges).sum(axis=(1, 2))
    share = np.where(meeting > NO_WEIGHT, over / np.maximum(meeting, NO_WEIGHT), 0.0)
    values -= share[:, None, None] * fitting
    return values


def product(rows: Floats, matrix: Floats) -> Floats:
    """``rows @ matrix`` as one product, for any number of leading axes."""
    return np.asarray((rows.reshape(-1, rows.shape[-1]) @ matrix).reshape(*rows.shape[:-1], matrix.shape[1]))
