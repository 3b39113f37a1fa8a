"""The files of tables: what each was made with, its session, and how it stands in the list of all.

``tables/ID.json`` is the file of the session (:mod:`errai.arena.session_file`), written after every action, so the
terminal can go on with it, and the server with what the terminal wrote.  ``tables/ID.table`` says what was asked for
when the table was made; a spot, or a game with other stacks, stands beside it as ``ID.toml`` or ``ID.game``.
"""

from __future__ import annotations

import json
import os
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field, model_validator

from errai.errors import ArtefactError, DamagedFileError, GameDefinitionError, InputError, UnknownNameError
from errai.games.catalogue import catalogue, load_game
from errai.games.game import Subject
from errai.games.spot import Spot, parse_spot
from errai.store.atomic import write_file
from errai.store.document import MAX_FILE_BYTES
from errai.web import files
from errai.web.agents import agent_title
from errai.web.files import Stamp, Workspace, checked_name, stamp, unknown
from errai.web.models import Body, Kept, SpotText

SESSION, REQUEST = ".json", ".table"
FORMAT, VERSION = "errai table", 1

Text = Annotated[str, Field(min_length=1, max_length=200)]


class Played(Body):
    """What is played at a table: a game or a spot."""

    game: Text | None = None
    stack: int | None = None
    """The stacks of both players, if they are not those of the catalogue."""
    spot: SpotText | None = None

    def subject(self) -> Subject:
        """Return the game or spot; raises the errors of their readers, and :class:`InputError` for a wrong stack."""
        if self.spot is not None:
            return parse_spot(self.spot)
        if self.game not in catalogue():
            raise InputError(f"The catalogue has no game {self.game!r}; choose one of {', '.join(catalogue())}.")
        game = load_game(self.game)
        if self.stack is None or (self.stack, self.stack) == game.stacks:
            return game
        if game.limit:
            raise InputError("The stacks of a limit game cannot be chosen: they never run out.")
        blinds = ", ".join(str(blind) for blind in sorted(game.blinds))
        title = f"{game.title.split(',')[0]}, blinds {blinds}, stacks {self.stack:,}"
        try:
            return replace(game, name=f"{self.game}-{self.stack}", title=title, stacks=(self.stack, self.stack))
        except GameDefinitionError as error:
            raise InputError(f"These stacks are not possible in this game: {error.message.rstrip('.')}.") from error


class TableSettings(Played):
    """What somebody chooses for a table."""

    opponent: Text
    """The name of an agent, as `GET agents` lists them."""
    advisor: Text | None = None
    """The agent that gives hints; by default the opponent, if it states its strategy."""
    seating: Literal["first", "second", "alternate"] = "alternate"
    open: bool = False
    """Whether the agent's cards are shown after every hand."""
    seed: Annotated[int, Field(ge=0, le=2**53)] | None = None


class TableRequest(TableSettings):
    """What a table was made with; at one of ``slumbot`` a program plays by the Slumbot-compatible addresses."""

    player: str = "you"
    slumbot: bool = False
    solution: Text | None = None
    """The solution whose game or spot is played."""
    opponent_title: str = ""
    """The name of the opponent for people when the table was made; a solution may be deleted later."""


class TableSummary(Kept):
    """A table in the list of all."""

    id: str
    title: str
    opponent: str
    hands: int
    """Finished hands."""
    won_chips: float
    in_hand: bool
    modified: float
    """Seconds since 1970."""
    damaged: str = ""
    """What is wrong with its files, and what to do; empty if nothing is."""


class _Written(TableRequest):
    """What a file says of a table."""

    @model_validator(mode="before")
    @classmethod
    def _without_format(cls, content: Any) -> Any:
        if not isinstance(content, dict) or (content.pop("format", 0), content.pop("version", 0)) != (FORMAT, VERSION):
            raise ValueError("this is not a table of this version of Errai")
        return content


class _Hand(BaseModel):
    won: float


class _Session(BaseModel):
    """What the list of tables shows of a session; when the table is opened, all of its file is checked."""

    game: str
    opponent: str
    hands: list[_Hand]
    in_progress: str | None


class _Content(BaseModel):
    session: _Session


class TableFiles:
    """The files of all tables of a folder."""

    def __init__(self, workspace: Workspace) -> None:
        self.workspace = workspace
        self._folder = workspace.folder / "tables"
        self._summaries: dict[str, tuple[Stamp, TableSummary]] = {}

    def names(self) -> list[str]:
        """Return the names of all tables."""
        return self.workspace.names("tables", REQUEST)

    def require(self, name: str) -> Path:
        """Return the path of a table's request.  Raises :class:`InputError` or :class:`UnknownNameError`."""
        return self.workspace.existing("tables", name, REQUEST)

    def session(self, name: str) -> Path:
        """Return the path of a table's session."""
        return self.workspace.path("tables", name, SESSION)

    def subject_word(self, name: str, request: TableRequest) -> str:
        """Return how the command line is given what is played at a table."""
        beside = [path for suffix in (".game", ".toml") if (path := self._folder / f"{name}{suffix}").is_file()]
        return str(beside[0]) if beside else request.game or ""

    def request(self, name: str) -> TableRequest:
        """Return what a table was made with.  Raises as :meth:`require`; :class:`ArtefactError` for damaged files."""
        request = files.read_as(_Written, self.require(name))
        if request is None:
            raise unknown("tables", name)
        spot = files.read_text(self.workspace.path("tables", name, ".toml"))
        if spot is None and request.game is None:
            raise DamagedFileError(f"The file tables/{name}.toml is missing.")
        return request.model_copy(update={"spot": spot})

    def write(self, name: str, request: TableRequest, subject: Subject) -> None:
        """Write what a table was made with, when its session has been written: without it there is no table."""
        if isinstance(subject, Spot):
            write_file(self.workspace.path("tables", name, ".toml"), subject.to_toml())
        elif request.stack is not None:
            write_file(self.workspace.path("tables", name, ".game"), subject.rules.to_text())
        content = {"format": FORMAT, "version": VERSION, **request.model_dump(exclude={"spot"})}
        write_file(self.workspace.path("tables", name, REQUEST), json.dumps(content, indent=1) + "\n")

    def delete(self, name: str) -> None:
        """Delete a table with its session, whatever its files are.  Raises as :meth:`require`."""
        if not os.path.lexists(self._folder / f"{checked_name(name)}{REQUEST}"):
            raise unknown("tables", name)
        self._summaries.pop(name, None)
        for suffix in (REQUEST, SESSION, ".toml", ".game", ".phhs"):
            files.remove(self._folder / f"{name}{suffix}")

    def summary(self, name: str) -> TableSummary | None:
        """Return a table in the list; None if it has been deleted just now.  One whose files are damaged says so."""
        path = self._folder / f"{name}{SESSION}"
        try:
            now = stamp(path.lstat())
        except OSError:
            now = (0, 0, 0)
        known = self._summaries.get(name)
        if known is not None and known[0] == now:
            return known[1]
        about: dict[str, Any] = {"id": name, "modified": now[2] / 1e9}
        try:
            request = self.request(name)
            session = files.required(files.read_as(_Content, path, MAX_FILE_BYTES), path).session
        except UnknownNameError:
            return None
        except (ArtefactError, InputError) as error:
            # Not kept, because any of its files may be put right.
            about |= {"title": name, "opponent": "?", "hands": 0, "won_chips": 0.0, "in_hand": False}
            damaged = f"This table is damaged. {error} Delete the table, or put the file back."
            return TableSummary(**about, damaged=damaged)
        one = TableSummary(
            **about,
            title=session.game,
            opponent=request.opponent_title or agent_title(request.opponent, session.opponent),
            hands=len(session.hands),
            won_chips=float(sum(hand.won for hand in session.hands)),
            in_hand=session.in_progress is not None,
        )
        self._summaries[name] = now, one
        return one
