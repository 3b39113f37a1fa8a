"""Errai solves two-player poker, proves how good the solution is, and plays it.

The names here are the public interface; they are imported when first used, so that ``import errai`` is quick.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from errai.agents.exploitability import exploitability
    from errai.blueprints.blueprint import Blueprint, load_blueprint
    from errai.blueprints.train import train
    from errai.cards.ranges import Range
    from errai.cluster.reading import open_run
    from errai.cluster.solution_file import open_solution
    from errai.engine.leaf_function import Leaves
    from errai.engine.leaf_values import LeafValues
    from errai.engine.schedules import Schedule
    from errai.errors import ErraiError
    from errai.games.catalogue import catalogue, load_game
    from errai.games.game import Game
    from errai.games.lock_file import load_locks
    from errai.games.lookahead import Lookahead, lookahead
    from errai.games.size import game_size
    from errai.games.spot import Spot, load_spot
    from errai.nets.networks.file import load_net
    from errai.resolving.resolve import resolve
    from errai.responses.response import BestResponse, best_response
    from errai.running.stopping import StopToken
    from errai.solutions.artefact import load_solution
    from errai.solutions.solution import Solution
    from errai.solving.estimate import Estimate, estimate
    from errai.solving.preflop import preflop
    from errai.solving.solve import solve
    from errai.strategies.to_openspiel import openspiel_policy, openspiel_table

__version__ = "0.1.0"

_HOME = {
    "BestResponse": "errai.responses.response",
    "Blueprint": "errai.blueprints.blueprint",
    "ErraiError": "errai.errors",
    "Estimate": "errai.solving.estimate",
    "Game": "errai.games.game",
    "Lookahead": "errai.games.lookahead",
    "LeafValues": "errai.engine.leaf_values",
    "Leaves": "errai.engine.leaf_function",
    "Range": "errai.cards.ranges",
    "Schedule": "errai.engine.schedules",
    "Solution": "errai.solutions.solution",
    "Spot": "errai.games.spot",
    "StopToken": "errai.running.stopping",
    "best_response": "errai.responses.response",
    "catalogue": "errai.games.catalogue",
    "estimate": "errai.solving.estimate",
    "exploitability": "errai.agents.exploitability",
    "game_size": "errai.games.size",
    "load_blueprint": "errai.blueprints.blueprint",
    "load_game": "errai.games.catalogue",
    "load_locks": "errai.games.lock_file",
    "load_net": "errai.nets.networks.file",
    "load_solution": "errai.solutions.artefact",
    "load_spot": "errai.games.spot",
    "lookahead": "errai.games.lookahead",
    "open_run": "errai.cluster.reading",
    "open_solution": "errai.cluster.solution_file",
    "openspiel_policy": "errai.strategies.to_openspiel",
    "openspiel_table": "errai.strategies.to_openspiel",
    "preflop": "errai.solving.preflop",
    "resolve": "errai.resolving.resolve",
    "solve": "errai.solving.solve",
    "train": "errai.blueprints.train",
}

__all__ = [
    "BestResponse",
    "Blueprint",
    "ErraiError",
    "Estimate",
    "Game",
    "LeafValues",
    "Leaves",
    "Lookahead",
    "Range",
    "Schedule",
    "Solution",
    "Spot",
    "StopToken",
    "__version__",
    "best_response",
    "catalogue",
    "estimate",
    "exploitability",
    "game_size",
    "load_blueprint",
    "load_game",
    "load_locks",
    "load_net",
    "load_solution",
    "load_spot",
    "lookahead",
    "open_run",
    "open_solution",
    "openspiel_policy",
    "openspiel_table",
    "preflop",
    "resolve",
    "solve",
    "train",
]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'errai' has no attribute {name!r}")
    value = getattr(import_module(_HOME[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
