"""Everything that one process needs to compute best responses, unit by unit."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import comb
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from errai.engine.resources import give_back_memory
from errai.games.game import Game
from errai.games.sizing import BetMenu
from errai.responses.boards import Boards, Units
from errai.responses.general import GeneralWalk
from errai.responses.lines import cut
from errai.responses.merged import MergedLines, MergedWalk, merge_lines
from errai.responses.suits import SuitCheck
from errai.responses.trunk import Trunk
from errai.running.stopping import StopToken
from errai.strategies.blind import BlindStrategy
from errai.strategies.strategy import BatchedStrategy
from errai.tree.public_tree import CLASS_BYTES, TreePlan, plan_public_tree
from errai.tree.street_lines import street_lines

PROCESS_BYTES = 150 * 2**20
"""Memory of Python with its imports and of a walk's arrays, measured in full limit hold'em."""

Pair = tuple[NDArray[np.float64], NDArray[np.float64]]


class Finished(NamedTuple):
    """The result of a unit."""

    unit: int
    values: Pair
    states: int
    """Public states at which the strategy was queried."""


@dataclass(eq=False)
class ResponseTask:
    """A game, a strategy, and how to respond to it; this is sent to the processes."""

    game: Game
    strategy: BatchedStrategy
    menu: str | None = None
    """Bet sizes of a no-limit game, as text."""
    general: bool = False
    """Whether the short cut for strategies that ignore their cards is not used."""
    suits_alike: bool = True
    """Whether only one of the boards and hands that differ by suits alone is queried."""
    looks: bool = False
    """Whether to check now and then that the strategy is symmetric in the suits."""
    stop: StopToken | None = None
    """Ends a unit early with :class:`StoppedError`; not sent to processes, which are ended from outside."""

    @property
    def merges(self) -> bool:
        """Whether the short cut is used."""
        return isinstance(self.strategy, BlindStrategy) and not self.general

    @cached_property
    def plan(self) -> TreePlan:
        """The plan of the whole public tree, which is never built at once."""
        return plan_public_tree(self.game, menu=self._menu, isomorphism=self.suits_alike)

    @cached_property
    def trunk(self) -> Trunk:
        """The first street, with the strategy on it."""
        tree = plan_public_tree(self.game, menu=self._menu, last_street=0, isomorphism=self.suits_alike).build()
        return Trunk(tree, self.plan.betting, self.strategy, self._suits)

    @cached_property
    def units(self) -> Units | None:
        """The boards of the second street; None if there is no second street."""
        return Units(self.plan.root, self.plan.showdown) if self.plan.betting.num_streets > 1 else None

    @cached_property
    def memory_bytes(self) -> int:
        """Bytes that a process needs at most, without the strategy's own tables: it holds the boards below one unit."""
        root = self.plan.root
        left, hole = root.deck.num_cards - sum(root.new_cards[:1]), root.hands.shape[1]
        classes, boards = 0, 1
        for new in (0, *root.new_cards[1:]):
            boards *= comb(left, new)
            left -= new
            classes += boards * comb(left, hole)
        return PROCESS_BYTES + CLASS_BYTES * classes

    def __getstate__(self) -> dict[str, object]:
        # Each process builds the rest from these attributes.
        return {name: getattr(self, name) for name in ("game", "strategy", "menu", "general", "suits_alike", "looks")}

    def values(self, unit: int) -> Pair:
        """Return what a unit adds to the trunk's leaves: float64[leaves, S_p] for a responder in either seat."""
        assert self.units is not None
        streets = self.units.below(unit)
        found = self._up(streets, self._merged_values(streets)) if self.merges else self.collected(streets, self._walks)
        del streets
        give_back_memory()
        return found

    @property
    def states(self) -> int:
        """Number of public states below units at which this process has queried the strategy."""
        return sum(walk.states for walk in self._walks) if "_walks" in self.__dict__ else 0

    def counted(self, unit: int) -> Finished:
        """Return the values of a unit, with the number of public states at which the strategy was queried."""
        before = self.states
        return Finished(unit, self.values(unit), self.states - before)

    def collected(self, streets: list[Boards], walks: tuple[GeneralWalk, GeneralWalk]) -> Pair:
        """Return what the walks below a unit add to the trunk's leaves, like :meth:`values`."""
        result = []
        for p, walk in enumerate(walks):
            entering = self.trunk.leaf_reach[1 - p][:, streets[0].hands[1 - p].parent]
            result.append(walk.unit(streets, entering))
        return self._up(streets, (result[0], result[1]))

    def _up(self, streets: list[Boards], found: Pair) -> Pair:
        up = [(streets[0].collector(p, self.trunk.boards.size(p)) @ np.ascontiguousarray(found[p].T)).T for p in (0, 1)]
        return np.ascontiguousarray(up[0]), np.ascontiguousarray(up[1])

    def _merged_values(self, streets: list[Boards]) -> Pair:
        merged, walk = self._merged
        result = []
        for m, values in zip(merged, walk.unit(streets), strict=True):
            leaves = np.zeros((len(m.trunk_leaf), values.shape[1]))
            gets = m.trunk_leaf >= 0
            # The opponent's reach is the same for all hands.
            reach = self.trunk.leaf_reach[1 - m.player][gets, :1]
            leaves[gets] = reach * values[m.trunk_leaf[gets]]
            result.append(leaves)
        return result[0], result[1]

    @cached_property
    def _merged(self) -> tuple[tuple[MergedLines, MergedLines], MergedWalk]:
        assert isinstance(self.strategy, BlindStrategy)
        betting, lines = self.plan.betting, self.trunk.lines
        merged = (merge_lines(betting, self.strategy, 0, lines), merge_lines(betting, self.strategy, 1, lines))
        return merged, MergedWalk(merged, self.plan.root)

    @cached_property
    def _walks(self) -> tuple[GeneralWalk, GeneralWalk]:
        betting, num_cards = self.plan.betting, self.game.deck.num_cards
        piece = cut(betting, street_lines(betting, self.trunk.lines.next_entries, cut=True))
        first, second = (
            GeneralWalk(self.strategy, p, piece, num_cards, suits=self._suits, stop=self.stop) for p in (0, 1)
        )
        return first, second

    @cached_property
    def _suits(self) -> SuitCheck | None:
        return SuitCheck(self.plan.root) if self.looks else None

    @property
    def _menu(self) -> BetMenu | None:
        return None if self.menu is None else BetMenu.uniform(self.game.num_rounds, self.menu)
