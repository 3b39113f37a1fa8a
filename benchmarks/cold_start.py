"""Seconds from starting the command to a saved solution, interpreter included; see benchmarks/README.md."""

from __future__ import annotations

import argparse
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from common.machine import machine_line
from common.tables import spread, table

ROOT = Path(__file__).resolve().parent.parent
ERRAI = (sys.executable, "-m", "errai.cli.main")
"""What the command ``errai`` runs."""


def run(words: Sequence[str], environment: Mapping[str, str] | None = None) -> tuple[float, str, str]:
    """Wall seconds of a process, and what it printed on both streams; exit codes 0 and 3 are results."""
    started = time.perf_counter()
    done = subprocess.run(words, capture_output=True, text=True, env=environment)
    seconds = time.perf_counter() - started
    if done.returncode not in (0, 3):
        raise SystemExit(f"{' '.join(words)} failed:\n{done.stderr}")
    return seconds, done.stdout, done.stderr


def imports(words: Sequence[str]) -> list[tuple[float, float, str]]:
    """What was imported: milliseconds of a module alone, with what it imported first, and its name."""
    found = []
    for line in run([words[0], "-X", "importtime", *words[1:]])[2].splitlines():
        if match := re.match(r"import time:\s*(\d+) \|\s*(\d+) \|\s*(\S+)", line):
            found.append((int(match[1]) / 1000, int(match[2]) / 1000, match[3]))
    return found


def packages(found: Sequence[tuple[float, float, str]]) -> list[tuple[str, float, int]]:
    """Milliseconds and number of modules by package, the longest first; each module counts once."""
    total: dict[str, float] = {}
    count: dict[str, int] = {}
    for alone, _, name in found:
        package = name.partition(".")[0]
        if package in sys.stdlib_module_names:
            package = "standard library"
        total[package] = total.get(package, 0.0) + alone
        count[package] = count.get(package, 0) + 1
    return sorted(((name, ms, count[name]) for name, ms in total.items()), key=lambda row: -row[1])


def main() -> None:
    """Read the options, time the command and its parts in turns, print tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("subject", nargs="?", default=str(ROOT / "examples" / "river.toml"), help="what is solved")
    parser.add_argument("--runs", type=int, default=7, help="of each command, in turns (default: %(default)s)")
    parser.add_argument("--top", type=int, default=12, help="modules listed (default: %(default)s)")
    options = parser.parse_args()
    print(f"{machine_line()}.\n")
    with tempfile.TemporaryDirectory() as folder:
        solve = [*ERRAI, "solve", options.subject, "-o", str(Path(folder, "x.errai")), "--json"]
        commands = {
            "python -c pass": [sys.executable, "-c", "pass"],
            "import numpy": [sys.executable, "-c", "import numpy"],
            "errai --help": [*ERRAI, "--help"],
            f"errai solve {Path(options.subject).name} -o x.errai": solve,
        }
        first = "the same, no bytecode there yet"
        times: dict[str, list[float]] = {name: [] for name in (*commands, first)}
        inside = []
        for number in range(options.runs):
            for name, words in commands.items():
                seconds, output, _ = run(words)
                times[name].append(seconds)
            document = json.loads(output)
            inside.append(document["seconds"])
            nothing = {"PYTHONPYCACHEPREFIX": str(Path(folder, f"bytecode{number}"))}
            times[first].append(run(solve, os.environ | nothing)[0])
        rows = [[name, spread(found)] for name, found in times.items()]
        rows.insert(4, ["of which iterations and measurements", spread(inside)])
        print(f"{options.runs} runs in turns, files in the system's cache. Median (least–greatest), seconds.\n")
        print(table(["", "s"], rows))
        whole = statistics.median(times[list(commands)[-1]])
        print(f"A result after {whole:.2f} s: {'within' if whole <= 1.0 else 'MORE THAN'} a second.\n")
        found = imports(solve)
    print("Imports of the solve, one run under -X importtime, which slows them down:\n")
    rows = [[name, str(count), f"{ms:.1f}"] for name, ms, count in packages(found)[:6]]
    print(table(["package", "modules", "ms"], rows))
    rows = [[name, f"{cumulative:.1f}", f"{alone:.1f}"] for alone, cumulative, name in longest(found, options.top)]
    print(table(["module", "with what it imports, ms", "alone, ms"], rows))


def longest(found: Sequence[tuple[float, float, str]], count: int) -> list[tuple[float, float, str]]:
    """The modules that take longest together with what they import."""
    return sorted(found, key=lambda row: -row[1])[:count]


if __name__ == "__main__":
    main()
