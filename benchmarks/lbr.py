"""Hands per second of local best response, and its winnings: `python benchmarks/lbr.py [--hands N]`.

For agents whose exploitability in limit hold'em is known exactly (`errai best-response`, docs/maths.md), the table
shows it together with what a local best response wins, that is, how tight the bound is.
"""

from __future__ import annotations

import argparse

import errai
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


def main() -> None:
    """Print a line for every run."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--hands", type=int, default=1_000)
    parser.add_argument("--processes", type=int, default=1)
    options = parser.parse_args()
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
