"""The cost of a run in a folder compared with one in memory, and whether it keeps to its memory; see
benchmarks/README.md.
"""

from __future__ import annotations

import argparse
import json
import re
import statistics
import subprocess
import sys
from pathlib import Path
from typing import Any

from common.machine import machine_line
from common.tables import number_text, spread, table

DRIVER = Path(__file__).resolve().parent / "drivers" / "store_driver.py"
GAMES = {"rhode-island": 10, "holdem-2-4": 4}
"""Iterations of each that are timed."""

BUDGETS = ("2GiB", "600MiB", "400MiB")
_UNITS = {"MiB": 1 << 20, "GiB": 1 << 30}


def size_of(text: str) -> int:
    """Bytes of ``600MiB`` and the like."""
    match = re.fullmatch(r"(\d+)(MiB|GiB)", text)
    if match is None:
        raise argparse.ArgumentTypeError(f"{text} is no size; write 600MiB or 2GiB")
    return int(match[1]) * _UNITS[match[2]]


def ways(workers: list[int], ray: bool) -> list[tuple[str, dict[str, Any]]]:
    """Names and requests of all ways to solve."""
    found: list[tuple[str, dict[str, Any]]] = []
    for count in workers:
        found.append((f"in memory, {count}", {"workers": count, "store": False, "cluster": None}))
        found.append((f"in a folder, {count}", {"workers": count, "store": True, "cluster": None}))
        if ray:
            found.append((f"with Ray, {count}", {"workers": count, "store": True, "cluster": f"local:{count}"}))
    return found


def ask(request: dict[str, Any]) -> dict[str, Any]:
    """Run a request in a process of its own; what went wrong is an answer as well."""
    words = [sys.executable, str(DRIVER), json.dumps(request)]
    done = subprocess.run(words, capture_output=True, text=True)
    if done.returncode != 0:
        return {"error": done.stderr.strip().splitlines()[-1]}
    return json.loads(done.stdout.splitlines()[-1])


def request_of(game: str, way: dict[str, Any], memory: int | None, options: argparse.Namespace) -> dict[str, Any]:
    """Return the request for the driver."""
    folder = str(options.folder.resolve()) if way["store"] else None
    return {
        "game": game,
        "workers": way["workers"],
        "cluster": way["cluster"],
        "folder": folder,
        "memory": memory,
        "iterations": options.iterations or GAMES[game],
    }


def medians(runs: list[dict[str, Any]], key: str) -> float:
    """The median of a figure."""
    return statistics.median(run[key] for run in runs)


def times_table(times: dict[str, dict[str, list[dict[str, Any]]]]) -> str:
    """Seconds of an iteration, and where the workers' time went."""
    head = ["game", "workers", "seconds per iteration", "of in memory", "blocks", "stored", "read, walk, write", "peak"]
    rows = []
    for game, by_way in times.items():
        for name, answers in by_way.items():
            kind, _, workers = name.rpartition(", ")
            runs = [run for run in answers if "error" not in run]
            base = [run for run in by_way[f"in memory, {workers}"] if "error" not in run]
            if len(runs) < len(answers) or not base:
                reason = next((run["error"][:120] for run in answers if "error" in run), "nothing to compare with")
                rows.append([game, name, reason, *[""] * 5])
                continue
            cells = [game, name, spread([run["seconds"] for run in runs])]
            cells.append(number_text(medians(runs, "seconds") / medians(base, "seconds")))
            if kind == "in memory":
                cells += ["", "", ""]
            else:
                total = sum(medians(runs, key) for key in ("reading", "walking", "writing"))
                shares = ", ".join(f"{medians(runs, key) / total:.0%}" for key in ("reading", "walking", "writing"))
                stored = f"{runs[0]['stored_bytes'] / 2**20:,.1f} of {runs[0]['state_bytes'] / 2**20:,.1f} MiB"
                cells += [str(runs[0]["blocks"]), stored, shares]
            rows.append([*cells, f"{max(run['peak_bytes'] for run in runs) / 2**20:,.0f} MiB"])
    return table(head, rows)


def memory_table(found: list[dict[str, Any]]) -> str:
    """The most memory that was in use against what was allowed."""
    head = ["game", "workers", "allowed", "expected", "in use at most", "seconds per iteration", "blocks"]
    rows = []
    for one in found:
        cells = [one["game"], str(one["workers"]), one["budget"]]
        if "error" in one:
            rows.append([*cells, one["error"][:160], "", "", ""])
            continue
        mib = [f"{one[key] / 2**20:,.0f} MiB" for key in ("expected_bytes", "peak_bytes")]
        rows.append([*cells, *mib, number_text(one["seconds"]), str(one["blocks"])])
    return table(head, rows)


def main() -> None:
    """Read the options, measure or read what was measured, print tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", nargs="+", default=list(GAMES), choices=GAMES)
    parser.add_argument("--runs", type=int, default=3, help="of each way, in turns (default: %(default)s)")
    parser.add_argument("--iterations", type=int, help="timed in each run")
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--ray", action="store_true", help="with Ray as well")
    parser.add_argument("--budgets", nargs="*", default=list(BUDGETS), metavar="SIZE")
    parser.add_argument("--folder", type=Path, default=Path("."), help="on the disk to measure (default: here)")
    parser.add_argument("--json", type=Path, metavar="FILE", help="keep what was measured")
    parser.add_argument("--render", type=Path, metavar="FILE", help="measure nothing, show a --json file")
    options = parser.parse_args()
    if options.render:
        document = json.loads(options.render.read_text())
    else:
        document = {"machine": machine_line(), "runs": options.runs, "times": {}, "memory": []}
        for game in options.games:
            by_way: dict[str, list[dict[str, Any]]] = {}
            for _ in range(options.runs):
                for name, way in ways(options.workers, options.ray):
                    by_way.setdefault(name, []).append(ask(request_of(game, way, None, options)))
                    print(f"{game}, {name}: {by_way[name][-1]}", file=sys.stderr, flush=True)
            document["times"][game] = by_way
        for budget in options.budgets:
            for workers in options.workers:
                way = {"workers": workers, "store": True, "cluster": None}
                answer = ask(request_of(options.games[-1], way, size_of(budget), options))
                document["memory"].append({"game": options.games[-1], "workers": workers, "budget": budget, **answer})
                print(document["memory"][-1], file=sys.stderr, flush=True)
        if options.json:
            options.json.write_text(json.dumps(document) + "\n")
    print(f"{document['machine']}.\n\nMedians of {document['runs']} runs in turns, 16 bits, with averages.\n")
    print(times_table(document["times"]))
    print(memory_table(document["memory"]))


if __name__ == "__main__":
    main()
