"""The common base of both bots: it observes the opponent, keeps a model for either seat, and searches with it."""

from __future__ import annotations

from abc import abstractmethod
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from errai.agents.agent import Agent, MatchStart, random_key, random_number
from errai.agents.literature.adaptive.chances import check_game
from errai.agents.literature.adaptive.evaluation import Beliefs, Evaluator
from errai.agents.literature.adaptive.histograms import hand_ranks
from errai.agents.literature.adaptive.levels import LEVELS
from errai.agents.literature.adaptive.model import Credit, OpponentModel
from errai.agents.literature.adaptive.search import Rule
from errai.errors import UnsupportedGameError
from errai.games.betting import ActionKind
from errai.games.game import Game
from errai.games.hand import CALL, FOLD, Action, Observation, PublicState, raise_to
from errai.games.subject import Subject
from errai.strategies.strategy import require_same
from errai.tree.betting_tree import BettingTree, build_betting_tree

LAG = 0.01
"""The values in use may lack the newest observations, up to this share of all observations."""


@lru_cache(maxsize=4)
def _tree_of(game: Game) -> BettingTree:
    return build_betting_tree(game)


@lru_cache(maxsize=4)
def _next_decisions(tree: BettingTree) -> list[list[int]]:
    """Return the nodes to which fold, call and raise lead from each node, after the next cards; -1: not legal."""
    found: list[list[int]] = tree.next_by_kind().tolist()
    return found


class AdaptivePlayer(Agent):
    """Plays by search against a model of its opponent, learned in the match so far.

    Parameters
    ----------
    subject:
        A limit game; :class:`UnsupportedGameError` for others.
    name:
        Name of the agent.
    rule:
        How values of the player's own later decisions are computed, given the big blind.
    credit, decay, levels:
        See :class:`OpponentModel`.
    rivers:
        See :class:`Evaluator`.
    seed:
        Added to the match's seed, so that two agents of a kind can differ.
    """

    learns = True

    def __init__(
        self,
        subject: Subject,
        name: str,
        *,
        rule: Rule,
        credit: Credit,
        decay: float = 1.0,
        levels: tuple[str, ...] = LEVELS,
        rivers: int = 8,
        seed: int = 0,
    ) -> None:
        game = subject.whole_game
        if game is None:
            raise UnsupportedGameError(f"{name} plays whole games, not spots; name one such as holdem.limit.2p.")
        check_game(game)
        self.name, self.subject = name, game
        self.tree = _tree_of(game)
        self._start = self.tree.after_chance(0)
        self._next = _next_decisions(self.tree)
        self._actor: list[int] = self.tree.actor.tolist()
        self._credit, self._decay, self._levels, self._own_seed = credit, decay, levels, seed
        # One evaluator and one model for each seat of this agent; the opponent sits in the other.
        self.evaluators = tuple(Evaluator(game, self.tree, seat, rule, rivers) for seat in (0, 1))
        self.start_match(MatchStart(subject, 0))

    def start_match(self, start: MatchStart) -> None:
        """Reset the model; see :meth:`Agent.start_match`."""
        require_same(self.subject, start.subject, self.name)
        self._seed = start.seed + self._own_seed
        self.hands_seen = 0
        self._hand, self._key, self._drawn = -1, 0, 0
        self.models = tuple(
            OpponentModel(self.tree, 1 - seat, self._credit, self._decay, self._levels) for seat in (0, 1)
        )
        self._believed = [-1, -1]

    def act(self, observation: Observation) -> Action:
        """Search, and choose an action."""
        node = self._node(observation.state)
        values = self.values(observation)
        if observation.hand_number != self._hand:
            self._hand, self._drawn = observation.hand_number, 0
            self._key = random_key(self._seed, observation.hand_number)
        children = self.tree.children(node)
        child = children[self.choose(values / self.subject.big_blind)]
        kind = ActionKind(int(self.tree.action_kind[child]))
        if kind == ActionKind.RAISE:
            return raise_to(int(self.tree.action_total[child]))
        return FOLD if kind == ActionKind.FOLD else CALL

    def values(self, observation: Observation) -> NDArray[np.float64]:
        """Return the value of each action in chips at a decision of the agent, in the order of the node's children."""
        seat = observation.seat
        model, evaluator = self.models[seat], self.evaluators[seat]
        # After thousands of observations another one changes almost nothing, and a new model needs a new sweep of the
        # whole tree. A model with decay may change at any time.
        due = self._believed[seat] * (1.0 + LAG) if self._decay == 1.0 else self._believed[seat]
        if model.version > due:
            evaluator.believe(Beliefs(model.shares(), model.wins()))
            self._believed[seat] = model.version
        return evaluator.values(self._node(observation.state), observation.cards, observation.state.board)

    @abstractmethod
    def choose(self, values: NDArray[np.float64]) -> int:
        """Return which of the actions to take, given their values in big blinds."""

    def random(self) -> float:
        """Return the next random number of the hand, at least 0 and below 1."""
        self._drawn += 1
        return random_number(self._key, self._drawn)

    def end_hand(self, observation: Observation, net_chips: float) -> None:
        """Add the opponent's actions to the model, and the opponent's hand if it was shown."""
        state, model = observation.state, self.models[observation.seat]
        node = self._start
        for action in state.line:
            if self._actor[node] != observation.seat:
                model.saw_action(node, action.kind)
            node = self._next[node][action.kind]
        if state.betting.showdown and observation.opponent_cards is not None:
            rank = hand_ranks(self.subject, observation.opponent_cards, np.array([state.board], dtype=np.int16))[0]
            model.saw_showdown(node, float(rank))
        self.hands_seen += 1

    def _node(self, state: PublicState) -> int:
        node = self._start
        for action in state.line:
            node = self._next[node][action.kind]
        return node
