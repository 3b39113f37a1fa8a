"""A strategy or function of public states, in the form that best responses query: by nodes of a tree and boards."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from errai.abstraction.translation import translate
from errai.cards.hands import hand_cards
from errai.errors import StrategyError
from errai.games.betting import ActionKind
from errai.games.game import Subject
from errai.games.hand import CALL, Action, PublicState
from errai.solutions.subjects import menu_of
from errai.strategies.strategy import (
    SUM_ERROR,
    Choices,
    Deals,
    Decision,
    Strategy,
    asked,
    called,
    check_choices,
    checked_probabilities,
    live_hands,
    name_of,
    require,
    require_equal,
    says,
)
from errai.strategies.tree_walk import action_in
from errai.tree.betting_tree import build_betting_tree

StateFunction = Callable[[PublicState], Choices | ArrayLike]
"""Maps a public state to the strategy of every hand: :class:`~errai.strategies.strategy.Choices`; or float[H, A] for
the hands of the deck in hand-index order and the actions of the tree (fold, call or check, raises from the smallest);
or float[A] if all hands do the same."""

HandFunction = Callable[[PublicState, tuple[int, ...]], ArrayLike]
"""Maps a public state and a hand (a tuple of card numbers) to float[A]: the strategy of this hand, with the actions of
the tree as in :data:`StateFunction`.  It is called for every hand that does not contain a board card."""


class ByState:
    """Makes a :class:`~errai.strategies.strategy.BatchedStrategy` of a strategy, such as an agent's.

    A node of the tree corresponds to the public state after the line that leads to it.

    Parameters
    ----------
    strategy:
        The strategy, or a function of a public state, or of a public state and a hand.
    subject:
        The game or spot, or a lookahead: the rest of one.
    menu:
        Bet sizes of a no-limit game, as for :func:`errai.best_response`; by default the pot and all-in.  The responder
        has the same bets, and no others.
    rounded:
        Whether a bet that the tree lacks is replaced by its neighbours in the tree, with the probabilities of the
        pseudo-harmonic mapping; if not, it is an error.

    Raises
    ------
    StrategyError
        If the strategy is for another game or, when it is queried, bets something that the tree lacks.
    """

    def __init__(
        self,
        strategy: Strategy | StateFunction | HandFunction,
        subject: Subject,
        menu: str | None = None,
        *,
        rounded: bool = False,
    ) -> None:
        start = PublicState.start(subject)
        # A strategy for the rest of a hand has to know where it is asked; others know games and spots only.
        rest = getattr(getattr(strategy, "subject", None), "state", None) is not None
        require(strategy, subject if rest else start.subject)
        self.asked = strategy
        self.description = name_of(strategy)
        self.suits_alike = says(strategy, "suits_alike")
        self.thinks = says(strategy, "thinks")
        """Whether a query takes so long that it is worth starting several processes."""
        self._ask: StateFunction = strategy.strategy if isinstance(strategy, Strategy) else _by_state(strategy)
        self._times = 0
        """Questions that were asked."""
        self.subject = subject
        self.menu = menu
        self.rounded = rounded
        self.betting = build_betting_tree(subject, menu_of(subject, menu))
        self._states: dict[int, PublicState] = {0: start}

    def rows(self, decisions: Sequence[Decision], deals: Deals) -> NDArray[np.float64]:
        """See :meth:`~errai.strategies.strategy.BatchedStrategy.rows`."""
        result = np.empty((sum(len(decision.actions) for decision in decisions), len(deals.hand)))
        # The board in the order of the deal; the tree has the cards of its root sorted.
        own = self.subject.board
        for b, dealt in enumerate(deals.boards):
            block = slice(int(deals.start[b]), int(deals.start[b + 1]))
            board = own + tuple(dealt[len(own) :].tolist())
            first = 0
            for decision in decisions:
                state = replace(self.state(decision.node), board=board)
                last = first + len(decision.actions)
                result[first:last, block] = self._answer(decision, state, deals.hand[block])
                first = last
        return result

    def state(self, node: int) -> PublicState:
        """Return the public state of a node of the betting tree, without the cards that have been dealt."""
        if node not in self._states:
            tree = self.betting
            above = self.state(int(tree.parent[node]))
            self._states[node] = above if tree.action_kind[node] < 0 else above.ahead(action_in(tree, node, above))
        return self._states[node]

    def _answer(self, decision: Decision, state: PublicState, hands: NDArray[np.int32]) -> NDArray[np.float64]:
        """Return float64[A, S]: probabilities of the tree's actions for some hands."""
        actions = [action_in(self.betting, child, state) for child in self.betting.children(decision.node)]
        # The first, second, fourth, eighth ... question is asked twice, unless an answer takes long.
        self._times += 1
        again = self._times & (self._times - 1) == 0 and not self.thinks
        if isinstance(self.asked, Strategy):
            choices = asked(self.asked, state, again)
        else:
            choices = self._answer_of(actions, state)
            if again:
                require_equal(choices, self._answer_of(actions, state), state, self.description)
        result = np.zeros((len(actions), len(hands)))
        for i, action in enumerate(choices.actions):
            column = choices.probabilities[hands, i]
            if action in actions:
                result[actions.index(action)] += column
            elif column.any() and self.rounded:
                for place, share in self._neighbours(actions, state, action):
                    result[place] += share * column
            elif column.any():
                offered = ", ".join(decision.actions)
                what = (
                    f"raises to {action.total}" if action.kind == ActionKind.RAISE else action.kind.name.lower() + "s"
                )
                raise StrategyError(
                    f"{self.description} {what} after '{' '.join(self.betting.path(decision.node))}', where the tree "
                    f"offers {offered}; give a menu that has its bets."
                )
        return result

    @staticmethod
    def _neighbours(actions: list[Action], state: PublicState, action: Action) -> list[tuple[int, float]]:
        """Return the tree's actions that replace one that it lacks, each with its share."""
        raises = [(i, made.total) for i, made in enumerate(actions) if made.kind == ActionKind.RAISE]
        if action.kind != ActionKind.RAISE or not raises:
            return [(actions.index(CALL), 1.0)]
        faced, pot = max(state.betting.spent), max(state.called_pot, 1.0)
        found = translate((action.total - faced) / pot, [(total - faced) / pot for _, total in raises])
        return [(raises[found.lower][0], found.probability), (raises[found.upper][0], 1.0 - found.probability)]

    def _answer_of(self, actions: list[Action], state: PublicState) -> Choices:
        """Return a function's answer.  Raises :class:`StrategyError` if it is wrong."""
        given = called(self._ask, state, self.description)
        if isinstance(given, Choices):
            check_choices(given, state, self.description)
            return given
        live = live_hands(state)
        with suppress(ValueError):  # Lists of different lengths are refused below.
            if np.ndim(given) == 1 and len(given) == len(actions):  # All hands do the same.
                given = [given] * len(live)
        checked = checked_probabilities(given, actions, state, self.description, slack=SUM_ERROR, read=live)
        return Choices(tuple(actions), checked)


def _by_state(function: StateFunction | HandFunction) -> StateFunction:
    """Return a function of public states, made from one that may take the hand as well."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):  # A function that is not written in Python may have no signature.
        parameters = {}.values()
    positional = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    needed = [p for p in parameters if p.kind in positional and p.default is inspect.Parameter.empty]
    if len(needed) < 2:
        return cast("StateFunction", function)
    of_hand = cast("HandFunction", function)

    def every_hand(state: PublicState) -> ArrayLike:
        rules, live = state.subject.rules, live_hands(state)
        cards = hand_cards(rules.deck.num_cards, rules.num_hole_cards)
        rows = {hand: of_hand(state, tuple(cards[hand].tolist())) for hand in np.flatnonzero(live).tolist()}
        for row in rows.values():
            if np.ndim(row) != 1 or np.shape(row) != np.shape(next(iter(rows.values()))):
                return row  # :meth:`ByState._answer_of` raises the error
        found = np.zeros((len(live), len(np.asarray(next(iter(rows.values()))))))
        for hand, row in rows.items():
            found[hand] = row
        return found

    return every_hand
