"""A pool of worker processes that belongs to whoever made it and ends with it.

Each use makes its own pool, so several threads of a program may each have one, and closing one pool leaves the
processes of the others alone.  Processes are spawned and not forked, because the parent may have threads.  Each one
reads from a pipe whose other end only the parent holds.  When that end is closed, because the parent closes the pool or
dies, the process ends at once.
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
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from multiprocessing import resource_tracker
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from typing import Any, NamedTuple, Self

from errai.errors import InputError, WorkerLostError
from errai.running.scheduling import LOST, MOST_LOSSES, R, T, Workers

_OF_TERMINALS = {signal.SIGINT, signal.SIGHUP}


def _unchanged(value: Any) -> Any:
    return value


@dataclass(frozen=True)
class Steps:
    """What a process does with a task.

    It works on one task while it loads the next and saves the result of the last.
    """

    work: Callable[[Any], Any]
    """Runs in the main thread of the process."""
    load: Callable[[Any], Any] = _unchanged
    save: Callable[[Any], Any] = _unchanged


class _Child(NamedTuple):
    process: BaseProcess
    connection: Connection


class ProcessPool(Workers[T, R]):
    """Runs tasks in processes on this machine.  A process that is lost is replaced, and its tasks are assigned again.

    As always with Python's ``spawn``, a script must create the pool under ``if
    __name__ == "__main__"``.

    Parameters
    ----------
    make:
        A function that is called once in every process and returns the steps for a task.  It must be picklable, and so
        must the tasks and the results.
    processes:
        The number of processes.
    on_loss:
        A function that is called after a process was lost and before it is replaced.
    advice:
        A sentence for the error message that says what to do if processes are lost again and again.

    Raises
    ------
    InputError
        ``make`` cannot be pickled.  No process has been started.
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
        """Process ids of the workers."""
        return [child.process.pid or 0 for child in self._children]

    def _submit(self, worker: int, number: int, task: T) -> None:
        with contextlib.suppress(OSError):  # The loss of a process is noticed where its answer is awaited.
            self._children[worker].connection.send(task)

    def _collect(self, seconds: float | None) -> Iterator[tuple[int, int, bool, Any]]:
        for i in self._ready(seconds):
            try:
                good, value = self._children[i].connection.recv()
            except (EOFError, OSError):
                self._losses += 1
                self._replace(i)
                yield from ((i, number, True, LOST) for number in tuple(self._open[i]))
                continue
            self._losses = 0
            yield i, self._open[i][0], good, value

    def _ready(self, seconds: float | None) -> Iterator[int]:
        """Yield the numbers of the processes that have an answer or have ended."""
        busy = [child for child, own in zip(self._children, self._open, strict=True) if own]
        signs = [child.connection for child in busy], [child.process.sentinel for child in busy]
        ready = set(wait([*signs[0], *signs[1]], seconds))
        for i, child in enumerate(self._children):
            if child.connection in ready:
                yield i
            elif child.process.sentinel in ready:
                child.connection.close()  # Another process may hold the other end of the pipe, but no answer will come.
                yield i

    def _start(self) -> _Child:
        here, there = self._context.Pipe()
        # Without the flag, Python would wait for the process when the parent exits.
        process = self._context.Process(target=_serve, args=(there, self._make), daemon=True)
        with _ends_left_to_parent():
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


@contextlib.contextmanager
def _ends_left_to_parent() -> Iterator[None]:
    """Make processes that are started in the block ignore Ctrl-C and the end of the terminal.

    Both are sent to all processes of a terminal, and the parent decides.

    A new process inherits the signal mask of the thread that starts it.  No handler of this process is changed.
    """
    resource_tracker.ensure_running()  # Starting it later would reset the mask.
    before = signal.pthread_sigmask(signal.SIG_BLOCK, _OF_TERMINALS)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


# --- in a process ----------------------------------------------------------------------------------------------------


def _serve(connection: Connection, make: bytes) -> None:
    """Answer tasks in a process until the other end of the connection is closed."""
    for number in _OF_TERMINALS:
        signal.signal(number, signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, _OF_TERMINALS)
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
