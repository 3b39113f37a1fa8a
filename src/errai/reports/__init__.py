"""Reports of matches and of standings: self-contained pages of HTML, their pictures, and the same as JSON.

A page has its pictures inside, no scripts, and the dark scheme of the reader's system.  On a narrow screen it does not
scroll sideways: pictures shrink, and tables show each row as a list of its cells with the headings of their columns.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from html import escape
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from errai.arena.intervals import CONFIDENCE, Histogram, Interval
from errai.arena.results import CHIPS, Ending, MatchResult
from errai.arena.standings import SIGNIFICANT, Pool, Rank, Standing, Tiers
from errai.engine.status import Outcome
from errai.pictures import arena_results
from errai.pictures.arena_results import Row, RunningLine, intervals_drawing, running_drawing
from errai.pictures.canvas import FONT_STACK, Drawing
from errai.pictures.palette import INK, PAPER, RULE, SOFT_INK, hex_colour
from errai.store.atomic import make_folder, write_file

NAMES = {CHIPS: "chips won", "aivat": "AIVAT", "importance": "importance sampling"}

PICTURE_WIDTH = 520.0
"""Width of a picture in pixels: small enough that its text can still be read where a phone shrinks it."""

_STYLE = f"""\
:root {{
  color-scheme: light dark;
  --ink: {hex_colour(INK)}; --soft: {hex_colour(SOFT_INK)}; --rule: {hex_colour(RULE)}; --paper: {hex_colour(PAPER)};
}}
@media (prefers-color-scheme: dark) {{
  :root {{
    --ink: {hex_colour(INK.dark)}; --soft: {hex_colour(SOFT_INK.dark)};
    --rule: {hex_colour(RULE.dark)}; --paper: {hex_colour(PAPER.dark)};
  }}
}}
body {{ font: 15px/1.5 {FONT_STACK}; max-width: 62rem; margin: 2rem auto; padding: 0 1rem; }}
body {{ color: var(--ink); background: var(--paper); overflow-wrap: anywhere; }}
h1 {{ font-size: 1.6rem; }} h2 {{ font-size: 1.15rem; margin-top: 2rem; }}
.wide {{ overflow-x: auto; }}
table {{ border-collapse: collapse; font-size: 13px; }}
th, td {{ padding: .3rem .7rem; text-align: right; vertical-align: top; border-bottom: 1px solid var(--rule); }}
th {{ color: var(--soft); font-weight: normal; overflow-wrap: normal; }}
td {{ overflow-wrap: normal; }}
.text {{ text-align: left; }}
svg {{ max-width: 100%; height: auto; display: block; margin: 1.5rem 0; }}
@media (max-width: 44rem) {{
  table, tbody, tr, td {{ display: block; }}
  tr.head {{ display: none; }}
  tr {{ padding: .5rem 0; border-bottom: 1px solid var(--rule); }}
  td, td.text {{ display: flex; justify-content: space-between; gap: 1rem; padding: .1rem 0; border: 0; }}
  td, td.text {{ text-align: right; overflow-wrap: anywhere; }}
  td[data-column]::before {{ content: attr(data-column); color: var(--soft); text-align: left; flex: none; }}
  td:empty {{ display: none; }}
}}
"""


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
    """Write ``report.html``, ``report.json`` and the pictures (SVG) of a match into a folder, which is made if missing.

    Raises :class:`DiskSpaceError` or :class:`FileAccessError` if the folder or a file cannot be written.
    """
    pictures = {name: drawing.svg() for name, drawing in match_drawings(result, statements).items()}
    body = [_summary(result), _measures_table(result, statements), *pictures.values()]
    settings = [
        ["game", f"{result.title} ({result.game})"],
        ["rules", result.digest],
        ["big blind", "none" if result.big_blind_chips is None else f"{result.big_blind_chips:g} chips"],
        ["hands", f"{result.hands:,} of {result.hands_wanted:,}, {result.status}"],
        ["play", _play(result)],
        ["seed", str(result.seed)],
        ["Errai", result.version],
        ["command", result.command or "none; played from Python"],
    ]
    unit, scale = result.unit
    endings = [
        [
            _end(e),
            f"{e.hands:,}",
            f"{e.hands / result.hands:.2%}",
            f"{e.total_chips / e.hands:+,.4g}",
            f"{e.total_chips * scale / result.hands:+,.4g}",
        ]
        for e in result.endings
    ]
    head = ["end", "hands", "share", "mean chips", f"contribution, {unit}"]
    body += [table("By the end of the hand", head, endings), table("Settings", ["", ""], settings, text_columns=2)]
    document = {**result.document(), "statements": [statement_document(result, s) for s in statements]}
    return write_page(folder, f"{result.players[0]} against {result.players[1]}", body, pictures, document)


def _play(result: MatchResult) -> str:
    if result.boards:
        return "none: expected winnings over all hands on drawn boards, which count once for each seat"
    return "duplicate: every deal twice, seats exchanged" if result.duplicate else "seats alternate"


def match_drawings(result: MatchResult, statements: tuple[Statement, ...] = ()) -> dict[str, Drawing]:
    """Return the pictures of a report by name."""
    unit, scale = result.unit
    exact = next((s.value_chips * scale for s in statements if s.kind == "exact"), None)
    first = result.players[0]
    lines, both_seats, single_seats = [], [], []
    for m in result.measures:
        name, run = NAMES.get(m.name, m.name), m.running
        lines.append(RunningLine(name, run.hands, run.mean_chips * scale, run.standard_error_chips * scale))
        both_seats.append(_row(f"{name}, both seats", m.mean_chips, m.interval, scale))
        for seat, at in enumerate(m.by_seat):
            if at.hands.n:
                single_seats.append(_row(f"{name}, seat {seat}", at.hands.mean, at.interval, scale))
    hands = Histogram.union(*(seat.hands for seat in result.measures[0].by_seat))
    title = f"Results of single hands of {first}"
    drawings = {
        "running": running_drawing(lines, unit=unit, title=f"What {first} has won", exact=exact, width=PICTURE_WIDTH),
        "distribution": arena_results.distribution_drawing(
            hands.values, hands.counts, unit="chips", title=title, width=PICTURE_WIDTH
        ),
        "seats": intervals_drawing(
            both_seats + single_seats, unit=unit, title="By seat, with 95 % intervals", width=PICTURE_WIDTH
        ),
    }
    if result.endings:
        shares = [
            _row(_end(e), e.total_chips / result.hands, None, scale, f"{e.hands / result.hands:.1%} of the hands")
            for e in result.endings
        ]
        title = "Where chips were won and lost, by the end of the hand"
        drawings["endings"] = intervals_drawing(shares, unit=unit, title=title, width=PICTURE_WIDTH)
    return drawings


def _row(label: str, mean: float, interval: Interval | None, scale: float = 1.0, remark: str = "") -> Row:
    low, high = (mean, mean) if interval is None else (interval.low, interval.high)
    return Row(label, mean * scale, low * scale, high * scale, remark)


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
    reach = "" if best.interval is None else f" (95 %: {_reach(best.interval.low, best.interval.high, scale)})"
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
    rows = []
    luck = result.measures[0].standard_error_chips
    for m in result.measures:
        name = NAMES.get(m.name, m.name)
        if m is not result.measures[0] and luck > 0:
            name += f" ({1 - m.standard_error_chips / luck:.1%} less error)"
        interval = m.interval
        rows.append(
            {
                "measure": name,
                "is": "an unbiased estimate",
                "method": m.method,
                "hands": f"{result.hands:,}",
                unit: f"{m.mean_chips * scale:+,.4g}",
                "standard error": f"{m.standard_error_chips * scale:,.4g}",
                "95 % interval": "" if interval is None else _reach(interval.low, interval.high, scale),
                "standard deviation per hand": f"{m.std_chips * scale:,.4g}",
                "interval method": "" if interval is None else interval.method,
            }
        )
    head = list(rows[0])
    for s in statements:
        row = {"measure": s.name, "is": s.kind, "method": s.method, unit: f"{s.value_chips * scale:+,.4g}"}
        if s.low_chips is not None and s.high_chips is not None:
            row["95 % interval"] = _reach(s.low_chips, s.high_chips, scale)
        rows.append(row if s.n is None else {**row, "hands": f"{s.n:,}"})
    cells = [[row.get(column, "") for column in head] for row in rows]
    return table("Results and their uncertainty", head, cells, text_columns=3)


def _reach(low: float, high: float, scale: float) -> str:
    return f"{low * scale:+,.4g} to {high * scale:+,.4g}"


def _end(ending: Ending) -> str:
    return f"{ending.street}, {'showdown' if ending.showdown else 'fold'}"


def statement_document(result: MatchResult, s: Statement) -> dict[str, Any]:
    """Return a statement for JSON."""
    bounds = {"value": s.value_chips, "low": s.low_chips, "high": s.high_chips}
    amounts = {
        name: None if chips is None else {"chips": chips, "mbb": result.mbb(chips)} for name, chips in bounds.items()
    }
    return {"name": s.name, "kind": s.kind, "method": s.method, **amounts, "n": s.n}


# --- standings ---


def standings_document(
    pool: Pool, standings: tuple[Standing, ...], tiers: Tiers | None, against: str = ""
) -> dict[str, Any]:
    """Return the whole report for JSON; ``docs/arena.md`` lists the fields."""
    means, errors = map(rows_for_json, pool.table())
    size = range(len(pool.players))
    return {
        "game": pool.title,
        "unit": pool.unit,
        "measure": pool.measure,
        "players": list(pool.players),
        "crosstable": {
            "mean": means,
            "standard_error": errors,
            "hands": [[pool.hands.get((min(i, j), max(i, j)), 0) for j in size] for i in size],
        },
        "standings": [
            {
                "event": standing.event,
                "ranks": [
                    {
                        "place": rank.place,
                        "player": rank.player,
                        "score": rank.score,
                        "interval": _interval_document(rank),
                        "above_next": rank.above_next,
                    }
                    for rank in standing.ranks
                ],
                "above": standing.above.tolist(),
            }
            for standing in standings
        ],
        "tiers": None
        if tiers is None
        else {
            "against": against,
            "tiers": [
                {"players": list(tier.players), "mean": tier.mean, "interval": _interval_document(tier.interval)}
                for tier in tiers.tiers
            ],
            "splits": [
                {**asdict(split), "upper": list(split.upper), "lower": list(split.lower)} for split in tiers.splits
            ],
        },
    }


def rows_for_json(table: NDArray[np.float64]) -> list[list[float | None]]:
    """Return a table for JSON, which has no NaN: None stands for it."""
    return [[None if math.isnan(x) else x for x in row] for row in table.tolist()]


def _interval_document(found: Interval | Rank | None) -> dict[str, float] | None:
    return None if found is None else {"confidence": CONFIDENCE, "low": found.low, "high": found.high}


def write_standings_report(
    pool: Pool, standings: tuple[Standing, ...], tiers: Tiers | None, folder: Path, *, against: str = "", command: str
) -> list[Path]:
    """Write the report of standings as :func:`write_report` writes that of a match; raises as that does."""
    pictures = {name: one.svg() for name, one in standings_drawings(pool, standings, tiers, against).items()}
    hands = sum(pool.hands.values())
    body = [
        f"<p>{len(pool.players)} players, {hands:,} hands. All numbers are unbiased estimates, in {pool.unit}. Players "
        f"share a place unless its first player is ahead of them in at least {SIGNIFICANT:.0%} of the bootstrap "
        "samples of the pairs of hands of all matches.</p>"
    ]
    for standing in standings:
        rows = [
            [
                str(rank.place),
                rank.player,
                f"{rank.score:+,.4g}",
                _reach(rank.low, rank.high, 1.0),
                "" if rank.above_next is None else f"{rank.above_next:.1%}",
            ]
            for rank in standing.ranks
        ]
        head = ["place", "player", pool.unit, "95 % interval", "share of samples ahead of the next"]
        body.append(table(standing.event.capitalize(), head, rows, text_columns=2))
    if tiers is not None:
        tests = [
            [
                ", ".join(split.upper),
                ", ".join(split.lower),
                f"{split.difference:+,.4g}",
                f"{split.p_value:.3g}",
                "yes" if split.significant else "no",
            ]
            for split in tiers.splits
        ]
        head = ["above", "below", f"difference, {pool.unit}", "p, corrected", "split"]
        if tests:
            body.append(table(f"Splits into tiers, against {against}", head, tests, text_columns=2))
    body += pictures.values()
    body.append(table("Settings", ["", ""], [["measure", pool.measure], ["command", command]], text_columns=2))
    document = {**standings_document(pool, standings, tiers, against), "command": command}
    return write_page(folder, f"Standings: {pool.title}", body, pictures, document)


def standings_drawings(
    pool: Pool, standings: tuple[Standing, ...], tiers: Tiers | None, against: str = ""
) -> dict[str, Drawing]:
    """Return the pictures of the report by name."""
    means, errors = pool.table()
    # Players are in the order of the first event.
    names = [rank.player for rank in standings[0].ranks] if standings else list(pool.players)
    order = [pool.players.index(name) for name in names]
    drawings = {
        "crosstable": arena_results.crosstable_drawing(
            names, means[order][:, order], errors[order][:, order], unit=pool.unit, title="Results of all pairs"
        )
    }
    for standing in standings:
        rows = [Row(f"{r.place}. {r.player}", r.score, r.low, r.high) for r in standing.ranks]
        name = standing.event.replace(" ", "-")
        drawings[name] = intervals_drawing(rows, unit=pool.unit, title=standing.event.capitalize())
    if tiers is not None:
        rows = []
        for i, tier in enumerate(tiers.tiers, start=1):
            count = f"{len(tier.players)} player{'s' if len(tier.players) > 1 else ''}"
            rows.append(_row(f"tier {i}", tier.mean, tier.interval, remark=count))
        drawings["tiers"] = intervals_drawing(rows, unit=pool.unit, title=f"Tiers against {against}")
    return drawings


# --- pages ---


def table(title: str, head: Sequence[str], rows: Sequence[Sequence[str]], text_columns: int = 1) -> str:
    """Return a table with a title; all cells are text, and the first ``text_columns`` are aligned to the left."""

    def cell(tag: str, text: str, column: int, name: str = "") -> str:
        side = ' class="text"' if column < text_columns else ""
        named = f' data-column="{escape(name)}"' if name else ""
        return f"<{tag}{side}{named}>{escape(text)}</{tag}>"

    heading = ""
    if any(head):
        heading = f'<tr class="head">{"".join(cell("th", text, i) for i, text in enumerate(head))}</tr>\n'
    lines = "\n".join(f"<tr>{''.join(cell('td', text, i, head[i]) for i, text in enumerate(row))}</tr>" for row in rows)
    return f'<h2>{escape(title)}</h2>\n<div class="wide"><table>\n{heading}{lines}\n</table></div>'


def write_page(
    folder: Path, title: str, body: Sequence[str], pictures: Mapping[str, str], document: Any, *, style: str = ""
) -> list[Path]:
    """Write ``report.html`` of pieces of HTML, ``report.json`` and the pictures into a folder, each atomically."""
    page = (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title)}</title>\n<style>\n{_STYLE}{style}</style>\n</head>\n<body>\n<h1>{escape(title)}</h1>\n"
        + "\n".join(body)
        + "\n</body>\n</html>\n"
    )
    make_folder(folder)
    written = {
        folder / "report.html": page,
        folder / "report.json": json.dumps(document, indent=1, allow_nan=False) + "\n",
        **{folder / f"{name}.svg": text for name, text in pictures.items()},
    }
    for path, text in written.items():
        write_file(path, text)
    return list(written)
