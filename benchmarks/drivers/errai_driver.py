"""Solves one spot with Errai and prints how that went, in the words of the peers' drivers (benchmarks/README.md)."""

from __future__ import annotations

import json
import resource
import sys
import time
from typing import Any

from errai.games.spot import load_spot
from errai.solvers.loop import Solver
from errai.solvers.schedules import DEFAULT, find_schedule
from errai.solvers.strategy import exploitability
from errai.tree.public_tree import build_public_tree


def run(request: dict[str, Any]) -> dict[str, Any]:
    """Solve ``request["spot"]`` and measure after every ``check_every`` iterations, as the peers' drivers do."""
    started = time.perf_counter()
    tree = build_public_tree(load_spot(request["spot"]))
    schedule = find_schedule(request.get("algorithm", DEFAULT))
    solver = Solver(tree, schedule, threads=request["threads"])
    setup_seconds = time.perf_counter() - started

    iterating = 0.0
    started = time.perf_counter()
    uniform = exploitability(tree, solver.kernel, solver.state.sums, solver.units)
    checking = time.perf_counter() - started
    curve = [[0, 0.0, checking, uniform.pot_percent]]
    while solver.iteration < request["max_iterations"] and curve[-1][3] > request["target_pot_percent"]:
        started = time.perf_counter()
        solver.iterate(request["check_every"])
        measuring = time.perf_counter()
        measured = solver.measure()
        iterating += measuring - started
        checking += time.perf_counter() - measuring
        curve.append([solver.iteration, iterating, iterating + checking, measured.pot_percent])
    return {
        "program": "errai",
        "setup_seconds": setup_seconds,
        "memory_bytes": sum(array.nbytes for array in solver.state.arrays().values()),
        "resident_bytes": 1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss,
        "curve": curve,
        "entries": tree.entries,
    }


if __name__ == "__main__":
    print(json.dumps(run(json.loads(sys.argv[1]))))
