"""Making data sets: positions are drawn, solved and written, shard after shard, by the given number of processes.

The content depends on the recipe alone, not on which process solved a position or when; a resumed run solves the
positions that are missing.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import count, groupby, islice
from pathlib import Path
from typing import Any

from errai.engine.leaf_values import LeafValues
from errai.errors import InputError
from errai.nets.examples.dataset import SHARD, Folder, Solved
from errai.nets.examples.over_cards import TOGETHER, OverCards
from errai.nets.examples.recipe import FIELDS, Recipe
from errai.nets.examples.situations import stratum_of
from errai.nets.examples.targets import Target, accuracy_for, solve_position
from errai.nets.networks.classes import class_matchups
from errai.nets.positions import Floats, Positions
from errai.running.pool import ProcessPool, Steps
from errai.running.stopping import StopToken, stops
from errai.solving.memory import versions
from errai.store.atomic import locked_folder

SAVE_SECONDS = 60.0
"""How often a shard that is not yet full is written."""

MakesLeafValues = Callable[[], LeafValues]
"""Makes the leaf values at the end of a street; processes receive it by pickling."""

BYTES_A_HAND = 2.1
"""Bytes of a position in a shard for each hand that the board leaves: two values of 8 bits, and a share of the rest."""


@dataclass
class Tally:
    """The progress of a run."""

    names: tuple[str, ...]
    """Positions of each stratum; positions in no stratum come last."""
    counts: list[int] = field(init=False)
    seconds: list[float] = field(init=False)
    """Seconds of one processor."""
    bytes: int = 0
    new: int = 0
    """Positions solved in this run."""
    interrupted: bool = False

    def __post_init__(self) -> None:
        self.counts = [0] * (len(self.names) + 1)
        self.seconds = [0.0] * (len(self.names) + 1)

    @property
    def positions(self) -> int:
        """Positions in all."""
        return sum(self.counts)

    @property
    def core_seconds(self) -> float:
        """Seconds that all of them took."""
        return sum(self.seconds)

    def to_dict(self) -> dict[str, Any]:
        """Return the content as JSON values."""
        rows = zip((*self.names, "other"), self.counts, self.seconds, strict=True)
        return {
            "positions": self.positions,
            "core_seconds": round(self.core_seconds, 1),
            "strata": {
                name: {"positions": number, "core_seconds": round(seconds, 1)}
                for name, number, seconds in rows
                if number
            },
        }


def estimated_bytes(recipe: Recipe, positions: int) -> int:
    """Approximate disk space for this many positions."""
    if not recipe.cards:
        return positions * 4 * len(class_matchups(recipe.rules).fits)
    unseen = recipe.rules.deck.num_cards - recipe.cards
    stored = 2.0 if recipe.source != "generated" else 1.0
    return int(positions * stored * BYTES_A_HAND * unseen * (unseen - 1) / 2)


def generate(
    recipe: Recipe,
    folder: str | Path,
    *,
    positions: int | None = None,
    seconds: float | None = None,
    processes: int = 1,
    below: MakesLeafValues | OverCards | None = None,
    stop: StopToken | None = None,
    progress: Callable[[Tally], Any] | None = None,
) -> Tally:
    """Make a data set, or resume one.

    Parameters
    ----------
    recipe:
        How the positions are made.
    folder:
        Folder of the data set; a set of the same recipe that exists there is resumed.
    positions:
        The number of positions at the end, beginning with number 0.
    seconds:
        The time limit of this run.
    processes:
        The number of processes that solve.
    below:
        Makes, separately for each position, the leaf values at the end of the solved street, if the recipe names a
        network; or, for positions before the board, the mean of that network's values over the cards that may come,
        which is computed in this process.
    stop:
        Stops the run; positions solved so far are kept.
    progress:
        Called after every position.

    Raises :class:`InputError` if neither positions nor seconds are given, one of them is not above 0, or the leaf
    values are not those of the recipe's network; and :class:`MismatchError`, :class:`RunInUseError`,
    :class:`FileAccessError` or :class:`DiskSpaceError` if the folder holds something else or cannot be written to.
    """
    if positions is None and seconds is None:
        raise InputError("Give the number of positions, or the seconds of the run.")
    if min(1 if positions is None else positions, 1 if seconds is None else seconds, processes) <= 0:
        raise InputError(
            f"positions, seconds and processes must be above 0, not {positions}, {seconds} and {processes}."
        )
    digest = "" if below is None else below.digest if isinstance(below, OverCards) else below().digest
    if recipe.net_digest != digest:
        raise InputError(f"The leaf values must be those of {recipe.net or 'no network'}, as in the recipe.")
    until = None if seconds is None else time.monotonic() + seconds
    place = Folder(folder)
    facts = {"versions": versions()}
    place.begin(recipe, facts)
    with locked_folder(place.path, f"Another process makes positions in {place.path}; choose another folder."):
        run = _Run(recipe, place, facts)
        run.look(positions)
        tally = run.tally
        try:
            with contextlib.closing(_results(recipe, below, run.missing(positions), processes, stop)) as results:
                for solved in results:
                    run.take(solved)
                    if progress is not None:
                        progress(tally)
                    if until is not None and time.monotonic() >= until:
                        break
        finally:
            run.save()
        tally.interrupted = stops(stop)
    return tally


class _Run:
    """The content of a folder, and the positions that are about to be written."""

    def __init__(self, recipe: Recipe, place: Folder, facts: dict[str, Any]) -> None:
        self.recipe, self.place, self.facts = recipe, place, facts
        self.tally = Tally(tuple(stratum.name for stratum in recipe.strata))
        self.there: set[int] = set()
        self.open: dict[int, dict[int, Solved]] = {}
        """Positions by shard and number, of shards that are not yet full."""
        self.unsaved: set[int] = set()
        """Shards with positions that are not yet written."""
        self.saved = time.monotonic()

    def look(self, positions: int | None) -> None:
        """Count the existing positions; shards that are not full are extended."""
        for number in self.place.shards():
            arrays = self.place.arrays(self.recipe, number)
            self.there.update(arrays["index"].tolist())
            self._count(arrays["stacks"], arrays["seconds"])
            self.tally.bytes += self.place.shard(number).stat().st_size
            if len(arrays["index"]) < SHARD and (positions is None or number * SHARD < positions):
                self.open[number] = {one.index: one for one in self.place.solved(self.recipe, number)}

    def missing(self, positions: int | None) -> Iterator[int]:
        """Numbers of positions that are still to be made, ascending."""
        return (index for index in (count() if positions is None else range(positions)) if index not in self.there)

    def take(self, solved: Solved) -> None:
        """Add a position, and write its shard if the shard is full or a write is due."""
        number = solved.index // SHARD
        shard = self.open.setdefault(number, {})
        shard[solved.index] = solved
        self.unsaved.add(number)
        self.tally.new += 1
        self._count(solved.positions.stacks, [solved.target.seconds])
        if len(shard) == SHARD or time.monotonic() - self.saved >= SAVE_SECONDS:
            self.save()

    def save(self) -> None:
        """Write the remaining positions, and record in the manifest what exists."""
        for number in sorted(self.unsaved):
            path = self.place.shard(number)
            before = path.stat().st_size if path.exists() else 0
            shard = self.open[number]
            self.tally.bytes += self.place.write(self.recipe, number, list(shard.values())) - before
            if len(shard) == SHARD:
                del self.open[number]
        self.unsaved.clear()
        self.place.note(self.recipe, {**self.facts, "made": self.tally.to_dict()})
        self.saved = time.monotonic()

    def _count(self, stacks: Floats, seconds: Iterable[float]) -> None:
        for stratum, one in zip(stratum_of(stacks, self.recipe.strata).tolist(), seconds, strict=True):
            self.tally.counts[stratum] += 1
            self.tally.seconds[stratum] += float(one)


def _results(
    recipe: Recipe,
    below: MakesLeafValues | OverCards | None,
    tasks: Iterator[int],
    processes: int,
    stop: StopToken | None,
) -> Generator[Solved]:
    """Yield positions as they are solved, until there are no more or a token is set."""
    if isinstance(below, OverCards):
        while (some := list(islice(tasks, TOGETHER))) and not stops(stop):
            before = time.process_time()
            positions = recipe.positions(some)
            values = below.values(positions)
            seconds = (time.process_time() - before) / len(some)
            for i, index in enumerate(some):
                one = Positions(*(getattr(positions, name)[i : i + 1] for name in FIELDS))
                yield Solved(index, one, Target(values[i], 0.0, 0.0, 1, seconds))
        return
    if processes > 1:
        # Positions of one lookahead stay together, because each process would have to solve it again.
        groups = (tuple(some) for _, some in groupby(tasks, lambda index: index // recipe.together))
        steps = partial(Steps, partial(_solve_some, recipe, below=below))
        with ProcessPool[tuple[int, ...], list[Solved]](steps, processes) as pool:
            for group in pool.run(groups, in_order=False, stop=stop):
                yield from group
        return
    for index in tasks:
        solved = solve_one(recipe, index, stop, below=below)
        if solved is None:
            return
        yield solved


def _solve_some(recipe: Recipe, indices: Sequence[int], *, below: MakesLeafValues | None) -> list[Solved]:
    found = (solve_one(recipe, index, below=below) for index in indices)
    return [one for one in found if one is not None]


def solve_one(
    recipe: Recipe, index: int, stop: StopToken | None = None, *, below: MakesLeafValues | None = None
) -> Solved | None:
    """Solve a position of a recipe by its number; None if the solve was stopped before its end."""
    if stops(stop):
        return None
    positions = recipe.positions([index])
    stack = float(positions.stacks[0])
    target = solve_position(
        tuple(positions.boards[0].tolist()),
        stack,
        positions.ranges[0],
        menu=recipe.menu,
        accuracy=accuracy_for(stack, recipe.accuracies),
        max_iterations=recipe.max_iterations,
        leaf_values=None if below is None else below(),
        stop=stop,
    )
    return None if target is None else Solved(index, positions, target)
