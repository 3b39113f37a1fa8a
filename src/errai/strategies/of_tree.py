"""A strategy for the lines of a betting tree, used at any public state."""

from __future__ import annotations

from operator import attrgetter

import numpy as np
from numpy.typing import NDArray

from errai.abstraction.translation import Translation
from errai.cards.hands import hand_cards
from errai.games.game import Subject
from errai.games.hand import Action, PublicState
from errai.running.recent import Recent
from errai.strategies.strategy import (
    BatchedStrategy,
    Choices,
    Deals,
    Decision,
    checked_rows,
    is_ours,
    live_hands,
    require_same,
    says,
)
from errai.strategies.tree_walk import OFF_TREE, TreeWalk, mixed_choices
from errai.tree.betting_tree import BettingTree, build_betting_tree

REMEMBERED_NUMBERS = 10_000_000
"""How many probabilities are kept for the public states that were queried last: 80 MB."""

REMEMBERED_ROWS = 256
"""For how many decisions on one board the strategy of every hand is kept: in hold'em at most 13 MB."""

EXACT = 1e-12
"""Probabilities in float64 whose sum differs from 1 by at most this are used as they are."""


class TreeStrategy:
    """Plays a batched strategy at public states; it is a :class:`~errai.strategies.strategy.Strategy`.

    Parameters
    ----------
    strategy:
        The strategy, which is queried node by node.
    subject:
        The game or spot, or a lookahead; the strategy of a lookahead can be asked from its state on.
    betting:
        The betting tree of the strategy; by default that of the subject, with the pot and all-in as the bets of a
        no-limit game.
    translation:
        How bets that the tree lacks are translated; see :mod:`errai.strategies.tree_walk`.

    Raises
    ------
    StrategyError
        If there is no such translation; and, when it is asked, if a state does not come after a lookahead's.
    """

    def __init__(
        self,
        strategy: BatchedStrategy,
        subject: Subject,
        betting: BettingTree | None = None,
        translation: Translation | str = Translation.PSEUDO_HARMONIC,
    ) -> None:
        self.asked = strategy
        self.name = strategy.description
        self.suits_alike = says(strategy, "suits_alike")
        self.subject = subject
        betting = build_betting_tree(subject) if betting is None else betting
        self.walk = TreeWalk(betting, translation, small_bets=True, subject=subject)
        self._asked_before: dict[int, Decision] = {}
        self._known: Recent[tuple[object, ...], Choices] = Recent(REMEMBERED_NUMBERS, attrgetter("probabilities.size"))
        self._rows_of: Recent[tuple[int, tuple[int, ...]], NDArray[np.float64]] = Recent(REMEMBERED_ROWS)

    def require(self, subject: Subject) -> None:
        """Raise :class:`StrategyError` if another game is played, or one that begins before a lookahead."""
        require_same(self.subject, subject, self.name)

    def strategy(self, state: PublicState) -> Choices:
        """See :meth:`~errai.strategies.strategy.Strategy.strategy`."""
        key = (state.actions, state.board)
        return self._known.get_or_make(key, lambda: mixed_choices(self.walk, state, self._all_rows))

    def with_hand(self, state: PublicState, hand: int) -> tuple[tuple[Action, ...], list[float]]:
        """Return the actions, and the probability of each with one hand, by its hand index; queries only this hand."""
        held = np.array([hand], dtype=np.int32)
        choices = mixed_choices(self.walk, state, lambda node, at: self._rows(node, at, held))
        return choices.actions, choices.probabilities[0].tolist()

    def _all_rows(self, node: int, state: PublicState) -> NDArray[np.float64]:
        """Return float64[H, A]: probabilities with every hand of the deck, 0 for those that cannot be held."""

        def found() -> NDArray[np.float64]:
            live = live_hands(state)
            hand = np.flatnonzero(live).astype(np.int32)
            rows = self._rows(node, state, hand)
            all_rows = np.zeros((len(live), rows.shape[1]))
            all_rows[hand] = rows
            all_rows.setflags(write=False)
            return all_rows

        return self._rows_of.get_or_make((node, state.board), found)

    def _rows(self, node: int, state: PublicState, hand: NDArray[np.int32]) -> NDArray[np.float64]:
        """Return float64[S, A]: probabilities with each of the given hands; off the tree they check and call."""
        if node == OFF_TREE:
            return np.ones((len(hand), 1))
        game = state.subject.rules
        decision = self._asked_before.get(node)
        if decision is None:
            decision = self._asked_before[node] = Decision.at(self.walk.betting, node)
        cards = hand_cards(game.deck.num_cards, game.num_hole_cards)[hand].astype(np.uint8)
        board = np.array([board_by_street(state)], dtype=np.int8).reshape(1, -1)
        deals = Deals(decision.street, board, np.array([0, len(hand)]), hand, cards)
        given = np.asarray(
            self.asked.rows([decision], deals) if is_ours(self.asked) else checked_rows(self.asked, [decision], deals)
        )
        rows = given.astype(np.float64)
        total = rows.sum(axis=0)
        # A hand outside a spot's range has no probabilities.
        as_given = total == 0.0
        if given.dtype == np.float64:
            as_given |= np.abs(total - 1.0) <= EXACT
        return np.broadcast_to((rows / np.where(as_given, 1.0, total)).T, (len(hand), len(rows)))


def board_by_street(state: PublicState) -> list[int]:
    """Return the board with the cards of each street ascending, as batched strategies take it."""
    game, found, dealt = state.subject.rules, [], 0
    for round in range(state.first_round, state.betting.round + 1):
        until = game.board_cards_in(round)
        found.extend(sorted(state.board[dealt:until]))
        dealt = until
    return found
