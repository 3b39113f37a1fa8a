"""One run of benchmarks/store.py in a process of its own: a request as JSON on the command line, the answer as JSON."""

from __future__ import annotations

import json
import os
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

import errai
from errai.cluster.partition import Budget, lay_out
from errai.engine.loop import Progress, Solver
from errai.engine.resources import schedule_in
from errai.engine.schedules import find_schedule
from errai.games.catalogue import load_game
from errai.tree.public_tree import build_public_tree, plan_public_tree

ALGORITHM = "dcfr4+"
PRECISION = "fixed16"


def processes() -> list[int]:
    """This process and all that it has started, and these."""
    found = [os.getpid()]
    for pid in found:
        try:
            for task in os.listdir(f"/proc/{pid}/task"):
                found.extend(map(int, Path(f"/proc/{pid}/task/{task}/children").read_text().split()))
        except OSError:
            pass
    return found


def shared_out_bytes() -> int:
    """Resident memory of all of them; what several share is divided among them (PSS)."""
    total = 0
    for pid in processes():
        try:
            for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
                if line.startswith("Pss:"):
                    total += int(line.split()[1]) * 1024
        except OSError:
            pass
    return total


class Peak(threading.Thread):
    """The most memory that was in use, looked at ten times a second."""

    def __init__(self) -> None:
        super().__init__(daemon=True)
        self.bytes = 0
        self.done = threading.Event()

    def run(self) -> None:
        """Look until it is done."""
        while not self.done.wait(0.1):
            self.bytes = max(self.bytes, shared_out_bytes())


def in_memory(request: dict[str, Any]) -> dict[str, Any]:
    """The same updates with everything in memory."""
    tree = build_public_tree(load_game(request["game"]))
    schedule = schedule_in(PRECISION, find_schedule(ALGORITHM))
    solver = Solver(tree, schedule, threads=request["workers"], precision=PRECISION)
    solver.iterate(1)
    started = time.perf_counter()
    solver.iterate(request["iterations"])
    return {"seconds": (time.perf_counter() - started) / request["iterations"]}


def in_store(request: dict[str, Any]) -> dict[str, Any]:
    """A run in a folder.  Its seconds are of iterations after the first, in which the trees are made."""
    game, times = load_game(request["game"]), []

    def progress(now: Progress) -> None:
        times.append((now.iteration, time.perf_counter()))

    options = {"memory": request["memory"], "processes": request["workers"], "algorithm": ALGORITHM}
    with tempfile.TemporaryDirectory(dir=request["folder"]) as folder:
        run = errai.solve(
            game,
            store=Path(folder) / "run",
            precision=PRECISION,
            max_iterations=1 + request["iterations"],
            cluster=request["cluster"],
            progress=progress,
            **options,
        )
    seen = dict(reversed(times))  # the first time that an iteration was told
    plan = plan_public_tree(game)
    layout = lay_out(Budget(plan, PRECISION, request["workers"], request["memory"]))
    last = 1 + request["iterations"]
    return {
        "seconds": (seen[last] - seen[1]) / request["iterations"],
        "blocks": run.blocks,
        "stored_bytes": run.stored_bytes,
        "state_bytes": plan.entries * 4,
        "reading": run.seconds_reading,
        "walking": run.seconds_walking,
        "writing": run.seconds_writing,
        "expected_bytes": layout.memory_bytes,
        "exploitability_chips": run.exploitability.chips,
    }


def main() -> None:
    """Answer the request."""
    request = json.loads(sys.argv[1])
    peak = Peak()
    peak.start()
    answer = in_memory(request) if request["folder"] is None else in_store(request)
    peak.done.set()
    print(json.dumps(answer | {"peak_bytes": peak.bytes}))


if __name__ == "__main__":
    main()
