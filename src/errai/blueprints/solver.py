"""Solvers over buckets: the loop that all of them share, and those that walk all boards up to suits with all hands.

The loop iterates until a limit, with tables that can be saved in between.
"""

from __future__ import annotations

import itertools
import math
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import KW_ONLY, dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from errai.blueprints.abstractions import Abstraction
from errai.engine.loop import BATCH_SECONDS, Progress, ProgressCallback
from errai.engine.schedules import Schedule, checked_average_from, find_schedule
from errai.engine.status import Status
from errai.engine.units import Exploitability, Measurement, Units
from errai.errors import InputError, SolverOptionError
from errai.kernels.bucket_cpu import BucketCpu
from errai.kernels.buckets import BucketKernel, BucketReference, BucketTree, Learning, Tables, bucket_arrays
from errai.kernels.layout import BEST
from errai.running.stopping import StopToken, stops
from errai.tree.deal_root import deal_root
from errai.tree.public_tree import PublicTree, TreePlan

CHECKED_BOARDS = 60
"""Number of boards of each street on which an abstraction is checked for invariance under suits."""


@dataclass(frozen=True)
class Weights:
    """Iteration t of a sampled method adds its regrets with weight t^regret and its strategy with weight t^average.

    A full-width iteration discounts whole tables (:mod:`errai.engine.schedules`).  One on a few sampled cards changes a
    small part of them, so what it adds is multiplied instead, which is equivalent for weights that are powers.
    """

    regret: float
    average: float
    floor: bool = False
    """Whether regrets below 0 are set to 0."""


WEIGHTS = {
    # The weights of Zinkevich et al. 2007 and Lanctot et al. 2009.
    "cfr": Weights(0.0, 0.0),
    # Linear CFR of Brown & Sandholm 2019, which they found to suit sampling as well.
    "linear": Weights(1.0, 1.0),
    # CFR+ of Tammelin 2014, in sampled form as by Burch, Moravcik & Schmid 2019.
    "cfr+": Weights(0.0, 1.0, floor=True),
}


def find_weights(name: str) -> Weights:
    """Return the weights with a name.  Raises :class:`SolverOptionError` if there are none."""
    if name not in WEIGHTS:
        raise SolverOptionError(
            f"There are no weights {name!r} for sampled methods; choose one of {', '.join(WEIGHTS)}."
        )
    return WEIGHTS[name]


Measure = Callable[["BucketSolver"], Measurement | None]
"""Measures a solver's average strategy; returns None if it is too early to measure again."""

FIRST_MEASUREMENT = 8
"""Iteration of the first measurement; each later one is at about ``MEASUREMENT_RATIO`` times the one before."""
MEASUREMENT_RATIO = 1.5


@dataclass(eq=False, repr=False)
class BucketSolver(ABC):
    """Regrets and averages over buckets; subclasses define an iteration.

    The backends are those of :func:`make_bucket_kernel`; external sampling has one.  Raises
    :class:`SolverOptionError` if ``average_from`` is below 1.
    """

    method = ""
    """The name of the method."""

    plan: TreePlan
    abstraction: Abstraction
    _: KW_ONLY
    average_from: int = 1
    """The first iteration whose strategy enters the average."""
    dtype: type[np.floating] = np.float32
    """The type of the tables, float32 or float64."""
    backend: str = "cpu"
    threads: int = 1

    def __post_init__(self) -> None:
        checked_average_from(self.average_from)
        plan, abstraction, dtype = self.plan, self.abstraction, self.dtype
        self.game = plan.subject.rules
        self.units = Units.of(plan.subject, plan.betting.initial_pot)
        self.regrets, self.sums = new_tables(plan, abstraction, dtype), new_tables(plan, abstraction, dtype)
        self.iteration = 0
        self.seconds = 0.0
        self.curve: list[tuple[int, float, float]] = []
        """(Iteration, seconds, exploitability in chips) at every measurement."""
        self.newest: Measurement | None = None

    @abstractmethod
    def iterate(self, count: int) -> None:
        """Run ``count`` more iterations."""

    @property
    def averaged(self) -> bool:
        """Whether there is an average yet."""
        return self.iteration >= self.average_from

    @property
    def identity(self) -> dict[str, Any]:
        """The values in which a checkpoint of this run must agree."""
        return {
            "method": self.method,
            "game": self.game.digest(),
            "abstraction": self.abstraction.digest(),
            "average_from": self.average_from,
        }

    def run(
        self,
        *,
        max_iterations: int | None = None,
        max_seconds: float | None = None,
        measure: Measure | None = None,
        stop: StopToken | None = None,
        progress: ProgressCallback | None = None,
        between: Callable[[], Any] | None = None,
        batch_seconds: float = BATCH_SECONDS,
    ) -> Status:
        """Iterate until a limit is reached.

        ``measure`` is called at iterations that depend only on their number, and its time does not count.  ``between``
        is called after every batch, when the tables are complete.  If the stop token is set, the run ends after the
        current batch, and nothing is lost.
        """
        each = 0.0
        while True:
            if max_iterations is not None and self.iteration >= max_iterations:
                return Status.ITERATION_LIMIT
            if max_seconds is not None and self.seconds >= max_seconds:
                return Status.TIME_LIMIT
            if stops(stop):
                return Status.INTERRUPTED
            due = next_measurement(self.iteration)
            count = 1 if not each else min(1_000_000, max(1, int(batch_seconds / each)))
            if measure is not None:
                count = min(count, due - self.iteration)
            if max_iterations is not None:
                count = min(count, max_iterations - self.iteration)
            if max_seconds is not None and each:
                count = min(count, max(1, math.ceil((max_seconds - self.seconds) / each)))
            started = time.perf_counter()
            self.iterate(count)
            taken = time.perf_counter() - started
            self.iteration += count
            self.seconds += taken
            each = max(taken / count, 1e-9)
            if measure is not None and self.iteration == due and (measured := measure(self)) is not None:
                self.newest = measured
                self.curve.append((self.iteration, self.seconds, measured.chips))
            if progress is not None:
                at = self.curve[-1][0] if self.curve else 0
                progress(Progress(self.iteration, self.seconds, self.newest, at, None, max_iterations, max_seconds))
            if between is not None:
                between()

    # --- checkpoints -----------------------------------------------------------------------------------------------

    def kept(self) -> dict[str, Tables]:
        """Return all tables that an iteration reads and changes, by name."""
        return {"regrets": self.regrets, "sums": self.sums}

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return the tables one by one, by name, street and player."""
        return {
            f"{name}/{s}/{p}": table
            for name, tables in self.kept().items()
            for s, pair in enumerate(tables)
            for p, table in enumerate(pair)
        }

    def adopt(self, arrays: Mapping[str, NDArray[Any]], iteration: int, seconds: float, curve: list[Any]) -> None:
        """Continue with the arrays of :meth:`arrays` from another run with the same identity."""
        for name, tables in self.kept().items():
            for s, pair in enumerate(tables):
                pair[:] = [np.ascontiguousarray(arrays[f"{name}/{s}/{p}"]) for p in (0, 1)]
        self.iteration, self.seconds = iteration, seconds
        self.curve = [(int(i), float(t), float(chips)) for i, t, chips in curve]


@dataclass(eq=False, repr=False, kw_only=True)
class SampledSolver(BucketSolver):
    """A solver whose iterations sample cards; raises :class:`SolverOptionError` for unknown weights too."""

    weights: str = "linear"
    """The weights of the iterations, one of ``WEIGHTS``."""
    seed: int = 0
    """The seed of what is sampled.  Nothing else is random, and results do not depend on threads."""

    def __post_init__(self) -> None:
        self.growth = find_weights(self.weights)
        super().__post_init__()

    @property
    def identity(self) -> dict[str, Any]:
        return {**super().identity, "weights": self.weights, "seed": self.seed}

    def iterate(self, count: int) -> None:
        for t in range(self.iteration + 1, self.iteration + count + 1):
            average = float(t) ** self.growth.average if t >= self.average_from else 0.0
            self.sample(t, float(t) ** self.growth.regret, average)

    @abstractmethod
    def sample(self, t: int, regret_weight: float, sum_weight: float) -> None:
        """Run iteration ``t``, whose strategies enter the average only if ``sum_weight`` is not 0."""


def next_measurement(iteration: int) -> int:
    """Return the next iteration at which to measure: 8, 12, 18, 27, ..."""
    due = FIRST_MEASUREMENT
    while due <= iteration:
        due = math.ceil(due * MEASUREMENT_RATIO)
    return due


def table_shapes(plan: TreePlan, abstraction: Abstraction) -> list[list[tuple[int, int]]]:
    """Return the number of rows and of buckets of each table, indexed ``[street][player]``."""
    betting = plan.betting
    return [[(betting.num_rows(s, p), abstraction.num_buckets(s)) for p in (0, 1)] for s in range(betting.num_streets)]


def new_tables(plan: TreePlan, abstraction: Abstraction, dtype: type[np.floating]) -> Tables:
    """Return tables of zeros, floating [num_rows, K], indexed ``[street][player]``."""
    return [[np.zeros(shape, dtype) for shape in pair] for pair in table_shapes(plan, abstraction)]


def table_entries(plan: TreePlan, abstraction: Abstraction) -> int:
    """Return the number of entries in the tables of both players."""
    return sum(rows * buckets for pair in table_shapes(plan, abstraction) for rows, buckets in pair)


# --- all boards ---


def all_boards(tree: PublicTree, abstraction: Abstraction) -> BucketTree:
    """Return all boards of a tree with the buckets of their hands.

    The weight of a class in its bucket is the number of hands that it represents, on all the boards that its board
    represents, as a share of all hands in the bucket.  A bucket therefore learns the mean over its hands, and a bucket
    with a single hand learns exactly what that hand would learn.

    Raises :class:`InputError` if suit-equivalent hands are in different buckets.
    """
    buckets = []
    for s, level in enumerate(tree.deal.streets):
        pair: list[Any] = []
        for p in (0, 1):
            hands = level.hands[p]
            if p and hands is level.hands[0]:
                pair.append(pair[0])
                continue
            found = np.empty(len(hands.hand), dtype=np.int32)
            checked = set(np.linspace(0, len(level.boards) - 1, CHECKED_BOARDS).astype(int).tolist())
            for b, board in enumerate(level.boards.tolist()):
                of_hand = in_bounds(abstraction.buckets(tuple(board), s), abstraction, s)
                if b in checked:
                    _check_suits(tree, abstraction, s, tuple(board), of_hand)
                found[hands.start[b] : hands.start[b + 1]] = of_hand[hands.hand[hands.start[b] : hands.start[b + 1]]]
            sizes = np.diff(hands.member_start).astype(np.float64)
            counts = sizes * np.repeat(level.multiplicity, np.diff(hands.start))
            total = np.bincount(found, counts, abstraction.num_buckets(s))
            pair.append(bucket_arrays(hands.start, found, abstraction.num_buckets(s), counts / total[found]))
        buckets.append(pair)
    return BucketTree(tree.arrays, buckets, tree.arrays.tie)


def whole_game(plan: TreePlan, abstraction: Abstraction) -> tuple[PublicTree, BucketTree]:
    """Return a game's tree, and its boards with buckets.

    If no suit can matter at the showdown (Leduc), a tree merges more hands than renamings of suits do.  An abstraction
    that distinguishes merged hands gets a tree that merges none.  Raises :class:`InputError` if the abstraction is not
    invariant under suits.
    """
    tree = plan.build()
    try:
        return tree, all_boards(tree, abstraction)
    except InputError:
        if len(plan.root.symmetries) <= math.factorial(plan.root.deck.num_suits):
            raise
    root = deal_root(
        plan.root.deck, plan.root.hands.shape[1], plan.root.new_cards, ranking=plan.root.ranking, isomorphism=False
    )
    tree = replace(plan, root=root).build()
    return tree, all_boards(tree, abstraction)


def in_bounds(buckets: NDArray[np.int32], abstraction: Abstraction, round: int) -> NDArray[np.int32]:
    """Return the buckets of hands.  Raises :class:`InputError` for one that the abstraction does not have."""
    if buckets.max(initial=-1) >= abstraction.num_buckets(round):
        raise InputError(f"The abstraction puts hands of round {round} into buckets that it does not have.")
    return buckets


def _check_suits(
    tree: PublicTree, abstraction: Abstraction, s: int, board: tuple[int, ...], of_hand: NDArray[np.int32]
) -> None:
    """Raise InputError unless every symmetry of the deck leads to the same buckets."""
    new = (0, *tree.root.new_cards[:s])
    ends = np.cumsum(new)
    which = range(len(tree.root.symmetries))
    for g in which if len(which) <= 24 else np.random.default_rng(len(board)).choice(len(which), 24):
        card_map, hand_map = tree.root.symmetries[g], tree.root.hand_maps[g]
        image = tuple(
            card
            for first, last in itertools.pairwise(ends)
            for card in sorted(card_map[list(board[first:last])].tolist())
        )
        if not np.array_equal(abstraction.buckets(image, s)[hand_map], of_hand):
            raise InputError(
                "The abstraction puts hands that suits make equal into different buckets on "
                f"{tree.root.deck.cards_text(board) or 'the first round'}."
            )


def make_bucket_kernel(name: str, boards: BucketTree, threads: int) -> BucketKernel:
    """Return a backend by name: ``cpu`` or ``reference``.  Raises :class:`SolverOptionError` for any other."""
    if name == "cpu":
        return BucketCpu(boards, threads)
    if name == "reference":
        return BucketReference(boards)
    raise SolverOptionError(f"The backend {name!r} does not support buckets; choose cpu or reference.")


class FullWidth(BucketSolver):
    """Counterfactual regret minimisation in which the hands of a bucket share regrets and strategies.

    ``tree`` is the whole tree of the game; ``boards`` are its boards in these buckets, if the caller has them.  The
    schedule says how whole tables are discounted at each iteration; updates are alternating.  ``settings`` are those of
    :class:`BucketSolver`.  Raises :class:`SolverOptionError` for a schedule that predicts or
    has foresight.
    """

    method = "full"

    def __init__(
        self,
        tree: PublicTree,
        abstraction: Abstraction,
        schedule: Schedule | str = "dcfr4",
        *,
        boards: BucketTree | None = None,
        **settings: Any,
    ) -> None:
        super().__init__(TreePlan(tree.subject, tree.betting, tree.root, True), abstraction, **settings)
        self.tree = tree
        self.schedule = find_schedule(schedule, average_from=self.average_from)
        own = self.schedule.own_code is not None
        if own or self.schedule.prediction or self.schedule.foresight or self.schedule.simultaneous:
            raise SolverOptionError(
                f"The schedule {self.schedule.name!r} cannot be run over buckets; take dcfr4 or cfr+."
            )
        self.boards = all_boards(tree, abstraction) if boards is None else boards
        self.kernel = make_bucket_kernel(self.backend, self.boards, self.threads)
        self._learnt: Tables = [[np.zeros_like(table) for table in pair] for pair in self.regrets]

    @property
    def identity(self) -> dict[str, Any]:
        return {**super().identity, "schedule": self.schedule.to_dict()}

    def iterate(self, count: int) -> None:
        for row in self.schedule.coefficients(self.iteration + 1, count):
            for player in (0, 1):
                self._update(player, row, self._given(player))

    def _given(self, player: int) -> list[NDArray[np.uint16]] | None:
        """Return what the opponent of a player does in this iteration; None for what the tables say."""
        return None

    def _update(self, player: int, row: NDArray[np.float64], given: list[NDArray[np.uint16]] | None) -> None:
        """Run a player's half of an iteration by one row of coefficients."""
        positive, negative, average, weight = (float(c) for c in row[:4])
        regrets, learnt, sums = (
            [pair[player] for pair in tables] for tables in (self.regrets, self._learnt, self.sums)
        )
        if average != 1.0:
            for table in sums:
                table *= average
        self.kernel.learn(self.regrets, player, Learning(learnt, sums, sum_weight=weight), given=given)
        for table, new in zip(regrets, learnt, strict=True):
            table += new
            new[...] = 0.0
            if positive != 1.0 or negative != 1.0:
                table *= np.where(table > 0, table.dtype.type(positive), table.dtype.type(negative))


class CfrBr(FullWidth):
    """A solver with CFR-BR; parameters and errors are those of :class:`FullWidth`."""

    method = "cfr-br"

    def __init__(self, *arguments: Any, **settings: Any) -> None:
        super().__init__(*arguments, **settings)
        # There is one response at a time, so both seats can share one set of arrays if the sizes are the same.
        streets = self.tree.arrays.streets
        self._choices = [[np.zeros(street.state_size(p), np.uint16) for street in streets] for p in (0, 1)]

    def _given(self, player: int) -> list[NDArray[np.uint16]]:
        choices = self._choices[1 - player]
        self.kernel.root_values(self.regrets, 1 - player, role=BEST, choices=choices)
        return choices


class WholeGame:
    """Exact values and best responses of players who see their own cards, over all boards, in float64.

    ``boards`` are those of the whole tree with their buckets, from :func:`all_boards`.
    """

    def __init__(self, tree: PublicTree, boards: BucketTree, threads: int = 1) -> None:
        self.tree = tree
        # The weights are probabilities here, and even the smallest count.
        self.boards = BucketTree(boards.tree, boards.buckets, 0.0)
        self.kernel = BucketCpu(self.boards, threads)
        self.units = Units.of(tree.subject, tree.initial_pot)

    def exploitability(self, strategy: Tables) -> Exploitability:
        """Return the exploitability of a strategy over buckets: the mean of both players' gains by best responses."""
        tables: list[list[NDArray[Any]]] = [[np.asarray(t, dtype=np.float64) for t in pair] for pair in strategy]
        best = [self.tree.chips(self.kernel.root_values(tables, p, role=BEST), p) for p in (0, 1)]
        value = self.value(tables)
        gains = best[0] - value, best[1] + value
        return Exploitability((gains[0] + gains[1]) / 2.0, self.units, gains)

    def value(self, strategy: Tables) -> float:
        """Return player 0's net chips per hand if both players follow the strategy."""
        if any(t.dtype not in (np.float32, np.float64) for pair in strategy for t in pair):
            raise SolverOptionError("A strategy must be given in float32 or float64, not in whole numbers.")
        return self.tree.chips(self.kernel.root_values(strategy, 0), 0)
