"""What the error of a network for the flop moves before the flop: `python benchmarks/preflop_nets.py DATA --work DIR`.

Two networks are trained apart, each on one half of the positions of a data set from ``errai nets generate flop``, and
the first street is solved over both.  The table compares the two strategies at the decisions that are reached most: how
often each action is taken, and which share of a hand's strategy differs.  What has been made is kept in DIR and not
made again.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
from common.machine import machine_line
from common.tables import table

from errai.games.catalogue import load_game
from errai.nets.below.leaves import NetLeafValues
from errai.nets.examples.dataset import read_examples
from errai.nets.network import Network, load_net, save_net
from errai.nets.networks.factorised import Factorised
from errai.nets.training.learn import learn
from errai.nets.training.loop import TrainingOptions
from errai.solutions.artefact import load_solution
from errai.solutions.solution import Solution
from errai.solving.preflop import preflop

BIG_BLIND = 100
LINES = ("", "call", "raise 250", "raise 250 raise 625")


def halves(data: Path, work: Path, epochs: int, rate: float) -> list[Network]:
    """Train a network on each half, from the weights of the network for the turn."""
    found = []
    for half in (0, 1):
        path = work / f"half-{half}.net"
        if not path.exists():
            examples, aside = read_examples(data, "train"), read_examples(data, "held out")
            options = TrainingOptions(epochs=epochs, rate=rate, seed=half)
            start = load_net("turn")
            kind = start.architecture
            assert isinstance(kind, Factorised)
            learnt = learn(
                f"half {half}", kind, load_game("holdem.nolimit.2p"), 1, [examples.rows(slice(half, None, 2))], [aside],
                options, work / "prepared", start=start,
            )  # fmt: skip
            save_net(learnt.net, path)
            print([(row["name"], round(row["net"], 4)) for row in learnt.table], flush=True)
        found.append(load_net(path))
    return found


def solved(net: Network, work: Path, half: int, options: argparse.Namespace) -> Solution:
    """Solve the first street over a network."""
    path = work / f"half-{half}-{options.stack:g}-{options.iterations}.errai"
    if not path.exists():
        values = NetLeafValues(net, threads=options.threads)
        found = preflop(
            options.stack, options.menu, leaf_values=values, max_iterations=options.iterations, threads=options.threads
        )
        found.save(path)
        print(f"{path.name}: {found.exploitability}, {found.seconds:.0f} s", flush=True)
    return load_solution(path)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("--work", type=Path, required=True, metavar="DIR")
    parser.add_argument("--stack", type=float, default=100.0)
    parser.add_argument("--menu", default="2.5x, a")
    parser.add_argument("--iterations", type=int, default=100)
    parser.add_argument("--epochs", type=int, default=10)
    parser.add_argument("--rate", type=float, default=5e-4)
    parser.add_argument("--threads", type=int, default=None)
    options = parser.parse_args()
    options.work.mkdir(parents=True, exist_ok=True)
    print(machine_line())
    nets = halves(options.data, options.work, options.epochs, options.rate)
    first, second = (solved(net, options.work, half, options) for half, net in enumerate(nets))
    rows = []
    for line in LINES:
        one, two = first.at(line), second.at(line)
        player = one.player
        assert player is not None
        moved = np.abs(one.strategies - two.strategies).sum(axis=1) / 2
        both = np.isfinite(moved)
        weights = one.ranges[player][both]
        rows.append(
            [
                line or "(root)",
                " / ".join(f"{100 * x:.1f}" for x in one.frequencies),
                " / ".join(f"{100 * x:.1f}" for x in two.frequencies),
                f"{100 * float((moved[both] * weights).sum() / weights.sum()):.1f}",
            ]
        )
    head = ("line", "frequencies, first, %", "second, %", "moved, %")
    for half, found in enumerate((first, second)):
        print(f"half {half}: the small blind wins {found.values.chips[1] / BIG_BLIND:+.4f} bb, {found.exploitability}")
    print(table(head, rows))


if __name__ == "__main__":
    main()
