"""What stands between the network and the application: who may ask, from where, and how much.

A server listens on the loopback device.  Other users of the same machine and other pages in the same browser can reach
it there too, so every request needs the token that the server printed when it started, as a cookie or as a Bearer
token.  Requests for another host (DNS rebinding), from a page of another origin, and with bodies that are too long are
refused before anything is read.
"""

from __future__ import annotations

import hmac
import json
from collections.abc import Awaitable, Callable, MutableMapping
from dataclasses import dataclass, field
from http.cookies import CookieError, SimpleCookie
from typing import Any
from urllib.parse import parse_qsl, quote, urlencode

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

MAX_BODY_BYTES = 4 << 20
MAX_UPLOAD_BYTES = 256 << 20
"""The longest body of an upload, which is written to a file as it arrives."""

HEADERS = (
    (b"content-security-policy", b"default-src 'self'; img-src 'self' data:; frame-ancestors 'none'; base-uri 'none'"),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
)


class TooLongError(Exception):
    """The body is longer than allowed."""


@dataclass
class Guard:
    """An ASGI application around another one."""

    app: App
    token: str
    hosts: tuple[str, ...]
    """Values of the header ``Host`` that are answered, such as ``127.0.0.1:8000``."""
    cookie: str
    """The name of the cookie with the token; cookies do not know ports, so it has the port in it."""
    uploads: tuple[str, ...] = ()
    """Paths to which a long body may be sent."""
    open_paths: tuple[str, ...] = field(default=("/favicon.ico",))
    """Paths that need no token."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or refuse it."""
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await self.app(scope, receive, send)
            return
        headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]}
        path = scope["path"]

        async def guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message.get("headers", []), *HEADERS]
            await send(message)

        if headers.get("host", "") not in self.hosts:
            return await refuse(guarded, 421, "host", f"This server answers for {' and '.join(self.hosts)} only.")
        origin = headers.get("origin")
        if origin is not None and origin not in {f"http://{host}" for host in self.hosts}:
            return await refuse(guarded, 403, "origin", "Requests from pages of other sites are refused.")
        given = self._token_in_url(scope)
        if given is not None and hmac.compare_digest(given.encode(), self.token.encode()):
            return await self._let_in(scope, guarded)
        if path not in self.open_paths and not self._knows_token(headers):
            return await refuse(
                guarded, 401, "token", "Open the address that `errai serve` printed; it has the token of this server."
            )
        limit = MAX_UPLOAD_BYTES if path in self.uploads else MAX_BODY_BYTES
        too_long = f"A request may have {limit:,} bytes at most."
        length = headers.get("content-length", "0")
        if not length.isdigit() or int(length) > limit:
            return await refuse(guarded, 413, "length", too_long)
        arrived, answered = 0, False

        async def counted() -> Message:
            nonlocal arrived
            message = await receive()
            arrived += len(message.get("body", b""))
            if arrived > limit:
                raise TooLongError
            return message

        async def noticed(message: Message) -> None:
            nonlocal answered
            answered = True
            await guarded(message)

        try:
            await self.app(scope, counted, noticed)
        except TooLongError:
            if not answered:
                await refuse(guarded, 413, "length", too_long)

    def _token_in_url(self, scope: Scope) -> str | None:
        return dict(parse_qsl(scope["query_string"].decode("latin-1"))).get("token")

    def _knows_token(self, headers: dict[str, str]) -> bool:
        scheme, _, given = headers.get("authorization", "").partition(" ")
        if scheme.lower() == "bearer" and hmac.compare_digest(given.strip().encode(), self.token.encode()):
            return True
        try:
            crumb = SimpleCookie(headers.get("cookie", "")).get(self.cookie)
        except CookieError:
            return False
        return crumb is not None and hmac.compare_digest(crumb.value.encode(), self.token.encode())

    async def _let_in(self, scope: Scope, send: Send) -> None:
        """Keep the token in a cookie, and go to the same address without it."""
        rest = [(k, v) for k, v in parse_qsl(scope["query_string"].decode("latin-1")) if k != "token"]
        # A path with two slashes at its beginning would lead to another host.
        to = quote("/" + scope["path"].lstrip("/")) + (f"?{urlencode(rest)}" if rest else "")
        kept = f"{self.cookie}={self.token}; HttpOnly; SameSite=Strict; Path=/"
        await send(
            {
                "type": "http.response.start",
                "status": 303,
                "headers": [(b"location", to.encode()), (b"set-cookie", kept.encode()), (b"content-length", b"0")],
            }
        )
        await send({"type": "http.response.body", "body": b""})


async def refuse(send: Send, status: int, kind: str, message: str) -> None:
    """Answer with an error, in the form of all errors of the API."""
    body = json.dumps({"error": {"type": kind, "message": message}}).encode()
    length = str(len(body)).encode()
    # The rest of a body that was refused is not read, so the connection cannot be used again.
    headers = [(b"content-type", b"application/json"), (b"content-length", length), (b"connection", b"close")]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
