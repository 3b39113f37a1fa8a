"""Seconds per iteration against the size of the tree, compared with the machine's limits; see benchmarks/README.md."""

from __future__ import annotations

import argparse
import json
import math
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from common.loglog import Series, loglog
from common.machine import cores, machine_line, processors
from common.scaling_report import report_text
from common.tables import number_text, table, threads_text

from errai.engine.loop import Solver
from errai.engine.schedules import DEFAULT, find_schedule
from errai.games.spot import Spot, parse_spot
from errai.kernels.layout import CHANCE, DECISION, FOLD, SHOWDOWN, TreeArrays
from errai.pictures.palette import INK, SERIES, SOFT_INK
from errai.tree.public_tree import PublicTree, build_public_tree, plan_public_tree

DRIVERS = Path(__file__).resolve().parent / "drivers"

BOARDS = {"river": "Qs Jh 2c 8d 3s", "turn": "Qs Jh 2c 8d", "flop": "Td 9d 6h"}
RANGES = {
    "tight": ("QQ+, AKs", "QQ+, AKs"),
    "narrow": ("TT+, AQs+, AKo, KQs", "TT+, AQs+, AKo, KQs"),
    "middle": ("77+, ATs+, KTs+, QTs+, JTs, T9s, 98s, AJo+, KQo", "77+, ATs+, KTs+, QTs+, JTs, T9s, 98s, AJo+, KQo"),
    "wide": (
        "66+, A8s+, A5s-A4s, AJo+, K9s+, KQo, QTs+, JTs, 96s+, 85s+, 75s+, 65s, 54s",
        "QQ-22, AQs-A2s, ATo+, K5s+, KJo+, Q8s+, J8s+, T7s+, 96s+, 86s+, 75s+, 64s+, 53s+",
    ),
    "any two": ("random", "random"),
}
BETS = {1: ("100%", "a"), 2: ("75%, a", "a"), 3: ("50%, 100%, a", "100%, a")}
STEPS = (
    ("river", "tight", 3),
    ("river", "narrow", 3),
    ("river", "middle", 3),
    ("river", "any two", 1),
    ("river", "any two", 3),
    ("turn", "narrow", 1),
    ("turn", "middle", 1),
    ("turn", "wide", 2),
    ("turn", "wide", 3),
    ("flop", "narrow", 1),
    ("turn", "any two", 3),
    ("flop", "wide", 1),
    ("flop", "wide", 2),
    ("flop", "wide", 3),
)
"""The spots, from some thousand strategy entries to a hundred million: street, ranges, bet sizes."""

PRECISIONS = {"float32": 4, "fixed16": 2}
"""Bytes of a regret, and of an entry of the average."""

TOUCHED = 5
"""How often an iteration must move an entry's numbers: the player's own half reads and writes regret and average, and
the opponent's half reads the regret once more."""


def spot_of(street: str, ranges: str, bets: int) -> Spot:
    """One step of the ladder."""
    oop, ip = RANGES[ranges]
    bet, lift = BETS[bets]
    return parse_spot(
        f'board = "{BOARDS[street]}"\npot = 100\nstack = 300\n[ranges]\noop = "{oop}"\nip = "{ip}"\n'
        f'[bets]\nbet = "{bet}"\nraise = "{lift}"\n'
    )


# --- what an iteration must do ---


def bytes_needed(entries: int, precision: str) -> int:
    """Bytes that an iteration moves at least where no state stays in a cache (a step per decision in 16 bits aside)."""
    return entries * TOUCHED * PRECISIONS[precision]


def flops_needed(tree: TreeArrays) -> float:
    """Additions, multiplications, divisions and comparisons of one iteration, counted from the shape of the tree.

    Per entry 16: in the player's own half 3 to match the regret (positive part, sum, division), 2 for the value of the
    decision, 3 to add and discount the regret, 3 to discount, weight and add the average; in the opponent's half 3 to
    match, 1 for the reach below and 1 for the sum over actions.  Per half and hand: at a fold 3 for every hand of the
    opponent (sums in all and by card) and 4 for every hand of the player; at a showdown twice that, since what is
    weaker and what is stronger are summed apart; at the end of a street 2 for every hand of every board dealt after it.
    """
    total = 0.0
    for number, street in enumerate(tree.streets):
        hands = [int(h.start[-1]) for h in street.hands]
        kinds = {kind: int((street.kind == kind).sum()) for kind in (DECISION, FOLD, SHOWDOWN, CHANCE)}
        total += 16.0 * sum(street.state_size(player) for player in (0, 1))
        ends = kinds[FOLD] + 2 * kinds[SHOWDOWN]
        total += ends * sum(3.0 * hands[1 - player] + 4.0 * hands[player] for player in (0, 1))
        if number + 1 < len(tree.streets):
            total += kinds[CHANCE] * 2.0 * sum(int(h.start[-1]) for h in tree.streets[number + 1].hands)
    return total


# --- measuring ---


def thread_counts(text: str) -> list[int]:
    """Numbers such as ``1,2,4``, ascending, without those that are more than the processors; 1 is always there."""
    try:
        asked = {int(word) for word in text.split(",")}
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not a list of numbers such as 1,2,4") from None
    if min(asked) < 1:
        raise argparse.ArgumentTypeError(f"{text!r}: a number of threads is 1 at least")
    return sorted({1, *(count for count in asked if count <= processors())})


@dataclass(frozen=True)
class Config:
    """One way to solve."""

    precision: str
    threads: int

    def __str__(self) -> str:
        return f"{self.precision}, {threads_text(self.threads)}"


def seconds_per_iteration(tree: PublicTree, config: Config, at_least: float) -> float:
    """Seconds of an iteration after some to warm up, over at least that many seconds, in batches as the loop has."""
    schedule = find_schedule(DEFAULT, weighted=config.precision != "fixed16")
    solver = Solver(tree, schedule, threads=config.threads, precision=config.precision)
    started = time.perf_counter()
    solver.iterate(3)
    batch = max(1, int(0.05 * 3 / (time.perf_counter() - started)))
    count, started = 0, time.perf_counter()
    while (passed := time.perf_counter() - started) < at_least:
        solver.iterate(batch)
        count += batch
    return passed / count


def measure(
    step: tuple[str, str, int], configs: Sequence[Config], options: argparse.Namespace
) -> dict[str, Any] | None:
    """A spot with the seconds of every run of every configuration, in turns; None where it is larger than allowed."""
    spot = spot_of(*step)
    if plan_public_tree(spot).entries > options.largest:
        return None
    tree = build_public_tree(spot)
    seconds: dict[str, list[float]] = {str(config): [] for config in configs}
    for _ in range(options.runs):
        for config in configs:
            seconds[str(config)].append(seconds_per_iteration(tree, config, options.seconds))
    return {
        "spot": f"{step[0]}, {step[1]}, {step[2]} size{'s' if step[2] > 1 else ''}",
        "entries": tree.entries,
        "flops": flops_needed(tree.arrays),
        "seconds": seconds,
    }


def roofs(threads: int) -> dict[str, float]:
    """Bytes a second from memory and in the second-level cache, and float operations a second."""
    request = {"threads": threads, "memory_bytes": 1 << 30, "cache_bytes": 1 << 20, "matrix": 2048}
    environment = os.environ | {"OPENBLAS_NUM_THREADS": str(threads), "OMP_NUM_THREADS": str(threads)}
    words = [sys.executable, str(DRIVERS / "roof_driver.py"), json.dumps(request)]
    return json.loads(subprocess.run(words, capture_output=True, text=True, check=True, env=environment).stdout)


def slope(found: Sequence[dict[str, Any]], config: Config, least: int) -> float | None:
    """Exponent of seconds in entries by least squares on logarithms, over trees of at least that many entries."""
    points = [(s["entries"], statistics.median(s["seconds"][str(config)])) for s in found if s["entries"] >= least]
    if len(points) < 3:
        return None
    x, y = np.log(np.array(points)).T
    return float(np.polyfit(x, y, 1)[0])


# --- showing ---


def spots_table(found: Sequence[dict[str, Any]], configs: Sequence[Config]) -> str:
    """Milliseconds of an iteration and nanoseconds of an entry."""
    head = ["spot", "entries", *(f"{config}: ms (ns per entry)" for config in configs)]
    rows = []
    for one in found:
        cells = [one["spot"], f"{one['entries']:,}"]
        for config in configs:
            seconds = statistics.median(one["seconds"][str(config)])
            cells.append(f"{number_text(1e3 * seconds)} ({1e9 * seconds / one['entries']:.2f})")
        rows.append(cells)
    return table(head, rows)


def slopes_table(found: Sequence[dict[str, Any]], configs: Sequence[Config]) -> str:
    """Exponents of the fits."""
    leasts = (0, 100_000)
    rows = []
    for config in configs:
        values = [slope(found, config, least) for least in leasts]
        rows.append([str(config), *("" if value is None else f"{value:.3f}" for value in values)])
    return table(["seconds grow with entries to the power", "all trees", "from 100,000 entries"], rows)


def roof_table(found: Sequence[dict[str, Any]], configs: Sequence[Config], limits: dict[int, dict[str, float]]) -> str:
    """How much of the memory's speed and of the arithmetic is used."""
    head = ["spot", "flop per byte", *(f"{c}: GB/s (of memory's), Gflop/s" for c in configs)]
    rows = []
    for one in found:
        # The 16-bit state halves the bytes, so its intensity is twice the one named.
        cells = [one["spot"], f"{one['flops'] / bytes_needed(one['entries'], 'float32'):.2f}"]
        for config in configs:
            seconds = statistics.median(one["seconds"][str(config)])
            moved = bytes_needed(one["entries"], config.precision) / seconds
            share = moved / limits[config.threads]["memory"]
            cells.append(f"{moved / 1e9:.1f} ({share:.0%}), {one['flops'] / seconds / 1e9:.1f}")
        rows.append(cells)
    return table(head, rows)


def scaling_picture(found: Sequence[dict[str, Any]], configs: Sequence[Config]) -> Any:
    """Seconds per iteration against entries."""
    series = []
    for place, config in enumerate(configs):
        points = [(one["entries"], statistics.median(one["seconds"][str(config)])) for one in found]
        power = slope(found, config, 100_000)
        name = str(config) if power is None else f"{config}: exponent {power:.2f} from 100,000 entries"
        series.append(Series(name, points, SERIES[place % len(SERIES)]))
    return loglog(series, title="Time of an iteration", across="strategy entries", up="seconds per iteration")


def roofline_picture(
    found: Sequence[dict[str, Any]], configs: Sequence[Config], limits: dict[int, dict[str, float]]
) -> Any:
    """Draw operations per second against operations per byte, below the limits of memory, cache and arithmetic."""
    series = []
    for place, config in enumerate(configs):
        points = []
        for one in found:
            seconds = statistics.median(one["seconds"][str(config)])
            intensity = one["flops"] / bytes_needed(one["entries"], config.precision)
            points.append((intensity, one["flops"] / seconds / 1e9))
        series.append(Series(str(config), points, SERIES[place % len(SERIES)], line=False))
    threads = max(config.threads for config in configs)
    limit = limits[threads]
    low = min(x for one in series for x, _ in one.points) / 2.0
    high = 4.0 * limit["flops"] / limit["memory"]
    for name, key, dash in (("memory", "memory", ()), ("second-level cache", "cache", (7.0, 4.0))):
        knee = max(low, limit["flops"] / limit[key])
        roof = [
            (low, min(low * limit[key], limit["flops"]) / 1e9),
            (knee, limit["flops"] / 1e9),
            (high, limit["flops"] / 1e9),
        ]
        colour = INK if not dash else SOFT_INK
        series.append(Series(f"limit, {name}, {threads_text(threads)}", roof, colour, dash, marks=False))
    return loglog(
        series,
        title="Roofline",
        across="operations per byte of state that must be moved",
        up="billion operations a second",
    )


def main() -> None:
    """Read the options, measure or read what was measured, print tables, draw pictures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=5, help="of each spot and way, in turns (default: %(default)s)")
    parser.add_argument("--seconds", type=float, default=0.3, help="at least of each run (default: %(default)s)")
    parser.add_argument(
        "--threads",
        type=thread_counts,
        default=thread_counts("1,2,4,8,16,32,64,128"),
        metavar="1,2,4",
        help="numbers of threads; those that this machine has no processors for are left out (default: powers of two)",
    )
    parser.add_argument("--precision", nargs="+", choices=PRECISIONS, default=list(PRECISIONS))
    parser.add_argument("--largest", type=float, default=math.inf, metavar="ENTRIES", help="leave out larger trees")
    parser.add_argument("--pictures", type=Path, metavar="FOLDER", help="write scaling and roofline, .svg and .png")
    parser.add_argument("--json", type=Path, metavar="FILE", help="keep what was measured")
    parser.add_argument("--render", type=Path, metavar="FILE", help="measure nothing, show a --json file")
    options = parser.parse_args()
    if options.render:
        document = json.loads(options.render.read_text())
    else:
        ways = [[precision, threads] for precision in options.precision for threads in options.threads]
        document = {"machine": machine_line(), "cores": cores(), "runs": options.runs, "ways": ways, "spots": []}
        document["roofs"] = [[threads, roofs(threads)] for threads in options.threads]
        for step in STEPS:
            one = measure(step, [Config(*way) for way in ways], options)
            if one is not None:
                document["spots"].append(one)
                print(f"{one['spot']}: {one['entries']:,} entries", file=sys.stderr, flush=True)
        if options.json:
            options.json.write_text(json.dumps(document) + "\n")
    configs = [Config(*way) for way in document["ways"]]
    limits = dict(document["roofs"])
    found = sorted(document["spots"], key=lambda one: one["entries"])
    print(f"{document['machine']}.\n\nMedians of {document['runs']} runs in turns, {DEFAULT}.\n")
    print(spots_table(found, configs))
    print(slopes_table(found, configs))
    for threads, roof in limits.items():
        print(
            f"{threads_text(threads)}: memory {roof['memory'] / 1e9:.1f} GB/s, second-level cache "
            f"{roof['cache'] / 1e9:.1f} GB/s, arithmetic {roof['flops'] / 1e9:.0f} Gflop/s."
        )
    print()
    print(roof_table(found, configs, limits))
    print(report_text(document))
    if options.pictures:
        options.pictures.mkdir(parents=True, exist_ok=True)
        pictures = {
            "scaling": scaling_picture(found, configs),
            "roofline": roofline_picture(found, configs, limits),
        }
        for name, drawing in pictures.items():
            for ending in ("svg", "png"):
                drawing.save(options.pictures / f"{name}.{ending}")


if __name__ == "__main__":
    main()
