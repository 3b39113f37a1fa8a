"""Processes that work for one use: started by it, known to it by their handles, and ended with it.

Each use makes a pool of its own, so several threads of a program may each have one, and the end of one ends no process
of another.  Processes are started anew and not forked, because the parent may have threads.  They read from a pipe
whose other end only the parent holds; when it is closed, whether the parent lets go of them or dies, they end at once.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import pickle
import queue
import signal
import threading
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from multiprocessing import resource_tracker
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from typing import Any, Generic, Self, TypeVar

from errai.errors import InputError, WorkerLostError
from errai.running.stopping import StopToken, stops

AHEAD = 2
"""Tasks that a process is given at once: one is worked on while the next is loaded."""

WINDOW = 16
"""Tasks per process that are taken before the result of the first of them has been handed out."""

MOST_LOSSES = 5
"""Processes that may be lost in a row without a result in between."""

LOOK_SECONDS = 0.1
"""How often a stop token is looked at while processes work."""

T = TypeVar("T")
R = TypeVar("R")


def _unchanged(value: Any) -> Any:
    return value


@dataclass(frozen=True)
class Steps:
    """What a process does with a task; one task is loaded and another saved while a third is worked on."""

    work: Callable[[Any], Any]
    """In the main thread of the process."""
    load: Callable[[Any], Any] = _unchanged
    save: Callable[[Any], Any] = _unchanged


@dataclass(eq=False)
class _Child:
    """A process with the tasks that it has not answered, by number."""

    process: BaseProcess
    connection: Connection
    open: deque[tuple[int, Any]] = field(default_factory=deque)

    def give(self, number: int, task: Any) -> None:
        self.open.append((number, task))
        with contextlib.suppress(OSError):  # A process that has just been lost is noticed where answers are awaited.
            self.connection.send(task)


class ProcessPool(Generic[T, R]):
    """Runs tasks in processes of this machine; one that is lost is replaced, and its tasks are given out again.

    One thread at a time may use a pool.  As with all of Python's processes, a script that makes one does so under
    ``if __name__ == "__main__"``.

    Parameters
    ----------
    make:
        Called once in every process; says what is done with a task.  It has to pickle, as tasks and results do.
    processes:
        How many.
    on_loss:
        Called after a process was lost, before another one takes its place.
    advice:
        What to do where processes are lost again and again, as a sentence.

    Raises
    ------
    InputError
        ``make`` cannot be pickled; no process has been started.
    """

    def __init__(
        self,
        make: Callable[[], Steps],
        processes: int,
        *,
        on_loss: Callable[[], Any] | None = None,
        advice: str = "Use fewer processes.",
    ) -> None:
        try:
            self._make = pickle.dumps(make)
        except Exception as error:
            raise InputError(
                f"What other processes are to work on cannot be handed to them ({error}); use one process, or hand in "
                "functions that make it."
            ) from error
        self._on_loss = on_loss
        self._advice = advice
        self._context = multiprocessing.get_context("spawn")
        self._children: list[_Child] = []
        self._numbers = 0
        try:
            for _ in range(processes):
                self._children.append(self._start())
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *raised: object) -> None:
        self.close()

    def close(self) -> None:
        """End the processes at once; what files they are writing must not count before they are whole."""
        for child in self._children:
            child.connection.close()
            child.process.kill()
        for child in self._children:
            child.process.join()

    @property
    def pids(self) -> list[int]:
        """Process numbers."""
        return [child.process.pid or 0 for child in self._children]

    def run(
        self, tasks: Iterable[T], *, in_order: bool = True, stop: StopToken | None = None
    ) -> Generator[R, None, None]:
        """Results as they come, or in the order of the tasks.

        The i-th task goes to the same process in every run, unless another one has nothing left to do; what a process
        keeps of a task is there for the next one like it.  A token that is set ends the results early.

        Raises
        ------
        WorkerLostError
            Processes are lost again and again without a result in between.
        Exception
            What a task or ``make`` raised in a process, with a note of where.
        """
        left, count, begin = iter(tasks), len(self._children), self._numbers
        waiting: list[deque[tuple[int, T]]] = [deque() for _ in self._children]
        done: dict[int, R] = {}
        next_one, losses, yielded, drawn_all = begin, 0, 0, False
        while not stops(stop):
            while not drawn_all and self._numbers - begin - yielded < WINDOW * count:
                for task in left:
                    waiting[(self._numbers - begin) % count].append((self._numbers, task))
                    self._numbers += 1
                    break
                else:
                    drawn_all = True
            if drawn_all and yielded == self._numbers - begin:
                return
            for i, child in enumerate(self._children):
                while len(child.open) < AHEAD and (item := _take(waiting, i)) is not None:
                    child.give(*item)
            for i in self._ready(None if stop is None else LOOK_SECONDS):
                child = self._children[i]
                try:
                    good, value = child.connection.recv()
                except (EOFError, OSError):
                    losses += 1
                    # What a run has left that was given up is not done again.
                    waiting[i].extendleft(reversed([item for item in child.open if item[0] >= begin]))
                    self._replace(i, losses)
                    continue
                losses = 0
                number, _ = child.open.popleft()
                if number < begin:
                    continue
                if not good:
                    raise value
                done[number] = value
                if not in_order:
                    yielded += 1
                    yield done.pop(number)
            while next_one in done:
                yielded += 1
                yield done.pop(next_one)
                next_one += 1

    def _ready(self, seconds: float | None) -> Iterator[int]:
        """The processes that have an answer or are no longer there."""
        busy = [child for child in self._children if child.open]
        signs = [child.connection for child in busy], [child.process.sentinel for child in busy]
        ready = set(wait([*signs[0], *signs[1]], seconds))
        for i, child in enumerate(self._children):
            if child.connection in ready:
                yield i
            elif child.process.sentinel in ready:
                child.connection.close()  # Somebody else may hold the other end; nobody answers any more.
                yield i

    def _start(self) -> _Child:
        here, there = self._context.Pipe()
        # Without the flag, Python would wait for the process at its own end.
        process = self._context.Process(target=_serve, args=(there, self._make), daemon=True)
        with _no_ctrl_c():
            process.start()
        there.close()
        return _Child(process, here)

    def _replace(self, i: int, losses: int) -> None:
        lost = self._children[i]
        lost.connection.close()
        lost.process.join(1)
        lost.process.kill()
        lost.process.join()
        if losses > MOST_LOSSES:
            raise WorkerLostError(
                f"Processes ended {losses} times in a row without a result (the last with exit code "
                f"{lost.process.exitcode}); is there enough memory? {self._advice}"
            )
        if self._on_loss is not None:
            self._on_loss()
        self._children[i] = self._start()


def _take(waiting: list[deque[tuple[int, T]]], i: int) -> tuple[int, T] | None:
    """The next task of process ``i``, or one of whoever has most left."""
    if waiting[i]:
        return waiting[i].popleft()
    longest = max(waiting, key=len)
    return longest.pop() if longest else None


@contextlib.contextmanager
def _no_ctrl_c() -> Iterator[None]:
    """Processes started in the block are born deaf to Ctrl-C, which a terminal sends to all: the parent decides.

    A new process has the mask of the thread that starts it; no handler of this one is touched.
    """
    resource_tracker.ensure_running()  # Its start would take the mask away again.
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


# --- in a process ----------------------------------------------------------------------------------------------------


def _serve(connection: Connection, make: bytes) -> None:
    """What a process does until the other end of the connection is closed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    multiprocessing.current_process().daemon = False  # What runs here may start processes of its own.
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
        # Whoever gave the tasks is gone, or has all answers that it wants: nobody waits for what is being done.
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
    """The steps; if they cannot be made, such as answer every task with the reason."""
    good, value = _tried(lambda text: pickle.loads(text)(), make)
    if good:
        steps: Steps = value
        return steps

    def fail(task: Any) -> Any:
        raise value

    return Steps(fail)


def _tried(step: Callable[[Any], Any], task: Any) -> tuple[bool, Any]:
    """Whether a step was done, and what came of it; or the error."""
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
