"""What the models of requests and answers have in common: what is solved or played, and JSON that is made once."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from pathlib import Path
from typing import Annotated, ClassVar

from pydantic import BaseModel, ConfigDict, Field
from starlette.responses import Response

from errai.errors import UnknownGameError
from errai.games.catalogue import ALIASES, catalogue, load_game
from errai.games.game import Game
from errai.games.spot import MAX_FILE_BYTES, Spot, parse_spot


class Body(BaseModel):
    """A body, or a part of one: every field is known, and has its type, so a number is no text with digits in it."""

    model_config = ConfigDict(extra="forbid", strict=True)


class Kept(BaseModel):
    """A model that is kept while what it shows does not change; so is its JSON."""

    model_config = ConfigDict(frozen=True)

    @cached_property
    def as_json(self) -> str:
        """The model as JSON, in one line."""
        return self.model_dump_json()


def listed(key: str, found: Iterable[Kept]) -> Response:
    """Answer with an object whose only key has all these models."""
    return sent(f'{{"{key}":[{",".join(one.as_json for one in found)}]}}')


def sent(text: str | bytes) -> Response:
    """Answer with JSON that has been made."""
    return Response(text, media_type="application/json")


# --- what is solved or played ---

SpotText = Annotated[str, Field(min_length=1, max_length=MAX_FILE_BYTES)]
"""The text of a spot file (docs/spots.md)."""


class GameSubject(Body):
    """A game of the catalogue."""

    game: str = Field(min_length=1, max_length=100)
    files: ClassVar[dict[str, str]] = {}
    """What stands in the folder of a job for it."""

    def read(self) -> Game:
        """Return the game.  Raises :class:`UnknownGameError`; no request can name a file."""
        return catalogue_game(self.game)

    def word(self, folder: Path) -> str:
        """Return how the command line is given the subject of the job in a folder."""
        return self.game


class SpotSubject(Body):
    """A spot, with the same methods as a game."""

    spot: SpotText
    game: ClassVar[None] = None

    @property
    def files(self) -> dict[str, str]:
        """Return the files that a job keeps of it, by name."""
        return {"spot.toml": self.spot}

    def read(self) -> Spot:
        """Return the spot.  Raises :class:`SpotError`."""
        return parse_spot(self.spot)

    def word(self, folder: Path) -> str:
        """Return what names it on the command line."""
        return str(folder / "spot.toml")


GivenSubject = GameSubject | SpotSubject


def catalogue_game(name: str) -> Game:
    """Load a game by its name or an alias, and never by a path.  Raises :class:`UnknownGameError`."""
    if name not in catalogue() and name not in ALIASES:
        raise UnknownGameError(f"The catalogue has no game {name[:40]!r}; choose one of {', '.join(catalogue())}.")
    return load_game(name)
