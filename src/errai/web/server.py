"""The server: one process on the loopback device of this machine."""

from __future__ import annotations

import secrets
import socket
import sys
import webbrowser
from contextlib import suppress
from pathlib import Path

import uvicorn

from errai.errors import WebError
from errai.web.app import Services, guarded, make_app
from errai.web.workspace import Workspace

STREAMS_END_SECONDS = 2
"""After Ctrl-C, streams of events that are still open are cut off after so many seconds."""

MAX_CONNECTIONS = 256


class Server(uvicorn.Server):
    """uvicorn, which says where it serves as soon as it can be reached."""

    def __init__(self, config: uvicorn.Config, services: Services, address: str, browser: bool) -> None:
        super().__init__(config)
        self.services = services
        self.address = address
        self.browser = browser

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """See uvicorn."""
        await super().startup(sockets)
        if self.started:
            sys.stdout.write(f"Serving on {self.address}\n")
            sys.stdout.flush()
            if self.browser:
                webbrowser.open(self.address)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """See uvicorn; streams are told first, so that they end by themselves."""
        self.services.close()
        await super().shutdown(sockets)


def serve(folder: Path, port: int, *, browser: bool, token: str | None = None) -> None:
    """Serve until Ctrl-C.

    Parameters
    ----------
    folder:
        The folder with solutions, jobs, tables and matches; it is made if it does not exist.
    port:
        0 for one that is free.
    browser:
        Whether to open the page in the browser.
    token:
        What requests must know; by default a new random text.

    Raises
    ------
    WebError
        The port cannot be used.
    FileAccessError
        The folder cannot be used.
    """
    workspace = Workspace.at(folder)
    listener = socket.socket()
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind(("127.0.0.1", port))
    except OSError as error:
        raise WebError(f"Port {port} cannot be used: {error.strerror}. Choose another with --port.") from error
    port = listener.getsockname()[1]
    token = secrets.token_urlsafe(24) if token is None else token
    app = make_app(workspace)
    config = uvicorn.Config(
        guarded(app, token, port),
        log_level="warning",
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=STREAMS_END_SECONDS,
        limit_concurrency=MAX_CONNECTIONS,
        lifespan="on",
    )
    address = f"http://127.0.0.1:{port}/?token={token}"
    with suppress(KeyboardInterrupt):
        Server(config, app.state.services, address, browser).run([listener])
