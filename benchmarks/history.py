"""The figures of the field's history, from docs/history/history.toml and from our own measurements in it.

    scripts/history                  # writes docs/images/history-*.svg
    scripts/history -o pictures/     # writes them elsewhere, as SVG and PNG

Every row of the file needs a year, a name, a source, and how the number was read; a row that lacks one is refused
before anything is drawn.  Circles are published, filled squares are Errai's own; the bar of an own point is its 95 %
interval.
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
NUMBERS = {"exploitability": "mbb", "size": "information_sets", "generation": "exploitability"}
"""The tables of the file, each with the number that its rows are about."""
READ = ("collected", "measured", "memory", "read", "recomputed")

Row = dict[str, Any]


def read_history(path: Path = FILE) -> dict[str, list[Row]]:
    """Read the data, and check every row.  Raises SystemExit with the row that is wrong."""
    tables = tomllib.loads(path.read_text(encoding="utf-8"))
    for kind, rows in tables.items():
        if kind not in NUMBERS:
            raise SystemExit(f"{path} has a table {kind!r}; it may have {', '.join(NUMBERS)}.")
        for row in rows:
            number = row.get(NUMBERS[kind])
            if not isinstance(number, int | float) or not 0 < number < 1e18:
                raise SystemExit(f"{path}: {row.get('name')!r} of {kind} has {number!r} as {NUMBERS[kind]}.")
            if not all(row.get(key) for key in ("name", "source")) or row.get("read") not in READ:
                raise SystemExit(f"{path}: {row.get('name')!r} of {kind} lacks a name, a source or how it was read.")
            if kind != "generation" and not 1940 <= row.get("year", 0) <= 2100:
                raise SystemExit(f"{path}: {row['name']!r} of {kind} has no year.")
    return tables


def by_year(rows: Sequence[Row], number: str, title: str, unit: str) -> Drawing:
    """Draw rows by year on a logarithmic axis, with their names beside them."""
    years, values = [row["year"] for row in rows], [row[number] for row in rows]
    low, high = min(years) - 2, max(years) + 2
    drawing = Drawing(860.0, 480.0, description=title)
    up = Axis(math.floor(math.log10(min(values)) - 0.1), math.ceil(math.log10(max(values)) + 0.1), logarithmic=True)
    plot = Plot(drawing, Axis(low, high), up)
    plot.heading(title, unit)
    plot.mark_up(tick_text)
    plot.mark_across(lambda year: f"{year:.0f}", "year", about=8)
    points = []
    for row in rows:
        own = bool(row.get("own"))
        x, y = plot.at(row["year"], row[number])
        colour = SERIES[1] if own else SERIES[0]
        if "low" in row:
            ends = [(x, plot.at(0, row[end])[1]) for end in ("low", "high")]
            drawing.path(ends, stroke=colour, width=1.6)
        drawing.rect(x - 4, y - 4, 8, 8, colour, radius=0.0 if own else 4.0)
        points.append((x, y, row["name"]))
    write_names(drawing, plot, points)
    for i, (name, colour) in enumerate((("published", SERIES[0]), ("Errai", SERIES[1]))):
        x = plot.right - 190 + 100 * i
        drawing.rect(x, plot.top - 22, 8, 8, colour, radius=4.0 * (1 - i))
        drawing.text(x + 14, plot.top - 14, name, size=12)
    return drawing


def write_names(drawing: Drawing, plot: Plot, points: list[tuple[float, float, str]]) -> None:
    """Write names beside points where they cover neither another point nor another name."""
    taken = [(x - 6, x + 6, y + 4) for x, y, _ in points]
    for x, y, name in sorted(points, key=lambda point: (point[1], point[0])):
        width = text_width(name, 12)
        places = [
            (left, y + 4 + moved)
            for moved in (0, 15, -15, 30, -30, 45, -45)
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
    options = parser.parse_args(words)
    found = read_history(options.data)
    drawings = {
        "history-exploitability": by_year(
            found["exploitability"], "mbb", "Heads-up limit hold'em: what a best response wins", "mbb/g"
        ),
        "history-size": by_year(
            found["size"], "information_sets", "Games that were solved", "information sets, suits distinguished"
        ),
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
