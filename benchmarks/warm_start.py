"""Whether the last solve helps the next one: `python benchmarks/warm_start.py [SPOT ...]`.

Out of position checks, and in position makes a bet that the solution's tree lacks.  The rest is solved to three targets
from nothing, and from regrets that are the strategy of the nearest line of the solution times so many thousandths of
the chips at stake.  A row for each bet and start has the iterations to 1, 0.3 and 0.1 % of the pot.
"""

from __future__ import annotations

import argparse

import errai
from errai.engine.loop import Solver
from errai.engine.root import GivenReach
from errai.engine.schedules import find_schedule
from errai.games.hand import CALL, PublicState, raise_to
from errai.resolving.laid_out import lay_out
from errai.resolving.values import ranges_at, strategy_of

SPOTS = ("examples/river.toml", "examples/turn.toml")
BETS = (0.185, 0.45, 0.8, 1.67)
"""Shares of the pot."""
THOUSANDTHS = (0, 1, 10, 50, 200)
TARGETS = (1.0, 0.3, 0.1)
MOST_ITERATIONS = 1_500


def main() -> None:
    """Print a row for every bet and every beginning."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("spots", nargs="*", default=SPOTS, help="spot files (the examples)")
    print("| spot | bet, pots | regrets begin as | iterations to 1 / 0.3 / 0.1 % |\n|---|---|---|---|")
    for name in parser.parse_args().spots:
        spot = errai.load_spot(name)
        strategy = strategy_of(errai.solve(spot, "0.3%pot"))
        for bet in BETS:
            state = PublicState.start(spot).after(CALL).after(raise_to(round(bet * spot.pot)))
            ranges = ranges_at(strategy, state)
            laid = lay_out(strategy, state, ranges, spot.menu)
            for thousandths in THOUSANDTHS:
                solver = Solver(
                    laid.tree,
                    find_schedule("dcfr-foresight"),
                    precision="float64",
                    root=GivenReach(laid.tree, ranges),
                )
                for pair, given in zip(solver.state.regrets, laid.strategy, strict=True):
                    for p in (0, 1):
                        at_stake = laid.tree.initial_pot * ranges[1 - p].sum()
                        pair[p][...] = given[p] * at_stake * thousandths / 1000.0
                found = []
                for target in TARGETS:
                    solver.run(target_chips=target * laid.tree.initial_pot / 100.0, max_iterations=MOST_ITERATIONS)
                    found.append(str(solver.iteration))
                begins = f"{thousandths} thousandths" if thousandths else "nothing"
                print(f"| {name} | {bet:g} | {begins} | {' / '.join(found)} |", flush=True)


if __name__ == "__main__":
    main()
