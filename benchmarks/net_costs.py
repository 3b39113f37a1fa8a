"""What value networks for the turn cost in exploitability, over twelve flops.

    scripts/bench net_costs                                     # the network of the package
    scripts/bench net_costs --net turn --net mine.net           # beside another one
    scripts/bench net_costs benchmarks/spots/set/flop-dry-3bet.toml
    scripts/bench net_costs --bets                              # and what the bets of the training cost by themselves

Each flop is solved over each network, and each player's flop is then locked in turn and everything else solved exactly
(:mod:`errai.nets.quality.cost`).  The cost is in per cent of the pot, with its bounds; `training's bets` is the same
spot with those of ``--menu``, by default the bets of the positions that the network of the package learnt from last.
With ``--bets`` a column has the cost of a flop over exact solves of turn and river with the training's bets, where the
spot has its own: a network without any error would cost that.
"""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path

from common.machine import ROOT, machine_line
from common.tables import table

import errai
from errai.games.sizing import BetMenu
from errai.games.spot import Spot
from errai.nets.examples.targets import MENU, bets_of
from errai.nets.quality.cost import Cost, cost, first_street, value_bounds

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
    parser.add_argument("--target", default="0.05%pot", help="of the flop over the network (%(default)s)")
    parser.add_argument("--exact", default="0.04%pot", help="of the exact solves (%(default)s)")
    parser.add_argument("--menu", default=MENU, help="the training's bets and raises (%(default)s)")
    parser.add_argument("--bets", action="store_true", help="add what the bets of the training cost by themselves")
    options = parser.parse_args()
    nets = [errai.load_net(name) for name in options.nets or ["turn"]]
    print(machine_line(), flush=True)
    rows, sums = [], dict[tuple[str, str], list[float]]()
    for path in options.spots:
        own = errai.load_spot(path)
        row = [Path(path).stem]
        for bets, spot in (("own", own), ("training", replace(own, menu=_of_training(own, options.menu)))):
            game = errai.solve(spot, options.exact, max_iterations=5_000)
            if options.bets and spot is own:
                percent = 100.0 * _of_bets(own, game, options.exact, options.menu) / own.pot
                sums.setdefault(("bets", ""), []).append(percent)
                row.append(f"{percent:.2f}")
            for number, net in enumerate(nets):
                over = errai.solve(spot, options.target, leaf_values=net, max_iterations=2_000)
                found = cost(over, options.exact, game=game)
                sums.setdefault((bets, str(number)), []).append(found.loss.pot_percent)
                row.append(_text(found))
        rows.append(row)
        print(" | ".join(row), flush=True)
    rows.append(["mean", *(f"{sum(all_of) / len(all_of):.2f}" for all_of in sums.values())])
    head = [
        "flop",
        *(["bets alone"] if options.bets else []),
        *(f"{net.name}, {bets} bets" for bets in ("own", "training's") for net in nets),
    ]
    print("\n" + table(head, rows))


def _of_training(spot: Spot, menu: str, **flop: object) -> BetMenu | None:
    return Spot.from_dict({**spot.to_dict(), "bets": {**bets_of(menu), **flop}}).menu


def _of_bets(spot: Spot, game: errai.Solution, target: str, menu: str) -> float:
    """Return what the flop of an exact solve loses, in chips, if only its bets after the flop are the training's."""
    said = spot.to_dict()["bets"]
    flop = {key: value for key, value in said.items() if not isinstance(value, dict)} | said.get("flop", {})
    solved = errai.solve(replace(spot, menu=_of_training(spot, menu, flop=flop)), target, max_iterations=5_000)
    lost = 0.0
    for player in (0, 1):
        # The betting tree of the flop is the same, so its strategy can be locked in the spot.
        locked = errai.solve(spot, target, max_iterations=5_000, locks=first_street(solved, player))
        lost += max(sum(value_bounds(game, player)) - sum(value_bounds(locked, player)), 0.0) / 4.0
    return lost


def _text(found: Cost) -> str:
    least, most = (bound.pot_percent for bound in found.bounds)
    return f"{found.loss.pot_percent:.2f} ({least:.2f}-{most:.2f})"


if __name__ == "__main__":
    main()
