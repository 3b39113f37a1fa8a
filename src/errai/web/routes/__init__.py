"""The addresses of the API, a module for each room, and what all of them share."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from typing import Annotated

from fastapi import Depends, Request
from fastapi import Path as InPath

from errai.web.agents import Agents
from errai.web.drills import Drills
from errai.web.events import Events
from errai.web.files import Workspace
from errai.web.jobs import JobStore
from errai.web.library import Library
from errai.web.reports import Reports
from errai.web.tables import Tables

Name = Annotated[str, InPath(min_length=1, max_length=100)]


@dataclass
class Services:
    """What the routes share; they are given it as :data:`TheServices`."""

    workspace: Workspace
    closing: threading.Event = field(default_factory=threading.Event)
    """Set when the server ends: streams end, and nothing new begins."""

    def __post_init__(self) -> None:
        self.library = Library(self.workspace)
        self.jobs = JobStore(self.workspace)
        self.tables = Tables(self.workspace, Agents(self.library))
        self.reports = Reports(self.workspace, self.library)
        self.drills = Drills(self.workspace, self.library, self.jobs)
        self.events = Events(self.closing, {"job": self.jobs.views, "table": self.tables.views})

    def begin(self) -> None:
        """Start what runs beside the requests: the queue of jobs."""
        self.library.clean()
        self.reports.clean()
        threading.Thread(target=self.jobs.run, args=(self.closing,), name="jobs", daemon=True).start()

    def close(self) -> None:
        """End what runs in this process; jobs go on in theirs."""
        self.closing.set()
        self.tables.close()


async def _services(request: Request) -> Services:
    services: Services = request.app.state.services
    return services


TheServices = Annotated[Services, Depends(_services)]
