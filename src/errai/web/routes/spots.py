"""Games and the library; spots and ranges as text: read, checked, and changed hand by hand."""

from __future__ import annotations

from contextlib import suppress
from functools import cache
from typing import Annotated, Any, Literal

from fastapi import APIRouter
from pydantic import BaseModel, ConfigDict, Field
from starlette.concurrency import run_in_threadpool

from errai.cards.hands import class_hands, grid_class
from errai.cards.ranges import Range
from errai.data import shipped_file
from errai.errors import ErraiError
from errai.games.catalogue import catalogue, load_game
from errai.games.charts import Chart, read_charts
from errai.games.library import forget, keep_range, keep_spot, library_files, read_hands
from errai.games.spot import load_spot, parse_spot
from errai.solving.estimate import MENUS, prices
from errai.web.models import Body, SpotSubject
from errai.web.routes import Name

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
    found = read_hands(body.text) if body.text.strip() else Range()
    text = body.text
    if body.cells:
        weights = found.weights.copy()
        for cell in body.cells:
            weights[class_hands(*grid_class(cell.row, cell.column))] = cell.weight
        found = Range.from_weights(weights)
        text = found.text()
    return RangeView(text=text, grid=found.grid().tolist(), hands=found.num_hands)


# --- the library ---


class LibrarySpotView(BaseModel):
    """A spot that has a name."""

    name: str
    title: str
    own: bool
    """Whether it is the user's (docs/cli.md says where those are), and not the package's."""
    spot: str
    """The text of its file."""


class LibraryRangeView(BaseModel):
    """A range that has a name."""

    name: str
    """As it may stand in a spot: `@six-handed/btn-vs-bb-srp/BTN`."""
    charts: str
    """The file that it is in."""
    title: str
    position: str
    """Whose range it is; empty where the file does not say."""
    hands: str
    own: bool


class MenuView(BaseModel):
    """Bet sizes for all streets and both players, and what it costs to have no others, where that was measured."""

    bet: str
    raise_: str = Field(serialization_alias="raise")
    cost_pot_percent: float | None
    """The mean over some spots on the turn, against an opponent who may bet all sizes of the last menu."""


class LibraryView(BaseModel):
    """What has a name, and the menus of bets from few sizes to many."""

    spots: list[LibrarySpotView]
    ranges: list[LibraryRangeView]
    menus: list[MenuView]


@router.get("/library", tags=["spots"])
def library() -> LibraryView:
    """List the spots and ranges of the package and of the user's library; files that cannot be read are left out."""
    spots, ranges = list[LibrarySpotView](), list[LibraryRangeView]()
    for name, path in library_files("spots").items():
        with suppress(ErraiError, OSError):
            own = not path.is_relative_to(shipped_file("spots"))
            title = load_spot(path).title or name
            spots.append(LibrarySpotView(name=name, title=title, own=own, spot=path.read_text(encoding="utf-8")))
    for name, path in library_files("charts").items():
        with suppress(ErraiError):
            charts, own = read_charts(path), not path.is_relative_to(shipped_file("charts"))
            for chart in charts.charts:
                for position, hands in chart.ranges.items():
                    title = f"{position}, {_situation(chart)}"
                    of = f"@{name}/{chart.name}/{position}"
                    ranges.append(
                        LibraryRangeView(name=of, charts=name, title=title, position=position, hands=hands, own=own)
                    )
            for title, hands in charts.ranges.items():
                of = f"@{name}/{title}"
                ranges.append(LibraryRangeView(name=of, charts=name, title=title, position="", hands=hands, own=own))
    costs = [*(price.mean for price in prices()), None]
    menus = [
        MenuView(bet=bet, raise_=raise_, cost_pot_percent=cost)
        for (bet, raise_), cost in zip(MENUS, costs, strict=True)
    ]
    return LibraryView(spots=spots, ranges=ranges, menus=menus)


class NewSpot(Body):
    """A spot for the library."""

    name: str = Field(max_length=100)
    """Letters, digits, - and _."""
    spot: str = Field(max_length=1 << 20)


class NewRange(Body):
    """A range for the library."""

    name: str = Field(max_length=100)
    """Without / and @."""
    hands: str = Field(max_length=1 << 17)


class NamedView(BaseModel):
    """The name that something has in the library."""

    name: str
    """Of a range as it may stand in a spot: `@ranges/tight`."""


@router.post("/library/spots", status_code=201, tags=["spots"])
def add_spot(body: NewSpot) -> NamedView:
    """Put a spot into the user's library."""
    parse_spot(body.spot)
    keep_spot(body.name, body.spot)
    return NamedView(name=body.name)


@router.post("/library/ranges", status_code=201, tags=["spots"])
def add_range(body: NewRange) -> NamedView:
    """Put a range into the user's library."""
    return NamedView(name=keep_range(body.name, body.hands))


@router.delete("/library/{kind}/{name}", status_code=204, tags=["spots"])
def remove_from_library(kind: Literal["spots", "ranges"], name: Name) -> None:
    """Remove a spot or a range from the user's library."""
    forget(kind, name)


def _situation(chart: Chart) -> str:
    """Return a situation in a few words: ``SB vs BB, limped pot``."""
    first, rest = chart.name.upper().split("-VS-")
    second = rest.rpartition("-")[0]
    pots = ("limped pot", "single-raised pot", "three-bet pot", "four-bet pot", "five-bet pot")
    pot = pots[chart.raises] if chart.raises < len(pots) else f"{chart.raises} raises"
    return f"{first} vs {second}, {pot}"


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
