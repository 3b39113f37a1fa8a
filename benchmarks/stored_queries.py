"""Milliseconds to look up a decision in the folder of a run.

    scripts/bench stored_queries run/             # a run of `errai solve --store`
    scripts/bench stored_queries --block big/     # makes a run of limit hold'em with one large block, once
    scripts/bench stored_queries --blueprints     # every verb on the blueprints of the package, on ten boards

Lines go to the end of the hand, with random cards and random actions other than folds; every decision of the player on
the line is read.  Times are processor times, since the machine may be shared.  The run of ``--block`` is cut before the
turn and has one block of 36,513,360 entries (three lines of one turn board) after three iterations, and an empty trunk
of 0.9 GB.  With ``--blueprints`` every verb is a process of its own, whose seconds and memory are those of the command
as a user gives it.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

import numpy as np
from common.lines import random_step
from common.machine import machine_line

import errai
from errai.arena.match import play_match
from errai.blueprints.blueprint import SHIPPED, shipped_blueprint
from errai.cluster.folder import RunFolder
from errai.cluster.partition import Block, Partition
from errai.cluster.reading import StoredSolution, open_run
from errai.cluster.worker import BlockWorker, Setup, Task
from errai.engine.resources import schedule_in
from errai.engine.schedules import find_schedule
from errai.games.catalogue import load_game
from errai.solutions.node import SolutionNode
from errai.solutions.subjects import subject_document
from errai.store.checkpoint import save_checkpoint
from errai.store.container import ArrayStream
from errai.tree.public_tree import plan_public_tree
from errai.tree.subgame import entry_count

BOARD, CUT, ITERATIONS = 40_000, 2, 3


def main() -> None:
    """Make the run if it is chosen, and time it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, nargs="?", help="without: three iterations of Rhode Island hold'em")
    parser.add_argument("--block", action="store_true", help="make a run of limit hold'em with one large block")
    parser.add_argument("--lines", type=int, default=300)
    parser.add_argument("--blueprints", action="store_true", help="every verb on the blueprints of the package")
    options = parser.parse_args()
    if options.blueprints:
        with TemporaryDirectory() as place:
            verbs_on_blueprints(Path(place))
        return
    if options.folder is None:
        with TemporaryDirectory() as place:
            options.folder = Path(place) / "run"
            errai.solve(load_game("rhode-island"), store=options.folder, max_iterations=3)
            measure(options)
        return
    if options.block and not RunFolder(options.folder).exists():
        make_block(options.folder)
    measure(options)


def verbs_on_blueprints(place: Path) -> None:
    """Time every verb that opens a blueprint, on ten random boards, and print the median and the most of each."""
    print(machine_line())
    print("\n| blueprint | verb | s: median | most | MB: most |\n|---|---|---|---|---|")
    for name in SHIPPED:
        game, rng = shipped_blueprint(name).game, np.random.default_rng(1)
        boards = [game.deck.cards_text(cards) for cards in rng.permuted(np.tile(np.arange(52), (10, 1)), axis=1)[:, :5]]
        log, table = str(place / f"{name}.log"), str(place / "table.csv")
        play_match(game, (name, "always-call"), hands=20, log=log)
        flop = [f"raise call / {board[:6]} / check check" for board in boards]
        turn = [f"{line} / {board[6:8]} / check check" for line, board in zip(flop, boards, strict=True)]
        river = [f"{line} / {board[8:]} / check" for line, board in zip(turn, boards, strict=True)]
        if not game.limit:
            flop, turn, river = (
                [line.replace("raise", "raise 300") for line in lines] for lines in (flop, turn, river)
            )
        verbs = {
            "show, the first action": [["show", name]],
            "show, a river": [["show", name, line] for line in river],
            "query, a hand": [["query", name, line, "--hand", "AKs"] for line in river],
            "chart": [["chart", name]],
            "runouts, a turn": [["runouts", name, line] for line in flop],
            "runouts, a river": [["runouts", name, line] for line in turn],
            "tree": [["tree", name]],
            "export, a flop": [["export", name, "--to", table, "--board", board[:6]] for board in boards],
            "review, 20 hands": [["review", log, "--against", name, "--game", game.name]],
        }
        for verb, commands in verbs.items():
            seconds, memory = zip(*map(run_verb, commands), strict=True)
            print(f"| `{name}` | {verb} | {median(seconds):.2f} | {max(seconds):.2f} | {max(memory):.0f} |", flush=True)


def run_verb(words: list[str]) -> tuple[float, float]:
    """Run a verb; returns the seconds that it took and its greatest resident memory in MB."""
    began = time.perf_counter()
    process = subprocess.Popen([Path(sys.executable).with_name("errai"), *words], stdout=subprocess.DEVNULL)
    _, status, used = os.wait4(process.pid, 0)
    if code := os.waitstatus_to_exitcode(status):
        raise SystemExit(f"errai {' '.join(words)} ended with {code}.")
    return time.perf_counter() - began, used.ru_maxrss / 1000


def measure(options: argparse.Namespace) -> None:
    """Open the run and follow lines."""
    begun = time.process_time()
    stored = open_run(options.folder)
    print(f"opening: {1e3 * (time.process_time() - begun):.1f} ms")
    generator = np.random.default_rng(0)
    start = edge(stored) if options.block else stored.root
    times = [timed_line(start, generator) for _ in range(options.lines)]
    print(f"the first line: {1e3 * times[0]:.1f} ms")
    median, high, most = 1e3 * np.quantile(times[1:], [0.5, 0.95, 1])
    print(f"the others: median {median:.2f} ms, 95 % {high:.2f} ms, most {most:.2f} ms")


def timed_line(node: SolutionNode, generator: np.random.Generator) -> float:
    """Walk from a node to the end of the hand."""
    begun = time.process_time()
    while node.kind in ("decision", "chance"):
        node = random_step(node, generator)
    return time.process_time() - begun


def edge(stored: StoredSolution) -> SolutionNode:
    """The beginning of one of the lines of the block, on its board."""
    board = stored.paths.at(CUT, BOARD).cards
    cards = [stored.deck.card_text(c) for c in board]
    return stored.at(f"call check / {''.join(cards[:3])} / bet 10 call / {cards[3]} /")


def make_block(folder: Path) -> None:
    """A run in which only one block has files."""
    game = load_game("holdem.limit.2p")
    plan = plan_public_tree(game)
    boards, lines = plan.deal_size.boards[CUT], entry_count(plan.betting, CUT)
    parts = [
        (0, BOARD, 0, lines),
        (BOARD, BOARD + 1, 0, 3),
        (BOARD, BOARD + 1, 3, lines),
        (BOARD + 1, boards, 0, lines),
    ]
    partition = Partition(CUT, tuple(Block(range(a, b), range(c, d), 0, 0, 0) for a, b, c, d in parts))
    place, schedule = RunFolder(folder), schedule_in("fixed16", find_schedule("dcfr4+"))
    place.create()
    facts = {
        "run": "0" * 16,
        "game": subject_document(game, None),
        "partition": partition.to_dict(),
        "block_precision": "fixed16",
        "averages": True,
    }
    setup = Setup(
        str(place.path.resolve()), "0" * 16, facts["game"], facts["partition"], "fixed16", "cpu", True, 1 << 33
    )
    worker = BlockWorker(setup)
    with_ones = worker.load(Task(1, 0, (np.zeros(0), np.zeros(0)))).kernel.tree.root_reach
    for iteration in range(1, ITERATIONS + 1):
        row = tuple(schedule.coefficients(iteration, 1)[0].tolist())
        for player in (0, 1):
            result = worker.run(Task(1, iteration, with_ones, player, row, schedule.weighted))
            assert result.error is None
    arrays = {}
    for s in range(CUT):
        for p in (0, 1):
            size = plan.betting.num_rows(s, p) * plan.deal_size.classes[s][p]
            arrays[f"sums/{s}/{p}"] = ArrayStream("float32", (size,), ones(size))
    progress = {"iteration": ITERATIONS, "seconds": 0.0, "curve": [], "schedule": schedule.to_dict()}
    save_checkpoint(place.checkpoint, {**facts, **progress}, arrays)


def ones(size: int) -> Iterator[np.ndarray]:
    """So many, some millions at a time."""
    for begin in range(0, size, 1 << 22):
        yield np.ones(min(1 << 22, size - begin), np.float32)


if __name__ == "__main__":
    main()
