"""Agents that play a strategy of :mod:`errai.responses`: by formula, by buckets, or anything of one's own."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from errai.agents.agent import Choices, MatchStart, StrategicAgent, merged_choices
from errai.agents.tree_walk import OFF_TREE, TreeWalk
from errai.cards.hands import hand_cards
from errai.errors import StrategyError
from errai.games.game import Game
from errai.games.hand import CALL, FOLD, Action, PublicState, raise_to, rules_of
from errai.games.sizing import BetMenu
from errai.games.spot import Spot
from errai.responses.strategy import BlindStrategy, Deals, Decision, Strategy
from errai.tree.betting_tree import BettingTree, build_betting_tree, build_spot_betting_tree


def live_hands(state: PublicState) -> NDArray[np.bool_]:
    """bool[H]: the hands of the deck that the board leaves possible."""
    game = rules_of(state.subject)
    hands = hand_cards(game.deck.num_cards, game.num_hole_cards)
    return np.asarray(~np.isin(hands, state.board).any(axis=1))


class BlindAgent(StrategicAgent):
    """Plays a strategy that never looks at its cards, in any game.

    In no-limit a raise is one of the pot or, where that is not legal, the nearest that is; ``uniform`` chooses among
    fold, call, that raise and all-in.
    """

    def __init__(self, strategy: BlindStrategy) -> None:
        self.mixture = strategy
        self.name = strategy.description

    def strategy(self, state: PublicState) -> Choices:
        """See :meth:`StrategicAgent.strategy`."""
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
        return Choices(tuple(actions), live_hands(state)[:, None] * self.mixture.mix(decision))

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
    """

    def __init__(self, strategy: Strategy, subject: Game | Spot, betting: BettingTree | None = None) -> None:
        self.asked = strategy
        self.name = strategy.description
        self.subject = subject
        self.walk = TreeWalk(tree_of(subject) if betting is None else betting)

    def start_match(self, start: MatchStart) -> None:
        """See :meth:`Agent.start_match`."""
        require_same(self.subject, start.subject, self.name)
        super().start_match(start)

    def strategy(self, state: PublicState) -> Choices:
        """See :meth:`StrategicAgent.strategy`."""
        live = live_hands(state)
        node = self.walk.node(state)
        if node == OFF_TREE:
            return Choices((CALL,), live[:, None].astype(np.float64))
        game = rules_of(state.subject)
        decision = Decision.at(self.walk.betting, node)
        hand = np.flatnonzero(live).astype(np.int32)
        cards = hand_cards(game.deck.num_cards, game.num_hole_cards)[hand].astype(np.uint8)
        board = np.array([self._sorted_by_street(state)], dtype=np.int8).reshape(1, -1)
        deals = Deals(decision.street, board, np.array([0, len(hand)]), hand, cards)
        rows = np.asarray(self.asked.rows([decision], deals), dtype=np.float64)
        probabilities = np.zeros((len(live), len(rows)))
        probabilities[hand] = (rows / rows.sum(axis=0)).T
        return merged_choices(self.walk.actions(node, state), probabilities)

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
