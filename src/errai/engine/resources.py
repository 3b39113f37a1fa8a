"""The number format of a run and the choice that ``auto`` makes, the memory that a run needs, and that of the machine.

``float64`` and ``float32`` store regrets and strategy sums as numbers.  ``fixed16`` stores regrets in 16 bits with a
step size for each decision on each board, and in place of sums the average strategy itself in steps of 1/65535.  It
takes half the memory of float32, and three quarters to nine tenths of its time on large trees.  ``average8`` differs
from it in that the average has 8 bits, which takes three quarters of its memory.  docs/maths.md says what precision
that costs.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from errai.console import bytes_text, counted
from errai.engine.schedules import DEFAULT, SCHEDULES, Schedule
from errai.engine.strategy import ENCODINGS, FULL_PRECISION_ENTRIES, default_encoding
from errai.errors import SolverOptionError, TreeTooLargeError
from errai.kernels.layout import TreeArrays
from errai.kernels.protocol import State
from errai.running.system import group_memory, machine_memory, processors
from errai.tree.betting_tree import NodeKind
from errai.tree.public_tree import TreePlan

DTYPES = {"float32": np.float32, "float64": np.float64, "fixed16": np.int16, "average8": np.int16}
"""The type of a solver's regrets by the name of the precision."""

AVERAGES = {"fixed16": np.uint16, "average8": np.uint8}
"""The type of the averages that take the place of sums, in precisions whose regrets have 16 bits."""

SMALL_TREE_ENTRIES = 5_000
"""Trees up to this size are solved in float64: it costs little, and rounding would decide between equal actions."""

COARSE_TARGET = 9.99e-4
"""The lowest target, as a fraction of the pot, for which ``auto`` solves small trees in float32.

With targets of 0.1 % and more no rounding shows, and float32 takes half to two thirds of the time."""

FIXED16_TARGET = 5e-4
"""The lowest target, as a fraction of the pot, for which ``auto`` chooses 16 bits; they reach about a quarter of it."""

AVERAGE8_TARGET = 3e-3
"""The lowest target, as a fraction of the pot, for which ``auto`` chooses averages in 8 bits to save memory.

Down to there they take as many iterations as averages in 16 bits (docs/maths.md)."""

MEMORY_SHARE = 0.9
"""Default share of the machine's free memory that a run may use."""

STEP_BYTES = 4
"""Bytes of a step size of 16-bit regrets, one for each decision on each board."""

DISK_BYTES_PER_ENTRY = 4
"""Bytes of an entry in the folder of a run, at most: regrets and averages in 16 bits, before they are packed."""

LANES, CHUNKS = 16, 24
"""Rows are padded to multiples of ``LANES``, and the children of the root are walked in ``CHUNKS`` parts."""


def default_threads() -> int:
    """Return the number of threads of a run that is not told it: one for each processor that this process may use."""
    return processors()


def available_memory() -> int | None:
    """Return the memory in bytes that this process can still take, or None if the system does not report it.

    It is the free memory of the machine, or what is left of the limit of a container or of another control group.
    """
    found = [left for left in (machine_memory()[1], group_memory()) if left is not None]
    return min(found, default=None)


def allowed_memory(memory: int | None) -> int | None:
    """Return the bytes that a run may use: those given, or nine tenths of the free memory; None if that is unknown."""
    if memory is not None:
        return memory
    free = available_memory()
    return None if free is None else int(free * MEMORY_SHARE)


# --- precision -------------------------------------------------------------------------------------------------------


def chosen_precision(
    precision: str,
    schedule: Schedule,
    *,
    entries: int,
    backend: str = "cpu",
    target_pot_fraction: float | None = None,
    responds_best: bool = False,
    fits: Callable[[str], bool] = lambda precision: True,
) -> str:
    """Return the precision of a run; no other code decides it.

    ``auto`` is float64 for the reference backend, and for trees of up to ``SMALL_TREE_ENTRIES`` entries unless a target
    of at least ``COARSE_TARGET`` is given.  It is fixed16 for other trees in two cases: if they have more than
    ``FULL_PRECISION_ENTRIES`` entries and a target of at least ``FIXED16_TARGET`` is given, and if they do not fit into
    the memory limit in float32.  If they do not fit in fixed16 either and a target of at least ``AVERAGE8_TARGET`` is
    given, it is average8.  All of this requires that the schedule is the default one, or another one that does not
    weight averages and can be run in 16 bits, and that the backend is not cuda.  Otherwise it is float32.

    ``entries`` is the number of strategy entries of the tree.  The target is a fraction of the pot at the root, None
    without one.  ``responds_best`` says that a lock makes some hands respond best, which 16-bit regrets cannot
    represent, and ``fits`` whether the run fits into the memory limit in a given precision.

    Raises :class:`SolverOptionError` if the precision does not exist, or the schedule or the backend does not support
    it.
    """
    if schedule.rule is not None and backend != "reference":
        raise SolverOptionError(
            f"The schedule {schedule.name!r} has a local rule, which only the backend reference runs, not {backend}."
        )
    if precision == "auto":
        coarse = target_pot_fraction is not None and target_pot_fraction >= COARSE_TARGET
        if backend == "reference" or (entries <= SMALL_TREE_ENTRIES and not coarse):
            return "float64"
        usual = SCHEDULES[DEFAULT]
        default = schedule is usual or replace(schedule, average_from=1, head_start=0) == usual
        unweighted = default or not schedule.weighted
        if backend != "cuda" and not responds_best and unweighted and why_not_in_16_bits(schedule) is None:
            target = 0.0 if target_pot_fraction is None else target_pot_fraction
            if (trusted_with("fixed16", target) and entries > FULL_PRECISION_ENTRIES) or not fits("float32"):
                return "average8" if trusted_with("average8", target) and not fits("fixed16") else "fixed16"
        return "float32"
    if precision not in DTYPES:
        raise SolverOptionError(f"There is no precision {precision!r}; choose auto, {', '.join(DTYPES)}.")
    if precision in AVERAGES and backend == "cuda":
        raise SolverOptionError(
            "The backend cuda has no 16-bit states; choose the precision float32, or the backend cpu."
        )
    if precision in AVERAGES and responds_best:
        raise SolverOptionError("Hands that respond best cannot be kept in 16 bits; choose the precision float32.")
    if precision in AVERAGES and (reason := why_not_in_16_bits(schedule)) is not None:
        raise SolverOptionError(f"This run cannot have the precision {precision}: {reason}, or the precision float32.")
    return precision


def trusted_with(precision: str, target_pot_fraction: float) -> bool:
    """Return whether ``auto`` would choose a precision for a target if the tree allowed it."""
    return target_pot_fraction >= {"fixed16": FIXED16_TARGET, "average8": AVERAGE8_TARGET}.get(precision, 0.0)


def new_state(arrays: TreeArrays, precision: str, schedule: Schedule) -> State:
    """Return the initial state of a run in one of ``DTYPES``."""
    return State.zeros(
        arrays,
        DTYPES[precision],
        predictive=schedule.predictive,
        simultaneous=schedule.simultaneous,
        averages=AVERAGES.get(precision, np.uint16),
    )


def why_not_in_16_bits(schedule: Schedule) -> str | None:
    """Return why a schedule cannot be run in 16 bits and what to choose instead, or None.

    It is the start of a sentence.
    """
    if schedule.rule is not None:
        return f"the states of the local rule {schedule.name} take full precision; choose float64"
    if schedule.predictive:
        return f"{schedule.name} predicts the next regret, which takes an array of full precision; choose {DEFAULT}"
    if schedule.simultaneous:
        return (
            "simultaneous updates need the old regrets beside the new ones, and 16-bit regrets change their step "
            "with every update; choose alternating updates"
        )
    return None


@lru_cache(maxsize=64)
def schedule_in(precision: str, schedule: Schedule) -> Schedule:
    """Return the schedule as it is run: averages in steps are never weighted by the player's own reach.

    Such an average moves towards the strategy by a share of their difference.  With weights, that share would be less
    than a step for hands with little reach, and their average would not move.
    """
    return replace(schedule, weighted=False) if precision in AVERAGES else schedule


# --- runs ------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class RunPlan:
    """How a tree will be solved and what that takes, decided before anything large is allocated."""

    tree: TreePlan
    precision: str
    schedule: Schedule
    """The schedule as it is run, which differs from the one asked for if the precision requires it."""
    encoding: str
    """The encoding of the finished strategy."""
    in_place: bool
    """Whether the finished strategy replaces the averages, so that it needs no memory of its own."""
    backend: str
    threads: int
    memory: int | None
    """Bytes that the run may use, or None."""
    starts: bool = False
    """Whether the run starts from another one, whose strategy is kept until it is known which of the two is better."""

    @property
    def state_bytes(self) -> int:
        """Exact bytes of a checkpoint's arrays: regrets, sums or averages, predictions, step sizes."""
        regret = np.dtype(DTYPES[self.precision]).itemsize
        if self.precision in AVERAGES:
            average = np.dtype(AVERAGES[self.precision]).itemsize
            steps = sum(
                len(self.tree.betting.decision_nodes(s, p)) * boards
                for s, boards in enumerate(self.tree.deal_size.boards)
                for p in (0, 1)
            )
            return self.tree.entries * (regret + average) + STEP_BYTES * steps
        return self.tree.entries * regret * (2 + self.schedule.predictive)

    @property
    def finished_bytes(self) -> int:
        """Exact bytes of the finished strategy."""
        return self.tree.entries * np.dtype(ENCODINGS[self.encoding]).itemsize

    @property
    def memory_bytes(self) -> int:
        """Peak bytes of the arrays: boards and hands, working memory, state, and the finished strategy."""
        frozen = self.tree.entries * np.dtype(DTYPES[self.precision]).itemsize * self.schedule.simultaneous
        finished = self.finished_bytes * ((not self.in_place) + self.starts)
        working = working_bytes(self.tree, self.backend, self.threads)
        return self.tree.deal_bytes + working + self.state_bytes + frozen + finished

    def check_memory(self) -> None:
        """Raise :class:`TreeTooLargeError` if the run needs more memory than it may use."""
        check_memory(self.tree, self.memory_bytes, self.memory, self._saving(), ways_out(self.tree))

    def _saving(self) -> str:
        """Return a sentence about the precision, for the error message when a tree is too large."""
        if self.precision == "average8":
            return "That is with averages in 8 bits (precision average8), the smallest there is. "
        if self.tree.responds_best:
            return "Hands that are locked to respond best cannot be kept in 16 bits. "
        # The cuda backend has no 16-bit states; all others have.
        backend = "cpu" if self.backend == "cuda" else self.backend
        schedule = SCHEDULES[DEFAULT] if why_not_in_16_bits(self.schedule) else self.schedule
        smaller = "average8" if self.precision == "fixed16" else "fixed16"
        plan = plan_run(self.tree, schedule, smaller, backend=backend, threads=self.threads, memory=self.memory)
        takes = f"it needs {bytes_text(plan.memory_bytes)}. "
        if self.precision == "fixed16":
            return (
                "That is in 16 bits (precision fixed16). With averages in 8 bits (precision average8, for targets of "
                f"0.3 % of the pot and more) {takes}"
            )
        other = "" if schedule is self.schedule else f" with the algorithm {DEFAULT} and alternating updates"
        other += "" if backend == self.backend else f", on the backend {backend}"
        return f"In 16 bits (precision fixed16{other}) {takes}"


def plan_run(
    tree: TreePlan,
    schedule: Schedule,
    precision: str = "auto",
    *,
    target_chips: float | None = None,
    strategy: str = "average",
    encoding: str | None = None,
    backend: str = "cpu",
    threads: int = 1,
    memory: int | None = None,
) -> RunPlan:
    """Choose the precision of a run, and with it the schedule, the encoding and the memory.

    All parameters but the tree and the target are those of :func:`errai.solve`.  Raises :class:`SolverOptionError` if
    the precision does not exist, or the schedule cannot be run in it.
    """

    def planned(precision: str) -> RunPlan:
        finished = encoding or default_encoding(tree.entries, precision)
        in_place = AVERAGES.get(precision) is ENCODINGS[finished] and strategy == "average"
        run_as = schedule_in(precision, schedule)
        return RunPlan(tree, precision, run_as, finished, in_place, backend, threads, memory)

    allowed = allowed_memory(memory)
    chosen = chosen_precision(
        precision,
        schedule,
        entries=tree.entries,
        backend=backend,
        target_pot_fraction=None if target_chips is None else target_chips / tree.betting.initial_pot,
        responds_best=tree.responds_best,
        fits=lambda name: allowed is None or planned(name).memory_bytes <= allowed,
    )
    return planned(chosen)


def working_bytes(plan: TreePlan, backend: str, threads: int) -> int:
    """Return the approximate bytes that a kernel needs besides the state.

    The cpu kernel needs, for each thread and street, one board's reach and values at all nodes, in float64 because
    certificates need it.  The reference kernel needs two matrices of hands against hands for each board and player, in
    float64, and temporary arrays to build one.
    """
    if backend == "reference":
        size = list(zip(plan.deal_size.boards, plan.deal_size.classes, strict=True))
        kept = sum(2 * 2 * 8 * own * other // boards for boards, (own, other) in size)
        return kept + 12 * max(own * other // boards**2 for boards, (own, other) in size)
    live = max(int((weights > 0).sum()) for weights in plan.root.weights)
    numbers = parts = 0
    for s in range(plan.betting.num_streets):
        stride = _filled_up(max(plan.deal_size.classes[0]) if s == 0 else live)
        nodes = plan.betting.street_nodes(s)
        kind = plan.betting.kind[nodes.start : nodes.stop]
        exits = _filled_up(int((kind == NodeKind.CHANCE).sum()))
        entries = int((plan.betting.parent[nodes.start : nodes.stop] < nodes.start).sum())
        # A vector of reach for each entry and each action of a decision, for the opponent and the player; one of values
        # for each node; three for each exit.
        rows = max(plan.betting.num_rows(s, p) for p in (0, 1))
        numbers += stride * (2 * (entries + rows) + len(nodes) + 3 * exits)
        if s == 0 and len(plan.deal_size.boards) > 1:
            parts = min(plan.deal_size.boards[1], CHUNKS) * exits * stride
    return 8 * (numbers * threads + parts)


def _filled_up(count: int) -> int:
    """Return the least odd multiple of ``LANES`` >= ``count``: rows a power of two apart would share cache sets."""
    return (-(-count // LANES) | 1) * LANES


def ways_out(plan: TreePlan) -> str:
    """Return how a game that does not fit into the memory is solved all the same; each sentence begins with a space."""
    ways = ""
    if plan.betting.num_streets > 1:
        disk = bytes_text(plan.entries * DISK_BYTES_PER_ENTRY)
        ways += f" With --store FOLDER (store=) it is solved in parts that are kept on a disk, up to {disk} of them."
    if plan.subject.whole_game is not None:
        ways += (
            " `errai train` solves it over buckets of similar hands, which makes a blueprint that fits; `errai plan` "
            "says what all of it takes on many machines."
        )
    return ways


def check_memory(plan: TreePlan, needed: int, memory: int | None, saving: str = "", ways: str = "") -> None:
    """Raise :class:`TreeTooLargeError` if ``needed`` exceeds ``memory``, by default nine tenths of what is free.

    ``saving`` and ``ways`` say, before and after what can be left out of the tree, what else helps.
    """
    allowed = allowed_memory(memory)
    if allowed is None or needed <= allowed:
        return
    given = "is allowed" if memory is not None else "is free"
    remedy = (
        "Nothing in the rules of a limit game can be left out."
        if plan.subject.rules.limit
        else "Fewer bet sizes or a lower raise cap on the last street help most: "
        f"every size there multiplies {counted(plan.deal_size.boards[-1], 'board')}."
    )
    raise TreeTooLargeError(
        f"The tree has {plan.entries:,} strategy entries and needs {bytes_text(needed)}; "
        f"{bytes_text(allowed)} {given}. {saving}{remedy}{ways}"
    )
