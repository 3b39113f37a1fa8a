"""Matches: results that were played here or put into the folder, and the standings over all of them."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from functools import lru_cache
from itertools import combinations
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np
from fastapi import APIRouter, Query
from fastapi.responses import FileResponse
from pydantic import BaseModel, ConfigDict, Field

from errai.arena.results import CHIPS, SUFFIX, MatchResult, Measure, read_result
from errai.arena.standings import Rank, bankroll, make_pool
from errai.errors import ArtefactError, InputError
from errai.games.catalogue import catalogue, load_game
from errai.own_code import fault_text
from errai.reports import rows_for_json
from errai.web.files import Stamp, stamp
from errai.web.kinds.match import bounds, scaled, summary
from errai.web.routes import Name, TheServices

router = APIRouter(tags=["matches"])

MeasureName = Literal["chips", "aivat", "importance"]


class WinningsView(BaseModel):
    """The winnings of the first agent, in the unit of the match."""

    mean: float | None
    low: float | None
    """The 95 % interval; null for fewer than two hands."""
    high: float | None


class MeasureView(WinningsView):
    """The winnings by one measure."""

    name: str


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


class StandingsView(BaseModel):
    """The standings of one game, in its unit, by the winnings against all others."""

    game: str
    unit: str
    measure: str
    players: list[str]
    """In the order of the ranks; those without one come last."""
    mean: list[list[float | None]]
    half_width: list[list[float | None]]
    """What the player of the row wins from that of the column, and half of its 95 % interval."""
    ranks: list[Rank]
    """Of those who have all met each other."""
    missing: str | None
    """Who has no rank, and why."""
    not_met: list[list[str]]
    """The pairs whose match would give everybody a rank."""
    subject: str | None
    """The name of the game in the catalogue, if it is there."""
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


class SeatView(WinningsView):
    """The winnings in one seat."""

    hands: int


class MeasureDetail(MeasureView):
    """A measure with its course."""

    method: str
    curve: CurveView
    by_seat: list[SeatView]


class EndingView(BaseModel):
    """Hands that ended on one street in one way, and the chips that the first agent won in them."""

    model_config = ConfigDict(from_attributes=True)
    street: str
    showdown: bool
    hands: int
    won: float = Field(validation_alias="total_chips")


class MatchDetail(MatchSummary):
    """The result of a match in detail."""

    measures: list[MeasureDetail]  # type: ignore[assignment]
    endings: list[EndingView]


@router.get("/matches")
def list_matches(services: TheServices, measure: Annotated[MeasureName, Query()] = CHIPS) -> MatchesView:  # type: ignore[assignment]
    """List the results of all matches, and the standings by a measure, for each game over the matches that have it."""
    workspace = services.workspace
    found: list[tuple[File, MatchResult]] = []
    unreadable = {}
    for name in workspace.names("matches", SUFFIX):
        try:
            path = workspace.path("matches", name, SUFFIX)
            file = path, stamp(path.stat())
            found.append((file, _result(file)))
        except FileNotFoundError:
            continue  # It has been removed just now.
        except (ArtefactError, InputError) as error:
            unreadable[name] = str(error)
        # Whatever a damaged file does, it does to its own entry of the list.
        except Exception as error:
            unreadable[name] = f"The file is damaged ({fault_text(error)}); delete it, or put it back."
    found.sort(key=lambda one: (-one[0][1][2], one[0][0].name))
    return MatchesView(
        matches=[MatchSummary(**_about(file), **summary(result)) for file, result in found],
        standings=[_standings(files, measure) for files in _by_game(found, measure)],
        unreadable=unreadable,
    )


@router.get("/matches/{name}")
def match(services: TheServices, name: Name) -> MatchDetail:
    """Return the result of a match, with its course."""
    path = services.workspace.existing("matches", name, SUFFIX)
    file = path, stamp(path.stat())
    result = _result(file)
    about = summary(result)
    for one, measure in zip(about["measures"], result.measures, strict=True):
        one |= _detail(measure, result)
    return MatchDetail(**_about(file), **about, endings=[EndingView.model_validate(end) for end in result.endings])


@router.get(
    "/matches/{name}/file",
    response_class=FileResponse,
    responses={200: {"content": {"application/octet-stream": {}}, "description": "The file."}},
)
def match_file(services: TheServices, name: Name) -> FileResponse:
    """Return the file of a match, which `errai standings` reads."""
    path = services.workspace.existing("matches", name, SUFFIX)
    return FileResponse(path, media_type="application/octet-stream", filename=path.name)


@router.delete("/matches/{name}", status_code=204)
def delete_match(services: TheServices, name: Name) -> None:
    """Remove the result of a match."""
    services.workspace.existing("matches", name, SUFFIX).unlink(missing_ok=True)


File = tuple[Path, Stamp]
"""A file with these contents."""


@lru_cache(maxsize=10_000)
def _result(file: File) -> MatchResult:
    """Return the result in a file, which is read once.  Raises :class:`ArtefactError`."""
    return read_result(file[0])


def _about(file: File) -> dict[str, Any]:
    path, contents = file
    return {"name": path.name.removesuffix(SUFFIX), "modified": contents[2] / 1e9}


def _detail(measure: Measure, result: MatchResult) -> dict[str, Any]:
    running, tables, scale = measure.running, 2 if result.duplicate else 1, result.unit[1]
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


def _by_game(found: list[tuple[File, MatchResult]], measure: str) -> Iterator[tuple[File, ...]]:
    """Yield the matches of each game that have the measure; of matches that are the same, the longest."""
    games: dict[str, dict[tuple[Any, ...], tuple[File, MatchResult]]] = {}
    for file, result in found:
        if not result.hands or result.measure(measure) is None:
            continue
        one = (frozenset(result.players), result.seed, result.duplicate)
        known = games.setdefault(result.digest, {}).get(one)
        if known is None or known[1].hands < result.hands:
            games[result.digest][one] = file, result
    for matches in games.values():
        yield tuple(sorted(file for file, _ in matches.values()))


def _who_met(players: tuple[str, ...], not_met: list[tuple[str, str]]) -> set[str]:
    """Return players who have all met each other: whoever lacks most matches is left out until nobody lacks one."""
    left = set(players)
    while any(left >= {*pair} for pair in not_met):
        lacking = [one for pair in not_met if left >= {*pair} for one in pair]
        left.remove(max(sorted(left), key=lacking.count))
    return left


def _opponents(player: str, not_met: list[tuple[str, str]]) -> str:
    return ", ".join(other for pair in not_met if player in pair for other in pair if other != player)


@lru_cache(maxsize=50)
def _standings(files: tuple[File, ...], measure: str) -> StandingsView:
    """Return the standings over matches of one game."""
    results = [(file[0].name, _result(file)) for file in files]
    pool = make_pool(results, measure)
    not_met = [pair for pair in combinations(pool.players, 2) if not pool.met(*map(pool.players.index, pair)).n]
    ranked = _who_met(pool.players, not_met)
    ranks = bankroll(make_pool([one for one in results if ranked >= {*one[1].players}], measure)).ranks
    others = [player for player in pool.players if player not in ranked]
    players = [*(rank.player for rank in ranks), *others]
    missing = [f"{one} has no rank, because it has not met {_opponents(one, not_met)}." for one in others]
    first = results[0][1]
    known = first.game in catalogue() and load_game(first.game).digest() == first.digest
    order = [pool.players.index(player) for player in players]
    means, errors = (numbers[np.ix_(order, order)] for numbers in pool.table())
    return StandingsView(
        game=pool.title,
        unit=pool.unit,
        measure=measure,
        players=players,
        mean=rows_for_json(means),
        half_width=rows_for_json(1.96 * errors),
        ranks=list(ranks),
        missing=" ".join(missing) or None,
        not_met=[[*pair] for pair in not_met],
        subject=first.game if known else None,
        command=shlex.join(["errai", "standings", *(str(path) for path, _ in files), "--measure", measure]),
    )
