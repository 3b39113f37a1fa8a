"""A blueprint as a strategy that best responses and agents can query."""

from __future__ import annotations

import hashlib
from functools import partial

import numpy as np
from numpy.typing import NDArray

from errai.blueprints.abstractions import Abstraction
from errai.blueprints.blueprint import Blueprint
from errai.games.subject import Subject
from errai.strategies.buckets import BucketStrategy
from errai.strategies.strategy import Deals, Decision, require_same


class BlueprintStrategy(BucketStrategy):
    """A blueprint as a :class:`~errai.strategies.strategy.Strategy`."""

    suits_alike = True

    def __init__(self, blueprint: Blueprint, name: str = "") -> None:
        digest = hashlib.sha256(blueprint.abstraction.digest().encode())
        for pair in blueprint.steps:
            for table in pair:
                digest.update(np.ascontiguousarray(table).tobytes())
        description = f"{name or f'blueprint of {blueprint.game.name}'}, {digest.hexdigest()[:16]}"
        super().__init__(partial(_buckets_of, blueprint.abstraction), partial(_probabilities, blueprint), description)
        self.blueprint = blueprint
        self.menu = blueprint.menu
        self.betting = blueprint.betting

    def require(self, subject: Subject) -> None:
        """Raise :class:`StrategyError` unless the blueprint is one of this game."""
        require_same(self.blueprint.game, subject, "The blueprint")


def _buckets_of(abstraction: Abstraction, deals: Deals) -> NDArray[np.integer]:
    """Return int32[S]: the bucket of every hand."""
    found = np.empty(len(deals.hand), dtype=np.int32)
    for b, board in enumerate(deals.boards.tolist()):
        part = slice(int(deals.start[b]), int(deals.start[b + 1]))
        found[part] = abstraction.buckets(tuple(board), deals.street)[deals.hand[part]]
    return found


def _probabilities(blueprint: Blueprint, decision: Decision) -> NDArray[np.float64]:
    return blueprint.node(decision.node)
