"""Runners of this machine: this process alone, or several processes that it starts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial

from errai.cluster.folder import RunFolder
from errai.cluster.partition import Partition
from errai.cluster.tasks import Result, Setup, Task
from errai.cluster.worker import BlockWorker, Loaded
from errai.running.pool import ProcessPool, Steps
from errai.store.atomic import remove_all_leftovers


class HereRunner:
    """Runs tasks in this process; while one block is walked, another is read and a third is written."""

    def __init__(self, setup: Setup, partition: Partition | None = None) -> None:
        self.worker = BlockWorker(setup, partition)
        self._threads = ThreadPoolExecutor(2, "errai-block")

    def run(self, tasks: Iterable[Task]) -> Iterator[Result]:
        """Yield results in the order of the tasks; see :class:`errai.cluster.tasks.Runner`."""
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


def make_runner(setup: Setup, processes: int) -> HereRunner | ProcessRunner:
    """Return a runner of this machine."""
    return HereRunner(setup) if processes <= 1 else ProcessRunner(setup, processes)
