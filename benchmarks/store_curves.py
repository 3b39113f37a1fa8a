"""Exploitability against iterations, in memory in float64 and streamed from 16-bit blocks: the cost of fixed point.

The streamed run is stopped and resumed at every point.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from pathlib import Path

from common.machine import machine_line

import errai
from errai.engine.loop import Solver
from errai.engine.resources import default_threads
from errai.engine.schedules import DEFAULT_IN_STORE, find_schedule
from errai.pictures.curves import curves_svg
from errai.tree.public_tree import build_public_tree


def points(most: int) -> list[int]:
    """Return iterations about a third of a doubling apart."""
    return sorted({round(4 * 1.26**k) for k in range(60) if 4 * 1.26**k < most} | {most})


def in_memory(name: str, iterations: list[int]) -> list[tuple[int, float, float]]:
    tree = build_public_tree(errai.load_game(name))
    solver = Solver(tree, find_schedule(DEFAULT_IN_STORE), precision="float64", threads=default_threads())
    for iteration in iterations:
        solver.iterate(iteration - solver.iteration)
        solver.measure()
    return solver.curve


def streamed(name: str, iterations: list[int]) -> list[tuple[int, float, float]]:
    with tempfile.TemporaryDirectory() as folder:
        found = []
        for iteration in iterations:
            run = errai.solve(
                errai.load_game(name), store=Path(folder) / "run", max_iterations=iteration, precision="fixed16"
            )
            found.append((iteration, run.seconds, run.exploitability.chips))
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", nargs="+", default=["rhode-island", "holdem-2-1"])
    parser.add_argument("--most", type=int, default=400, help="iterations")
    parser.add_argument("--json", type=Path)
    parser.add_argument("--svg", type=Path)
    options = parser.parse_args()
    curves = {}
    for name in options.games:
        title = errai.load_game(name).title or name
        iterations = points(options.most)
        curves[f"{title}, in memory, float64"] = in_memory(name, iterations)
        curves[f"{title}, streamed, 16 bits"] = streamed(name, iterations)
    if options.svg:
        options.svg.write_text(curves_svg(curves, title="The same solve, in memory and from a store"))
    document = {"machine": machine_line(), "curves": curves}
    if options.json:
        options.json.write_text(json.dumps(document, indent=1))
    for name, curve in curves.items():
        print(name)
        for iteration, seconds, chips in curve:
            print(f"  {iteration:6,} {chips:.6g} chips, {seconds:.1f} s")
    return 0


if __name__ == "__main__":
    sys.exit(main())
