"""Solve a game in a folder, and verify it: a trunk in memory, blocks on disk, a checkpoint after every iteration.

The trunk is solved by the same loop as any other tree; only this module and :mod:`errai.cluster.streamed` know that its
leaves are streamed.  An iteration is complete when the trunk's checkpoint names it.  Blocks of later iterations, which
a killed run may have left, are removed and recomputed.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from errai.cluster.folder import RunFolder, run_facts, save_certificate
from errai.cluster.partition import Budget, Layout, Partition, lay_out
from errai.cluster.reading import StoredSolution
from errai.cluster.streamed import StreamedSubgames
from errai.cluster.worker import Runner, Setup, make_runner
from errai.engine.certificate import StrategyProfile
from errai.engine.leaf_values import HalfIteration
from errai.engine.loop import ProgressCallback, Solver
from errai.engine.request import Certified, Request, run_certified
from errai.engine.resources import FIXED16_TARGET, chosen_precision, default_threads, schedule_in, why_not_in_16_bits
from errai.engine.status import Status
from errai.engine.units import Exploitability
from errai.errors import DamagedFileError, InputError, MismatchError, RunInUseError, SolverOptionError
from errai.kernels.backends import make_kernel
from errai.kernels.protocol import Arrays
from errai.solutions.checkpoints import resume_run, save_run
from errai.solutions.solution import VERIFY_TOLERANCE, ProfileValues, Verification, profile_values, value_pairs
from errai.solutions.subjects import menu_of, subject_document
from errai.store.checkpoint import load_checkpoint, newest_container, previous_path
from errai.tree.public_tree import TreePlan, plan_public_tree

WIDE_TRUNK = 1_000_000
"""A trunk with at most so many entries is solved in float64, since it is small compared with the blocks."""


@dataclass(frozen=True)
class StoredRun:
    """The result of a call of :func:`errai.solve` for a run in a folder; :func:`errai.open_run` opens it."""

    folder: Path
    status: Status
    """As for :class:`errai.solutions.solution.Solution`."""
    exploitability: Exploitability
    values_chips: tuple[float, float]
    iterations: int
    seconds: float
    curve: tuple[tuple[int, float, float], ...]
    information_sets: int
    """Information sets, up to suits."""
    blocks: int
    stored_bytes: int
    """Bytes of the newest files of all blocks."""
    seconds_reading: float
    seconds_walking: float
    seconds_writing: float
    """Seconds of all workers in this call."""
    repairs: tuple[str, ...]
    """Descriptions of damaged blocks that were recomputed in this call."""
    precision: str


@dataclass(frozen=True)
class StoreEvents:
    """Callbacks for what happens in a folder."""

    on_layout: Callable[[Layout], None] | None = None
    """Called with the layout of a new run, before anything is built."""
    on_block: Callable[[int, int], None] | None = None
    """Called with (blocks done, blocks) after each block of a pass; by default the progress callback's ``part``."""
    on_repair: Callable[[str], None] | None = None
    """Called with a sentence about each damaged block that is recomputed."""


def solve_in_store(
    request: Request,
    folder: Path,
    processes: int | None,
    cluster: str | None,
    cut: int | None,
    progress: ProgressCallback | None,
    events: StoreEvents,
) -> StoredRun:
    """Solve out of core: a trunk in memory, and below it blocks that are streamed from the disk.

    The method is that of :func:`errai.solve`, which describes the parameters and errors; the streets from the cut on
    are behind :class:`~errai.cluster.streamed.StreamedSubgames`.
    """
    if request.subject.depth is not None:
        raise InputError("A run in a folder goes to the end of the game; make the lookahead with depth=None.")
    if request.schedule.predictive or request.schedule.simultaneous:
        raise SolverOptionError(
            "A run in a folder needs an algorithm without prediction and without a local rule, and alternating updates."
        )
    workers = _workers(processes, cluster)
    plan = plan_public_tree(request.subject, menu=menu_of(request.subject, request.menu))
    goal, place, new = request.goal(plan), RunFolder(folder), None
    if not place.exists():
        new, layout = _new_facts(request, plan, workers, cut)
        place.check_room(layout.disk_bytes)
        if events.on_layout is not None:
            events.on_layout(layout)
    place.create()
    with place.locked():
        if new is not None and place.exists():
            raise RunInUseError(
                f"Another process has just started a run in {place.path}; try again, or choose another."
            )
        run = _Run(request, place, plan, _facts_of(place, request) if new is None else new, events)
        with closing(_runner(run, workers, request.memory, cluster)) as runner:
            run.begin(runner, progress, fresh=new is not None)
            found = run_certified(
                run.solver,
                request,
                None if goal is None else goal.chips,
                run.save,
                max_seconds=request.seconds,
                progress=progress,
                between=run.save,
            )
            return run.certified(found)


class _Run:
    """One call of :func:`solve_in_store` in a folder that it has locked."""

    def __init__(
        self, request: Request, place: RunFolder, plan: TreePlan, facts: dict[str, Any], events: StoreEvents
    ) -> None:
        self.request, self.place, self.plan, self.facts, self.events = request, place, plan, facts, events
        self.averages = request.strategy == "average"
        self.precision: str = facts["block_precision"]
        self.partition = Partition.from_dict(facts["partition"], plan)
        self.repairs: list[str] = []
        self._saved = -1
        """The iteration that was saved last."""

    def begin(self, runner: Runner, progress: ProgressCallback | None, *, fresh: bool) -> None:
        """Make the solver of the trunk, whose leaves are the blocks, and a fresh run or the state of its checkpoint."""
        request, events = self.request, self.events
        last, menu = self.partition.street - 1, menu_of(request.subject, request.menu)
        trunk = plan_public_tree(request.subject, menu=menu, last_street=last).build()
        self.streamed = StreamedSubgames(
            self.plan,
            self.partition,
            runner,
            averages=self.averages,
            earlier=self._earlier,
            on_block=getattr(progress, "part", None) if events.on_block is None else events.on_block,
            on_repair=self._repaired,
        )
        self.solver = Solver(
            trunk,
            schedule_in(self.precision, request.schedule),
            precision="float64" if trunk.entries <= WIDE_TRUNK else "float32",
            leaf_values=self.streamed,
            strategy=request.strategy,
            fresh=fresh,
        )
        if fresh:
            self.save()
        else:
            reason = resume_run(self.solver, self.place.checkpoint, request.menu)
            if reason is not None:
                self._repaired(f"{reason} Resuming from the previous checkpoint.")
            self._saved = self.solver.iteration
        self.place.tidy(self._saved)
        self.streamed.learnt = self._saved, self._saved

    def save(self) -> Arrays:
        """Write the trunk's checkpoint, which makes an iteration complete, and return the strategy to be certified."""
        self.place.flush()
        # The previous checkpoint stays that of the iteration before, so that damaged blocks can be recomputed from it.
        keep = self.solver.iteration != self._saved
        save_run(self.solver, self.place.checkpoint, self.request.menu, self.facts, keep_previous=keep)
        self._saved = self.solver.iteration
        return self.solver.measured

    def certified(self, found: Certified) -> StoredRun:
        """Write the certificate, and return the result."""
        solver, (reading, walking, writing) = self.solver, self.streamed.seconds.tolist()
        values = profile_values(solver.tree, found.values).chips
        save_certificate(self.place, self.facts["run"], solver.iteration, found, values)
        return StoredRun(
            folder=self.place.path,
            status=found.status,
            exploitability=found.certificate,
            values_chips=values,
            iterations=solver.iteration,
            seconds=solver.seconds,
            curve=tuple(solver.curve),
            information_sets=self.plan.canonical_information_sets,
            blocks=len(self.partition.blocks),
            stored_bytes=self.place.stored_bytes(solver.iteration),
            seconds_reading=reading,
            seconds_walking=walking,
            seconds_writing=writing,
            repairs=tuple(self.repairs),
            precision=self.precision,
        )

    def _repaired(self, text: str) -> None:
        self.repairs.append(text)
        if self.events.on_repair is not None:
            self.events.on_repair(text)

    def _earlier(self, iteration: int, player: int) -> HalfIteration:
        """Return what the blocks were given in the last complete iteration, from the trunk's last two checkpoints."""
        after = load_checkpoint(self.place.checkpoint)
        before = load_checkpoint(previous_path(self.place.checkpoint))
        if (after.metadata.get("iteration"), before.metadata.get("iteration")) != (iteration, iteration - 1):
            raise DamagedFileError(
                f"The trunk's checkpoints of iterations {iteration - 1} and {iteration} are missing."
            )
        # In the loop, player 1 already responds to the strategy that player 0 has just updated.
        source = [
            [(after if p < player else before).arrays[f"regrets/{s}/{p}"] for p in (0, 1)]
            for s in range(len(self.solver.tree.arrays.streets))
        ]
        schedule, learnt = self.solver.schedule, (iteration - (player == 0), iteration - 1)
        row, reach = schedule.coefficients(iteration, 1)[0], self.solver.kernel.leaf_reach(source)
        return HalfIteration(player, learnt, reach, row, schedule.weighted)


def _workers(processes: int | None, cluster: str | None) -> int:
    """Return how many workers this machine's memory is divided among."""
    if cluster is not None:
        from errai.cluster.ray import local_workers

        processes = local_workers(cluster) or processes
    return default_threads() if processes is None else processes


def _runner(run: _Run | StoredSolution, workers: int, memory: int | None, cluster: str | None) -> Runner:
    """Return the runner that walks the blocks of a run."""
    budget = Budget(run.plan, run.precision, workers, memory, run.averages)
    folder, facts, cache = str(run.place.path.resolve()), run.facts, budget.cache(run.partition)
    setup = Setup(folder, facts["run"], facts["game"], facts["partition"], run.precision, "cpu", run.averages, cache)
    if cluster is None:
        return make_runner(setup, workers)
    from errai.cluster.ray import RayRunner

    return RayRunner(setup, cluster)


def _new_facts(request: Request, plan: TreePlan, workers: int, cut: int | None) -> tuple[dict[str, Any], Layout]:
    """Divide the game, and return what identifies the new run."""
    precision, schedule, averages = request.precision, request.schedule, request.strategy == "average"
    if precision == "average8":
        raise SolverOptionError("Runs in a folder have no averages in 8 bits; choose the precision fixed16.")
    if precision == "auto":  # 16 bits, unless the target is below what these reach.
        goal = request.goal(plan)
        fine = goal is not None and goal.chips < FIXED16_TARGET * plan.betting.initial_pot
        precision = "float32" if fine or why_not_in_16_bits(schedule) is not None else "fixed16"
    else:
        precision = chosen_precision(precision, schedule, entries=plan.entries)
    layout = lay_out(Budget(plan, precision, workers, request.memory, averages), cut)
    facts = {
        "run": secrets.token_hex(8),
        "game": subject_document(request.subject, request.menu),
        "partition": layout.partition.to_dict(),
        "block_precision": precision,
        "averages": averages,
    }
    return facts, layout


def _facts_of(place: RunFolder, request: Request) -> dict[str, Any]:
    """Return what identifies a run, after checking that it fits the request."""
    facts = run_facts(newest_container(place.checkpoint))
    asked = subject_document(request.subject, request.menu)
    if facts["game"].get("digest") != asked["digest"] or facts["game"].get("menu") != request.menu:
        raise MismatchError(
            f"{place.path} holds a run of another game ({facts['game'].get('name', 'a spot')!s:.60}); "
            "choose another folder, or solve that game."
        )
    if facts["averages"] != (request.strategy == "average"):
        kept = "keeps averages" if facts["averages"] else "keeps no averages"
        raise MismatchError(f"The run in {place.path} {kept}; resume it in the same way, or choose another folder.")
    return facts


def verify_run(
    stored: StoredSolution,
    *,
    processes: int | None = None,
    memory: int | None = None,
    cluster: str | None = None,
    on_block: Callable[[int, int], None] | None = None,
) -> Verification:
    """Recompute exploitability and values of a stored run from its strategy, and compare them with its certificate.

    Every byte of the run's files is checked: the arrays that the strategy is made of, what only a run that is resumed
    needs, and the files of the iteration before, from which damaged ones are rebuilt.  On a cluster whose machines keep
    blocks on disks of their own, the files of the iteration before are checked only where this process sees them.

    Parameters
    ----------
    stored:
        The run; nothing in its folder is changed.
    processes:
        How many processes walk the blocks; by default one for each processor.  The result does not depend on it.
    memory, cluster:
        As for :func:`errai.solve`.
    on_block:
        Called with (blocks done, blocks) after every block.

    Raises
    ------
    FileAccessError
        If the stored strategy has no certificate, or a file is missing.
    DamagedFileError, MismatchError
        If a file is damaged or belongs to another run.
    WorkerLostError
        If processes are lost repeatedly.
    """
    stored.place.check(stored.iterations)
    certificate = stored.certified()
    partition, plan, menu = stored.partition, stored.plan, menu_of(stored.subject, stored.menu)
    trunk = plan_public_tree(stored.subject, menu=menu, last_street=partition.street - 1).build()
    strategy = [[stored.trunk.array(s, p) for p in (0, 1)] for s in range(partition.street)]
    kernel = make_kernel("cpu", trunk.arrays, stored.threads)
    workers = _workers(processes, cluster)
    with closing(_runner(stored, workers, memory, cluster)) as runner:
        streamed = StreamedSubgames(
            plan, partition, runner, stored.averages, stored.iterations, on_block=on_block, whole=True
        )
        leaves = streamed.measure(trunk, kernel.leaf_reach(strategy, tied=False))
    recomputed, net = StrategyProfile(trunk, kernel, strategy, leaves).certificate(stored.units)
    pairs = value_pairs(ProfileValues(certificate.value_chips), profile_values(trunk, net))
    for name, what, pair in (("values", "value", leaves.values), ("best", "best response", leaves.best)):
        for p in (0, 1):
            kept, found = certificate.leaves(name, p, pair[p][-1].size), pair[p][-1]
            if kept.size:
                most = int(np.abs(kept - found).argmax())
                # Counterfactual values are weighted by the reach of all of the opponent's hands.
                two = float(kept[most]) / trunk.pair_weight, float(found[most]) / trunk.pair_weight
                pairs[f"{what} of player {p} at a leaf of the trunk"] = two
    claim = Exploitability(certificate.exploitability_chips, stored.units, certificate.gain_chips)
    return Verification.of(recomputed, claim, VERIFY_TOLERANCE * stored.initial_pot_chips, pairs)
