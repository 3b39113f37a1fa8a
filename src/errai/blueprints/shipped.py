"""The blueprints in the package; docs/bots says how each was made."""

from __future__ import annotations

from functools import lru_cache

from errai.blueprints.blueprint import Blueprint, load_blueprint
from errai.data import shipped_file
from errai.errors import SolverOptionError

SHIPPED = {"blueprint": "limit hold'em", "blueprint-nl": "no-limit hold'em, 200 big blinds"}
"""The game that each of them plays, by name."""


@lru_cache(maxsize=2)
def shipped_blueprint(name: str) -> Blueprint:
    """Load a blueprint of the package.

    Raises
    ------
    SolverOptionError
        There is no blueprint with that name.
    ArtefactError
        The installation is damaged.
    """
    if name not in SHIPPED:
        raise SolverOptionError(f"There is no blueprint {name!r} in the package; it has {', '.join(SHIPPED)}.")
    with shipped_file(f"{name}.errai") as path:
        return load_blueprint(path)
