"""Measure the backend `cuda`: an iteration on batches of games, compared with the memory's speed and the cpu backend.

Each subject takes a few minutes: run them one by one, collect the JSON files, and print a table of all of them with
`--table`.  Without a GPU there is nothing to measure; `--device cpu` only shows that the script works.
"""

from __future__ import annotations

import argparse
import json
import platform
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from errai.engine.certificate import StrategyProfile
from errai.engine.schedules import DEFAULT, find_schedule
from errai.engine.units import Units
from errai.errors import BackendError
from errai.games.spot import parse_spot
from errai.kernels.batch import TreeBatch, stack
from errai.kernels.cpu import CpuKernel
from errai.kernels.layout import TreeArrays
from errai.kernels.protocol import State
from errai.tree.public_tree import PublicTree, build_public_tree

WIDE = "22+, A2s+, K2s+, Q6s+, J7s+, T7s+, 97s+, 86s+, 75s+, 65s, 54s, A2o+, K9o+, QTo+, JTo"
NO_LIMIT = """
board = "{board}"
pot = 100
stack = 300
[ranges]
oop = "{range}"
ip = "{range}"
[bets]
bet = "{bet}"
raise = "100%, a"
raise_cap = 3
"""
LIMIT = """
game = "holdem.limit.2p"
board = "{board}"
pot = 40
stack = 1000
[ranges]
oop = "{range}"
ip = "{range}"
"""
SUBJECTS: dict[str, tuple[str, int, int, str, str, int]] = {
    # name: (text, board cards, seed or 0 for the board given, range, bets or board, games on a GPU)
    "river": (NO_LIMIT, 5, 1, "random", "50%, 100%, a", 512),
    "turn": (NO_LIMIT, 4, 2, WIDE, "100%", 16),
    "limit-flop": (LIMIT, 3, 0, "22+, A2s+, K9s+, QTs+, JTs, ATo+, KJo+", "Kh 7h 2h", 1),
    "limit-flop-full": (LIMIT, 3, 0, "random", "7c 7d 7h", 1),
}
SMALL_RANGE = "AA, KQs, 76s, T9o"
REPEATS = 5


def boards(count: int, cards: int, seed: int) -> list[str]:
    """Boards drawn at random, the same in every run."""
    generator = np.random.default_rng(seed)
    deck = [rank + suit for rank in "23456789TJQKA" for suit in "cdhs"]
    return [" ".join(deck[i] for i in generator.choice(52, cards, replace=False)) for _ in range(count)]


def games_of(name: str, count: int, small: bool) -> list[PublicTree]:
    """The games of a subject."""
    text, cards, seed, hands, last, _ = SUBJECTS[name]
    hands = SMALL_RANGE if small else hands
    if not seed:
        return [build_public_tree(parse_spot(text.format(board=last, range=hands))) for _ in range(count)]
    drawn = boards(count, cards, seed)
    return [build_public_tree(parse_spot(text.format(board=board, range=hands, bet=last))) for board in drawn]


def seconds_per_iteration(iterate: Callable[[int], None], seconds: float) -> list[float]:
    """Seconds of one iteration, measured ``REPEATS`` times in about ``seconds``, after two calls that do not count."""
    iterate(6)
    started = time.perf_counter()
    iterate(6)
    count = max(1, int(seconds / REPEATS / ((time.perf_counter() - started) / 6)))
    found = []
    for _ in range(REPEATS):
        started = time.perf_counter()
        iterate(count)
        found.append((time.perf_counter() - started) / count)
    return found


def copy_bandwidth(device: str) -> float:
    """Bytes per second that a copy on the device reads and writes together."""
    import torch

    numbers = 1 << (28 if device != "cpu" else 24)
    a, b = (torch.zeros(numbers, dtype=torch.float32, device=device) for _ in range(2))
    best = 0.0
    for _ in range(10):
        if device != "cpu":
            torch.cuda.synchronize()
        started = time.perf_counter()
        for _ in range(5):
            b.copy_(a)
        if device != "cpu":
            torch.cuda.synchronize()
        best = max(best, 5 * 2 * 4 * numbers / (time.perf_counter() - started))
    return best


def on_device(
    subject: TreeArrays | TreeBatch, device: str, seconds: float, fused: bool, graphs: bool
) -> dict[str, Any]:
    """Time one way to run the backend; the state stays on the device."""
    import torch

    from errai.kernels.cuda import CudaKernel

    schedule = find_schedule(DEFAULT)
    started = time.perf_counter()
    kernel = CudaKernel(subject, device=device, fused=fused, graphs=graphs)
    made = time.perf_counter() - started
    state = State.zeros(kernel.tree, np.float32, predictive=False, simultaneous=False)
    done = 0

    def iterate(count: int) -> None:
        nonlocal done
        kernel.iterate(state, schedule.coefficients(done + 1, count))
        done += count

    if device != "cpu":
        torch.cuda.reset_peak_memory_stats()
    started = time.perf_counter()
    with kernel.hold(state):
        iterate(1)
        first = time.perf_counter() - started
        times = seconds_per_iteration(iterate, seconds)
        started = time.perf_counter()
    returned = time.perf_counter() - started
    return {
        "fused": fused,
        "graphs": graphs,
        "seconds_per_iteration": times,
        "setup_seconds": made,
        "first_iteration_seconds": first,
        "return_seconds": returned,
        "iterations": done,
        "memory_bytes": torch.cuda.max_memory_allocated() if device != "cpu" else None,
        "state": state,
    }


def error_in_pots(games: list[PublicTree], subject: TreeArrays | TreeBatch, device: str) -> float:
    """Largest difference in exploitability after 20 iterations, float32 here and float64 on the cpu, of three games."""
    from errai.kernels.cuda import CudaKernel

    table = find_schedule(DEFAULT).coefficients(1, 20)
    kernel = CudaKernel(subject, device=device)
    state = State.zeros(kernel.tree, np.float32, predictive=False, simultaneous=False)
    kernel.iterate(state, table)
    worst = 0.0
    for g, game in enumerate(games[:3]):
        cpu = CpuKernel(game.arrays, 2)
        expected = State.zeros(game.arrays, np.float64, predictive=False, simultaneous=False)
        cpu.iterate(expected, table)
        own = subject.part(state.sums, g) if isinstance(subject, TreeBatch) else state.sums
        units = Units.of(game.subject, game.initial_pot)
        found = [StrategyProfile(game, cpu, sums).certificate(units)[0].chips for sums in (own, expected.sums)]
        worst = max(worst, abs(found[0] - found[1]) / game.initial_pot)
    return worst


def measure(name: str, options: argparse.Namespace) -> dict[str, Any]:
    """All figures of one subject."""
    import torch

    count = options.games or (SUBJECTS[name][-1] if options.device != "cpu" else 2)
    games = games_of(name, count, options.smoke)
    subject = games[0].arrays if count == 1 else stack([game.arrays for game in games])
    entries, infosets = (sum(getattr(g, field) for g in games) for field in ("entries", "canonical_information_sets"))
    schedule = find_schedule(DEFAULT)
    cpu = CpuKernel(games[0].arrays, 2)
    cpu_state = State.zeros(games[0].arrays, np.float32, predictive=False, simultaneous=False)
    cpu_times = seconds_per_iteration(lambda n: cpu.iterate(cpu_state, schedule.coefficients(1, n)), options.seconds)
    ways = [(False, False)]
    if options.device != "cpu":
        ways = [(False, False), (False, True), *([(True, True)] if options.fused else [])]
    runs = []
    for fused, graphs in ways:
        run = on_device(subject, options.device, options.seconds, fused, graphs)
        del run["state"]
        runs.append(run)
        print(f"{name}: {statistics.median(run['seconds_per_iteration']) * 1e3:.3f} ms", file=sys.stderr, flush=True)
    return {
        "subject": name,
        "games": count,
        "entries": entries,
        "information_sets": infosets,
        "device": options.device if options.device == "cpu" else torch.cuda.get_device_name(),
        "torch": torch.__version__,
        "cuda": torch.version.cuda,
        "python": platform.python_version(),
        "smoke": options.smoke,
        "copy_bytes_per_second": copy_bandwidth(options.device),
        "error_in_pots": None if options.no_check else error_in_pots(games, subject, options.device),
        "cpu_entries_of_one_game": games[0].entries,
        "cpu_two_threads_seconds_per_iteration": cpu_times,
        "runs": runs,
    }


def table(results: list[dict[str, Any]]) -> str:
    """Return the results as Markdown.

    An iteration reads and writes every regret and every strategy sum at least once: 16 bytes an entry in float32.  That
    traffic, divided by what a copy moves in the same time, is the *share of the copy's speed*; the real traffic is
    larger.
    """
    lines = []
    for result in results:
        entries, bandwidth = result["entries"], result["copy_bytes_per_second"]
        cpu = statistics.median(result["cpu_two_threads_seconds_per_iteration"]) / result["cpu_entries_of_one_game"]
        for run in result["runs"]:
            times = run["seconds_per_iteration"]
            median = statistics.median(times)
            way = ", ".join([*(["fused"] if run["fused"] else []), *(["graphs"] if run["graphs"] else [])])
            memory = "" if run["memory_bytes"] is None else f"{run['memory_bytes'] / 2**30:.2f}"
            cells = [
                result["subject"],
                f"{result['games']:,}",
                f"{entries:,}",
                way or "plain",
                f"{median * 1e3:.3f} ({min(times) * 1e3:.3f}–{max(times) * 1e3:.3f})",
                f"{result['information_sets'] / median / 1e9:.3f}",
                f"{16 * entries / median / bandwidth:.1%}",
                f"{cpu * entries / median:.2f} x",
                memory,
                f"{run['setup_seconds']:.1f} + {run['first_iteration_seconds']:.1f}",
            ]
            lines.append("| " + " | ".join(cells) + " |")
    head = (
        "| subject | games | entries | run | ms per iteration | 1e9 information sets per second | "
        "share of the copy's speed | beside cpu, 2 threads | GiB | set-up + first iteration, s |"
    )
    places = sorted({f"{r['device']}, PyTorch {r['torch']}, CUDA {r['cuda']}" for r in results})
    copies = ", ".join(sorted({f"{r['copy_bytes_per_second'] / 1e9:.0f} GB/s" for r in results}))
    wrong = max((r["error_in_pots"] for r in results if r["error_in_pots"] is not None), default=None)
    tail = [f"{'; '.join(places)}. A copy moves {copies} (read and written)."]
    if wrong is not None:
        tail.append(
            f"Exploitability after 20 iterations in float32 is at most {wrong:.1e} pots from the cpu's in float64."
        )
    return "\n".join([head, "|" + " --- |" * 10, *lines, "", *tail])


def main() -> None:
    """Read the options, measure, print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("subjects", nargs="*", help=f"of {', '.join(SUBJECTS)}; all but the last if none is named")
    parser.add_argument("--device", default="cuda", help="cuda, or cpu to try the script (default: cuda)")
    parser.add_argument("--games", type=int, help="games in a batch")
    parser.add_argument("--seconds", type=float, default=10.0, help="of each measurement (default: 10)")
    parser.add_argument("--fused", action="store_true", help="also with compiled steps; compiling takes minutes")
    parser.add_argument("--no-check", action="store_true", help="do not compare with the cpu backend's results")
    parser.add_argument("--smoke", action="store_true", help="small ranges: to see that everything runs")
    parser.add_argument("--out", type=Path, help="folder for a JSON file per subject")
    parser.add_argument("--table", nargs="+", type=Path, metavar="FILE", help="only print the table of these files")
    options = parser.parse_args()
    if options.table:
        print(table([json.loads(path.read_text()) for path in options.table]))
        return
    unknown = set(options.subjects) - set(SUBJECTS)
    if unknown:
        parser.error(f"there is no subject {', '.join(sorted(unknown))}; choose of {', '.join(SUBJECTS)}")
    try:
        from errai.kernels.cuda import CudaKernel

        CudaKernel(
            build_public_tree(parse_spot(NO_LIMIT.format(board="2c 3c 4c 5c 9h", range="AA", bet="a"))).arrays,
            device=options.device,
        )
    except BackendError as error:
        print(f"Nothing was measured. {error} (--device cpu --smoke tries the script on the CPU.)")
        return
    if options.device == "cpu":
        print("On the CPU these figures say nothing about a GPU; they only show that the script works.\n")
    results = []
    for name in options.subjects or list(SUBJECTS)[:-1]:
        results.append(measure(name, options))
        if options.out is not None:
            options.out.mkdir(parents=True, exist_ok=True)
            (options.out / f"gpu-{name}.json").write_text(json.dumps(results[-1], indent=1))
    print(table(results))


if __name__ == "__main__":
    main()
