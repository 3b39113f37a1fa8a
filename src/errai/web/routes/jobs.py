"""Jobs: solves, matches and measurements in processes of their own, what a solve will need, and streams of events."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator
from typing import Annotated, Any

from fastapi import APIRouter, Header, Query, Request
from fastapi import Path as InPath
from fastapi.responses import Response, StreamingResponse
from pydantic import BaseModel, Field

from errai.engine.resources import allowed_memory, available_memory
from errai.errors import BusyError, TreeTooLargeError
from errai.options import DEFAULT, OPTIONS, TARGET, Kind, Option
from errai.solving.estimate import estimate_of
from errai.web.events import Events, EventStream
from errai.web.jobs import JobStore, JobView
from errai.web.kinds.lbr import LbrRequest
from errai.web.kinds.match import MatchRequest
from errai.web.kinds.solve import SolveRequest, SolveSettings, advice, request_of
from errai.web.models import Body, listed, sent
from errai.web.subjects import GivenSubject

router = APIRouter()

STREAM: dict[int | str, dict[str, Any]] = {200: {"content": {"text/event-stream": {}}}}

JobRequest = Annotated[SolveRequest | MatchRequest | LbrRequest, Field(discriminator="kind")]
"""The requests of all kinds, told apart by ``kind``."""

Name = Annotated[str, InPath(min_length=1, max_length=100)]

PERIOD_SECONDS = 0.25

FIELDS = tuple(SolveSettings.model_fields.items())

_estimating = threading.BoundedSemaphore(2)
ESTIMATE_SECONDS = 20.0
"""An estimate waits so long for others; a large tree takes seconds to count."""


class JobsView(BaseModel):
    """All jobs, the newest first."""

    jobs: list[JobView]


class PointsView(BaseModel):
    """Points of progress."""

    points: list[dict[str, Any]]
    next: int
    """The value of ``after`` that returns the points that come after these."""


class OptionView(BaseModel):
    """An option of a solve, from which a form draws a field."""

    name: str
    kind: Kind
    """What its value is; a number of seconds or a count has no other unit."""
    help: str
    choices: list[str] = []
    """The values that may be chosen; any if there are none."""
    default: str | int | None = None


class OptionsView(BaseModel):
    """All options of a solve that a request may have, in the order of a form."""

    options: list[OptionView]


class EstimateRequest(Body):
    """A solve whose size is asked for."""

    subject: GivenSubject
    settings: SolveSettings = SolveSettings()


class EstimateView(BaseModel):
    """What a solve needs; null where the tree is too large to count."""

    nodes: int | None = None
    information_sets: int | None = None
    entries: int | None = None
    boards: list[int] = []
    precision: str | None = None
    memory_bytes: int | None = None
    disk_bytes: int | None = None
    free_bytes: int | None
    """Free memory of this machine; null if the system does not say."""
    seconds_per_iteration: float | None = None
    """Null for a solve over a network, too: the network takes most of the time, and its speed is not measured."""
    note: str | None = None
    """What else is to be known before the solve."""
    fits: bool
    """Whether the solve may use so much memory now: nine tenths of what is free."""
    advice: str | None = None
    """What makes the solve fit, if it does not."""


def _store(request: Request) -> JobStore:
    store: JobStore = request.app.state.services.jobs
    return store


@router.get("/options", tags=["jobs"])
async def options() -> OptionsView:
    """Return what may be said of a solve, each option with its help, its default and its choices."""
    return OptionsView(options=[option_view(name, str(field.description)) for name, field in FIELDS])


def option_view(name: str, help: str) -> OptionView:
    """Return an option as a form draws it."""
    option = TARGET if name == "target" else OPTIONS.get(name, Option(help, "text"))
    default = DEFAULT if name == "algorithm" else option.default
    return OptionView(name=name, kind=option.kind, help=help, choices=list(option.choices), default=default)


@router.post("/estimate", tags=["jobs"])
def estimate_solve(body: EstimateRequest) -> EstimateView:
    """Say what a solve will need, without running it.  A tree that does not fit is no error."""
    if not _estimating.acquire(timeout=ESTIMATE_SECONDS):
        raise BusyError("Other estimates are being made; try again in a moment.")
    try:
        subject = body.subject.read()
        free, allowed = available_memory(), allowed_memory(None)
        try:
            plan = body.settings.plan(subject)
        except TreeTooLargeError as error:
            return EstimateView(free_bytes=free, fits=False, advice=str(error))
        needed, note = body.settings.needs(subject, plan)
        fits = allowed is None or needed <= allowed
        found = estimate_of(plan)
        return EstimateView(
            nodes=found.nodes,
            information_sets=found.information_sets,
            entries=found.entries,
            boards=[int(count) for count in found.boards],
            precision=found.precision,
            memory_bytes=needed,
            disk_bytes=found.disk_bytes,
            free_bytes=free,
            seconds_per_iteration=found.seconds_per_iteration if body.settings.net is None else None,
            note=note or None,
            fits=fits,
            advice=None if allowed is None or fits else advice(subject, body.settings, plan, allowed),
        )
    finally:
        _estimating.release()


# Endpoints that only look are `async`: to hand them to a thread would take several times as long as they do.
@router.get("/jobs", response_model=JobsView, tags=["jobs"])
async def list_jobs(request: Request) -> Response:
    """List all jobs, the newest first."""
    return listed("jobs", _store(request).all())


@router.post("/jobs", status_code=201, tags=["jobs"])
def add_job(request: Request, body: JobRequest) -> JobView:
    """Add a job to the queue.  What is wrong with it is said before anything starts."""
    return _store(request).add(body.prepare(request.app.state.services.workspace))


@router.get("/jobs/{name}", tags=["jobs"])
async def job(request: Request, name: Name) -> JobView:
    """Return a job as it stands now."""
    return _store(request).view(name)


@router.get("/jobs/{name}/solve", tags=["jobs"])
def solve_request(request: Request, name: Name) -> SolveRequest:
    """Return what a solve was asked for, to be changed and asked for again."""
    return request_of(_store(request).folder(name))


@router.delete("/jobs/{name}", status_code=204, tags=["jobs"])
def delete_job(request: Request, name: Name) -> None:
    """Remove a job that is not running; solutions that it made stay."""
    _store(request).delete(name)


@router.post("/jobs/{name}/stop", tags=["jobs"])
def stop_job(request: Request, name: Name) -> JobView:
    """Stop a job; what it has found until then is a valid result, and it can be resumed."""
    return _store(request).stop(name)


@router.post("/jobs/{name}/resume", tags=["jobs"])
def resume_job(request: Request, name: Name) -> JobView:
    """Put a job that was stopped or has failed into the queue again; it goes on from where it was."""
    return _store(request).resume(name)


@router.get("/jobs/{name}/progress", response_model=PointsView, tags=["jobs"])
async def progress(request: Request, name: Name, after: Annotated[int, Query(ge=0, le=1 << 53)] = 0) -> Response:
    """Return the points of progress from number `after` on, 2,000 at most."""
    points, following = _store(request).points(name, after)
    return sent(f'{{"points":[{",".join(point for _, point in points)}],"next":{following}}}')


@router.get("/events", response_class=StreamingResponse, responses=STREAM, tags=["events"])
async def all_events(request: Request) -> EventStream:
    """Send what changes among jobs, tables and matches, beginning with how everything stands now.

    Each event is named `job`, `table` or `match`, and its data are the view of one of them, or `{"id", "gone": true}`.
    """
    events: Events = request.app.state.services.events
    return EventStream(events, events.stream())


@router.get("/jobs/{name}/events", response_class=StreamingResponse, responses=STREAM, tags=["jobs"])
async def events(
    request: Request, name: Name, last_event_id: Annotated[str, Header(max_length=20, pattern=r"^\d*$")] = ""
) -> EventStream:
    """Send the points of progress of a job as they come; the stream ends with the job, by an event `end`.

    The `id` of an event is its number, so a connection that is opened again (`Last-Event-ID`) goes on after the last
    point that arrived.
    """
    services = request.app.state.services
    store = services.jobs
    store.view(name)
    after = int(last_event_id) + 1 if last_event_id else 0

    async def stream() -> AsyncIterator[bytes]:
        nonlocal after
        yield b"retry: 1000\n\n"
        while not services.closing.is_set():
            view = store.view(name)
            points, following = store.points(name, after)
            for number, point in points:
                yield f"id: {number}\nevent: point\ndata: {point}\n\n".encode()
            came, after = following > after, following
            if not came:
                if view.state in ("done", "stopped", "failed"):
                    yield f"event: end\ndata: {view.as_json}\n\n".encode()
                    return
                await asyncio.sleep(PERIOD_SECONDS)

    return EventStream(services.events, stream())
