"""The price of a menu: what a player loses who may bet only some sizes, while the opponent may bet the finest menu.

For each spot the game is solved with the finest of ``errai.solving.estimate.MENUS`` for both players, and then, for
each coarser menu and each player, with that menu for the player alone.  Both values are proved to lie in an interval,
by what each strategy is certain to win, so the difference lies in one too.  The opponent knows the menu and makes the
most of it, which is the worst that can happen; the sizes of a coarse menu are not all among those of a finer one, so a
price may be negative.

The spots begin on the turn, with ranges as before the flop: a flop with the finest menu takes hours for each of the
thirteen solves.  What is there already is not solved again.  ``--flop`` measures the two coarsest menus on one flop
against the fourth, which takes a quarter of an hour on two cores, and writes nothing.

    scripts/bench menu_prices --write
    scripts/bench menu_prices --flop
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import errai
from errai.games.spot import Spot, load_spot
from errai.solving.estimate import MENUS, PRICES_FILE

TARGET = "0.1%pot"

SPOTS = (
    ("examples/turn.toml", "Qs Jh 2c 8d", 200, 900),
    ("bb-vs-btn-3bp", "Ks 7h 2d 4c", 22.5, 89),
    ("sb-vs-btn-3bp", "Qs 9h 4d 2c", 36.6, 82.2),
    ("examples/raised-pot.toml", "Ts 9d 4h Js", 99, 153),
    ("btn-vs-co-3bp", "Ah 8d 3s 5d", 17.5, 92),
    ("co-vs-bb-srp", "8s 7s 3d Kd", 13.75, 93.4),
)
"""A spot, its board, and the pot and the chips behind on the turn: after a check, or after a bet and a call."""


FLOP, FLOP_TARGET, FLOP_FINEST = "examples/raised-pot.toml", "0.15%pot", MENUS[3]

Menu = tuple[str, str]


def value(spot: Spot, oop: Menu, ip: Menu, target: str, threads: int | None) -> tuple[float, float]:
    """Return between which numbers the value for player 0 is, in per cent of the pot, if the players have two menus."""
    bets = {who: {"bet": bet, "raise": raise_} for who, (bet, raise_) in (("oop", oop), ("ip", ip))}
    solution = errai.solve(Spot.from_dict({**spot.to_dict(), "bets": bets}), target, threads=threads, progress=False)
    low, high = solution.exploitability.bracket(float(solution.values.chips[0]))
    return 100.0 * low / spot.pot, 100.0 * high / spot.pot


def prices(
    spot: Spot, menus: Sequence[Menu], finest: Menu, target: str, threads: int | None
) -> list[list[list[float]]]:
    """Return for each of some menus, and each player, between which per cents of the pot the price is."""
    low, high = value(spot, finest, finest, target, threads)
    found = []
    for menu in menus:
        first = value(spot, menu, finest, target, threads)
        second = value(spot, finest, menu, target, threads)
        found.append([[low - first[1], high - first[0]], [second[0] - high, second[1] - low]])
        print(spot.board_text, menu, [[round(x, 2) for x in pair] for pair in found[-1]], flush=True)
    return found


def measured(name: str, board: str, pot: float, stack: float, threads: int | None) -> dict[str, Any]:
    """Return what the table has of a spot."""
    table = load_spot(name).to_dict()
    spot = Spot.from_dict({**table, "board": board, "pot": pot, "stack": stack, "title": ""})
    found = prices(spot, MENUS[:-1], MENUS[-1], TARGET, threads)
    rounded = [[[round(x, 3) for x in pair] for pair in menu] for menu in found]
    return {"spot": name, "board": board, "pot": pot, "stack": stack, "prices": rounded}


def main() -> None:
    """Measure, and print or write the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--threads", type=int)
    parser.add_argument("--write", action="store_true", help="write the table of the package, spot by spot")
    parser.add_argument("--flop", action="store_true", help="measure two menus on one flop instead")
    options = parser.parse_args()
    if options.flop:
        prices(load_spot(FLOP), MENUS[:2], FLOP_FINEST, FLOP_TARGET, options.threads)
        return
    there: list[dict[str, Any]] = []
    if options.write and Path(PRICES_FILE).exists():
        document = json.loads(Path(PRICES_FILE).read_text())
        there = document["spots"] if document["menus"] == [list(menu) for menu in MENUS] else []
    for name, board, pot, stack in SPOTS:
        key = {"spot": name, "board": board, "pot": pot, "stack": stack}
        if any(key.items() <= row.items() for row in there):
            continue
        there.append(measured(name, board, pot, stack, options.threads))
        if options.write:
            head = {"menus": MENUS, "target": TARGET, "street": "turn"}
            rows = ",\n".join(json.dumps(row) for row in there)
            Path(PRICES_FILE).write_text(f'{json.dumps(head)[:-1]}, "spots": [\n{rows}\n]}}\n')


if __name__ == "__main__":
    main()
