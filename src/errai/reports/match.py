"""The report of a match: one self-contained page of HTML, its pictures, and the same as JSON."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any

from errai.arena.intervals import Histogram
from errai.arena.results import CHIPS, MatchResult, Measure
from errai.engine.status import Outcome
from errai.pictures.arena_results import Row, RunningLine, distribution_drawing, intervals_drawing, running_drawing
from errai.pictures.canvas import Drawing
from errai.reports.page import PICTURE_WIDTH, page, picture, table, write_files

NAMES = {CHIPS: "chips won", "aivat": "AIVAT", "importance": "importance sampling"}


@dataclass(frozen=True)
class Statement:
    """A number about a match that was computed or given and not measured from its hands."""

    name: str
    kind: str
    """'exact', 'lower bound', 'upper bound' or 'estimate'."""
    method: str
    value_chips: float
    low_chips: float | None = None
    high_chips: float | None = None
    n: int | None = None
    """Number of hands or samples; None if the number is exact."""


def write_report(result: MatchResult, folder: Path, statements: tuple[Statement, ...] = ()) -> list[Path]:
    """Write ``report.html``, ``report.json`` and the pictures (SVG) of a match into a folder.

    The folder is created if it does not exist.

    Raises
    ------
    DiskSpaceError, FileAccessError
        The folder or a file cannot be written.
    """
    drawings = match_drawings(result, statements)
    document = {**result.document(), "statements": [statement_document(result, s) for s in statements]}
    body = [_summary(result), _measures_table(result, statements)]
    body += [picture(drawing) for drawing in drawings.values()]
    body += [_endings_table(result), _settings(result)]
    title = f"{result.players[0]} against {result.players[1]}"
    return write_files(folder, page(title, body), document, drawings)


def match_drawings(result: MatchResult, statements: tuple[Statement, ...] = ()) -> dict[str, Drawing]:
    """Return the pictures of a report by name."""
    unit, scale = result.unit
    exact = next((s.value_chips * scale for s in statements if s.kind == "exact"), None)
    first = result.players[0]
    lines = [
        RunningLine(NAMES.get(m.name, m.name), m.running.hands, m.running.mean_chips * scale, _errors(m) * scale)
        for m in result.measures
    ]
    chips = result.measures[0]
    all_hands = Histogram.union(*(seat.hands for seat in chips.by_seat))
    drawings = {
        "running": running_drawing(lines, unit=unit, title=f"What {first} has won", exact=exact, width=PICTURE_WIDTH),
        "distribution": distribution_drawing(
            all_hands.values,
            all_hands.counts,
            unit="chips",
            title=f"Results of single hands of {first}",
            width=PICTURE_WIDTH,
        ),
    }
    rows = [_row(f"{NAMES.get(m.name, m.name)}, both seats", m.mean_chips, m.interval, scale) for m in result.measures]
    rows += [
        _row(f"{NAMES.get(m.name, m.name)}, seat {seat}", at.hands.mean, at.interval, scale)
        for m in result.measures
        for seat, at in enumerate(m.by_seat)
        if at.hands.n
    ]
    drawings["seats"] = intervals_drawing(rows, unit=unit, title="By seat, with 95 % intervals", width=PICTURE_WIDTH)
    if result.endings:
        shares = []
        for e in result.endings:
            adds = e.total_chips * scale / result.hands
            label = f"{e.street}, {'showdown' if e.showdown else 'fold'}"
            shares.append(Row(label, adds, adds, adds, f"{e.hands / result.hands:.1%} of the hands"))
        title = "Where chips were won and lost, by the end of the hand"
        drawings["endings"] = intervals_drawing(shares, unit=unit, title=title, width=PICTURE_WIDTH)
    return drawings


def _errors(measure: Measure) -> Any:
    return measure.running.standard_error_chips


def _row(label: str, mean: float, interval: Any, scale: float) -> Row:
    low, high = (mean, mean) if interval is None else (interval.low, interval.high)
    return Row(label, mean * scale, low * scale, high * scale)


def _summary(result: MatchResult) -> str:
    unit, scale = result.unit
    best = min(result.measures, key=lambda m: m.standard_error_chips if m.standard_error_chips > 0 else float("inf"))
    first, second = (escape(name) for name in result.players)
    if best.interval is None:
        verdict = "Too few hands were played to decide which player is ahead."
    elif best.interval.low > 0:
        verdict = f"<b>{first}</b> is ahead of {second}: the interval does not contain 0."
    elif best.interval.high < 0:
        verdict = f"<b>{second}</b> is ahead of {first}: the interval does not contain 0."
    else:
        verdict = "Neither player is significantly ahead: the interval contains 0."
    reach = (
        ""
        if best.interval is None
        else (f" (95 %: {best.interval.low * scale:+,.4g} to {best.interval.high * scale:+,.4g})")
    )
    state = {
        Outcome.DONE: "",
        Outcome.INTERRUPTED: f" The match was stopped after {result.hands:,} of {result.hands_wanted:,} hands.",
        Outcome.FAILED: f" The match ended early: {escape(result.error)}",
    }[result.status]
    return (
        f"<p>{first} won <b>{best.mean_chips * scale:+,.4g} {unit}</b>{reach} from {second} in {result.hands:,} hands "
        f"of {escape(result.title)}, by {escape(NAMES.get(best.name, best.name))}. {verdict}{state}</p>"
    )


def _measures_table(result: MatchResult, statements: tuple[Statement, ...]) -> str:
    unit, scale = result.unit
    head = [
        "measure",
        "is",
        "method",
        "hands",
        unit,
        "standard error",
        "95 % interval",
        "standard deviation per hand",
        "interval method",
    ]
    rows = []
    luck = result.measures[0].standard_error_chips
    for m in result.measures:
        name = NAMES.get(m.name, m.name)
        if m is not result.measures[0] and luck > 0:
            name += f" ({1 - m.standard_error_chips / luck:.1%} less error)"
        interval = m.interval
        rows.append(
            [
                name,
                "an unbiased estimate",
                m.method,
                f"{result.hands:,}",
                f"{m.mean_chips * scale:+,.4g}",
                f"{m.standard_error_chips * scale:,.4g}",
                "" if interval is None else f"{interval.low * scale:+,.4g} to {interval.high * scale:+,.4g}",
                f"{m.std_chips * scale:,.4g}",
                "" if interval is None else interval.method,
            ]
        )
    for s in statements:
        ends = (
            ""
            if s.low_chips is None or s.high_chips is None
            else (f"{s.low_chips * scale:+,.4g} to {s.high_chips * scale:+,.4g}")
        )
        count = "" if s.n is None else f"{s.n:,}"
        rows.append([s.name, s.kind, s.method, count, f"{s.value_chips * scale:+,.4g}", "", ends, "", ""])
    return table("Results and their uncertainty", head, rows, text_columns=3)


def _endings_table(result: MatchResult) -> str:
    unit, scale = result.unit
    rows = [
        [
            f"{e.street}, {'showdown' if e.showdown else 'fold'}",
            f"{e.hands:,}",
            f"{e.hands / result.hands:.2%}",
            f"{e.total_chips / e.hands:+,.4g}",
            f"{e.total_chips * scale / result.hands:+,.4g}",
        ]
        for e in result.endings
    ]
    return table("By the end of the hand", ["end", "hands", "share", "mean chips", f"contribution, {unit}"], rows)


def _settings(result: MatchResult) -> str:
    rows = [
        ["game", f"{result.title} ({result.game})"],
        ["rules", result.digest],
        ["big blind", "none" if result.big_blind_chips is None else f"{result.big_blind_chips:g} chips"],
        ["hands", f"{result.hands:,} of {result.hands_wanted:,}, {result.status}"],
        ["play", "duplicate: every deal twice, seats exchanged" if result.duplicate else "seats alternate"],
        ["seed", str(result.seed)],
        ["Errai", result.version],
        ["command", result.command or "none; played from Python"],
    ]
    return table("Settings", ["", ""], rows, text_columns=2)


def statement_document(result: MatchResult, s: Statement) -> dict[str, Any]:
    """Return a statement for JSON."""

    def amount(chips: float | None) -> dict[str, float | None] | None:
        return None if chips is None else {"chips": chips, "mbb": result.mbb(chips)}

    return {
        "name": s.name,
        "kind": s.kind,
        "method": s.method,
        "value": amount(s.value_chips),
        "low": amount(s.low_chips),
        "high": amount(s.high_chips),
        "n": s.n,
    }
