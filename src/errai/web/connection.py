"""Connections that are slow, too many, or not HTTP."""

from __future__ import annotations

import asyncio
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from errai.web.guard import HEADERS, refusal

MAX_CONNECTIONS = 256
HEAD_SECONDS = 10.0
"""The longest time that the first line and the headers of a request may take to arrive."""


class Connection(H11Protocol):
    """A connection of uvicorn with bounds: it ends if no request arrives in time, or if there are too many already."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._late: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """See :class:`asyncio.Protocol`."""
        super().connection_made(transport)
        if len(self.connections) > MAX_CONNECTIONS:
            self._refuse(503, "busy", f"{MAX_CONNECTIONS} connections are open; close some pages, and try again.")
        else:
            self._late = self.loop.call_later(HEAD_SECONDS, self._give_up)

    def data_received(self, data: bytes) -> None:
        """See :class:`asyncio.Protocol`."""
        if self.transport.is_closing():
            return
        super().data_received(data)
        if self.conn.their_state is not h11.IDLE:
            self._cancel()
        elif self._late is None:
            self._late = self.loop.call_later(HEAD_SECONDS, self._give_up)

    def connection_lost(self, exc: Exception | None) -> None:
        """See :class:`asyncio.Protocol`."""
        self._cancel()
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
        if self.conn.our_state in (h11.IDLE, h11.SEND_RESPONSE):
            body, headers = refusal(kind, message)
            for event in (
                h11.Response(status_code=status, headers=[*headers, *HEADERS]),
                h11.Data(data=body),
                h11.EndOfMessage(),
            ):
                self.transport.write(self.conn.send(event) or b"")
        self.transport.close()
