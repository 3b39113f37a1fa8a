"""A blueprint as a strategy that best responses and agents can query."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from errai.blueprints.abstractions import Abstraction
from errai.blueprints.blueprint import Blueprint
from errai.games.subject import Subject
from errai.strategies.buckets import BucketStrategy
from errai.strategies.strategy import Deals, Decision, require_same


@dataclass(frozen=True)
class AbstractionBuckets:
    """The buckets of an abstraction, for hands on some boards."""

    abstraction: Abstraction
    suits_alike: ClassVar[bool] = True

    def __call__(self, deals: Deals) -> NDArray[np.integer]:
        """Return int32[S]: the bucket of every hand."""
        found = np.empty(len(deals.hand), dtype=np.int32)
        for b, board in enumerate(deals.boards.tolist()):
            part = slice(int(deals.start[b]), int(deals.start[b + 1]))
            found[part] = self.abstraction.buckets(tuple(board), deals.street)[deals.hand[part]]
        return found


@dataclass(frozen=True)
class BlueprintTable:
    """The probabilities of a blueprint's decisions."""

    blueprint: Blueprint

    def __call__(self, decision: Decision) -> NDArray[np.float64]:
        """Return float64[A, K]: the probabilities of a decision."""
        return self.blueprint.node(decision.node)


class BlueprintStrategy(BucketStrategy):
    """A blueprint as a :class:`~errai.strategies.strategy.Strategy`."""

    def __init__(self, blueprint: Blueprint, name: str = "") -> None:
        digest = hashlib.sha256(blueprint.abstraction.digest().encode())
        for pair in blueprint.steps:
            for table in pair:
                digest.update(np.ascontiguousarray(table).tobytes())
        description = f"{name or f'blueprint of {blueprint.game.name}'}, {digest.hexdigest()[:16]}"
        super().__init__(AbstractionBuckets(blueprint.abstraction), BlueprintTable(blueprint), description)
        self.blueprint = blueprint
        self.menu = blueprint.menu
        self.betting = blueprint.betting

    def require(self, subject: Subject) -> None:
        """Raise :class:`StrategyError` unless the blueprint is one of this game."""
        require_same(self.blueprint.game, subject, "The blueprint")
