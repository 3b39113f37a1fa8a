"""A client of the application of `errai serve` without its guard, in this process."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx

from errai.web.files import Workspace
from errai.web.routes import Services
from errai.web.server import make_app


class Client:
    """A client of an application in this process; what a route raises is answered as the server answers it."""

    # The browser of other tests keeps an event loop in the main thread.
    thread, runner = ThreadPoolExecutor(1), asyncio.Runner()

    app = make_app(Workspace(Path("nowhere")))
    """It takes a while to make, so that only what it knows of the folder is made anew each time."""
    http = httpx.AsyncClient(
        transport=httpx.ASGITransport(app, raise_app_exceptions=False), base_url="http://x/api/v1/"
    )

    def __init__(self, folder: Path) -> None:
        self.services = self.app.state.services = Services(Workspace.at(folder))

    def ask(self, method: str, path: str, body: object = None) -> httpx.Response:
        given = {"content": body} if isinstance(body, bytes) else {"json": body} if body else {}
        asked = self.http.request(method, path, **given)  # type: ignore[arg-type]
        return self.thread.submit(self.runner.run, asked).result()

    def told(self, path: str) -> Any:
        """The JSON of an address, which must answer well."""
        answer = self.ask("GET", path)
        assert answer.status_code == 200, (path, answer.text)
        return answer.json()
