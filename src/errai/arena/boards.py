"""Matches of two strategies by expected values: on drawn boards, over all hands of both players and all their draws.

A match between strategies that are known need not be played.  On one board of each street, a walk over the betting tree
with a vector of all hands gives what a strategy wins from another one in expectation, with the probability of every
deal of hands and of every action.  Boards that are drawn uniformly make it an unbiased estimate of the winnings in the
game, without the luck of hands and actions: only that of the boards is left, and both seats are evaluated on the same
ones.  A board costs about as much time as several hundred hands, and says as much as many thousands.
"""

from __future__ import annotations

from functools import lru_cache, partial

import numpy as np
from numpy.typing import NDArray

from errai.agents.agent import Agent, StrategicAgent
from errai.agents.given import as_agent
from errai.agents.strategies import BlindAgent
from errai.arena.play import BLOCK, Chunk, MatchSetup, deals_of_block, names_apart
from errai.errors import MatchError
from errai.games.game import Subject
from errai.kernels.backends import make_kernel
from errai.kernels.protocol import Arrays
from errai.running.stopping import StopToken, stops
from errai.solutions.subjects import menu_of
from errai.strategies.given import given_strategy
from errai.strategies.of_tree import TreeStrategy
from errai.strategies.strategy import BatchedStrategy, Deals, Decision, checked_rows, says
from errai.tree.drawn_boards import DrawnBoards, DrawnTree
from errai.tree.public_tree import plan_public_tree

METHOD = "expected winnings over all hands and actions, on boards drawn at random"


class BoardTables:
    """Two strategies in both seats, evaluated on the boards of a match's deals instead of playing them.

    Raises :class:`MatchError` for a spot, and for agents that have no fixed strategy on one and the same tree of bets.
    """

    learning: tuple[str, ...] = ()
    """Nobody learns here."""

    def __init__(self, setup: MatchSetup) -> None:
        game = setup.subject.whole_game
        if game is None or setup.subject.given_weights is not None:
            raise MatchError("Expected winnings on drawn boards are those of whole games; play hands in a spot.")
        self.setup = setup
        self._deals = lru_cache(maxsize=1)(partial(deals_of_block, setup.subject, setup.seed))
        agents = [as_agent(contestant, setup.subject) for contestant in setup.contestants]
        asked = [strategy_of(agent, setup.subject) for agent in agents]
        menus = sorted({menu for _, menu in asked if menu is not None})
        if len(menus) > 1:
            raise MatchError(
                f"{agents[0].name} and {agents[1].name} know different bets, {' and '.join(menus)}; "
                "only a match of hands maps the bets of one to those of the other."
            )
        menu = menus[0] if menus else None
        self.agents = agents
        # One that knows no bets of its own plays on the other's tree.
        self.strategies = [
            strategy if own == menu else strategy_of(agent, setup.subject, menu)[0]
            for agent, (strategy, own) in zip(agents, asked, strict=True)
        ]
        plan = plan_public_tree(game, menu=menu_of(game, menu))
        self._trees, betting = DrawnBoards(plan), plan.betting
        self._decisions = [
            [tuple(Decision.at(betting, int(node)) for node in betting.decision_nodes(s, p)) for p in (0, 1)]
            for s in range(betting.num_streets)
        ]
        self._checked: set[tuple[int, int, int]] = set()
        self._memory: dict[tuple[int, int, int], NDArray[np.float32]] = {}

    @property
    def names(self) -> tuple[str, str]:
        """See :attr:`errai.arena.play.Tables.names`."""
        return names_apart(self.agents[0].name, self.agents[1].name)

    @property
    def methods(self) -> list[str]:
        """The description of the only measure."""
        return [METHOD]

    def play(self, begin: int, end: int, stop: StopToken | None = None) -> Chunk:
        """Evaluate both seats on the boards from ``begin`` to before ``end``; fewer if a token is set."""
        values, done = np.zeros((1, 2, end - begin)), 0
        for number in range(begin, end):
            if stops(stop):
                break
            tree = self._trees.over(self._boards(number))
            rows = [[self._rows(who, tree, player) for player in (0, 1)] for who in (0, 1)]
            kernel = make_kernel("cpu", tree.arrays)
            for table in (0, 1):
                seat = (number + table) % 2
                seated = (rows[0][0], rows[1][1]) if seat == 0 else (rows[1][0], rows[0][1])
                profile: Arrays = [list(pair) for pair in zip(*seated, strict=True)]
                values[0, table, done] = self._trees.root_value(kernel.root_values(profile, seat))
            done += 1
        return Chunk(values[:, :, :done], np.zeros((2, done), dtype=np.uint8), [])

    def close(self) -> None:
        """Close both agents."""
        for agent in self.agents:
            agent.close()

    def _boards(self, number: int) -> list[NDArray[np.int64]]:
        """Return the boards of a deal, street by street after the first, the new cards of each street ascending."""
        dealt = self._deals(number // BLOCK)[number % BLOCK].board
        found, first = list[NDArray[np.int64]](), 0
        for new in self._trees.plan.root.new_cards:
            cards = sorted(dealt[first : first + new])
            found.append(np.concatenate([found[-1] if found else [], cards]).astype(np.int64))
            first += new
        return found

    def _rows(self, who: int, tree: DrawnTree, player: int) -> list[NDArray[np.float32]]:
        """Return the probabilities of a strategy in a seat, flat by street as the kernels take them."""
        found = []
        for s, (board, hand) in enumerate(zip(tree.boards, tree.hand, strict=True)):
            decisions, hands = self._decisions[s][player], tree.arrays.streets[s].hands[player]
            place = (who, s, player)
            # Every board of a street has as many hands, so the memory is that of the board before.
            flat = self._memory.get(place)
            if flat is None:
                size = tree.arrays.streets[s].state_size(player)
                flat = self._memory.setdefault(place, np.zeros(size, dtype=np.float32))
            if decisions:
                deals = Deals(s, board.astype(np.int8)[None], hands.start, hand.astype(np.int32), hands.cards)
                answer = checked_rows(self.strategies[who], decisions, deals, sums=place not in self._checked)
                self._checked.add(place)
                flat.reshape(-1, len(hand))[...] = answer
            found.append(flat)
        return found


def strategy_of(agent: Agent, subject: Subject, menu: str | None = None) -> tuple[BatchedStrategy, str | None]:
    """Return the fixed strategy that an agent plays, and its bet sizes.

    Raises :class:`MatchError` if it learns, solves while it plays, or does not say its strategy.
    """
    why = ""
    if agent.learns:
        why = "learns while it plays"
    elif not isinstance(agent, StrategicAgent):
        why = "does not say the probabilities of its actions"
    elif says(agent, "thinks"):
        why = "solves at every decision"
    if why or not isinstance(agent, StrategicAgent):
        raise MatchError(f"{agent.name} {why}; expected winnings on boards are for fixed strategies. Play hands.")
    of_tree = agent.asked if isinstance(agent, TreeStrategy) else agent
    return given_strategy(agent.mixture if isinstance(agent, BlindAgent) else of_tree, subject, menu)
