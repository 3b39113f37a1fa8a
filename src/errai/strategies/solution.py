"""Solutions, in memory or in the folder of a run, and blueprints as strategies."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from functools import cached_property, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from errai.blueprints.abstractions import Abstraction
from errai.blueprints.blueprint import Blueprint
from errai.cluster.reading import StoredSolution
from errai.errors import StrategyError
from errai.games.game import Subject
from errai.games.hand import PublicState
from errai.running.recent import Recent
from errai.solutions.node_board import NodeBoard, classes_of
from errai.solutions.solution import Solution
from errai.strategies.buckets import BucketStrategy
from errai.strategies.of_tree import TreeStrategy
from errai.strategies.strategy import Choices, Deals, Decision, require_same
from errai.tree.public_tree import plan_public_tree

AnySolution = Solution | StoredSolution

REMEMBERED_BOARDS = 4_096
REMEMBERED_CLASSES = 256
"""For how many boards the classes of all hands are kept: the pieces of a street are queried for the same boards."""


class SolutionStrategy:
    """A solution as a strategy: real boards and hands are looked up among the solution's representatives.

    Raises :class:`StrategyError` for a solution that is cut, unless it need not be ``whole`` because nobody asks for
    the strategy on later streets.
    """

    def __init__(self, solution: AnySolution, *, whole: bool = True) -> None:
        if whole and solution.depth is not None:
            raise StrategyError(
                f"{solution.title} is cut and has no strategy for later streets; a whole strategy is needed here."
            )
        self.solution = solution
        self.menu, self.betting = solution.menu, solution.tree.betting
        self._boards: Recent[tuple[int, ...], tuple[NodeBoard, NDArray[np.int64]]] = Recent(REMEMBERED_BOARDS)
        self._classes: Recent[tuple[tuple[int, ...], int], NDArray[np.int64]] = Recent(REMEMBERED_CLASSES)

    @cached_property
    def description(self) -> str:
        """The title, with a digest of the strategy in memory, or of a run the iterations."""
        if not hasattr(self.solution, "strategy"):
            return f"run of {self.solution.title}, {self.solution.iterations} iterations"
        return f"solution of {self.solution.title}, {_digest(self.solution.strategy)}"

    @cached_property
    def suits_alike(self) -> bool:
        """Whether the solution was made with all isomorphic suits merged."""
        tree = self.solution.tree
        merged = plan_public_tree(self.solution.subject, last_street=0).root.symmetries
        return len(tree.root.symmetries) >= len(merged)

    def require(self, subject: Subject) -> None:
        """Raise :class:`StrategyError` unless the solution is one of a subject."""
        require_same(self.solution.subject, subject, f"The solution of {self.solution.title}")

    def rows(self, decisions: Sequence[Decision], deals: Deals) -> NDArray[np.float64]:
        """See :meth:`~errai.strategies.strategy.BatchedStrategy.rows`."""
        player = decisions[0].player
        result = np.empty((sum(len(decision.actions) for decision in decisions), len(deals.hand)))
        for b, cards in enumerate(map(tuple, deals.boards.tolist())):
            block = slice(int(deals.start[b]), int(deals.start[b + 1]))
            board, card_map = self._board(cards, deals.street)
            hands = self.solution.tree.root.hands
            classes = self._classes.get_or_make((cards, player), partial(classes_of, board, player, card_map, hands))
            mine = classes[deals.hand[block]]
            first = 0
            for decision in decisions:
                last = first + len(decision.actions)
                result[first:last, block] = board.strategy(decision.node)[:, mine]
                first = last
            if len(mine) and int(mine.min()) < 0:  # Hands outside the ranges of a spot.
                result[:, block][:, mine < 0] = 0.0
        return result

    def _board(self, cards: tuple[int, ...], street: int) -> tuple[NodeBoard, NDArray[np.int64]]:
        """Return the representative of a board of a street, and the map of real cards to its cards."""

        def found() -> tuple[NodeBoard, NDArray[np.int64]]:
            if not street:
                return self.solution.root_board, np.arange(self.solution.deck.num_cards)
            count = self.solution.tree.root.new_cards[street - 1]
            above, to_representative = self._board(cards[:-count], street - 1)
            below, card_map = above.child(tuple(sorted(to_representative[list(cards[-count:])].tolist())))
            return below, card_map[to_representative]

        return self._boards.get_or_make(cards, found)


def choices_at(solution: Any, state: PublicState) -> Choices:
    """Return what a solution of any kind, also one that is read in parts, says at a public state."""
    played = getattr(solution, "_played", None)
    if played is None:
        asked = SolutionStrategy(solution, whole=False)
        played = TreeStrategy(asked, solution.subject, solution.tree.betting)
        object.__setattr__(solution, "_played", played)
    require_same(solution.subject, state.subject, f"The solution of {solution.title}")
    return played.strategy(state)


class BlueprintStrategy(BucketStrategy):
    """A blueprint as a :class:`~errai.strategies.strategy.Strategy`."""

    suits_alike = True

    def __init__(self, blueprint: Blueprint, name: str = "") -> None:
        digest = _digest(blueprint.steps, blueprint.abstraction.digest())
        description = f"{name or f'blueprint of {blueprint.game.name}'}, {digest}"
        super().__init__(partial(_buckets_of, blueprint.abstraction), partial(_probabilities, blueprint), description)
        self.blueprint = blueprint
        self.menu = blueprint.menu
        self.betting = blueprint.betting

    def require(self, subject: Subject) -> None:
        """Raise :class:`StrategyError` unless the blueprint is one of this game."""
        require_same(self.blueprint.game, subject, "The blueprint")


def _digest(tables: Iterable[Iterable[NDArray[Any]]], before: str = "") -> str:
    """Return a short digest of a text and of tables by street and player."""
    digest = hashlib.sha256(before.encode())
    for pair in tables:
        for table in pair:
            digest.update(np.ascontiguousarray(table).tobytes())
    return digest.hexdigest()[:16]


def _buckets_of(abstraction: Abstraction, deals: Deals) -> NDArray[np.integer]:
    """Return int32[S]: the bucket of every hand."""
    found = np.empty(len(deals.hand), dtype=np.int32)
    for b, board in enumerate(deals.boards.tolist()):
        part = slice(int(deals.start[b]), int(deals.start[b + 1]))
        found[part] = abstraction.buckets(tuple(board), deals.street)[deals.hand[part]]
    return found


def _probabilities(blueprint: Blueprint, decision: Decision) -> NDArray[np.float64]:
    return blueprint.node(decision.node)
