"""Tables: playing against an agent."""

from __future__ import annotations

from dataclasses import asdict
from functools import partial
from typing import Annotated, Any

from fastapi import APIRouter, Query
from fastapi.responses import PlainTextResponse, Response
from pydantic import BaseModel, ConfigDict, Field

from errai.arena.histories.phh import phhs_text
from errai.arena.review import review_document
from errai.errors import InputError
from errai.games.catalogue import catalogue, load_game
from errai.games.spot import Spot
from errai.pictures.play import read_action
from errai.web.models import Body
from errai.web.routes import Name, TheServices
from errai.web.table import HandModel, HintModel, ResultModel, ScoreModel, TableModel
from errai.web.table_files import Played, TableRequest, TableSettings, TableSummary, Text
from errai.web.tables import Tables

router = APIRouter()

TEXT: dict[int | str, dict[str, Any]] = {200: {"content": {"text/plain": {}}}}
MOST_CHIPS = 1_000_000
MOST_HANDS = 10_000_000

HandNumber = Annotated[int, Field(ge=1, le=MOST_HANDS)]
Given = Annotated[str | None, Query(max_length=200)]


class NewTable(TableSettings):
    """A table to be made: of a game, of a spot, or of the game or spot of a solution of the folder."""

    stack: Annotated[int, Field(ge=1, le=MOST_CHIPS)] | None = None
    solution: Text | None = None


class Deal(Body):
    """A hand to be dealt, whose number is one more than the hands that are finished."""

    hand: HandNumber


class ActionRequest(Body):
    """An action of the user, and the hand and the number of actions in it that the page shows."""

    action: Annotated[str, Field(max_length=40)]
    """In the words of `errai play`: `f`, `k`, `c`, `r 300`, `r 50%`, `r 2.5x`, `r 3bb`, `pot`, `min`, `a`."""
    hand: HandNumber
    ply: Annotated[int, Field(ge=0, le=10_000)]


class AgentModel(BaseModel):
    """An agent that can be chosen."""

    model_config = ConfigDict(from_attributes=True)
    name: str
    title: str
    what: str
    seconds: float | None


class AgentsModel(BaseModel):
    """Agents that play a game."""

    agents: list[AgentModel]


class TablesModel(BaseModel):
    """All tables, the last one used first."""

    tables: list[TableSummary]


class FinishedModel(ResultModel):
    """A finished hand in a list."""

    hand: int
    cards: list[str]
    board: list[str]


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
    unvalued: list[dict[str, Any]]
    """Decisions without EVs: what the solution does there."""
    left_out: dict[str, int]


def _played(tables: Tables, game: str | None, solution: str | None, spot: str | None = None) -> Played:
    """Return what is played; exactly one of the three is given."""
    if sum(one is not None for one in (game, solution, spot)) != 1:
        raise InputError("Name one thing to play: a game, a spot, or a solution of the folder.")
    if solution is None:
        return Played(game=game, spot=spot)
    subject = tables.agents.subject_of(solution)
    if isinstance(subject, Spot):
        return Played(spot=subject.to_toml())
    first, second = subject.rules.stacks
    for name in catalogue():
        for stack in [None] if load_game(name).limit or first != second else [None, first]:
            played = Played(game=name, stack=stack)
            if played.subject().digest() == subject.digest():
                return played
    raise InputError("The solution is of a game that is not in the catalogue; play it at the terminal.")


@router.get("/agents", tags=["tables"])
def agents(
    services: TheServices,
    game: Given = None,
    solution: Given = None,
    stack: Annotated[int | None, Query(ge=1, le=MOST_CHIPS)] = None,
) -> AgentsModel:
    """List the agents that play a game, or the game or spot of a solution of the folder."""
    tables = services.tables
    played = _played(tables, game, solution)
    subject = played.model_copy(update={"stack": stack or played.stack}).subject()
    return AgentsModel(agents=[AgentModel.model_validate(one) for one in tables.agents.offered(subject)])


@router.get("/tables", tags=["tables"])
def list_tables(services: TheServices) -> TablesModel:
    """List all tables."""
    return TablesModel(tables=services.tables.summaries())


@router.post("/tables", status_code=201, tags=["tables"])
def create(services: TheServices, wanted: NewTable) -> TableModel:
    """Make a table and deal its first hand."""
    tables = services.tables
    played = _played(tables, wanted.game, wanted.solution, wanted.spot)
    given = wanted.model_dump() | played.model_dump() | {"stack": wanted.stack or played.stack}
    return tables.wait(tables.create(TableRequest(**given)))


@router.get("/tables/{table}", tags=["tables"])
def show(services: TheServices, table: Name) -> TableModel:
    """Show a table; its agent thinks if it is its turn."""
    return services.tables.view(services.tables.get(table))


@router.delete("/tables/{table}", status_code=204, tags=["tables"])
def delete(services: TheServices, table: Name) -> None:
    """Delete a table with its session."""
    services.tables.delete(table)


@router.post("/tables/{table}/deal", tags=["tables"])
def deal(services: TheServices, table: Name, wanted: Deal) -> TableModel:
    """Deal the next hand; 409 if it is not the next one."""
    return services.tables.wait(services.tables.deal(table, wanted.hand))


@router.post("/tables/{table}/actions", tags=["tables"])
def act(services: TheServices, table: Name, wanted: ActionRequest) -> TableModel:
    """Take an action of the user; 409 if the hand has gone on.

    The answer comes at once.  If the agent needs more than a moment, its action arrives as an event.
    """
    return services.tables.wait(
        services.tables.act(table, partial(read_action, wanted.action), wanted.hand, wanted.ply)
    )


@router.post("/tables/{table}/again", tags=["tables"])
def again(services: TheServices, table: Name) -> TableModel:
    """Let an agent that failed think again."""
    return services.tables.wait(services.tables.again(table))


@router.get("/tables/{table}/hint", tags=["tables"])
def hint(services: TheServices, table: Name) -> HintModel:
    """Say what the advisor does with the user's hand; 409 if it is not the user's turn."""
    return services.tables.hint(services.tables.get(table))


@router.get("/tables/{table}/score", tags=["tables"])
def score(services: TheServices, table: Name) -> ScoreModel:
    """Return the result, with and without luck.  Luck is computed in the background, hand by hand."""
    return services.tables.get(table).score()


@router.get("/tables/{table}/hands", tags=["tables"])
def hands(
    services: TheServices,
    table: Name,
    skip: Annotated[int, Query(ge=0, le=MOST_HANDS)] = 0,
    count: Annotated[int, Query(ge=1, le=200)] = 50,
) -> FinishedHandsModel:
    """List finished hands, the last one first."""
    found = services.tables.get(table)
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
def finished(services: TheServices, table: Name, hand: HandNumber) -> HandModel:
    """Show a finished hand."""
    return services.tables.get(table).finished_hand(hand)


@router.get("/tables/{table}/review", tags=["tables"])
def review(
    services: TheServices,
    table: Name,
    hand: Annotated[int | None, Query(ge=1, le=MOST_HANDS)] = None,
    against: Given = None,
) -> ReviewModel:
    """Say what the user's decisions lost against a solution, in a hand or in all, as `errai review` does."""
    found = services.tables.review(services.tables.get(table), hand, against)
    document = review_document(found, 100)
    document["unvalued"] = [asdict(one) | {"best": one.best} for one in found.unvalued[:100]]
    for one in (*document["greatest"], *document["unvalued"]):
        one["hand"] += 1
    return ReviewModel(**document)


@router.get("/tables/{table}/history.phh", tags=["tables"], response_class=Response, responses=TEXT)
def history(services: TheServices, table: Name) -> Response:
    """Download the finished hands, as the user saw them, as PHH."""
    found = services.tables.get(table)
    opened = found.request.open
    seen = [found.session.seen(number, opened=opened) for number in range(len(found.session.hands))]
    if not seen:
        raise InputError("No hand has been finished at this table yet.")
    headers = {"content-disposition": f'attachment; filename="{found.id}.phhs"'}
    return PlainTextResponse(phhs_text(seen), headers=headers)
