"""Reviews: hands that are sent are reviewed by a job, and its decisions are listed; the charts for them."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request
from pydantic import BaseModel, ConfigDict, Field
from starlette.concurrency import run_in_threadpool

from errai.arena.charted import checked_charts
from errai.errors import ErraiError, InputError, UnknownNameError
from errai.games.charts import MAX_FILE_BYTES, parse_charts
from errai.games.library import RANGES, library_files
from errai.store.atomic import write_file
from errai.web.files import NAME_PATTERN
from errai.web.jobs import JobView
from errai.web.kinds.review import CHARTS, ReviewSettings, charts_text
from errai.web.models import Body
from errai.web.review_models import DecisionsView, ReviewView, Summed, read_review
from errai.web.routes import Name, Services, TheServices

router = APIRouter(tags=["reviews"])

BINARY: dict[str, Any] = {
    "requestBody": {
        "required": True,
        "content": {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}},
    }
}


@router.post("/reviews", status_code=201, openapi_extra=BINARY)
async def review(request: Request, services: TheServices, settings: Annotated[ReviewSettings, Query()]) -> JobView:
    """Take in a file of hands, and add the job that reviews them.  What is wrong with it is said before it begins."""
    with services.library.arriving() as file:
        async for chunk in request.stream():
            await run_in_threadpool(file.write, chunk)
        await run_in_threadpool(file.flush)
        new = await run_in_threadpool(settings.prepare, services.workspace, Path(file.name))
        return await run_in_threadpool(services.jobs.add, new)


@router.get("/reviews/{name}")
def show_review(services: TheServices, name: Name) -> ReviewView:
    """Return the sums of a review; 404 while there is nothing yet."""
    asked, found = read_review(services.jobs, name)
    settings = asked.settings
    return ReviewView(
        **{key: getattr(found, key) for key in Summed.model_fields},
        job=services.jobs.view(name),
        against=settings.against,
        charts=settings.charts,
    )


Given = Annotated[str | None, Query(max_length=4000)]


@router.get("/reviews/{name}/decisions")
def decisions(
    services: TheServices,
    name: Name,
    player: Given = None,
    street: Given = None,
    line: Given = None,
    hand_class: Annotated[str | None, Query(alias="class", max_length=40)] = None,
    counted: bool | None = None,
    skip: Annotated[int, Query(ge=0, le=10_000_000)] = 0,
    count: Annotated[int, Query(ge=1, le=500)] = 50,
) -> DecisionsView:
    """List decisions of a review, the greatest loss first: all, or those that have all that is named."""
    _, found = read_review(services.jobs, name)
    given = {"player": player, "street": street, "line": line, "hand_class": hand_class, "counted": counted}
    wanted = {key: value for key, value in given.items() if value is not None}
    chosen = [one for one in found.greatest if all(getattr(one, key) == value for key, value in wanted.items())]
    return DecisionsView(decisions=chosen[skip : skip + count], total=len(chosen))


# --- charts ---


class Situation(BaseModel):
    """A situation before the flop that charts have ranges for."""

    model_config = ConfigDict(from_attributes=True)
    positions: tuple[str, str]
    raises: int
    raiser: str
    """The position that made the last raise; empty without one."""


class ChartsView(BaseModel):
    """Charts: ranges with which two positions come to the flop."""

    name: str
    shipped: bool
    """Whether they come with the package, so that they cannot be deleted."""
    situations: list[Situation]
    bets: bool
    """Whether they say the bets of the spots; else these are chosen for each spot by time and memory."""
    error: str = ""
    """Why they cannot be used; empty if they can."""


class ChartsText(ChartsView):
    """Charts with the text of their file."""

    text: str


class AllCharts(BaseModel):
    """All charts, those of the package last."""

    charts: list[ChartsView]


class NewCharts(Body):
    """A file of charts (docs/histories.md), and the name that it gets."""

    name: str = Field(min_length=1, max_length=100, pattern=NAME_PATTERN)
    text: str = Field(min_length=1, max_length=MAX_FILE_BYTES)


def _charts(services: Services, name: str, text: str) -> dict[str, Any]:
    """Describe charts.  Raises :class:`ChartError` if they cannot be used."""
    found = checked_charts(parse_charts(text))
    own = services.workspace.path("charts", name, CHARTS).exists()
    situations = [Situation.model_validate(one) for one in found.charts]
    return {"name": name, "shipped": not own, "situations": situations, "bets": found.bets is not None}


@router.get("/charts")
def list_charts(services: TheServices) -> AllCharts:
    """List the charts of the folder and of the package."""
    own = services.workspace.names("charts", CHARTS)
    listed = []
    for name in dict.fromkeys((*own, *library_files("charts"))):
        if name == RANGES:
            continue  # The ranges of the user's library, of which no spot is built.
        try:
            listed.append(ChartsView(**_charts(services, name, charts_text(services.workspace, name))))
        except UnknownNameError:
            continue  # They have been deleted just now.
        except ErraiError as error:
            listed.append(ChartsView(name=name, shipped=name not in own, situations=[], bets=False, error=str(error)))
    return AllCharts(charts=listed)


@router.post("/charts", status_code=201)
def add_charts(services: TheServices, body: NewCharts) -> ChartsView:
    """Take in a file of charts, which is checked before."""
    path = services.workspace.path("charts", body.name, CHARTS)
    if path.exists() or body.name in library_files("charts"):
        raise InputError(f"There are charts called {body.name!r} already; choose another name, or delete them first.")
    found = ChartsView(**_charts(services, body.name, body.text) | {"shipped": False})
    write_file(path, body.text)
    return found


@router.get("/charts/{name}")
def show_charts(services: TheServices, name: Name) -> ChartsText:
    """Return charts with their text."""
    text = charts_text(services.workspace, name)
    return ChartsText(**_charts(services, name, text), text=text)


@router.delete("/charts/{name}", status_code=204)
def delete_charts(services: TheServices, name: Name) -> None:
    """Delete charts of the folder."""
    try:
        services.workspace.remove("charts", name, CHARTS)
    except UnknownNameError:
        if name in library_files("charts"):
            raise InputError(f"{name} comes with Errai; it cannot be deleted.") from None
        raise
