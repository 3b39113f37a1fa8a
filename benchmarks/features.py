"""The quality of the buckets of different features, by exact exploitability in the game without abstraction.

    scripts/bench features holdem-2-1 ehs2:all-20 ochs:all-20         # CFR over each; ROUND counts, `all` = every hand
    scripts/bench features holdem-2-1 ehs2:8-50 potential:8-50 --cfr-br     # and CFR-BR
    scripts/bench features holdem.limit.2p --rounds 3 --ranks 6 --raises 1 potential+histogram+ochs:8-20-20
    scripts/bench features rhode-island ehs2:all-20-20 potential:all-20-20 --seeds 3

A set of buckets is FEATURES:COUNTS, both by round: one word for all rounds or words joined by `+`, each perhaps with
`/kmeans` or `/percentile`; counts joined by `-`.  Every line is one JSON document; `gains` is what each seat's best
response wins.  Times are processor times.
"""

from __future__ import annotations

import argparse
import json
import time
from typing import Any

from common.machine import machine_line
from common.short_games import add_cuts, cut_game

from errai.abstraction.building import build_abstraction
from errai.abstraction.plan import AbstractionPlan, FeatureKind, Method, RoundPlan
from errai.blueprints.abstractions import Abstraction
from errai.blueprints.solver import CfrBr, FullWidth, WholeGame, all_boards
from errai.games.game import Game
from errai.tree.public_tree import PublicTree, build_public_tree


def plan_of(text: str, game: Game, seed: int, restarts: int) -> AbstractionPlan:
    """The plan that FEATURES:COUNTS means."""
    words, counts = (part.split(sign) for part, sign in zip(text.split(":"), "+-", strict=True))
    words = words * game.num_rounds if len(words) == 1 else words
    rounds = []
    for word, count in zip(words, counts, strict=True):
        kind, _, method = word.partition("/")
        how = Method(method) if method else None
        rounds.append(RoundPlan(None if count == "all" else int(count), FeatureKind(kind), method=how))
    return AbstractionPlan(tuple(rounds), seed=seed, restarts=restarts, sample_boards=100_000)


def solve(
    kind: type[FullWidth], schedule: str, tree: PublicTree, abstraction: Abstraction, options: argparse.Namespace
) -> dict[str, Any]:
    """Run one solver over one set of buckets."""
    begun = time.process_time()
    solver = kind(tree, abstraction, schedule, boards=all_boards(tree, abstraction), threads=options.threads)
    whole = WholeGame(tree, solver.boards, options.threads)
    solver.run(max_iterations=options.iterations, measure=lambda s: whole.exploitability(s.sums))
    mbb = solver.units.mbb
    result = whole.exploitability(solver.sums)
    return {
        "solver": f"{solver.method} {schedule}", "iterations": solver.iteration, "mbb": round(result.mbb, 2),
        "gains": [round(mbb(gain), 2) for gain in result.by_player],
        "current_mbb": round(whole.exploitability(solver.regrets).mbb, 2),
        "value_mbb": round(mbb(whole.value(solver.sums)), 2),
        "curve": [(i, round(mbb(chips), 2)) for i, _, chips in solver.curve],
        "core_seconds": round(time.process_time() - begun, 1),
    }  # fmt: skip


def main() -> None:
    """Make and solve every set of buckets."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("game", nargs="?", default="holdem-2-1")
    parser.add_argument("buckets", nargs="*", default=["ehs2:all-20", "ochs:all-20"], metavar="FEATURES:COUNTS")
    add_cuts(parser)
    parser.add_argument("--iterations", type=int, default=150)
    parser.add_argument("--schedule", default="dcfr4", help="of CFR (default: %(default)s)")
    parser.add_argument("--cfr-br", action="store_true", help="run CFR-BR with linear weights, too")
    parser.add_argument("--no-cfr", action="store_true")
    parser.add_argument("--seeds", type=int, default=1, help="of k-means, as many as this")
    parser.add_argument("--restarts", type=int, default=3, help="of k-means (default: %(default)s)")
    parser.add_argument("--threads", type=int, default=1)
    options = parser.parse_intermixed_args()
    game = cut_game(options)
    tree = build_public_tree(game)
    print(json.dumps({"game": game.name, "entries": tree.entries, "machine": machine_line()}), flush=True)
    for text in options.buckets:
        for seed in range(options.seeds):
            begun = time.process_time()
            abstraction = build_abstraction(game, plan_of(text, game, seed, options.restarts), threads=options.threads)
            facts = {
                "buckets": text, "seed": seed, "making": round(time.process_time() - begun, 1),
                "counts": [abstraction.num_buckets(r) for r in range(game.num_rounds)],
            }  # fmt: skip
            if not options.no_cfr:
                print(json.dumps(facts | solve(FullWidth, options.schedule, tree, abstraction, options)), flush=True)
            if options.cfr_br:
                print(json.dumps(facts | solve(CfrBr, "linear", tree, abstraction, options)), flush=True)


if __name__ == "__main__":
    main()
