"""Exploitability against iterations of limit games solved in folders, compared with Cepheus as published.

Bowling, Burch, Johanson & Tammelin, "Heads-up limit hold'em poker is solved" (Science 2015), figure 3, has the same two
axes for all of limit hold'em; its text gives the end of the curve, which is the point drawn here.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

import errai
from errai.pictures.curves import curves_svg

PUBLISHED = {"Cepheus, as published: CFR+, current strategy": [(1_579, 0.0, 0.986)]}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folders", nargs="+", type=Path, help="folders of `errai solve --store`")
    parser.add_argument("--json", type=Path)
    parser.add_argument("--svg", type=Path)
    options = parser.parse_args()
    curves: dict[str, list[tuple[float, ...]]] = {}
    for folder in options.folders:
        run = errai.open_run(folder)
        blind = run.units.big_blind_chips
        name = f"{run.title}, {run.canonical_information_sets:,} information sets"
        points = run.curve.tolist()
        if run.certificate is not None and run.certificate.iteration > points[-1][0]:
            points.append([run.iterations, run.seconds, run.certificate.exploitability_chips])
        curves[name] = [(iteration, seconds, 1000.0 * chips / blind) for iteration, seconds, chips in points]
    curves |= PUBLISHED
    if options.svg:
        title = "Limit games below one thousandth of a big blind"
        options.svg.write_text(curves_svg(curves, unit="mbb/g", target=1.0, title=title))
    if options.json:
        options.json.write_text(json.dumps(curves, indent=1))
    for name, curve in curves.items():
        print(name)
        for iteration, seconds, mbb in curve:
            print(f"  {iteration:6,.0f} {mbb:12.4g} mbb/g {seconds:10,.0f} s")
    return 0


if __name__ == "__main__":
    sys.exit(main())
