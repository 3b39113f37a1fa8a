"""Tasks, what a worker does with them, and the runners of this machine.

Tasks and results are plain data that can be sent to another process or machine.  A worker reads the state of a block,
walks it, and writes it.  Runners are this process, several processes that it starts, or Ray (:mod:`errai.cluster.ray`).
"""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from itertools import accumulate
from operator import itemgetter
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from errai.cluster.folder import SPARE, RunFolder, block_identity
from errai.cluster.partition import CLASS_BYTES, Partition
from errai.engine.resources import DTYPES
from errai.errors import DamagedFileError, ErraiError, FileAccessError, ForeignFileError, MismatchError
from errai.kernels.backends import make_kernel
from errai.kernels.layout import TreeArrays
from errai.kernels.protocol import Arrays, Kernel, State
from errai.running.pool import ProcessPool, Steps
from errai.running.recent import Recent
from errai.solutions.subjects import menu_of, read_subject
from errai.store.atomic import remove_all_leftovers
from errai.store.packing import write_block
from errai.tree.public_tree import plan_public_tree
from errai.tree.subgame import build_subgame

Flat = NDArray[np.float64]
"""float64: for each edge board of a block ``[entries, H_b]``, concatenated."""


@dataclass(frozen=True)
class Setup:
    """What a worker must know about a run."""

    folder: str
    run: str
    """A name that all files of a run contain, so that blocks of another run are noticed."""
    subject: dict[str, Any]
    partition: dict[str, Any]
    precision: str
    backend: str
    averages: bool
    """Whether averages are kept; if not, the current strategy is the result."""
    cache_bytes: int
    """Memory for trees that are kept from one iteration to the next."""


@dataclass(frozen=True)
class Task:
    """One block's part in a half iteration, or in a measurement."""

    block: int
    learnt: tuple[int, int]
    """How many iterations each player's state has behind it when the task begins."""
    reach: tuple[Flat, Flat]
    player: int = 0
    coefficients: tuple[float, ...] | None = None
    """A row of coefficients for the update of ``player``; None for a measurement."""
    weighted: bool = True
    asked: tuple[tuple[int, int], ...] = ()
    """What is measured: for each array of values the player, and that player's role (FIXED or BEST)."""
    exact: bool = True
    whole: bool = False
    """Whether the checksums of all arrays of the block's files are computed, also of those that the task leaves out."""


@dataclass(frozen=True)
class Result:
    """The result of a task."""

    block: int
    values: tuple[Flat, ...] = ()
    """For an update the player's values; for a measurement what was asked for, in that order."""
    seconds: tuple[float, float, float] = (0.0, 0.0, 0.0)
    """Seconds of reading, walking and writing."""
    stored_bytes: int = 0
    """Length of the file that was written."""
    error: ErraiError | None = None
    damaged: tuple[int, int] | None = None
    """(player, iteration) of a file that could not be used, if that is the error."""


class Runner(Protocol):
    """Runs tasks in this process, in processes of this machine, or on a cluster.

    Results do not depend on where tasks run.
    """

    def run(self, tasks: Iterable[Task]) -> Iterator[Result]:
        """Yield results in task order.  Raises :class:`errai.errors.WorkerLostError` if no worker is left."""

    def close(self) -> None:
        """Release processes and machines."""


@dataclass
class Job:
    """A task with its block in memory, and what has come of it so far."""

    task: Task
    kernel: Kernel
    state: State
    room: NDArray[np.uint8]
    """The memory of the state."""
    values: tuple[NDArray[np.float64], ...] = ()
    seconds: tuple[float, ...] = ()
    """Seconds of the steps that are done."""
    error: ErraiError | None = None
    damaged: tuple[int, int] | None = None


class BlockWorker:
    """Runs tasks of one run.  ``load``, ``walk`` and ``save`` may overlap for different tasks.

    ``partition`` has other blocks than those of the setup, to walk only a part of a game.
    """

    def __init__(self, setup: Setup, partition: Partition | None = None) -> None:
        subject, menu = read_subject(setup.subject)
        self.setup = setup
        self.folder = RunFolder(setup.folder)
        self.plan = plan_public_tree(subject, menu=menu_of(subject, menu))
        self.partition = Partition.from_dict(setup.partition, self.plan) if partition is None else partition
        self._room = StateRoom(setup.precision)
        self._trees: Recent[int, tuple[int, TreeArrays]] = Recent(setup.cache_bytes, itemgetter(0))
        """Trees of blocks with their memory.  Kernels are not kept: each has working memory, and is built quickly."""

    def run(self, task: Task) -> Result:
        """Load, walk and save."""
        return self.save(self.walk(self.load(task)))

    def load(self, task: Task) -> Job:
        """Read a block's state from the disk, as far as the task needs it."""
        started = time.perf_counter()
        kernel = make_kernel(self.setup.backend, self._tree(task.block), 1)
        job = Job(task, kernel, *self._room.take(kernel.tree))
        learning = task.coefficients is not None
        for p in (0, 1):
            groups: dict[str, Arrays] = {}
            if learning or not self.setup.averages:
                groups["regrets"] = job.state.regrets
                if job.state.scales is not None:
                    groups["scales"] = job.state.scales
            if self.setup.averages and (not learning or p == task.player):
                groups["sums"] = job.state.sums
            try:
                self._read(task, p, groups)
            except (DamagedFileError, FileAccessError, ForeignFileError, MismatchError) as error:
                job.error, job.damaged = error, (p, task.learnt[p])
                break
        job.seconds = (time.perf_counter() - started,)
        return job

    def walk(self, job: Job) -> Job:
        """Do what the task asks for; the state of the player who is updated is changed."""
        started, task, kernel = time.perf_counter(), job.task, job.kernel
        if job.error is not None:
            return job
        if task.coefficients is not None:
            row = np.array(task.coefficients)
            job.values = (kernel.update(job.state, task.player, row, weighted=task.weighted, reach=task.reach),)
        else:
            source = job.state.sums if self.setup.averages else job.state.regrets
            job.values = tuple(
                kernel.root_values(source, p, role=role, exact=task.exact, reach=task.reach) for p, role in task.asked
            )
        job.seconds += (time.perf_counter() - started,)
        return job

    def save(self, job: Job) -> Result:
        """Write the changed state under a new name; the state of two iterations ago is no longer needed."""
        started, task, state = time.perf_counter(), job.task, job.state
        try:
            if job.error is not None:
                return Result(task.block, error=job.error, damaged=job.damaged)
            stored = 0
            if task.coefficients is not None:
                p, iteration = task.player, task.learnt[task.player] + 1
                groups = {"regrets": state.regrets, "scales": state.scales}
                if self.setup.averages:
                    groups["sums"] = state.sums
                arrays = {
                    f"{name}/{s}": group[s][p]
                    for name, group in groups.items()
                    if group is not None
                    for s in range(1, len(group))
                }
                path = self.folder.block(task.block, p, iteration)
                write_block(path, block_identity(self.setup.run, task.block, p, iteration), arrays)
                with contextlib.suppress(OSError):
                    self.folder.block(task.block, p, iteration - SPARE - 1).unlink(missing_ok=True)
                stored = path.stat().st_size
            read, walked = job.seconds
            return Result(task.block, job.values, (read, walked, time.perf_counter() - started), stored)
        except ErraiError as error:
            return Result(task.block, error=error)
        finally:
            self._room.give(job.room)

    def _read(self, task: Task, player: int, groups: dict[str, Arrays]) -> None:
        """Read a player's part of a block into some arrays; there is no state before the first iteration."""
        iteration = task.learnt[player]
        if iteration == 0:
            for group in groups.values():
                for pair in group:
                    pair[player][...] = 0
        elif groups or task.whole:
            file = self.folder.open_block(self.setup.run, task.block, player, iteration)
            if task.whole:
                file.check_all_but(tuple(groups))
            for name, group in groups.items():
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
        fixed = self.dtype == np.int16
        groups = [(sizes, self.dtype), (sizes, np.dtype(np.uint16) if fixed else self.dtype)]
        if fixed:
            decisions = [s.num_boards * s.num_decisions(p) for s in tree.streets for p in (0, 1)]
            groups.append((decisions, np.dtype(np.float32)))
        parts = [(count * kind.itemsize, kind) for counts, kind in groups for count in counts]
        starts = [0, *accumulate(-(-size // 64) * 64 for size, _ in parts)]  # whole cache lines
        with self._lock:
            # If this one is too small, so are all others; it is then dropped for a larger one.
            self._free.sort(key=len)
            room = self._free.pop() if self._free else None
        if room is None or len(room) < starts[-1]:
            room = None
            room = np.empty(starts[-1], np.uint8)
        arrays = (room[at : at + size].view(kind) for at, (size, kind) in zip(starts, parts, strict=False))
        made: list[Arrays] = [[[next(arrays), next(arrays)] for _ in tree.streets] for _ in groups]
        return State(made[0], made[1], scales=made[2] if fixed else None), room

    def give(self, room: NDArray[np.uint8]) -> None:
        """Take back memory that is no longer used."""
        with self._lock:
            self._free.append(room)


class HereRunner:
    """Runs tasks in this process; while one block is walked, another is read and a third is written."""

    def __init__(self, setup: Setup, partition: Partition | None = None) -> None:
        self.worker = BlockWorker(setup, partition)
        self._threads = ThreadPoolExecutor(2, "errai-block")

    def run(self, tasks: Iterable[Task]) -> Iterator[Result]:
        """Yield results in the order of the tasks; see :class:`Runner`."""
        saving: Future[Result] | None = None
        for loaded in self._loaded(tasks):
            walked = self.worker.walk(loaded)
            if saving is not None:
                yield saving.result()
            saving = self._threads.submit(self.worker.save, walked)
        if saving is not None:
            yield saving.result()

    def _loaded(self, tasks: Iterable[Task]) -> Iterator[Job]:
        loading: Future[Job] | None = None
        for task in tasks:
            ahead = self._threads.submit(self.worker.load, task)
            if loading is not None:
                yield loading.result()
            loading = ahead
        if loading is not None:
            yield loading.result()

    def close(self) -> None:
        """End the threads."""
        self._threads.shutdown()


class ProcessRunner(ProcessPool[Task, Result]):
    """Runs tasks in processes of this machine; a process that is lost is replaced, and its tasks are repeated.

    A block always goes to the same process, which still has its tree, unless another process has nothing left to do.
    """

    def __init__(self, setup: Setup, processes: int) -> None:
        self.setup = setup
        self._tidy = partial(remove_all_leftovers, RunFolder(setup.folder).path / "blocks")
        advice = "Use fewer processes, or a lower --memory."
        super().__init__(partial(_steps, setup), processes, on_loss=self._tidy, advice=advice)

    def close(self) -> None:
        """End the processes at once; files that they are writing are discarded."""
        super().close()
        self._tidy()


def _steps(setup: Setup) -> Steps:
    worker = BlockWorker(setup)
    return Steps(worker.walk, load=worker.load, save=worker.save)


def make_runner(setup: Setup, processes: int) -> Runner:
    """Return a runner of this machine."""
    return HereRunner(setup) if processes <= 1 else ProcessRunner(setup, processes)
