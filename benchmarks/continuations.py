"""Continuations below a lookahead: what they gain in no-limit Leduc, and what a flop costs; see docs/resolving.md.

``leduc``: the first round of no-limit Leduc, cut before the card, over blueprints of several qualities, with one
continuation and with four.  Each player's first round is then measured in the whole game. ``flop``: seconds and
iterations of a flop's lookahead in no-limit hold'em over ``blueprint-nl``. ``error``: a flop with a small stack, solved
with continuations and exactly: what the former's flop costs.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable

import numpy as np
from common.machine import machine_line
from common.tables import table

import errai
from errai.blueprints.train import train
from errai.engine.schedules import find_schedule
from errai.games.catalogue import load_game
from errai.games.game import Game
from errai.games.hand import CALL, PublicState, raise_to
from errai.games.spot import parse_spot
from errai.kernels.backends import make_kernel
from errai.kernels.layout import BEST, FIXED, LEARNS
from errai.kernels.protocol import Arrays, State
from errai.resolving.continuations import BLUEPRINT, CONTINUATIONS, RUN_OUTS, ContinuationLeafValues, Continuations
from errai.strategies.given import read_strategy
from errai.strategies.solution import BlueprintStrategy, SolutionStrategy
from errai.strategies.strategy import BatchedStrategy, Deals, Decision
from errai.tree.public_tree import PublicTree, build_public_tree

LOUD = 1e9
"""What a strategy is multiplied by where it is read as regrets, so that none of it counts as a tie."""


def strategy_arrays(tree: PublicTree, strategy: BatchedStrategy) -> Arrays:
    """float64 by ``[street][player]``: what a strategy does on all boards of a tree."""
    found = tree.arrays.zeros(np.float64)
    for s, level in enumerate(tree.deal.streets):
        for p, hands in enumerate(level.hands):
            decisions = [Decision.at(tree.betting, int(n)) for n in tree.betting.decision_nodes(s, p)]
            if not decisions:
                continue
            cards = tree.root.hands[hands.hand].astype(np.uint8)
            rows = np.asarray(strategy.rows(decisions, Deals(s, level.boards, hands.start, hands.hand, cards)))
            parts = [rows[:, hands.start[b] : hands.start[b + 1]].ravel() for b in range(len(level.boards))]
            found[s][p][...] = LOUD * np.concatenate(parts)
    return found


def guaranteed(tree: PublicTree, arrays: Arrays, player: int, iterations: int) -> float:
    """Return the chips per hand that a player's first street guarantees if the player plays the rest as well as
    possible.

    The street is fixed, the rest is solved, and the opponent plays a best response to the average.
    """
    kernel, schedule = make_kernel("cpu", tree.arrays), find_schedule("dcfr-foresight")
    state = State.zeros(tree.arrays, np.float64, predictive=False, simultaneous=False)
    for group in (state.regrets, state.sums):
        group[0][player][...] = arrays[0][player]
    kept = (FIXED, *[LEARNS] * (len(tree.arrays.streets) - 1))
    for row in schedule.coefficients(1, iterations):
        for p in (0, 1):
            kernel.update(state, p, row, role=kept if p == player else LEARNS)
    return -tree.chips(kernel.root_values(state.sums, 1 - player, role=BEST), 1 - player)


def played_below(tree: PublicTree, arrays: Arrays, player: int) -> float:
    """Chips a hand that a whole strategy guarantees a player."""
    kernel = make_kernel("cpu", tree.arrays)
    return -tree.chips(kernel.root_values(arrays, 1 - player, role=BEST), 1 - player)


def blueprints(game: Game) -> list[tuple[str, BatchedStrategy]]:
    """Blueprints of several qualities, by what they are."""
    found: list[tuple[str, BatchedStrategy]] = []
    for count in (1, 2):
        made = train(game, f"by-strength:{count}", "full", max_iterations=2_000, bits=16)
        name = f"{count} bucket{'s' if count > 1 else ''} of strength"
        found.append((name, BlueprintStrategy(made)))
    for target in ("10%", "1%", "0.01%"):
        solution = errai.solve(game, f"{target}pot", precision="float64")
        found.append((f"solved to {target} of the pot", SolutionStrategy(solution)))
    return found


def leduc(iterations: int) -> None:
    """What one and four continuations make of the first round, against what the blueprint does there."""
    game = load_game("leduc.nolimit")
    whole = build_public_tree(game)
    exact = errai.solve(game, "0.001%pot", precision="float64")
    value = exact.values.chips
    rows = []
    for name, blueprint in blueprints(game):
        given = strategy_arrays(whole, blueprint)
        below = [guaranteed(whole, given, p, iterations) for p in (0, 1)]
        full = [played_below(whole, given, p) for p in (0, 1)]
        found = {"blueprint": (lost(value, full), lost(value, below))}
        for title, offered, chooser in (
            ("k=1", (BLUEPRINT,), "opponent"),
            ("k=4", CONTINUATIONS, "opponent"),
            ("k=4, both", CONTINUATIONS, "both"),
        ):
            both, kept = [], []
            for p in (0, 1):
                who = 1 - p if chooser == "opponent" else chooser
                values = ContinuationLeafValues(Continuations(blueprint, game, continuations=offered, chooser=who))
                solution = errai.solve(game, "0.01%pot", depth=0, leaf_values=values, precision="float64")
                spliced = [[a.copy() for a in pair] for pair in given]
                spliced[0][p][...] = LOUD * solution.strategy[0][p]
                both.append(played_below(whole, spliced, p))
                kept.append(guaranteed(whole, spliced, p, iterations))
            found[title] = lost(value, both), lost(value, kept)
        rows.append([name, *(f"{a:.2f} / {b:.2f}" for a, b in found.values())])
        print(rows[-1], flush=True)
    print("exploitability in chips: with the blueprint below / played as well as can be below")
    print(table(["blueprint", "its own first round", "k=1", "k=4", "k=4, both choose"], rows))


FLOPS = ("7s 5s 2d", "Ah Kd 6c", "Tc 9c 8h")
POTS = (
    ("limped", (CALL, CALL)),
    ("raised once", (raise_to(300), CALL)),
    ("raised twice", (raise_to(300), raise_to(900), CALL)),
    ("raised three times", (raise_to(300), raise_to(900), raise_to(2_700), CALL)),
)
MENU = "50%, 100%, a | 100%, a"


def flop(iterations: int, run_outs: int) -> None:
    """Seconds of a flop's lookahead over the blueprint of the package, pot by pot."""
    game = load_game("holdem.nolimit.2p")
    blueprint = read_strategy("blueprint-nl", game)
    rows = []
    for (name, line), cards in zip(POTS, (*FLOPS, FLOPS[0]), strict=True):
        state = PublicState.start(game)
        for action in line:
            state = state.after(action)
        state = state.dealt(tuple(game.deck.parse_card(card) for card in cards.split()))
        lookahead = errai.lookahead(game, state, menu=MENU)
        values = Continuations(blueprint, game, run_outs=run_outs).leaf_values(lookahead)
        started = time.perf_counter(), time.process_time()
        first = errai.solve(lookahead, leaf_values=values, max_iterations=1)
        counted = time.perf_counter() - started[0], time.process_time() - started[1]
        started = time.perf_counter(), time.process_time()
        solution = errai.solve(lookahead, leaf_values=values, max_iterations=iterations)
        again = time.perf_counter() - started[0], time.process_time() - started[1]
        leaves = first.tree.arrays.streets[0].num_leaves
        per = [(b - a) / (iterations - 1) for a, b in zip(counted, again, strict=True)]
        reached = f"{solution.exploitability.pot_percent:.2f}"
        rows.append(
            [
                name,
                cards,
                f"{state.pot_chips:g}",
                str(leaves),
                *(f"{x:.1f}" for x in counted),
                *(f"{1e3 * x:.0f}" for x in per),
                reached,
            ]
        )
        print(rows[-1], flush=True)
    head = ["pot", "flop", "chips", "leaves", "first iteration, s", "core-s", "each more, ms", "core-ms"]
    print(table([*head, f"% of the pot after {iterations}"], rows))


ERROR_SPOT = """
title = "A raised pot of a small stack"
board = "Qs 7s 2d"
pot = 100
stack = 200
[ranges]
oop = "99+, AJs+, KQs, AQo+, T9s, 76s"
ip = "JJ-66, 22, ATs+, KTs+, QJs, AJo+, KQo, 98s, 65s"
[bets]
bet = "100%, a"
raise = "a"
"""


def error(iterations: int) -> None:
    """What a flop that was solved with continuations gives away, over all boards and played as well as can be later."""
    spot = parse_spot(ERROR_SPOT)
    whole = build_public_tree(spot)
    print(f"{whole.entries:,} entries", flush=True)
    exact = errai.solve(spot, "0.05%pot")
    given = strategy_arrays(whole, SolutionStrategy(exact))
    value = tuple(
        -whole.chips(make_kernel("cpu", whole.arrays).root_values(given, 1 - p, role=BEST), 1 - p) for p in (0, 1)
    )
    rows = []
    for target in ("20%", "5%", "1%"):
        blueprint = SolutionStrategy(errai.solve(spot, f"{target}pot"))
        given = strategy_arrays(whole, blueprint)
        found = [lost(value, [guaranteed(whole, given, p, iterations) for p in (0, 1)])]
        for offered, run_outs in (
            ((BLUEPRINT,), None),
            (CONTINUATIONS, 49),
            (CONTINUATIONS, 98),
            (CONTINUATIONS, 294),
            (CONTINUATIONS, None),
        ):
            kept = []
            for p in (0, 1):
                below = Continuations(blueprint, spot, continuations=offered, chooser=1 - p, run_outs=run_outs)
                values = ContinuationLeafValues(below)
                solution = errai.solve(spot, "0.1%pot", depth="flop", leaf_values=values)
                spliced = [[a.copy() for a in pair] for pair in given]
                spliced[0][p][...] = LOUD * solution.strategy[0][p].astype(np.float64)
                kept.append(guaranteed(whole, spliced, p, iterations))
            found.append(lost(value, kept))
        rows.append([f"solved to {target} of the pot", *(f"{x:.3f}" for x in found)])
        print(rows[-1], flush=True)
    print("exploitability in % of the pot of the flop alone: the rest is played as well as can be")
    head = ["blueprint", "its own flop", "k=1, all boards", *(f"k=4, {n}" for n in ("49", "98", "294", "all boards"))]
    print(table(head, rows))


def lost(value: tuple[float, float], guaranteed: list[float]) -> float:
    """Return the exploitability in chips: the mean over the seats of what is missing to the game's value."""
    return sum(v - g for v, g in zip(value, guaranteed, strict=True)) / 2.0


COMMANDS: dict[str, Callable[[argparse.Namespace], None]] = {
    "leduc": lambda given: leduc(given.iterations),
    "flop": lambda given: flop(given.iterations, given.run_outs),
    "error": lambda given: error(given.iterations),
}


def main() -> None:
    """Run one of the parts."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("part", choices=COMMANDS)
    parser.add_argument("--iterations", type=int, default=300, help="of the solves that are measured or measure")
    parser.add_argument("--run-outs", type=int, default=RUN_OUTS, help="boards that a flop draws")
    given = parser.parse_args()
    print(machine_line())
    COMMANDS[given.part](given)


if __name__ == "__main__":
    main()
