"""Lines over TCP, for asyncio: bounded in length and number, with the time at which each arrived."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from typing import NamedTuple, cast

from errai.errors import AgentError

MAX_LINE_BYTES = 8192
"""A longer line is cut; the competition's programs hold 4,095 bytes, and no line of the protocol is longer."""

_MANY_LINES = 256
"""Lines that may wait to be read before the other side has to wait."""


class Line(NamedTuple):
    """A line and when it arrived."""

    text: str
    """Without the line break; bytes that are not ASCII are replaced."""
    at: float
    """The loop's time at which it was complete."""


class LineConnection(asyncio.Protocol):
    """One side of a connection."""

    def __init__(self, on_open: Callable[[LineConnection], None] | None = None) -> None:
        self._on_open = on_open
        self._loop = asyncio.get_running_loop()
        self._transport: asyncio.Transport | None = None
        self._begun = bytearray()
        self._cut = False
        self._lines: deque[Line] = deque()
        self._lost = False
        self._waiter: asyncio.Future[None] | None = None
        self._full: asyncio.Future[None] | None = None
        self._reading = True
        self._gone: asyncio.Future[None] = self._loop.create_future()
        self._closed: asyncio.Future[None] = self._loop.create_future()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """See :class:`asyncio.Protocol`."""
        self._transport = cast(asyncio.Transport, transport)
        if self._on_open is not None:
            self._on_open(self)

    def data_received(self, data: bytes) -> None:
        """See :class:`asyncio.Protocol`: cut the data into lines."""
        now = self._loop.time()
        *ended, rest = data.split(b"\n")
        for part in ended:
            self._add(part)
            self._lines.append(Line(self._begun.decode("ascii", "replace").rstrip("\r"), now))
            self._begun.clear()
            self._cut = False
        self._add(rest)
        if ended:
            self._wake(self._waiter)
            if len(self._lines) > _MANY_LINES and self._reading and self._transport is not None:
                self._reading = False
                self._transport.pause_reading()

    def eof_received(self) -> bool:
        """See :class:`asyncio.Protocol`; a side that sends nothing more counts as gone."""
        self._lost = True
        self._wake(self._waiter)
        self._wake(self._gone)
        return False

    def connection_lost(self, error: Exception | None) -> None:
        """See :class:`asyncio.Protocol`."""
        self._lost = True
        self._wake(self._waiter)
        self._wake(self._full)
        self._wake(self._gone)
        self._wake(self._closed)

    def pause_writing(self) -> None:
        """See :class:`asyncio.Protocol`."""
        self._full = self._loop.create_future()

    def resume_writing(self) -> None:
        """See :class:`asyncio.Protocol`."""
        self._wake(self._full)
        self._full = None

    async def read_line(self, deadline: float | None) -> Line:
        """Wait for the next line.

        Parameters
        ----------
        deadline:
            How long to wait, in the loop's time; None waits for ever.

        Raises
        ------
        AgentError
            The connection has ended, or no whole line came in time.
        """
        while not self._lines:
            if self._lost:
                raise AgentError("the connection was lost")
            self._waiter = self._loop.create_future()
            await self._wait(self._waiter, deadline, "no answer in time")
        line = self._lines.popleft()
        if not self._reading and not self._lines and self._transport is not None:
            self._reading = True
            if not self._transport.is_closing():
                self._transport.resume_reading()
        return line

    def write_line(self, text: str) -> None:
        """Send a line; if the other side has gone, the next reading notices it."""
        if self._transport is not None and not self._lost:
            self._transport.write(text.encode("ascii", "replace") + b"\r\n")

    async def drain(self, deadline: float | None) -> None:
        """Wait until the other side has read most of what was sent.  Raises :class:`AgentError` as ``read_line``."""
        while self._full is not None and not self._full.done() and not self._lost:
            await self._wait(self._full, deadline, "it does not read what it is sent")

    async def wait_gone(self) -> None:
        """Wait until the other side has ended the connection."""
        await asyncio.shield(self._gone)

    def close(self) -> None:
        """End the connection once everything has been sent."""
        if self._transport is not None:
            self._transport.close()

    async def wait_closed(self, deadline: float) -> None:
        """Wait until everything has been sent and the connection has ended; cut it at the deadline."""
        try:
            await self._wait(self._closed, deadline, "")
        except AgentError:
            self.abort()

    def abort(self) -> None:
        """End the connection at once."""
        if self._transport is not None:
            self._transport.abort()

    def _add(self, part: bytes) -> None:
        if not self._cut:
            room = MAX_LINE_BYTES - len(self._begun)
            self._begun += part[:room]
            self._cut = len(part) > room

    async def _wait(self, waiter: asyncio.Future[None], deadline: float | None, late: str) -> None:
        timer = None if deadline is None else self._loop.call_at(deadline, self._expire, waiter, late)
        try:
            await waiter
        finally:
            if timer is not None:
                timer.cancel()

    @staticmethod
    def _expire(waiter: asyncio.Future[None], late: str) -> None:
        if not waiter.done():
            waiter.set_exception(AgentError(late))

    @staticmethod
    def _wake(waiter: asyncio.Future[None] | None) -> None:
        if waiter is not None and not waiter.done():
            waiter.set_result(None)
