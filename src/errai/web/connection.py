"""Connections that are slow, too many, or not HTTP.

Anybody on the machine can connect, and only the headers of a request tell whether somebody has the token.  A connection
is therefore a *stranger* until its first headers are whole; the guard ends the connection of every request without the
token.  Strangers have few seconds and a number of places of their own, and a new one takes the place of the oldest, so
that they never keep out somebody who has the token.
"""

from __future__ import annotations

import asyncio
from typing import Any, ClassVar
from weakref import WeakKeyDictionary

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from errai.web.guard import HEADERS, refusal

MAX_CONNECTIONS = 256
"""Connections of requests with the token, at most."""
MAX_STRANGERS = 512
"""As many as the system hands over at once (``BACKLOG`` of the server), so that the newest ones are always read."""
HEAD_SECONDS = 5.0
"""The longest time that the first line and the headers of a request may take to arrive."""


class Connection(H11Protocol):
    """A connection of uvicorn with bounds: it ends if no request arrives in time, or if there are too many already."""

    strangers: ClassVar[WeakKeyDictionary[Any, dict[Connection, None]]] = WeakKeyDictionary()
    """The strangers of each server of this process, the oldest first."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._late: asyncio.TimerHandle | None = None
        self._strangers = self.strangers.setdefault(kwargs["server_state"], {})

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """See :class:`asyncio.Protocol`."""
        super().connection_made(transport)
        self._strangers[self] = None
        self._late = self.loop.call_later(HEAD_SECONDS, self._give_up)
        while len(self._strangers) > MAX_STRANGERS:
            next(iter(self._strangers))._refuse(503, "busy", "Too many connections have sent no request; try again.")

    def data_received(self, data: bytes) -> None:
        """See :class:`asyncio.Protocol`."""
        if self.transport.is_closing():
            return
        if self in self._strangers and len(self.connections) - len(self._strangers) >= MAX_CONNECTIONS:
            return self._refuse(
                503, "busy", f"{MAX_CONNECTIONS} connections are open; close some pages, and try again."
            )
        super().data_received(data)
        if self.conn.their_state is not h11.IDLE:
            self._cancel()
            self._strangers.pop(self, None)
        elif self._late is None:
            self._late = self.loop.call_later(HEAD_SECONDS, self._give_up)

    def connection_lost(self, exc: Exception | None) -> None:
        """See :class:`asyncio.Protocol`."""
        self._cancel()
        self._strangers.pop(self, None)
        super().connection_lost(exc)

    def send_400_response(self, msg: str) -> None:
        """Answer what is not HTTP in the form of all errors."""
        self._refuse(400, "request", "This is not a request of HTTP/1.1, or its headers are longer than 64 KiB.")

    def _cancel(self) -> None:
        if self._late is not None:
            self._late.cancel()
            self._late = None

    def _give_up(self) -> None:
        self._late = None
        self._refuse(408, "time", f"No request arrived for {HEAD_SECONDS:.0f} seconds.")

    def _refuse(self, status: int, kind: str, message: str) -> None:
        """Answer without asking the application, and close the connection."""
        self._cancel()
        self._strangers.pop(self, None)
        if self.conn.our_state in (h11.IDLE, h11.SEND_RESPONSE):
            answer = refusal(status, kind, message)
            head = h11.Response(status_code=status, headers=[*answer.raw_headers, *HEADERS])
            for event in (head, h11.Data(data=bytes(answer.body)), h11.EndOfMessage()):
                self.transport.write(self.conn.send(event) or b"")
        self.transport.close()
