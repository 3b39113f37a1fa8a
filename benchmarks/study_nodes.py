"""Milliseconds to answer for a node of a solution in `errai serve`, and the memory that this takes.

    errai solve examples/flop.toml --target 0.5%pot -o flop.errai
    scripts/bench study_nodes flop.errai             # read whole, as the server does up to 128 MiB
    scripts/bench study_nodes flop.errai --parts     # only what is shown is read, as for larger files

Random lines are followed from the root, and every node on them is asked for: its view is made and written as JSON, with
EVs, equities and what is still to gain.  Nodes that were asked for before are left out, as is the first of all, whose
time is printed on its own.  Times are processor times of all threads, since the machine may be shared; beside them are
those of the clock.
"""

from __future__ import annotations

import argparse
import resource
import shutil
import time
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from common.lines import random_lines

from errai.web import library, views
from errai.web.library import Library
from errai.web.routes.solutions import NodeView
from errai.web.workspace import Workspace


def main() -> None:
    """Time the nodes of one file."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("solution", type=Path)
    parser.add_argument("--parts", action="store_true", help="read only what is shown")
    parser.add_argument("--nodes", type=int, default=200)
    options = parser.parse_args()
    if options.parts:
        library.WHOLE_BYTES = 0
    with TemporaryDirectory(dir=options.solution.resolve().parent) as folder:
        workspace = Workspace.at(Path(folder))
        shutil.copy(options.solution, workspace.of("solutions") / "it.errai")
        measure(Library(workspace), options.nodes)


def measure(opened: Library, count: int) -> None:
    """Ask for nodes, each twice."""
    print(f"the first node: {timed(opened, '')[0]:.0f} ms")
    with opened.opened("it") as found:
        lines = random_lines(found.solution.root, np.random.default_rng(0))
    asked = list(islice(lines, count))
    for name, times in (
        ("a new node", [timed(opened, line) for line in asked]),
        ("the same again", [timed(opened, line) for line in asked[-20:]]),
    ):
        processor, clock = (np.quantile(of, [0.5, 0.95, 1.0]) for of in zip(*times, strict=True))
        print(
            f"{name}: median {processor[0]:.1f} ms, 95 % {processor[1]:.1f} ms, most {processor[2]:.1f} ms "
            f"(by the clock {clock[0]:.1f}, {clock[1]:.1f} and {clock[2]:.1f} ms)"
        )
    print(f"memory at most {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MiB")


def timed(opened: Library, line: str) -> tuple[float, float]:
    """Milliseconds of the processor and of the clock for a view as JSON."""
    processor, clock = time.process_time(), time.perf_counter()
    with opened.opened("it") as found:
        view = views.node_view(found, line)
    NodeView(solution="it", **view, command="").model_dump_json()
    return 1e3 * (time.process_time() - processor), 1e3 * (time.perf_counter() - clock)


if __name__ == "__main__":
    main()
