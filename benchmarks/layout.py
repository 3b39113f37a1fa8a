"""Seconds of each stage before the first iteration, and memory; see benchmarks/README.md."""

from __future__ import annotations

import argparse
import json
import re
import resource
import statistics
import subprocess
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

from common.machine import machine_line
from common.tables import number_text, table

from errai.engine.certificate import StrategyProfile
from errai.engine.loop import Solver
from errai.engine.resources import plan_run
from errai.engine.schedules import DEFAULT, find_schedule
from errai.games.spot import load_spot
from errai.kernels.backends import make_kernel
from errai.tree.betting_tree import build_betting_tree
from errai.tree.deal_tree import deal_boards
from errai.tree.public_tree import plan_public_tree

ROOT = Path(__file__).resolve().parent.parent
SPOTS = (
    "examples/river.toml",
    "examples/turn.toml",
    "examples/flop.toml",
    "benchmarks/spots/flop-monotone-single-raised.toml",
    "benchmarks/spots/flop-paired-any-two.toml",
)
STAGES = {
    "betting": "betting tree",
    "plan": "symmetries, equivalent hands, sizes, precision",
    "boards": "deal tree: boards",
    "hands": "deal tree: hands, their classes and strengths",
    "arrays": "street arrays",
    "kernel": "the kernel's plan",
    "laying out": "laid out, which is all of the above",
    "state": "memory of the state",
    "iteration": "an iteration (the fastest of three)",
    "first measurement": "the first quick measurement",
    "quick": "a quick measurement (the faster of two)",
    "exact": "an exact measurement (the faster of two)",
}

Result = TypeVar("Result")


class Clock:
    """Takes the time of stages: seconds that passed, and seconds of the processor in all threads."""

    def __init__(self) -> None:
        self.stages: dict[str, tuple[float, float]] = {}

    def time(self, stage: str, work: Callable[[], Result], times: int = 1) -> Result:
        """Run ``work`` and note its time; the least of several times."""
        found = []
        for _ in range(times):
            elapsed, used = time.perf_counter(), time.process_time()
            result = work()
            found.append((time.process_time() - used, time.perf_counter() - elapsed))
        used, elapsed = min(found)
        self.stages[stage] = elapsed, used
        return result


def memory_now(field: str) -> int:
    """Bytes of a field of this process's status: VmRSS what it has, VmHWM the most it ever had."""
    status = Path("/proc/self/status")
    match = re.search(rf"{field}:\s*(\d+) kB", status.read_text()) if status.exists() else None
    return 1024 * int(match[1]) if match else 0


def stages_of(path: str, threads: int, whole: bool) -> dict[str, Any]:
    """All stages of one spot in this process, which has run none before."""
    spot, clock = load_spot(path), Clock()
    before = memory_now("VmRSS")
    clock.time("betting", lambda: build_betting_tree(spot))
    plan = clock.time("plan", lambda: plan_public_tree(spot, alike=None, run_out=None))
    chips = 0.005 * plan.betting.initial_pot
    schedule = find_schedule(DEFAULT)
    sized = Clock()
    run = sized.time("sizes", lambda: plan_run(plan, schedule, target_chips=chips, threads=threads))
    clock.time("boards", lambda: deal_boards(plan.root, plan.betting.num_streets - 1))
    shared = {"threads": threads} if threads > 1 else {}  # Earlier commits list hands in one thread alone.
    tree = clock.time("hands", lambda: plan.build(lambda done, number: None, **shared))
    arrays = clock.time("arrays", lambda: tree.arrays)
    clock.time("kernel", lambda: make_kernel("cpu", arrays, threads))
    stages, less = clock.stages, _less
    # What a stage does again counts once.
    stages["plan"] = _more(less(stages["plan"], stages["betting"]), sized.stages["sizes"])
    stages["hands"] = less(stages["hands"], stages["boards"])
    stages["laying out"] = (sum(e for e, _ in stages.values()), sum(u for _, u in stages.values()))
    answer: dict[str, Any] = {
        "growth": memory_now("VmHWM") - before,
        "entries": tree.entries,
        "precision": run.precision,
        "boards": [len(level.boards) for level in tree.deal.streets],
        "classes": [[int(h.start[-1]) for h in level.hands] for level in tree.deal.streets],
        "stages": stages,
    }
    if whole:
        again = Clock()
        solver = again.time("state", lambda: Solver(tree, run.schedule, threads=threads, precision=run.precision))
        stages["state"] = less(again.stages["state"], stages["kernel"])
        clock.time("first measurement", solver.screen)
        clock.time("iteration", solver.iterate, 3)
        clock.time("quick", solver.screen, 2)
        profile = StrategyProfile(solver.tree, solver.kernel, solver.measured)
        clock.time("exact", lambda: profile.certificate(solver.units), 2)
    answer["peak"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    return answer


def _less(first: tuple[float, float], second: tuple[float, float]) -> tuple[float, float]:
    return max(first[0] - second[0], 0.0), max(first[1] - second[1], 0.0)


def _more(first: tuple[float, float], second: tuple[float, float]) -> tuple[float, float]:
    return first[0] + second[0], first[1] + second[1]


def answer_of(checkout: Path, spot: str, options: argparse.Namespace) -> dict[str, Any]:
    """The stages of a spot in a fresh process of a checkout, which this file measures whatever its commit."""
    words = [str(checkout / ".venv" / "bin" / "python"), __file__, "--alone", spot, "--threads", str(options.threads)]
    done = subprocess.run([*words, *(["--layout-only"] if options.layout_only else [])], capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"{spot} failed in {checkout}:\n{done.stderr}")
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def rows_of(runs: Sequence[Sequence[dict[str, Any]]]) -> list[list[str]]:
    """A row per stage: milliseconds of the processor and elapsed per checkout, and how many times as fast."""
    rows = []
    for stage, name in STAGES.items():
        if stage not in runs[0][0]["stages"]:
            continue
        cells, used = [name], []
        for answers in runs:
            medians = [statistics.median(1000.0 * a["stages"][stage][i] for a in answers) for i in (1, 0)]
            cells += [number_text(ms) for ms in medians]
            used.append(medians[0])
        rows.append([*cells, *([f"{used[1] / max(used[0], 1e-6):.2f} x"] if len(used) > 1 else [])])
    memory = ["growth of memory by then, MB"]
    for answers in runs:
        memory += [number_text(statistics.median(a["growth"] for a in answers) / 1e6), ""]
    rows.append([*memory, *([""] if len(runs) > 1 else [])])
    return rows


def main() -> None:
    """Read the options, measure the spots in turns, print tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("spots", nargs="*", default=[str(ROOT / spot) for spot in SPOTS], help="spot files")
    parser.add_argument("--runs", type=int, default=5, help="of each spot and checkout (default: %(default)s)")
    parser.add_argument("--threads", type=int, default=1, help="default: %(default)s")
    parser.add_argument("--beside", type=Path, help="another checkout with a .venv, whose stages stand beside these")
    parser.add_argument("--layout-only", action="store_true", help="stop before the state's memory is taken")
    parser.add_argument("--alone", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.alone:
        print(json.dumps(stages_of(options.alone, options.threads, not options.layout_only)))
        return
    print(f"{machine_line()}.\n")
    checkouts = [ROOT, *([options.beside] if options.beside else [])]
    head = ["stage", "ms of the processor", "ms elapsed"]
    if options.beside:
        head += ["beside: ms of the processor", "ms elapsed", "beside : here"]
    for spot in options.spots:
        runs: list[list[dict[str, Any]]] = [[] for _ in checkouts]
        for _ in range(options.runs):
            for found, checkout in zip(runs, checkouts, strict=True):
                found.append(answer_of(checkout, spot, options))
        one = runs[0][0]
        boards = ", ".join(f"{number:,}" for number in one["boards"])
        classes = " and ".join(f"{sum(street[p] for street in one['classes']):,}" for p in (0, 1))
        print(f"### {Path(spot).name}: boards {boards}; {classes} classes; {one['entries']:,} entries\n")
        print(f"{options.runs} runs in turns, medians, {options.threads} threads, {one['precision']}.\n")
        print(table(head, rows_of(runs)))


if __name__ == "__main__":
    main()
