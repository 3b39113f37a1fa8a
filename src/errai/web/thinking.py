"""The queue in which agents think: one thread for each processor, in the order of the requests."""

from __future__ import annotations

import os
import threading
import traceback
from collections import deque
from collections.abc import Callable, Hashable


class Queue:
    """Runs functions in a few threads, in the order in which they came; each has a key that says whose it is."""

    def __init__(self, name: str, threads: int | None = None) -> None:
        self._name = name
        self._most = len(os.sched_getaffinity(0)) if threads is None else threads
        self._waiting: deque[tuple[Hashable, Callable[[], None]]] = deque()
        self._changed = threading.Condition()
        self._threads: list[threading.Thread] = []
        self._running: list[Hashable] = []
        self._closed = False

    def put(self, key: Hashable, work: Callable[[], None]) -> None:
        """Add a function; what it raises is written to the terminal, and the thread goes on to the next one."""
        with self._changed:
            self._waiting.append((key, work))
            if len(self._threads) < self._most and len(self._threads) < len(self._running) + len(self._waiting):
                # The threads end with the process: what they compute is not part of any state until it is saved.
                thread = threading.Thread(target=self._work, name=f"{self._name}-{len(self._threads)}", daemon=True)
                self._threads.append(thread)
                thread.start()
            self._changed.notify()

    def before(self, key: Hashable) -> int | None:
        """Return how many are done before the function of a key begins; None if it runs, or is not in the queue."""
        with self._changed:
            for place, (one, _) in enumerate(self._waiting):
                if one == key:
                    return place + len(self._running)
        return None

    def close(self) -> None:
        """Begin nothing more."""
        with self._changed:
            self._closed = True
            self._waiting.clear()
            self._changed.notify_all()

    def _work(self) -> None:
        while True:
            with self._changed:
                while not self._waiting and not self._closed:
                    self._changed.wait()
                if self._closed:
                    return
                key, work = self._waiting.popleft()
                self._running.append(key)
            try:
                work()
            except Exception:
                traceback.print_exc()
            finally:
                with self._changed:
                    self._running.remove(key)
