"""Solvers over buckets: whether they agree, how fast they converge, what CFR-BR gains, what a board costs.

    python benchmarks/bucketed.py agree leduc identity          # all methods to one value; error against iterations
    python benchmarks/bucketed.py cfr-br leduc by-strength:2    # CFR and CFR-BR in a lossy abstraction
    python benchmarks/bucketed.py board --buckets 1000          # time of one drawn board of full limit hold'em
    python benchmarks/bucketed.py pruning leduc identity        # external sampling with and without
    python benchmarks/bucketed.py unbiased holdem-2-1           # root values of drawn boards against the exact one
    python benchmarks/bucketed.py pathology                     # finer buckets that are more exploitable, in Leduc
    python benchmarks/bucketed.py passes holdem-2-1 identity --full-iterations 10    # pcs after as many passes as full

An abstraction is a word as for `errai train`, or a folder of `errai abstract`; --rounds, --ranks, --suits and --raises
cut the game.  Every line is one JSON document.  Slopes are least-squares fits of log exploitability to log iterations,
from the iteration --from.
"""

from __future__ import annotations

import argparse
import itertools
import json
import resource
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from common.short_games import add_cuts, cut_game

import errai
from errai.blueprints.abstractions import Abstraction, ByStrength, read_abstraction
from errai.blueprints.sampled import BATCH, BoardSampler, ChanceSampling, ExternalSampling
from errai.blueprints.solver import BucketSolver, CfrBr, FullWidth, WholeGame, all_boards
from errai.engine.units import Units
from errai.games.catalogue import load_game
from errai.kernels.bucket_cpu import BucketCpu
from errai.kernels.buckets import Learning
from errai.tree.public_tree import build_public_tree, plan_public_tree


def say(**facts: Any) -> None:
    """Print a line."""
    print(json.dumps(facts), flush=True)


def read(options: argparse.Namespace) -> tuple[Any, Abstraction]:
    """Return the game and the abstraction of the options."""
    game = cut_game(options)
    return game, read_abstraction(options.abstraction, game)


def slope(curve: list[tuple[int, float, float]], first: int) -> float | None:
    """Of the exploitability against the iterations, in logarithms."""
    points = np.array([(i, chips) for i, _, chips in curve if i >= first])
    return None if len(points) < 3 else float(np.polyfit(np.log(points[:, 0]), np.log(points[:, 1]), 1)[0])


def run(name: str, solver: BucketSolver, whole: WholeGame, options: argparse.Namespace, **limits: Any) -> None:
    """Run a solver, measuring its average on the way in the game without abstraction, and say how it went."""
    begun = time.process_time()
    status = solver.run(measure=lambda s: whole.exploitability(s.sums), **limits)
    result = whole.exploitability(solver.sums)
    say(
        game=options.game, abstraction=options.abstraction, solver=name, status=status, iterations=solver.iteration,
        seconds=round(solver.seconds, 2), core_seconds=round(time.process_time() - begun, 1),
        exploitability_mbb=result.mbb,
        value_mbb=solver.units.mbb(whole.value(solver.sums)),
        current_mbb=whole.exploitability(solver.regrets).mbb, slope=slope(solver.curve, options.first),
        curve=[(i, solver.units.mbb(chips)) for i, _, chips in solver.curve],
    )  # fmt: skip


def sampled_limit(iterations: int | None, options: argparse.Namespace) -> dict[str, Any]:
    """Iterations where they are given: on a busy machine seconds of the clock say little."""
    return {"max_iterations": iterations} if iterations else {"max_seconds": options.seconds}


def agree(options: argparse.Namespace) -> None:
    """All methods in one abstraction."""
    game, abstraction = read(options)
    tree, plan = build_public_tree(game), plan_public_tree(game)
    started = time.perf_counter()
    full = FullWidth(tree, abstraction, "dcfr4", threads=options.threads)
    whole = WholeGame(tree, full.boards, options.threads)
    say(seconds_to_make=time.perf_counter() - started)
    run("full dcfr4", full, whole, options, max_iterations=options.full_iterations)
    for seed in range(options.seeds):
        for weights in options.weights.split(","):
            drawn = ChanceSampling(plan, abstraction, weights=weights, seed=seed, threads=options.threads)
            run(f"pcs {weights} seed {seed}", drawn, whole, options, **sampled_limit(options.pcs_iterations, options))
            outside = ExternalSampling(plan, abstraction, weights=weights, seed=seed, threads=options.threads)
            run(f"es {weights} seed {seed}", outside, whole, options, **sampled_limit(options.es_iterations, options))


def passes(options: argparse.Namespace) -> None:
    """Public chance sampling after as many visits of every board of the second street as full iterations have."""
    game, abstraction = read(options)
    tree, plan = build_public_tree(game), plan_public_tree(game)
    full = FullWidth(tree, abstraction, "linear", threads=options.threads)
    whole = WholeGame(tree, full.boards, options.threads)
    run("full linear", full, whole, options, max_iterations=options.full_iterations)
    drawn = ChanceSampling(plan, abstraction, weights="linear", seed=1, threads=options.threads)
    boards = len(tree.deal.streets[1].boards)
    run(f"pcs linear, {boards} boards", drawn, whole, options, max_iterations=boards * options.full_iterations)


def unbiased(options: argparse.Namespace) -> None:
    """Root values of one fixed strategy: over all boards, over each board up to suits by its share, over drawn ones."""
    game, abstraction = read(options)
    assert game.num_rounds == 2, "boards are gone through one by one in games of two rounds"
    tree, plan = build_public_tree(game), plan_public_tree(game)
    sampler = BoardSampler(plan, abstraction, 1)
    kernel = BucketCpu(sampler.draw(0), options.threads)
    random = np.random.default_rng(0)
    tables = [
        [0.1 + random.random((plan.betting.num_rows(s, p), abstraction.num_buckets(s))) for p in (0, 1)] for s in (0, 1)
    ]
    whole = WholeGame(tree, all_boards(tree, abstraction), options.threads)
    mbb = Units.of(game, tree.initial_pot).mbb

    def value(boards: Any) -> float:
        kernel.deal(boards)
        return mbb(sampler.root_value(kernel.root_values(tables, 0))) or 0.0

    level = tree.deal.streets[1]
    shares = level.multiplicity / level.multiplicity.sum()
    each = np.array([value(sampler.over([board.astype(np.int64)])) for board in level.boards])
    drawn = np.array([value(sampler.draw(t)) for t in range(1, options.draws + 1)])
    say(
        game=game.name, abstraction=options.abstraction, exact_mbb=mbb(whole.value(tables)),
        all_boards_mbb=float(shares @ each), drawn_mbb=float(drawn.mean()), draws=options.draws,
        interval_95=1.96 * float(drawn.std(ddof=1)) / options.draws**0.5,
    )  # fmt: skip


def cfr_br(options: argparse.Namespace) -> None:
    """CFR and CFR-BR."""
    game, abstraction = read(options)
    tree = build_public_tree(game)
    full = FullWidth(tree, abstraction, "linear", threads=options.threads)
    whole = WholeGame(tree, full.boards, options.threads)
    run("cfr", full, whole, options, max_iterations=options.full_iterations)
    response = CfrBr(tree, abstraction, "linear", threads=options.threads)
    run("cfr-br", response, whole, options, max_iterations=options.full_iterations)


def pruning(options: argparse.Namespace) -> None:
    """External sampling with regret-based pruning and without."""
    game, abstraction = read(options)
    tree, plan = build_public_tree(game), plan_public_tree(game)
    full = FullWidth(tree, abstraction, "dcfr4", threads=options.threads)
    whole = WholeGame(tree, full.boards, options.threads)
    for below in (None, -0.03, -0.01, -0.003):
        kept = None if below is None else below * max(game.blinds)
        solver = ExternalSampling(plan, abstraction, seed=1, prune_below_chips=kept, threads=options.threads)
        run(f"es, pruning below {below} blinds", solver, whole, options, max_iterations=options.full_iterations)
        say(nodes=solver.visited, nodes_per_deal=solver.visited / solver.iteration / BATCH / 2)


def board(options: argparse.Namespace) -> None:
    """One drawn board of full limit hold'em: time of each player's walk, of dealing, and memory."""
    game = load_game("holdem.limit.2p")
    plan = plan_public_tree(game)
    sampler = BoardSampler(plan, ByStrength(game, options.buckets), 1)
    drawn = sampler.draw(0)
    started = time.perf_counter()
    kernel = BucketCpu(drawn, options.threads, prune=False)
    made = time.perf_counter() - started
    regrets, sums = drawn.zeros(np.float32), drawn.zeros(np.float32)
    clock: Callable[[], float] = time.process_time if options.threads == 1 else time.perf_counter
    draws, deals, walks = [], [], []
    for t in range(1, options.boards + 1):
        started = clock()
        drawn = sampler.draw(t)
        draws.append(clock() - started)
        started = clock()
        kernel.deal(drawn)
        deals.append(clock() - started)
        for p in (0, 1):
            learning = Learning([r[p] for r in regrets], [s[1 - p] for s in sums], True, float(t), float(t))
            started = clock()
            kernel.learn(regrets, p, learning)
            walks.append(clock() - started)
    say(
        buckets=options.buckets, threads=options.threads, making_ms=1e3 * made,
        drawing_ms=1e3 * float(np.median(draws)), dealing_ms=1e3 * float(np.median(deals)),
        walk_ms_median=1e3 * float(np.median(walks)), walk_ms_least=1e3 * min(walks),
        tables_mb=2 * sum(t.nbytes for pair in regrets for t in pair) / 1e6,
        peak_mb=resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3,
    )  # fmt: skip


class OfLeduc(Abstraction):
    """Buckets of Leduc: groups of ranks, and after the board groups of a rank without a pair, with the pair above."""

    def __init__(self, first: tuple[int, ...], second: tuple[int, ...]) -> None:
        self.game, self.groups = load_game("leduc"), (first, second)

    def num_buckets(self, round: int) -> int:
        """Return the number of buckets of a round."""
        return max(self.groups[round]) + 1

    def buckets(self, board: tuple[int, ...], round: int) -> Any:
        """Return int32[6]: the bucket of every hand, -1 if the board blocks it."""
        ranks = np.arange(6) // 2
        strength = np.where(ranks == board[0] // 2, 3, ranks) if board else ranks
        found = np.array(self.groups[round], dtype=np.int32)[strength]
        found[list(board)] = -1
        return found

    def digest(self) -> str:
        """Identify the abstraction."""
        return str(self.groups)

    def __str__(self) -> str:
        named = []
        for groups, names in zip(self.groups, ("JQK", "JQKP"), strict=True):
            named.append(
                ".".join("".join(n for n, g in zip(names, groups, strict=True) if g == k) for k in set(groups))
            )
        return " / ".join(named)


def pathology(options: argparse.Namespace) -> None:
    """Solve Leduc in all 32 abstractions of neighbouring ranks, and find finer ones that are more exploitable."""
    halves = [
        [tuple(np.cumsum((0, *cuts)).tolist()) for cuts in itertools.product((0, 1), repeat=count)] for count in (2, 3)
    ]
    found: dict[Any, tuple[OfLeduc, float]] = {}
    for groups in itertools.product(*halves):
        abstraction, limits = OfLeduc(*groups), {"max_iterations": options.full_iterations, "measure": False}
        made = errai.train(abstraction.game, abstraction, "full", bits=16, **limits)
        found[groups] = abstraction, errai.exploitability(abstraction.game, made).mbb or 0.0

    def divides(fine: tuple[int, ...], coarse: tuple[int, ...]) -> bool:
        return len(set(zip(fine, coarse, strict=True))) == len(set(fine))

    pairs = [
        (found[fine][1] - found[coarse][1], found[fine], found[coarse])
        for fine, coarse in itertools.permutations(found, 2)
        if all(map(divides, fine, coarse))
    ]
    worse = sorted((pair for pair in pairs if pair[0] > 1.0), key=lambda pair: -pair[0])
    say(abstractions=len(found), pairs=len(pairs), finer_is_more_exploitable=len(worse))
    for _, (fine, fine_mbb), (coarse, coarse_mbb) in worse[:8]:
        say(coarse=str(coarse), mbb=round(coarse_mbb, 1), finer=str(fine), finer_mbb=round(fine_mbb, 1))


def main() -> None:
    """Run the chosen benchmark."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("agree", "cfr-br", "pruning", "board", "unbiased", "passes", "pathology"))
    parser.add_argument("game", nargs="?", default="leduc")
    parser.add_argument("abstraction", nargs="?", default="identity")
    parser.add_argument("--full-iterations", type=int, default=1000)
    parser.add_argument("--seconds", type=float, default=20.0, help="for each sampled run")
    parser.add_argument("--pcs-iterations", type=int, help="instead of seconds")
    parser.add_argument("--es-iterations", type=int, help="instead of seconds")
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--weights", default="cfr,linear")
    parser.add_argument("--from", dest="first", type=int, default=100, help="first iteration of the fit")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--buckets", type=int, default=1000)
    parser.add_argument("--boards", type=int, default=20)
    parser.add_argument("--draws", type=int, default=2000, help="boards drawn for unbiased (default: %(default)s)")
    add_cuts(parser)
    options = parser.parse_args()
    {
        "agree": agree, "cfr-br": cfr_br, "pruning": pruning, "board": board, "unbiased": unbiased, "passes": passes,
        "pathology": pathology,
    }[options.what](options)  # fmt: skip


if __name__ == "__main__":
    main()
