"""Agents as strategies: what an exact best response asks, answered by whoever plays.

A best response asks about nodes of a betting tree and boards; an agent answers about public states.  In between stands
the line that leads to a node.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from errai.agents.agent import MatchStart, StrategicAgent
from errai.agents.strategies import tree_of
from errai.engine.strategy import board_block, exploitability
from errai.engine.units import Exploitability, Units
from errai.errors import StrategyError
from errai.games.betting import ActionKind
from errai.games.hand import CALL, FOLD, Action, PublicState, Subject, raise_to
from errai.games.spot import Spot
from errai.kernels.backends import make_kernel
from errai.responses.boards import Boards
from errai.responses.strategy import Deals, Decision
from errai.solutions.artefact import menu_of
from errai.tree.public_tree import build_public_tree


class AgentStrategy:
    """An agent as a strategy of :mod:`errai.responses`: ``best_response(game, AgentStrategy(agent, game))`` is exact.

    A best response takes boards that suits make equal for one, so the agent must play them alike, as all of Errai's
    own do; ``exploitability_of`` can do without.

    Parameters
    ----------
    agent:
        Who is asked.
    subject:
        What is played.
    menu:
        Bet sizes of a no-limit game, as for :func:`errai.best_response`; by default the pot and all-in.  The responder
        has these bets too, and no others.

    Raises
    ------
    StrategyError
        The agent cannot play the subject; when asked: it bets what the tree does not have.
    """

    def __init__(self, agent: StrategicAgent, subject: Subject, menu: str | None = None) -> None:
        agent.start_match(MatchStart(subject, 0))
        self.agent = agent
        self.subject = subject
        self.betting = tree_of(subject, menu_of(subject, menu))
        self._states: dict[int, PublicState] = {0: PublicState.start(subject)}

    @property
    def description(self) -> str:
        """The agent's name."""
        return self.agent.name

    def rows(self, decisions: Sequence[Decision], deals: Deals) -> NDArray[np.float64]:
        """As :meth:`errai.responses.strategy.Strategy.rows`: float64[R, S]."""
        result = np.empty((sum(len(decision.actions) for decision in decisions), len(deals.hand)))
        own = tuple(self.subject.board) if isinstance(self.subject, Spot) else ()
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
        choices = self.agent.strategy(state)
        actions = [self._action(child) for child in self.betting.children(decision.node)]
        result = np.zeros((len(actions), len(hands)))
        for i, action in enumerate(choices.actions):
            column = choices.probabilities[hands, i]
            if action in actions:
                result[actions.index(action)] = column
            elif column.any():
                offered = ", ".join(decision.actions)
                what = (
                    f"raises to {action.total}" if action.kind == ActionKind.RAISE else action.kind.name.lower() + "s"
                )
                raise StrategyError(
                    f"{self.agent.name} {what} after '{' '.join(self.betting.path(decision.node))}', where the tree "
                    f"offers {offered}; give a menu that has the agent's bets."
                )
        return result


def exploitability_of(
    agent: StrategicAgent, subject: Subject, *, menu: str | None = None, suits_alike: bool = True, threads: int = 1
) -> Exploitability:
    """Exact exploitability of an agent in a game or spot whose public tree fits in memory.

    The agent is asked at every decision on every board; then both best responses are walked in float64.

    Parameters
    ----------
    agent:
        Who is measured, in both seats.
    subject:
        A small game, or a spot.
    menu:
        Bet sizes of a no-limit game; by default the pot and all-in.  Spots carry their own.
    suits_alike:
        Whether boards and hands that suits make equal are asked once.  False for an agent that may play them
        differently.
    threads:
        Of the best responses.

    Raises
    ------
    StrategyError
        The agent cannot play the subject, bets what the tree does not have, or has no strategy for some hand.
    TreeTooLargeError, UnsupportedGameError
        The tree cannot be made.
    """
    asked = AgentStrategy(agent, subject, menu)
    tree = build_public_tree(subject, menu=menu_of(subject, menu), isomorphism=suits_alike)
    betting, arrays = asked.betting, tree.arrays.zeros(np.float64)
    cards = tree.root.hands.astype(np.uint8)
    for s, level in enumerate(tree.deal.streets):
        boards = Boards.of(s, level, cards)
        for p in (0, 1):
            decisions = [Decision.at(betting, int(node)) for node in betting.decision_nodes(s, p)]
            if not decisions:
                continue
            for b in range(boards.num_boards):
                rows = asked.rows(decisions, boards.select(b, b + 1).deals(p))
                _check(rows, decisions, agent.name)
                board_block(tree, arrays, s, p, b)[...] = rows
    kernel = make_kernel("cpu", tree.arrays, threads)
    return exploitability(tree, kernel, arrays, Units.of(subject, tree.initial_pot))


def _check(rows: NDArray[np.float64], decisions: Sequence[Decision], name: str) -> None:
    counts = [len(decision.actions) for decision in decisions]
    sums = np.add.reduceat(rows, np.concatenate([[0], np.cumsum(counts)[:-1]]), axis=0)
    if not (np.abs(sums - 1.0) <= 1e-4).all():
        raise StrategyError(f"{name} has hands for which its probabilities do not sum to 1.")
