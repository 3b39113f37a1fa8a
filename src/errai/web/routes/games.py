"""The games of the catalogue."""

from __future__ import annotations

from functools import cache

from fastapi import APIRouter
from pydantic import BaseModel

from errai.games.catalogue import catalogue, load_game

router = APIRouter(tags=["games"])


class GameView(BaseModel):
    """A game of the catalogue."""

    name: str
    title: str
    limit: bool
    rounds: int
    ranks: int
    suits: int


class GamesView(BaseModel):
    """All games of the catalogue."""

    games: list[GameView]


@cache
def all_games() -> GamesView:
    """Describe the games of the catalogue."""
    found = []
    for name in catalogue():
        game = load_game(name)
        found.append(
            GameView(
                name=name,
                title=game.title,
                limit=game.limit,
                rounds=game.num_rounds,
                ranks=game.num_ranks,
                suits=game.num_suits,
            )
        )
    return GamesView(games=found)


@router.get("/games")
async def games() -> GamesView:
    """List the games of the catalogue."""
    return all_games()
