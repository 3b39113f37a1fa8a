"""Hands per second of local best response, and its winnings.

    scripts/bench lbr --hands 1000
    scripts/bench lbr --full-cards --ranks 5 --stack 2000

For agents whose exploitability in limit hold'em is known exactly (`errai best-response`, docs/maths.md), the first
table shows it together with what a local best response wins, that is, how tight the bound is.

The second is the "full cards" player of DeepStack's table 3 in a game that can be solved here, no-limit hold'em of two
rounds with a short deck: a solution over all hands with fold, call, the pot and all-in, whose translation of other bets
decides what it loses to them; and continual re-solving, which needs no translation.
"""

from __future__ import annotations

import argparse
import time

from common.machine import machine_line
from common.tables import table
from resolving import flop_game

import errai
from errai.abstraction.translation import Translation
from errai.agents.continual import ContinualAgent, ContinualOptions
from errai.agents.solved import SolvedAgent
from errai.arena.lbr import lbr

RUNS = [
    ("holdem.nolimit.2p", "always-fold", "fc4", 250.0),
    ("holdem.nolimit.2p", "always-fold", "fcpa", 750.0),
    ("holdem.nolimit.2p", "always-fold", "56bets", 750.0),
    ("holdem.nolimit.2p", "always-fold", "2r56bets", 750.0),
    ("holdem.nolimit.2p", "always-call", "fcpa", None),
    ("holdem.nolimit.2p", "uniform", "fcpa", None),
    ("holdem.nolimit.2p", "by-strength", "56bets", None),
    ("holdem.limit.2p", "always-fold", "limit", 750.0),
    ("holdem.limit.2p", "always-call", "limit", 1163.476),
    ("holdem.limit.2p", "call=0.5,raise=0.5", "limit", 2406.551),
    ("holdem.limit.2p", "always-fold", "fcpa", 750.0),
]
"""Game, agent, setting, and what is known: in no-limit what the setting wins from always-fold
(DeepStack's table 3), in limit the exploitability."""


FULL_CARDS = ("c/fc", "c/fcpa", "c/56bets")
"""The responder's actions before and on the flop."""


def full_cards(options: argparse.Namespace) -> None:
    """What a local best response wins from solutions without a card abstraction, and from continual re-solving."""
    game = flop_game(options)
    solution = errai.solve(game, options.target, menu="100%, a")
    kinds = (Translation.NEAREST_PSEUDO_HARMONIC, Translation.PSEUDO_HARMONIC)
    agents = [SolvedAgent(solution, f"translation {kind}", kind) for kind in kinds]
    agents.append(ContinualAgent(game, ContinualOptions(iterations=options.iterations)))
    rows = []
    for agent in agents:
        row, started = [], time.monotonic()
        for setting in FULL_CARDS:
            result = lbr(game, agent, setting, hands=options.hands, of_a_board=10, bets_asked=8)
            row.append(f"{result.won.mbb:.0f} ± {result.interval[1].mbb - result.won.mbb:.0f}")
        rows.append([agent.name, *row, f"{time.monotonic() - started:.0f}"])
    print(machine_line())
    print(f"\n{game.name}, pot and all-in, solved to {solution.exploitability}; mbb/g, {options.hands} hands each\n")
    print(table(["agent", *FULL_CARDS, "seconds"], rows))


def main() -> None:
    """Print a line for every run."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--hands", type=int, default=1_000)
    parser.add_argument("--processes", type=int, default=1)
    parser.add_argument("--full-cards", action="store_true")
    parser.add_argument("--ranks", type=int, default=5, help="full cards: of the deck")
    parser.add_argument("--stack", type=int, default=2_000, help="full cards: chips, blinds 50 and 100")
    parser.add_argument("--target", default="1mbb", help="full cards: of the solution")
    parser.add_argument("--iterations", type=int, default=300, help="full cards: of continual re-solving")
    options = parser.parse_args()
    if options.full_cards:
        return full_cards(options)
    for name, agent, setting, known in RUNS:
        result = lbr(errai.load_game(name), agent, setting, hands=options.hands, processes=options.processes)
        low, high = (end.mbb for end in result.interval)
        beside = "" if known is None else f", known {known:g}"
        print(
            f"{name:18} {agent:20} {setting:9} wins {result.won.mbb:9.1f} mbb/g, {low:.1f} to {high:.1f}{beside}; "
            f"{result.hands_per_second:.1f} hands a second",
            flush=True,
        )


if __name__ == "__main__":
    main()
