"""CFR+ on Leduc hold'em with Errai, OpenSpiel and LiteEFG, in turns, as a table; see benchmarks/README.md."""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from common.machine import machine_line
from common.tables import number_text, spread, table

from errai.engine.schedules import DEFAULT

DRIVER = Path(__file__).resolve().parent / "drivers" / "small_games_driver.py"
MODULES = {"openspiel": "pyspiel", "liteefg": "LiteEFG, pyspiel"}
GAME = "leduc_poker"
SMALLER = "leduc_poker(suit_isomorphism=true)"

Answer = dict[str, Any]


@dataclass(frozen=True)
class Row:
    """One line of the table: a program on one form of the game."""

    name: str
    program: str
    game: str = SMALLER
    algorithm: str = "cfr+"


ROWS = (
    Row("errai, CFR+", "errai"),
    Row(f"errai, its default ({DEFAULT})", "errai", algorithm=DEFAULT),
    Row("OpenSpiel, CFR+", "openspiel", GAME),
    Row("OpenSpiel, CFR+, suits merged", "openspiel"),
    Row("LiteEFG, CFR+", "liteefg", GAME),
    Row("LiteEFG, CFR+, suits merged", "liteefg"),
)


def interpreter(program: str) -> str:
    """The Python that runs a program."""
    return sys.executable if program == "errai" else os.environ.get("ERRAI_PEERS_PYTHON", sys.executable)


def is_there(program: str) -> bool:
    """Return whether a program can be imported; if not, print that it is left out."""
    module = MODULES.get(program)
    if (
        module is None
        or not subprocess.run([interpreter(program), "-c", f"import {module}"], capture_output=True).returncode
    ):
        return True
    print(
        f"{program} is left out: {interpreter(program)} cannot import {module}; ERRAI_PEERS_PYTHON "
        "names a Python that can.\n"
    )
    return False


def ask(row: Row, options: argparse.Namespace, home: str) -> Answer:
    """Run a program in a process of its own; LiteEFG keeps games in the home folder, so that is a temporary one."""
    request = {
        "program": row.program,
        "algorithm": row.algorithm,
        "spiel_game": row.game,
        "threads": 1,
        "target_chips": options.target,
        "check_every": options.check_every,
        "max_iterations": options.max_iterations,
        "seconds": options.seconds,
    }
    words = [interpreter(row.program), str(DRIVER), json.dumps(request)]
    done = subprocess.run(words, capture_output=True, text=True, env=os.environ | {"HOME": home})
    if done.returncode:
        raise SystemExit(f"{row.name} failed:\n{done.stderr}")
    return json.loads(done.stdout)


def cells(row: Row, answers: list[Answer], ours: list[Answer], options: argparse.Namespace) -> list[str]:
    """One line of the table; the ratios are medians over the runs that stood side by side."""
    ends = [answer["curve"][-1] for answer in answers]
    rates = [answer["iterations_per_second"] for answer in answers]
    checks = [1000 * (in_all - iterating) * options.check_every / count for count, iterating, in_all, _ in ends]
    early = next((point[3] for point in answers[0]["curve"] if point[0] >= 100), None)
    text = [
        row.name,
        str(answers[0]["information_sets"]),
        "" if early is None else f"{early:.8f}",
        spread(rates),
        spread(checks),
    ]
    pairs = list(zip(ours, answers, strict=True))
    faster = statistics.median(mine["iterations_per_second"] / a["iterations_per_second"] for mine, a in pairs)
    if all(end[3] <= options.target for end in ends):
        text.append(f"{ends[0][0]} it, {spread([end[1] for end in ends])}")
        text.append(spread([end[2] for end in ends]))
        sooner = number_text(statistics.median(a["curve"][-1][1] / mine["curve"][-1][1] for mine, a in pairs)) + " x"
    else:
        text += ["not reached", ""]
        sooner = ""
    return [*text, *(["", ""] if answers is ours else [f"{number_text(faster)} x", sooner])]


def main() -> None:
    """Read the options, run all programs in turns, print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=5, help="runs of each program (default: %(default)s)")
    parser.add_argument("--target", type=float, default=1e-3, help="chips, nash_conv / 2 (default: %(default)s)")
    parser.add_argument("--check-every", type=int, default=10, help="iterations between measurements")
    parser.add_argument("--max-iterations", type=int, default=2000)
    parser.add_argument("--seconds", type=float, default=1.0, help="how long iterations are counted, at least")
    parser.add_argument("--json", type=Path, metavar="FILE", help="keep every answer here")
    options = parser.parse_args()
    there = {program: is_there(program) for program in ("errai", *MODULES)}
    rows = [row for row in ROWS if there[row.program]]
    print(f"{machine_line()}.\n")
    print(f"Leduc hold'em, one thread, {options.runs} runs of each in turns, each in a process of its own. Medians")
    print(f"(least–greatest). The average is measured every {options.check_every} iterations.\n", flush=True)
    answers: dict[str, list[Answer]] = {row.name: [] for row in rows}
    with tempfile.TemporaryDirectory() as home:
        for _ in range(options.runs):
            for row in rows:
                answers[row.name].append(ask(row, options, home))
    if options.json:
        options.json.write_text(json.dumps({"machine": machine_line(), "answers": answers}) + "\n")
    ours = answers[ROWS[0].name]
    head = [
        "",
        "information sets",
        "chips after 100",
        "iterations/s",
        "a measurement, ms",
        f"iterations to {options.target:g} chips, s",
        "with measurements, s",
        "errai's CFR+ iterates faster by",
        "and is there sooner by",
    ]
    print(table(head, [cells(row, answers[row.name], ours, options) for row in rows]))


if __name__ == "__main__":
    main()
