"""A server with the solution of a small turn, to be drilled."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from small_subjects import TURN
from web_server import Served, serving

import errai
from errai.games.spot import parse_spot
from errai.solutions.solution import Solution


def solved_turn() -> Solution:
    """The solution of the turn, with big blinds."""
    return errai.solve(parse_spot(f"big_blind = 10\n{TURN.strip()}"), "1%pot")


@contextmanager
def drilling(turn: Solution, folder: Path) -> Iterator[Served]:
    """A server that has the solution as ``turn``."""
    with serving(folder) as served:
        turn.save(served.folder / "solutions" / "turn.errai")
        yield served
