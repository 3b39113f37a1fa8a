"""The exact exploitability of re-solving players, and of one solve of the game; see benchmarks/README.md.

With ``--errors`` the values below every lookahead are wrong by up to so many chips, which is what DeepStack's theorem
is about, and ``--figure`` draws exploitability against the iterations for each error.
"""

from __future__ import annotations

import argparse
import json
import time
from dataclasses import astuple, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from common.loglog import Series, loglog
from common.machine import machine_line
from common.tables import number_text, table

import errai
from errai.agents.continual import ContinualAgent, ContinualOptions
from errai.engine.leaf_values import LeafValues
from errai.pictures.plot import series
from errai.resolving.below import ExactBelow
from errai.resolving.oracle import ALONGSIDE, ExactLeafValues
from errai.tree.public_tree import PublicTree

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


def copied(reach: Any) -> Any:
    """Return arrays that may be written to; own code is given others."""
    return tuple([array.copy() for array in arrays] for arrays in reach)


class WrongLeaves(LeafValues):
    """Leaf values that are off by up to ``error`` chips for each hand of the opponent that may be there."""

    def __init__(self, inner: LeafValues, error: float) -> None:
        self.inner, self.error = inner, error

    def values(self, trunk: PublicTree, reach: Any, player: int) -> Any:
        return self._wrong(self.inner.values(trunk, copied(reach), player), trunk, reach, player)

    def learn(self, trunk: PublicTree, half: Any) -> Any:
        mine = replace(half, reach=copied(half.reach), coefficients=half.coefficients.copy())
        return self._wrong(self.inner.learn(trunk, mine), trunk, half.reach, half.player)

    def measure(self, trunk: PublicTree, reach: Any, *, exact: bool = True) -> Any:
        return self.inner.measure(trunk, copied(reach), exact=exact)

    def _wrong(self, given: Any, trunk: PublicTree, reach: Any, player: int) -> list[np.ndarray]:
        found = []
        for street, (values, theirs) in enumerate(zip(given, reach[1 - player], strict=True)):
            arrays = trunk.arrays.streets[street]
            lines = arrays.num_leaves
            if not lines:
                found.append(values)
                continue
            hands = arrays.hands[1 - player]
            held = theirs.reshape(lines, -1) @ np.diff(hands.member_start)
            noise = np.random.default_rng([street, player, lines]).uniform(-1.0, 1.0, values.size)
            found.append(values + self.error * noise * np.repeat(held, values.size // lines))
        return found


class WrongBelow(ExactBelow):
    """Exact values below a lookahead, made wrong."""

    def __init__(self, menu: Any, error: float) -> None:
        super().__init__(menu, alongside=ALONGSIDE)
        self.error = error

    def leaf_values(self, lookahead: Any, player: int | None = None) -> Any:
        return WrongLeaves(super().leaf_values(lookahead, player), self.error)

    def values(self, state: Any, ranges: Any, player: int, above: Any = None) -> np.ndarray:
        found = super().values(state, ranges, player, above)
        noise = np.random.default_rng([player, *state.board]).uniform(-1.0, 1.0, len(found))
        return np.where(found == 0.0, 0.0, found + self.error * noise * ranges[1 - player].sum())


def with_errors(name: str, errors: list[float], iterations: list[int], known: dict[str, Any], keep: Any) -> None:
    """Print the exploitability of continual re-solving by the error of the values and the iterations."""
    game, rows = errai.load_game(name), []
    for error in errors:
        row = [f"{error:g}"]
        for count in iterations:
            key = f"{name} error {error:g} {count}"
            if key not in known:
                options = ContinualOptions(iterations=count)
                menu = ContinualAgent(game, options)._menu
                agent = ContinualAgent(game, options, below=WrongBelow(menu, error))
                found = errai.exploitability(game, agent)
                known[key] = astuple(Cell(found.chips, found.seconds, found.states))
                keep()
            row.append(number_text(known[key][0]))
        rows.append(row)
    print(machine_line())
    print(f"\nExploitability of continual re-solving in {name}, chips, by the error of values and the iterations:\n")
    print(table(["error, chips", *(f"{n:,}" for n in iterations)], rows), flush=True)


def draw(name: str, errors: list[float], iterations: list[int], known: dict[str, Any], path: Path) -> None:
    """Draw what :func:`with_errors` prints."""
    lines = [
        Series(
            f"error {error:g}",
            [(float(n), known[f"{name} error {error:g} {n}"][0]) for n in iterations],
            *series(number),
        )
        for number, error in enumerate(errors)
    ]
    title = "Continual re-solving with wrong values, no-limit Leduc"
    path.write_text(loglog(lines, title=title, across="iterations of a solve", up="exploitability, chips").svg())


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
    parser.add_argument("--errors", type=float, nargs="+", help="chips by which values below lookaheads are wrong")
    parser.add_argument("--figure", type=Path, help="with --errors, an SVG to write")
    options = parser.parse_args()
    known = json.loads(options.json.read_text()) if options.json and options.json.exists() else {}
    if options.errors:

        def keep() -> None:
            if options.json:
                options.json.write_text(json.dumps(known, indent=1))

        with_errors(options.game, options.errors, options.iterations, known, keep)
        if options.figure:
            draw(options.game, options.errors, options.iterations, known, options.figure)
        return
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
