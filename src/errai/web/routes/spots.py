"""The games of the catalogue; spots and ranges as text: read, checked, and changed hand by hand."""

from __future__ import annotations

from functools import cache
from typing import Annotated, Any

from fastapi import APIRouter
from pydantic import BaseModel, ConfigDict, Field
from starlette.concurrency import run_in_threadpool

from errai.cards.hands import class_hands, grid_class
from errai.cards.ranges import Range
from errai.games.catalogue import catalogue, load_game
from errai.web.models import Body, SpotSubject

router = APIRouter()

SHORT_CHARACTERS = 1000
"""A longer range, which may have a weight for each hand, can take a tenth of a second."""


class SpotView(BaseModel):
    """A spot that has been read: the keys of its file with all menus written out, one for each street that is left."""

    fields: dict[str, Any]


class Cell(Body):
    """A class of hands and its new weight."""

    row: int = Field(ge=0, le=12)
    """Row and column 0 are the ace and 12 the deuce; suited hands have row < column."""
    column: int = Field(ge=0, le=12)
    weight: float = Field(ge=0.0, le=1.0)


class RangeRequest(Body):
    """A range, and classes of hands whose weight is to be changed."""

    text: str = Field(max_length=1 << 17)
    cells: list[Cell] = Field(default=[], max_length=169)


class RangeView(BaseModel):
    """A range."""

    text: str
    """The range as short text; the text of the request if nothing was changed."""
    grid: Annotated[list[list[float]], Field(min_length=13, max_length=13)]
    """The mean weight of each class of hands, by row and column."""
    hands: float
    """The sum of the weights of all hands; 1,326 for any two cards."""


@router.post("/spots/read", tags=["spots"])
def read_spot(body: SpotSubject) -> SpotView:
    """Read and check the text of a spot file."""
    return SpotView(fields=body.read().to_dict())


@router.post("/ranges", tags=["spots"])
async def change_range(body: RangeRequest) -> RangeView:
    """Read a range, and set the weights of some classes of hands in it."""
    # Most ranges take less time than a thread needs to begin.
    return await run_in_threadpool(_changed, body) if len(body.text) > SHORT_CHARACTERS else _changed(body)


def _changed(body: RangeRequest) -> RangeView:
    found = Range.parse(body.text) if body.text.strip() else Range()
    text = body.text
    if body.cells:
        weights = found.weights.copy()
        for cell in body.cells:
            weights[class_hands(*grid_class(cell.row, cell.column))] = cell.weight
        found = Range.from_weights(weights)
        text = found.text()
    return RangeView(text=text, grid=found.grid().tolist(), hands=found.num_hands)


# --- games ---


class GameView(BaseModel):
    """A game of the catalogue."""

    model_config = ConfigDict(from_attributes=True)
    name: str
    title: str
    limit: bool
    rounds: int = Field(validation_alias="num_rounds")
    ranks: int = Field(validation_alias="num_ranks")
    suits: int = Field(validation_alias="num_suits")


class GamesView(BaseModel):
    """All games of the catalogue."""

    games: list[GameView]


@cache
def all_games() -> GamesView:
    """Describe the games of the catalogue."""
    return GamesView(games=[GameView.model_validate(load_game(name)) for name in catalogue()])


@router.get("/games", tags=["games"])
async def games() -> GamesView:
    """List the games of the catalogue."""
    return all_games()
