"""The figures of the field's history, from docs/history/history.toml and from our own measurements in it.

    scripts/history                  # writes docs/images/history-*.svg
    scripts/history -o pictures/     # writes them elsewhere, as SVG and PNG
    scripts/history --tables         # prints the tables of the page, and draws nothing

Every row of the file needs a year, a name, a source, and how the number was read; a row that lacks one is refused
before anything is drawn.  Circles are published, filled squares are Errai's own; the bar of an own point is its 95 %
interval.  Hollow circles are numbers from memory, or sizes of abstract games.
"""

from __future__ import annotations

import argparse
import math
import sys
import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from common.machine import ROOT

from errai.pictures.canvas import Drawing, text_width
from errai.pictures.palette import INK, PAPER, SERIES, SOFT_INK
from errai.pictures.plot import Axis, Plot, tick_text

FILE = ROOT / "docs" / "history" / "history.toml"
NUMBERS = {"exploitability": "mbb", "size": "states", "convergence": "mbb", "generation": "exploitability"}
"""The tables of the file, each with the number (of a convergence, the numbers) that its rows are about."""
READ = ("collected", "measured", "memory", "read", "recomputed", "secondhand")

Row = dict[str, Any]


def read_history(path: Path = FILE) -> dict[str, list[Row]]:
    """Read the data, and check every row.  Raises SystemExit with the row that is wrong."""
    tables = tomllib.loads(path.read_text(encoding="utf-8"))
    for kind, rows in tables.items():
        if kind not in NUMBERS:
            raise SystemExit(f"{path} has a table {kind!r}; it may have {', '.join(NUMBERS)}.")
        for row in rows:
            number = row.get(NUMBERS[kind])
            numbers = number if kind == "convergence" and isinstance(number, list) else [number]
            if not all(isinstance(each, int | float) and 0 < each < 1e18 for each in numbers):
                raise SystemExit(f"{path}: {row.get('name')!r} of {kind} has {number!r} as {NUMBERS[kind]}.")
            if kind == "convergence" and len(row.get("iterations", ())) != len(numbers):
                raise SystemExit(f"{path}: {row.get('name')!r} of {kind} has not as many iterations as values.")
            if not all(row.get(key) for key in ("name", "source")) or row.get("read") not in READ:
                raise SystemExit(f"{path}: {row.get('name')!r} of {kind} lacks a name, a source or how it was read.")
            if kind in ("exploitability", "size") and not 1940 <= row.get("year", 0) <= 2100:
                raise SystemExit(f"{path}: {row['name']!r} of {kind} has no year.")
    return tables


def hollow(row: Row) -> bool:
    """Return whether a row is drawn hollow: an abstract game, or a number that was checked against no text."""
    return bool(row.get("abstract", row["read"] == "memory"))


def by_year(rows: Sequence[Row], number: str, title: str, unit: str, meaning: str) -> Drawing:
    """Draw rows by year on a logarithmic axis, with their names beside them; ``meaning`` is that of hollow points."""
    years, values = [row["year"] for row in rows], [row[number] for row in rows]
    low, high = min(years) - 2, max(years) + 2
    drawing = Drawing(860.0, 480.0, description=title)
    up = Axis(math.floor(math.log10(min(values)) - 0.1), math.ceil(math.log10(max(values)) + 0.1), logarithmic=True)
    plot = Plot(drawing, Axis(low, high), up)
    plot.heading(title, unit)
    plot.mark_up(tick_text)
    plot.mark_across(lambda year: f"{year:.0f}", "year", about=8)
    points, bars = [], []
    for row in rows:
        own = bool(row.get("own"))
        x, y = plot.at(row["year"], row[number])
        colour = SERIES[1] if own else SERIES[0]
        if "low" in row:
            ends = [(x, plot.at(0, row[end])[1]) for end in ("low", "high")]
            drawing.path(ends, stroke=colour, width=1.6)
            bars += [(x - 3, x + 3, up + 4.0) for up in range(int(ends[1][1]), int(ends[0][1]), 8)]
        fill = PAPER if hollow(row) else colour
        drawing.rect(x - 4, y - 4, 8, 8, fill, stroke=colour, stroke_width=1.6, radius=0.0 if own else 4.0)
        told = f": {row['technique']}" if "technique" in row and not own else ""
        points.append((x, y, row["name"] + told))
    write_names(drawing, plot, points, bars)
    x = plot.right
    for name, fill, colour in (
        ("Errai", SERIES[1], SERIES[1]),
        (meaning, PAPER, SERIES[0]),
        ("published", SERIES[0], SERIES[0]),
    ):
        x -= text_width(name, 12) + 24
        drawing.rect(
            x, plot.top - 22, 8, 8, fill, stroke=colour, stroke_width=1.6, radius=0.0 if name == "Errai" else 4.0
        )
        drawing.text(x + 14, plot.top - 14, name, size=12)
    return drawing


def convergence_drawing(rows: Sequence[Row]) -> Drawing:
    """Draw exploitability against iterations, as figure 3 of Bowling et al. (2015) does against time."""
    title = "The way below one thousandth of a big blind"
    drawing = Drawing(860.0, 480.0, description=title)
    plot = Plot(drawing, Axis(math.log10(5), 3.6, logarithmic=True), Axis(-0.5, 3.5, logarithmic=True))
    plot.heading(title, "exploitability, mbb/g")
    plot.mark_up(tick_text)
    plot.mark_across(tick_text, "iterations", rules=True)
    plot.level(1.0, "essentially solved")
    names = [f"{row['name']}: {row['technique']}, {row['cost']}" for row in rows]
    x = plot.right - 8 - max(text_width(name, 12) for name in names)
    for number, (row, text) in enumerate(zip(rows, names, strict=True)):
        plot.line(list(zip(row["iterations"], row["mbb"], strict=True)), number)
        y = plot.top + 16 + 20 * number
        drawing.rect(x - 14, y - 8, 8, 8, SERIES[number], radius=4.0)
        drawing.text(x, y, text, size=12, halo=PAPER)
    return drawing


def tables(found: dict[str, list[Row]]) -> str:
    """Return the tables of the page: every published or own number with its source, by year."""
    lines = []
    for kind, heads in (("exploitability", ("program", "mbb/g")), ("size", ("game", "states"))):
        lines += ["", f"| year | {heads[0]} | {heads[1]} | source | |", "|---|---|---|---|---|"]
        for row in sorted(found[kind], key=lambda row: row["year"]):
            number = row[NUMBERS[kind]]
            value = f"{number:,.6g}" if number < 1e6 else f"{number:,}" if number % 10**6 else f"{number:.0e}"
            if "low" in row:
                value += f" ({row['low']:,.6g} to {row['high']:,.6g})"
            name = row["name"] + (f": {row['technique']}" if "technique" in row else "")
            said = "from memory" if row["read"] == "memory" else row["read"]
            lines.append(f"| {row['year']} | {name} | {value} | {row['source']} | {said} |")
    return "\n".join(lines[1:]) + "\n"


Place = tuple[float, float, float]
"""What a name must not cover: left and right end, and the baseline of a text there."""


def write_names(
    drawing: Drawing, plot: Plot, points: list[tuple[float, float, str]], bars: Sequence[Place] = ()
) -> None:
    """Write names beside points where they cover neither another point nor another name, nor one of ``bars``."""
    taken = [*bars, *((x - 6, x + 6, y + 4) for x, y, _ in points)]
    for x, y, name in sorted(points, key=lambda point: (-point[0], point[1])):
        width = text_width(name, 12)
        places = [
            (left, y + 4 + moved)
            for moved in (0, *(way * step for step in range(15, 91, 15) for way in (1, -1)))
            for left in (x + 9, x - 11 - width)
            if plot.left + 4 <= left and left + width <= plot.right
        ]
        left, at = next(
            (
                (left, at)
                for left, at in places
                if all(abs(at - other) >= 13 or left > end or left + width < begin for begin, end, other in taken)
            ),
            places[0],
        )
        taken.append((left, left + width, at))
        if abs(at - y - 4) > 1:
            drawing.path([(x, y), (left if left > x else left + width, at - 4)], stroke=SOFT_INK, width=0.6)
        drawing.text(left, at, name, size=12, fill=INK, halo=PAPER)


def generations_drawing(rows: Sequence[Row]) -> Drawing:
    """Draw exploitability against the loss to the strongest, as figure 5 of Johanson et al. (2011) does."""
    title = "Better in play is not harder to exploit"
    drawing = Drawing(760.0, 480.0, description=title)
    losses, tops = [row["loss"] for row in rows], [row.get("high", row["exploitability"]) for row in rows]
    room = max(losses) - min(losses) or 1.0
    plot = Plot(drawing, Axis(min(losses) - 0.15 * room, max(losses) + 0.3 * room), Axis(0.0, 1.1 * max(tops)))
    plot.heading(title, "exploitability, mbb/g (95 %)")
    plot.mark_up(tick_text)
    plot.mark_across(tick_text, "loss to the strongest, mbb/g")
    points = []
    for row in rows:
        x, y = plot.at(row["loss"], row["exploitability"])
        if "low" in row:
            drawing.path([(x, plot.y(row["low"])), (x, plot.y(row["high"]))], stroke=SERIES[1], width=1.6)
        drawing.rect(x - 4, y - 4, 8, 8, SERIES[1])
        points.append((x, y, row["name"]))
    write_names(drawing, plot, points)
    return drawing


def main(words: Sequence[str] | None = None) -> None:
    """Draw all figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-o", "--output", type=Path, help="a folder for SVG and PNG (default: docs/images, SVG)")
    parser.add_argument("--data", type=Path, default=FILE, help="the data (default: %(default)s)")
    parser.add_argument("--tables", action="store_true", help="print the tables of docs/history.md in place of drawing")
    options = parser.parse_args(words)
    found = read_history(options.data)
    if options.tables:
        print(tables(found), end="")
        return
    drawings = {
        "history-exploitability": by_year(
            found["exploitability"],
            "mbb",
            "Heads-up limit hold'em: what a best response wins",
            "mbb/g",
            "published, from memory",
        ),
        "history-size": by_year(
            found["size"], "states", "Games that were solved", "states with a decision", "abstract game"
        ),
        "history-convergence": convergence_drawing(found["convergence"]),
    }
    if found.get("generation"):
        drawings["history-generations"] = generations_drawing(found["generation"])
    folder = options.output or ROOT / "docs" / "images"
    folder.mkdir(parents=True, exist_ok=True)
    for name, drawing in drawings.items():
        for suffix in (".svg", ".png") if options.output else (".svg",):
            drawing.save(folder / f"{name}{suffix}")
            print(folder / f"{name}{suffix}")


if __name__ == "__main__":
    main(sys.argv[1:])
