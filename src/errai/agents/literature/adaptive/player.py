"""Vexbot and BRPlayer: they observe the opponent, keep a model for either seat, and search with it.

Billings et al., "Game-tree search with adaptation in stochastic imperfect-information games" (2004), and Schauenberg,
"Opponent modelling and search in poker" (2006).  docs/bots/vexbot.md and docs/bots/brplayer.md say where the players
follow these papers and where they do not.
"""

from __future__ import annotations

from abc import abstractmethod
from functools import lru_cache, partial

import numpy as np
from numpy.typing import NDArray

from errai.agents.agent import Agent, MatchStart, random_key, random_number
from errai.agents.literature.adaptive.chances import check_game, hand_ranks
from errai.agents.literature.adaptive.model import (
    LEVELS,
    Credit,
    OpponentModel,
    exponential_credit,
    pseudo_count_credit,
)
from errai.agents.literature.adaptive.search import Evaluator, Rule, miximax, miximix, mixture
from errai.errors import UnsupportedGameError
from errai.games.game import Game, Subject
from errai.games.hand import Action, Observation, PublicState
from errai.strategies.names import Bounds, Name
from errai.strategies.strategy import require_same
from errai.tree.betting_tree import BettingTree, build_betting_tree

SEARCHES = ("miximax", "miximix")

EXPLORING = 1.0
"""Temperature of decisions that Vexbot draws to explore, in big blinds."""

BRPLAYER_LEVELS = ("exact", "rounds", "totals", "coarse")

LAG = 0.01
"""The values in use may lack the newest observations, up to this share of all observations."""

_SHARED: dict[str, Bounds] = {"explore": (0.0, 1e9), "rivers": (1, 60), "seed": (0, 2**53)}
"""The options that both players have in their names."""


@lru_cache(maxsize=4)
def _lines_of(game: Game) -> tuple[BettingTree, list[list[int]]]:
    """Return the betting tree, and where fold, call and raise lead from each node, after the next cards, or -1."""
    tree = build_betting_tree(game)
    return tree, tree.next_by_kind().tolist()


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
        self.tree, self._next = _lines_of(game)
        self._start = self.tree.after_chance(0)
        self._actor: list[int] = self.tree.actor.tolist()
        self._own_seed = seed
        self._new_model = partial(OpponentModel, self.tree, credit=credit, decay=decay, levels=levels)
        # One evaluator and one model for each seat of this agent; the opponent sits in the other.
        self.evaluators = tuple(Evaluator(game, self.tree, seat, rule, rivers) for seat in (0, 1))
        self.start_match(MatchStart(subject, 0))

    def start_match(self, start: MatchStart) -> None:
        """Reset the model; see :meth:`Agent.start_match`."""
        require_same(self.subject, start.subject, self.name)
        self._seed = start.seed + self._own_seed
        self.hands_seen = 0
        self._hand, self._key, self._drawn = -1, 0, 0
        self.models = tuple(self._new_model(1 - seat) for seat in (0, 1))
        self._believed = [-1, -1]

    def act(self, observation: Observation) -> Action:
        """Search, and choose an action."""
        node = self._node(observation.state)
        values = self.values(observation)
        if observation.hand_number != self._hand:
            self._hand, self._drawn = observation.hand_number, 0
            self._key = random_key(self._seed, observation.hand_number)
        children = self.tree.children(node)
        return self.tree.action_to(children[self.choose(values / self.subject.big_blind)])

    def values(self, observation: Observation) -> NDArray[np.float64]:
        """Return the value of each action in chips at a decision of the agent, in the order of the node's children."""
        seat = observation.seat
        model, evaluator = self.models[seat], self.evaluators[seat]
        # After thousands of observations another one changes almost nothing, and a new model needs a new sweep of the
        # whole tree. A model with decay may change at any time.
        due = self._believed[seat] * (1.0 + LAG) if model.decisions.decay == 1.0 else self._believed[seat]
        if model.version > due:
            evaluator.believe(model.shares(), model.wins())
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


class Vexbot(AdaptivePlayer):
    """Adaptive miximax or miximix.

    Parameters
    ----------
    subject:
        A limit game; :class:`UnsupportedGameError` for others.
    search:
        ``miximax`` takes the best action, here and in the search; ``miximix`` mixes all actions in both.
    temperature:
        For miximix, in big blinds: actions have probabilities proportional to exp(value / temperature).
    credit:
        m of the exponential credit, see :mod:`~errai.agents.literature.adaptive.model`.
    decay:
        Factor of an earlier observation whenever another one of its class is added.
    explore:
        After t hands the share explore / (explore + t) of decisions is drawn from a mixture of temperature 1, in order
        to observe lines that the model considers bad.
    rivers, seed:
        See :class:`AdaptivePlayer`.
    """

    def __init__(
        self,
        subject: Subject,
        name: str = "vexbot",
        *,
        search: str = "miximax",
        temperature: float = 0.1,
        credit: float = 0.98,
        decay: float = 1.0,
        explore: float = 10.0,
        rivers: int = 8,
        seed: int = 0,
    ) -> None:
        self.search, self.temperature, self.explore = search, temperature, explore
        rule = miximax if search == "miximax" else miximix(temperature * subject.rules.big_blind)
        super().__init__(
            subject, name, rule=rule, credit=partial(exponential_credit, credit), decay=decay, rivers=rivers, seed=seed
        )

    def choose(self, values: NDArray[np.float64]) -> int:
        if self.random() * (self.explore + self.hands_seen) < self.explore:
            return self._drawn_from(values, EXPLORING)
        if self.search == "miximax":
            return int(values.argmax())
        return self._drawn_from(values, self.temperature)

    def _drawn_from(self, values: NDArray[np.float64], temperature: float) -> int:
        shares = mixture(values[None, :, None], temperature)[0, :, 0]
        return min(int(np.searchsorted(np.cumsum(shares), self.random(), side="right")), len(values) - 1)


class BRPlayer(AdaptivePlayer):
    """Plays a best response to a model of counts without decay, and alternates between actions of nearly equal value.

    Parameters
    ----------
    subject:
        A limit game; :class:`UnsupportedGameError` for others.
    counts:
        The estimate of a coarser level counts as so many observations of the finer one.
    slack:
        An action may be taken if its value is at most so many big blinds below the best, in the first hand; after t
        hands it is slack * sqrt(explore / (explore + t)).
    explore:
        See ``slack``.
    rivers, seed:
        See :class:`AdaptivePlayer`.
    """

    def __init__(
        self,
        subject: Subject,
        name: str = "brplayer",
        *,
        counts: float = 10.0,
        slack: float = 0.5,
        explore: float = 50.0,
        rivers: int = 8,
        seed: int = 0,
    ) -> None:
        self.slack, self.explore = slack, explore
        super().__init__(
            subject,
            name,
            rule=miximax,
            credit=partial(pseudo_count_credit, counts),
            levels=BRPLAYER_LEVELS,
            rivers=rivers,
            seed=seed,
        )

    def choose(self, values: NDArray[np.float64]) -> int:
        share = self.explore / (self.explore + self.hands_seen) if self.explore else 0.0
        near = np.flatnonzero(values >= values.max() - self.slack * share**0.5)
        return int(near[int(self.random() * len(near))])


def read_vexbot(name: Name, subject: Subject) -> Vexbot:
    """Make Vexbot from its name, with options such as ``search=miximix,decay=0.95``; raises :class:`StrategyError`."""
    numbers = {"temperature": (1e-3, 100.0), "credit": (0.0, 0.9999), "decay": (0.01, 1.0), **_SHARED}
    return Vexbot(subject, name.text, **name.read(numbers, {"search": SEARCHES}))


def read_brplayer(name: Name, subject: Subject) -> BRPlayer:
    """Make BRPlayer from its name, with options such as ``counts=20``; raises :class:`StrategyError`."""
    return BRPlayer(subject, name.text, **name.read({"counts": (0.01, 1e6), "slack": (0.0, 100.0), **_SHARED}))
