"""Solve in memory: plan the run, build the tree, iterate, and certify the result."""

from __future__ import annotations

import platform
import time
import warnings
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from math import comb
from typing import Any, cast

import numpy as np

from errai.engine.bounds import regret_bound_chips
from errai.engine.curve import Curve
from errai.engine.leaf_values import as_leaf_values
from errai.engine.loop import Progress, ProgressCallback, Solver
from errai.engine.request import Certified, Checkpointing, Request, certified, run_certified
from errai.engine.resources import default_threads, plan_run, trusted_with
from errai.engine.root import Gadget, MayRefuse, checked_player
from errai.engine.seams import apart_of, root_of
from errai.engine.status import START, Status
from errai.engine.strategy import ENCODINGS, encode
from errai.errors import FileAccessError, MismatchError, SolverOptionError, StoppedError
from errai.games.game import Subject
from errai.games.lookahead import last_street
from errai.kernels.backends import backend_names
from errai.kernels.protocol import Arrays
from errai.options import Encoding, MemoryOptions
from errai.own_code import described, numbers_of
from errai.running.stopping import StopToken, stops
from errai.solutions.checkpoints import check_start, checkpoint_settings, resume_run, save_run, start_from_run
from errai.solutions.solution import Below, Solution, profile_values
from errai.solutions.subjects import menu_of
from errai.tree.public_tree import plan_public_tree

LOOK_EVERY_SECONDS = 0.25
"""Time between two checks of the limits while a tree is built; small trees are built before the first check."""


def solve_in_memory(request: Request, asked: MemoryOptions, progress: ProgressCallback | None) -> Solution:
    """See :func:`errai.solve`; ``asked`` has all options of the call, and the request stands for those that it has."""
    run = _Run(request, asked)
    run.plan.check_memory()
    watch = _BuildingWatch(request.seconds, request.stop, progress)
    run.build(watch)
    start = run.begin()
    found = run_certified(
        run.solver,
        request,
        run.aim_chips,
        run.finish,
        max_seconds=watch.seconds_left(),
        progress=progress,
        between=run.checkpointing.between(run.save),
    )
    if not run.plan.in_place:
        run.save()
    returned = request.strategy
    if start is not None and start.certificate.chips < found.certificate.chips:
        is_met = run.aim_chips is not None and start.certificate.chips <= run.aim_chips
        found = replace(start, status=Status.TARGET_MET if is_met else found.status)
        returned = START
    return run.solution(found, returned)


class _Run:
    """One call of :func:`solve_in_memory`: how it will be run, and once its tree is built, the solver."""

    def __init__(self, request: Request, asked: MemoryOptions) -> None:
        subject, precision = request.subject, request.precision
        self.request, self.asked, self.start_from = request, asked, asked["start_from"]
        self.backend = asked["backend"] or "cpu"
        for name, given, names in (
            ("backend", asked["backend"], backend_names()),
            ("encoding", asked["encoding"], tuple(ENCODINGS)),
        ):
            if given is not None and given not in names:
                raise SolverOptionError(f"There is no {name} {given!r}; choose one of {', '.join(names)}.")
        if not isinstance(asked["both_curves"], bool):
            raise SolverOptionError(f"both_curves is True or False, not {described(asked['both_curves'])}.")
        if not (asked["observe"] is None or callable(asked["observe"])):
            raise SolverOptionError(f"observe is a function, not {described(asked['observe'])}.")
        depth, self.leaf_values = asked["depth"], None
        if asked["leaf_values"] is not None:
            self.leaf_values = as_leaf_values(asked["leaf_values"], asked["threads"])
            if depth is None and subject.state is None:
                depth = self.leaf_values.depth
        # The last street of a tree that is cut, counted from its root; None for a whole tree.
        last = last_street(subject, depth)
        if (last is None) != (self.leaf_values is None):
            raise SolverOptionError("A cut tree needs both: depth, the street after which it is cut, and leaf_values.")
        self.checkpointing = Checkpointing.of(asked["checkpoint"], asked["checkpoint_seconds"], asked["resume"])
        self.gadget = _gadget(subject, asked)
        self.resumed_from = self.checkpointing.resumed_from
        self.begun_from = self.start_from if self.resumed_from is None else self.resumed_from
        smaller: Mapping[str, Any] = {"alike": None, "run_out": None}
        if self.begun_from is not None:
            same = {} if self.resumed_from is None else {"subject": subject.digest(), "menu": request.menu}
            smaller, precision = checkpoint_settings(self.begun_from, request.schedule, precision, same)
        self.tree_plan = plan_public_tree(
            subject,
            menu=menu_of(subject, request.menu),
            last_street=last,
            apart=apart_of(self.gadget, _hands(subject)),
            locks=asked["locks"],
            **smaller,
        )
        if isinstance(self.gadget, MayRefuse):
            self.gadget.check(self.tree_plan)
        goal = request.goal(self.tree_plan)
        self.aim_chips = None if goal is None else goal.chips
        if self.resumed_from is None and self.start_from is not None:
            check_start(self.start_from, self.tree_plan)
            share = None if goal is None else goal.chips / self.tree_plan.betting.initial_pot
            if request.precision == "auto" and share is not None and not trusted_with(precision, share):
                raise MismatchError(
                    f"The run in {self.start_from} has the precision {precision}, which is too coarse for the target; "
                    "start from nothing, or ask for this precision."
                )
        plan = plan_run(
            self.tree_plan,
            request.schedule,
            precision,
            target_chips=self.aim_chips,
            strategy=request.strategy,
            encoding=asked["encoding"],
            backend=self.backend,
            threads=asked["threads"] or default_threads(),
            memory=request.memory,
        )
        self.plan = replace(plan, starts=self.start_from is not None)

    def build(self, watch: Callable[[int, int], None]) -> None:
        plan = self.plan
        tree = self.tree_plan.build(watch, plan.threads)
        self.solver = Solver(
            tree,
            plan.schedule,
            backend=self.backend,
            threads=plan.threads,
            precision=plan.precision,
            leaf_values=self.leaf_values,
            root=None if self.gadget is None else root_of(self.gadget, tree, plan.schedule),
            strategy=self.request.strategy,
            fresh=self.begun_from is None,
        )

    def begin(self) -> Certified | None:
        """Give the solver what it starts from or resumes; return the strategy that it starts from, measured here.

        A run that is resumed needs the file it started from only for that strategy; without it the run goes on.
        """
        start = None
        if self.start_from is not None:
            try:
                start = start_from_run(self.solver, self.start_from, self._certified_start)
            except FileAccessError as error:
                if self.resumed_from is None:
                    raise
                warnings.warn(
                    f"{error} The run is resumed without the strategy that it started from, so the result may be worse "
                    "than that one.",
                    stacklevel=2,
                )
        if self.resumed_from is not None:
            resume_run(self.solver, self.resumed_from, self.request.menu)
        solver = self.solver
        solver.measure_every, solver.observe = self.asked["measure_every"], self.asked["observe"]
        if self.asked["both_curves"]:
            solver.other_curve = []
        return start

    def _certified_start(self) -> Certified:
        return certified(self.solver, self.request, self._encoded(), Status.INTERRUPTED)

    def save(self) -> None:
        if self.checkpointing.path is not None:
            save_run(self.solver, self.checkpointing.path, self.request.menu)

    def finish(self) -> Arrays:
        if self.plan.in_place:
            self.save()  # The strategy will overwrite the averages.
        return self._encoded(in_place=self.plan.in_place)

    def _encoded(self, *, in_place: bool = False) -> Arrays:
        state = self.solver.state
        source = state.sums if self.request.strategy == "average" else state.source
        return encode(self.solver.tree, source, self.plan.encoding, in_place=in_place)

    def solution(self, found: Certified, returned: str) -> Solution:
        """Return the solution; ``returned`` says which strategy it is."""
        solver, asked, plan, below = self.solver, self.asked, self.plan, self.leaf_values
        bound = regret_bound_chips(solver) if returned == "average" else None
        return Solution(
            tree=solver.tree,
            strategy=found.strategy,
            exploitability=found.certificate,
            values=profile_values(solver.tree, found.values),
            status=found.status,
            iterations=solver.iteration,
            seconds=solver.seconds,
            schedule=solver.schedule.to_dict(),
            curve=Curve.of(solver.curve),
            other_curve=None if solver.other_curve is None else Curve.of(solver.other_curve),
            encoding=cast(Encoding, plan.encoding),
            menu=self.request.menu,
            settings={
                "backend": self.backend,
                "threads": plan.threads,
                "precision": solver.precision,
                "strategy": returned,
                "seed": asked["seed"] or 0,
                "target": self.request.target,
                **({} if bound is None else {"regret_bound_chips": bound}),
                **({} if asked["label"] is None else {"label": asked["label"]}),
                **versions(),
            },
            threads=plan.threads,
            memory_bytes=plan.memory_bytes,
            below=None if below is None else Below.of(below),
            entering=found.entering,
            leaves=found.leaves,
            history=None if below is None else below.history,
        )


def _gadget(subject: Subject, asked: MemoryOptions) -> Gadget | None:
    """Return the gadget above the root, whether it was given as a gadget or as opponent values.

    :meth:`MayRefuse.check` refuses numbers of the opponent's hands that are not finite, once the hands are known.
    """
    gadget, values, opponent = asked["gadget"], asked["opponent_values"], asked["opponent"]
    if values is None:
        if opponent is not None:
            raise SolverOptionError("opponent is used only with opponent_values; leave it out, or give both.")
        return gadget
    if gadget is not None:
        raise SolverOptionError("opponent_values already stand for a gadget; give either these or gadget.")
    if opponent is not None:
        opponent = checked_player(opponent)
    hands = _hands(subject)
    found = numbers_of(values, "The numbers in opponent_values", (hands,), read=np.zeros(hands, dtype=np.bool_))
    return MayRefuse(found, opponent)


def _hands(subject: Subject) -> int:
    """Return the number of hands of a subject's deck."""
    game = subject.rules
    return comb(game.deck.num_cards, game.num_hole_cards)


class _BuildingWatch:
    """Checks the limits of a run while its tree is built, and reports the progress."""

    def __init__(self, seconds: float | None, stop: StopToken | None, progress: ProgressCallback | None) -> None:
        self._seconds = seconds
        self._stop = stop
        self._progress = progress
        self._started = self._looked = time.perf_counter()

    def __call__(self, done: int, count: int) -> None:
        """Check the limits if it is time to; raises :class:`StoppedError` if one is reached."""
        now = time.perf_counter()
        if now - self._looked < LOOK_EVERY_SECONDS:
            return
        self._looked = now
        spent = now - self._started
        if stops(self._stop) or (self._seconds is not None and spent >= self._seconds):
            why = "The run was interrupted" if stops(self._stop) else f"The {self._seconds:g} seconds were over"
            raise StoppedError(
                f"{why} while the tree was being built ({done:,} of {count:,} boards); there is no strategy yet. "
                "`errai estimate` shows how large the tree is."
            )
        if self._progress is not None:
            self._progress(Progress(0, spent, None, 0, None, None, self._seconds, built=done / count))

    def seconds_left(self) -> float | None:
        """Return the seconds left when the tree is built: more than 0, so that there is time for one iteration."""
        return None if self._seconds is None else max(self._seconds - (time.perf_counter() - self._started), 1e-9)


def versions() -> dict[str, str]:
    """Return the versions of the software that computes a solution, and when it did: UTC, in the form of ISO 8601."""
    from errai import __version__
    from errai.kernels.cpu import instruction_set

    return {
        "errai": __version__,
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "python": platform.python_version(),
        "numpy": np.__version__,
        "instruction_set": instruction_set(),
    }
