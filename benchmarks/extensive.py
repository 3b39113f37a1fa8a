"""Methods over games in extensive form, to one target in one table; see docs/extensive.md.

``methods GAME ...`` prints iterations, gradients and seconds of each method to a share of the game's scale, and with
``--out`` writes the curves to a file of JSON.  ``figure FILE ...`` draws such files as one picture, whose SVG follows
the dark scheme of the reader's system.  ``iteration GAME ...`` prints milliseconds of an iteration of CFR+.  Games of
the catalogue are named as everywhere, others as OpenSpiel does.
"""

from __future__ import annotations

import argparse
import json
import statistics
import time
from pathlib import Path

import numpy as np
from common.machine import machine_line
from common.tables import table

import errai
from errai.engine.schedules import find_schedule
from errai.errors import TreeTooLargeError
from errai.extensive import ExtensiveGame, RegretMinimisation, extensive_game
from errai.pictures.canvas import Drawing
from errai.pictures.curves import log_axis
from errai.pictures.palette import SOFT_INK
from errai.pictures.plot import Plot, series, tick_text

MOST_KEPT = 100_000
"""Games of more histories do not keep them, and are not sampled."""
ALGORITHMS = (
    "lp",
    "cfr",
    "cfr+",
    "dcfr-foresight",
    "pcfr+",
    "egt",
    "egt-euclidean",
    "mmd",
    "range-of-skill",
    "chance-sampling",
    "external-sampling",
    "outcome-sampling",
)


def game_of(name: str) -> ExtensiveGame:
    """A game by its name in the catalogue, or in OpenSpiel, with its histories if these are not too many."""
    if name in errai.catalogue():
        what = errai.load_game(name)
    else:
        import pyspiel

        what = pyspiel.load_game(name)
    try:
        return extensive_game(what, max_histories=MOST_KEPT, histories=True)
    except TreeTooLargeError:
        return extensive_game(what)


def methods(names: list[str], algorithms: list[str], target: float, seconds: float, out: Path | None) -> None:
    """Print a table of methods for each game, and write the curves."""
    written = []
    for name in names:
        game = game_of(name)
        print(f"\n{game.title}: {[d.num_sets for d in game.decisions]} information sets, {game.num_ends:,} ends")
        rows = [("algorithm", "iterations", "gradients", "seconds", "value", "exploitability")]
        curves = {}
        for algorithm in algorithms:
            try:
                found = errai.solve(game, f"{target}", algorithm=algorithm, seconds=seconds)
            except (errai.ErraiError, MemoryError) as error:
                rows.append((algorithm, "", "", "", "", f"refused: {type(error).__name__}"))
                continue
            curves[algorithm] = [list(point) for point in found.curve]
            rows.append(
                (
                    algorithm,
                    f"{found.iterations:,}",
                    f"{found.gradients:,}",
                    f"{found.seconds:.2f}",
                    f"{found.values[0]:.6f}",
                    f"{found.exploitability:.2g}{'' if found.status == 'target met' else f', {found.status}'}",
                )
            )
        print(table(rows[0], rows[1:]), flush=True)
        columns = ["iteration", "seconds", "gradients", "exploitability"]
        written.append({"game": game.title, "machine": machine_line(), "columns": columns, "curves": curves})
    if out is not None:
        out.write_text(json.dumps(written))


def short(number: float) -> str:
    """Return a number of an axis in few characters: 10k, 1M."""
    for factor, letter in ((1e6, "M"), (1e3, "k")):
        if number >= 10.0 * factor or number == factor:
            return f"{number / factor:g}{letter}"
    return tick_text(number)


def figure(files: list[Path], out: Path) -> None:
    """Draw exploitability against iterations, gradients and seconds, a row for each game."""
    games = [game for file in files for game in json.loads(file.read_text())]
    names = [name for name in ALGORITHMS if any(len(game["curves"].get(name, ())) > 1 for game in games)]
    wide, high, left, gap = 300.0, 250.0, 78.0, 92.0
    width = left + 3 * wide + 2 * gap + 190.0
    drawing = Drawing(width, 40.0 + len(games) * (high + 100.0), description="Methods over games in extensive form")
    for row, game in enumerate(games):
        top = 62.0 + row * (high + 100.0)
        drawing.text(left, top - 28, game["game"], size=16, bold=True)
        lines = {name: np.array(game["curves"][name]) for name in names if name in game["curves"]}
        ups = np.concatenate([line[:, 3] for line in lines.values()])
        floor = 10.0**-5 * ups.max()
        for column, (name, index) in enumerate((("iterations", 0), ("gradients", 2), ("seconds", 1))):
            start = left + column * (wide + gap)
            xs = np.concatenate([line[:, index] for line in lines.values()])
            plot = Plot(
                drawing,
                log_axis(xs[xs > 0.0]),
                log_axis(np.maximum(ups, floor)),
                left=start,
                right=start + wide,
                top=top,
                bottom=top + high,
            )
            drawing.text(start, top - 10, "exploitability, chips", size=12, fill=SOFT_INK)
            plot.mark_up(tick_text)
            plot.mark_across(short, name, rules=True)
            for number, method in enumerate(names):
                if method in lines:
                    points = [(x, y) for x, y in lines[method][:, [index, 3]].tolist() if x > 0.0 and y > floor]
                    plot.line(points, number, dots=False, width=1.9)
        for number, method in enumerate(names if row == 0 else ()):
            y = top + 12 + 20 * number
            colour, dash = series(number)
            at = left + 3 * wide + 2 * gap + 14
            drawing.path([(at, y), (at + 26, y)], stroke=colour, width=2.4, dash=dash)
            drawing.text(at + 34, y + 4.5, method, size=12.5)
    out.write_text(drawing.svg())


def iteration(names: list[str], runs: int, count: int) -> None:
    """Print the median of some runs of an iteration of CFR+."""
    rows = [("game", "sets", "ends", "ms an iteration")]
    for name in names:
        game, spent = game_of(name), []
        run = RegretMinimisation(game, find_schedule("cfr+"))
        run.advance(2)
        for _ in range(runs):
            began = time.perf_counter()
            run.advance(count)
            spent.append(1e3 * (time.perf_counter() - began) / count)
        sets = sum(d.num_sets for d in game.decisions)
        rows.append((game.title[:60], f"{sets:,}", f"{game.num_ends:,}", f"{statistics.median(spent):.4f}"))
    print(table(rows[0], rows[1:]))


def main() -> None:
    """Run what is asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("methods", "figure", "iteration"))
    parser.add_argument("games", nargs="+", metavar="GAME|FILE")
    parser.add_argument("--algorithms", nargs="+", default=ALGORITHMS)
    parser.add_argument("--out", "-o", type=Path)
    parser.add_argument("--target", type=float, default=1e-3)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--count", type=int, default=20)
    options = parser.parse_args()
    print(machine_line())
    if options.what == "methods":
        methods(options.games, options.algorithms, options.target, options.seconds, options.out)
    elif options.what == "figure":
        figure([Path(file) for file in options.games], options.out)
    else:
        iteration(options.games, options.runs, options.count)


if __name__ == "__main__":
    main()
