"""Inputs and outputs of networks: public states at the beginning of a street, with both players' ranges there.

A *position* is a board, the two ranges, and the ratio of the chips left to bet to the pot.  All quantities are relative
to the pot and by the order of acting, so that one network serves every blind, seat and stack:

- player 0 of a position is the one who acts first on the street, in any seat, and player 1 is the other one;
- each player has put half of the pot in; ``stack`` is what each player can still bet, in pots;
- ranges are weights over all hands of the deck in hand-index order that sum to 1, 0 for hands that hold a card of the
  board;
- values are counterfactual values in pots: net chips over the whole hand divided by the pot (half of the pot counts as
  put in by each), summed over the opponent's hands that share no card with the player's hand, weighted by the
  opponent's range.  They are 0 for hands that hold a card of the board.

With these units the values of both players, each weighted by the player's own range, sum to 0, and the bets so far do
not matter.  DeepStack's unit is what one player has put in, half a pot, so its losses are those of values that are
twice as large.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from errai.cards.deck import Deck
from errai.cards.hands import hand_cards
from errai.errors import InputError, LeafValuesError
from errai.games.game import Game
from errai.own_code import faults_named, is_users, numbers_of

Floats = NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class Positions:
    """Positions of one game at the beginning of one round.  Axes: N positions, P = 2 players, H hands of the deck."""

    boards: NDArray[np.uint8]
    """uint8[N, n]: the cards on the table, ascending."""
    ranges: Floats
    """float32[N, P, H]: each sums to 1."""
    stacks: Floats
    """float32[N]: what each player can still bet, in pots; above 0."""

    def __len__(self) -> int:
        return len(self.boards)


class BoardValues(Protocol):
    """A network's values on one board, for which everything that depends on the cards alone has been computed."""

    hands: NDArray[np.int64]
    """int64[L]: the selected hands that hold no card of the board, ascending, as indices into all of the deck."""

    def values(self, ranges: Floats, stacks: Floats) -> Floats:
        """Counterfactual values in pots, float32[Q, P, L], for Q positions on this board.

        ``ranges`` is float32[Q, P, L], each summing to 1, and ``stacks`` float32[Q], in pots.
        """


@dataclass(eq=False)
class ValuesOn:
    """Values on one board that a function computes; a :class:`BoardValues`."""

    hands: NDArray[np.int64]
    values: Callable[[Floats, Floats], Floats]


class Predictor(Protocol):
    """A network, or anything else that estimates the values of one game's positions."""

    @property
    def name(self) -> str:
        """Its name, for messages and files."""

    @property
    def digest(self) -> str:
        """A digest that distinguishes it from others of the same name."""

    @property
    def round(self) -> int:
        """The round of the game at whose beginning it gives values, counted from 0.

        A network of round 0 is an auxiliary one: its values are those at the end of round 0, before cards are dealt.
        """

    def on(self, board: tuple[int, ...], among: NDArray[np.int64] | None = None) -> BoardValues:
        """Its values on a board, whose cards may come in any order.

        ``among``, int64[M] and ascending, selects hands: all other hands have weight 0 in both ranges, and their values
        are not needed.  None selects all hands.  A hand's value does not depend on which other hands are selected.
        """


def check_has_networks(game: Game, *, raked: bool) -> None:
    """Raise :class:`~errai.errors.InputError` if no network can value the pots of a game."""
    if game.limit:
        raise InputError("Networks are for no-limit games: their inputs are chips as shares of the pot.")
    if raked:
        raise InputError("Networks know no rake: leave it out, or solve without a network.")


def checked_net(net: Any) -> Predictor:
    """Return a network.  Raises :class:`LeafValuesError` unless it is an object with what a :class:`Predictor` has."""
    kinds = {"name": str, "digest": str, "round": int | np.integer}
    if isinstance(net, type):
        raise LeafValuesError(f"A network is an object; instead of the class write {net.__name__}(...).")
    wrong = [name for name, kind in kinds.items() if not isinstance(getattr(net, name, None), kind)]
    wrong += [] if callable(getattr(net, "on", None)) else ["on"]
    if wrong:
        raise LeafValuesError(
            "A network has a text as `name` and as `digest`, a number as `round`, and a method `on(board, among)`; "
            f"{net!r:.60} lacks {', '.join(wrong)}."
        )
    found: Predictor = net
    return found


def values_on(
    net: Predictor, board: tuple[int, ...], deck: Deck, hole_cards: int, among: NDArray[np.int64] | None = None
) -> BoardValues:
    """Return a network's values on a board, as :meth:`Predictor.on` does, after checking for which hands it answers.

    Raises :class:`LeafValuesError` if a user's code fails, or if its hands are not those of ``among`` that the board
    leaves.
    """
    if not is_users(net):
        return net.on(board, among)
    what = f"The network {net.name!r} on the board {deck.cards_text(board)}"
    with faults_named(what, LeafValuesError):
        found = net.on(board, among)
        hands = np.asarray(found.hands)
    cards = hand_cards(deck.num_cards, hole_cards)
    every = np.arange(len(cards)) if among is None else among
    left = every[~np.isin(cards[every], board).any(axis=1)]
    if not np.array_equal(hands, left):
        raise LeafValuesError(
            f"{what} answers for {hands.size:,} hands (`hands`) that are not the {len(left):,} which the board leaves, "
            "in ascending order."
        )
    return found


def said_by(
    board: BoardValues, ranges: Floats, stacks: Floats, what: str, place: Callable[[int, int, int], str]
) -> Floats:
    """Return a network's values for Q positions on a board, as :meth:`BoardValues.values` does, after checking them.

    Raises :class:`LeafValuesError` if the code fails, or the answer is not finite numbers of exactly the shape of
    ``ranges``.  ``what`` is the subject of the message in the plural, such as ``The values of the network 'mine'``, and
    ``place`` says where a number stands, given its position, player and hand.
    """
    with faults_named(what, LeafValuesError):
        given = board.values(ranges, stacks)
    return numbers_of(given, what, ranges.shape, place=place, error=LeafValuesError, single=True)
