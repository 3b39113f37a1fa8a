"""Solve one spot with Errai and print the result in the format of the peers' drivers (benchmarks/README.md)."""

from __future__ import annotations

import json
import re
import sys
import time
from pathlib import Path
from typing import Any

from errai.engine.certificate import StrategyProfile
from errai.engine.loop import Solver
from errai.engine.resources import RunPlan, plan_run
from errai.engine.schedules import DEFAULT, find_schedule
from errai.games.lock_file import load_locks
from errai.games.spot import load_spot
from errai.kernels.cpu import use_instruction_set
from errai.tree.public_tree import PublicTree, plan_public_tree


def planned(request: dict[str, Any]) -> RunPlan:
    """The run as ``errai solve`` would plan it for this target."""
    locks = load_locks(request["locks"]) if "locks" in request else None
    plan = plan_public_tree(load_spot(request["spot"]), alike=None, locks=locks)
    chips = request["target_pot_percent"] / 100.0 * plan.betting.initial_pot
    schedule = find_schedule(request.get("algorithm", DEFAULT))
    precision, threads = request.get("precision", "auto"), request["threads"]
    return plan_run(plan, schedule, precision, target_chips=chips, threads=threads)


def new_solver(run: RunPlan, tree: PublicTree) -> Solver:
    """A solver at its very beginning."""
    return Solver(tree, run.schedule, threads=run.threads, precision=run.precision)


def fixed_curve(solver: Solver, request: dict[str, Any]) -> list[list[float]]:
    """Measure after every ``check_every`` iterations, as the peers' drivers do, down to the least target."""
    started = time.perf_counter()
    uniform = StrategyProfile(solver.tree, solver.kernel, solver.state.sums).certificate(solver.units)[0]
    checking = time.perf_counter() - started
    curve = [[0, 0.0, checking, uniform.pot_percent]]
    while solver.iteration < request["max_iterations"] and curve[-1][3] > request["target_pot_percent"]:
        solver.iterate(request["check_every"])
        started = time.perf_counter()
        measured = solver.measure()
        checking += time.perf_counter() - started
        iterating = solver.iterating_seconds
        curve.append([solver.iteration, iterating, iterating + checking, measured.pot_percent])
    return curve


def own_curve(solver: Solver, request: dict[str, Any]) -> list[list[float]]:
    """Solve down to the target, measuring where the solver itself thinks best; the start is as cold as a user's."""
    started = time.perf_counter()
    chips = request["target_pot_percent"] / 100.0 * solver.units.initial_pot_chips
    solver.run(target_chips=chips, max_iterations=request["max_iterations"])
    seconds = time.perf_counter() - started
    assert solver.newest is not None
    return [[solver.iteration, solver.iterating_seconds, seconds, solver.newest.pot_percent]]


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
    plan = planned(request)
    tree = plan.tree.build()
    solver = new_solver(plan, tree)
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
        answer["curve"] = fixed_curve(new_solver(plan, tree), {**request, "max_iterations": 0}) + points
    return answer


def rehearsed(request: dict[str, Any]) -> dict[str, Any]:
    """Return the result after as many earlier runs in this process as the options say."""
    for _ in range(request.get("rehearsals", 0)):
        run(request)
    return run(request)


if __name__ == "__main__":
    asked = json.loads(sys.argv[1])
    if asked.get("instructions"):
        use_instruction_set(asked["instructions"])
    print(json.dumps(rehearsed(asked)))
