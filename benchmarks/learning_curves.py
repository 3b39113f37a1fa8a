"""Held-out loss against the number of positions: `python benchmarks/learning_curves.py DATA --json FILE`.

DeepStack's own network and Errai's are trained on the same first positions of a data set from ``errai nets generate``;
they are compared with baselines without training (zero, check-down) and with the nearest bucket.  All losses are for
the same positions, on boards that were not trained on, in DeepStack's unit: Huber losses, delta 1, of values in units
of what one player has put in.  They are given by how much is left to bet, and over the paper's pots, for which
positions are weighted.

Measurements are kept in the file and not repeated; without DATA the file is only printed.  Several processes may work
on one file, each on sizes of its own.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from common.loglog import Series, loglog
from common.machine import machine_line
from common.nearest_bucket import NearestBucket, Shown
from common.tables import table
from numpy.typing import NDArray

from errai.engine.resources import default_threads
from errai.games.game import Game
from errai.nets.examples.dataset import Examples, Folder, read_examples
from errai.nets.examples.situations import DEEPSTACK, Stratum, stratum_of
from errai.nets.networks.architecture import Architecture, Arrays, architecture
from errai.nets.quality.losses import position_losses
from errai.nets.training.loop import TrainingOptions, train
from errai.nets.training.rows import Rows, prepared_rows
from errai.pictures.palette import SERIES

Losses = NDArray[np.float64]

UP_TO_20 = "up to 20"
PAPER = "the paper's pots"
NETWORKS = {"bucketed": "DeepStack's network", "factorised": "Errai's network"}
TRAINING = {"bucketed": (1e-3, 64, 60_000), "factorised": (2e-3, 32, 25_000)}
"""The rate at which Adam begins, positions of a step, and how many are seen in a training."""
LEAST_EPOCHS, MOST_EPOCHS = 12, 200


@dataclass
class Results:
    """What has been measured, and the file that holds it."""

    path: Path
    facts: dict[str, Any]
    """Of the data: whatever must be the same for results to stand side by side."""
    stacks: list[float]
    """In pots, of the held-out positions."""
    runs: dict[str, dict[str, Any]]
    """By name: ``losses`` of the held-out positions, and how they came about."""

    @classmethod
    def read(cls, path: Path) -> Results:
        """From a file."""
        return cls(path, **json.loads(path.read_text()))

    def write(self) -> None:
        """To the file, which is never half written."""
        new = self.path.with_suffix(".new")
        held = {"facts": self.facts, "stacks": self.stacks, "runs": self.runs}
        new.write_text(json.dumps(held, indent=None) + "\n")
        new.replace(self.path)

    def run(self, name: str, measure: Callable[[], tuple[Losses, dict[str, Any]]]) -> None:
        """Measure what is not there yet."""
        if name in self.runs:
            return
        begun = time.process_time()
        losses, said = measure()
        seconds = round(time.process_time() - begun, 1)
        self.runs[name] = {"losses": [float(f"{loss:.4g}") for loss in losses], "seconds": seconds, **said}
        if self.path.exists():  # Another process may have added to it.
            self.runs = {**Results.read(self.path).runs, **self.runs}
        self.write()
        print(f"{name}: {np.mean(losses):.4f}, {seconds:.0f} s", flush=True)


# --- the paper's pots ------------------------------------------------------------------------------------------------


def paper_weights(stacks: NDArray[np.floating], strata: Sequence[Stratum]) -> NDArray[np.float64]:
    """float64[N]: weights that make positions drawn from strata count as if drawn from the paper's pots; they sum to 1.

    The paper draws one of five classes of pots and then the pot uniformly.  Inside a class a position counts by how
    much likelier the paper was to draw it than the strata were; classes without positions are left out.
    """
    shares = np.array([stratum.share for stratum in strata])
    of = stratum_of(stacks, strata)
    widths = np.array(
        [np.log(stratum.most / stratum.least) if stratum.most > stratum.least else 1.0 for stratum in strata]
    )
    density = shares[of] / (widths[of] * stacks)
    # Of stacks of 1 at the beginning of the hand, 1 / (1 + 2 s) has been put in: its slope is the paper's density.
    likely = 2.0 / (1.0 + 2.0 * stacks) ** 2
    weights = np.zeros(len(stacks))
    classes = stratum_of(stacks, DEEPSTACK)
    for number in range(len(DEEPSTACK)):
        here = classes == number
        if here.any():
            weights[here] = DEEPSTACK[number].share * (likely / density)[here] / (likely / density)[here].sum()
    return weights / weights.sum()


def column_weights(stacks: NDArray[np.floating], strata: Sequence[Stratum]) -> dict[str, NDArray[np.float64]]:
    """How much positions count by stratum, up to 20 pots, and over the paper's pots; columns of nothing left out."""
    of = stratum_of(stacks, strata)
    weights = {stratum.name: (of == number).astype(np.float64) for number, stratum in enumerate(strata)}
    weights |= {UP_TO_20: (stacks <= 20).astype(np.float64), PAPER: paper_weights(stacks, strata)}
    return {name: weight for name, weight in weights.items() if weight.any()}


def rows_of(losses: Losses, stacks: NDArray[np.floating], strata: Sequence[Stratum]) -> dict[str, tuple[float, float]]:
    """In every column the mean loss and its standard error."""
    return {name: weighted(losses, weight) for name, weight in column_weights(stacks, strata).items()}


def weighted(losses: Losses, weights: NDArray[np.float64]) -> tuple[float, float]:
    """A weighted mean and its standard error."""
    shares = weights / weights.sum()
    mean = float(shares @ losses)
    return mean, float(np.sqrt((shares**2) @ (losses - mean) ** 2))


# --- predictors ------------------------------------------------------------------------------------------------------


def epochs_for(positions: int, seen: int) -> int:
    """How often positions are seen, so that about ``seen`` are seen in all."""
    return int(np.clip(round(seen / positions), LEAST_EPOCHS, MOST_EPOCHS))


@dataclass
class Bench:
    """The data, and what networks are trained with."""

    game: Game
    round: int
    train_on: Examples | None
    held_out: Examples
    folder: Path
    """For what is prepared."""

    def __post_init__(self) -> None:
        self._fixed: dict[str, Arrays] = {}

    def rows(self, kind: Architecture, examples: Examples) -> tuple[Rows, Arrays]:
        """What a network takes of examples, and `Architecture.fixed`."""
        key = json.dumps([kind.name, kind.preparation()])
        if key not in self._fixed:
            self._fixed[key] = kind.fixed(self.game, self.round, 0)
        threads = default_threads()
        rows = prepared_rows(kind, self.game, self._fixed[key], [examples], self.folder, threads=threads)
        return rows, self._fixed[key]

    def network(self, kind: Architecture, size: int) -> tuple[Losses, dict[str, Any]]:
        """Train a network on the first positions; its losses at its best epoch."""
        assert self.train_on is not None
        rows, fixed = self.rows(kind, self.train_on.rows(slice(size)))
        aside, _ = self.rows(kind, self.held_out)
        rate, batch, seen = TRAINING[kind.name]
        options = TrainingOptions(epochs=epochs_for(size, seen), rate=rate, batch=batch, threads=1)
        found = train(kind, self.game, self.round, rows, aside, options, fixed=fixed)
        said = {"epochs": options.epochs, "best": found.best.number, "trained": found.best.trained}
        return found.best.held_out, said


def best_of_buckets(rows: Rows) -> Losses:
    """Return the loss if every hand has the mean value of its bucket's hands, in each position.

    No network over buckets can be much better.
    """
    losses = []
    for i in range(len(rows)):
        one = rows.batch([i])
        of = one.board["buckets"][0].astype(np.int64)
        counts = np.maximum(np.bincount(of), 1)
        means = [np.bincount(of, values) / counts for values in one.values[0]]
        losses.append(position_losses(np.stack([mean[of] for mean in means])[None], one.values))
    return np.concatenate(losses)


# --- what is printed -------------------------------------------------------------------------------------------------


def rendered(results: Results) -> str:
    """All results as Markdown."""
    strata = [Stratum(**stratum) for stratum in results.facts["strata"]]
    stacks = np.array(results.stacks)
    lines = []
    for name, run in sorted(results.runs.items(), key=lambda item: _order(item[0])):
        cells = rows_of(np.array(run["losses"]), stacks, strata)
        lines.append([name, *(f"{mean:.4f} ± {error:.4f}" for mean, error in cells.values())])
    counts = {name: int((weights > 0).sum()) for name, weights in column_weights(stacks, strata).items()}
    head = ["", *(f"{name} ({count})" for name, count in counts.items())]
    none = [at.name for number, at in enumerate(DEEPSTACK) if number not in stratum_of(stacks, DEEPSTACK)]
    note = f"Of the paper's pots none is held out of the classes: {', '.join(none)}.\n" if none else ""
    return "\n".join([json.dumps(results.facts["data"]), "", table(head, lines), note])


def drawn(results: Results, column: str = UP_TO_20) -> str:
    """The curves as a picture: SVG."""
    strata = [Stratum(**stratum) for stratum in results.facts["strata"]]
    points: dict[str, list[tuple[float, float]]] = {}
    level: dict[str, float] = {}
    for name, run in results.runs.items():
        kind, _, size = name.partition(", ")
        loss = rows_of(np.array(run["losses"]), np.array(results.stacks), strata)[column][0]
        if size.isdecimal():
            points.setdefault(kind, []).append((float(size), loss))
        elif not size:
            level[kind] = loss
    sizes = [x for line in points.values() for x, _ in line]
    lines = {**{name: [(x, loss) for x in (min(sizes), max(sizes))] for name, loss in level.items()}, **points}
    series = [
        Series(name, sorted(line), SERIES[i % len(SERIES)], (6.0, 4.0) if name in level else (), marks=name in points)
        for i, (name, line) in enumerate(lines.items())
    ]
    return loglog(
        series, title=f"Held-out loss, {column} pots to bet", across="positions", up="Huber loss, DeepStack's unit"
    ).svg()


def _order(name: str) -> tuple[int, str, int]:
    kind, _, rest = name.partition(", ")
    return len(rest), kind, int(rest) if rest.isdecimal() else 0


def main() -> None:
    """Run the chosen measurements, and print everything that the file holds."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path, nargs="?", help="a folder of `errai nets generate`")
    parser.add_argument("--json", type=Path, required=True, metavar="FILE", help="where results are kept")
    parser.add_argument("--sizes", type=int, nargs="*", default=[], metavar="N", help="positions to learn from")
    parser.add_argument("--held-out", type=int, default=600, metavar="N", help="the first so many (%(default)s)")
    parser.add_argument("--layers", type=int, nargs="*", default=[], metavar="L", help="of DeepStack's network, too")
    parser.add_argument("--prepared", type=Path, metavar="FOLDER", help="where prepared positions are kept")
    parser.add_argument("--svg", type=Path, metavar="FILE", help="draw the curves up to 20 pots")
    options = parser.parse_args()
    if options.data is None:
        results = Results.read(options.json)
    else:
        with tempfile.TemporaryDirectory() as folder:
            results = measured(options, options.prepared or Path(folder))
    print(rendered(results))
    if options.svg is not None:
        options.svg.write_text(drawn(results))


def measured(options: argparse.Namespace, folder: Path) -> Results:
    """Return all chosen measurements, together with those that the file holds already."""
    recipe = Folder(options.data).recipe()
    held_out = read_examples(options.data, "held out", options.held_out)
    facts = {
        "data": {"round": recipe.round, "seed": recipe.seed, "source": recipe.source, "held out": len(held_out)},
        "strata": [asdict(stratum) for stratum in recipe.strata],
        "machine": machine_line(),
    }
    results = Results(options.json, facts, [float(stack) for stack in held_out.positions.stacks], {})
    if options.json.exists():
        before = Results.read(options.json)
        if (before.facts["data"], before.stacks) != (facts["data"], results.stacks):
            raise SystemExit(f"{options.json} is about other positions; name another file.")
        results = before
    most = max(options.sizes, default=0)
    train_on = read_examples(options.data, "train", most) if most else None
    if train_on is not None and len(train_on) < most:
        raise SystemExit(f"{options.data} has {len(train_on)} positions to learn from.")
    bench = Bench(recipe.rules, recipe.round, train_on, held_out, folder)
    ours, theirs = architecture("factorised"), architecture("bucketed")
    aside = Shown.of(bench.rows(ours, held_out)[0])
    results.run("zero", lambda: (position_losses(np.zeros_like(aside.values), aside.values), {}))
    results.run("check-down", lambda: (position_losses(aside.checked, aside.values), {}))
    results.run("best of 1,000 buckets", lambda: (best_of_buckets(bench.rows(theirs, held_out)[0]), {}))
    if train_on is None:
        return results
    nearest_buckets(results, options.sizes, Shown.of(bench.rows(ours, train_on)[0]), aside)
    for size in options.sizes:
        for kind in (ours, theirs):
            results.run(f"{NETWORKS[kind.name]}, {size}", lambda k=kind, n=size: bench.network(k, n))
    for layers in options.layers:
        kind = architecture("bucketed", {"layers": layers})
        results.run(f"{NETWORKS[kind.name]}, {most}, {layers} layers", lambda k=kind: bench.network(k, most))
    return results


def nearest_buckets(results: Results, sizes: Sequence[int], learnt: Shown, aside: Shown) -> None:
    """The nearest bucket after each of the sizes."""
    for size in sizes:

        def losses(size: int = size) -> tuple[Losses, dict[str, Any]]:
            found = NearestBucket.fitted(learnt.rows(slice(size))).values(aside)
            return position_losses(found, aside.values), {}

        results.run(f"nearest bucket, {size}", losses)


if __name__ == "__main__":
    main()
