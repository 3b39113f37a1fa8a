"""Tables: playing against an agent."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Depends, Query, Request, Response
from fastapi import Path as InPath
from pydantic import BaseModel, ConfigDict, Field

from errai.arena.histories.phh import phhs_text
from errai.arena.review import review_document
from errai.errors import InputError
from errai.games.subject import Subject
from errai.web.models import Body
from errai.web.subjects import SpotText
from errai.web.table import TableRequest
from errai.web.table_view import HandModel, HintModel, ScoreModel, TableModel, TableSummary
from errai.web.tables import Tables

router = APIRouter()

MOST_CHIPS = 1_000_000
MOST_HANDS = 10_000_000

Name = Annotated[str, Field(min_length=1, max_length=200)]
TableName = Annotated[str, InPath(min_length=1, max_length=100)]
HandNumber = Annotated[int, Field(ge=1, le=MOST_HANDS)]


class NewTable(Body):
    """A table to be made: of a game, of a spot, or of the game or spot of a solution of the folder."""

    opponent: Name
    """The name of an agent, as `GET agents` lists them."""
    game: Name | None = None
    stack: Annotated[int, Field(ge=1, le=MOST_CHIPS)] | None = None
    """The stacks of both players in a no-limit game, if they are not to be those of the catalogue."""
    spot: SpotText | None = None
    """The text of a spot, as `docs/spots.md` describes it."""
    solution: Name | None = None
    advisor: Name | None = None
    """The agent that gives hints; by default the opponent, if it states its strategy."""
    seating: Literal["first", "second", "alternate"] = "alternate"
    open: bool = False
    """Whether the agent's cards are shown after every hand."""
    seed: Annotated[int, Field(ge=0, le=2**53)] | None = None


class Deal(Body):
    """A hand to be dealt."""

    hand: HandNumber
    """Its number: one more than the hands that are finished."""


class ActionRequest(Body):
    """An action of the user."""

    action: Annotated[str, Field(max_length=40)]
    """In the words of `errai play`: `f`, `k`, `c`, `r 300`, `r 50%`, `r 2.5x`, `pot`, `min`, `a`."""
    hand: HandNumber
    """The number of the hand that the page shows."""
    ply: Annotated[int, Field(ge=0, le=10_000)]
    """The number of actions in the hand that the page shows."""


class AgentModel(BaseModel):
    """An agent that can be chosen."""

    model_config = ConfigDict(from_attributes=True)
    name: str
    title: str
    what: str
    seconds: float | None
    """Seconds that a decision may take; null if it takes moments."""


class AgentsModel(BaseModel):
    """Agents that play a game."""

    agents: list[AgentModel]


class TablesModel(BaseModel):
    """All tables, the last one used first."""

    tables: list[TableSummary]


class FinishedModel(BaseModel):
    """A finished hand in a list."""

    hand: int
    cards: list[str]
    board: list[str]
    words: str
    won_chips: float
    without_luck_chips: float | None


class FinishedHandsModel(BaseModel):
    """Finished hands, the last one first."""

    hands: list[FinishedModel]
    total: int


class ReviewModel(BaseModel):
    """What decisions lost against a solution, as `errai review --json` says it, with hands counted from 1."""

    model_config = ConfigDict(extra="allow")
    hands: int
    decisions: int
    loss_chips: float
    loss_mbb: float | None
    greatest: list[dict[str, Any]]
    left_out: dict[str, int]


async def _tables(request: Request) -> Tables:
    tables: Tables = request.app.state.services.tables
    return tables


TheTables = Annotated[Tables, Depends(_tables)]


def _subject(tables: Tables, game: str | None, solution: str | None, spot: str | None = None) -> TableRequest:
    """Return what is played; exactly one of the three is given."""
    if sum(one is not None for one in (game, solution, spot)) != 1:
        raise InputError("Name one thing to play: a game, a spot, or a solution of the folder.")
    if solution is None:
        return TableRequest("", game=game, spot=spot)
    found = tables.agents.subject_of(solution)
    return TableRequest("", **_request_for(found))


def _request_for(subject: Subject) -> dict[str, Any]:
    """Return the fields of a request for the game or spot of a solution."""
    from errai.games.catalogue import catalogue, load_game
    from errai.games.spot import Spot

    if isinstance(subject, Spot):
        return {"spot": subject.to_toml()}
    for name in catalogue():
        game = load_game(name)
        if game.digest() == subject.digest():
            return {"game": name}
        stack = subject.rules.stacks[0]
        if not game.limit and stack == subject.rules.stacks[1]:
            request = TableRequest("", game=name, stack=stack)
            if request.subject().digest() == subject.digest():
                return {"game": name, "stack": stack}
    raise InputError("The solution is of a game that is not in the catalogue; play it at the terminal.")


@router.get("/agents", tags=["tables"])
def agents(
    tables: TheTables,
    game: Annotated[str | None, Query(max_length=200)] = None,
    solution: Annotated[str | None, Query(max_length=200)] = None,
    stack: Annotated[int | None, Query(ge=1, le=MOST_CHIPS)] = None,
) -> AgentsModel:
    """List the agents that play a game, or the game or spot of a solution of the folder."""
    wanted = _subject(tables, game, solution)
    subject = TableRequest("", game=wanted.game, spot=wanted.spot, stack=stack or wanted.stack).subject()
    return AgentsModel(agents=[AgentModel.model_validate(one) for one in tables.agents.offered(subject)])


@router.get("/tables", tags=["tables"])
def list_tables(tables: TheTables) -> TablesModel:
    """List all tables."""
    return TablesModel(tables=tables.summaries())


@router.post("/tables", status_code=201, tags=["tables"])
def create(tables: TheTables, wanted: NewTable) -> TableModel:
    """Make a table and deal its first hand."""
    of = _subject(tables, wanted.game, wanted.solution, wanted.spot)
    given = wanted.model_dump(exclude={"game", "spot", "solution"})
    table = tables.create(replace(of, **{**given, "stack": wanted.stack or of.stack}))
    tables.wait(table)
    return tables.view(table)


@router.get("/tables/{table}", tags=["tables"])
def show(tables: TheTables, table: TableName) -> TableModel:
    """Show a table; its agent thinks if it is its turn."""
    return tables.view(tables.get(table))


@router.delete("/tables/{table}", status_code=204, tags=["tables"])
def delete(tables: TheTables, table: TableName) -> Response:
    """Delete a table with its session."""
    tables.delete(table)
    return Response(status_code=204)


@router.post("/tables/{table}/deal", tags=["tables"])
def deal(tables: TheTables, table: TableName, wanted: Deal) -> TableModel:
    """Deal the next hand; 409 if it is not the next one."""
    found = tables.deal(table, wanted.hand)
    tables.wait(found)
    return tables.view(found)


@router.post("/tables/{table}/actions", tags=["tables"])
def act(tables: TheTables, table: TableName, wanted: ActionRequest) -> TableModel:
    """Take an action of the user; 409 if the hand has gone on.

    The answer comes at once.  If the agent needs more than a moment, its action arrives as an event.
    """
    found = tables.act(table, wanted.action, wanted.hand, wanted.ply)
    tables.wait(found)
    return tables.view(found)


@router.post("/tables/{table}/again", tags=["tables"])
def again(tables: TheTables, table: TableName) -> TableModel:
    """Let an agent that failed think again."""
    found = tables.again(table)
    tables.wait(found)
    return tables.view(found)


@router.get("/tables/{table}/hint", tags=["tables"])
def hint(tables: TheTables, table: TableName) -> HintModel:
    """Say what the advisor does with the user's hand; 409 if it is not the user's turn."""
    return tables.hint(tables.get(table))


@router.get("/tables/{table}/score", tags=["tables"])
def score(tables: TheTables, table: TableName) -> ScoreModel:
    """Return the result, with and without luck.  Luck is computed in the background, hand by hand."""
    return tables.score(tables.get(table))


@router.get("/tables/{table}/hands", tags=["tables"])
def hands(
    tables: TheTables,
    table: TableName,
    skip: Annotated[int, Query(ge=0, le=MOST_HANDS)] = 0,
    count: Annotated[int, Query(ge=1, le=200)] = 50,
) -> FinishedHandsModel:
    """List finished hands, the last one first."""
    found = tables.get(table)
    total = len(found.session.hands)
    listed = [found.finished_hand(number) for number in range(total - skip, max(total - skip - count, 0), -1)]
    return FinishedHandsModel(
        total=total,
        hands=[
            FinishedModel(hand=one.hand, cards=one.seats[1].cards, board=one.board, **one.result.model_dump())
            for one in listed
            if one.result is not None
        ],
    )


@router.get("/tables/{table}/hands/{hand}", tags=["tables"])
def finished(tables: TheTables, table: TableName, hand: HandNumber) -> HandModel:
    """Show a finished hand."""
    return tables.get(table).finished_hand(hand)


@router.get("/tables/{table}/review", tags=["tables"])
def review(
    tables: TheTables,
    table: TableName,
    hand: Annotated[int | None, Query(ge=1, le=MOST_HANDS)] = None,
    against: Annotated[str | None, Query(max_length=200)] = None,
) -> ReviewModel:
    """Say what the user's decisions lost against a solution, in a hand or in all, as `errai review` does."""
    found = tables.review(tables.get(table), hand, against)
    document = review_document(found, 100)
    for one in document["greatest"]:
        one["hand"] += 1
    return ReviewModel(**document)


@router.get(
    "/tables/{table}/history.phh",
    tags=["tables"],
    response_class=Response,
    responses={200: {"content": {"text/plain": {}}}},
)
def history(tables: TheTables, table: TableName) -> Response:
    """Download the finished hands, as the user saw them, as PHH."""
    found = tables.get(table)
    opened = found.request.open
    seen = [found.session.seen(number, opened=opened) for number in range(len(found.session.hands))]
    if not seen:
        raise InputError("No hand has been finished at this table yet.")
    return Response(
        phhs_text(seen).encode(),
        media_type="text/plain; charset=utf-8",
        headers={"content-disposition": f'attachment; filename="{found.id}.phhs"'},
    )
