"""Re-solving: the rest of a game is solved again at a public state, in such a way that the strategy gets no worse.

The names here are those that users need; they are imported when first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from errai.resolving.gadgets import (
        METHODS,
        Distributional,
        Estimated,
        Maxmargin,
        Method,
        Reach,
        Resolve,
        Unsafe,
        find_method,
    )
    from errai.resolving.player import ResolvingPlayer, Settings
    from errai.resolving.subgame import Subgame, solve_subgame
    from errai.resolving.values import subgame_at

__all__ = [
    "METHODS",
    "Distributional",
    "Estimated",
    "Maxmargin",
    "Method",
    "Reach",
    "Resolve",
    "ResolvingPlayer",
    "Settings",
    "Subgame",
    "Unsafe",
    "find_method",
    "solve_subgame",
    "subgame_at",
]

_HOME = {
    "ResolvingPlayer": "errai.resolving.player",
    "Settings": "errai.resolving.player",
    "Subgame": "errai.resolving.subgame",
    "solve_subgame": "errai.resolving.subgame",
    "subgame_at": "errai.resolving.values",
}


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module 'errai.resolving' has no attribute {name!r}")
    value = getattr(import_module(_HOME.get(name, "errai.resolving.gadgets")), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
