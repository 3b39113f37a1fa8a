"""All bots against all: duplicate matches, measured by AIVAT, and each bot's loss against a best response.

Every match is a run of `errai match`, whose result is kept in a folder; matches with a result are not played again.

    python benchmarks/bots.py bots/ --hands 4000 --jobs 2
    errai best-response holdem.limit.2p --strategy blueprint --flops 12 --json > bots/blueprint.response.json
    python benchmarks/bots.py bots/ --print

Agents that take seconds for a decision are played in parts, with other deals in each; `benchmarks/strength` has those
of docs/nets.md:

    python benchmarks/bots.py benchmarks/strength/401 --game holdem.nolimit.2p --hands 160 --seed 401 --jobs 2 \
        --common-random-numbers --values street:blueprint-nl \
        --bots deepstack:seconds=1,threads=1 resolver:seconds=1,threads=1 blueprint-nl
    errai standings benchmarks/strength/[46]* --measure aivat
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import combinations
from pathlib import Path

from common.machine import machine_line
from common.tables import table

from errai.arena.results import read_result

LIMIT = "holdem.limit.2p"
BOTS = (
    "blueprint",
    "psopti2",
    "psopti1",
    "psopti0",
    "poki",
    "poki-formula",
    "vexbot",
    "brplayer",
    "by-strength:20",
    "call=0.5,raise=0.5",
    "always-call",
    "always-raise",
)
PUBLISHED = (("Polaris 2007", 275.9), ("Polaris 2008", 235.3), ("best of ACPC 2010", 135.4))
"""Exploitability in mbb/g: Johanson, Waugh, Bowling & Zinkevich, "Accelerating best response calculation in large
extensive games" (IJCAI 2011)."""
MEASURE = "aivat"


def result_file(folder: Path, one: str, other: str) -> Path:
    """Return the file for the result of a match, whichever player is named first."""
    return folder / ("--".join(sorted((one, other))).replace(":", "-") + ".match.json")


def play(one: str, other: str, options: argparse.Namespace) -> str:
    """One match, unless its result is there; what came of it."""
    place = result_file(options.folder, one, other)
    if not place.exists():
        command = [sys.executable, "-m", "errai.cli.main", "match", one, other, "--game", options.game, "--duplicate"]
        command += ["--hands", str(options.hands), "--seed", str(options.seed), "--aivat", "--quiet"]
        command += ["--common-random-numbers"] if options.common_random_numbers else []
        command += ["--values", options.values, "--results", str(place)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            return f"{one} against {other}: {done.stderr.strip()}"
    return f"{one} against {other}: {place}"


def read_table(folder: Path, bots: tuple[str, ...]) -> Iterator[list[str]]:
    """Rows of mbb/g of the agent of the row, each with half the width of its 95 % interval, and the mean at the end."""
    for one in bots:
        cells, means = [one], []
        for other in bots:
            place = result_file(folder, one, other)
            if one == other or not place.exists():
                cells.append("")
                continue
            result = read_result(place)
            measure = result.measure(MEASURE)
            assert measure is not None
            scale = result.unit[1]
            mean = measure.mean_chips * scale * (1.0 if result.players[0] == one else -1.0)
            means.append(mean)
            cells.append(f"{mean:,.0f} ± {1.96 * measure.standard_error_chips * scale:,.0f}")
        yield [*cells, f"{sum(means) / len(means):,.0f}" if means else ""]


def exploitabilities(folder: Path) -> Iterator[list[str]]:
    """Of the agents whose answer of `errai best-response --json` is there, and the published ones."""
    for file in sorted(folder.glob("*.response.json")):
        found = json.loads(file.read_text())
        interval = found["interval"]
        between = "exact" if interval is None else f"{interval['low']['mbb']:,.1f} to {interval['high']['mbb']:,.1f}"
        yield [file.name.removesuffix(".response.json"), f"{found['exploitability']['mbb']:,.1f}", between]
    for name, value in PUBLISHED:
        yield [name, f"{value:,.1f}", "exact, published"]


def main() -> None:
    """Play what has not been played, and print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, nargs="?", default=Path("out/bots"), help="of the results (out/bots)")
    parser.add_argument("--game", default=LIMIT)
    parser.add_argument("--hands", type=int, default=4_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--values", default="equity", help="what AIVAT estimates states by (%(default)s)")
    parser.add_argument("--common-random-numbers", action="store_true")
    parser.add_argument("--jobs", type=int, default=1, help="matches at a time")
    parser.add_argument("--bots", nargs="+", default=list(BOTS))
    parser.add_argument("--print", action="store_true", help="play nothing")
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    bots = tuple(options.bots)
    if not options.print:
        with ThreadPoolExecutor(options.jobs) as pool:
            pairs = [pool.submit(play, *pair, options) for pair in combinations(bots, 2)]
            for pair in pairs:
                print(pair.result(), file=sys.stderr, flush=True)
    print(machine_line() + "\n")
    print(table(["mbb/g of", *bots, "mean"], list(read_table(options.folder, bots))))
    if options.game == LIMIT:
        print(table(["exploitability, mbb/g", "", "95 %"], list(exploitabilities(options.folder))))


if __name__ == "__main__":
    main()
