"""Run CFR+ on a small game with one of several programs and print its speed; see benchmarks/README.md.

It runs under the interpreter that has the program; the argument is a JSON object.  Every program only iterates and
measures, by its public functions, in the way that its documentation shows.
"""

from __future__ import annotations

import json
import sys
import time
from typing import Any, Protocol


class Program(Protocol):
    """A solver bound to a game."""

    information_sets: int

    def iterate(self, count: int) -> None:
        """Run ``count`` more iterations: both players update once, one after the other, in each."""

    def exploitability(self) -> float:
        """Half of nash_conv of the average strategy, in chips."""


class Errai:
    """This project."""

    def __init__(self, request: dict[str, Any]) -> None:
        import errai
        from errai.engine.loop import Solver
        from errai.engine.schedules import find_schedule
        from errai.tree.public_tree import build_public_tree

        tree = build_public_tree(errai.load_game("leduc"))
        self.solver = Solver(tree, find_schedule(request["algorithm"]), threads=request["threads"])
        self.information_sets = tree.canonical_information_sets

    def iterate(self, count: int) -> None:
        self.solver.iterate(count)

    def exploitability(self) -> float:
        return self.solver.measure().chips


class OpenSpiel:
    """OpenSpiel's CFR+ in C++."""

    def __init__(self, request: dict[str, Any]) -> None:
        import pyspiel

        self.pyspiel = pyspiel
        self.game = pyspiel.load_game(request["spiel_game"])
        self.solver = pyspiel.CFRPlusSolver(self.game)
        self.information_sets = len(self.solver.tabular_average_policy().policy_table())

    def iterate(self, count: int) -> None:
        for _ in range(count):
            self.solver.evaluate_and_update_policy()

    def exploitability(self) -> float:
        return self.pyspiel.exploitability(self.game, self.solver.tabular_average_policy())


class LiteEFG:
    """LiteEFG's CFR+: a graph of vector operations run in C++, on the game as OpenSpiel defines it."""

    def __init__(self, request: dict[str, Any]) -> None:
        import LiteEFG
        import pyspiel
        from LiteEFG.baselines import CFRplus

        LiteEFG.set_threads(request["threads"])
        self.graph = CFRplus.graph()
        game = pyspiel.load_game(request["spiel_game"])
        self.env = LiteEFG.OpenSpielEnv(game, traverse_type="Enumerate", regenerate=False)
        self.env.set_graph(self.graph)
        _, by_player = self.env.get_strategy(self.graph.current_strategy())
        self.information_sets = sum(len(strategies) for strategies in by_player)

    def iterate(self, count: int) -> None:
        for _ in range(count):
            self.graph.update_graph(self.env)
            self.env.update_strategy(self.graph.current_strategy())

    def exploitability(self) -> float:
        return sum(self.env.exploitability(self.graph.current_strategy(), "linear-avg-iterate")) / 2.0


PROGRAMS = {"errai": Errai, "openspiel": OpenSpiel, "liteefg": LiteEFG}


def rate(program: Program, seconds: float, batch: int) -> float:
    """Iterations a second, over at least that many seconds."""
    program.iterate(batch)
    done, started = 0, time.perf_counter()
    while (passed := time.perf_counter() - started) < seconds:
        program.iterate(batch)
        done += batch
    return done / passed


def curve(program: Program, request: dict[str, Any]) -> list[list[float]]:
    """Rows of iterations, seconds of iterations, seconds in all and exploitability, down to the target."""
    iterating = checking = 0.0
    points: list[list[float]] = []
    count = 0
    while count < request["max_iterations"] and not (points and points[-1][3] <= request["target_chips"]):
        started = time.perf_counter()
        program.iterate(request["check_every"])
        iterated = time.perf_counter()
        value = program.exploitability()
        count += request["check_every"]
        iterating += iterated - started
        checking += time.perf_counter() - iterated
        points.append([count, iterating, iterating + checking, value])
    return points


def main() -> None:
    """Answer the request."""
    request = json.loads(sys.argv[1])
    make = PROGRAMS[request["program"]]
    # Some programs greet on standard output; the answer must stand there alone.
    answer_to, sys.stdout = sys.stdout, sys.stderr
    started = time.perf_counter()
    program = make(request)
    answer: dict[str, Any] = {"setup_seconds": time.perf_counter() - started}
    answer["information_sets"] = program.information_sets
    answer["curve"] = curve(program, request)
    answer["iterations_per_second"] = rate(make(request), request["seconds"], request["check_every"])
    print(json.dumps(answer), file=answer_to)


if __name__ == "__main__":
    main()
