"""Solves the example spots with Errai and postflop-solver, in turns, and prints tables; see benchmarks/README.md."""

from __future__ import annotations

import argparse
import json
import os
import platform
import statistics
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np

from errai.cards.deck import FULL_DECK
from errai.cards.hands import hand_cards
from errai.cards.ranges import Range
from errai.games.spot import Spot, load_spot

ROOT = Path(__file__).resolve().parent.parent
PEER_VARIABLE = "ERRAI_POSTFLOP_BENCH"
STREETS = ("flop", "turn", "river")


def combinations_text(held: Range) -> str:
    """Every hand with its weight: the one spelling of a range that all programs read in the same way."""
    hands = hand_cards(52, 2)
    return ",".join(
        f"{FULL_DECK.card_text(int(high))}{FULL_DECK.card_text(int(low))}:{weight:g}"
        for (low, high), weight in zip(hands, np.asarray(held.weights), strict=True)
        if weight > 0
    )


def peer_request(spot: Spot) -> dict[str, Any]:
    """The spot in the words of the peer's driver."""
    tables = spot.to_dict()
    if "bets" not in tables:
        raise SystemExit("The peer knows spots with bet sizes only.")
    sizes: dict[str, Any] = {}
    donk: dict[str, str] = {}
    for street in STREETS:
        table = tables["bets"].get(street, {})
        if "raise_cap" in table:
            raise SystemExit("The peer knows no caps on raises.")
        players = [table.get(player, table) for player in ("oop", "ip")]
        sizes[street] = [[player.get("bet", ""), player.get("raise", "")] for player in players]
        if "donk" in players[0]:
            donk[street] = players[0]["donk"]
    thresholds = tables.get("thresholds", {})
    return {
        "board": "".join(FULL_DECK.card_text(card) for card in spot.board),
        "ranges": [combinations_text(held) for held in spot.ranges],
        "pot": spot.pot,
        "stack": spot.effective_stack,
        "sizes": sizes,
        "donk": donk,
        "add_allin_threshold": thresholds.get("add_all_in", 0.0),
        "force_allin_threshold": thresholds.get("force_all_in", 0.0),
        "merging_threshold": thresholds.get("merging", 0.0),
    }


def ask(command: list[str], request: dict[str, Any]) -> dict[str, Any]:
    """Run a driver in a process of its own and return its answer."""
    answer = subprocess.run([*command, json.dumps(request)], capture_output=True, text=True)
    if answer.returncode:
        raise SystemExit(f"{command[0]} failed:\n{answer.stderr}")
    return json.loads(answer.stdout)


def reached(curve: list[list[float]], target: float) -> list[float] | None:
    """The first measurement at or below a target."""
    return next((point for point in curve if point[3] <= target), None)


def spread(values: list[float]) -> str:
    """Median, and in brackets the least and the greatest."""
    middle = statistics.median(values)
    digits = max(0, 3 - len(str(int(middle)))) if middle >= 1 else 3
    if len(values) == 1:
        return f"{middle:.{digits}f}"
    return f"{middle:.{digits}f} ({min(values):.{digits}f}–{max(values):.{digits}f})"


def row(name: str, runs: list[dict[str, Any]], targets: list[float]) -> list[str]:
    """One program's row of the table."""
    last = [run["curve"][-1] for run in runs]
    cells = [name, spread([1000 * point[1] / point[0] for point in last])]
    for target in targets:
        points = [reached(run["curve"], target) for run in runs]
        if all(points):
            cells.append(f"{int(points[0][0])} it, {spread([point[2] for point in points])}")
        else:
            cells.append("not reached")
    cells.append(spread([run["setup_seconds"] for run in runs]))
    cells.append(f"{runs[0]['memory_bytes'] / 1e6:.1f} / {max(run['resident_bytes'] for run in runs) / 1e6:.0f}")
    return cells


def ratios(ours: list[dict[str, Any]], theirs: list[dict[str, Any]], targets: list[float]) -> list[str]:
    """How many times faster Errai is: the median over the pairs of runs that stood side by side."""

    def compare(value: Any) -> str:
        pairs = [(value(mine), value(other)) for mine, other in zip(ours, theirs, strict=True)]
        if any(mine is None or other is None for mine, other in pairs):
            return ""
        return f"**{statistics.median(other / mine for mine, other in pairs):.2f} x**"

    def seconds(target: float) -> Any:
        return lambda run: (reached(run["curve"], target) or [None] * 3)[2]

    cells = ["errai is faster by", compare(lambda run: run["curve"][-1][1] / run["curve"][-1][0])]
    return [*cells, *(compare(seconds(target)) for target in targets), "", ""]


def compare_spot(path: Path, peer: list[str] | None, options: argparse.Namespace) -> None:
    """Run one spot with both programs in turns and print its table."""
    spot = load_spot(path)
    common = {
        "threads": options.threads,
        "target_pot_percent": min(options.targets),
        "max_iterations": options.max_iterations,
        "check_every": options.check_every,
    }
    ours: list[dict[str, Any]] = []
    theirs: list[dict[str, Any]] = []
    for _ in range(options.runs):
        request = {"spot": str(path), **common}
        if options.algorithm:
            request["algorithm"] = options.algorithm
        ours.append(ask([sys.executable, str(ROOT / "benchmarks" / "drivers" / "errai_driver.py")], request))
        if peer:
            theirs.append(ask(peer, {**peer_request(spot), **common}))
    print(f"### {spot.title or path.stem} (`{path.name}`), {ours[0]['entries']:,} entries\n")
    targets = sorted(options.targets, reverse=True)
    heads = [
        "",
        "ms per iteration",
        *(f"to {target:g} %, s" for target in targets),
        "set-up, s",
        "memory / resident, MB",
    ]
    rows = [row("errai", ours, targets)]
    if peer:
        rows += [row("postflop-solver", theirs, targets), ratios(ours, theirs, targets)]
    for cells in (heads, ["---"] * len(heads), *rows):
        print("| " + " | ".join(cells) + " |")
    print()
    if peer:
        # The exploitability of playing every action equally often depends on every part of the tree.
        before = (ours[0]["curve"][0][3], theirs[0]["curve"][0][3])
        same = abs(before[0] - before[1]) <= 1e-5 * before[1]
        verdict = "the same tree" if same else "NOT THE SAME TREE"
        print(f"Before the first iteration: {before[0]:.5f} % and {before[1]:.5f} %, {verdict}.\n")
        if not same:
            raise SystemExit("The programs do not solve the same tree.")


def main() -> None:
    """Read the options, say what is compared, and print a table for every spot."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("spots", nargs="*", default=["river", "turn", "turn-donk", "flop"], help="examples, or files")
    parser.add_argument("--runs", type=int, default=3, help="runs of each program")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--targets", type=float, nargs="+", default=[0.5, 0.3, 0.1], help="per cent of the pot")
    parser.add_argument("--check-every", type=int, default=10, help="iterations between measurements")
    parser.add_argument("--max-iterations", type=int, default=1000)
    parser.add_argument("--algorithm", help="of Errai; its default if not given")
    options = parser.parse_args()
    command = os.environ.get(PEER_VARIABLE)
    peer = [command] if command else None
    if peer is None:
        print(f"{PEER_VARIABLE} is not set, so Errai runs alone; benchmarks/README.md says how to get the peer.\n")
    print(f"{options.runs} runs each in turns, {options.threads} threads, {platform.machine()}, {os.cpu_count()} CPUs.")
    print(f"Medians (least–greatest); seconds include the measurements every {options.check_every} iterations.\n")
    for name in options.spots:
        path = Path(name) if Path(name).suffix else ROOT / "examples" / f"{name}.toml"
        compare_spot(path, peer, options)


if __name__ == "__main__":
    main()
