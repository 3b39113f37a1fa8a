"""The application: routes, errors and the guard around them."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from fastapi import FastAPI

from errai import __version__
from errai.web import problems, slumbot
from errai.web.guard import Guard
from errai.web.routes import Services, jobs, matches, pages, solutions, spots, tables
from errai.web.workspace import Workspace

API = "/api/v1"

DESCRIPTION = """\
Everything that `errai serve` shows, as data.  Requests need the token that the server prints when it starts, as
`Authorization: Bearer TOKEN`.  Chips are whole chips of the game; probabilities and equities are from 0 to 1.
"""


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
