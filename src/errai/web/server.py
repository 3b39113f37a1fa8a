"""The server: one process with the API and the page, on the loopback device of this machine unless told otherwise."""

from __future__ import annotations

import errno
import os
import secrets
import socket
import sys
import threading
import webbrowser
from collections.abc import AsyncIterator
from contextlib import ExitStack, asynccontextmanager, suppress
from functools import lru_cache
from hashlib import sha256
from ipaddress import IPv4Address
from mimetypes import guess_type
from pathlib import Path
from stat import S_ISREG

import uvicorn
from fastapi import APIRouter, FastAPI, Request
from fastapi.responses import RedirectResponse, Response
from fastapi.staticfiles import StaticFiles
from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.staticfiles import NotModifiedResponse
from starlette.types import Scope

from errai import __version__
from errai.errors import WebError
from errai.games.library import VARIABLE
from errai.running.system import take_port
from errai.web import problems, slumbot
from errai.web.files import PRIVATE, Stamp, Workspace, stamp
from errai.web.guard import Connection, Guard, checked_token
from errai.web.routes import Services, drills, jobs, matches, reports, reviews, solutions, spots, tables

SENT_AT_ONCE = 1 << 19
"""Bytes of answers that the system takes from the server without waiting for the other side."""
BACKLOG = 512
"""Connections that may wait until the server takes them."""

LOOPBACK = IPv4Address("127.0.0.1")

STREAMS_END_SECONDS = 2
"""After Ctrl-C, streams of events that are still open are cut off after so many seconds."""


class Server(uvicorn.Server):
    """uvicorn, which says where it serves as soon as it can be reached."""

    def __init__(self, config: uvicorn.Config, services: Services, address: str, opened: str | None) -> None:
        super().__init__(config)
        self.services = services
        self.address = address
        self.opened = opened

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Begin to serve, and say where."""
        await super().startup(sockets)
        if self.started:
            sys.stdout.write(f"Serving on {self.address}\n")
            sys.stdout.flush()
            if self.opened is not None:
                # A browser in the terminal returns only when it is closed.
                threading.Thread(target=webbrowser.open, args=(self.opened,), daemon=True).start()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Stop serving; streams are told first, so that they end by themselves."""
        self.services.close()
        await super().shutdown(sockets)


# --- the page and its parts ---

pages = APIRouter(include_in_schema=False)


class FreshFiles(StaticFiles):
    """Files that the browser asks about each time, so that a new version is seen at once; they stay in memory."""

    async def get_response(self, path: str, scope: Scope) -> Response:
        if scope["method"] != "GET":
            raise HTTPException(405)
        try:
            full_path, status = self.lookup_path(path)
        except (OSError, ValueError):
            raise HTTPException(404) from None  # No file can have this name.
        if status is None or not S_ISREG(status.st_mode):
            raise HTTPException(404)
        found = _response(full_path, stamp(status))
        same = self.is_not_modified(found.headers, Headers(scope=scope))
        return NotModifiedResponse(found.headers) if same else found


@lru_cache(maxsize=200)
def _response(path: str, contents: Stamp) -> Response:
    """Return the answer with a file that has these contents."""
    data = Path(path).read_bytes()
    headers = {"cache-control": "no-cache", "etag": f'"{sha256(data).hexdigest()}"'}
    return Response(data, headers=headers, media_type=guess_type(path)[0])


FILES = FreshFiles(directory=Path(__file__).parent / "static")


async def page(request: Request) -> Response:
    """Return the page, which is the same for all rooms."""
    return await FILES.get_response("index.html", request.scope)


@pages.get("/")
async def home() -> RedirectResponse:
    """Go to the first room."""
    return RedirectResponse(f"/{problems.ROOMS[0]}", 303)


@pages.get("/favicon.ico")
async def icon(request: Request) -> Response:
    """Return the sign of the page."""
    return await FILES.get_response("errai.svg", request.scope)


for room in problems.ROOMS:
    pages.add_api_route(f"/{room}", page, methods=["GET"])
    pages.add_api_route(f"/{room}/{{name}}", page, methods=["GET"])
pages.mount("/static", FILES)


# --- the application ---

API = "/api/v1"

DESCRIPTION = """\
Everything that `errai serve` shows, as data.  Requests need the token that the server prints when it starts, as
`Authorization: Bearer TOKEN`.  Chips are those of the game or spot; probabilities and equities are from 0 to 1.
"""


def make_app(workspace: Workspace) -> FastAPI:
    """Make the application without the guard, as tests of single routes use it: routes, errors, and what they share."""
    services = Services(workspace)

    @asynccontextmanager
    async def life(app: FastAPI) -> AsyncIterator[None]:
        services.begin()
        yield
        services.close()

    app = FastAPI(
        title="Errai",
        version=__version__,
        description=DESCRIPTION,
        lifespan=life,
        docs_url=None,
        redoc_url=None,
        openapi_url=f"{API}/openapi.json",
        responses=problems.ANSWERS,  # type: ignore[arg-type]
    )
    app.state.services = services
    problems.add_handlers(app)
    for module in (drills, jobs, matches, reports, reviews, solutions, spots, tables):
        app.include_router(module.router, prefix=API)
    app.include_router(reports.estimates, prefix=API)
    app.include_router(slumbot.router)
    app.include_router(pages)
    return app


def serve(folder: Path, port: int, *, browser: bool, token: str | None = None, host: IPv4Address = LOOPBACK) -> None:
    """Serve a folder, which is made if it does not exist, on a port, or a free one for 0, until Ctrl-C.

    Requests must know the token, by default a new random text, and name the loopback device or the address of the host;
    so whoever listens on 0.0.0.0 answers those alone to whom the port is forwarded under its own number.  Raises
    :class:`WebError` and :class:`FileAccessError`.
    """
    token = secrets.token_urlsafe(24) if token is None else checked_token(token)
    # Files that the server and its workers make are for their owner alone.
    with ExitStack() as at_end:
        at_end.callback(os.umask, os.umask(PRIVATE))
        workspace = Workspace.at(folder)
        # What the page puts into the library is kept in the folder, unless the user has a library elsewhere.
        os.environ.setdefault(VARIABLE, str(workspace.folder))
        listener = listening(port, host)
        port = listener.getsockname()[1]
        app = make_app(workspace)
        ends = (f":{port}", "") if port == 80 else (f":{port}",)
        named = dict.fromkeys(("127.0.0.1", "localhost", *(() if host.is_unspecified else (str(host),))))
        hosts = tuple(name + end for end in ends for name in named)
        if not host.is_loopback:
            sys.stderr.write(
                f"errai: listening on {host}: other machines can reach port {port} unless a firewall or a container "
                "keeps them out. Nobody is let in without the token, but what is sent is not encrypted.\n"
            )
        guard = Guard(app, token, hosts, f"errai-{port}", uploads=(f"{API}/solutions", f"{API}/reviews"))
        config = uvicorn.Config(
            guard,
            http=Connection,
            backlog=BACKLOG,
            ws="none",
            # Warnings are about requests that are refused, and any page could fill the terminal with them.
            log_level="error",
            access_log=False,
            proxy_headers=False,
            server_header=False,
            timeout_graceful_shutdown=STREAMS_END_SECONDS,
            lifespan="on",
        )
        page = f"http://{LOOPBACK if host.is_unspecified else host}:{port}/?token="
        opened = None
        if browser:
            # Every user of the machine can read it in the list of processes; so it has a text that serves once.
            code = secrets.token_urlsafe(24)
            guard.codes.add(code)
            opened = page + code
        with suppress(KeyboardInterrupt):
            Server(config, app.state.services, page + token, opened).run([listener])


def listening(port: int, host: IPv4Address = LOOPBACK) -> socket.socket:
    """Listen at an address of this machine, on a port or 0 for a free one.  Raises :class:`WebError` if that fails."""
    # asyncio sends at once (TCP_NODELAY) only if the socket says that it is TCP; otherwise the body of an answer waits
    # for the acknowledgement of its headers, which comes after 40 ms.
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    take_port(listener)
    # A node of a river takes 160 kB; with the system's first buffer it leaves in pieces, as the other side reads.
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, SENT_AT_ONCE)
    try:
        listener.bind((str(host), port))
        listener.listen(BACKLOG)
    except (OSError, OverflowError) as error:
        listener.close()
        why = getattr(error, "strerror", None) or "ports are numbers up to 65535"
        if getattr(error, "errno", None) == errno.EADDRNOTAVAIL:
            raise WebError(f"{host} is not an address of this machine. Choose another with --host.") from error
        raise WebError(
            f"Port {port} cannot be used: {why}. Choose another with --port, or 0 for a free one."
        ) from error
    return listener
