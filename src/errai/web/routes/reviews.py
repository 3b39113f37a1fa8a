"""Reviews: hands that are sent are reviewed by a job, and its decisions are listed; the charts for them."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query, Request
from pydantic import BaseModel, ConfigDict, Field
from starlette.concurrency import run_in_threadpool

from errai.arena.charted import MAX_FILE_BYTES, SHIPPED, parse_charts
from errai.errors import ErraiError, InputError, UnknownNameError
from errai.running.recent import Recent
from errai.store.atomic import write_file
from errai.web import files
from errai.web.files import NAME_PATTERN, Stamp, stamp, unknown
from errai.web.job_files import ENDED
from errai.web.jobs import JobView
from errai.web.kinds.review import CHARTS, REVIEW, AskedReview, ReviewSettings, charts_text
from errai.web.models import Body
from errai.web.routes import Name, Services, TheServices

router = APIRouter(tags=["reviews"])

BINARY: dict[str, Any] = {
    "requestBody": {
        "required": True,
        "content": {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}},
    }
}
MOST_BYTES = 64 << 20
"""The longest review that is read."""

_read: Recent[tuple[Path, Stamp], ReviewFile] = Recent(4)


class SumView(BaseModel):
    """Decisions together, and what they lost by the losses that are counted; by what they are gathered is named."""

    model_config = ConfigDict(extra="ignore")
    decisions: int
    loss_chips: float
    loss_mbb: float | None


class PlayerSum(SumView):
    """The decisions of a player."""

    player: str


class StreetSum(SumView):
    """The decisions on a street."""

    street: str


class LineSum(SumView):
    """The decisions after a line."""

    line: str


class ClassSum(SumView):
    """The decisions with the hands of a class, such as AKs."""

    hand_class: str = Field(alias="class")


class FaultView(BaseModel):
    """Something of the file that could not be read."""

    line: int | None
    reason: str


class DecisionView(BaseModel):
    """A decision, as `errai review --json` has it; amounts are in the unit of the review."""

    hand: int
    """The number of the hand, as its history has it."""
    player: str
    cards: str
    hand_class: str = Field(alias="class")
    board: str
    street: str
    line: str
    """The line to the decision: the node of `solution` at which it was made."""
    played: str
    """What was done, in the chips of the hand."""
    action: str
    """The action of the solution that stands for it."""
    mapped: bool
    best: str
    ev_chips: dict[str, float]
    """The EV of each action; one whose EV is not known is missing."""
    probabilities: dict[str, float]
    """How often the solution takes each action with this hand."""
    loss_chips: float
    loss_mbb: float | None
    counted: bool
    """Whether the loss is larger than what the solution itself may be wrong by there."""
    line_reached: float
    unconverged_chips: float
    pot_chips: float
    solution: str
    """The name of the solution, for `GET solutions/NAME/node?line=...`."""


class _Summed(BaseModel):
    hands: int
    """Hands with at least one decision that was reviewed."""
    decisions: int
    loss_chips: float
    loss_mbb: float | None
    not_counted: int
    """Decisions whose loss is not counted, because the solution has not converged that far there."""
    by_player: list[PlayerSum]
    by_street: list[StreetSum]
    by_line: list[LineSum]
    by_class: list[ClassSum]
    left_out: dict[str, int]
    """Why hands, or the rest of hands, were not reviewed, and how many."""
    read: int
    """Hands of the file that were read."""
    not_read: list[FaultView]
    """Hands that could not be read, and text that belongs to no hand; 1,000 at most."""
    unit: Literal["bb", "chips"]
    """The unit of all amounts: big blinds with charts, else the chips of the solution."""


class ReviewFile(_Summed):
    """What the file of a review says."""

    greatest: list[DecisionView]


class ReviewView(_Summed):
    """What a review has found: the sums.  Of a job that was stopped they are of what was reviewed until then."""

    job: JobView
    against: str | None
    charts: str | None


class DecisionsView(BaseModel):
    """Decisions of a review, the greatest loss first."""

    decisions: list[DecisionView]
    total: int
    """How many there are with what was asked for."""


@router.post("/reviews", status_code=201, openapi_extra=BINARY)
async def review(request: Request, services: TheServices, settings: Annotated[ReviewSettings, Query()]) -> JobView:
    """Take in a file of hands, and add the job that reviews them.  What is wrong with it is said before it begins."""
    with services.library.arriving() as file:
        async for chunk in request.stream():
            await run_in_threadpool(file.write, chunk)
        await run_in_threadpool(file.flush)
        new = await run_in_threadpool(settings.prepare, services.workspace, Path(file.name))
        return await run_in_threadpool(services.jobs.add, new)


def read_review(services: Services, name: str) -> tuple[AskedReview, ReviewFile]:
    """Return what a review was asked for and has found.

    Raises :class:`UnknownNameError` if the job has found nothing yet, :class:`InputError` if it is another one.
    """
    folder = services.jobs.folder(name)
    view = services.jobs.view(name)
    if view.kind not in ("review", "unknown"):
        raise InputError(f"This job is a {view.kind}, not a review.")
    asked = files.required(files.read_as(AskedReview, folder / "request.json"), folder / "request.json")
    path = folder / REVIEW
    try:
        key = path, stamp(path.lstat())
    except FileNotFoundError:
        when = "has found nothing" if view.state in ENDED else "has not ended yet"
        raise UnknownNameError(f"The review {name!r} {when}; its job says why.") from None
    found = _read.get_or_make(key, lambda: files.required(files.read_as(ReviewFile, path, MOST_BYTES), path))
    return asked, found


@router.get("/reviews/{name}")
def show_review(services: TheServices, name: Name) -> ReviewView:
    """Return the sums of a review; 404 while there is nothing yet."""
    asked, found = read_review(services, name)
    settings = asked.settings
    return ReviewView(
        **{key: getattr(found, key) for key in _Summed.model_fields},
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
    asked, found = read_review(services, name)
    given = {"player": player, "street": street, "line": line, "hand_class": hand_class, "counted": counted}
    wanted = {key: value for key, value in given.items() if value is not None}
    chosen = [one for one in found.greatest if all(getattr(one, key) == value for key, value in wanted.items())]
    against = asked.settings.against
    shown = [
        one if one.solution or against is None else one.model_copy(update={"solution": against})
        for one in chosen[skip : skip + count]
    ]
    return DecisionsView(decisions=shown, total=len(chosen))


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
    found = parse_charts(text)
    own = services.workspace.path("charts", name, CHARTS).exists()
    situations = [Situation.model_validate(one) for one in found.charts]
    return {"name": name, "shipped": not own, "situations": situations, "bets": found.bets is not None}


@router.get("/charts")
def list_charts(services: TheServices) -> AllCharts:
    """List the charts of the folder and of the package."""
    own = services.workspace.names("charts", CHARTS)
    listed = []
    for name in (*own, *(one for one in SHIPPED if one not in own)):
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
    if path.exists() or body.name in SHIPPED:
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
    path = services.workspace.folder / "charts" / f"{files.checked_name(name)}{CHARTS}"
    if not path.exists() and not path.is_symlink():
        if name in SHIPPED:
            raise InputError(f"{name} comes with Errai; it cannot be deleted.")
        raise unknown("charts", name)
    files.remove(path)
