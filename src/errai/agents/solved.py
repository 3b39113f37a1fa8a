"""An agent that plays a solution: of a game or a spot, in memory or in the folder of a run."""

from __future__ import annotations

from collections import OrderedDict

import numpy as np
from numpy.typing import NDArray

from errai.abstraction.translation import Translation
from errai.agents.agent import Choices, MatchStart, StrategicAgent
from errai.agents.strategies import live_hands, require_same
from errai.agents.tree_walk import OFF_TREE, TreeWalk, mixed_choices
from errai.cards.hands import hand_index
from errai.games.hand import PublicState
from errai.solutions.node_board import NodeBoard
from errai.solutions.solution import Profile

REMEMBERED_BOARDS = 4_096
REMEMBERED_NUMBERS = 50_000_000
"""Probabilities that are kept for the public states asked about last: 400 MB."""


class SolvedAgent(StrategicAgent):
    """Plays the strategy profile of a solution, each seat its own.

    Bets that the solution does not have are translated into those it has (:mod:`errai.agents.tree_walk`); where that
    leads out of its tree, the agent checks and calls.  Raises :class:`StrategyError` for a translation that is none.
    """

    def __init__(
        self, solution: Profile, name: str = "", translation: Translation | str = Translation.PSEUDO_HARMONIC
    ) -> None:
        self.solution = solution
        self.name = name or f"solution of {solution.title}"
        self.walk = TreeWalk(solution.tree.betting, translation, small_bets=True)
        self._boards: OrderedDict[tuple[int, ...], tuple[NodeBoard, NDArray[np.int64]]] = OrderedDict()
        self._known: OrderedDict[tuple[object, ...], Choices] = OrderedDict()
        self._kept = 0

    def start_match(self, start: MatchStart) -> None:
        """See :meth:`Agent.start_match`."""
        require_same(self.solution.subject, start.subject, self.name)
        super().start_match(start)

    def strategy(self, state: PublicState) -> Choices:
        """See :meth:`StrategicAgent.strategy`."""
        key = (state.actions, state.board)
        found = self._known.get(key)
        if found is None:
            found = self._look_up(state)
            self._known[key] = found
            self._kept += found.probabilities.size
            while self._kept > REMEMBERED_NUMBERS and len(self._known) > 1:
                self._kept -= self._known.popitem(last=False)[1].probabilities.size
        return found

    def _look_up(self, state: PublicState) -> Choices:
        return mixed_choices(self.walk, state, self._rows)

    def _rows(self, node: int, state: PublicState) -> NDArray[np.float64]:
        """float64[H, A]: what the solution does at a node; off the tree it checks and calls."""
        if node == OFF_TREE:
            return live_hands(state)[:, None].astype(np.float64)
        board, card_map = self._board(state.board)
        hands = self.solution.tree.root.hands
        members, of_member = board.members(int(self.walk.betting.actor[node]))
        class_of = np.full(len(hands), -1, dtype=np.int64)
        class_of[members] = of_member
        mine = class_of[hand_index(card_map[hands])]
        rows = board.strategy(node)[:, np.maximum(mine, 0)].T
        return np.where((mine >= 0)[:, None], rows, 0.0)

    def _board(self, cards: tuple[int, ...]) -> tuple[NodeBoard, NDArray[np.int64]]:
        """The representative of a board, and the map of real cards to its cards."""
        found = self._boards.get(cards)
        if found is None:
            root = self.solution.board
            if len(cards) <= len(root):
                found = self.solution.root_board, np.arange(self.solution.deck.num_cards)
            else:
                new, left = self.solution.tree.root.new_cards, len(cards) - len(root)
                streets = next(s for s in range(1, len(new) + 1) if sum(new[:s]) == left)
                above, to_representative = self._board(cards[: len(cards) - new[streets - 1]])
                dealt = list(cards[len(cards) - new[streets - 1] :])
                below, card_map = above.child(tuple(sorted(to_representative[dealt].tolist())))
                found = below, card_map[to_representative]
            self._boards[cards] = found
            while len(self._boards) > REMEMBERED_BOARDS:
                self._boards.popitem(last=False)
        return found
