"""Matches: results that were played here or put into the folder, and the standings over all of them."""

from __future__ import annotations

import shlex
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query, Request
from fastapi import Path as InPath
from fastapi.responses import FileResponse
from pydantic import BaseModel

from errai.arena.results import CHIPS, SUFFIX, MatchResult, Measure, read_result
from errai.arena.standings import bankroll, make_pool
from errai.errors import ArtefactError, InputError, MatchError
from errai.own_code import fault_text
from errai.reports import standings_document
from errai.running.recent import Recent
from errai.web.kinds.match import bounds, scaled, summary
from errai.web.workspace import Stamp, Workspace, stamp

router = APIRouter(tags=["matches"])

Name = Annotated[str, InPath(min_length=1, max_length=100)]
MeasureName = Literal["chips", "aivat", "importance"]


class MeasureView(BaseModel):
    """The winnings of the first agent, in the unit of the match."""

    name: str
    mean: float | None
    low: float | None
    """The 95 % interval; null for fewer than two hands."""
    high: float | None


class MatchSummary(BaseModel):
    """The result of a match."""

    name: str
    modified: float
    """When its file was written, in seconds since 1970."""
    game: str
    players: list[str]
    hands: int
    hands_wanted: int
    status: str
    error: str
    duplicate: bool
    common_random_numbers: bool
    seed: int
    command: str
    unit: str
    measures: list[MeasureView]


class RankView(BaseModel):
    """A player's place; players that do not differ significantly share one."""

    place: int
    player: str
    score: float
    low: float
    high: float
    above_next: float | None
    """The share of the bootstrap samples in which the player is above the next one."""


class StandingsView(BaseModel):
    """The standings of one game, in its unit, by the winnings against all others."""

    game: str
    unit: str
    measure: str
    players: list[str]
    """In the order of the ranks, or by name if there are none."""
    mean: list[list[float | None]]
    """What the player of the row wins from that of the column."""
    half_width: list[list[float | None]]
    """Half of its 95 % interval."""
    ranks: list[RankView]
    missing: str | None
    """Why there are no ranks."""
    command: str


class MatchesView(BaseModel):
    """All results, the newest first."""

    matches: list[MatchSummary]
    standings: list[StandingsView]
    unreadable: dict[str, str]
    """Files that are not the result of a match, and why."""


class CurveView(BaseModel):
    """The result after some hands, with its 95 % interval by Student's t."""

    hands: list[int]
    mean: list[float]
    low: list[float | None]
    high: list[float | None]


class SeatView(BaseModel):
    """The winnings in one seat."""

    hands: int
    mean: float | None
    low: float | None
    high: float | None


class MeasureDetail(MeasureView):
    """A measure with its course."""

    method: str
    curve: CurveView
    by_seat: list[SeatView]


class EndingView(BaseModel):
    """Hands that ended on one street in one way."""

    street: str
    showdown: bool
    hands: int
    won: float
    """What the first agent won in them, in chips."""


class MatchDetail(MatchSummary):
    """The result of a match in detail."""

    measures: list[MeasureDetail]  # type: ignore[assignment]
    endings: list[EndingView]


class _Results:
    """The results that were read last; a file that has not changed is not read again."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._read: dict[Path, tuple[Stamp, MatchResult]] = {}
        self._standings: Recent[tuple[Any, ...], StandingsView] = Recent(50)

    def of(self, path: Path) -> MatchResult:
        """Return the result of a file.  Raises :class:`ArtefactError`."""
        key = stamp(path)
        with self._lock:
            if (found := self._read.get(path)) is not None and found[0] == key:
                return found[1]
        result = read_result(path)
        with self._lock:
            self._read[path] = key, result
        return result

    def standings(self, files: list[tuple[Path, MatchResult]], measure: str, folder: Path) -> StandingsView:
        """Return the standings over matches of one game."""
        key = (measure, *((path, stamp(path)) for path, _ in files))
        return self._standings.get_or_make(key, lambda: _standings(files, measure, folder))


_results = _Results()


@router.get("/matches")
def list_matches(request: Request, measure: Annotated[MeasureName, Query()] = CHIPS) -> MatchesView:  # type: ignore[assignment]
    """List the results of all matches, and the standings by a measure, for each game over the matches that have it."""
    workspace: Workspace = request.app.state.services.workspace
    found: list[tuple[Path, MatchResult]] = []
    unreadable = {}
    for name in workspace.names("matches", SUFFIX):
        try:
            path = workspace.path("matches", name, SUFFIX)
            found.append((path, _results.of(path)))
        except FileNotFoundError:
            continue  # It has been removed just now.
        except (ArtefactError, InputError) as error:
            unreadable[name] = str(error)
        # Whatever a damaged file does, it does to its own entry of the list.
        except Exception as error:
            unreadable[name] = f"The file is damaged ({fault_text(error)}); delete it, or put it back."
    found.sort(key=lambda one: one[0].name)
    found.sort(key=lambda one: stamp(one[0])[2], reverse=True)
    summaries = [_summary(path, result) for path, result in found]
    standings = [_results.standings(files, measure, workspace.of("matches")) for files in _by_game(found, measure)]
    return MatchesView(matches=summaries, standings=standings, unreadable=unreadable)


@router.get("/matches/{name}")
def match(request: Request, name: Name) -> MatchDetail:
    """Return the result of a match, with its course."""
    path = request.app.state.services.workspace.existing("matches", name, SUFFIX)
    result = _results.of(path)
    scale = result.unit[1]
    return MatchDetail(
        **{
            **_summary(path, result).model_dump(),
            "measures": [
                {**short, **_detail(measure, result, scale)}
                for short, measure in zip(summary(result)["measures"], result.measures, strict=True)
            ],
        },
        endings=[
            EndingView(street=end.street, showdown=end.showdown, hands=end.hands, won=end.total_chips)
            for end in result.endings
        ],
    )


@router.get(
    "/matches/{name}/file",
    response_class=FileResponse,
    responses={200: {"content": {"application/octet-stream": {}}, "description": "The file."}},
)
def match_file(request: Request, name: Name) -> FileResponse:
    """Return the file of a match, which `errai standings` reads."""
    path = request.app.state.services.workspace.existing("matches", name, SUFFIX)
    return FileResponse(path, media_type="application/octet-stream", filename=path.name)


@router.delete("/matches/{name}", status_code=204)
def delete_match(request: Request, name: Name) -> None:
    """Remove the result of a match."""
    request.app.state.services.workspace.existing("matches", name, SUFFIX).unlink(missing_ok=True)


def _summary(path: Path, result: MatchResult) -> MatchSummary:
    return MatchSummary(name=path.name.removesuffix(SUFFIX), modified=stamp(path)[2] / 1e9, **summary(result))


def _detail(measure: Measure, result: MatchResult, scale: float) -> dict[str, Any]:
    tables = 2 if result.duplicate else 1
    running = measure.running
    points = [
        bounds(float(mean), float(error), int(hands) // tables, scale)
        for hands, mean, error in zip(running.hands, running.mean_chips, running.standard_error_chips, strict=True)
    ]
    return {
        "method": measure.method,
        "curve": {
            "hands": running.hands.tolist(),
            **{key: [point[key] for point in points] for key in ("mean", "low", "high")},
        },
        "by_seat": [
            {"hands": one.hands.n, **scaled(one.hands.mean if one.hands.n else None, one.interval, scale)}
            for one in measure.by_seat
        ],
    }


def _by_game(found: list[tuple[Path, MatchResult]], measure: str) -> Iterator[list[tuple[Path, MatchResult]]]:
    """Yield the matches of each game that have the measure; of matches that are the same, the longest."""
    games: dict[str, dict[tuple[Any, ...], tuple[Path, MatchResult]]] = {}
    for path, result in found:
        if not result.hands or result.measure(measure) is None:
            continue
        one = (frozenset(result.players), result.seed, result.duplicate)
        known = games.setdefault(result.digest, {}).get(one)
        if known is None or known[1].hands < result.hands:
            games[result.digest][one] = path, result
    for matches in games.values():
        yield sorted(matches.values(), key=lambda one: one[0])


def _standings(files: list[tuple[Path, MatchResult]], measure: str, folder: Path) -> StandingsView:
    pool = make_pool([(path.name, result) for path, result in files], measure)
    standing, missing = None, None
    try:
        standing = bankroll(pool)
    except MatchError as error:
        missing = str(error)
    document = standings_document(pool, () if standing is None else (standing,), None)
    players = list(pool.players) if standing is None else [rank.player for rank in standing.ranks]
    order = [pool.players.index(player) for player in players]
    table = document["crosstable"]

    def rows(numbers: list[list[float | None]], scale: float) -> list[list[float | None]]:
        return [[None if (x := numbers[i][j]) is None else scale * x for j in order] for i in order]

    ranks = document["standings"][0]["ranks"] if standing is not None else []
    words = ["errai", "standings", *(str(folder / path.name) for path, _ in files), "--measure", measure]
    return StandingsView(
        game=pool.title,
        unit=pool.unit,
        measure=measure,
        players=players,
        mean=rows(table["mean"], 1.0),
        half_width=rows(table["standard_error"], 1.96),
        ranks=[
            RankView(**{**rank, "low": rank["interval"]["low"], "high": rank["interval"]["high"]}) for rank in ranks
        ],
        missing=missing,
        command=shlex.join(words),
    )
