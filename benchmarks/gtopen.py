"""Solves the flop of GTOpen's published speed, on its tree, to 0.3 % of the pot; see benchmarks/README.md."""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from common.comparison import iterations_to, seconds_per_iteration, seconds_to
from common.machine import machine_line, processors
from common.tables import number_text, spread, table
from peers import combinations_text

from errai.games.lock_file import load_locks
from errai.games.spot import load_spot
from errai.kernels.layout import DECISION
from errai.tree.betting_tree import BettingTree
from errai.tree.locks import NodeLocks
from errai.tree.public_tree import TreePlan, plan_public_tree

ROOT = Path(__file__).resolve().parent.parent
DRIVER = ROOT / "benchmarks" / "drivers" / "errai_driver.py"
FOLDER = ROOT / "benchmarks" / "spots" / "gtopen"
LOCKS = ROOT / "benchmarks" / "locks" / "gtopen.toml"

PUBLISHED = {"nodes": 1_245_971, "decisions": 500_748, "entries": 311_852_788, "hands": (257, 319)}
"""What its log in bench/new_i16_dcfr.log says: nodes, action nodes, hands; entries are its 2,494.8 MB over 8 bytes."""

UNSEEN = 49
"""Cards that its tree deals at every deal after a flop; on the river that is one too many, and is never visited."""


# --- the tree, counted as GTOpen counts ---


def forbidden(betting: BettingTree, locks: NodeLocks) -> np.ndarray:
    """bool[N]: nodes that the locks, which hold all hands, keep them from; its tree does not have these."""
    out = np.zeros(len(betting), dtype=bool)
    for lock in locks.locks:
        for child, plays in zip(betting.children(lock.node), lock.strategy, strict=True):
            out[child] |= not plays.any()
    for node in range(1, len(betting)):  # parents come before children
        out[node] |= out[betting.parent[node]]
    return out


def counted(plan: TreePlan) -> dict[str, Any]:
    """Nodes, decisions, entries (hand x action) and hands with every card dealt out, as in :data:`PUBLISHED`."""
    betting, locks = plan.betting, plan.locks
    assert locks is not None
    hands = tuple(int((held.without(plan.subject.board).weights > 0).sum()) for held in plan.subject.ranges)
    there = ~forbidden(betting, locks)
    dealt = UNSEEN ** betting.street.astype(np.int64)
    deciding = there & (betting.kind == DECISION)
    entries = 0
    for node in np.flatnonzero(deciding):
        actions = sum(there[child] for child in betting.children(int(node)))
        entries += int(dealt[node] * actions * hands[betting.actor[node]])
    return {
        "nodes": int(dealt[there].sum()),
        "decisions": int(dealt[deciding].sum()),
        "entries": entries,
        "hands": hands,
    }


# --- running ---


def ours(options: argparse.Namespace, precision: str) -> dict[str, Any]:
    """The answer of our driver in a process of its own."""
    request = {
        "spot": str(FOLDER / "flop.toml"),
        "locks": str(LOCKS),
        "precision": precision,
        "threads": options.threads,
        "target_pot_percent": options.target,
        "max_iterations": options.max_iterations,
        "check_every": None,
    }
    environment = os.environ | {"OPENBLAS_NUM_THREADS": "1"}
    command = [sys.executable, str(DRIVER), json.dumps(request)]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True, env=environment)
    return json.loads(done.stdout)


def theirs(program: str, options: argparse.Namespace) -> dict[str, Any]:
    """What its command-line program says of the same spot; it measures as it goes, so seconds include that."""
    street: dict[str, Any] = {"bet": [{"PotPct": 75}], "raise": [{"PotPct": 60}], "donk": []}
    spot = load_spot(FOLDER / "flop.toml")
    tree: dict[str, Any] = {"starting_pot": 60, "effective_stack": 970, "rake_pct": 0, "rake_cap": 0}
    tree |= {"allin_threshold": 0.85, "add_allin": False, "max_raises": 10}
    tree["oop"] = [street | {"bet": [{"PotPct": 33}]}, street, street]
    tree["ip"] = [street | {"bet": [{"PotPct": 33}, {"PotPct": 75}]}, street, street]
    config: dict[str, Any] = {"board": spot.to_dict()["board"].replace(" ", ""), "tree": tree}
    config |= {f"range_{seat}": combinations_text(held) for seat, held in zip(("oop", "ip"), spot.ranges, strict=True)}
    environment = os.environ | {"SOLVER_THREADS": str(options.threads)}
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "spot.json"
        file.write_text(json.dumps(config))
        command = [program, str(file), str(options.max_iterations), str(options.target)]
        done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=folder, env=environment)
    return read_log(done.stdout + done.stderr)


def read_log(text: str) -> dict[str, Any]:
    """Nodes, hands, iterations, seconds and the peak of the memory of one of its logs."""
    built = re.search(r"(\d+) nodes \((\d+) action nodes\), hands (\d+)/(\d+), arenas ([\d.]+) MB", text)
    done = re.search(r"done: iter (\d+) exploitability ([\d.]+)% pot in ([\d.]+)s.*peak_rss (\d+) MB", text)
    if built is None or done is None:
        raise SystemExit(f"The program of ERRAI_GTOPEN printed no log that can be read:\n{text}")
    found = {"nodes": int(built[1]), "decisions": int(built[2]), "hands": (int(built[3]), int(built[4]))}
    if any(PUBLISHED[name] != value for name, value in found.items()):
        raise SystemExit(f"The program of ERRAI_GTOPEN built another tree: {found}, not {PUBLISHED}.")
    iterations, percent, seconds, peak = int(done[1]), float(done[2]), float(done[3]), float(done[4])
    return {"state_mb": float(built[5]), "iterations": iterations, "percent": percent, "seconds": seconds, "mb": peak}


# --- showing ---


def our_row(name: str, answers: Sequence[dict[str, Any]], target: float) -> list[str]:
    """A row of the table from the answers of several runs."""
    values = [value for one in answers if (value := seconds_per_iteration(one)) is not None]
    reached = [seconds for one in answers if (seconds := seconds_to(target)(one)) is not None]
    last = answers[0]["curve"][-1]
    return [
        f"{name} ({answers[0]['precision']})",
        f"{answers[0]['entries']:,}",
        spread([1e3 * value for value in values]),
        f"{iterations_to(target)(answers[0]) or f'not within {last[0]}'}",
        spread(reached) if len(reached) == len(answers) else f"{last[3]:.2f} % after {number_text(last[2])}",
        f"{answers[0]['memory_bytes'] / 1e6:,.0f}",
        f"{max(one['resident_bytes'] for one in answers) / 1e6:,.0f}",
    ]


def their_row(answers: Sequence[dict[str, Any]]) -> list[str]:
    """The same of its program."""
    return [
        "GTOpen, side by side, measurements included",
        f"{PUBLISHED['entries']:,}",
        spread([1e3 * one["seconds"] / one["iterations"] for one in answers]),
        f"{answers[0]['iterations']} ({answers[0]['percent']:.2f} %)",
        spread([one["seconds"] for one in answers]),
        f"{answers[0]['state_mb']:,.0f}",
        f"{max(one['mb'] for one in answers):,.0f}",
    ]


def main() -> None:
    """Check that the tree is GTOpen's, solve it, print a table and the figures as JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=1, help="of each precision, in turns (default: %(default)s)")
    parser.add_argument("--threads", type=int, default=processors(), help="(default: all, %(default)s)")
    parser.add_argument("--target", type=float, default=0.3, help="per cent of the pot (default: %(default)s)")
    parser.add_argument("--precision", nargs="+", default=["auto"], help="of Errai (default: auto)")
    parser.add_argument("--max-iterations", type=int, default=1000)
    parser.add_argument("--count", action="store_true", help="solve nothing: only compare the sizes of the trees")
    parser.add_argument("--json", type=Path, metavar="FILE", help="keep every answer of every run")
    options = parser.parse_args()
    plan = plan_public_tree(load_spot(FOLDER / "flop.toml"), locks=load_locks(LOCKS))
    found = counted(plan)
    if found != PUBLISHED:
        raise SystemExit(f"The tree is not GTOpen's: {found}, not {PUBLISHED}.")
    print(
        f"{machine_line()}.\n\nCounted as GTOpen counts, the tree is that of its log: {found['nodes']:,} nodes, "
        f"{found['decisions']:,} of them decisions, {found['entries']:,} entries, {found['hands'][0]} and "
        f"{found['hands'][1]} hands. Errai stores {plan.entries:,} entries: one river less after every turn and no "
        "hand with a card of the board, but also the leads that the locks forbid.\n"
    )
    if options.count:
        return
    program = os.environ.get("ERRAI_GTOPEN", "")
    if not program:
        print("GTOpen is left out: ERRAI_GTOPEN is not set; benchmarks/README.md says which program it names.\n")
    answers: dict[str, list[dict[str, Any]]] = {name: [] for name in options.precision}
    others: list[dict[str, Any]] = []
    for _ in range(options.runs):
        for name in options.precision:
            answers[name].append(ours(options, name))
        if program:
            others.append(theirs(program, options))
    goal = f"iterations to {options.target:g} %"
    head = ["", "entries", "ms per iteration", goal, "seconds", "state, MB", "peak, MB"]
    rows = [our_row(f"errai, {options.threads} threads", runs, options.target) for runs in answers.values()]
    rows += [their_row(others)] if others else []
    size = f"{PUBLISHED['entries']:,}"
    rows.append(["GTOpen, published: 16 cores of a Ryzen 5950X", size, "594", "", "180 to 360", "1,267", "1,366"])
    rows.append(["GTOpen, published: an RTX 3090", size, "62", "", "", "", ""])
    print(table(head, rows))
    if options.json:
        document = {"machine": machine_line(), "tree": found, "errai": answers, "gtopen": others}
        options.json.write_text(json.dumps(document) + "\n")


if __name__ == "__main__":
    main()
