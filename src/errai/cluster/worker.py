"""What a worker does with a block: it reads its state, walks it, and writes it."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from operator import itemgetter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from errai.cluster.folder import SPARE, RunFolder
from errai.cluster.partition import Partition
from errai.cluster.tasks import Result, Setup, Task
from errai.engine.precision import DTYPES
from errai.errors import DamagedFileError, ErraiError, FileAccessError, ForeignFileError, MismatchError
from errai.kernels.backends import make_kernel
from errai.kernels.layout import TreeArrays
from errai.kernels.protocol import Arrays, Kernel, State
from errai.running.recent import Recent
from errai.solutions.subjects import menu_of, read_subject
from errai.store.blocks import BlockFile, write_block
from errai.tree.public_tree import TreePlan, plan_public_tree
from errai.tree.subgame import build_subgame

CLASS_BYTES = 90
"""Memory of a hand class of a block whose tree is kept: the tree's arrays and what they are built from; measured."""


@dataclass
class Loaded:
    """A block in memory, ready for its task."""

    task: Task
    kernel: Kernel
    state: State
    room: NDArray[np.uint8]
    """The memory of the state."""
    seconds: float = 0.0
    error: ErraiError | None = None
    damaged: tuple[int, int] | None = None


@dataclass
class Walked:
    """The outcome of a task, before it is written."""

    loaded: Loaded
    values: tuple[NDArray[np.float64], ...] = ()
    seconds: float = 0.0
    stored_bytes: int = field(default=0)


class BlockWorker:
    """Runs tasks of one run.  ``load``, ``walk`` and ``save`` may overlap for different tasks.

    Parameters
    ----------
    setup:
        The run.
    partition:
        Other blocks than those of the setup, to walk only a part of a game.
    """

    def __init__(self, setup: Setup, partition: Partition | None = None) -> None:
        subject, menu = read_subject(setup.subject)
        self.setup = setup
        self.folder = RunFolder(setup.folder)
        self.plan: TreePlan = plan_public_tree(subject, menu=menu_of(subject, menu))
        self.partition = Partition.from_dict(setup.partition, self.plan) if partition is None else partition
        self._room = StateRoom(setup.precision)
        self._trees: Recent[int, tuple[int, TreeArrays]] = Recent(setup.cache_bytes, itemgetter(0))
        """Trees of blocks with their memory.  Kernels are not kept: each has working memory, and is built quickly."""

    def run(self, task: Task) -> Result:
        """Load, walk and save."""
        return self.save(self.walk(self.load(task)))

    def load(self, task: Task) -> Loaded:
        """Read a block's state from the disk, as far as the task needs it."""
        started = time.perf_counter()
        kernel = make_kernel(self.setup.backend, self._tree(task.block), 1)
        state, room = self._room.take(kernel.tree)
        loaded = Loaded(task, kernel, state, room)
        learning = task.coefficients is not None
        for p in (0, 1):
            groups: dict[str, Arrays | None] = {}
            if learning or not self.setup.averages:
                groups |= {"regrets": state.regrets, "scales": state.scales}
            if self.setup.averages and (not learning or p == task.player):
                groups["sums"] = state.sums
            try:
                self._read(task.block, p, task.learnt[p], groups, whole=task.whole)
            except (DamagedFileError, FileAccessError, ForeignFileError, MismatchError) as error:
                loaded.error, loaded.damaged = error, (p, task.learnt[p])
                break
        loaded.seconds = time.perf_counter() - started
        return loaded

    def walk(self, loaded: Loaded) -> Walked:
        """Do what the task asks for; the state of the player who is updated is changed."""
        if loaded.error is not None:
            return Walked(loaded)
        started = time.perf_counter()
        task, kernel = loaded.task, loaded.kernel
        values: tuple[NDArray[np.float64], ...]
        if task.coefficients is not None:
            row = np.array(task.coefficients)
            values = (kernel.update(loaded.state, task.player, row, weighted=task.weighted, reach=task.reach),)
        else:
            source = loaded.state.sums if self.setup.averages else loaded.state.regrets
            values = tuple(
                kernel.root_values(source, p, role=role, exact=task.exact, reach=task.reach) for p, role in task.asked
            )
        return Walked(loaded, values, time.perf_counter() - started)

    def save(self, walked: Walked) -> Result:
        """Write the changed state under a new name; the state of two iterations ago is no longer needed."""
        try:
            return self._save(walked)
        finally:
            self._room.give(walked.loaded.room)

    def _save(self, walked: Walked) -> Result:
        started = time.perf_counter()
        loaded, task = walked.loaded, walked.loaded.task
        if loaded.error is not None:
            return Result(task.block, error=loaded.error, damaged=loaded.damaged)
        stored = 0
        if task.coefficients is not None:
            p, state = task.player, loaded.state
            groups = {"regrets": state.regrets}
            if state.scales is not None:
                groups["scales"] = state.scales
            if self.setup.averages:
                groups["sums"] = state.sums
            arrays = {f"{name}/{s}": group[s][p] for name, group in groups.items() for s in range(1, len(group))}
            iteration = task.learnt[p] + 1
            path = self.folder.block(task.block, p, iteration)
            try:
                write_block(path, self._name(task.block, p, iteration), arrays)
            except ErraiError as error:
                return Result(task.block, error=error)
            with contextlib.suppress(OSError):
                self.folder.block(task.block, p, iteration - SPARE - 1).unlink(missing_ok=True)
            stored = path.stat().st_size
        seconds = loaded.seconds, walked.seconds, time.perf_counter() - started
        return Result(task.block, walked.values, seconds, stored)

    def _name(self, number: int, player: int, iteration: int) -> dict[str, Any]:
        return {"run": self.setup.run, "block": number, "player": player, "iteration": iteration}

    def _read(
        self, number: int, player: int, iteration: int, groups: Mapping[str, Arrays | None], *, whole: bool
    ) -> None:
        present = {name: group for name, group in groups.items() if group is not None}
        if iteration == 0:  # There is no state before the first iteration.
            for group in present.values():
                for pair in group:
                    pair[player][...] = 0
        if iteration == 0 or not (present or whole):
            return
        file = BlockFile(self.folder.block(number, player, iteration), self._name(number, player, iteration))
        if whole:
            file.check_all_but(tuple(present))
        for name, group in present.items():
            for s in range(1, len(group)):
                file.read_into(f"{name}/{s}", group[s][player])

    def _tree(self, number: int) -> TreeArrays:
        """Return the block's tree; the most recently used ones are kept as far as memory allows."""

        def made() -> tuple[int, TreeArrays]:
            block = self.partition.blocks[number]
            weight = block.classes * CLASS_BYTES
            self._trees.make_room(weight)
            return weight, build_subgame(self.plan, self.partition.street, block.boards, block.entries).arrays

        return self._trees.get_or_make(number, made)[1]


class StateRoom:
    """Memory for the states of the blocks in work; it is reused, because new memory is slow at the first touch."""

    def __init__(self, precision: str) -> None:
        self.dtype = np.dtype(DTYPES[precision])
        self._free: list[NDArray[np.uint8]] = []
        self._lock = threading.Lock()

    def take(self, tree: TreeArrays) -> tuple[State, NDArray[np.uint8]]:
        """Return a state for a tree, with arbitrary content, and the memory that it lies in."""
        sizes = [s.state_size(p) for s in tree.streets for p in (0, 1)]
        decisions = [s.num_boards * s.num_decisions(p) for s in tree.streets for p in (0, 1)]
        fixed = self.dtype == np.int16
        sums = np.dtype(np.uint16) if fixed else self.dtype
        groups = [(sizes, self.dtype), (sizes, sums)]
        if fixed:
            groups.append((decisions, np.dtype(np.float32)))
        needed = sum(_filled(count, kind) for counts, kind in groups for count in counts)
        with self._lock:
            # If this one is too small, so are all others; it is then dropped for a larger one.
            self._free.sort(key=len)
            room = self._free.pop() if self._free else None
        if room is None or len(room) < needed:
            room = None
            room = np.empty(needed, np.uint8)
        made: list[Arrays] = []
        at = 0
        for counts, kind in groups:
            flat = []
            for count in counts:
                flat.append(room[at : at + count * kind.itemsize].view(kind))
                at += _filled(count, kind)
            made.append([flat[i : i + 2] for i in range(0, len(flat), 2)])
        return State(made[0], made[1], scales=made[2] if fixed else None), room

    def give(self, room: NDArray[np.uint8]) -> None:
        """Take back memory that is no longer used."""
        with self._lock:
            self._free.append(room)


def _filled(count: int, kind: np.dtype) -> int:
    """Return the bytes of an array, rounded up to whole cache lines."""
    return -(-count * kind.itemsize // 64) * 64
