"""What agents need to think: a thread in a queue, and memory, for those that solve while they play."""

from __future__ import annotations

import gc
import threading
import traceback
from collections import deque
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager

from errai.agents.agent import Agent
from errai.agents.continual import ContinualAgent
from errai.agents.resolver import ResolverAgent
from errai.console import bytes_text
from errai.engine.resources import allowed_memory
from errai.errors import NoMemoryError
from errai.running.system import give_back_memory, processors

HOLDEM_BYTES, SMALL_BYTES = 512 << 20, 64 << 20
"""Memory that must be free before an agent solves, in hold'em and in games that are small enough to be solved whole.
In hold'em a decision was seen to take up to 230 MB, whatever its time."""

HOLDEM_PLAYING_BYTES = 3 << 29
"""Memory of an agent that solves hand after hand in hold'em: a process that measured ``deepstack`` by local best
response held 1.3 GB after three minutes, and no more after that."""

MakeRoom = Callable[[int], None]
"""Frees memory until so many bytes are free, as far as that is possible."""


class Queue:
    """Runs functions in a few threads, in the order in which they came; each has a key that says whose it is."""

    def __init__(self, name: str, threads: int | None = None) -> None:
        self._name = name
        self._most = processors() if threads is None else threads
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


class Admission:
    """Lets agents solve at the same time as long as there is memory for all of them."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._promised = 0

    @contextmanager
    def admitted(self, needed: int, make_room: MakeRoom) -> Iterator[None]:
        """Wait until so much memory is free, which is 0 for agents that do not solve; raises as :meth:`has_memory`."""
        if not needed:
            yield
            return
        with self._changed:
            while not self.has_memory(needed, make_room):
                self._changed.wait()
            self._promised += needed
        try:
            yield
        finally:
            with self._changed:
                self._promised -= needed
                self._changed.notify_all()

    def has_memory(self, needed: int, make_room: MakeRoom) -> bool:
        """Return whether an agent may solve now; raises :class:`NoMemoryError` if waiting for others would not help."""
        with self._changed:
            if not are_free(needed + self._promised):
                make_room(needed + self._promised)
            if are_free(needed + self._promised):
                return True
            if self._promised:
                return False
        raise NoMemoryError(
            f"This agent solves while it plays, for which {bytes_text(needed)} of memory must be free, and "
            f"{bytes_text(allowed_memory(None) or 0)} can be used. End other programs or jobs, and try again."
        )


def solving_bytes(agent: Agent | None) -> int:
    """Return how much memory must be free before an agent solves; 0 if it does not solve while it plays."""
    if isinstance(agent, ResolverAgent):
        return HOLDEM_BYTES
    return SMALL_BYTES if isinstance(agent, ContinualAgent) else 0


def playing_bytes(agent: Agent) -> int:
    """Return how much memory a job needs for an agent that plays many hands in it; 0 if it solves nothing."""
    return HOLDEM_PLAYING_BYTES if solving_bytes(agent) == HOLDEM_BYTES else solving_bytes(agent)


def are_free(count: int) -> bool:
    """Return whether so many bytes may be used."""
    allowed = allowed_memory(None)
    return allowed is None or allowed >= count


def collect() -> None:
    """Return the memory of agents that were dropped to the system now; those that solve refer to themselves."""
    gc.collect()
    give_back_memory()
