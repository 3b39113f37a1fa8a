"""Solves one spot with Errai and prints how that went, in the words of the peers' drivers (benchmarks/README.md)."""

from __future__ import annotations

import json
import re
import sys
import time
from pathlib import Path
from typing import Any

from errai.games.spot import load_spot
from errai.solvers.loop import Solver
from errai.solvers.schedules import DEFAULT, find_schedule
from errai.solvers.strategy import exploitability
from errai.tree.public_tree import PublicTree, build_public_tree


class TimedSolver(Solver):
    """A solver that knows how much of its time went into iterations."""

    iterating = 0.0

    def iterate(self, count: int = 1) -> None:
        """Run ``count`` more iterations."""
        started = time.perf_counter()
        super().iterate(count)
        self.iterating += time.perf_counter() - started


def new_solver(tree: PublicTree, request: dict[str, Any]) -> TimedSolver:
    """A solver at its very beginning."""
    precision = request.get("precision", "auto")
    # A 16-bit state keeps the average itself, which reach cannot weight.
    changes = {"weighted": False} if precision == "fixed16" else {}
    schedule = find_schedule(request.get("algorithm", DEFAULT), **changes)
    return TimedSolver(tree, schedule, threads=request["threads"], precision=precision)


def fixed_curve(solver: TimedSolver, request: dict[str, Any]) -> list[list[float]]:
    """Measure after every ``check_every`` iterations, as the peers' drivers do, down to the least target."""
    started = time.perf_counter()
    uniform = exploitability(solver.tree, solver.kernel, solver.state.sums, solver.units)
    checking = time.perf_counter() - started
    curve = [[0, 0.0, checking, uniform.pot_percent]]
    while solver.iteration < request["max_iterations"] and curve[-1][3] > request["target_pot_percent"]:
        solver.iterate(request["check_every"])
        started = time.perf_counter()
        measured = solver.measure()
        checking += time.perf_counter() - started
        curve.append([solver.iteration, solver.iterating, solver.iterating + checking, measured.pot_percent])
    return curve


def own_curve(solver: TimedSolver, request: dict[str, Any]) -> list[list[float]]:
    """Solve down to the target, measuring where the solver itself thinks best; the start is as cold as a user's."""
    started = time.perf_counter()
    chips = request["target_pot_percent"] / 100.0 * solver.units.initial_pot_chips
    solver.run(target_chips=chips, max_iterations=request["max_iterations"])
    seconds = time.perf_counter() - started
    assert solver.newest is not None
    return [[solver.iteration, solver.iterating, seconds, solver.newest.pot_percent]]


def memory_now(field: str) -> int:
    """Bytes of a field of this process's status: VmRSS what it has, VmHWM the most it ever had.

    What ``getrusage`` calls the maximum would include the process that started this one.
    """
    match = re.search(rf"{field}:\s*(\d+) kB", Path("/proc/self/status").read_text())
    return 1024 * int(match[1]) if match else 0


def run(request: dict[str, Any]) -> dict[str, Any]:
    """Solve ``request["spot"]``, measuring after every ``check_every`` iterations, or, if null, where it likes."""
    answer: dict[str, Any] = {"program": "errai", "baseline_bytes": memory_now("VmRSS")}
    started = time.perf_counter()
    tree = build_public_tree(load_spot(request["spot"]))
    solver = new_solver(tree, request)
    answer["setup_seconds"] = time.perf_counter() - started
    answer["memory_bytes"] = sum(array.nbytes for array in solver.state.arrays().values())
    answer["precision"] = solver.precision
    answer["entries"] = tree.entries
    if request["check_every"]:
        answer["curve"] = fixed_curve(solver, request)
        answer["resident_bytes"] = memory_now("VmHWM")
    else:
        points = own_curve(solver, request)
        answer["resident_bytes"] = memory_now("VmHWM")
        # What is true before the first iteration is asked last, so that it warms nothing up.
        del solver
        answer["curve"] = fixed_curve(new_solver(tree, request), {**request, "max_iterations": 0}) + points
    return answer


if __name__ == "__main__":
    print(json.dumps(run(json.loads(sys.argv[1]))))
