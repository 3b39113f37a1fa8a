"""Hands per second of matches in this process, and where the time goes; see benchmarks/README.md."""

from __future__ import annotations

import argparse
import cProfile
import json
import pstats
import statistics
import tempfile
import time
from pathlib import Path
from typing import Any

from common.machine import machine_line
from common.tables import table

from errai.agents.agent import Agent
from errai.agents.reader import read_agent
from errai.arena.intervals import Histogram, bootstrap_interval
from errai.arena.play import MatchSetup, Tables
from errai.games.catalogue import load_game
from errai.solving.solve import solve

LIMIT, NO_LIMIT = "holdem.limit.2p", "holdem.nolimit.2p"
MATCHES = (
    (LIMIT, "always-call", "always-raise", 20_000),
    (LIMIT, "uniform", "uniform", 20_000),
    (LIMIT, "by-strength", "uniform", 4_000),
    (NO_LIMIT, "uniform", "uniform", 20_000),
    ("leduc", "solution", "solution", 20_000),
)
"""Game, both agents, and hands in one run."""


def main() -> None:
    """Run the matches in turns and print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=5, help="runs of each match (5)")
    parser.add_argument("--profile", action="store_true", help="also say where the time of each match goes")
    parser.add_argument("--json", metavar="FILE", help="keep all figures here")
    options = parser.parse_args()
    print(machine_line())
    print()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "leduc.errai"
        solve(load_game("leduc"), "1mbb", threads=1).save(path)
        tables = [
            (made(game, first, second, hands * (options.runs + 1), path), f"{game}: {first}, {second}", hands)
            for game, first, second, hands in MATCHES
        ]
        rates: dict[str, list[float]] = {name: [] for _, name, _ in tables}
        for run in range(options.runs + 1):
            for seats, name, hands in tables:
                begun = time.process_time()
                # Deals are fresh in every run.  The first one fills what agents remember of the betting, and does not
                # count: a long match does it once.
                seats.play(run * hands, (run + 1) * hands)
                if run:
                    rates[name].append(hands / (time.process_time() - begun))
        rows = [
            [name, f"{statistics.median(found):,.0f}", f"{min(found):,.0f} to {max(found):,.0f}"]
            for name, found in rates.items()
        ]
        print(table(["match", "hands per second of one core, median", "runs"], rows))
        print()
        begun = time.process_time()
        interval = bootstrap_interval(Histogram.of([i * 0.37 % 101.0 for i in range(1_000_000)]))
        print(f"An interval of a million different numbers: {time.process_time() - begun:.2f} s ({interval}).")
        if options.profile:
            for seats, name, hands in tables:
                profile(seats, name, hands // 5)
    if options.json:
        document: dict[str, Any] = {"machine": machine_line(), "hands_per_second": rates}
        Path(options.json).write_text(json.dumps(document, indent=1) + "\n")


def made(game: str, first: str, second: str, hands: int, solution: Path) -> Tables:
    """A table with two agents."""
    subject = load_game(game)

    def agent(text: str) -> Agent:
        return read_agent(f"solution:{solution}" if text == "solution" else text, subject)

    return Tables(MatchSetup(subject, (agent(first), agent(second)), hands, False, 1))


def profile(tables: Tables, name: str, hands: int) -> None:
    """Print the functions that take most of a match's time themselves."""
    profiler = cProfile.Profile()
    profiler.runcall(tables.play, 0, hands)
    found = pstats.Stats(profiler)
    total = found.total_tt  # type: ignore[attr-defined]
    print(f"\n{name}: share of the time, profiled\n")
    by_time = sorted(found.stats.items(), key=lambda item: -item[1][2])  # type: ignore[attr-defined]
    for (file, _, function), (_, calls, own, _, _) in by_time[:8]:
        print(f"- {own / total:5.1%} {Path(file).name} {function}, {calls / hands:.1f} calls a hand")


if __name__ == "__main__":
    main()
