"""Whether the regrets of one spot help to solve a similar one: `python benchmarks/warm_start.py [SPOT ...]`.

Each spot is solved to 0.5 % of the pot.  Then one thing about it is changed, and the changed spot is solved to three
targets from nothing and from the regrets of that run.  A row for each change has the iterations of both, and the last
row the geometric means of their ratios.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from common.tables import table

import errai
from errai.errors import MismatchError
from errai.games.spot import Spot

SPOTS = ("examples/turn.toml", "examples/turn-donk.toml", "examples/flop.toml")
FIRST = "0.5%pot"
TARGETS = ("0.5%pot", "0.3%pot", "0.1%pot")


def changes(spot: Spot) -> Iterator[tuple[str, Spot, dict[str, Any]]]:
    """Yield what is changed, the changed spot, and options of its solve."""
    tables = spot.to_dict()
    for key, factor in (("stack", 0.9), ("stack", 1.1), ("pot", 0.9), ("pot", 1.1)):
        yield f"{key} x {factor}", Spot.from_dict({**tables, key: round(tables[key] * factor)}), {}
    for player, who in (("oop", "out of position"), ("ip", "in position")):
        # The later hands of the text count half.
        hands = tables["ranges"][player].split(",")
        weights = [
            hand if number < len(hands) // 2 or ":" in hand else f"{hand}:0.5" for number, hand in enumerate(hands)
        ]
        ranges = {**tables["ranges"], player: ",".join(weights)}
        yield f"half the hands {who} at half weight", Spot.from_dict({**tables, "ranges": ranges}), {}
    yield "the first player always checks", spot, {"locks": {"": {"*": {"check": 1}}}}


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("spots", nargs="*", default=SPOTS, help="spot files (the examples)")
    rows, ratios = [], []
    for name in parser.parse_args().spots:
        spot = errai.load_spot(name)
        with tempfile.TemporaryDirectory() as folder:
            solved = Path(folder) / "solved"
            errai.solve(spot, FIRST, checkpoint=solved)
            for what, other, options in changes(spot):
                alone = [errai.solve(other, target, **options) for target in TARGETS]
                try:
                    after = [errai.solve(other, target, start_from=solved, **options) for target in TARGETS]
                except MismatchError:
                    rows.append([Path(name).stem, what, "the lines are others", "", ""])
                    continue
                ratios.append([a.iterations / b.iterations for a, b in zip(alone, after, strict=True)])
                pairs = [f"{a.iterations} / {b.iterations}" for a, b in zip(alone, after, strict=True)]
                rows.append([Path(name).stem, what, *pairs])
    means = np.exp(np.log(ratios).mean(axis=0))
    least = np.min(ratios, axis=0)
    rows.append(["", "mean ratio (least)", *(f"{m:.2f} ({w:.2f})" for m, w in zip(means, least, strict=True))])
    print(table(["spot", "changed", *(f"to {target[:-3]}" for target in TARGETS)], rows))


if __name__ == "__main__":
    main()
