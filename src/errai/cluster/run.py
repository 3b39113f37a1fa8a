"""Solve a game in a folder: a trunk in memory, blocks on disk, and a checkpoint after every iteration.

The trunk is solved by the same loop as any other tree; only this module and :mod:`errai.cluster.streamed` know that its
leaves are streamed.  An iteration is complete when the trunk's checkpoint names it.  Blocks of later iterations, which
a killed run may have left, are removed and recomputed.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from errai.cluster.certificate import run_facts, save_certificate
from errai.cluster.folder import RunFolder
from errai.cluster.layout import Layout, cache_bytes, lay_out
from errai.cluster.local import make_runner
from errai.cluster.partition import Partition
from errai.cluster.streamed import StreamedSubgames
from errai.cluster.tasks import Runner, Setup
from errai.engine.leaf_values import HalfIteration
from errai.engine.loop import ProgressCallback, Solver
from errai.engine.precision import FIXED16_TARGET, chosen_precision, schedule_in, why_not_in_16_bits
from errai.engine.request import Request, run_certified
from errai.engine.resources import default_threads
from errai.engine.schedules import Schedule
from errai.engine.status import Status
from errai.engine.units import Exploitability, Target
from errai.errors import DamagedFileError, InputError, MismatchError, RunInUseError, SolverOptionError
from errai.games.subject import Subject
from errai.kernels.protocol import Arrays
from errai.solutions.checkpoints import resume_run, save_run
from errai.solutions.solution import profile_values
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
    subject, menu, schedule, precision = request.subject, request.menu, request.schedule, request.precision
    memory, averages = request.memory, request.strategy == "average"
    if subject.depth is not None:
        raise InputError("A run in a folder goes to the end of the game; make the lookahead with depth=None.")
    if schedule.predictive or schedule.simultaneous:
        raise SolverOptionError(
            "A run in a folder needs an algorithm without prediction and without a local rule, and alternating updates."
        )
    on_block = getattr(progress, "part", None) if events.on_block is None else events.on_block
    workers = _workers(processes, cluster)
    plan = plan_public_tree(subject, menu=menu_of(subject, menu))
    goal = request.goal(plan)
    place = RunFolder(folder)
    layout = None
    if not place.exists():
        precision = _precision(precision, schedule, plan, goal)
        layout = lay_out(plan, precision=precision, workers=workers, memory=memory, averages=averages, street=cut)
        place.check_room(layout.disk_bytes)
        if events.on_layout is not None:
            events.on_layout(layout)
    place.create()
    with place.locked():
        if layout is None:
            facts = _facts_of(place, subject, menu, averages)
            precision = facts["block_precision"]
            partition = Partition.from_dict(facts["partition"], plan)
            cache = cache_bytes(plan, partition, precision, workers, memory, averages)
        elif place.exists():
            raise RunInUseError(
                f"Another process has just started a run in {place.path}; try again, or choose another."
            )
        else:
            partition, cache = layout.partition, layout.cache_bytes
            facts = _new_facts(subject, menu, partition, precision, averages)
        setup = Setup(
            folder=str(place.path.resolve()),
            run=facts["run"],
            subject=facts["game"],
            partition=facts["partition"],
            precision=precision,
            backend="cpu",
            averages=averages,
            cache_bytes=cache,
        )
        trunk = plan_public_tree(subject, menu=menu_of(subject, menu), last_street=partition.street - 1).build()
        repairs: list[str] = []

        def repaired(text: str) -> None:
            repairs.append(text)
            if events.on_repair is not None:
                events.on_repair(text)

        with open_runner(setup, workers, cluster) as runner:
            streamed = StreamedSubgames(
                plan, partition, runner, averages=averages, on_block=on_block, on_repair=repaired
            )
            solver = Solver(
                trunk,
                schedule_in(precision, schedule),
                precision="float64" if trunk.entries <= WIDE_TRUNK else "float32",
                leaf_values=streamed,
                strategy=request.strategy,
                fresh=layout is not None,
            )
            streamed.earlier = _Earlier(place, solver)

            saved = -1

            def save() -> None:
                # The previous checkpoint stays that of the iteration before, so that damaged blocks can be recomputed
                # from it.
                nonlocal saved
                place.flush()
                save_run(solver, place.checkpoint, menu, facts, keep_previous=solver.iteration != saved)
                saved = solver.iteration

            if layout is None:
                reason = resume_run(solver, place.checkpoint, menu)
                if reason is not None:
                    repaired(f"{reason} Resuming from the previous checkpoint.")
                saved = solver.iteration
            else:
                save()
            place.tidy(solver.iteration)
            streamed.learnt = solver.iteration, solver.iteration

            def finish() -> Arrays:
                save()
                return solver.measured

            aim = None if goal is None else goal.chips
            found = run_certified(
                solver, request, aim, finish, max_seconds=request.seconds, progress=progress, between=save
            )
            assert found.leaves is not None
            values = profile_values(trunk, found.values)
            save_certificate(
                place, solver.iteration, facts["run"], found.certificate, values, found.leaves, found.status
            )
        stored = place.stored_bytes(solver.iteration)
        return StoredRun(
            folder=place.path,
            status=found.status,
            exploitability=found.certificate,
            values_chips=values.chips,
            iterations=solver.iteration,
            seconds=solver.seconds,
            curve=tuple(solver.curve),
            information_sets=plan.canonical_information_sets,
            blocks=len(partition.blocks),
            stored_bytes=stored,
            seconds_reading=streamed.traffic.reading,
            seconds_walking=streamed.traffic.walking,
            seconds_writing=streamed.traffic.writing,
            repairs=tuple(repairs),
            precision=precision,
        )


class _Earlier:
    """What the blocks were given in the last complete iteration, from the trunk's last two checkpoints."""

    def __init__(self, place: RunFolder, solver: Solver) -> None:
        self.place = place
        self.solver = solver

    def __call__(self, iteration: int, player: int) -> HalfIteration:
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


@contextmanager
def open_runner(setup: Setup, workers: int, cluster: str | None) -> Iterator[Runner]:
    """Open the runner that walks the blocks, and close it at the end of the context."""
    runner: Runner
    if cluster is None:
        runner = make_runner(setup, workers)
    else:
        from errai.cluster.ray import RayRunner

        runner = RayRunner(setup, cluster)
    try:
        yield runner
    finally:
        runner.close()


def _workers(processes: int | None, cluster: str | None) -> int:
    """Return how many workers this machine's memory is divided among."""
    if cluster is not None:
        from errai.cluster.ray import local_workers

        processes = local_workers(cluster) or processes
    return default_threads() if processes is None else processes


def _precision(precision: str, schedule: Schedule, plan: TreePlan, goal: Target | None) -> str:
    """Return the precision of the blocks: 16 bits, unless the target is below what these reach."""
    if precision == "auto":
        fine = goal is not None and goal.chips < FIXED16_TARGET * plan.betting.initial_pot
        return "float32" if fine or why_not_in_16_bits(schedule) is not None else "fixed16"
    if precision == "average8":
        raise SolverOptionError("Runs in a folder have no averages in 8 bits; choose the precision fixed16.")
    return chosen_precision(precision, schedule, entries=plan.entries)


def _new_facts(
    subject: Subject, menu: str | None, partition: Partition, precision: str, averages: bool
) -> dict[str, Any]:
    """Return what identifies a new run."""
    return {
        "run": secrets.token_hex(8),
        "game": subject_document(subject, menu),
        "partition": partition.to_dict(),
        "block_precision": precision,
        "averages": averages,
    }


def _facts_of(place: RunFolder, subject: Subject, menu: str | None, averages: bool) -> dict[str, Any]:
    """Return what identifies a run, after checking that it fits the request."""
    facts = run_facts(newest_container(place.checkpoint))
    asked = subject_document(subject, menu)
    if facts["game"].get("digest") != asked["digest"] or facts["game"].get("menu") != menu:
        raise MismatchError(
            f"{place.path} holds a run of another game ({facts['game'].get('name', 'a spot')!s:.60}); "
            "choose another folder, or solve that game."
        )
    if facts["averages"] != averages:
        kept = "keeps averages" if facts["averages"] else "keeps no averages"
        raise MismatchError(f"The run in {place.path} {kept}; resume it in the same way, or choose another folder.")
    return facts
