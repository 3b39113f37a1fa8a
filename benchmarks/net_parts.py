"""How well a flop is solved over the network for the turn in a time, by the parts in which its boards are evaluated.

    scripts/bench net_parts                                  # 16 flops, ten minutes of one core
    scripts/bench net_parts --parts 2 8 --seconds 2 --flops 4

The flops are positions about which lookaheads before the flop ask (:mod:`errai.nets.examples.asked`), with 3 to 45 pots
left to bet; preparing their turns is not counted.  An exploitability is that of the cut game, in per cent of the pot:
with the network's values for the average strategy, and in brackets with the means of what the strategy was learnt from,
by which an agent's solve ends.
"""

from __future__ import annotations

import argparse
import time
from itertools import count

import numpy as np
from common.machine import machine_line
from common.tables import table

from errai.engine.loop import Solver
from errai.engine.schedules import DEFAULT, find_schedule
from errai.nets.below.averages import AveragedLeafValues
from errai.nets.below.leaves import NetLeafValues, PreparedBoards
from errai.nets.examples.asked import PER_LOOKAHEAD, shipped_asked
from errai.nets.examples.targets import tree_of
from errai.nets.network import load_net
from errai.running.recent import Recent

POTS = (3.0, 45.0)
MENU = "50%, 100%, a | 100%, a"
BATCH = 5
"""Iterations between two looks at the time."""


class InParts(AveragedLeafValues):
    """In so many parts, however few lines a tree has."""

    def _parts_for(self, lines: int) -> int:
        return self.parts


def main() -> None:
    """Measure, and write a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--parts", type=int, nargs="+", default=[1, 2, 4, 8, 16])
    parser.add_argument("--seconds", type=float, nargs="+", default=[1.0, 2.5, 6.0], help="of one core (%(default)s)")
    parser.add_argument("--flops", type=int, default=16)
    parser.add_argument("--menu", default=MENU)
    parser.add_argument("--seed", type=int, default=83)
    options = parser.parse_args()
    print(machine_line(), flush=True)
    asked, net = shipped_asked("blueprint-nl", "preflop"), load_net("turn")
    found: dict[tuple[int, float], list[tuple[float, float, int]]] = {}
    flops = 0
    for number in count():
        position = asked.position(options.seed, number * PER_LOOKAHEAD, ())
        stack = float(position.stacks[0])
        if not POTS[0] < stack < POTS[1]:
            continue
        board = tuple(position.boards[0].tolist())
        tree = tree_of(board, stack, position.ranges[0], options.menu, 0)
        prepared: PreparedBoards = Recent(1)
        for parts in options.parts:
            over = InParts(net, parts=parts, threads=1, prepared=prepared)
            over.boards_after(tree)
            solver = Solver(tree, find_schedule(DEFAULT), precision="float32", leaf_values=over)
            spent = 0.0
            for seconds in options.seconds:
                while spent < seconds:
                    before = time.process_time()
                    solver.run(max_iterations=solver.iteration + BATCH)
                    spent += time.process_time() - before
                by_means = solver.measure().pot_percent
                solver.leaf_values = NetLeafValues(net, threads=1, prepared=prepared)
                by_answers = solver.measure().pot_percent
                solver.leaf_values = over
                found.setdefault((parts, seconds), []).append((by_answers, by_means, solver.iteration))
        flops += 1
        if flops == options.flops:
            break
    rows = []
    for parts in options.parts:
        row = [str(parts)]
        for seconds in options.seconds:
            by_answers, by_means, iterations = np.array(found[parts, seconds]).T
            mean = f"{by_answers.mean():.2f} ({by_means.mean():.2f})"
            row += [mean, f"{np.median(by_answers):.2f}", f"{np.median(iterations):.0f}"]
        rows.append(row)
    heads = [head for seconds in options.seconds for head in (f"{seconds:g} s: mean, %", "median", "iterations")]
    print(table(["parts", *heads], rows))


if __name__ == "__main__":
    main()
