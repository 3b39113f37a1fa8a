"""Compares the variants of CFR on spots: exploitability after given iterations, as a table and as a picture."""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np

from errai.games.spot import load_spot
from errai.pictures.curves import curves_svg
from errai.solvers.loop import Solver
from errai.solvers.schedules import DEFAULT, SCHEDULES, Schedule
from errai.tree.public_tree import build_public_tree

ROOT = Path(__file__).resolve().parent.parent
CANDIDATES = (
    *SCHEDULES.values(),
    Schedule("dcfr(1.5,0,3)", 1.5, 0.0, 3.0),
    Schedule("dcfr(1.5,0,5)", 1.5, 0.0, 5.0),
    Schedule("dcfr(1.5,-inf,4)", 1.5, float("-inf"), 4.0),
    Schedule("dcfr4, average not weighted", 1.5, 0.0, 4.0, weighted=False),
    Schedule("pcfr+, average t^4", float("inf"), float("-inf"), 4.0, prediction=1.0),
)


def main() -> None:
    """Read the options; print a table and write a picture for every spot."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("spots", nargs="*", type=Path, default=[ROOT / f"examples/{n}.toml" for n in ("river", "turn")])
    parser.add_argument("--iterations", type=int, nargs="+", default=[10, 20, 40, 60, 80, 120, 200])
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--pictures", type=Path, help="folder for SVG files")
    options = parser.parse_args()
    for path in options.spots:
        spot = load_spot(path)
        tree = build_public_tree(spot)
        print(f"\n### {spot.title or path.stem}: exploitability in % of the pot after iterations\n")
        print("| | " + " | ".join(map(str, options.iterations)) + " |")
        print("|---" * (len(options.iterations) + 1) + "|")
        curves = {}
        for schedule in CANDIDATES:
            solver = Solver(tree, schedule, threads=options.threads)
            found = []
            for count in options.iterations:
                solver.iterate(count - solver.iteration)
                found.append(solver.measure().pot_percent)
            name = f"**{schedule.name}**" if schedule.name == DEFAULT else schedule.name
            print(f"| {name} | " + " | ".join(f"{value:.3g}" for value in found) + " |")
            if schedule.name in SCHEDULES:
                curves[schedule.name] = np.array(solver.curve)
        if options.pictures:
            options.pictures.mkdir(parents=True, exist_ok=True)
            picture = curves_svg(curves, title=spot.title or path.stem, against="iterations")
            (options.pictures / f"schedules-{path.stem}.svg").write_text(picture)


if __name__ == "__main__":
    main()
