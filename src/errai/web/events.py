"""The stream of events: what has changed among jobs and tables, for as many pages as are open.

While somebody listens, sources are asked a few times a second how everything of a kind stands, and what differs from
the time before is sent.  A connection begins with everything, so a page that lost its connection misses nothing.
"""

from __future__ import annotations

import asyncio
import json
import threading
import traceback
from collections.abc import AsyncIterator, Callable, Mapping

from starlette.concurrency import run_in_threadpool
from starlette.responses import StreamingResponse
from starlette.types import Receive, Scope, Send

from errai.errors import BusyError
from errai.web.models import Kept

Source = Callable[[], Mapping[str, Kept]]
"""Returns everything of a kind by its name; the JSON of what is the same object as before is not made again."""

PERIOD_SECONDS = 0.25
SILENT_SECONDS = 15.0
"""After so long without an event a comment is sent, so that lost connections are noticed."""

MAX_STREAMS = 64


class Events:
    """The sources, each with the name of its events, and how many streams are open."""

    def __init__(self, closing: threading.Event, sources: Mapping[str, Source]) -> None:
        self._closing = closing
        self._sources = sources
        self.open = 0
        self._now: dict[str, dict[str, str]] = {}
        self._asked = -1.0
        self._asking = asyncio.Lock()

    async def stream(self) -> AsyncIterator[bytes]:
        """Yield the events from now on, as ``text/event-stream`` has them."""
        sent: dict[str, dict[str, str]] = {}
        silent = 0.0
        yield b"retry: 1000\n\n"
        while not self._closing.is_set():
            now = await self._ask()
            changed = b"" if now is sent else _difference(sent, now)
            sent = now
            silent = 0.0 if changed else silent + PERIOD_SECONDS
            if changed:
                yield changed
            elif silent >= SILENT_SECONDS:
                silent = 0.0
                yield b": still here\n\n"
            await asyncio.sleep(PERIOD_SECONDS)

    async def _ask(self) -> dict[str, dict[str, str]]:
        """Ask the sources, once a period for all streams together; what has not changed is the same object again."""
        async with self._asking:
            clock = asyncio.get_running_loop().time()
            if clock - self._asked >= 0.9 * PERIOD_SECONDS:
                found = await run_in_threadpool(self._read)
                self._now = self._now if found == self._now else found
                self._asked = asyncio.get_running_loop().time()
            return self._now

    def _read(self) -> dict[str, dict[str, str]]:
        found = {}
        for kind, source in self._sources.items():
            try:
                found[kind] = {name: view.as_json for name, view in source().items()}
            # One kind that cannot be read must not end the streams: it stays as it was.
            except Exception:
                traceback.print_exc()
                found[kind] = self._now.get(kind, {})
        return found


def _difference(sent: dict[str, dict[str, str]], now: dict[str, dict[str, str]]) -> bytes:
    """Return the events that lead from what was sent to how everything stands now."""
    return b"".join(
        f"event: {kind}\ndata: {text}\n\n".encode()
        for kind, found in now.items()
        for name, text in found.items()
        if sent.get(kind, {}).get(name) != text
    ) + b"".join(
        f"event: {kind}\ndata: {json.dumps({'id': name, 'gone': True})}\n\n".encode()
        for kind, known in sent.items()
        for name in known.keys() - now.get(kind, {}).keys()
    )


class EventStream(StreamingResponse):
    """An answer with events, which counts among the open streams while it is being sent."""

    def __init__(self, events: Events, stream: AsyncIterator[bytes]) -> None:
        super().__init__(stream, media_type="text/event-stream", headers={"cache-control": "no-store"})
        self._events = events

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send the events until the client goes.  Raises :class:`BusyError` if too many streams are open."""
        if self._events.open >= MAX_STREAMS:
            raise BusyError(f"{MAX_STREAMS} streams of events are open; close a page, and try again.")
        self._events.open += 1
        try:
            await super().__call__(scope, receive, send)
        finally:
            self._events.open -= 1
