"""What is done at the first decision of a solve, in a file of its job, for whoever watches it."""

from __future__ import annotations

import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from errai.errors import ArtefactError
from errai.store.atomic import write_file
from errai.web import files
from errai.web.solution_models import FirstDecisionView
from errai.web.views import first_decision_view

if TYPE_CHECKING:
    from errai.engine.loop import Progress
    from errai.solutions.solution import Profile

FILE = "first.json"

LEAST_ITERATIONS = 3
"""After fewer, most hands still do everything alike."""

AFTER_SECONDS, EVERY_SECONDS = 0.5, 3.0
"""It is written after so long, and then so often."""

SHARE = 0.02
"""The greatest share of the time that may be spent on it."""


class FirstDecision:
    """Writes the file while a solve runs, and when it has ended."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / FILE
        self._due = time.monotonic() + AFTER_SECONDS

    def watch(self, now: Progress) -> None:
        """Write what is done so far if there is a strategy, and the last time was a few seconds ago."""
        began = time.monotonic()
        if now.strategy is None or now.iteration < LEAST_ITERATIONS or began < self._due:
            return
        from errai.solutions.solution import MemoryProfile

        so_far = MemoryProfile()
        so_far.tree, so_far.strategy = now.strategy()
        so_far.threads, so_far.below, so_far.leaves = 1, None, None
        self.write(so_far, now.iteration, now.seconds)
        took = time.monotonic() - began
        self._due = began + max(EVERY_SECONDS, took / SHARE)

    def write(self, profile: Profile, iteration: int, seconds: float) -> None:
        """Write what a profile does after so many iterations."""
        from errai.solutions.node import SolutionNode

        node = SolutionNode.at_root(profile)
        if node.player is None:
            return
        view = FirstDecisionView(iteration=iteration, seconds=seconds, **first_decision_view(node))
        # It is for show: where the disk is full, this time is left out, and the work goes on.
        with suppress(ArtefactError):
            write_file(self._path, view.model_dump_json())


def first_decision(folder: Path) -> FirstDecisionView | None:
    """Return what a job has written; None if it is nothing.  Raises :class:`DamagedFileError`."""
    return files.read_as(FirstDecisionView, folder / FILE)
