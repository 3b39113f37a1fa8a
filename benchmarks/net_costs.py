"""What value networks for the turn cost in exploitability, over twelve flops.

    scripts/bench net_costs                                     # the network of the package
    scripts/bench net_costs --net turn --net mine.net           # beside another one
    scripts/bench net_costs benchmarks/spots/set/flop-dry-3bet.toml

Each flop is solved over each network, and each player's flop is then locked in turn and everything else solved exactly
(:mod:`errai.nets.quality.cost`).  The cost is in per cent of the pot, with its bounds; `training's bets` is the same
spot with the pot and all-in, the bets of the positions that the networks of the package learnt from.
"""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path

from common.machine import ROOT, machine_line
from common.tables import table

import errai
from errai.games.spot import Spot
from errai.nets.examples.targets import MENU
from errai.nets.quality.cost import Cost, cost

FLOPS = (
    ROOT / "examples" / "flop.toml",
    *sorted((ROOT / "benchmarks" / "spots" / "set").glob("flop-*.toml")),
    *sorted((ROOT / "benchmarks" / "spots" / "cost").glob("*.toml")),
)


def main() -> None:
    """Measure, and write a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("spots", nargs="*", type=Path, default=FLOPS)
    parser.add_argument("--net", action="append", dest="nets")
    parser.add_argument("--target", default="0.1%pot", help="of the flop over the network (%(default)s)")
    parser.add_argument("--exact", default="0.04%pot", help="of the exact solves (%(default)s)")
    options = parser.parse_args()
    nets = [errai.load_net(name) for name in options.nets or ["turn"]]
    print(machine_line(), flush=True)
    rows, sums = [], dict[tuple[str, str], list[float]]()
    for path in options.spots:
        own = errai.load_spot(path)
        row = [Path(path).stem]
        for bets, spot in (("own", own), ("training", replace(own, menu=_of_training(own)))):
            game = errai.solve(spot, options.exact, max_iterations=5_000)
            for number, net in enumerate(nets):
                over = errai.solve(spot, options.target, leaf_values=net, max_iterations=400)
                found = cost(over, options.exact, game=game)
                sums.setdefault((bets, str(number)), []).append(found.loss.pot_percent)
                row.append(_text(found))
        rows.append(row)
        print(" | ".join(row), flush=True)
    rows.append(["mean", *(f"{sum(all_of) / len(all_of):.2f}" for all_of in sums.values())])
    head = ["flop", *(f"{net.name}, {bets} bets" for bets in ("own", "training's") for net in nets)]
    print("\n" + table(head, rows))


def _of_training(spot: Spot) -> object:
    return Spot.from_dict({**spot.to_dict(), "bets": {"bet": MENU, "raise": MENU}}).menu


def _text(found: Cost) -> str:
    least, most = (bound.pot_percent for bound in found.bounds)
    return f"{found.loss.pot_percent:.2f} ({least:.2f}-{most:.2f})"


if __name__ == "__main__":
    main()
