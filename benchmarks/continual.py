"""The exact exploitability of re-solving players, and of one solve of the game; see benchmarks/README.md."""

from __future__ import annotations

import argparse
import json
import time
from dataclasses import astuple, dataclass
from pathlib import Path

from common.machine import machine_line
from common.tables import number_text, table

import errai
from errai.resolving.oracle import ALONGSIDE, ExactLeafValues

AUTHORS = 5.0 / 6.0
"""DeepStack-Leduc counts deals whose cards collide as worth nothing, and does not take them out of the mean."""

SOLVES = {
    "direct": "one solve of the game",
    "alongside": "one solve, leaves learn alongside",
    "ranges": "one solve, leaves are a function of the ranges",
}

PLAYERS = {
    "continual": "leaves learn alongside, solved again at every decision",
    "continual:again=street": "once a street",
    "continual:leaves=ranges": "leaves are a function of the ranges",
    "continual:depth=end": "to the end of the game",
    "continual:mixing=0.9": "with DeepStack's mixtures",
    "continual:gadget=maxmargin": "with Maxmargin",
    "continual:gadget=unsafe": "without any gadget",
}


@dataclass(frozen=True)
class Cell:
    """One measurement."""

    chips: float
    seconds: float
    states: int | None = None


def measured(name: str, who: str, iterations: int) -> Cell:
    """Measure the exploitability of a strategy of the whole game: a solve, or a player who is queried at every public
    state.
    """
    game = errai.load_game(name)
    if who not in SOLVES:
        found = errai.exploitability(game, f"{who}{',' if ':' in who else ':'}iterations={iterations}")
        return Cell(found.chips, found.seconds, found.states)
    started = time.perf_counter()
    rest = errai.lookahead(game, depth=None if who == "direct" else "street")
    leaves = None if rest.depth is None else ExactLeafValues(alongside=ALONGSIDE if who == "alongside" else 0)
    solution = errai.solve(rest, max_iterations=iterations, leaf_values=leaves, precision="float64")
    return Cell(solution.exploitability.chips, time.perf_counter() - started)


def main() -> None:
    """Run the chosen measurements that the file does not have yet, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--game", default="leduc.nolimit")
    parser.add_argument("--iterations", type=int, nargs="+", default=[50, 100, 200, 500, 1000])
    parser.add_argument("--players", nargs="+", default=list(PLAYERS), metavar="NAME")
    parser.add_argument("--json", type=Path, help="where measurements are kept, and found again")
    options = parser.parse_args()
    known = json.loads(options.json.read_text()) if options.json and options.json.exists() else {}
    rows = []
    for who in (*SOLVES, *options.players):
        row = [SOLVES[who] if who in SOLVES else f"`{who}`: {PLAYERS.get(who, '')}".rstrip(": ")]
        for iterations in options.iterations:
            key = f"{options.game} {who} {iterations}"
            if key not in known:
                known[key] = astuple(measured(options.game, who, iterations))
                if options.json:
                    options.json.write_text(json.dumps(known, indent=1))
            cell = Cell(*known[key])
            theirs = f"{number_text(cell.chips * AUTHORS)}; " if options.game == "leduc.nolimit" else ""
            row.append(f"{number_text(cell.chips)} ({theirs}{cell.seconds:.0f} s)")
        rows.append(row)
    print(machine_line())
    scale = "on DeepStack-Leduc's scale; " if options.game == "leduc.nolimit" else ""
    print(f"\nExploitability in {options.game}: chips ({scale}seconds), by iterations of a solve:\n")
    print(table(["", *(f"{n:,}" for n in options.iterations)], rows))


if __name__ == "__main__":
    main()
