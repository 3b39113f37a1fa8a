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

    def __init__(self, on_open: Callable[[LineConnection], None]) -> None:
        self._on_open = on_open
        self._loop = asyncio.get_running_loop()
        self._transport: asyncio.Transport
        self._begun = bytearray()
        self._cut = False
        self._lines: deque[Line] = deque()
        self._lost = False
        self._news = asyncio.Event()
        self._room = asyncio.Event()
        self._room.set()
        self._reading = True
        self.gone = asyncio.Event()
        """Set once the other side has ended the connection."""
        self._closed = asyncio.Event()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)
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
            self._news.set()
            if len(self._lines) > _MANY_LINES and self._reading:
                self._reading = False
                self._transport.pause_reading()

    def eof_received(self) -> bool:
        """See :class:`asyncio.Protocol`; a side that sends nothing more counts as gone."""
        self._lost = True
        self._news.set()
        self.gone.set()
        return False

    def connection_lost(self, error: Exception | None) -> None:
        self._lost = True
        for event in (self._news, self._room, self.gone, self._closed):
            event.set()

    def pause_writing(self) -> None:
        self._room.clear()

    def resume_writing(self) -> None:
        self._room.set()

    async def read_line(self, deadline: float | None) -> Line:
        """Wait for the next line.

        Parameters
        ----------
        deadline:
            How long to wait, in the loop's time; None waits for ever.

        Raises :class:`AgentError` if the connection has ended, or no whole line came in time.
        """
        while not self._lines:
            if self._lost:
                raise AgentError("the connection was lost")
            self._news.clear()
            await self._wait(self._news, deadline, "no answer in time")
        line = self._lines.popleft()
        if not self._reading and not self._lines:
            self._reading = True
            if not self._transport.is_closing():
                self._transport.resume_reading()
        return line

    def write_line(self, text: str) -> None:
        """Send a line; if the other side has gone, the next reading notices it."""
        if not self._lost:
            self._transport.write(text.encode("ascii", "replace") + b"\r\n")

    async def drain(self, deadline: float | None) -> None:
        """Wait until the other side has read most of what was sent.  Raises :class:`AgentError` as ``read_line``."""
        while not self._room.is_set() and not self._lost:
            await self._wait(self._room, deadline, "it does not read what it is sent")

    def close(self) -> None:
        """End the connection once everything has been sent."""
        self._transport.close()

    async def wait_closed(self, deadline: float) -> None:
        """Wait until everything has been sent and the connection has ended; cut it at the deadline."""
        try:
            await self._wait(self._closed, deadline, "")
        except AgentError:
            self.abort()

    def abort(self) -> None:
        """End the connection at once."""
        self._transport.abort()

    def _add(self, part: bytes) -> None:
        if not self._cut:
            room = MAX_LINE_BYTES - len(self._begun)
            self._begun += part[:room]
            self._cut = len(part) > room

    async def _wait(self, event: asyncio.Event, deadline: float | None, late: str) -> None:
        try:
            async with asyncio.timeout_at(deadline):
                await event.wait()
        except TimeoutError as error:
            raise AgentError(late) from error
