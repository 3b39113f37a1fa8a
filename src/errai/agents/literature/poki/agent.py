"""Poki as an agent: ``poki`` with simulation, ``poki-formula`` without."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from errai.abstraction.deals import DealIndexer
from errai.agents.agent import Agent, MatchStart, number_of_hand, random_key, random_number
from errai.agents.literature.poki.betting import MAKE1, bet_lines, require_playable, semi_bluff_odds, triples
from errai.agents.literature.poki.evaluation import Board, Evaluation, income_rates, sharing
from errai.agents.literature.poki.opponent import Modelling, OpponentModel
from errai.agents.literature.poki.simulation import DecisionPoint, simulate
from errai.errors import StrategyError
from errai.games.betting import ActionKind
from errai.games.game import Subject
from errai.games.hand import CALL, FOLD, Action, Observation, raise_to
from errai.strategies.names import Name

TRIALS = 300
"""Default number of trials of a simulation."""

MARGIN = 0.05
"""Actions whose means are within this distance of the best one's, in bets of the round, are mixed."""


@dataclass(eq=False)
class _Hand:
    """The current hand, as far as it has been followed."""

    number: int
    cards: tuple[int, ...]
    seat: int
    index: int
    node: int = 0
    done: int = 0
    """Number of actions that have been followed."""
    line: tuple[Action, ...] = ()
    decisions: int = 0
    """Number of the player's decisions before the current one."""
    semi_bluffing: bool = False
    evaluations: dict[int, Evaluation] = field(default_factory=dict)
    """Evaluations of the hand, by node at which the player acts."""
    boards: dict[tuple[int, ...], Board] = field(default_factory=dict)


class PokiAgent(Agent):
    """Plays limit hold'em as Poki does; raises :class:`StrategyError` for other games.

    Parameters
    ----------
    trials:
        Trials of the simulation at each decision; 0 plays by the betting formula alone.
    modelling:
        How the opponent's actions are used.
    simulates_first_round:
        Whether decisions before the flop are simulated too.
    """

    def __init__(
        self,
        subject: Subject,
        *,
        trials: int = TRIALS,
        modelling: Modelling = Modelling.SPECIFIC,
        simulates_first_round: bool = True,
    ) -> None:
        self.game = require_playable(subject)
        self.name = "poki" if trials else "poki-formula"
        self.learns = modelling is Modelling.SPECIFIC
        self.trials = trials
        self.simulates_first_round = simulates_first_round
        self.deals = DealIndexer(self.game)
        self.lines = bet_lines(self.game)
        self.model = OpponentModel(self.lines, modelling)
        rates = income_rates()
        self.income = rates if int(np.argmax(self.game.blinds)) == 0 else rates[::-1]
        self._seed = 0
        self._hand: _Hand | None = None

    def start_match(self, start: MatchStart) -> None:
        """Forget the model of the last opponent."""
        if require_playable(start.subject).digest() != self.game.digest():
            raise StrategyError(f"{self.name} was made for '{self.game.name}', which has other rules than this match.")
        self.model = OpponentModel(self.lines, self.model.modelling)
        self._seed, self._hand = start.seed, None

    def act(self, observation: Observation) -> Action:
        """Follow the actions since the last call, then decide."""
        hand = self._follow(observation)
        legal, cards = observation.state.betting.legal(), observation.state.board
        evaluation = self._evaluate(hand, hand.node, cards) if cards else None
        if self.trials and (cards or self.simulates_first_round):
            chances = self._by_simulation(hand, self._board(hand, cards) if cards else None, evaluation)
        else:
            chances = self._by_formula(hand, evaluation)
        key = random_key(self._seed, hand.number)
        drawn = random_number(key, 1 + hand.decisions)
        kind = 0 if drawn < chances[0] else 1 if drawn < chances[0] + chances[1] else 2
        if kind == ActionKind.RAISE and legal.raise_range is not None:
            return raise_to(legal.raise_range[1])
        return FOLD if kind == ActionKind.FOLD and legal.fold else CALL

    def end_hand(self, observation: Observation, net_chips: float) -> None:
        """Update the model with the whole hand, and with the opponent's cards if they were shown."""
        self._follow(observation)
        shown = observation.opponent_cards
        self.model.end_hand(number_of_hand(shown) if shown is not None else None)
        self._hand = None

    def _follow(self, observation: Observation) -> _Hand:
        """Process the actions that have not been followed yet."""
        state = observation.state
        line = state.line
        hand = self._hand
        this = observation.hand_number, observation.cards, observation.seat
        if hand is None or (hand.number, hand.cards, hand.seat) != this or line[: hand.done] != hand.line:
            hand = self._hand = _Hand(*this, number_of_hand(observation.cards))
            self.model.new_hand(~sharing(self.deals, hand.index))
        for action in line[hand.done :]:
            node, kind = hand.node, int(action.kind)
            if self.lines.tree.actor[node] == hand.seat:
                hand.decisions += 1
                hand.semi_bluffing = kind == ActionKind.RAISE and self._semi_bluffs(hand, node, state.board)
            else:
                self._observe(hand, node, kind, state.board)
                hand.semi_bluffing = hand.semi_bluffing and kind != ActionKind.RAISE
            hand.node = int(self.lines.child[node, kind])
        hand.line, hand.done = line, len(line)
        return hand

    def _semi_bluffs(self, hand: _Hand, node: int, board: tuple[int, ...]) -> bool:
        """Return whether a bet of the player was a semi-bluff, or continued one."""
        street = int(self.lines.tree.street[node])
        if self.trials or street == 0 or self.lines.bets[node] > 0:
            return False
        if hand.semi_bluffing:
            return True
        evaluation = self._evaluate(hand, node, board[: self.deals.board_cards[street]])
        odds = semi_bluff_odds(self.lines.pot[node], self.lines.bet[node])
        return bool(not self.lines.is_last[node] and evaluation.effective < MAKE1 and evaluation.positive >= odds)

    def _evaluate(self, hand: _Hand, node: int, cards: tuple[int, ...]) -> Evaluation:
        """Evaluate the player's hand at a node where the player acts."""
        if node not in hand.evaluations:
            board = self._board(hand, cards)
            hand.evaluations[node] = board.evaluate(hand.index, self.model.weights)
        return hand.evaluations[node]

    def _observe(self, hand: _Hand, node: int, kind: int, board: tuple[int, ...]) -> None:
        """Update the model with an action of the opponent."""
        street = int(self.lines.tree.street[node])
        values = None
        if self.model.modelling is not Modelling.OFF and kind != ActionKind.FOLD:
            if street == 0:
                values = self.income[1 - hand.seat]
            else:
                values = self._board(hand, board[: self.deals.board_cards[street]]).values
        self.model.observe(node, kind, values)

    def _board(self, hand: _Hand, cards: tuple[int, ...]) -> Board:
        """Return the board, and remove the hands that it blocks from the model."""
        if cards not in hand.boards:
            board = hand.boards[cards] = Board(self.deals, cards)
            self.model.block(board.now >= 0)
        return hand.boards[cards]

    def _by_formula(self, hand: _Hand, evaluation: Evaluation | None) -> NDArray[np.float64]:
        """Return float64[3]: the probabilities to fold, call and raise."""
        if hand.semi_bluffing and self.lines.bets[hand.node] == 0 and self.lines.can_raise[hand.node]:
            # A semi-bluff is continued as long as the opponent does not bet, whatever cards come.
            return np.array([0.0, 0.0, 1.0])
        known = Evaluation(*(np.array([number]) for number in evaluation or (0.0, 0.0, 0.0)))
        income = self.income[hand.seat, [hand.index]]
        last_to_act = self.game.first_player[-1] != hand.seat
        return np.asarray(triples(self.lines, np.array([hand.node]), known, income, last_to_act=last_to_act)[0])

    def _by_simulation(self, hand: _Hand, board: Board | None, evaluation: Evaluation | None) -> NDArray[np.float64]:
        """Take the best action by simulation; actions that are nearly as good are mixed in, the closer the more."""
        point = DecisionPoint(self.deals, self.lines, hand.node, board, hand.index, evaluation, self.income)
        rng = np.random.default_rng([random_key(self._seed, hand.number), hand.decisions])
        means = simulate(point, self.model, self.trials, rng)
        if self.lines.to_call[hand.node] > 0:
            means[0] = -float(self.lines.tree.contributions[hand.node, hand.seat])
        best = max(means.values())
        margin = MARGIN * float(self.lines.bet[hand.node])
        chances = np.zeros(3)
        for action, mean in means.items():
            chances[action] = max(0.0, 1.0 - (best - mean) / margin)
        return np.asarray(chances / chances.sum())


def read_poki(name: Name, subject: Subject) -> PokiAgent:
    """Make the agent ``poki``, which simulates, or ``poki-formula``, which plays by the betting formula.

    The options are for example ``trials=200,model=specific,preflop=formula``; the formula has ``model`` only.  Raises
    :class:`StrategyError` for a wrong option or game.
    """
    words = {"model": tuple(Modelling)}
    if name.kind == "poki":
        chosen = name.read({"trials": (1, 100_000)}, {**words, "preflop": ("simulation", "formula")})
    else:
        chosen = {**name.read(words=words), "trials": 0}
    agent = PokiAgent(
        subject,
        trials=chosen.get("trials", TRIALS),
        modelling=Modelling(chosen.get("model", Modelling.SPECIFIC)),
        simulates_first_round=chosen.get("preflop") != "formula",
    )
    agent.name = name.text
    return agent
