"""What a request wants solved or played: a game of the catalogue by its name, or a spot as the text of its file."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from errai.errors import UnknownGameError
from errai.games.catalogue import ALIASES, catalogue, load_game
from errai.games.game import Game
from errai.games.spot import MAX_FILE_BYTES, Spot, parse_spot
from errai.web.bodies import Body

SpotText = Annotated[str, Field(min_length=1, max_length=MAX_FILE_BYTES)]
"""The text of a spot file (docs/spots.md)."""


class GameSubject(Body):
    """A game of the catalogue."""

    game: str = Field(min_length=1, max_length=100)

    def read(self) -> Game:
        """Return the game.  Raises :class:`UnknownGameError`; no request can name a file."""
        return catalogue_game(self.game)


class SpotSubject(Body):
    """A spot."""

    spot: SpotText

    def read(self) -> Spot:
        """Return the spot.  Raises :class:`SpotError`."""
        return parse_spot(self.spot)


GivenSubject = GameSubject | SpotSubject


def catalogue_game(name: str) -> Game:
    """Load a game by its name or an alias, and never by a path.  Raises :class:`UnknownGameError`."""
    if name not in catalogue() and name not in ALIASES:
        raise UnknownGameError(f"The catalogue has no game {name[:40]!r}; choose one of {', '.join(catalogue())}.")
    return load_game(name)
