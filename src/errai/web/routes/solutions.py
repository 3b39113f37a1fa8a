"""The solutions: what there is, their nodes, uploads, and the recomputation of certificates."""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import APIRouter, Query, Request, Response
from fastapi import Path as InPath
from pydantic import BaseModel
from starlette.concurrency import run_in_threadpool

from errai.web import views
from errai.web.library import Library, Summary

router = APIRouter(prefix="/solutions", tags=["solutions"])

Name = Annotated[str, InPath(max_length=200, description="The name of a solution.")]
GivenName = Annotated[str, Query(min_length=1, max_length=200, description="The name that the solution gets.")]
Line = Annotated[str, Query(max_length=4000, description="Actions and cards, such as `check bet 120 / Ah / check`.")]
Player = Annotated[int | None, Query(ge=0, le=1, description="The player whose range is meant.")]
Whole = Annotated[
    bool, Query(description="Whether a large file is read and checked as a whole; then the EV of every hand is known.")
]


class ExploitabilityView(BaseModel):
    """A certified exploitability; mbb is null if the game has no big blind."""

    chips: float
    mbb: float | None
    pot_percent: float


class SolutionView(BaseModel):
    """A solution in the list."""

    name: str
    title: str
    game: str
    """The name of the game; `spot` for a spot."""
    kind: Literal["solution", "run", "preflop"]
    bytes: int
    modified: float
    """Seconds since 1970."""
    exploitability: ExploitabilityView | None
    status: str
    """How the solve ended; `running` for a run without a certificate; `damaged` if the files cannot be used."""
    certified: bool | None
    """The result of the last verification of these contents by this server; null if there was none."""
    error: str
    """Why the files cannot be used; empty if they can."""
    command: str


class SolutionsView(BaseModel):
    """All solutions, the newest first."""

    solutions: list[SolutionView]


class OptionView(BaseModel):
    """An action that could be taken at a decision on the line."""

    step: str
    label: str
    colour: str
    frequency: float | None
    taken: bool


class ColumnView(BaseModel):
    """A step of the line: a decision with its options, or cards that were dealt."""

    line: str
    """The line to the node at which the step is taken."""
    street: str
    pot_chips: float
    kind: Literal["action", "card"]
    player: int | None
    player_name: str
    options: list[OptionView]
    card: str | None
    """One card, or all cards of a flop; null for an action."""


class ActionView(BaseModel):
    """An action at the node, over the whole range."""

    step: str
    label: str
    colour: str
    all_in: bool
    frequency: float | None
    ev_chips: float | None


class RangesView(BaseModel):
    """Means over all pairs of hands, for player 0 and 1; null where they are not known."""

    ev_chips: list[float | None]
    equity: list[float | None]
    equity_realised: list[float | None]


class CertificateView(BaseModel):
    """How exploitable the solution is; numbers are null if that is not certified yet."""

    text: str
    pot_percent: float | None
    mbb: float | None
    chips: float | None
    status: str
    checked: Literal["file", "part"]
    """Whether the whole file was read and checked, or only the parts that are shown."""


Rows = list[list[float | None]]


class NodeView(BaseModel):
    """A node of a solution.  Arrays by hand are in the order of `hands`; players are 0 and 1; null is not known."""

    solution: str
    title: str
    line: str
    columns: list[ColumnView]
    street: str
    board: list[str]
    cards: list[str]
    """All cards of the deck."""
    kind: Literal["decision", "chance", "showdown", "fold", "leaf"]
    player: int | None
    player_name: str
    player_names: list[str]
    pot_chips: float
    to_call_chips: float
    stacks_chips: list[float]
    sunk_chips: list[float]
    """Chips that `ev_chips` subtracts: none in spots, in games all that a player has put in."""
    actions: list[ActionView]
    deals: list[str]
    """The cards that can come; empty if no card is dealt here."""
    deal_count: int
    """How many of them come at once: 3 on a flop."""
    ranges: RangesView
    hands: list[str]
    """The hands that a player may hold here."""
    weights: Rows
    """By player and hand."""
    strategy: Rows | None
    """By hand and action; null if no player acts."""
    ev_chips: Rows
    equity: Rows
    equity_realised: Rows
    action_ev_chips: Rows | None
    locked: dict[str, dict[str, float] | str]
    """What is locked here: hands with the frequency of each action, or `best`."""
    reached: float
    unconverged: float | None
    why_no_ev: str
    why_no_equity: str
    certificate: CertificateView
    command: str


def _library(request: Request) -> Library:
    found: Library = request.app.state.services.library
    return found


def _solution_view(library: Library, found: Summary) -> SolutionView:
    known = found.exploitability
    verified = library.verified(found.name)
    return SolutionView(
        name=found.name,
        title=found.title,
        game=found.game,
        kind=found.kind,
        bytes=found.bytes,
        modified=found.modified,
        exploitability=None
        if known is None
        else ExploitabilityView(chips=known.chips, mbb=known.mbb, pot_percent=known.pot_percent),
        status=found.status,
        certified=None if verified is None else verified.certified,
        error=found.error,
        command=library.command("show", found.name),
    )


@router.get("")
def solutions(request: Request) -> SolutionsView:
    """List all solutions, the newest first."""
    library = _library(request)
    return SolutionsView(solutions=[_solution_view(library, found) for found in library.summaries()])


@router.post(
    "",
    status_code=201,
    openapi_extra={
        "requestBody": {
            "required": True,
            "content": {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}},
        }
    },
)
async def upload(request: Request, name: GivenName) -> SolutionView:
    """Take in a solution file.  Every byte is checked before it is listed; a damaged or foreign file is not kept."""
    library = _library(request)
    await run_in_threadpool(library.free, name)
    with library.arriving() as file:
        async for chunk in request.stream():
            await run_in_threadpool(file.write, chunk)
        found = await run_in_threadpool(library.keep, file, name)
    return await run_in_threadpool(_solution_view, library, found)


@router.get("/{name}")
def solution(request: Request, name: Name) -> SolutionView:
    """Describe a solution."""
    library = _library(request)
    return _solution_view(library, library.summary(name))


@router.delete("/{name}", status_code=204)
def delete(request: Request, name: Name) -> Response:
    """Remove a solution."""
    _library(request).delete(name)
    return Response(status_code=204)


@router.get("/{name}/node")
def node(request: Request, name: Name, line: Line = "", player: Player = None, whole: Whole = False) -> NodeView:
    """Show the node after a line."""
    library = _library(request)
    with library.opened(name, whole=whole) as opened:
        view = views.node_view(opened, line)
    more = [view["line"], *([] if player is None else ["--player", str(player)]), "--whole" if whole else ""]
    return NodeView(solution=name, **view, command=library.command("show", name, *more))
