"""Methods over games that are written out, to one target in one table; see docs/extensive.md.

``methods GAME ...``: iterations, gradients and seconds of each method to a share of the game's scale.  ``iteration GAME
...``: milliseconds of an iteration of CFR+.  Games of the catalogue are named as everywhere, others as OpenSpiel does.
"""

from __future__ import annotations

import argparse
import statistics
import time

from common.machine import machine_line
from common.tables import table

import errai
from errai.engine.schedules import find_schedule
from errai.extensive import ExtensiveGame, RegretMinimisation, extensive_game

ALGORITHMS = ("lp", "cfr", "cfr+", "dcfr-foresight", "pcfr+", "egt", "egt-euclidean", "mmd", "range-of-skill")


def game_of(name: str) -> ExtensiveGame:
    """A game by its name in the catalogue, or in OpenSpiel."""
    if name in errai.catalogue():
        return extensive_game(errai.load_game(name))
    import pyspiel

    return extensive_game(pyspiel.load_game(name))


def methods(names: list[str], target: float, seconds: float) -> None:
    """Print a table of all methods for each game."""
    for name in names:
        game = game_of(name)
        print(f"\n{game.title}: {[d.num_sets for d in game.decisions]} information sets, {len(game.ends):,} ends")
        rows = [("algorithm", "iterations", "gradients", "seconds", "value", "exploitability")]
        for algorithm in ALGORITHMS:
            found = errai.solve(game, target, algorithm=algorithm, seconds=seconds)
            rows.append(
                (
                    algorithm,
                    f"{found.iterations:,}",
                    f"{found.gradients:,}",
                    f"{found.seconds:.2f}",
                    f"{found.values[0]:.6f}",
                    f"{found.exploitability:.2g}{'' if found.status == 'target met' else f', {found.status}'}",
                )
            )
        print(table(rows[0], rows[1:]))


def iteration(names: list[str], runs: int, count: int) -> None:
    """Print the median of some runs of an iteration of CFR+."""
    rows = [("game", "sets", "ends", "ms an iteration")]
    for name in names:
        game, spent = game_of(name), []
        run = RegretMinimisation(game, find_schedule("cfr+"))
        run.step()
        for _ in range(runs):
            began = time.perf_counter()
            for _ in range(count):
                run.step()
            spent.append(1e3 * (time.perf_counter() - began) / count)
        sets = sum(d.num_sets for d in game.decisions)
        rows.append((game.title[:60], f"{sets:,}", f"{len(game.ends):,}", f"{statistics.median(spent):.3f}"))
    print(table(rows[0], rows[1:]))


def main() -> None:
    """Run what is asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("methods", "iteration"))
    parser.add_argument("games", nargs="+")
    parser.add_argument("--target", type=float, default=1e-3)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--count", type=int, default=20)
    options = parser.parse_args()
    print(machine_line())
    if options.what == "methods":
        methods(options.games, options.target, options.seconds)
    else:
        iteration(options.games, options.runs, options.count)


if __name__ == "__main__":
    main()
