"""Solve a real subgame of full limit hold'em, in memory and from a store, and count what Cepheus's authors counted.

The subgame follows a pre-flop line, a flop and a line of bets on it: all turns and rivers of the 52 cards, with every
hand of both players.  Its exploitability is per hand that gets there.
"""

from __future__ import annotations

import argparse
import json
import shutil
import statistics
import sys
import tempfile
import time
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from common.machine import machine_line

from errai.cluster.partition import Block, Partition, board_sizes, rows_below
from errai.cluster.worker import HereRunner, Setup, Task
from errai.engine.resources import DTYPES, default_threads, schedule_in
from errai.engine.schedules import find_schedule
from errai.games.catalogue import load_game
from errai.kernels.backends import backend_names, make_kernel
from errai.kernels.layout import BEST
from errai.kernels.protocol import State
from errai.options import DEFAULT_IN_STORE
from errai.solutions.subjects import subject_document
from errai.store.packing import pack
from errai.tree.betting_tree import NodeKind
from errai.tree.deal_tree import deal_boards
from errai.tree.public_tree import TreePlan, plan_public_tree
from errai.tree.subgame import Subgame, build_subgame

BIG_BLIND = 10.0

CEPHEUS_RATE = 0.79e6
"""Canonical information sets per core and second: 1,579 iterations of 61 minutes on 4,776 cores."""


class Position:
    """The subgame after a line on a flop: where it lies in the game, and what its numbers are divided by."""

    def __init__(self, line: str, flop: str) -> None:
        self.plan: TreePlan = plan_public_tree(load_game("holdem.limit.2p"))
        betting = self.plan.betting
        exits = [n for n in betting.street_nodes(1) if betting.kind[n] == NodeKind.CHANCE]
        self.entry = exits.index(betting.find(line))
        self.pot_chips = betting.pot(exits[self.entry])
        boards = deal_boards(self.plan.root, 2)
        flops = deal_boards(self.plan.root, 1).cards
        wanted = np.sort([self.plan.root.deck.parse_cards(flop)])
        images = {tuple(sorted(m[wanted[0]].tolist())) for m in self.plan.root.symmetries}
        number = next(b for b, cards in enumerate(flops.tolist()) if tuple(sorted(cards)) in images)
        turns = np.flatnonzero(boards.parent == number)
        self.turns = range(int(turns[0]), int(turns[-1]) + 1)

    def build(self) -> Subgame:
        return build_subgame(self.plan, 2, self.turns, range(self.entry, self.entry + 1))


def pair_weight(subgame: Subgame) -> float:
    """Pairs of hands that fit together on the flop."""
    free = 52 - subgame.deal.streets[0].boards.shape[1]
    return free * (free - 1) / 2 * (free - 2) * (free - 3) / 2


def exploitability_mbb(subgame: Subgame, best: list[np.ndarray]) -> float:
    """From both best responses at the root's hand classes."""
    sizes = np.diff(subgame.arrays.streets[0].hands[0].member_start)
    return 1000.0 / BIG_BLIND * sum(float(sizes @ b) for b in best) / pair_weight(subgame) / 2.0


def in_memory(
    position: Position, algorithm: str, precision: str, target: float, most: int, backend: str, threads: int
) -> dict[str, Any]:
    """Solve with everything in memory."""
    started = time.perf_counter()
    subgame = position.build()
    kernel = make_kernel(backend, subgame.arrays, threads)
    schedule = schedule_in(precision, find_schedule(algorithm))
    state = State.zeros(subgame.arrays, DTYPES[precision], predictive=False, simultaneous=False)
    setting_up = time.perf_counter() - started
    seconds: list[float] = []
    curve: list[tuple[int, float]] = []
    due = 8
    with kernel.hold(state):
        for iteration in range(1, most + 1):
            started = time.perf_counter()
            kernel.iterate(state, schedule.coefficients(iteration, 1), weighted=schedule.weighted)
            seconds.append(time.perf_counter() - started)
            if iteration >= due or iteration == most:
                started = time.perf_counter()
                best = [kernel.root_values(state.sums, p, role=BEST, exact=False) for p in (0, 1)]
                measuring = time.perf_counter() - started
                curve.append((iteration, exploitability_mbb(subgame, best)))
                sys.stderr.write(f"iteration {iteration}: {curve[-1][1]:.4g} mbb/g, {sum(seconds):.1f} s\n")
                due = max(iteration + 1, int(iteration * 1.2))
                if curve[-1][1] <= target:
                    break
    best = [make_kernel("cpu", subgame.arrays, threads).root_values(state.sums, p, role=BEST) for p in (0, 1)]
    return {
        "information_sets": information_sets(subgame),
        "entries": sum(s.state_size(p) for s in subgame.arrays.streets for p in (0, 1)),
        "setting_up": setting_up,
        "seconds_per_iteration": statistics.median(seconds),
        "seconds": sum(seconds),
        "measuring_seconds": measuring,
        "backend": backend,
        "threads": threads,
        "curve": curve,
        "exploitability_mbb": exploitability_mbb(subgame, best),
        "packed_bytes_per_information_set": packed_sizes(state, information_sets(subgame)) if state.scales else None,
    }


def packed_sizes(state: State, sets: int) -> dict[str, float]:
    """Bytes per information set of regrets with their steps and of averages, as the store packs them, and with zstd."""
    groups = {"regrets": [state.regrets, state.scales or []], "averages": [state.sums]}
    found = {}
    for name, parts in groups.items():
        for what, level in (("", 0), (", zstd 3", 3)):
            total = sum(len(pack(a, level=level)[0]) for part in parts for pair in part for a in pair if a.size)
            found[name + what] = total / sets
    return found


def information_sets(subgame: Subgame) -> int:
    return sum(s.num_decisions(p) * int(s.hands[p].start[-1]) for s in subgame.arrays.streets for p in (0, 1))


def from_store(
    position: Position, algorithm: str, precision: str, iterations: int, blocks: int, folder: Path, averages: bool
) -> dict[str, Any]:
    """Iterate on one process with the state on disk, packed; the last iterations are timed."""
    sizes, rows = board_sizes(position.plan, 2), rows_below(position.plan.betting, 2)
    line = range(position.entry, position.entry + 1)
    cuts = np.linspace(position.turns.start, position.turns.stop, blocks + 1).astype(int).tolist()
    parts = []
    for first, last in pairwise(cuts):
        classes = sizes[first:last].sum(axis=0)
        sets, entries = (int((classes * counts[position.entry]).sum()) for counts in (rows.decisions, rows.actions))
        parts.append(Block(range(first, last), line, sets, entries, int(classes.sum())))
    game = subject_document(load_game("holdem.limit.2p"), None)
    (folder / "blocks").mkdir(parents=True)
    setup = Setup(str(folder), "benchmark", game, {}, precision, "cpu", averages, 8 << 30)
    runner = HereRunner(setup, Partition(2, tuple(parts)))
    edge = runner.worker.load(Task(0, 0, (np.ones(0), np.ones(0)))).kernel.tree.streets[0]
    ones = np.ones(int(edge.hands[0].start[-1]))
    schedule = schedule_in(precision, find_schedule(algorithm))
    spent, stored = [], 0
    for iteration in range(1, iterations + 1):
        row = tuple(schedule.coefficients(iteration, 1)[0].tolist())
        started, stored, parts_of = time.perf_counter(), 0, np.zeros(3)
        for player in (0, 1):
            for result in runner.run(
                Task(b, iteration, (ones, ones), player, row, schedule.weighted) for b in range(len(parts))
            ):
                if result.error is not None:
                    raise result.error
                stored += result.stored_bytes
                parts_of += result.seconds
        spent.append((time.perf_counter() - started, *parts_of))
        sys.stderr.write(f"store, iteration {iteration}: {spent[-1][0]:.1f} s, {stored / 2**20:,.0f} MiB\n")
    runner.close()
    last = np.median(np.array(spent[len(spent) // 2 :]), axis=0)
    return {
        "blocks": len(parts),
        "averages": averages,
        "seconds_per_iteration": last[0],
        "reading": last[1],
        "walking": last[2],
        "writing": last[3],
        "stored_bytes": stored,
        "iterations": iterations,
        "information_sets": sum(b.information_sets for b in parts),
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--line", default="r c / k b c", help="pre-flop and flop betting (default: %(default)s)")
    parser.add_argument("--flop", default="Ks9d4h")
    parser.add_argument("--algorithm", default=DEFAULT_IN_STORE)
    parser.add_argument("--precision", default="fixed16")
    parser.add_argument("--target", type=float, default=1.0, help="mbb/g (default: %(default)s)")
    parser.add_argument("--most", type=int, default=2000, help="iterations at most")
    parser.add_argument("--backend", choices=backend_names(), default="cpu", help="in memory (default: %(default)s)")
    parser.add_argument("--threads", type=int, default=default_threads())
    parser.add_argument("--store-iterations", type=int, default=0, help="iterations from a store on one process")
    parser.add_argument("--blocks", type=int, default=8)
    parser.add_argument("--current", action="store_true", help="no averages in the store")
    parser.add_argument("--folder", type=Path, help="where the store is made (default: a temporary folder)")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    position = Position(options.line, options.flop)
    document: dict[str, Any] = {
        "machine": machine_line(),
        "algorithm": options.algorithm,
        "line": options.line,
        "flop": options.flop,
    }
    document["pot_chips"] = position.pot_chips
    if options.most:
        document["memory"] = in_memory(
            position,
            options.algorithm,
            options.precision,
            options.target,
            options.most,
            options.backend,
            options.threads,
        )
    if options.store_iterations:
        folder = Path(tempfile.mkdtemp(dir=options.folder)) / "run"
        try:
            document["store"] = from_store(
                position,
                options.algorithm,
                options.precision,
                options.store_iterations,
                options.blocks,
                folder,
                not options.current,
            )
        finally:
            shutil.rmtree(folder.parent)
    for name in ("memory", "store"):
        if name in document:
            found = document[name]
            cores = found.get("threads", 1)
            rate = found["information_sets"] / found["seconds_per_iteration"] / cores
            found["sets_per_core_second"] = rate
            found["times_cepheus"] = rate / CEPHEUS_RATE
            if "stored_bytes" in found:
                found["bytes_per_information_set"] = found["stored_bytes"] / found["information_sets"]
    text = json.dumps(document, indent=1)
    if options.json:
        options.json.write_text(text)
    print(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
