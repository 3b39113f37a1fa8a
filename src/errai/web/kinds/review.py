"""Reviews of hands as jobs: against a solution of the folder, or by charts, whose spots are solved and kept."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from errai.arena.charted import IN_BIG_BLINDS, MEMORY, SECONDS, checked_charts, review_with_charts
from errai.arena.histories.formats import read_hands
from errai.arena.histories.record import HandFile
from errai.arena.review import Review, check_played, review_document, review_hands
from errai.engine.resources import allowed_memory
from errai.engine.units import Target
from errai.errors import HistoryError, InputError, MatchError
from errai.games.charts import Charts, parse_charts
from errai.games.hand import PlayedHand
from errai.games.library import named_file
from errai.options import option_words
from errai.web import files
from errai.web.files import NAME_PATTERN, Workspace
from errai.web.job_files import Asked, Ended, Work
from errai.web.jobs import NewJob
from errai.web.library import Library
from errai.web.models import catalogue_game

CHARTS = ".toml"
HANDS, REVIEW = "hands", "review.json"
"""The files of the job with the hands as they came, and with the review."""

CHECKED_BYTES = 1 << 20
"""Files up to this size are read before the job begins; what is wrong with a longer one is said by the job."""

MOST_DECISIONS = 10_000
"""So many decisions, those with the greatest losses, are kept one by one; the sums are over all."""
MOST_FAULTS = 1_000
MOST_NAMED = 20

OneFormat = Literal["phh", "pokerstars", "ggpoker", "acpc"]


class ReviewSettings(BaseModel):
    """What hands are reviewed against, and what solving their spots may take."""

    model_config = ConfigDict(extra="forbid")
    against: str | None = Field(
        None, max_length=100, pattern=NAME_PATTERN, description="A solution, a run or a blueprint, by its name."
    )
    charts: str | None = Field(
        None, max_length=100, pattern=NAME_PATTERN, description="Ranges by situation, by a name of `GET charts`."
    )
    player: str | None = Field(None, min_length=1, max_length=200, description="Only this player's decisions.")
    target: str = Field("0.5%pot", max_length=40, description="With charts: as for a solve, of each spot.")
    seconds: float = Field(SECONDS, gt=0, le=1e6, description="With charts: what the solve of a spot may take.")
    memory: int | None = Field(
        None,
        ge=1 << 20,
        le=1 << 45,
        description="With charts: bytes that a solve may take; by default 1 GiB, or what is free if that is less.",
    )
    format: OneFormat | None = Field(None, description="The format of the hands; by default each is recognised.")
    game: str | None = Field(
        None, max_length=100, description="The game of a dealer's log, which does not say it; a name of `GET games`."
    )
    title: str | None = Field(None, max_length=200, description="How the job is called.")

    def read(self, path: Path) -> HandFile:
        """Read a file of hands.  Raises :class:`HistoryError` if there is none in it that can be read."""
        try:
            found = read_hands(path, self.format, game=None if self.game is None else catalogue_game(self.game))
        except HistoryError as error:
            raise HistoryError(error.message, line=error.line) from error
        if not found.read:
            raise HistoryError(found.faults[0].message, line=found.faults[0].line)
        return found

    def prepare(self, workspace: Workspace, arrived: Path) -> NewJob:
        """Check what is asked for, and return the job; ``arrived`` is the file with the hands.

        Raises :class:`InputError` or :class:`UnknownNameError` for settings, :class:`HistoryError` for the hands,
        :class:`ChartError` for charts, and :class:`ArtefactError` for files.
        """
        if (self.against is None) == (self.charts is None):
            raise InputError("Name one thing to review against: a solution (against), or charts.")
        if not arrived.stat().st_size:
            raise HistoryError("The request has no body: send the file with the hands.")
        options: dict[str, Any] = {"player": self.player, "from": self.format, "game": self.game}
        texts, memory = {}, 0
        if self.against is not None:
            library = Library(workspace)
            if (error := library.described(self.against).view.error) != "":
                raise InputError(f"{self.against} cannot be used. {error}")
            place = ["--against", library.place(self.against)]
        else:
            assert self.charts is not None
            texts["charts.toml"] = charts_text(workspace, self.charts)
            checked_charts(parse_charts(texts["charts.toml"]))
            Target.parse(self.target, IN_BIG_BLINDS)
            memory = self.memory or min(MEMORY, allowed_memory(None) or MEMORY)
            place = ["--library", str(workspace.folder / "spots")]
            options |= {"target": self.target, "seconds": self.seconds, "memory": memory}
        if self.game is not None:
            catalogue_game(self.game)
        if arrived.stat().st_size <= CHECKED_BYTES:
            check_player(self.player, self.read(arrived))

        def command(folder: Path) -> str:
            charted = ["--charts", str(folder / "charts.toml")] if texts else []
            return shlex.join(["errai", "review", str(folder / HANDS), *charted, *place, *option_words(options)])

        return NewJob(
            kind="review",
            title=self.title or f"review by {self.against or self.charts}",
            command=command,
            request={"settings": {**self.model_dump(exclude={"title"}), "memory": memory or None}},
            files=texts,
            linked={HANDS: arrived},
            memory_bytes=memory,
            starts_again=self.against is not None,
        )


def charts_text(workspace: Workspace, name: str) -> str:
    """Return the charts of a name: of the folder, or else of the package."""
    path = workspace.path("charts", name, CHARTS)
    if not path.exists():
        shipped = named_file("charts", name)
        if shipped is None:
            raise files.unknown("charts", name)
        path = shipped
    return files.required(files.read_text(path), path)


def check_player(player: str | None, found: HandFile) -> None:
    """Raise :class:`MatchError` if a player is in no hand that was read; some of those who are, are named."""
    check_played(player, {name for hand in found.read for name in hand.players}, MOST_NAMED)


class AskedReview(Asked):
    """What ``request.json`` of a review says."""

    settings: ReviewSettings


# --- in the worker ---------------------------------------------------------------------------------------------------


def run(work: Work) -> Ended:
    """Review the hands, and write the review into the folder of the job, as far as it came."""
    settings = work.request(AskedReview).settings
    read = settings.read(work.folder / HANDS)
    check_player(settings.player, read)
    review = _charted(work, settings, read) if settings.against is None else _against(work, settings, read)
    document = review_document(review, MOST_DECISIONS)
    faults = [{"line": fault.line, "reason": fault.message} for fault in read.faults]
    document |= {
        "in": len(read.read) + len(faults),
        "read": len(read.read),
        "not_read": faults[:MOST_FAULTS],
        "unit": "bb" if review.units == IN_BIG_BLINDS else "chips",
    }
    files.write_json(work.folder / REVIEW, document)
    shown = ("hands", "decisions", "loss_chips", "loss_mbb", "not_counted", "unit")
    return Ended("stopped" if work.stop.is_set() else "done", {name: document[name] for name in shown})


def _against(work: Work, settings: ReviewSettings, read: HandFile) -> Review:
    """Review against one solution; hands that come after a stop are left out."""

    def taken() -> Iterator[PlayedHand]:
        for number, hand in enumerate(read.read):
            if work.stop.is_set():
                return
            work.point({"hands": number, "hands_wanted": len(read.read)})
            yield hand
        work.point({"hands": len(read.read), "hands_wanted": len(read.read)}, always=True)

    assert settings.against is not None
    with Library(work.workspace).opened(settings.against, whole=True) as opened:
        try:
            found = review_hands(taken(), opened.solution, player=settings.player)
        except MatchError:  # Stopped before a hand of the player.
            found = review_hands((), opened.solution)
    named = tuple(replace(decision, solution=settings.against) for decision in found.decisions)
    return replace(found, decisions=named)


def _charted(work: Work, settings: ReviewSettings, read: HandFile) -> Review:
    """Review by charts; spots that are kept already are not solved again."""
    path = work.folder / "charts.toml"
    charts: Charts = checked_charts(parse_charts(files.required(files.read_text(path), path)))
    latest: dict[str, Any] = {}
    files.require_plain(work.workspace.folder / "spots")

    def progress(done: int, total: int, title: str) -> None:
        latest.update(spots=done, spots_wanted=total, title=title)
        work.point(latest, always=True)

    found = review_with_charts(
        read.read,
        charts,
        work.workspace.folder / "spots",
        player=settings.player,
        target=settings.target,
        seconds=settings.seconds,
        memory=settings.memory or MEMORY,
        stop=work.stop,
        progress=progress,
    )
    if latest and not work.stop.is_set():
        work.point({**latest, "spots": latest["spots_wanted"]}, always=True)
    return found
