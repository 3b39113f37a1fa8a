"""Agents that play a strategy of :mod:`errai.responses`: by formula, by buckets, or anything of one's own."""

from __future__ import annotations

from collections import OrderedDict
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from errai.abstraction.translation import Translation
from errai.agents.agent import Choices, MatchStart, StrategicAgent, number_of_hand
from errai.agents.tree_walk import OFF_TREE, TreeWalk, mixed_choices
from errai.cards.hands import hand_cards
from errai.errors import StrategyError
from errai.games.betting import BettingState
from errai.games.game import Game
from errai.games.hand import CALL, FOLD, Action, Observation, PublicState, raise_to, rules_of
from errai.games.sizing import BetMenu
from errai.games.spot import Spot
from errai.responses.strategy import BlindStrategy, Deals, Decision, Strategy
from errai.tree.betting_tree import BettingTree, build_betting_tree, build_spot_betting_tree

REMEMBERED_DECISIONS = 50_000
"""Decisions that an agent remembers."""

REMEMBERED_ROWS = 256
"""Decisions on one board of which an agent remembers what it does with every hand: in hold'em at most 13 MB."""


def live_hands(state: PublicState) -> NDArray[np.bool_]:
    """bool[H], read-only: the hands of the deck that the board leaves possible."""
    game = rules_of(state.subject)
    return _live_hands(game.deck.num_cards, game.num_hole_cards, state.board)


@lru_cache(maxsize=4_096)
def _live_hands(num_cards: int, hole_cards: int, board: tuple[int, ...]) -> NDArray[np.bool_]:
    taken = np.zeros(num_cards, dtype=np.bool_)
    taken[list(board)] = True
    live = np.asarray(~taken[hand_cards(num_cards, hole_cards)].any(axis=1))
    live.setflags(write=False)
    return live


class BlindAgent(StrategicAgent):
    """Plays a strategy that never looks at its cards, in any game.

    In no-limit a raise is one of the pot or, where that is not legal, the nearest that is; ``uniform`` chooses among
    fold, call, that raise and all-in.
    """

    def __init__(self, strategy: BlindStrategy) -> None:
        self.mixture = strategy
        self.name = strategy.description
        self._known: dict[int, tuple[BettingState, tuple[Action, ...], list[float]]] = {}

    def strategy(self, state: PublicState) -> Choices:
        """See :meth:`StrategicAgent.strategy`."""
        actions, mixture = self._mixture(state)
        return Choices(actions, live_hands(state)[:, None] * np.array(mixture))

    def act(self, observation: Observation) -> Action:
        """As :meth:`StrategicAgent.act`, without the rows of the hands that are not held."""
        actions, mixture = self._mixture(observation.state)
        return self.draw(actions, mixture, observation.hand_number)

    def _mixture(self, state: PublicState) -> tuple[tuple[Action, ...], list[float]]:
        """The actions, and the probability of each; hands of a match share the states of their betting."""
        key = id(state.betting)
        known = self._known.get(key)
        # The state is kept with what was found for it, so that no other one can come to have its number.
        if known is not None and known[0] is state.betting:
            return known[1], known[2]
        actions, mixture = self._ask(state)
        if len(self._known) >= REMEMBERED_DECISIONS:
            self._known.clear()
        self._known[key] = state.betting, actions, mixture
        return actions, mixture

    def _ask(self, state: PublicState) -> tuple[tuple[Action, ...], list[float]]:
        actions = self._actions(state)
        first, second = (float(chips) for chips in state.betting.spent)
        decision = Decision(
            node=-1,
            street=state.betting.round - state.first_round,
            player=state.betting.actor,
            actions=tuple(action.kind.name.lower() for action in actions),
            kinds=tuple(action.kind for action in actions),
            contributions=(first, second),
            row=-1,
        )
        return tuple(actions), self.mixture.mix(decision).tolist()

    @staticmethod
    def _actions(state: PublicState) -> list[Action]:
        legal = state.betting.legal()
        actions = [FOLD] if legal.fold else []
        actions.append(CALL)
        if legal.raise_range is not None:
            least, most = legal.raise_range
            faced = max(state.betting.spent)
            pot = round(faced + 2 * (faced + state.dead_chips))
            actions.extend(raise_to(total) for total in dict.fromkeys((min(max(pot, least), most), most)))
        return actions


class StrategyAgent(StrategicAgent):
    """Plays a strategy that is asked decision by decision of a betting tree, such as one by buckets.

    Parameters
    ----------
    strategy:
        The strategy.
    subject:
        What is played.
    betting:
        The betting tree whose nodes the strategy knows; by default that of the subject, with the pot and all-in as the
        bets of a no-limit game.
    translation:
        What bets that the tree does not have are taken for; see :mod:`errai.agents.tree_walk`.

    Raises
    ------
    StrategyError
        There is no such translation.
    """

    def __init__(
        self,
        strategy: Strategy,
        subject: Game | Spot,
        betting: BettingTree | None = None,
        translation: Translation | str = Translation.PSEUDO_HARMONIC,
    ) -> None:
        self.asked = strategy
        self.name = strategy.description
        self.subject = subject
        self.walk = TreeWalk(tree_of(subject) if betting is None else betting, translation, small_bets=True)
        self._asked_before: dict[int, Decision] = {}
        self._known: dict[tuple[object, ...], tuple[tuple[Action, ...], list[float]]] = {}
        self._rows_of: OrderedDict[tuple[int, tuple[int, ...]], NDArray[np.float64]] = OrderedDict()

    def start_match(self, start: MatchStart) -> None:
        """See :meth:`Agent.start_match`."""
        require_same(self.subject, start.subject, self.name)
        super().start_match(start)

    def strategy(self, state: PublicState) -> Choices:
        """See :meth:`StrategicAgent.strategy`."""
        return mixed_choices(self.walk, state, self._all_rows)

    def act(self, observation: Observation) -> Action:
        """As :meth:`StrategicAgent.act`, asking for the hand that is held alone."""
        state = observation.state
        key = (state.actions, state.board, observation.cards)
        known = self._known.get(key)
        if known is None:
            if len(self._known) >= REMEMBERED_DECISIONS:
                self._known.clear()
            known = self._known[key] = self._ask(state, number_of_hand(observation.cards))
        return self.draw(*known, observation.hand_number)

    def _ask(self, state: PublicState, hand: int) -> tuple[tuple[Action, ...], list[float]]:
        """The actions, and the probability of each with one hand."""
        held = np.array([hand], dtype=np.int32)
        choices = mixed_choices(self.walk, state, lambda node, at: self._rows(node, at, held))
        return choices.actions, choices.probabilities[0].tolist()

    def _all_rows(self, node: int, state: PublicState) -> NDArray[np.float64]:
        """float64[H, A]: probabilities with every hand of the deck, 0 for those that cannot be held."""
        key = (node, state.board)
        found = self._rows_of.get(key)
        if found is None:
            live = live_hands(state)
            hand = np.flatnonzero(live).astype(np.int32)
            rows = self._rows(node, state, hand)
            found = self._rows_of[key] = np.zeros((len(live), rows.shape[1]))
            found[hand] = rows
            found.setflags(write=False)
            if len(self._rows_of) > REMEMBERED_ROWS:
                self._rows_of.popitem(last=False)
        return found

    def _rows(self, node: int, state: PublicState, hand: NDArray[np.int32]) -> NDArray[np.float64]:
        """float64[S, A]: probabilities with each of the hands given; off the tree the agent checks and calls."""
        if node == OFF_TREE:
            return np.ones((len(hand), 1))
        game = rules_of(state.subject)
        decision = self._asked_before.get(node)
        if decision is None:
            decision = self._asked_before[node] = Decision.at(self.walk.betting, node)
        cards = hand_cards(game.deck.num_cards, game.num_hole_cards)[hand].astype(np.uint8)
        board = np.array([self._sorted_by_street(state)], dtype=np.int8).reshape(1, -1)
        deals = Deals(decision.street, board, np.array([0, len(hand)]), hand, cards)
        rows = np.asarray(self.asked.rows([decision], deals), dtype=np.float64)
        return np.broadcast_to((rows / rows.sum(axis=0)).T, (len(hand), len(rows)))

    @staticmethod
    def _sorted_by_street(state: PublicState) -> list[int]:
        """The board with the cards of each street ascending, as strategies are given it."""
        game, found, dealt = rules_of(state.subject), [], 0
        for round in range(state.betting.round + 1):
            until = game.board_cards_in(round)
            found.extend(sorted(state.board[dealt:until]))
            dealt = until
        return found


def tree_of(subject: Game | Spot, menu: BetMenu | None = None) -> BettingTree:
    """The betting tree of a game or spot."""
    return build_spot_betting_tree(subject) if isinstance(subject, Spot) else build_betting_tree(subject, menu)


def require_same(made_for: Game | Spot, played: Game | Spot, name: str) -> None:
    """Raise :class:`StrategyError` where an agent was made for something else than is played."""
    if made_for.digest() != played.digest():
        wanted, found = (getattr(s, "title", "") or getattr(s, "name", "a spot") for s in (made_for, played))
        raise StrategyError(f"{name} plays '{wanted}', which has other rules than '{found}'.")
