"""Units of work handed to workers, and a pool of worker processes that belongs to whoever made it and ends with it.

Workers may be processes of this machine, or actors on a cluster (:mod:`errai.cluster.ray`).  Each use makes its own
pool, so several threads of a program may each have one, and closing one pool leaves the processes of the others alone.
Processes are spawned and not forked, because the parent may have threads.  Each one reads from a pipe whose other end
only the parent holds.  When that end is closed, because the parent closes the pool or dies, the process ends at once.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import pickle
import queue
import threading
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from typing import Any, Generic, NamedTuple, Self, TypeVar

from errai.errors import InputError, WorkerLostError
from errai.running.stopping import StopToken, stops
from errai.running.system import ignore_terminals, terminals_unheard

AHEAD = 2
"""Number of tasks that a worker is given at once: it works on one while it loads the next."""

WINDOW = 16
"""Number of tasks per worker that may be taken before the result of the first of them has been yielded."""

MOST_LOSSES = 5
"""Number of workers that may be lost in a row without a result in between."""

LOOK_SECONDS = 0.1
"""Seconds between two checks of the stop token while workers work."""

LOST: Any = object()
"""Stands in the place of a result if the worker of a task was lost; the task is then run again."""

T = TypeVar("T")
R = TypeVar("R")


class Workers(ABC, Generic[T, R]):
    """Workers that tasks are submitted to, and whose results are collected; one thread at a time may use them."""

    def __init__(self) -> None:
        self._open: list[deque[int]] = []
        """The numbers of the tasks that each worker has not answered."""
        self._numbers = 0

    def run(
        self, tasks: Iterable[T], *, in_order: bool = True, stop: StopToken | None = None
    ) -> Generator[R, None, None]:
        """Yield the results, in the order of the tasks or as they come.

        A task goes to the same worker in every run unless another one is idle, so a worker can reuse what it kept from
        a similar task.  Setting the stop token ends the results early.

        Raises
        ------
        WorkerLostError
            Workers are lost again and again without a result in between.
        Exception
            Whatever a task raised.
        """
        left, begin, yielded, drawn_all = iter(tasks), self._numbers, 0, False
        waiting: list[deque[tuple[int, T]]] = [deque() for _ in self._open]
        given: dict[int, T] = {}
        done: dict[int, R] = {}
        while not stops(stop):
            while not drawn_all and self._numbers - begin - yielded < WINDOW * len(waiting):
                for task in left:
                    waiting[self._worker_of(self._numbers - begin, task)].append((self._numbers, task))
                    self._numbers += 1
                    break
                else:
                    drawn_all = True
            if drawn_all and yielded == self._numbers - begin:
                return
            for worker, own in enumerate(self._open):
                while len(own) < AHEAD and (item := self._take(waiting, worker)) is not None:
                    number, given[number] = item
                    own.append(number)
                    self._submit(worker, number, item[1])
            again = []
            for worker, number, good, value in self._collect(None if stop is None else LOOK_SECONDS):
                self._open[worker].remove(number)
                if number < begin:  # It was submitted by a run that was given up.
                    continue
                if not good:
                    raise value
                if value is LOST:
                    again.append((worker, number))
                    continue
                done[number] = value
                if not in_order:
                    yielded += 1
                    yield done.pop(number)
            for worker, number in reversed(again):
                waiting[worker].appendleft((number, given[number]))
            while in_order and begin + yielded in done:
                yielded += 1
                yield done.pop(begin + yielded - 1)

    def _take(self, waiting: list[deque[tuple[int, T]]], worker: int) -> tuple[int, T] | None:
        """Return the next task of a worker, or one that it may run of the worker that has most tasks left."""
        if waiting[worker]:
            return waiting[worker].popleft()
        for other in sorted(waiting, key=len, reverse=True):
            if other and self._may_run(worker, other[-1][1]):
                return other.pop()
        return None

    def _worker_of(self, place: int, task: T) -> int:
        """Return the worker that a task, with its place in the run, is meant for."""
        return place % len(self._open)

    def _may_run(self, worker: int, task: T) -> bool:
        """Return whether a worker may run a task of another one."""
        return True

    @abstractmethod
    def _submit(self, worker: int, number: int, task: T) -> None:
        """Give a task to a worker."""

    @abstractmethod
    def _collect(self, seconds: float | None) -> Iterator[tuple[int, int, bool, Any]]:
        """Wait for answers, at most some seconds, and yield worker, number, whether the task succeeded, and its result.

        In the place of a result stands the error of a task that failed, or ``LOST``; workers that are lost are
        replaced.
        """


# --- processes -------------------------------------------------------------------------------------------------------


def _unchanged(value: Any) -> Any:
    return value


@dataclass(frozen=True)
class Steps:
    """What a process does with a task; it works on one while it loads the next and saves the result of the last."""

    work: Callable[[Any], Any]
    """Runs in the main thread of the process."""
    load: Callable[[Any], Any] = _unchanged
    save: Callable[[Any], Any] = _unchanged


class _Child(NamedTuple):
    process: BaseProcess
    connection: Connection


class ProcessPool(Workers[T, R]):
    """Runs tasks in processes on this machine.  A process that is lost is replaced, and its tasks are assigned again.

    As always with Python's ``spawn``, a script must create the pool under ``if __name__ == "__main__"``.

    Parameters
    ----------
    make:
        A function that is called once in every process and returns the steps for a task.  It must be picklable, and so
        must the tasks and the results.
    on_loss:
        A function that is called after a process was lost and before it is replaced.
    advice:
        A sentence that says what to do if processes are lost again and again.
    """

    def __init__(
        self,
        make: Callable[[], Steps],
        processes: int,
        *,
        on_loss: Callable[[], Any] | None = None,
        advice: str = "Use fewer processes.",
    ) -> None:
        super().__init__()
        try:
            self._make = pickle.dumps(make)
        except Exception as error:
            raise InputError(
                f"The work cannot be sent to other processes ({error}); use one process, or give "
                "functions that make what cannot be pickled."
            ) from error
        self._on_loss = on_loss
        self._advice = advice
        self._context = multiprocessing.get_context("spawn")
        self._children: list[_Child] = []
        self._losses = 0
        try:
            for _ in range(processes):
                self._children.append(self._start())
                self._open.append(deque())
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *raised: object) -> None:
        self.close()

    def close(self) -> None:
        """Kill the processes at once; a file that one of them is writing counts only once it is complete."""
        for child in self._children:
            child.connection.close()
            child.process.kill()
        for child in self._children:
            child.process.join()

    @property
    def pids(self) -> list[int]:
        """The numbers of the processes."""
        return [child.process.pid or 0 for child in self._children]

    def _submit(self, worker: int, number: int, task: T) -> None:
        with contextlib.suppress(OSError):  # The loss of a process is noticed where its answer is awaited.
            self._children[worker].connection.send(task)

    def _collect(self, seconds: float | None) -> Iterator[tuple[int, int, bool, Any]]:
        busy = [child for child, own in zip(self._children, self._open, strict=True) if own]
        signs = [child.connection for child in busy], [child.process.sentinel for child in busy]
        ready = set(wait([*signs[0], *signs[1]], seconds))
        for i, child in enumerate(self._children):
            if child.connection not in ready:
                if child.process.sentinel not in ready:
                    continue
                child.connection.close()  # Another process may hold the other end of the pipe, but no answer will come.
            try:
                good, value = child.connection.recv()
            except (EOFError, OSError):
                self._losses += 1
                self._replace(i)
                yield from ((i, number, True, LOST) for number in tuple(self._open[i]))
                continue
            self._losses = 0
            yield i, self._open[i][0], good, value

    def _start(self) -> _Child:
        here: Any  # On Windows it is of another class with the same methods.
        there: Any
        here, there = self._context.Pipe()
        # Without the flag, Python would wait for the process when the parent exits.
        process = self._context.Process(target=_serve, args=(there, self._make), daemon=True)
        with terminals_unheard():  # Ctrl-C and the end of the terminal are for the parent, which decides.
            process.start()
        there.close()
        return _Child(process, here)

    def _replace(self, i: int) -> None:
        lost = self._children[i]
        lost.connection.close()
        lost.process.join(1)
        lost.process.kill()
        lost.process.join()
        if self._losses > MOST_LOSSES:
            raise WorkerLostError(
                f"Processes ended {self._losses} times in a row without a result (the last with exit code "
                f"{lost.process.exitcode}); is there enough memory? {self._advice}"
            )
        if self._on_loss is not None:
            self._on_loss()
        self._children[i] = self._start()


# --- in a process ----------------------------------------------------------------------------------------------------


def _serve(connection: Connection, make: bytes) -> None:
    """Answer tasks in a process until the other end of the connection is closed."""
    ignore_terminals()
    multiprocessing.current_process().daemon = False  # Tasks may start processes of their own.
    incoming: queue.SimpleQueue[Future[Any]] = queue.SimpleQueue()
    made = threading.Event()
    steps = Steps(_unchanged)

    def load(task: Any) -> Any:
        made.wait()
        return steps.load(task)

    def receive() -> None:
        with contextlib.suppress(EOFError, OSError):
            while True:
                incoming.put(loader.submit(load, connection.recv()))
        # The parent is gone or has all the answers that it needs, so nothing waits for the work in progress.
        os._exit(0)

    with ThreadPoolExecutor(1, "load") as loader, ThreadPoolExecutor(1, "save") as saver:
        threading.Thread(target=receive, daemon=True).start()
        steps = _made(make)
        made.set()
        saving: Future[None] | None = None
        while True:
            loading = incoming.get()
            answer = _tried(lambda loaded: steps.work(loaded.result()), loading)
            if saving is not None:
                saving.result()
            saving = saver.submit(_send, connection, steps, answer)


def _made(make: bytes) -> Steps:
    """Return the steps.  If they cannot be made, return steps that answer every task with the error."""
    good, value = _tried(lambda text: pickle.loads(text)(), make)
    if good:
        steps: Steps = value
        return steps

    def fail(task: Any) -> Any:
        raise value

    return Steps(fail)


def _tried(step: Callable[[Any], Any], task: Any) -> tuple[bool, Any]:
    """Return whether a step succeeded, and its result or the error."""
    try:
        return True, step(task)
    except Exception as error:
        import traceback

        error.add_note("In another process:\n" + "".join(traceback.format_tb(error.__traceback__)))
        return False, error


def _send(connection: Connection, steps: Steps, answer: tuple[bool, Any]) -> None:
    good, value = answer
    if good:
        good, value = _tried(steps.save, value)
    if not good:
        try:
            pickle.loads(pickle.dumps(value))
        except Exception:
            value = RuntimeError(f"{type(value).__name__}: {value}")
    try:
        connection.send((good, value))
    except OSError:
        os._exit(0)
