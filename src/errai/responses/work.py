"""Compute best responses unit by unit, in one process or several, with a checkpoint from which a run can be resumed.

What a unit adds does not depend on who computes it or when, and the sums are made afterwards in the order of the units,
so that results are the same for any number of processes.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, field
from functools import cached_property, partial
from math import comb
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from errai.errors import DamagedFileError, StoppedError
from errai.games.game import Game
from errai.responses.general import GeneralWalk, SuitCheck, Trunk
from errai.responses.merged import MergedWalk
from errai.responses.pieces import Boards, Units, cut
from errai.running.pool import ProcessPool, Steps
from errai.running.stopping import StopToken, from_time_to_time, stops
from errai.running.system import give_back_memory
from errai.solutions.subjects import menu_of
from errai.store.checkpoint import CHECKPOINT_SECONDS, load_checkpoint, save_checkpoint
from errai.strategies.blind import BlindStrategy
from errai.strategies.strategy import BatchedStrategy, says
from errai.tree.public_tree import CLASS_BYTES, TreePlan, plan_public_tree
from errai.tree.street_lines import street_lines

BOARDS_WORTH_PROCESSES = 20_000
"""With fewer boards of the last street, starting processes takes longer than they save."""

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
        return plan_public_tree(self.game, menu=menu_of(self.game, self.menu), isomorphism=self.suits_alike)

    @cached_property
    def trunk(self) -> Trunk:
        """The first street, with the strategy on it."""
        menu = menu_of(self.game, self.menu)
        plan = plan_public_tree(self.game, menu=menu, last_street=0, isomorphism=self.suits_alike)
        return Trunk(plan.build(), self.plan.betting, self.strategy, self._suits)

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

    def counted(self, unit: int) -> Finished:
        """Return the values of a unit, with the number of public states at which the strategy was queried."""
        return Finished(unit, self.values(unit), 0 if self.merges else sum(walk.states for walk in self._walks))

    def collected(self, streets: list[Boards], walks: Sequence[GeneralWalk]) -> Pair:
        """Return what the walks below a unit add to the trunk's leaves, like :meth:`values`."""
        return self._up(
            streets,
            [
                walk.unit(streets, self.trunk.leaf_reach[1 - p][:, streets[0].hands[1 - p].parent])
                for p, walk in enumerate(walks)
            ],
        )

    def _up(self, streets: list[Boards], found: Sequence[NDArray[np.float64]]) -> Pair:
        first, second = (streets[0].up(p, self.trunk.boards.size(p), found[p]) for p in (0, 1))
        return first, second

    def _merged_values(self, streets: list[Boards]) -> list[NDArray[np.float64]]:
        result = []
        for m, values in zip(self._merged.merged, self._merged.unit(streets), strict=True):
            leaves = np.zeros((len(m.trunk_leaf), values.shape[1]))
            gets = m.trunk_leaf >= 0
            # The opponent's reach is the same for all hands.
            reach = self.trunk.leaf_reach[1 - m.player][gets, :1]
            leaves[gets] = reach * values[m.trunk_leaf[gets]]
            result.append(leaves)
        return result

    @cached_property
    def _merged(self) -> MergedWalk:
        assert isinstance(self.strategy, BlindStrategy)
        return MergedWalk(self.plan.betting, self.strategy, self.trunk.lines, self.plan.root)

    @cached_property
    def _walks(self) -> list[GeneralWalk]:
        betting, num_cards = self.plan.betting, self.game.deck.num_cards
        piece = cut(betting, street_lines(betting, self.trunk.lines.next_entries, cut=True))
        return [GeneralWalk(self.strategy, p, piece, num_cards, self._suits, self.stop) for p in (0, 1)]

    @cached_property
    def _suits(self) -> SuitCheck | None:
        return SuitCheck(self.plan.root) if self.looks else None


@dataclass(frozen=True)
class ResponseProgress:
    """How far a run has come."""

    done: int
    """Boards of the second street that are finished."""
    total: int
    seconds: float
    """Time spent in all, including earlier runs that this one resumes."""
    fresh: int
    """How many of them this run finished itself."""
    fresh_seconds: float


@dataclass(eq=False)
class Results:
    """The finished units, and the file in which they are kept."""

    task: ResponseTask
    path: Path | None = None
    values: dict[int, Pair] = field(default_factory=dict)
    states: dict[int, int] = field(default_factory=dict)
    """Public states at which the strategy was queried, by unit."""
    seconds: float = 0.0
    """Time spent by earlier runs."""
    started: float = field(default_factory=time.monotonic)

    @property
    def elapsed(self) -> float:
        """Seconds spent in all."""
        return self.seconds + time.monotonic() - self.started

    def save(self) -> None:
        """Write the checkpoint, if there is a file for it."""
        if self.path is None:
            return
        units = sorted(self.values)
        lines, boards = self.task.trunk.lines, self.task.trunk.boards
        arrays: dict[str, np.ndarray] = {
            "units": np.array(units, dtype=np.int64),
            "states": np.array([self.states[u] for u in units], dtype=np.int64),
        }
        for p in (0, 1):
            stacked = [self.values[u][p] for u in units]
            arrays[f"values/{p}"] = np.stack(stacked) if units else np.zeros((0, lines.num_leaves, boards.size(p)))
        save_checkpoint(self.path, {**_identity(self.task), "seconds": self.elapsed}, arrays)

    def resume(self) -> None:
        """Take over the finished units of the checkpoint.

        Raises :class:`MismatchError` if it is for another game or strategy, and another :class:`ArtefactError` if there
        is no complete checkpoint.
        """
        assert self.path is not None
        assert self.task.units is not None
        checkpoint = load_checkpoint(self.path)
        checkpoint.require(_identity(self.task))
        arrays, trunk, count = checkpoint.arrays, self.task.trunk, np.size(checkpoint.arrays.get("units", ()))
        wanted: dict[str, tuple[tuple[int, ...], type]] = {
            "units": ((count,), np.int64),
            "states": ((count,), np.int64),
        }
        for p in (0, 1):
            wanted[f"values/{p}"] = (count, trunk.lines.num_leaves, trunk.boards.size(p)), np.float64
        if (
            {name: (array.shape, array.dtype.type) for name, array in arrays.items()} != wanted
            or not ((arrays["units"] >= 0) & (arrays["units"] < len(self.task.units))).all()
            or len(np.unique(arrays["units"])) != count
            or (arrays["states"] < 0).any()
            or not all(np.isfinite(arrays[f"values/{p}"]).all() for p in (0, 1))
        ):
            raise DamagedFileError(f"The arrays in {checkpoint.path} are not those of a best response in this game.")
        units = arrays["units"].tolist()
        self.values = dict(zip(units, zip(arrays["values/0"], arrays["values/1"], strict=True), strict=True))
        self.states = dict(zip(units, arrays["states"].tolist(), strict=True))
        seconds = checkpoint.metadata.get("seconds")
        if not isinstance(seconds, int | float) or not 0 <= seconds < 1e12:
            raise DamagedFileError(f"{checkpoint.path} does not state how long its run took.")
        self.seconds = float(seconds)


def _identity(task: ResponseTask) -> dict[str, Any]:
    """Return what must agree for two runs to be the same."""
    return {
        "task": "best response",
        "game": task.game.digest(),
        "menu": task.menu,
        "strategy": task.strategy.description,
        "general": not task.merges,
        **({} if task.suits_alike else {"suits": "apart"}),
    }


def work(
    results: Results,
    units: Sequence[int],
    *,
    processes: int = 1,
    progress: Callable[[ResponseProgress], Any] | None = None,
    checkpoint_seconds: float = CHECKPOINT_SECONDS,
) -> bool:
    """Compute units in some processes and add them to the results; those that are finished already are left out.

    ``progress`` is called after every unit; ``checkpoint_seconds`` is the time between two checkpoints.  Returns False
    if the task's stop token ended the work early.  The checkpoint then holds the finished units, as it does after any
    exception.
    """
    task = results.task
    missing = [u for u in units if u not in results.values]
    before, started = len(units) - len(missing), time.monotonic()
    look = from_time_to_time(results.save, checkpoint_seconds)
    stream = _here(task, missing)
    if processes > 1 and len(missing) > 1:
        assert task.units is not None
        boards = task.plan.deal_size.boards[-1] * len(missing) / len(task.units)
        if says(task.strategy, "thinks") or boards >= BOARDS_WORTH_PROCESSES:
            stream = _in_processes(task, missing, processes)
    try:
        with closing(stream):
            for fresh, done in enumerate(stream, start=1):
                results.values[done.unit], results.states[done.unit] = done.values, done.states
                now = time.monotonic()
                if progress is not None:
                    progress(ResponseProgress(before + fresh, len(units), results.elapsed, fresh, now - started))
                look()
    finally:
        results.save()
    return all(unit in results.values for unit in units)


def _here(task: ResponseTask, units: Sequence[int]) -> Generator[Finished, None, None]:
    with suppress(StoppedError):
        for unit in units:
            if stops(task.stop):
                return
            yield task.counted(unit)


def _in_processes(task: ResponseTask, units: Sequence[int], processes: int) -> Generator[Finished, None, None]:
    """Yield units as they are finished; the processes end at once when the caller stops listening."""
    with ProcessPool[int, Finished](partial(Steps, task.counted), processes) as pool:
        yield from pool.run(units, in_order=False, stop=task.stop)
