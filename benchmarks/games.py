"""Solves the larger games of the documentation from beginning to end and prints a table row for each."""

from __future__ import annotations

import argparse
import os
import platform
import resource
import time
from pathlib import Path

import errai

ROOT = Path(__file__).resolve().parent.parent
RUNS = {
    "leduc": ("leduc", "1mbb"),
    "rhode-island": ("rhode-island", "0.01chips"),
    "holdem-2-1": ("holdem-2-1", "2mbb"),
    "river": (ROOT / "examples/river.toml", "0.3%pot"),
    "turn": (ROOT / "examples/turn.toml", "0.3%pot"),
    "flop": (ROOT / "examples/flop.toml", "0.3%pot"),
}


def main() -> None:
    """Read the options and solve."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", default=list(RUNS), help=f"of {', '.join(RUNS)}")
    parser.add_argument("--threads", type=int, default=2)
    options = parser.parse_args()
    print(f"{options.threads} threads, {platform.machine()}, {os.cpu_count()} CPUs.\n")
    print("| | target | entries | iterations | solve, s | all, s | exploitability | value of player 0, chips | MB |")
    print("|---" * 9 + "|")
    for name in options.names:
        source, target = RUNS[name]
        started = time.perf_counter()
        subject = errai.load_spot(source) if isinstance(source, Path) else errai.load_game(source)
        solution = errai.solve(subject, target, threads=options.threads)
        value = solution.values.chips[0]
        gains = solution.exploitability.by_player
        # Player 0 can get no more than by answering best, and can be held to what player 1's best answer leaves.
        cells = [
            name,
            target,
            f"{solution.tree.entries:,}",
            f"{solution.iterations:,}",
            f"{solution.seconds:.2f}",
            f"{time.perf_counter() - started:.2f}",
            str(solution.exploitability),
            f"{value - gains[1]:.6g} to {value + gains[0]:.6g}",
            f"{resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000:.0f}",
        ]
        print("| " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main()
