"""What errors of leaf values cost in exploitability: exact values with noise, and alternatives without a network.

    scripts/bench net_noise                              # the spots below
    scripts/bench net_noise --spots examples/turn.toml --sigmas 0 0.05 0.2 --seeds 5

A spot's first street is solved over exact solves of all that follows.  Noise like a network's error is added to each
player's value of every hand after every line: normal, with a standard deviation in pots, and projected like networks'
values so that they stay zero-sum.  `boards apart` draws it for every card that may come, so that much of it averages
out; `boards alike` draws it once for a line.  A network's errors are in between.  The cost is that of
:mod:`errai.nets.quality.cost`: each player's first street is locked in turn, and all the rest is solved exactly.

The alternatives to the network are: no more bets, zero values, and Modicum's four continuations of a blueprint, which
is a solution of the same spot to some accuracy.
"""

from __future__ import annotations

import argparse
from functools import lru_cache
from pathlib import Path

import numpy as np
from common.machine import machine_line
from common.tables import table
from numpy.typing import NDArray

import errai
from errai.engine.leaf_values import HalfIteration, LeafMeasurement, LeafValues, Pair
from errai.games.spot import Spot
from errai.kernels.protocol import LeafArrays
from errai.nets.below.leaves import NetLeafValues
from errai.nets.networks.matchups import Matchups, matchups, zero_sum
from errai.nets.positions import BoardValues, Floats
from errai.nets.predictors import find_predictor
from errai.nets.quality.cost import cost
from errai.nets.quality.losses import position_losses
from errai.resolving.continuations import ContinuationLeafValues, Continuations
from errai.resolving.oracle import ExactLeafValues
from errai.solutions.solution import Solution
from errai.strategies.solution import SolutionStrategy
from errai.tree.public_tree import PublicTree

SPOTS = (
    "examples/turn.toml",
    "benchmarks/spots/set/turn-straight-3bet.toml",
    "benchmarks/spots/set/flop-connected-4bet.toml",
)
SIGMAS = (0.0, 0.025, 0.05, 0.1, 0.2)
BLUEPRINTS = ("20%", "5%", "1%")
TARGET = "0.05%pot"


class Noise:
    """A network that returns nothing but errors."""

    name, digest = "noise", "noise"

    def __init__(self, spot: Spot, sigma: float, seed: int, *, apart: bool) -> None:
        self.spot, self.sigma, self.seed, self.apart = spot, sigma, seed, apart
        self.round = spot.first_round + 1
        self.losses: list[float] = []
        """Huber losses of what was said, in DeepStack's unit."""

    def on(self, board: tuple[int, ...], among: NDArray[np.int64] | None = None) -> BoardValues:
        return _NoiseOn(self, matchups(self.spot.game, board, among))

    @lru_cache(maxsize=10_000)  # noqa: B019  # one object a solve
    def drawn(self, board: tuple[int, ...], stack: float) -> Floats:
        """float32[P, H]: an error in pots for every hand of the deck."""
        key = [self.seed, round(1e4 * stack), *(board if self.apart else ())]
        return (self.sigma * np.random.default_rng(key).standard_normal((2, 1326))).astype(np.float32)


class _NoiseOn:
    def __init__(self, noise: Noise, found: Matchups) -> None:
        self.noise, self.found, self.hands = noise, found, found.hands

    def values(self, ranges: Floats, stacks: Floats) -> Floats:
        drawn = np.stack([self.noise.drawn(self.found.board, float(stack))[:, self.hands] for stack in stacks])
        fitting = self.found.fitting(ranges[:, ::-1])
        said = zero_sum(drawn * fitting, ranges, fitting)
        if len(self.noise.losses) < 1_000:
            self.noise.losses.append(float(position_losses(said, np.zeros_like(said)).mean()))
        return said


class Perturbed(LeafValues):
    """Exact values and errors; lines that are all-in have none, as over a network."""

    name = "perturbed"

    def __init__(self, exact: LeafValues, noise: Noise) -> None:
        self.exact = exact
        self.said = NetLeafValues(noise, every=0)
        self.shown = NetLeafValues(find_predictor("zero", noise.spot.game, noise.round), every=0)

    def values(self, trunk: PublicTree, reach: Pair, player: int) -> LeafArrays:
        return self._off(trunk, reach, player, self.exact.values(trunk, reach, player))

    def learn(self, trunk: PublicTree, half: HalfIteration) -> LeafArrays:
        return self._off(trunk, half.reach, half.player, self.exact.learn(trunk, half))

    def measure(self, trunk: PublicTree, reach: Pair, *, exact: bool = True) -> LeafMeasurement:
        found = self.exact.measure(trunk, reach, exact=exact)
        values, best = ([self._off(trunk, reach, p, pair[p]) for p in (0, 1)] for pair in (found.values, found.best))
        return LeafMeasurement((values[0], values[1]), (best[0], best[1]), False)

    def _off(self, trunk: PublicTree, reach: Pair, player: int, values: LeafArrays) -> LeafArrays:
        said, shown = (leaves.values(trunk, reach, player) for leaves in (self.said, self.shown))
        return [a + b - c for a, b, c in zip(values, said, shown, strict=True)]


def over(spot: Spot, leaves: LeafValues, iterations: int) -> Solution:
    """The first street over some values."""
    return errai.solve(spot, depth=spot.first_round, leaf_values=leaves, max_iterations=iterations)


def slope(
    spot: Spot, exact: Solution, sigmas: list[float], seeds: int, iterations: int, alongside: int
) -> list[list[str]]:
    """Rows of the cost in percent of the pot by how much noise there is."""
    rows = []
    for sigma in sigmas:
        row, losses = [f"{sigma:g}"], []
        for apart in (True, False):
            costs = []
            for seed in range(seeds if sigma else 1):
                noise = Noise(spot, sigma, seed, apart=apart)
                oracle = ExactLeafValues(alongside=alongside)
                solution = over(spot, Perturbed(oracle, noise), iterations)
                costs.append(cost(solution, TARGET, game=exact).loss.pot_percent)
                losses += noise.losses
            row.append(f"{np.mean(costs):.3f}" + (f" ({min(costs):.3f}-{max(costs):.3f})" if len(costs) > 1 else ""))
        row.insert(1, f"{np.mean(losses):.4f}")
        rows.append(row)
        print(row, flush=True)
    return rows


def rivals(spot: Spot, exact: Solution, iterations: int) -> list[list[str]]:
    """Return table rows with the cost, in per cent of the pot, of leaf values without a network."""
    rows = []
    for name in ("check-down", "zero"):
        net = find_predictor(name, spot.game, spot.first_round + 1)
        found = cost(over(spot, NetLeafValues(net, every=0), iterations), TARGET, game=exact)
        rows.append([name, f"{found.loss.pot_percent:.3f}", ""])
        print(rows[-1], flush=True)
    for target in BLUEPRINTS:
        solved = errai.solve(spot, f"{target}pot")
        blueprint, losses = SolutionStrategy(solved), []
        for p in (0, 1):
            values = ContinuationLeafValues(Continuations(blueprint, spot, chooser=1 - p))
            least, most = cost(over(spot, values, 4 * iterations), TARGET, game=exact).losses[p]
            losses.append(50.0 * (least + most) / exact.initial_pot_chips)
        own = cost(solved, TARGET, game=exact).loss.pot_percent
        rows.append([f"Modicum's four of a solution to {target}", f"{np.mean(losses):.3f}", f"{own:.3f}"])
        print(rows[-1], flush=True)
    return rows


def main() -> None:
    """Run all spots."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--spots", nargs="+", default=list(SPOTS))
    parser.add_argument("--sigmas", nargs="+", type=float, default=list(SIGMAS), help="deviations in pots")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--iterations", type=int, default=100, help="of the solves over values")
    parser.add_argument("--alongside", type=int, default=4, help="iterations below for each half of one above")
    given = parser.parse_args()
    print(machine_line())
    for path in given.spots:
        spot = errai.load_spot(path)
        exact = errai.solve(spot, "0.02%pot")
        print(f"\n{Path(path).name}: {exact.tree.entries:,} entries", flush=True)
        rows = slope(spot, exact, given.sigmas, given.seeds, given.iterations, given.alongside)
        print(table(["noise, pots", "Huber", "cost, boards apart", "cost, boards alike"], rows))
        print(table(["below", "cost", "its own first street"], rivals(spot, exact, given.iterations)))


if __name__ == "__main__":
    main()
