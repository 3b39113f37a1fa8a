"""Jobs: long work in processes of its own, what a solve will need, and streams of events."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Header, Query
from fastapi.responses import Response, StreamingResponse
from pydantic import BaseModel, Field

from errai.engine.resources import RunPlan, allowed_memory, available_memory
from errai.errors import BusyError, TreeTooLargeError
from errai.options import DEFAULT, OPTIONS, Kind, Option
from errai.solving.estimate import estimate_of, target_share
from errai.tree.betting_tree import NodeKind
from errai.web.events import PERIOD_SECONDS, EventStream
from errai.web.first_decision import first_decision
from errai.web.job_files import ENDED
from errai.web.jobs import JobView
from errai.web.kinds.match import LbrRequest, MatchRequest
from errai.web.kinds.report import ReportRequest
from errai.web.kinds.solve import SolveRequest, SolveSettings, advice, request_of
from errai.web.models import Body, GivenSubject, listed, sent
from errai.web.routes import Name, TheServices
from errai.web.solution_models import FirstDecisionView

router = APIRouter()

STREAM: dict[int | str, dict[str, Any]] = {200: {"content": {"text/event-stream": {}}}}

JobRequest = Annotated[SolveRequest | MatchRequest | LbrRequest | ReportRequest, Field(discriminator="kind")]

_estimating = threading.BoundedSemaphore(2)
LEAST_SHARE = 2e-4
"""To smaller targets, in shares of the pot, the time is not estimated: it would take as long as a small solve."""

MOST_NODES = 150
"""How many nodes of the tree an estimate shows."""

ESTIMATE_SECONDS = 20.0
"""An estimate waits so long for others; a large tree takes seconds to count."""


@contextmanager
def estimating() -> Iterator[None]:
    """Wait until other estimates have been made.  Raises :class:`BusyError` after some seconds."""
    if not _estimating.acquire(timeout=ESTIMATE_SECONDS):
        raise BusyError("Other estimates are being made; try again in a moment.")
    try:
        yield
    finally:
        _estimating.release()


class JobsView(BaseModel):
    """All jobs, the newest first."""

    jobs: list[JobView]


class PointsView(BaseModel):
    """Points of progress, and the value of ``after`` that returns the next ones."""

    points: list[dict[str, Any]]
    next: int


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


class TreeNodeView(BaseModel):
    """A node of the betting tree before the first card that is dealt."""

    parent: int | None
    """Its place in the list; null for the node at which the betting begins."""
    action: str
    """The action that leads to it, with chips; empty for the first node."""
    pot_percent: float | None
    """The bet or raise in per cent of the pot, as in a menu of sizes; null for other actions, and in limit games."""
    all_in: bool
    player_name: str
    """Who acts; empty where nobody does."""
    kind: Literal["decision", "fold", "showdown", "chance", "leaf"]
    pot_chips: float


class EstimateView(BaseModel):
    """What a solve needs; null where the tree is too large to count, or the system does not say what is free."""

    nodes: int | None = None
    information_sets: int | None = None
    entries: int | None = None
    boards: list[int] = []
    precision: str | None = None
    memory_bytes: int | None = None
    disk_bytes: int | None = None
    free_bytes: int | None
    seconds_per_iteration: float | None = None
    """Null for a solve over a network, too: the network takes most of the time, and its speed is not measured."""
    seconds_to_target: float | None = None
    """About how long a solve to the target takes; null where that is not known."""
    note: str | None = None
    tree: list[TreeNodeView] = []
    """What can be done before a card is dealt, parents before children; the first of them where there are many."""
    fits: bool
    """Whether the solve may use so much memory now: nine tenths of what is free; if not, `advice` may help."""
    advice: str | None = None


def first_nodes(plan: RunPlan) -> list[TreeNodeView]:
    """Return the first nodes of the tree of a solve."""
    subject, tree = plan.tree.subject, plan.tree.betting
    found = []
    for node in tree.street_nodes(0)[:MOST_NODES]:
        kind, share = NodeKind(int(tree.kind[node])), None if subject.rules.limit else tree.share(node)
        found.append(
            TreeNodeView(
                parent=int(tree.parent[node]) if node else None,
                action=tree.action[node],
                pot_percent=None if share is None else share.percent,
                all_in=tree.is_all_in(node),
                player_name=subject.seats[int(tree.actor[node])] if kind == NodeKind.DECISION else "",
                kind=kind.name.lower(),  # type: ignore[arg-type]
                pot_chips=tree.pot(node),
            )
        )
    return found


@router.get("/options", tags=["jobs"])
async def options() -> OptionsView:
    """Return what may be said of a solve, each option with its help, its default and its choices."""
    found = []
    for name, field in SolveSettings.model_fields.items():
        help = str(field.description)
        option = OPTIONS.get(name, Option(help, "text"))
        default = DEFAULT if name == "algorithm" else option.default
        found.append(OptionView(name=name, kind=option.kind, help=help, choices=list(option.choices), default=default))
    return OptionsView(options=found)


@router.post("/estimate", tags=["jobs"])
def estimate_solve(body: EstimateRequest) -> EstimateView:
    """Say what a solve will need, without running it.  A tree that does not fit is no error."""
    with estimating():
        subject = body.subject.read()
        free, allowed = available_memory(), allowed_memory(None)
        try:
            plan = body.settings.plan(subject)
        except TreeTooLargeError as error:
            return EstimateView(free_bytes=free, fits=False, advice=str(error))
        needed, note = body.settings.needs(subject, plan)
        share = target_share(plan, body.settings.target)
        size = estimate_of(plan, share if share >= LEAST_SHARE else None)
        found = vars(size) | {"memory_bytes": needed, "free_bytes": free, "note": note or None}
        found |= {"seconds_to_target": size.seconds, "tree": first_nodes(plan)}
        if body.settings.net is not None:
            found["seconds_per_iteration"] = found["seconds_to_target"] = None
        if allowed is None or needed <= allowed:
            return EstimateView(**found, fits=True)
        return EstimateView(**found, fits=False, advice=advice(subject, body.settings, plan, allowed))


# Endpoints that only look are `async`: to hand them to a thread would take several times as long as they do.
@router.get("/jobs", response_model=JobsView, tags=["jobs"])
async def list_jobs(services: TheServices) -> Response:
    """List all jobs, the newest first."""
    return listed("jobs", services.jobs.views().values())


@router.post("/jobs", status_code=201, tags=["jobs"])
def add_job(services: TheServices, body: JobRequest) -> JobView:
    """Add a job to the queue.  What is wrong with it is said before anything starts."""
    return services.jobs.add(body.prepare(services.workspace))


@router.get("/jobs/{name}", tags=["jobs"])
async def job(services: TheServices, name: Name) -> JobView:
    """Return a job as it stands now."""
    return services.jobs.view(name)


@router.get("/jobs/{name}/solve", tags=["jobs"])
def solve_request(services: TheServices, name: Name) -> SolveRequest:
    """Return what a solve was asked for, to be changed and asked for again."""
    return request_of(services.jobs.folder(name))


@router.get("/jobs/{name}/first", tags=["jobs"])
def first(services: TheServices, name: Name) -> FirstDecisionView | None:
    """Return what a solve does at its first decision so far; null until there is something."""
    return first_decision(services.jobs.folder(name))


@router.delete("/jobs/{name}", status_code=204, tags=["jobs"])
def delete_job(services: TheServices, name: Name) -> None:
    """Remove a job that is not running; solutions that it made stay."""
    services.jobs.delete(name)


@router.post("/jobs/{name}/stop", tags=["jobs"])
def stop_job(services: TheServices, name: Name) -> JobView:
    """Stop a job; what it has found until then is a valid result, and it can be resumed."""
    return services.jobs.stop(name)


@router.post("/jobs/{name}/resume", tags=["jobs"])
def resume_job(services: TheServices, name: Name) -> JobView:
    """Put a job that was stopped or has failed into the queue again; it goes on from where it was."""
    return services.jobs.resume(name)


@router.get("/jobs/{name}/progress", response_model=PointsView, tags=["jobs"])
async def progress(services: TheServices, name: Name, after: Annotated[int, Query(ge=0, le=1 << 53)] = 0) -> Response:
    """Return the points of progress from number `after` on, 2,000 at most."""
    points, following = services.jobs.points(name, after)
    return sent(f'{{"points":[{",".join(point for _, point in points)}],"next":{following}}}')


@router.get("/events", response_class=StreamingResponse, responses=STREAM, tags=["events"])
async def all_events(services: TheServices) -> EventStream:
    """Send what changes among jobs, tables and matches, beginning with how everything stands now.

    Each event is named `job`, `table` or `match`, and its data are the view of one of them, or `{"id", "gone": true}`.
    """
    return EventStream(services.events, services.events.stream())


@router.get("/jobs/{name}/events", response_class=StreamingResponse, responses=STREAM, tags=["jobs"])
async def events(
    services: TheServices, name: Name, last_event_id: Annotated[str, Header(max_length=20, pattern=r"^\d*$")] = ""
) -> EventStream:
    """Send the points of progress of a job as they come; the stream ends with the job, by an event `end`.

    The `id` of an event is its number, so a connection that is opened again (`Last-Event-ID`) goes on after the last
    point that arrived.
    """
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
                if view.state in ENDED:
                    yield f"event: end\ndata: {view.as_json}\n\n".encode()
                    return
                await asyncio.sleep(PERIOD_SECONDS)

    return EventStream(services.events, stream())
