"""A strategy or function that answers for public states, as best responses ask: about nodes of a tree and boards."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from dataclasses import replace
from math import comb
from typing import Any, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from errai.abstraction.translation import translate
from errai.cards.hands import hand_cards
from errai.errors import StrategyError
from errai.games.betting import ActionKind
from errai.games.hand import CALL, FOLD, Action, PublicState, raise_to, rules_of
from errai.games.lookahead import Lookahead, Solvable
from errai.games.spot import Spot
from errai.solutions.subjects import menu_of
from errai.strategies.strategy import Choices, Deals, Decision, Strategy, live_hands
from errai.strategies.tree_walk import tree_of

StateFunction = Callable[[PublicState], Choices | ArrayLike]
"""A public state to what every hand does: :class:`~errai.strategies.strategy.Choices`, or float[H, A] with the hands of
the deck in hand-index order and the actions of the tree (fold, call or check, raises from the smallest), or float[A]
where all hands do the same."""

HandFunction = Callable[[PublicState, tuple[int, ...]], ArrayLike]
"""A public state and a hand, as the numbers of its cards, to float[A]: what this hand does, with the actions of the
tree as in :data:`StateFunction`.  It is called for every hand that the board leaves."""


class ByState:
    """A strategy as a :class:`~errai.strategies.strategy.BatchedStrategy`, such as an agent's.

    Between a node and a public state stands the line that leads to the node.

    Parameters
    ----------
    strategy:
        Who is asked, or a function of a public state, or of a public state and a hand.
    subject:
        What is played, or a lookahead: what is left of it.
    menu:
        Bet sizes of a no-limit game, as for :func:`errai.best_response`; by default the pot and all-in.  The responder
        has these bets too, and no others.
    rounded:
        Whether a bet that the tree lacks is made as its neighbours in the tree, each as often as the pseudo-harmonic
        mapping says; otherwise it is refused.

    Raises
    ------
    StrategyError
        The strategy is one for something else; when asked: it bets what the tree does not have.
    """

    def __init__(
        self,
        strategy: Strategy | StateFunction | HandFunction,
        subject: Solvable,
        menu: str | None = None,
        *,
        rounded: bool = False,
    ) -> None:
        start = subject.state if isinstance(subject, Lookahead) else PublicState.start(subject)
        require = getattr(strategy, "require", None)
        if require is not None:
            require(start.subject)
        self.asked = strategy
        self._ask: StateFunction = strategy.strategy if isinstance(strategy, Strategy) else _by_state(strategy)
        self.subject = subject
        self.menu = menu
        self.rounded = rounded
        self.betting = tree_of(subject, menu_of(subject, menu))
        self._states: dict[int, PublicState] = {0: start}

    @property
    def suits_alike(self) -> bool:
        """As that of the strategy that is asked."""
        return getattr(self.asked, "suits_alike", False)

    @property
    def thinks(self) -> bool:
        """Whether an answer takes so long that processes of their own are worth their start: as who is asked says."""
        return getattr(self.asked, "thinks", False)

    @property
    def description(self) -> str:
        """The strategy's name."""
        return getattr(self.asked, "name", "") or getattr(self.asked, "__name__", "") or type(self.asked).__name__

    def rows(self, decisions: Sequence[Decision], deals: Deals) -> NDArray[np.float64]:
        """As :meth:`errai.strategies.strategy.BatchedStrategy.rows`: float64[R, S]."""
        result = np.empty((sum(len(decision.actions) for decision in decisions), len(deals.hand)))
        # In the order in which they were dealt; the tree has those of its root sorted.
        own = tuple(self.subject.board) if isinstance(self.subject, Spot | Lookahead) else ()
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
        """The public state of a node of the betting tree, without the cards that have been dealt."""
        if node not in self._states:
            tree = self.betting
            above = self.state(int(tree.parent[node]))
            if tree.action_kind[node] < 0:
                self._states[node] = above
            else:
                self._states[node] = above.ahead(self._action(node))
        return self._states[node]

    def _action(self, node: int) -> Action:
        """The action that leads to a node."""
        kind = int(self.betting.action_kind[node])
        if kind == ActionKind.RAISE:
            return raise_to(int(self.betting.action_total[node]))
        return FOLD if kind == ActionKind.FOLD else CALL

    def _answer(self, decision: Decision, state: PublicState, hands: NDArray[np.int32]) -> NDArray[np.float64]:
        """float64[A, S]: probabilities of the tree's actions for some hands."""
        actions = [self._action(child) for child in self.betting.children(decision.node)]
        choices = self._ask(state)
        if not isinstance(choices, Choices):
            choices = Choices(tuple(actions), self._array(choices, decision))
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
        """The tree's actions that are taken in place of one that it lacks, each with its share."""
        raises = [(i, made.total) for i, made in enumerate(actions) if made.kind == ActionKind.RAISE]
        if action.kind != ActionKind.RAISE or not raises:
            return [(actions.index(CALL), 1.0)]
        faced = max(state.betting.spent)
        pot = max(2.0 * (faced + state.dead_chips), 1.0)
        found = translate((action.total - faced) / pot, [(total - faced) / pot for _, total in raises])
        return [(raises[found.lower][0], found.probability), (raises[found.upper][0], 1.0 - found.probability)]

    def _array(self, answer: ArrayLike, decision: Decision) -> NDArray[np.float64]:
        """float64[H, A] from what a function answered.  Raises :class:`StrategyError` where it does not fit."""
        game = rules_of(self.subject)
        shape = (comb(game.deck.num_cards, game.num_hole_cards), len(decision.actions))
        try:
            return np.broadcast_to(np.asarray(answer, dtype=np.float64), shape)
        except (TypeError, ValueError):
            found = f"an array of shape {np.shape(answer)}" if isinstance(answer, np.ndarray) else repr(answer)[:80]
            raise StrategyError(
                f"'{self.description}' answered with {found} after '{' '.join(self.betting.path(decision.node))}'; "
                f"probabilities of shape {shape} were asked for: {', '.join(decision.actions)}."
            ) from None


def _by_state(function: StateFunction | HandFunction) -> StateFunction:
    """A function of public states, from one that may want the hand as well."""
    if not _takes_a_hand(function):
        return cast("StateFunction", function)
    of_hand = cast("HandFunction", function)

    def every_hand(state: PublicState) -> ArrayLike:
        rules, live = rules_of(state.subject), live_hands(state)
        cards = hand_cards(rules.deck.num_cards, rules.num_hole_cards)
        rows = {hand: of_hand(state, tuple(cards[hand].tolist())) for hand in np.flatnonzero(live).tolist()}
        for row in rows.values():
            if np.ndim(row) != 1 or np.shape(row) != np.shape(next(iter(rows.values()))):
                return row  # what does not fit is named as any other answer is
        found = np.zeros((len(live), len(np.asarray(next(iter(rows.values()))))))
        for hand, row in rows.items():
            found[hand] = row
        return found

    return every_hand


def _takes_a_hand(function: Callable[..., Any]) -> bool:
    """Whether a function needs a second argument besides the public state."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):  # What is not written in Python may not say what it takes.
        return False
    positional = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    return sum(p.kind in positional and p.default is inspect.Parameter.empty for p in parameters) > 1
