"""What stands between the network and the application: who may ask, from where, and how much.

Other users of the same machine and other pages in the same browser can reach the loopback device too, so every request
needs the token that the server printed when it started, as a cookie or as a Bearer token.  A cookie goes to every port
of its host, so it does not hold the token but a text made from it for this server alone.  Requests for another host
(DNS rebinding), from a page of another origin, and with bodies that are too long are refused before anything is read.

Anybody on the machine can connect, and only the headers of a request tell whether somebody has the token.  A connection
is therefore a *stranger* until its first headers are whole; the guard ends the connection of every request without the
token.  Strangers have few seconds and a number of places of their own, and a new one takes the place of the oldest, so
that they never keep out somebody who has the token.
"""

from __future__ import annotations

import asyncio
import hmac
import re
from dataclasses import dataclass, field
from html import escape
from typing import Any, ClassVar
from urllib.parse import parse_qsl, quote, urlencode
from weakref import WeakKeyDictionary

import h11
from starlette.datastructures import Headers
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from uvicorn.protocols.http.h11_impl import H11Protocol

from errai.errors import WebError

MAX_HEAD_BYTES = 64 << 10
MAX_BODY_BYTES = 4 << 20
MAX_UPLOAD_BYTES = 256 << 20
"""The longest body of an upload, which is written to a file as it arrives."""

BODY_SECONDS = 30.0
"""The longest time between two parts of a body."""

MAX_CONNECTIONS = 256
"""Connections of requests with the token, at most."""
MAX_STRANGERS = 512
"""As many as the system hands over at once (``BACKLOG`` of the server), so that the newest ones are always read."""
HEAD_SECONDS = 5.0
"""The longest time that the first line and the headers of a request may take to arrive."""

HEADERS = (
    (
        b"content-security-policy",
        b"default-src 'self'; img-src 'self' data:; object-src 'none'; form-action 'self'; frame-ancestors 'none'; "
        b"base-uri 'none'",
    ),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
)

_TOKEN = re.compile(r"[A-Za-z0-9_-]{16,200}")


def checked_token(text: str) -> str:
    """Return a token that can stand in a URL and a cookie, and be guessed by nobody.  Raises :class:`WebError`."""
    if _TOKEN.fullmatch(text) is None:
        raise WebError(
            "The token of the server (ERRAI_TOKEN) needs 16 to 200 letters, digits, hyphens and underscores; leave it "
            "out to have a new one at every start."
        )
    return text


@dataclass
class Guard:
    """An ASGI application around another one."""

    app: ASGIApp
    token: str
    hosts: tuple[str, ...]
    """Values of the header ``Host`` that are answered, such as ``127.0.0.1:8000``."""
    cookie: str
    """The name of the cookie; cookies do not know ports, so it has the port in it."""
    uploads: tuple[str, ...] = ()
    """Paths to which a long body may be sent; ``open_paths`` need no token."""
    open_paths: tuple[str, ...] = ("/favicon.ico", "/static/app.css")
    codes: set[str] = field(default_factory=set)
    """Texts that open the page once, in place of the token."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or refuse it."""
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await self.app(scope, receive, send)
            return
        asked = _Asked(scope, receive, send)
        if sum(len(key) + len(text) for key, text in scope["headers"]) > MAX_HEAD_BYTES:
            return await asked.refuse(
                431, "length", f"The headers of a request may have {MAX_HEAD_BYTES:,} bytes at most."
            )
        if asked.headers.getlist("host") not in [[host] for host in self.hosts]:
            return await asked.refuse(421, "host", f"This server answers for {' and '.join(self.hosts)} only.")
        if not set(asked.headers.getlist("origin")) <= {f"http://{host}" for host in self.hosts}:
            return await asked.refuse(403, "origin", "Requests from pages of other sites are refused.")
        query = parse_qsl(scope["query_string"].decode("latin-1"), keep_blank_values=True)
        if scope["method"] in ("GET", "HEAD") and any(
            k == "token" and self._opens(_token_in(text)) for k, text in query
        ):
            return await self._let_in(asked, [(k, text) for k, text in query if k != "token"])
        inside = self._without_token(scope["path"])
        if inside is not None:
            asked.scope = {**scope, "path": inside, "raw_path": quote(inside).encode()}
        elif not self._knows_token(asked):
            if scope["path"] not in self.open_paths:
                return await asked.refuse(
                    401, "token", "Open the address that `errai serve` printed; it has the token of this server."
                )
            # Strangers keep no connection; :class:`Connection` relies on it.
            asked.closes = True
        limit = MAX_UPLOAD_BYTES if scope["path"] in self.uploads else MAX_BODY_BYTES
        await asked.answer(self.app, limit)

    @property
    def session(self) -> str:
        """What the cookie holds: it follows from the token and the port, so that pages go on after a new start."""
        return hmac.digest(self.token.encode(), f"session of {self.cookie}".encode(), "sha256").hex()

    def _is_token(self, given: str) -> bool:
        return hmac.compare_digest(given.encode(), self.token.encode())

    def _opens(self, given: str) -> bool:
        if given in self.codes:
            self.codes.remove(given)
            return True
        return self._is_token(given)

    def _without_token(self, path: str) -> str | None:
        """Return the path of a request that has the token in its address (``/slumbot/TOKEN/api/act``), or else None.

        Programs for slumbot.com send no headers of their own, so only their addresses may hold the token.
        """
        place, _, rest = path.removeprefix("/slumbot/").partition("/")
        if not path.startswith("/slumbot/") or not rest.startswith("api/") or not self._is_token(place):
            return None
        return f"/slumbot/{rest}"

    def _knows_token(self, asked: _Asked) -> bool:
        for text in asked.headers.getlist("authorization"):
            scheme, _, given = text.partition(" ")
            if scheme.lower() == "bearer" and self._is_token(given.strip()):
                return True
        crumbs = [crumb.strip() for text in asked.headers.getlist("cookie") for crumb in text.split(";")]
        mine, session = f"{self.cookie}=", self.session.encode()
        held = [crumb.removeprefix(mine).encode() for crumb in crumbs if crumb.startswith(mine)]
        return any(hmac.compare_digest(one, session) for one in held)

    async def _let_in(self, asked: _Asked, rest: list[tuple[str, str]]) -> None:
        """Set the cookie, and go to the same address without the token."""
        # A path with two slashes at its beginning would lead to another host.
        to = quote("/" + asked.scope["path"].lstrip("/")) + (f"?{urlencode(rest)}" if rest else "")
        kept = f"{self.cookie}={self.session}; HttpOnly; SameSite=Strict; Path=/"
        response = Response(status_code=303, headers={"location": to, "set-cookie": kept})
        await response(asked.scope, asked.receive, asked.send)


def _token_in(text: str) -> str:
    """Return the token in what somebody has copied: the token, or the address with it."""
    return text.strip().rpartition("token=")[2]


class _Asked:
    """One request, and what has been answered to it."""

    def __init__(self, scope: Scope, receive: Receive, send: Send) -> None:
        self.scope, self.headers = scope, Headers(scope=scope)
        self.receive, self._send = receive, send
        self._started = self._ended = False
        self.closes = False  # whether the connection ends with the answer

    async def send(self, message: Message) -> None:
        """Send a message with the headers that every answer has; nothing is sent after the end of an answer."""
        if self._ended:
            return
        if message["type"] == "http.response.start":
            self._started = True
            message["headers"] = [*message.get("headers", []), *HEADERS]
            if self.closes:
                message["headers"].append((b"connection", b"close"))
            await self._send(message)
            if self.scope["method"] == "HEAD":
                await self.send({"type": "http.response.body", "body": b""})
            return
        self._ended = not message.get("more_body", False)
        await self._send(message)

    async def refuse(self, status: int, kind: str, message: str) -> None:
        """Answer with an error, unless an answer has begun; what the application still sends is dropped."""
        if not self._started:
            response = refusal(status, kind, message, page="text/html" in ",".join(self.headers.getlist("accept")))
            await response(self.scope, self.receive, self.send)
        self._ended = True

    async def answer(self, app: ASGIApp, limit: int) -> None:
        """Let the application answer; to it, a body that is too long or too slow looks as if the client had gone."""
        too_long = 413, "length", f"A request may have {limit:,} bytes at most."
        lengths = self.headers.getlist("content-length")
        if any(not text.isascii() or not text.isdigit() or len(text) > 15 or int(text) > limit for text in lengths):
            return await self.refuse(*too_long)
        arrived, whole, refused = 0, False, False

        async def counted() -> Message:
            nonlocal arrived, whole, refused
            if refused:
                return {"type": "http.disconnect"}
            problem = too_long
            try:
                # Once the body is complete, to receive is to wait until the client goes.
                async with asyncio.timeout(None if whole else BODY_SECONDS):
                    message = await self.receive()
            except TimeoutError:
                problem = 408, "time", f"The body of the request stopped for {BODY_SECONDS:.0f} seconds."
            else:
                arrived += len(message.get("body", b""))
                whole = not message.get("more_body", False)
                if arrived <= limit:
                    return message
            refused = True
            await self.refuse(*problem)
            return {"type": "http.disconnect"}

        # Every address that can be got can be asked for its headers too.
        scope = {**self.scope, "method": "GET"} if self.scope["method"] == "HEAD" else self.scope
        try:
            await app(scope, counted, self.send)
        except Exception:
            if not refused:
                raise


ASKS = (
    '<form><p><label for="token">Its address, or the token alone</label></p><p class="row">'
    '<input id="token" name="token" autocomplete="off" spellcheck="false" required autofocus> '
    '<button class="main">Open</button></p></form>'
    '<p class="soft">A server that is started again has another token. '
    "It keeps one that is set with ERRAI_TOKEN, and then the pages of before go on.</p>"
)
"""Asks for the token, which leads to the page that was wanted."""


def problem_page(message: str, more: str = "") -> str:
    """Return a page that says what is wrong, for somebody who opens an address in a browser; ``more`` is HTML."""
    return (
        '<!DOCTYPE html><html lang="en"><meta charset="utf-8"><meta name="color-scheme" content="light dark">'
        '<meta name="viewport" content="width=device-width, initial-scale=1"><title>Errai</title>'
        '<link rel="icon" href="/favicon.ico"><link rel="stylesheet" href="/static/app.css">'
        f'<main class="alone"><h1>Errai</h1><p>{escape(message)}</p>{more}</main></html>\n'
    )


def refusal(status: int, kind: str, message: str, *, page: bool = False) -> Response:
    """Return the answer to a request that was not read: JSON like all errors, or a page."""
    # The rest of a body that was refused is not read, so the connection cannot be used again.
    closes = {"connection": "close"}
    if page:
        return HTMLResponse(problem_page(message, ASKS if kind == "token" else ""), status, closes)
    return JSONResponse({"error": {"type": kind, "message": message}}, status, closes)


class Connection(H11Protocol):
    """A connection of uvicorn with bounds: it ends if no request arrives in time, or if there are too many already."""

    strangers: ClassVar[WeakKeyDictionary[Any, dict[Connection, None]]] = WeakKeyDictionary()
    """The strangers of each server of this process, the oldest first."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._late: asyncio.TimerHandle | None = None
        self._strangers = self.strangers.setdefault(kwargs["server_state"], {})

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._strangers[self] = None
        self._late = self.loop.call_later(HEAD_SECONDS, self._give_up)
        while len(self._strangers) > MAX_STRANGERS:
            next(iter(self._strangers))._refuse(503, "busy", "Too many connections have sent no request; try again.")

    def data_received(self, data: bytes) -> None:
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
