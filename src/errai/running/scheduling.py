"""Units of work handed to workers, whichever kind they are: processes of this machine, or actors on a cluster."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Generator, Iterable, Iterator
from typing import Any, Generic, TypeVar

from errai.running.stopping import StopToken, stops

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
