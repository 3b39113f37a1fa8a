"""Values if no bet is made after the first street, used as a control variate.

What a responder wins below a board of the second street differs between boards mostly because of how well the hands fit
the board.  The values if no more bets are made show this effect; they are computed quickly for one board, and for all
boards together from the table of all pairs of hands.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np

from errai.cards.pair_table import pair_table
from errai.games.betting import ActionKind
from errai.responses.general import GeneralWalk
from errai.responses.lines import Piece
from errai.responses.unit import Pair, ResponseTask
from errai.strategies.blind import ALWAYS
from errai.tree.betting_tree import NodeKind
from errai.tree.street_lines import TreeLines, street_lines


class CheckDown:
    """Values of the trunk's leaves for a responder against a strategy, if no more bets are made."""

    def __init__(self, task: ResponseTask) -> None:
        self.task = task
        self._piece = self._checked(task.trunk.lines.next_entries.tolist())

    def unit(self, unit: int) -> Pair:
        """Return what a unit adds to the leaves, like :meth:`errai.responses.unit.ResponseTask.values`."""
        assert self.task.units is not None
        return self.task.collected(self.task.units.below(unit), self._walks)

    @cached_property
    def total(self) -> Pair:
        """Return what all units together add to the leaves."""
        trunk, game = self.task.trunk, self.task.game
        board = game.board_cards_in(game.num_rounds - 1)
        cards = trunk.tree.root.hands
        every = np.arange(len(cards))
        table = pair_table(game.deck, game.num_hole_cards, board, game.ranking)
        margins = table.margins(every, every) / table.boards
        together = (cards[:, None, :, None] == cards[None, :, None, :]).any(axis=(2, 3))
        margins[together] = 0.0
        stakes = self._last.stakes
        found = []
        for p in (0, 1):
            theirs = trunk.tree.deal.streets[0].hands[1 - p]
            reach = np.zeros((trunk.lines.num_leaves, len(cards)))
            reach[:, theirs.member] = np.repeat(trunk.leaf_reach[1 - p], np.diff(theirs.member_start), axis=1)
            found.append(stakes[:, None] * (reach @ margins[trunk.boards.hand[p]].T))
        return found[0], found[1]

    @cached_property
    def _walks(self) -> tuple[GeneralWalk, GeneralWalk]:
        cards = self.task.game.deck.num_cards
        # There is no decision left, so any strategy will do.
        return tuple(GeneralWalk(ALWAYS["always-call"], p, self._piece, cards) for p in (0, 1))  # type: ignore[return-value]

    @property
    def _last(self) -> TreeLines:
        """The showdowns, in the order of the trunk's leaves."""
        piece = self._piece
        while piece.below:
            piece = piece.below[0][1]
        return piece.lines

    def _checked(self, entries: list[int]) -> Piece:
        """Return the ends of a street that are reached from some entries by checks, and the pieces that follow."""
        betting = self.task.plan.betting
        ends = []
        for node in entries:
            while betting.kind[node] == NodeKind.DECISION:
                node = next(c for c in betting.children(node) if betting.action_kind[c] == ActionKind.CALL)
            ends.append(node)
        lines = street_lines(betting, ends, cut=True)
        if not lines.num_leaves:
            return Piece(lines, ((), ()), ())
        below = self._checked(lines.next_entries.tolist())
        return Piece(lines, ((), ()), ((slice(0, len(ends)), below),))
