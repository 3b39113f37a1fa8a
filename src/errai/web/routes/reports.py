"""Reports over flops: what one will take, what there is, its tables, and one flop of it."""

from __future__ import annotations

from typing import Annotated, Any

import numpy as np
from fastapi import APIRouter, Query
from fastapi import Path as InPath
from pydantic import BaseModel

from errai.cards.deck import FULL_DECK
from errai.cards.flops import TEXTURES, Flop
from errai.cards.hands import class_text, grid_class
from errai.engine.resources import allowed_memory, available_memory
from errai.errors import ErraiError, InputError, UnknownNameError
from errai.pictures.palette import action_colours
from errai.reports.flops import node_document
from errai.solutions.export import numbers_for_json
from errai.solving.flop_results import CLASSES, FlopReport
from errai.web.kinds.report import ReportSettings
from errai.web.kinds.solve import SolveRequest
from errai.web.models import Body, GivenSubject
from errai.web.routes import Name, Services, TheServices
from errai.web.routes.jobs import estimating

router = APIRouter(prefix="/reports", tags=["reports"])
estimates = APIRouter()

Row = list[float | None]

Line = Annotated[
    str | None, Query(max_length=4000, description="A line of the report; by default the first that it has.")
]
Only = Annotated[
    str,
    Query(
        max_length=200,
        description="Only flops that have all of these: kinds of textures, the rank of the highest card, and cards, "
        "such as `two-tone paired A`.",
    ),
]
FlopName = Annotated[str, InPath(min_length=6, max_length=8, description="Its cards, such as `Ks7h2d`.")]


class ReportEstimateRequest(Body):
    """A report whose size is asked for."""

    subject: GivenSubject
    settings: ReportSettings = ReportSettings()


class ReportEstimate(BaseModel):
    """What a report will take."""

    flops: int
    processes: int
    entries: int
    """Entries of the strategy on one flop."""
    memory_bytes: int
    """Of all processes together."""
    free_bytes: int | None
    seconds: float | None
    """Null where it cannot be told how many iterations a flop takes."""
    fits: bool
    """Whether so much memory may be used now; with fewer `processes` it takes less."""


class ReportView(BaseModel):
    """A report in the list."""

    name: str
    """Also that of its job, if it was made by one."""
    title: str
    flops: int = 0
    """Flops that have been solved."""
    flops_wanted: int = 0
    lines: list[str] = []
    """The nodes that were read, as lines of the flop; `` is the first decision."""
    target: str = ""
    locked: bool = False
    """Whether it was made with locks."""
    net: str = ""
    """The network that stood in the place of the later streets; what is certified then is the game that is cut."""
    running: bool = False
    """Whether its job is making it now."""
    modified: float
    """Seconds since 1970."""
    error: str = ""
    """Why it cannot be used; empty if it can."""


class ReportDetail(ReportView):
    """A report, and the spot that was solved."""

    spot: dict[str, Any]
    """The keys of its file; the board is that of the first flop."""
    player_names: list[str]
    kinds: dict[str, list[str]]
    """By texture (suits, pairing, straights, high) the kinds that its flops have, for `only`."""


class ReportsView(BaseModel):
    """All reports, the newest first."""

    reports: list[ReportView]


class MeansView(BaseModel):
    """Frequencies of the actions, and for player 0 and 1 EV, equity and EQR; null is not known."""

    frequencies: Row
    ev_chips: Row
    equity: Row
    equity_realised: Row


class GroupView(MeansView):
    """The means over some of the flops, and the share of all deals that get to the node on them."""

    share: float


class FlopRow(GroupView):
    """A flop of a report."""

    flop: str
    weight: float
    """How many of the 22,100 flops it stands for."""
    suits: str
    pairing: str
    straights: str
    high: str
    exploitability_pot_percent: float


class TableView(BaseModel):
    """A node of a report: means over the flops that were chosen, by texture and kind, and each flop."""

    line: str
    player: int | None
    """The player who acts; null if cards are dealt."""
    player_name: str
    player_names: list[str]
    actions: list[str]
    colours: list[str]
    """The colours of the actions in pictures."""
    pot_chips: float
    net: str
    """The network below the flop, in whose game the flops' exploitability is; empty if there is none."""
    mean: MeansView
    groups: dict[str, dict[str, GroupView]]
    flops: list[FlopRow]


class ClassesView(BaseModel):
    """Means of the 169 classes of hands over the flops that were chosen; null for one that never gets there."""

    line: str
    actions: list[str]
    labels: list[str]
    """In the order of the grid, row by row from AA."""
    weights: list[Row]
    """By player and class, as the two that follow."""
    ev_chips: list[Row]
    equity: list[Row]
    frequencies: list[Row]
    """By action and class, of the player who acts."""


class FlopView(BaseModel):
    """One flop of a report, to be opened in Study."""

    flop: str
    solution: str | None
    """A solution of it that is here, for `GET solutions/NAME/node`; null if there is none."""
    request: SolveRequest
    """The job that solves it as the report did, for `POST jobs`."""


@estimates.post("/estimate/report", tags=["jobs"])
def estimate_report(body: ReportEstimateRequest) -> ReportEstimate:
    """Say what a report will take, without solving anything."""
    with estimating():
        _, plan = body.settings.plan(body.subject)
    allowed = allowed_memory(None)
    return ReportEstimate(
        flops=plan.left,
        processes=plan.processes,
        entries=plan.estimate.entries,
        memory_bytes=plan.memory_bytes,
        free_bytes=available_memory(),
        seconds=plan.seconds,
        fits=allowed is None or plan.memory_bytes <= allowed,
    )


def _about(services: Services, name: str) -> dict[str, Any]:
    """Describe a report without reading its flops."""
    opened = services.reports.opened(name)
    return {
        "name": name,
        **_of_job(services, name),
        "flops": len(opened.done),
        "flops_wanted": len(opened.flops),
        "lines": list(opened.lines),
        "target": opened.target,
        "locked": bool(opened.locks),
        "net": "" if opened.below is None else opened.below.name,
        "modified": opened.modified,
    }


def _of_job(services: Services, name: str) -> dict[str, Any]:
    """Return what the job of a report says of it; one that was made at the terminal has its name as its title."""
    try:
        job = services.jobs.view(name)
    except ErraiError:
        return {"title": name}
    return {"title": job.title, "running": job.state in ("running", "stopping")}


@router.get("")
def list_reports(services: TheServices) -> ReportsView:
    """List all reports, those that are being made too."""
    found = []
    for name in services.reports.names():
        try:
            found.append(ReportView(**_about(services, name)))
        except UnknownNameError:
            continue  # It has not begun, or has been removed just now.
        except ErraiError as error:
            found.append(ReportView(name=name, title=name, modified=0.0, error=str(error)))
    return ReportsView(reports=found)


@router.get("/{name}")
def show_report(services: TheServices, name: Name) -> ReportDetail:
    """Describe a report."""
    opened = services.reports.opened(name)
    kinds: dict[str, list[str]] = {
        by: list(dict.fromkeys(getattr(flop, by) for flop in opened.done)) for by in TEXTURES
    }
    spot = opened.spot
    return ReportDetail(**_about(services, name), spot=spot.to_dict(), player_names=list(spot.seats), kinds=kinds)


@router.delete("/{name}", status_code=204)
def delete_report(services: TheServices, name: Name) -> None:
    """Remove a report; 409 while it is being made."""
    services.reports.delete(name)


def _chosen(services: Services, name: str, line: str | None, only: str) -> tuple[FlopReport, str]:
    """Return the flops of a report that are asked for, and the line."""
    found = services.reports.read(name)
    if not found.flops:
        raise UnknownNameError(f"No flop of the report {name!r} has been solved yet.")
    return (found.only(only.split()) if only.split() else found), found.lines[0] if line is None else line


@router.get("/{name}/table")
def table(services: TheServices, name: Name, line: Line = None, only: Only = "") -> TableView:
    """Show a node of a report: its means, by texture too, and every flop; of a run that goes on, as far as it is."""
    found, at = _chosen(services, name, line, only)
    document = node_document(found, at)
    player = document["player"]
    rows = [
        {**row, "exploitability_pot_percent": one.pot_percent}
        for row, one in zip(document["flops"], found.flops, strict=True)
    ]
    names = list(found.spot.seats)
    acts = "" if player is None else names[player]
    colours = action_colours(document["actions"], *found.sizes(at))
    net = "" if found.below is None else found.below.name
    more = {"flops": rows, "colours": colours, "player_name": acts, "player_names": names, "net": net}
    return TableView(**{**document, **more})


@router.get("/{name}/classes")
def classes(services: TheServices, name: Name, line: Line = None, only: Only = "") -> ClassesView:
    """Show what the 169 classes of hands do at a node, in the mean over the flops that are chosen."""
    found, at = _chosen(services, name, line, only)
    means = {key: [numbers_for_json(row) for row in np.asarray(rows)] for key, rows in found.class_mean(at).items()}
    return ClassesView(
        line=at,
        actions=list(found.nodes(at)[0].actions),
        labels=[class_text(*grid_class(*divmod(cell, 13))) for cell in range(CLASSES)],
        weights=means["weights"],
        ev_chips=means["ev"],
        equity=means["equity"],
        frequencies=means["frequencies"],
    )


@router.get("/{name}/flops/{flop}")
def one_flop(services: TheServices, name: Name, flop: FlopName) -> FlopView:
    """Say how one flop of a report is opened in Study: by a solution that is here, or by a job that makes it."""
    opened = services.reports.opened(name)
    found = _flop(flop, opened.flops)
    if found is None:
        raise UnknownNameError(f"The report {name!r} has no flop {flop!r}.")
    title = f"{_of_job(services, name)['title'][:180]}, {found.text}"
    return FlopView(
        flop=found.text,
        solution=services.reports.solution_of(opened, found),
        request=services.reports.solve_request(opened, found, title),
    )


def _flop(text: str, flops: tuple[Flop, ...]) -> Flop | None:
    """Return the flop with some cards, in any order.  Raises :class:`InputError` if the text has no cards."""
    wanted = set(FULL_DECK.parse_cards(text))
    if len(wanted) != 3:
        raise InputError(f"A flop has three cards, such as Ks7h2d, not {text!r}.")
    return next((one for one in flops if set(one.cards) == wanted), None)
