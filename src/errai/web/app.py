"""The application: routes, errors and the guard around them."""

from __future__ import annotations

import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from fastapi import FastAPI

from errai import __version__
from errai.web import problems, slumbot
from errai.web.agents import Agents
from errai.web.events import Events
from errai.web.guard import Guard
from errai.web.jobs import JobStore
from errai.web.library import Library
from errai.web.routes import jobs, matches, pages, solutions, spots, tables
from errai.web.tables import Tables
from errai.web.workspace import Workspace

API = "/api/v1"

DESCRIPTION = """\
Everything that `errai serve` shows, as data.  Requests need the token that the server prints when it starts, as
`Authorization: Bearer TOKEN`.  Chips are whole chips of the game; probabilities and equities are from 0 to 1.
"""


@dataclass
class Services:
    """What the routes share; they find it as ``request.app.state.services``."""

    workspace: Workspace
    closing: threading.Event = field(default_factory=threading.Event)
    """Set when the server ends: streams end, and nothing new begins."""
    events: Events = field(init=False)
    library: Library = field(init=False)
    jobs: JobStore = field(init=False)
    tables: Tables = field(init=False)

    def __post_init__(self) -> None:
        self.events = Events(self.closing)
        self.library = Library(self.workspace)
        self.jobs = JobStore(self.workspace)
        self.tables = Tables(self.workspace, Agents(self.library))
        self.events.add("job", self.jobs.views)
        self.events.add("table", self.tables.views)

    def begin(self) -> None:
        """Start what runs beside the requests: the queue of jobs."""
        self.library.clean()
        threading.Thread(target=self.jobs.run, args=(self.closing,), name="jobs", daemon=True).start()

    def close(self) -> None:
        """End what runs in this process; jobs go on in theirs."""
        self.closing.set()
        self.tables.close()


def make_app(workspace: Workspace) -> FastAPI:
    """Make the application without the guard, as tests of single routes use it."""
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
    for module in (jobs, matches, solutions, spots, tables):
        app.include_router(module.router, prefix=API)
    app.include_router(slumbot.router)
    app.include_router(pages.router)
    return app


def guarded(app: FastAPI, token: str, port: int, host: str = "127.0.0.1") -> Guard:
    """Put the guard around an application that listens on a port."""
    ends = (f":{port}", "") if port == 80 else (f":{port}",)
    hosts = tuple(dict.fromkeys(name + end for end in ends for name in (host, "127.0.0.1", "localhost")))
    return Guard(app, token, hosts, f"errai-{port}", uploads=(f"{API}/solutions",))
