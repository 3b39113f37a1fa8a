"""Compares iteration schedules over a set of spots: how many iterations each needs to given exploitabilities.

Iterations are counted, not seconds, so the table is the same on every machine of one instruction set.  Every spot is
solved with every candidate; exploitability is measured on a geometric grid of iterations and the crossing of a target
is interpolated between two points of the grid, both axes logarithmic.  A candidate is judged by the ratios of its
iterations to those of the default schedule: their geometric mean over the spots, and the worst of them.

Single runs are erratic: a start that differs in the sixth digit moves a crossing by a tenth or more, and 30 spots leave
a standard error of some per cent.  ``--starts`` averages that out: each spot is solved from several slightly different
first strategies, and ratios are taken between geometric means over the starts.
"""

from __future__ import annotations

import argparse
import itertools
import json
import math
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from errai.engine.loop import Solver
from errai.engine.schedules import DEFAULT, NO_MEMORY, SCHEDULES, Schedule
from errai.games.spot import load_spot
from errai.kernels.protocol import REGRET_STEPS
from errai.tree.public_tree import PublicTree, build_public_tree

ROOT = Path(__file__).resolve().parent.parent
INFINITY = float("inf")
FIRST, STEP = 10, 1.08
"""The grid of measurements: the first iteration, and the ratio of neighbours."""

Points = list[tuple[int, float]]
"""A curve: (iteration, exploitability in per cent of the pot)."""

Column = NDArray[np.float64]
Rule = Callable[[Column], Column | float]
"""From iterations 1, 2, ... to one number for each of them."""


# --- candidates ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Variant(Schedule):
    """A schedule whose columns may be any function of the iteration, to try what ``Schedule`` cannot say."""

    positive: Rule | None = field(default=None, compare=False)
    """Factor on regrets above 0 instead of alpha's."""
    negative: Rule | None = field(default=None, compare=False)
    """Factor on regrets below 0 instead of beta's."""
    weight: Rule | None = field(default=None, compare=False)
    """Relative weight of an iteration in the average, instead of t^gamma; must be positive."""
    predictions: Rule | None = field(default=None, compare=False)
    """Weight of the last regret in the prediction; ``prediction`` must not be 0."""
    forget: Rule | None = field(default=None, compare=False)
    """Non-zero at iterations before which the average is emptied."""

    def coefficients(self, first: int, count: int) -> NDArray[np.float64]:
        """The table of ``Schedule`` with the columns that have a rule of their own."""
        t = np.arange(1.0, first + count)
        table = super().coefficients(1, len(t))
        for column, rule in ((0, self.positive), (1, self.negative), (4, self.predictions)):
            if rule is not None:
                table[:, column] = rule(t)
        weights = np.broadcast_to(self.weight(t), t.shape) if self.weight is not None else t**self.gamma
        if self.weight is not None:
            table[:, 2] = np.concatenate([[0.0], weights[:-1]]) / weights
        if self.weight is not None or self.forget is not None:
            emptied = (
                np.broadcast_to(self.forget(t), t.shape) != 0 if self.forget is not None else np.zeros(len(t), bool)
            )
            table[emptied, 2] = 0.0
            total = 0.0
            for i, weight in enumerate(weights):
                total = weight if emptied[i] else total + weight
                table[i, 5] = weight / total
        return table[first - 1 :]


def late(delay: float, gamma: float) -> Rule:
    """Weights (t - delay)^gamma: the average begins after ``delay`` iterations."""
    return lambda t: np.maximum(t - delay, 1e-3) ** gamma


def at_powers(base: int) -> Rule:
    """The average starts afresh at powers of a base."""
    return lambda t: np.isin(t, [float(base) ** k for k in range(1, 40)]).astype(np.float64)


def share(alpha: float, slow: float = 1.0) -> Rule:
    """Discount t^alpha / (t^alpha + slow)."""
    return lambda t: t**alpha / (t**alpha + slow)


def power(k: float) -> Rule:
    """Discount that gives the regret of iteration t weight t^k."""
    return lambda t: (t / (t + 1.0)) ** k


def constant_until(last: float, value: float, then: Rule) -> Rule:
    """One factor up to an iteration, a rule after it."""
    return lambda t: np.where(t <= last, value, then(t))


def pulses(base: float, first: float, value: float, rule: Rule) -> Rule:
    """A rule with a sudden discount at ``first`` and its multiples by powers of a base."""
    at = {round(first * base**k) for k in range(40)}
    return lambda t: np.array(
        [value if x in at else y for x, y in zip(t, np.broadcast_to(rule(t), t.shape), strict=True)]
    )


def compounded(gamma: Callable[[Column], Column]) -> Rule:
    """Weights whose ratio between neighbours is ((t - 1) / t)^gamma(t): an exponent that changes with time."""

    def weights(t: Column) -> Column:
        before = np.maximum(t - 1.0, 1.0)
        return np.exp(np.cumsum(np.where(t > 1, gamma(t) * np.log(t / before), 0.0)))

    return weights


def _named(name: str, alpha: float = 1.5, beta: float = 0.0, gamma: float = 4.0, **changes: object) -> Variant:
    return Variant(name, alpha, beta, gamma, **changes)  # type: ignore[arg-type]


def _candidates() -> Iterator[tuple[str, Schedule]]:
    """(group, schedule) of everything that is compared."""
    for schedule in SCHEDULES.values():
        yield "named", schedule
    for gamma in (3.0, 5.0, 6.0, 8.0, 12.0):
        yield "average", _named(f"gamma {gamma:g}", gamma=gamma)
    for gamma in (3.0, 4.0, 6.0, 8.0, 12.0):
        yield "average", _named(f"gamma {gamma:g}, unweighted", gamma=gamma, weighted=False)
    for base, gamma in itertools.product((2, 4), (1.0, 3.0)):
        yield "average", _named(f"gamma {gamma:g}, restarts at {base}^k", gamma=gamma, forget=at_powers(base))
    yield (
        "average",
        _named("postflop-solver: gamma 3, restarts at 4^k, unweighted", gamma=3.0, weighted=False, forget=at_powers(4)),
    )
    for delay, gamma in itertools.product((5.0, 15.0, 30.0), (2.0, 4.0)):
        yield "average", _named(f"(t - {delay:g})^{gamma:g}", weight=late(delay, gamma))
    yield "average", _named("gamma 2 to 8 over 100", weight=compounded(lambda t: np.minimum(2 + 6 * t / 100, 8)))
    yield "average", _named("gamma 8 to 3 over 100", weight=compounded(lambda t: np.maximum(8 - 5 * t / 100, 3)))
    for alpha, beta in itertools.product((1.0, 1.2, 1.5, 1.8, 2.3, 3.0), (NO_MEMORY, -0.5, 0.0, 0.5, 1.0)):
        if (alpha, beta) != (1.5, 0.0):
            yield "exponents", _named(f"alpha {alpha:g}, beta {beta:g}", alpha, beta)
    for value in (0.2, 0.35, 0.65, 0.8, 0.9):
        yield "negative", _named(f"negative x {value:g}", negative=lambda t, v=value: np.full_like(t, v))
    yield "negative", _named("negative 0 until 10, then 0.5", negative=constant_until(10, 0.0, share(0.0)))
    yield "negative", _named("negative 0 until 30, then 0.5", negative=constant_until(30, 0.0, share(0.0)))
    yield "negative", _named("negative 0.5 until 30, then 0", negative=constant_until(30, 0.5, lambda t: 0.0 * t))
    yield "negative", _named("negative 0.5 until 30, then 0.8", negative=constant_until(30, 0.5, lambda t: 0 * t + 0.8))
    for alpha, slow in itertools.product((1.0, 1.5, 2.0), (2.0, 4.0, 8.0)):
        yield "slow", _named(f"t^{alpha:g} / (t^{alpha:g} + {slow:g})", positive=share(alpha, slow))
    yield "slow", _named("t^3 / (t^3 + 64)", positive=share(3.0, 64.0))
    yield "slow", _named("t^3 / (t^3 + 1000)", positive=share(3.0, 1000.0))
    for k in (1.0, 1.5, 2.0, 3.0):
        yield "slow", _named(f"regret weighs t^{k:g}", positive=power(k))
    for last, value in ((5, 0.5), (10, 0.5), (10, 0.8), (20, 0.8)):
        yield "slow", _named(f"positive x {value:g} until {last}", positive=constant_until(last, value, share(1.5)))
    for base, value in ((2.0, 0.1), (2.0, 0.5), (4.0, 0.1)):
        yield "resets", _named(f"positive x {value:g} at 8 x {base:g}^k", positive=pulses(base, 8, value, share(1.5)))
    for value in (0.3, 0.5, 1.0):
        yield "prediction", _named(f"dcfr4, prediction {value:g}", prediction=value)
        yield "prediction", _named(f"dcfr+, prediction {value:g}", beta=NO_MEMORY, prediction=value)
        yield "prediction", _named(f"pcfr+, prediction {value:g}, gamma 4", INFINITY, NO_MEMORY, prediction=value)
    # Xu et al. 2024, predictive discounted CFR+.
    yield "prediction", _named("pdcfr+ (2.3, 5)", 2.3, NO_MEMORY, 5.0, prediction=1.0)
    for value in (-0.3, 0.15):
        yield "prediction", _named(f"dcfr4, prediction {value:g}", prediction=value)
    # Zhang, McAleer and Sandholm 2024: hyperparameter schedules over n iterations.
    for n in (100, 300, 1000):
        yield "hs", _hyperparameter_schedule(n)
        yield (
            "hs",
            _named(f"hs average only, n {n}", weight=compounded(lambda t, n=n: np.maximum(30 - 25 * t / n, 5.0))),
        )
    for foresight in (0.25, 0.5, 0.75, 1.0):
        yield "foresight", _named(f"foresight {foresight:g}", foresight=foresight)
    for foresight, alpha, prediction in itertools.product((0.35, 0.5, 0.65), (1.2, 1.3, 1.4), (0.0, 0.1, 0.2)):
        name = f"foresight {foresight:g}, alpha {alpha:g}" + (f", prediction {prediction:g}" if prediction else "")
        yield "foresight", _named(name, alpha, foresight=foresight, prediction=prediction)
    yield "simultaneous", _named("dcfr4, simultaneous", simultaneous=True)
    yield "simultaneous", _named("dcfr4, simultaneous, prediction 1", simultaneous=True, prediction=1.0)


def _hyperparameter_schedule(n: int) -> Variant:
    """HS-DCFR: alpha 1 + 3t/n, beta -1 - 2t/n, gamma 30 - 5t/n."""

    def positive(t: Column) -> Column:
        powers = t ** (1 + 3 * np.minimum(t / n, 1.0))
        return powers / (powers + 1.0)

    def negative(t: Column) -> Column:
        powers = t ** (-1 - 2 * np.minimum(t / n, 1.0))
        return powers / (powers + 1.0)

    weight = compounded(lambda t: 30 - 5 * np.minimum(t / n, 1.0))
    return _named(f"hs-dcfr, n {n}", positive=positive, negative=negative, weight=weight)


# --- measuring -------------------------------------------------------------------------------------------------------


def grid() -> Iterator[int]:
    """Iterations at which to measure: 10, 11, 12, 13, 14, 16, ..."""
    last, value = 0, float(FIRST)
    while True:
        if round(value) > last:
            last = round(value)
            yield last
        value *= STEP


def perturb(solver: Solver, seed: int) -> None:
    """Let the first strategies deviate a little from uniform play; the first regrets dominate these values."""
    random = np.random.default_rng(seed)
    tiny = 100 * solver.tree.arrays.tie
    for group in filter(None, (solver.state.regrets, solver.state.predicted)):
        for array in itertools.chain.from_iterable(group):
            noise = 1.0 - 0.5 * random.random(array.size)
            array[...] = noise * (REGRET_STEPS if array.dtype == np.int16 else tiny)
    for array in itertools.chain.from_iterable(solver.state.scales or []):
        array[...] = tiny / REGRET_STEPS


def curve(
    tree: PublicTree, schedule: Schedule, target: float, limit: int, precision: str, seed: int = 0
) -> list[tuple[int, float]]:
    """(iteration, exploitability in per cent of the pot) on the grid, down to the target or up to the limit."""
    solver = Solver(tree, schedule, precision=precision)
    if seed:
        perturb(solver, seed)
    found: list[tuple[int, float]] = []
    for iteration in grid():
        solver.iterate(min(iteration, limit) - solver.iteration)
        found.append((solver.iteration, solver.measure().pot_percent))
        if found[-1][1] <= target or solver.iteration >= limit:
            return found
    raise AssertionError("the grid has no end")


def crossing(points: Iterable[tuple[int, float]], target: float) -> float:
    """Iterations at which a curve first meets a target; infinity where it never does."""
    before: tuple[int, float] | None = None
    for iteration, value in points:
        if value <= target:
            if before is None or value <= 0.0:
                return float(iteration)
            part = math.log(before[1] / target) / math.log(before[1] / value)
            return before[0] * (iteration / before[0]) ** part
        before = iteration, value
    return math.inf


# --- the command -----------------------------------------------------------------------------------------------------

Curves = dict[str, dict[str, Points]]
"""By candidate and run: a spot, with '#' and the number of the start where there are several."""


def table(curves: Curves, targets: list[float], against: str, limit: int) -> Iterator[str]:
    """Lines of a Markdown table: ratios of iterations to those of the schedule ``against``, spot by spot.

    A run that did not meet the target within the limit counts with the limit, so such a ratio is a bound.
    """
    yield "| | " + " | ".join(f"{t:g} %: mean | worst" for t in targets) + " |"
    yield "|---" * (2 * len(targets) + 1) + "|"
    base = {t: iterations(curves[against], t, limit)[0] for t in targets}
    for name, by_spot in curves.items():
        cells = []
        for target in targets:
            own, unmet = iterations(by_spot, target, limit)
            logs = {spot: math.log(count / base[target][spot]) for spot, count in own.items()}
            worst = max(logs, key=lambda spot: logs[spot])
            values = np.array(list(logs.values()))
            error = values.std(ddof=1) / math.sqrt(len(values)) if len(values) > 1 else 0.0
            mark = f", {unmet} unmet" if unmet else ""
            cells.append(f"{math.exp(values.mean()):.3f} ± {error:.3f}{mark} | {math.exp(logs[worst]):.2f} {worst}")
        label = f"**{name}**" if name == against else name
        yield f"| {label} | " + " | ".join(cells) + " |"


def iterations(by_spot: dict[str, Points], target: float, limit: int) -> tuple[dict[str, float], int]:
    """By spot the geometric mean of the iterations over its starts, and how many runs did not meet the target."""
    logs: dict[str, list[float]] = {}
    unmet = 0
    for run, points in by_spot.items():
        count = crossing(points, target)
        unmet += not math.isfinite(count)
        logs.setdefault(run.partition("#")[0], []).append(math.log(min(count, limit)))
    return {spot: math.exp(sum(found) / len(found)) for spot, found in logs.items()}, unmet


def main() -> None:
    """Read the options, run what the file of results lacks, and print the table."""
    candidates = list(_candidates())
    groups = list(dict.fromkeys(g for g, _ in candidates))
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("spots", nargs="*", type=Path, help="default: benchmarks/spots/set/*.toml, else the examples")
    parser.add_argument("--groups", nargs="+", choices=groups, help="which candidates (default: named)")
    parser.add_argument("--names", nargs="+", default=[], help="single candidates by name, beside the groups")
    parser.add_argument("--targets", type=float, nargs="+", default=[0.5, 0.3, 0.1], help="in per cent of the pot")
    parser.add_argument("--limit", type=int, default=1000, help="iterations after which a spot is given up")
    parser.add_argument("--precision", default="float32")
    parser.add_argument("--starts", type=int, default=1, help="runs of each, from slightly different first strategies")
    parser.add_argument("--unweighted", action="store_true", help="no average is weighted by the player's own reach")
    parser.add_argument("--results", type=Path, help="JSON lines with all curves; runs found there are not repeated")
    options = parser.parse_args()
    wanted = options.groups or ([] if options.names else ["named"])
    default = sorted((ROOT / "benchmarks/spots/set").glob("*.toml"))
    paths = options.spots or default or [ROOT / f"examples/{n}.toml" for n in ("river", "turn")]
    chosen = {DEFAULT: SCHEDULES[DEFAULT]}
    chosen |= {s.name: s for g, s in candidates if g in wanted or s.name in options.names}
    if missing := set(options.names) - chosen.keys():
        parser.error(f"no candidate is called {', '.join(sorted(missing))}")
    least = min(options.targets)
    known: dict[tuple[str, str, str], list[tuple[int, float]]] = {}
    if options.results and options.results.exists():
        for line in options.results.read_text().splitlines():
            *key, points = json.loads(line)
            known[key[0], key[1], key[2]] = points
    curves: Curves = {name: {} for name in chosen}
    setting = options.precision + (", unweighted" if options.unweighted else "")
    for path in paths:
        tree = None
        for (name, schedule), seed in itertools.product(chosen.items(), range(options.starts)):
            spot = f"{path.stem}#{seed}" if seed else path.stem
            key = setting, name, spot
            points = known.get(key)
            if points is None or (points[-1][1] > least and points[-1][0] < options.limit):
                tree = tree or build_public_tree(load_spot(path))
                if options.unweighted:
                    schedule = replace(schedule, weighted=False)
                points = curve(tree, schedule, least, options.limit, options.precision, seed)
                if options.results:
                    with options.results.open("a") as file:
                        file.write(json.dumps([*key, points]) + "\n")
            curves[name][spot] = points
        print(path.stem, file=sys.stderr, flush=True)
    print("\n".join(table(curves, options.targets, DEFAULT, options.limit)))


if __name__ == "__main__":
    main()
