"""Runners of this machine: the process itself, and processes that it starts."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import queue
import signal
import threading
from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess

from errai.cluster.folder import RunFolder
from errai.cluster.partition import Partition
from errai.cluster.tasks import Result, Setup, Task
from errai.cluster.worker import BlockWorker, Loaded, Walked
from errai.errors import WorkerLostError
from errai.store.atomic import remove_all_leftovers

AHEAD = 2
"""Tasks that a process is given at once: one is walked while the next is read."""

MOST_LOSSES = 5
"""Processes that may be lost in a row without a result in between."""


class HereRunner:
    """Runs tasks in this process: one block is read while another is walked and a third is written."""

    def __init__(self, setup: Setup, partition: Partition | None = None) -> None:
        self.worker = BlockWorker(setup, partition)
        self._threads = ThreadPoolExecutor(2, "errai-block")

    def run(self, tasks: Iterable[Task]) -> Iterator[Result]:
        """Results in the order of the tasks; see :class:`errai.cluster.tasks.Runner`."""
        saving: Future[Result] | None = None
        for loaded in self._loaded(tasks):
            walked = self.worker.walk(loaded)
            if saving is not None:
                yield saving.result()
            saving = self._threads.submit(self.worker.save, walked)
        if saving is not None:
            yield saving.result()

    def _loaded(self, tasks: Iterable[Task]) -> Iterator[Loaded]:
        loading: Future[Loaded] | None = None
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


@dataclass
class _Process:
    """A process with the tasks that it has not answered."""

    process: BaseProcess
    connection: Connection
    open: deque[int] = field(default_factory=deque)


class ProcessRunner:
    """Runs tasks in processes of this machine; one that is lost is replaced, and its tasks are given out again.

    A block always goes to the same process, which has its tree still, unless another one has nothing left to do.

    Parameters
    ----------
    setup:
        The run.
    processes:
        How many.
    """

    def __init__(self, setup: Setup, processes: int) -> None:
        self.setup = setup
        self._context = multiprocessing.get_context("spawn")
        self._processes = [self._start() for _ in range(processes)]

    def run(self, tasks: Iterable[Task]) -> Iterator[Result]:
        """Results in the order of the tasks; see :class:`errai.cluster.tasks.Runner`."""
        order = list(tasks)
        waiting = [deque(range(i, len(order), len(self._processes))) for i in range(len(self._processes))]
        done: dict[int, Result] = {}
        next_one = losses = 0
        while next_one < len(order):
            for i, process in enumerate(self._processes):
                while len(process.open) < AHEAD and (number := _take(waiting, i)) is not None:
                    process.open.append(number)
                    with contextlib.suppress(OSError):  # a process that has just been lost is noticed below
                        process.connection.send(order[number])
            busy = [p for p in self._processes if p.open]
            ready = set(wait([p.connection for p in busy] + [p.process.sentinel for p in busy]))
            for i, process in enumerate(self._processes):
                if process.connection in ready:
                    try:
                        result = process.connection.recv()
                    except (EOFError, OSError):
                        losses += 1
                        self._replace(i, waiting[i], losses)
                        continue
                    losses = 0
                    if isinstance(result, Exception):
                        raise result
                    done[process.open.popleft()] = result
                elif process.process.sentinel in ready:
                    losses += 1
                    self._replace(i, waiting[i], losses)
            while next_one in done:
                yield done.pop(next_one)
                next_one += 1

    def close(self) -> None:
        """End the processes at once; what they are writing is left out as a whole."""
        for process in self._processes:
            with contextlib.suppress(OSError):
                process.connection.close()
        for process in self._processes:
            process.process.join(5)
            if process.process.is_alive():
                process.process.kill()
                process.process.join()
        remove_all_leftovers(RunFolder(self.setup.folder).path / "blocks")

    @property
    def pids(self) -> list[int]:
        """Process numbers."""
        return [p.process.pid or 0 for p in self._processes]

    def _start(self) -> _Process:
        here, there = self._context.Pipe()
        process = self._context.Process(target=serve, args=(there, self.setup), daemon=True)
        process.start()
        there.close()
        return _Process(process, here)

    def _replace(self, i: int, waiting: deque[int], losses: int) -> None:
        lost = self._processes[i]
        lost.process.join(1)
        lost.process.kill()
        if losses > MOST_LOSSES:
            raise WorkerLostError(
                f"Processes that walk blocks ended {losses} times in a row (the last with exit code "
                f"{lost.process.exitcode}); is there enough memory? Give fewer threads, or a lower --memory."
            )
        remove_all_leftovers(RunFolder(self.setup.folder).path / "blocks")
        waiting.extendleft(reversed(lost.open))
        lost.connection.close()
        self._processes[i] = self._start()


def _take(waiting: list[deque[int]], i: int) -> int | None:
    """The next task of process ``i``, or one of whoever has most left."""
    if waiting[i]:
        return waiting[i].popleft()
    longest = max(waiting, key=len)
    return longest.pop() if longest else None


def serve(connection: Connection, setup: Setup) -> None:
    """What a process does until the other end of the connection is closed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    worker = BlockWorker(setup)
    incoming: queue.Queue[Future[Loaded]] = queue.Queue()
    with ThreadPoolExecutor(1, "load") as loader, ThreadPoolExecutor(1, "save") as saver:

        def receive() -> None:
            with contextlib.suppress(EOFError, OSError):
                while True:
                    incoming.put(loader.submit(worker.load, connection.recv()))
            # Whoever gave the tasks is gone, or has all answers that it wants: nobody waits for what is being done.
            os._exit(0)

        threading.Thread(target=receive, daemon=True).start()
        saving: Future[None] | None = None

        def finish(walked: Walked) -> None:
            connection.send(worker.save(walked))

        try:
            while True:
                walked = worker.walk(incoming.get().result())
                if saving is not None:
                    saving.result()
                saving = saver.submit(finish, walked)
        except Exception as error:
            # What is not the fault of a file is told to whoever gave the tasks, not tried again.
            connection.send(error)


def make_runner(setup: Setup, processes: int) -> HereRunner | ProcessRunner:
    """A runner of this machine."""
    return HereRunner(setup) if processes <= 1 else ProcessRunner(setup, processes)
